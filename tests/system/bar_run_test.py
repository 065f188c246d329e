"""The log of a bar in a run: a bar that turns rigidly in a harmonic field, through a stop and in any units."""
import csv
import unittest

import h5py
import numpy as np

from aureole_program import SANITIZED, ProgramTest

SPEED = 0.8
CONFIG = """
units: nbody
initial_conditions: {model: file, file: disk.txt}
gravity:
  solver: tree
  softening: 0.01
  external:
    fields:
      - {tidal: {tensor: [-0.64, -0.64, -0.64, 0, 0, 0]}}
integrator: {timestep: 0.0078125}
run: {end_time: 4}
output:
  diagnostics: {every: 1}
  bar: {components: [0], least_particles: 1000}
  checkpoints: {steps: 100}
"""


def barred_disk(n, seed):
    """A bar of A2 = 0.3 within R = 3 in four images of n / 4 particles; all turn with SPEED, as the field has them do."""
    rng = np.random.default_rng(seed)
    r, share = 3 * np.sqrt(rng.random(n // 4)), 2 * np.pi * (np.arange(n // 4) * 0.61803398875 % 1)
    phi = share
    for _ in range(200):
        phi = share - 0.3 * np.sin(2 * phi)
    x = np.column_stack([r * np.cos(phi), r * np.sin(phi), np.zeros(n // 4)])
    v = np.column_stack([-SPEED * x[:, 1], SPEED * x[:, 0], np.zeros(n // 4)])
    return np.concatenate([x, -x, x, -x]), np.concatenate([v, -v, v, -v])


class BarRun(ProgramTest):
    def setUp(self):
        super().setUp()
        x, v = barred_disk(2000 if SANITIZED else 8000, 3)
        x[len(x) // 2:, 2] = 1e-3  # images apart
        x[:len(x) // 2, 2] = -1e-3
        rows = (f"{i + 1} 1e-12 {' '.join(repr(float(c)) for c in (*a, *b))}\n" for i, (a, b) in enumerate(zip(x, v)))
        self.write("disk.txt", "".join(rows))

    def rows(self, name):
        with open(self.folder / name) as file:
            rows = list(csv.DictReader(file))
        return {key: np.array([float(row[key]) for row in rows]) for key in rows[0]}

    def test_the_phase_goes_on_and_its_differences_are_the_speed(self):
        config = self.write("run.yaml", CONFIG)
        self.run_program("run", config, "-o", "whole", "--quiet")
        bar = self.rows("whole/bar.csv")
        np.testing.assert_array_equal(bar["status"], 0)
        self.assertEqual(len(bar["time"]), 5)
        # a leapfrog with w dt = 0.00625 is ahead by (w dt)^2 / 24 = 1.6e-6
        np.testing.assert_allclose(bar["pattern_speed"], SPEED, rtol=1e-5)
        np.testing.assert_allclose(bar["pattern_speed_by_difference"][1:], SPEED, rtol=1e-5)
        self.assertTrue(np.isnan(bar["pattern_speed_by_difference"][0]))
        np.testing.assert_allclose(bar["phase_unwrapped"] - bar["phase_unwrapped"][0], SPEED * bar["time"], atol=1e-4)
        np.testing.assert_allclose(bar["amplitude"], 0.3, atol=0.02)

        self.run_program("run", config, "-o", "parts", "--quiet", "--set", "run.end_time=2")
        self.run_program("run", "--resume", "parts", "--quiet", "--set", "run.end_time=4")
        self.assertEqual((self.folder / "parts/bar.csv").read_text(), (self.folder / "whole/bar.csv").read_text())

    def test_the_jacobi_integral_is_a_column_where_fields_turn_together(self):
        self.write("few.txt", "1 1e-9 1.2 0.1 0.3 0 0.7 0.1\n2 1e-9 -0.5 1 0 -0.6 -0.2 0\n")
        config = self.write("few.yaml", """
units: {length: kpc, mass: 1e10 Msun, velocity: km/s}
initial_conditions: {model: file, file: few.txt}
gravity:
  solver: direct
  softening: 0.01
  external:
    fields:
      - {plummer: {mass: 2.3e-5, scale_radius: 0.5}, centre: [0.1, -0.2, 0]}
      - {long_murali_bar: {mass: 1.2e-5, half_length: 1, y_scale: 0.3, z_scale: 0.1}, pattern_speed: 0.6, centre: [0.1, -0.2, 0]}
integrator: {timestep: 0.002}
run: {end_time: 10, checks: {energy_error: 0}}
output: {diagnostics: {every: 0.5}}
""")
        self.run_program("run", config, "-o", "out", "--quiet")
        energy = self.rows("out/energy.csv")
        size = np.abs(energy["jacobi"]).max()
        self.assertLess(np.ptp(energy["jacobi"]), 1e-4 * size)
        self.assertGreater(np.ptp(energy["total"]), 1e-2 * size)

        turns = "{long_murali_bar: {mass: 1e-5, half_length: 1, y_scale: 0.3, z_scale: 0.1}, pattern_speed: 0.6"
        alone = "gravity.external.fields=[" + turns + "}]"
        has_one = {"alone": [alone], "beside it": ["gravity.external.fields=[" + turns + "}, " + turns + "}]"]}
        has_none = {
            "still": ["gravity.external.fields=[{plummer: {mass: 1e-5, scale_radius: 1}}]"],
            "grows": ["gravity.external.fields=[" + turns + ", growth: {start: 0, end: 1}}]"],
            "moves": ["gravity.external.fields=[" + turns + ", velocity: [1, 0, 0]}]"],
            "another speed": ["gravity.external.fields=[" + turns + "}, " + turns.replace("0.6", "0.5") + "}]"],
            "another axis": ["gravity.external.fields=[" + turns + "}, " + turns + ", centre: [1, 0, 0]}]"],
            "perturber": [alone, "gravity.external.perturber={mass: 1e-7, semi_major_axis: 9}"],
        }
        for expected, cases in ((True, has_one), (False, has_none)):
            for name, settings in cases.items():
                sets = [word for setting in settings for word in ("--set", setting)]
                self.run_program("run", config, "-o", name, "--quiet", "--set", "run.end_time=0.01", *sets)
                self.assertEqual("jacobi" in self.rows(f"{name}/energy.csv"), expected, name)

    def test_components_that_are_not_there_and_boxes_are_refused(self):
        config = self.write("run.yaml", CONFIG)
        self.assertIn("output.bar.components: the particles of [3] have no mass, expected some of [0]",
                      self.refused("run", config, "-o", "a", "--set", "output.bar.components=[3]"))
        self.assertIn("output.bar.components", self.refused("run", config, "-o", "b", "--set", "output.bar.components=[-1]"))

    def test_tables_of_a_disk_are_those_that_analyse_makes_of_the_snapshot(self):
        config = self.write("tables.yaml", CONFIG.replace("nbody", "galactic").replace("end_time: 4", "end_time: 0.03125") + """
  disks: {every: 0.015625}
  snapshots: {every: 0.015625}
disks: {components: [0], ring: 500, inclination: 90, width: 6, pixels: 8}
""")
        text = self.run_program("run", config, "-o", "whole", "--quiet", "--dry-run")
        self.assertIn("3 times profile, map, ellipses, angular_momentum", text)
        self.run_program("run", config, "-o", "whole", "--quiet")
        self.run_program("analyse", "whole/snapshot_001.hdf5", "--units", "galactic", "--components", "0", "--ring", "500",
                         "--view", "90,-90", "--width", "6", "--pixels", "8", "--profile", "profile.csv", "--map", "map.csv",
                         "--ellipses", "ellipses.csv", "--angular-momentum", "angular_momentum.csv")
        kept = {"profile": ("SurfaceDensity", "Count"), "map": ("SurfaceDensity", "Count"), "ellipses": ("SurfaceDensity", "Count"),
                "angular_momentum": ("AlongAxis", "Count")}
        for name, columns in kept.items():
            mine, other = self.rows(f"whole/disk_{name}_001.csv"), self.rows(name + ".csv")
            self.assertEqual(list(mine), list(other))
            for column in mine:
                np.testing.assert_allclose(mine[column], other[column], rtol=1e-9, atol=1e-9, err_msg=f"{name} {column}")
            with h5py.File(self.folder / f"whole/disk_{name}_001.hdf5") as file:
                self.assertAlmostEqual(file.attrs["Time"], 0.015625, delta=1e-14)
                for column in columns:
                    found = next(values for key, values in mine.items() if key.split(" [")[0] == column)
                    np.testing.assert_array_equal(file[column][:], found)
        self.assertGreater(self.rows("whole/disk_profile_001.csv")["RotationVelocity [km/s]"][3], 0.1)

        self.run_program("run", config, "-o", "parts", "--quiet", "--set", "run.end_time=0.015625")
        self.run_program("run", "--resume", "parts", "--quiet", "--set", "run.end_time=0.03125")
        self.assertEqual((self.folder / "parts/disk_map_002.csv").read_text(), (self.folder / "whole/disk_map_002.csv").read_text())

        refused = self.refused("run", config, "-o", "none", "--set", "disks.components=[1]")
        self.assertIn("no particle of the components [1] of disks.components has a mass", refused)
        refused = self.refused("run", config, "-o", "none", "--set", "disks.tables=[map, map]")
        self.assertIn("some of profile, map, ellipses, angular_momentum, torques, each once", refused)
        refused = self.refused("run", config, "-o", "none", "--set", "disks.ring=9")
        self.assertIn("key 'disks.ring': found 9, expected 0, or 10 and more", refused)
        self.write("disk.txt", "1 1e-12 1 0 0 0 0.8 0\n")  # one particle
        refused = self.refused("run", config, "-o", "none")
        self.assertIn("output.disks is given, but the particles of the components [0] of disks.components lie at one point", refused)

    def test_torques_are_what_changes_the_angular_momenta(self):
        rng = np.random.default_rng(5)
        for name, first, mass in (("a.txt", 1, 0.1), ("b.txt", 101, 0.5)):
            x, v = rng.normal(size=(4, 3)), 100 * rng.normal(size=(4, 3))
            x, v = np.concatenate([x, -x]), np.concatenate([v, -v])  # the centre rests at the origin
            self.write(name, "".join(f"{first + i} {mass} {' '.join(repr(float(c)) for c in (*a, *b))}\n"
                                     for i, (a, b) in enumerate(zip(x, v))))
        config = self.write("pairs.yaml", """
units: {length: kpc, mass: 1e10 Msun, velocity: km/s}
precision: double
initial_conditions:
  - {model: file, file: a.txt}
  - {model: file, file: b.txt}
gravity:
  solver: direct
  softening: 0.1
  external: {fields: [{tidal: {tensor: [20000, -10000, -10000, 5000, 0, 3000]}}]}
integrator: {timestep: 0.000001}
run: {end_time: 0.00002, checks: {energy_error: 0}}
output: {disks: {every: 0.00001}, snapshots: {every: 0.00001}}
disks: {components: [0], tables: [angular_momentum, torques]}
""")
        self.run_program("run", config, "-o", "out", "--quiet")
        torques = self.rows("out/disk_torques_001.csv")
        np.testing.assert_array_equal(torques["From"], [0, 0, 1, 1, -1, -1])
        np.testing.assert_array_equal(torques["Component"], [0, 1] * 3)
        columns = [key for key in torques if key.startswith("Torque_")]
        each = np.array([torques[key] for key in columns]).reshape(3, 3, 2)  # axis, source, component
        size = np.abs(each).max()
        momenta = [np.array([values for key, values in self.rows(f"out/disk_angular_momentum_00{k}.csv").items()
                             if key.startswith("AngularMomentum_")]) for k in (0, 2)]
        np.testing.assert_allclose((momenta[1] - momenta[0]) / 0.00002, each.sum(axis=1), atol=1e-4 * size)
        np.testing.assert_allclose(each[:, 0, 0], 0, atol=1e-12 * size)
        np.testing.assert_allclose(each[:, 0, 1], -each[:, 1, 0], atol=1e-12 * size)
        self.assertGreater(np.abs(each[:, 0, 1]).max(), 1e-2 * size)
        self.assertGreater(np.abs(each[:, 2]).max(), 1e-2 * size)

        self.run_program("analyse", "out/snapshot_001.hdf5", "--components", "0", "--torques", "torques.csv",
                         "--softening", "0.1", "--set", "precision=double", "--set",
                         "gravity.external.fields=[{tidal: {tensor: [20000, -10000, -10000, 5000, 0, 3000]}}]")
        other = self.rows("torques.csv")
        self.assertEqual(list(other), list(torques))
        for key in columns:
            np.testing.assert_allclose(other[key], torques[key], rtol=1e-9, atol=1e-9 * size)
        self.assertIn("--torques", self.run_program("analyse", "out/snapshot_001.hdf5", "--softening", "1", status=2))
        self.assertIn("gravity.external.perturber is given",
                      self.refused("analyse", "out/snapshot_001.hdf5", "--torques", "t.csv", "--set",
                                   "gravity.external.perturber={mass: 1, semi_major_axis: 9}"))


if __name__ == "__main__":
    unittest.main()
