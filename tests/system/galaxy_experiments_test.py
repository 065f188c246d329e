"""Experiments of scripts/experiments at a small size, as a user runs them: a galaxy that collapses, one that is perturbed,
one on radial orbits, a disk in a halo. The figures are drawn where there is a matplotlib."""
import sys

import numpy as np

from experiment import EXPERIMENTS, Experiment

sys.path[:0] = [str(EXPERIMENTS / "perturbed_hernquist"), str(EXPERIMENTS / "radial_orbit_instability")]
import differences  # noqa: E402
import shape  # noqa: E402


class HernquistCollapse(Experiment):
    def test_the_cold_sphere_settles_and_only_its_order_and_step_keep_the_energy(self):
        out = self.perform("hernquist_collapse", 4096)
        kept = self.largest_error(out / "6_4")
        self.assertLess(kept, 1e-3)
        self.assertLess(self.largest_error(out / "0_0"), 1e-3)
        self.assertGreater(self.largest_error(out / "6_4_long_step"), 10 * kept)
        self.assertGreater(self.largest_error(out / "6_0"), 10 * kept)

        log = self.columns(out / "6_4/energy.csv")
        self.assertEqual(log["kinetic"][0], 0)
        self.assertAlmostEqual(log["virial_ratio"][log["time"] >= 8].mean(), 1, delta=0.04)
        # how far it swings back is a matter of the seed at this size: 1.3 to 2.0 at the end of six of them
        radius = log["lagrangian_50"]
        deepest = radius.argmin()
        self.assertAlmostEqual(radius[0], 2.34, delta=0.15)
        self.assertAlmostEqual(radius[deepest], 1.25, delta=0.2)
        self.assertTrue(4 <= log["time"][deepest] <= 7, "free fall from the half-mass radius takes 5.9")
        self.assertGreater(radius[deepest:].max(), 1.05 * radius[deepest])
        self.assertLess(radius[deepest:].max(), 0.95 * radius[0])


class PerturbedHernquist(Experiment):
    def shift(self, run):
        """Of the galaxy's centre at the end."""
        log = self.columns(run / "orbit.csv")
        return np.array([log[axis][-1] for axis in "xyz"])

    def test_the_lowest_order_pins_the_galaxy_that_the_perturber_shifts(self):
        out = self.perform("perturbed_hernquist", 1000, "auto", 0)
        for name in [*differences.EXPANSIONS, differences.TRUTH, differences.CONTROL]:
            self.assertLess(self.largest_error(out / name), 3e-3, name)
            log = self.columns(out / name / "energy.csv")
            self.assertGreater(np.abs(log["external_work"]).max(), 0.01, name)
            without = np.abs((log["total"] - log["total"][0]) / log["total"][0]).max()
            self.assertGreater(without, 10 * self.largest_error(out / name), "work closes the balance")

        truth = self.shift(out / "direct")
        self.assertGreater(np.linalg.norm(truth), 1.5)
        self.assertLess(np.linalg.norm(self.shift(out / "0_0")), 0.5)
        self.assertLess(np.linalg.norm(self.shift(out / "8_8_recentred") - truth), 0.4 * np.linalg.norm(truth))

        last = differences.numbers(out)[-1]
        error = {name: np.median(differences.force_errors(out, name, last)) for name in differences.EXPANSIONS}
        self.assertLess(error["8_8_recentred"], 0.15)
        self.assertLess(error["8_8_recentred"], error["8_8"])
        self.assertGreater(error["0_0"], 3 * error["8_8_recentred"])
        median = {name: np.median(differences.displacements(out, name, last)[1]) for name in differences.EXPANSIONS}
        self.assertGreater(median["0_0"], 1.3 * median["8_8_recentred"])
        self.assertEqual(len(differences.table(out)), 1 + 5 * 4)

    def test_without_a_folder_the_scripts_say_how_they_are_used(self):
        for name in ["hernquist_collapse", "perturbed_hernquist", "radial_orbit_instability", "disk_in_halo"]:
            self.assertIn(f"usage: scripts/experiments/{name}/run DIR", self.script(EXPERIMENTS / name / "run", status=2))


class DiskInHalo(Experiment):
    def test_one_kernel_both_ways_keeps_the_energy_and_two_let_it_drift(self):
        # moments: made in a moment
        out = self.perform("disk_in_halo", 200, 2000, 3, "auto", "initial_conditions.1.disk.method=moments")
        error = {name: self.largest_error(out / name) for name in ["expansion", "particles", "mixed", "tree"]}
        self.assertLess(error["expansion"], 1e-4)
        self.assertLess(error["particles"], 3e-4)
        self.assertLess(error["expansion"], error["tree"], "the energy closes as well as with the tree alone")
        self.assertGreater(error["mixed"], 5 * error["expansion"])
        drift = {name: self.columns(out / name / "energy.csv")["momentum_drift"][-1] for name in error}
        self.assertLess(drift["tree"], 1e-12)
        self.assertLess(drift["expansion"], 0.01)
        self.assertEqual(len((out / "table.csv").read_text().splitlines()), 5)


class RadialOrbitInstability(Experiment):
    def test_radial_orbits_become_a_bar_and_rounder_ones_do_not(self):
        out = self.perform("radial_orbit_instability", 8192, "auto", 30)
        history = {radius: shape.history(out / f"ra_{radius}") for radius in ["0.25", "0.5", "1"]}
        for radius, anisotropy in [("0.25", 6.60), ("0.5", 3.83), ("1", 2.39)]:
            time, directions, _, ellipsoid, motion = history[radius][0]
            self.assertEqual(time, 0)
            self.assertAlmostEqual(motion / anisotropy, 1, delta=0.06)
            self.assertGreater(directions, 0.96)
            self.assertGreater(ellipsoid, 0.9)
            self.assertLess(self.largest_error(out / f"ra_{radius}"), 1e-3)
        time, directions, _, ellipsoid, motion = history["0.25"][-1]
        self.assertEqual(time, 30)
        self.assertLess(directions, 0.75)
        self.assertLess(ellipsoid, 0.5)
        self.assertLess(motion, 5, "a bar's orbits are less radial")
        _, directions, _, ellipsoid, _ = history["1"][-1]
        self.assertGreater(directions, 0.94)
        self.assertGreater(ellipsoid, 0.85)

    def test_the_measures_know_an_ellipsoid(self):
        x = np.random.default_rng(1).normal(size=(20000, 3))
        x /= np.linalg.norm(x, axis=1)[:, None]
        x *= np.random.default_rng(2).uniform(0, 1, size=(len(x), 1))
        turn, _ = np.linalg.qr(np.array([[1.0, 2, 3], [0, 1, 4], [5, 6, 0]]))
        b, c = shape.axis_ratios((x * [1, 0.8, 0.5]) @ turn + [3, 4, 5])
        self.assertAlmostEqual(b, 0.8, delta=0.02)
        self.assertAlmostEqual(c, 0.5, delta=0.02)
        self.assertGreater(shape.directions(x), 0.97)
        self.assertLess(shape.directions(x * [1, 1, 0.5]), 0.8)


if __name__ == "__main__":
    import unittest
    unittest.main()
