"""Unphysical values are caught: what is not finite, out of range or far from conserving energy stops a run with step,
time and particle, a snapshot of that state, and the checkpoint before it; and equal runs have equal hashes."""
import re
import unittest

import h5py
import numpy as np
from aureole_program import ProgramTest

# columns id m x y z vx vy vz
PAIR = "1 1 0 0 0 0 0 0\n2 1 {x} 0 0 {vx} 0 0\n"
RUN = """
units: nbody
initial_conditions:
  - {{model: file, file: start.txt, recenter: false}}
gravity: {{{gravity}}}
integrator: {{{steps}}}
run: {{end_time: 1}}
output: {{diagnostics: {{every: 0.1}}, checkpoints: {{steps: {checkpoints}}}}}
"""
ENCOUNTER = """
initial_conditions:
  - {model: two_body, elements: {masses: [1, 1], semi_major_axis: 1, eccentricity: 0.95, mean_anomaly: 180}}
gravity: {softening: 0.001}
integrator: {timestep: 0.05}
run: {end_time: 20}
output: {diagnostics: {every: 0.5}, checkpoints: {steps: 10}}
"""
HASH = re.compile(r"state hash ([0-9a-f]{16}) \((\d+) particles\)")


class Numbers(ProgramTest):
    def start(self, particles, gravity="softening: 0", steps="timestep: 0.01", checkpoints=0):
        self.write("start.txt", particles)
        return self.write("run.yaml", RUN.format(gravity=gravity, steps=steps, checkpoints=checkpoints))

    def failed(self, name):
        """Positions, velocities and accelerations of the snapshot of the moment, by id, and its message."""
        with h5py.File(self.folder / name) as file:
            group = file["PartType1"]
            order = np.argsort(group["ParticleIDs"][:])
            arrays = [group[key][:][order] for key in ("Coordinates", "Velocities", "Acceleration")]
            return *arrays, file["Provenance"].attrs["Failure"].decode()

    def test_an_infinite_force_stops_before_the_first_step(self):
        for solver in ("direct", "tree"):
            with self.subTest(solver=solver):
                config = self.start(PAIR.format(x="1e-170", vx=0), gravity=f"solver: {solver}, softening: 0")
                line = self.refused("run", config, "-o", solver)
                self.assertIn("step 0, t = 0: particle 0 (id 1) has position (0, 0, 0)", line)
                self.assertRegex(line, r"acceleration \(-?(inf|nan), .*expected finite numbers; 1 more particles")
                self.assertIn("there is no checkpoint to go on from (output.checkpoints)", line)
                *_, acceleration, message = self.failed(f"{solver}/failed_00000000.hdf5")
                self.assertFalse(np.isfinite(acceleration).all())
                self.assertIn("step 0, t = 0", message)
                self.assertFalse((self.folder / solver / "snapshot_000.hdf5").exists())

    def test_a_force_that_becomes_infinite_stops_in_that_step(self):
        # the second comes by a thirty-second a step, undisturbed within rounding
        config = self.start("1 1e-30 0 0 0 0 0 0\n2 0 1.0 1e-170 0 -2 0 0\n", checkpoints=20,
                            steps="timestep: 0.015625")
        text = self.run_program("run", config, "-o", "out", status=1)
        line = [row for row in text.splitlines() if row.startswith("aureole: ")][0]
        step = int(re.search(r"step (\d+)", line)[1])
        self.assertEqual(step, 32)
        self.assertRegex(line, r"particle [01] \(id [12]\) has .*expected finite numbers")
        self.assertIn("goes on from the checkpoint of step 20", line)
        self.assertTrue((self.folder / f"out/failed_{step:08}.hdf5").exists())
        again = self.run_program("run", "--resume", "out", status=1)
        self.assertIn("going on from", again)
        self.assertIn(line, again)

    def test_a_particle_out_of_range_stops_or_warns(self):
        # softening lengths of 1e-3 times 2^52 are 4.5e12
        config = self.start(PAIR.format(x="4e12", vx="1e12"), gravity="softening: 0.001", checkpoints=10)
        text = self.run_program("run", config, "-o", "out", status=1)
        self.assertRegex(text, r"step 51, t = 0\.51: particle 1 \(id 2\) has position \(4\.51e\+12, 0, 0\)")
        self.assertIn("expected positions within 4.5e+12, beyond which neighbouring numbers are more than a "
                      "softening length apart", text)
        self.assertIn("the checkpoint of step 50", text)
        position, _, _, message = self.failed("out/failed_00000051.hdf5")
        self.assertAlmostEqual(position[1, 0], 4.51e12, delta=1)
        self.assertIn(message, text)
        text = self.run_program("run", "--resume", "out", "--set", "run.checks.on_failure=warn")
        self.assertEqual(text.count("warning: "), 1)
        self.assertIn("finished", text)

    def test_huge_numbers_stop_whatever_the_softening(self):
        for x, vx in (("1e101", "0"), ("1", "1e101")):
            config = self.start(PAIR.format(x=x, vx=vx))
            line = self.refused("run", config, "-o", "out", "--overwrite")
            self.assertIn("particle 1 (id 2)", line)
            self.assertIn("leave the range of numbers", line)
        self.assertIn("step 1, ", self.refused("run", self.start(PAIR.format(x="9.99e99", vx="9.9e99")), "-o", "out",
                                               "--overwrite"))

    def test_an_energy_error_stops_warns_or_is_nobodys_business(self):
        config = self.write("run.yaml", ENCOUNTER)
        text = self.run_program("run", config, "-o", "out", status=1)
        self.assertRegex(text, r"aureole: step \d+, t = .*the relative energy error is .*, expected at most 0\.1 "
                               r"\(run\.checks\.energy_error\).*goes on from the checkpoint of step \d+0\n")
        self.assertEqual(len(list((self.folder / "out").glob("failed_*.hdf5"))), 1)
        text = self.run_program("run", "--resume", "out", "--set", "run.checks.on_failure=warn")
        self.assertIn("warning: step ", text)
        self.assertLess(text.count("warning: "), 12)  # again only when it has doubled
        text = self.run_program("run", config, "-o", "any", "--set", "run.checks.energy_error=0")
        self.assertNotIn("warning", text)
        self.run_program("run", config, "-o", "good", "--set", "integrator.timestep=0.0005", "--set",
                         "output.checkpoints.steps=0")

    def test_energies_that_cancel_are_no_measure_of_errors(self):
        # a parabolic encounter: E = 0 up to rounding
        config = self.start("1 1 0 0 0 0 0 0\n2 1e-9 1 1 0 0 -1.6817928305074292 0\n", gravity="softening: 0.01")
        self.assertIn("finished", self.run_program("run", config, "-o", "out"))

    def test_an_adaptive_step_of_nothing_names_the_particle(self):
        config = self.start("1 1 0 0 0 0 0 0\n7 1 1e-29 0 0 0 0 0\n8 1 1 0 0 0 0 0\n",
                            gravity="softening: 1e-30", steps="adaptive: {eta: 0.1}")
        line = self.refused("run", config, "-o", "out")
        self.assertRegex(line, r"step 0, t = 0: the adaptive step is \S+e-\d+, by which time cannot grow: particle [01] "
                               r"\(id [17]\)")
        self.assertTrue((self.folder / "out/failed_00000000.hdf5").exists())

    def test_a_fixed_step_that_time_cannot_grow_by_is_refused(self):
        config = self.start(PAIR.format(x=1, vx=0), steps="timestep: 1e-300")
        self.assertIn("run.end_time cannot grow by it", self.refused("run", config, "-o", "out"))

    def test_a_snapshot_with_a_number_that_is_none_is_refused(self):
        config = self.write("ics.yaml", "initial_conditions:\n  - {model: plummer, particles: 50}\n")
        self.run_program("ics", config, "-o", "start.hdf5")
        for name, value in (("Coordinates", np.nan), ("Velocities", np.inf), ("Masses", np.nan)):
            self.run_program("ics", config, "-o", "start.hdf5")
            with h5py.File(self.folder / "start.hdf5", "r+") as file:
                row = file[f"PartType1/{name}"]
                row[17] = value
                wrong = int(file["PartType1/ParticleIDs"][17])
            run = self.write("run.yaml", "initial_conditions:\n  - {model: file, file: start.hdf5}\n"
                             "integrator: {timestep: 0.01}\nrun: {end_time: 1}\ngravity: {softening: 0.1}\n")
            line = self.refused("run", run, "-o", "out")
            self.assertIn(str(wrong), line)
            self.assertIn(name, line)
            self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    unittest.main()
