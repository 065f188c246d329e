"""A galaxy with a perturber on a Kepler orbit, as a user runs it: both frames, the energy balance, refusals."""
import csv
import math
import unittest

from aureole_program import ProgramTest

CONFIG = """
initial_conditions: {model: hernquist, particles: 500, truncation_radius: 20}
precision: double
gravity:
  softening: 0.1
  external: {perturber: {mass: 0.3, semi_major_axis: 3, eccentricity: 0.5, mean_anomaly: 300, frame: FRAME}}
integrator: {timestep: 0.02}
run: {end_time: 6}
output: {diagnostics: {every: 0.5}}
"""


def read_columns(path):
    with open(path) as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


class Perturber(ProgramTest):
    def run_in(self, frame):
        config = self.write(f"{frame}.yaml", CONFIG.replace("FRAME", frame))
        text = self.run_program("run", config, "-o", frame)
        self.assertIn("largest |dE/E|", text)
        return read_columns(self.folder / frame / "energy.csv"), read_columns(self.folder / frame / "perturber.csv")

    def test_energy_less_external_work_is_conserved_in_both_frames(self):
        separations = []
        for frame in ("galaxy", "barycentric"):
            energy, perturber = self.run_in(frame)
            self.assertEqual(perturber["time"], energy["time"])
            self.assertGreater(abs(energy["external_work"][-1]), 1e-3)
            self.assertEqual(set(energy["recentring_jump"]), {0.0})
            for total, work, error in zip(energy["total"], energy["external_work"], energy["relative_error"]):
                self.assertAlmostEqual((total - work - energy["total"][0]) / abs(energy["total"][0]), error, places=12)
                self.assertLess(abs(error), 1e-3)
            separations.append([math.hypot(x, y, z) for x, y, z in zip(*(perturber[axis] for axis in "xyz"))])
        # seen from the barycentre the perturber is nearer, always in the same proportion
        ratios = {round(b / g, 9) for g, b in zip(*separations)}
        self.assertEqual(len(ratios), 1)
        anomaly = math.radians(-60)  # E = M + e sin E, by iteration
        for _ in range(100):
            anomaly = math.radians(-60) + 0.5 * math.sin(anomaly)
        self.assertAlmostEqual(separations[0][0], 3 * (1 - 0.5 * math.cos(anomaly)), places=12)

    def test_the_resolved_configuration_names_the_galaxy_mass_and_runs_again(self):
        self.run_in("barycentric")
        again = self.folder / "barycentric/config.resolved.yaml"
        self.assertIn("galaxy_mass: 0.9", again.read_text())
        self.run_program("run", again, "-o", "again")
        self.assertEqual((self.folder / "again/energy.csv").read_text(),
                         (self.folder / "barycentric/energy.csv").read_text())

    def test_dry_run_and_overwrite(self):
        config = self.write("run.yaml", CONFIG.replace("FRAME", "galaxy").replace("end_time: 6", "end_time: 0.1"))
        self.assertIn("particles     500", self.run_program("run", config, "-o", "out", "--dry-run"))
        self.run_program("run", config, "-o", "out")
        self.run_program("run", config, "-o", "out", "--overwrite", "--set", "gravity={softening: 0.1}")
        self.assertFalse((self.folder / "out/perturber.csv").exists())
        self.assertIn("|dE/E|", self.run_program("info", "out"))

    def test_an_orbit_that_is_no_ellipse_is_refused_by_key_and_value(self):
        config = self.write("run.yaml", CONFIG.replace("FRAME", "galaxy"))
        line = self.refused("run", config, "-o", "out", "--set", "gravity.external.perturber.eccentricity=1.5")
        self.assertIn("key 'gravity.external.perturber.eccentricity': found 1.5", line)
        self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    unittest.main()
