"""gravity.solver: auto is settled once, by the number of particles, and stays with the run."""
import unittest

from interrupted_run import InterruptedRun

RUN = """
seed: 4
initial_conditions: {model: plummer, particles: 300}
gravity: {softening: 0.05, solver: SOLVER}
integrator: {timestep: 0.01}
run: {end_time: 0.06}
output: {checkpoints: {steps: 4}, diagnostics: {every: 0.01}}
"""


class AutomaticSolver(InterruptedRun):
    def test_it_is_direct_for_few_particles_and_the_tree_for_many_on_a_cpu(self):
        config = self.write("run.yaml", RUN.replace("SOLVER", "auto"))
        for solver, particles in (("direct", 300), ("direct", 4096), ("tree", 4097)):
            arguments = ("--device", "cpu", "--set", f"initial_conditions.particles={particles}", "--overwrite")
            self.assertIn(f"gravity.solver: auto is {solver} for {particles} particles on cpu",
                          self.run_program("run", config, "-o", "out", *arguments))
            self.assertIn(f"solver: {solver}\n", (self.folder / "out/config.resolved.yaml").read_text())
            self.run_program("run", config, "-o", solver, *arguments, "--quiet", "--set", f"gravity.solver={solver}")
            self.same(solver, "out")

    def test_a_resumed_run_keeps_what_was_settled(self):
        config = self.write("run.yaml", RUN.replace("SOLVER", "auto"))
        self.run_program("run", config, "-o", "whole", "--quiet")
        for given in (("out",), (config, "-o", "out")):
            self.run_program("run", config, "-o", "out", "--quiet", "--overwrite")
            (self.folder / "out/checkpoint_previous.bin").rename(self.folder / "out/checkpoint.bin")
            self.run_program("run", "--resume", *given)
            self.same("whole", "out")
        refused = self.refused("run", "--resume", "out", "--set", "gravity.solver=tree")
        self.assertIn("key 'gravity.solver': found tree, expected direct", refused)

    def test_forces_settle_it_too(self):
        config = self.write("run.yaml", RUN.replace("SOLVER", "direct"))
        self.run_program("ics", config, "-o", "ics.hdf5")
        for solver in ("auto", "direct"):
            self.run_program("forces", "ics.hdf5", "-o", f"{solver}.hdf5", "--solver", solver, "--softening", "0.1")
        self.run_program("diff", "--exact", "auto.hdf5", "direct.hdf5")

    def test_other_names_are_refused_with_a_list_that_has_it(self):
        config = self.write("run.yaml", RUN.replace("SOLVER", "automatic"))
        self.assertIn("found 'automatic', expected one of direct, tree, treepm, scf, components, auto", self.refused("run", config, "-o", "out"))


if __name__ == "__main__":
    unittest.main()
