"""Runs with a solver for each component: the example of docs/gravity.md is run there (first_run_test.py); here are columns,
warnings, interruptions, what is refused, and galaxies that become components."""
import csv
import os
import re
import unittest
import unittest.mock

from aureole_program import SOURCE, ProgramTest, needed

RUN = """
gravity:
  solver: components
  components: {solvers: [scf, tree]}
  scf: {n_max: 4, l_max: 2}
  softening: 0.1
integrator: {timestep: 0.05}
run: {end_time: 1}
output: {directory: out, coefficients: {every: 0.5}, diagnostics: {every: 0.25}}
initial_conditions:
  - {model: hernquist, particles: 2000, truncation_radius: 50}
  - {model: plummer, particles: 400, mass: 0.1, scale_radius: 0.3}
"""


class ComponentsRun(ProgramTest):
    def rows(self, folder="out"):
        with open(self.folder / folder / "energy.csv") as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def set(self, **keys):
        return [part for key, value in keys.items() for part in ("--set", f"gravity.{key.replace('__', '.')}={value}")]

    def test_columns_and_coefficients_tell_how_the_expansion_fits(self):
        self.write("run.yaml", RUN)
        plan = self.run_program("run", "run.yaml", "--dry-run")
        self.assertIn("times in a file per component", plan)
        text = self.run_program("run", "run.yaml")
        self.assertNotIn("warning", text)
        self.assertTrue((self.folder / "out/coefficients_0.hdf5").exists())
        self.assertFalse((self.folder / "out/coefficients_1.hdf5").exists(), "the tree has none")
        rows = self.rows()
        self.assertEqual(list(rows[0])[-3:], ["momentum_drift", "centre_offset_0", "shell_power_0"])
        self.assertLess(abs(rows[-1]["relative_error"]), 1e-3)
        for row in rows:
            self.assertLess(row["momentum_drift"], 0.02)
            self.assertLess(row["centre_offset_0"], 0.2)
            self.assertTrue(0 < row["shell_power_0"] < 0.05)
        resolved = (self.folder / "out/config.resolved.yaml").read_text()
        self.assertIn("solvers: [scf, tree]", resolved)

    def test_a_resumed_run_continues_bit_for_bit_and_threads_change_nothing(self):
        self.write("run.yaml", RUN)
        keys = self.set(scf__recenter_every=0.2)
        self.run_program("run", "run.yaml", *keys)
        self.run_program("run", "run.yaml", "-o", "parts", *keys, "--set", "run.end_time=0.5",
                         "--set", "output.checkpoints.every=0.25")
        self.run_program("run", "--resume", "parts", "--set", "run.end_time=1")
        whole, parts = self.rows(), self.rows("parts")
        self.assertNotEqual(whole[-1]["recentring_jump"], 0)
        self.assertEqual(whole[-1], parts[-1])
        with unittest.mock.patch.dict(os.environ, {"OMP_NUM_THREADS": "1"}):
            self.run_program("run", "run.yaml", "-o", "one", *keys)
        self.assertEqual(whole, self.rows("one"))

    def test_what_does_not_fit_is_told_with_the_number_that_matters(self):
        self.write("run.yaml", RUN)
        aside = self.run_program("run", "run.yaml", *self.set(scf__centre="[0.5,0,0]"), "--set", "run.end_time=0.1")
        self.assertIn("scale radii of its expansion away from the expansion's centre, more than 0.2", aside)
        wide = self.run_program("run", "run.yaml", "-o", "b", *self.set(scf__scale_radius=20), "--set", "run.end_time=0.1")
        self.assertIn("of the energy of l = 0, more than 0.05: n_max 4 and l_max 2", wide)
        self.assertEqual(wide.count("more than 0.05"), 1, "once")
        no_dipole = self.run_program("run", "run.yaml", "-o", "c", *self.set(scf__even_l="true"), "--dry-run")
        self.assertIn("has no functions of l = 1 (l_max 2, even_l)", no_dipole)
        mixed = self.run_program("run", "run.yaml", "-o", "c", *self.set(components__cross="[expansion, mixed]"), "--dry-run")
        self.assertIn("the energy drifts steadily", mixed)

    def test_wrong_keys_are_refused(self):
        self.write("run.yaml", RUN)
        for keys, words in [({"components__solvers": "[scf]"}, "has 1 entries, and initial_conditions has 2"),
                            ({"components__solvers": "[scf, treepm]"}, "one of direct, tree, scf for each component"),
                            ({"components__cross": "[mixed, mixed]"}, "component 0, whose solver is scf"),
                            ({"components__cross": "[expansion]"}, "gravity.components.cross has 1 entries"),
                            ({"components__solvers": "[tree, tree]"}, "which has no coefficients"),
                            ({"components__solver": "[scf, tree]"}, "nearest known key is 'gravity.components.solvers'")]:
            self.assertIn(words, self.refused("run", "run.yaml", "-o", "a", *self.set(**keys)))
        self.assertIn("open space only", self.refused("run", "run.yaml", "-o", "a", "--set", "box=10"))
        self.assertFalse((self.folder / "a").exists())

    def example(self, name):
        """A configuration of docs/initial_conditions.md, as a file."""
        page = (SOURCE / "docs/initial_conditions.md").read_text()
        return self.write(name, re.search(f"^```yaml\n(# {name}.*?)^```", page, re.M | re.S)[1])

    def test_galaxies_become_components_with_names_and_a_solver_for_each(self):
        config = self.example("galaxy.yaml")
        small = ("--set", "initial_conditions.galaxy.particles=2700", "--set", "initial_conditions.galaxy.disk.method=moments")
        plan = self.run_program("run", config, "--dry-run", *small)
        for line in ("component 0   disk (disk): 100 particles, mass 1\n", "component 1   bulge (hernquist): 19 particles",
                     "component 2   halo (nfw): 2581 particles, mass 25.91"):
            self.assertIn(line, plan)
        text = self.run_program("ics", config, "-o", "galaxy.hdf5", *small)
        self.assertIn("component 0 (disk):\n          R        v_c", text)
        self.assertIn("makes 0.470 of v_c^2", text)
        with needed("h5py").File(self.folder / "galaxy.hdf5") as file:
            self.assertEqual([file[f"PartType{t}/Masses"].size for t in (2, 3, 1)], [100, 19, 2581])
            self.assertEqual([set(file[f"PartType{t}/ComponentIDs"][:]) for t in (2, 3, 1)], [{0}, {1}, {2}])
        plan = self.run_program("run", self.example("two_galaxies.yaml"), "--dry-run")
        self.assertEqual(plan.count("disk (disk)"), 2)
        self.assertIn("component 5   halo (hernquist)", plan)
        self.assertIn("galaxy.disk.hight", self.refused("ics", config, "-o", "x.hdf5", "--set", "initial_conditions.galaxy.disk.hight=1"))

    def test_forces_of_a_snapshot(self):
        self.write("run.yaml", RUN)
        self.run_program("ics", "run.yaml", "-o", "start.hdf5")
        text = self.run_program("forces", "start.hdf5", "--solver", "components", "--softening", 0.1, "--compare", "direct",
                                *self.set(components__solvers="[direct, direct]"))
        self.assertIn("components", text)


if __name__ == "__main__":
    unittest.main()
