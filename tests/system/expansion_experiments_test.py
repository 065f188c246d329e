"""The experiments of the expansion at their small size: a sphere put together again from its coefficients, and one that
has to stay as it is for 20 dynamical times."""
import csv
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import unittest

import h5py
import numpy as np

from aureole_program import PROGRAM, SOURCE, ProgramTest

EXPERIMENTS = SOURCE / "scripts/experiments"


def module_of(experiment, name):
    """A module that lies beside an experiment's plot.py."""
    spec = importlib.util.spec_from_file_location(f"{experiment}_{name}", EXPERIMENTS / experiment / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class ExperimentTest(ProgramTest):
    def rows(self, path):
        with open(path) as file:
            return {key: np.array(values, float) for key, *values in zip(*csv.reader(file))}

    def plotted(self, experiment, folder, figure):
        """Draws the experiment's figure where matplotlib is."""
        plot = EXPERIMENTS / experiment / "plot.py"
        done = subprocess.run([sys.executable, plot, folder], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater((folder / figure).stat().st_size, 10000)

    def needs_matplotlib(self):
        if importlib.util.find_spec("matplotlib") is None:
            self.skipTest("no matplotlib: numbers were checked, the figure was not drawn")


class Reconstruction(ExperimentTest):
    PARTICLES = 16384

    def test_residuals_are_those_of_chance(self):
        expected = module_of("reconstruction", "expected")
        out = self.folder / "out"
        done = subprocess.run([EXPERIMENTS / "reconstruction/run", out, str(self.PARTICLES), "auto"],
                              env=dict(os.environ, AUREOLE=os.path.abspath(PROGRAM)), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for order in (0, 5):
            with h5py.File(out / f"coefficients_{order}_{order}.hdf5") as file:
                centre, g = file["snapshots/00000000"].attrs["Center"], file.attrs["G"]
                self.assertEqual(file["Provenance"].attrs["Particles"], self.PARTICLES)
            table = self.rows(out / f"profile_{order}_{order}.csv")
            radius = np.sqrt(sum((table[axis] - centre[k])**2 for k, axis in enumerate("xyz")))
            np.testing.assert_allclose(radius, np.geomspace(0.01, 100, 121), rtol=1e-9)
            mean, deviation = expected.mean_and_deviation(radius, self.PARTICLES, order, order, 10000)
            np.testing.assert_allclose(mean, expected.exact(radius), rtol=1e-3)
            chance = (np.array([table["density"], table["potential"] / g]) - mean) / deviation
            # five standard deviations; and an expansion that knew the answer would not scatter at all
            self.assertLess(np.abs(chance).max(), 5)
            self.assertGreater(np.abs(chance).max(), 0.02)
            if order == 5:
                self.assertGreater(np.abs(chance).max(), 0.5)
        self.needs_matplotlib()
        self.plotted("reconstruction", out, "reconstruction.png")

    def test_the_expected_noise_is_that_of_the_closed_form(self):
        expected = module_of("reconstruction", "expected")
        radius = np.array([0.1, 1, 30])
        _, deviation = expected.mean_and_deviation(radius, 1, 0, 0, 1e6)
        # S_000 = 3 sum m / (1 + r): its variance over a Hernquist sphere is 1/2
        np.testing.assert_allclose(deviation / np.abs(expected.exact(radius)), 0.5**0.5, rtol=1e-3)


class HernquistEquilibrium(ExperimentTest):
    def test_the_sphere_stays_for_20_dynamical_times(self):
        shape = module_of("hernquist_equilibrium", "shape")
        out = self.folder / "out"
        self.run_program("run", EXPERIMENTS / "hernquist_equilibrium/run.yaml", "-o", out, "--quiet", "--set",
                         "initial_conditions.components.0.particles=8192")
        # over eight seeds: at most 0.084, 0.065, 0.042 from the exact radii, |dE/E| 2.2e-4, virial 0.027, c/a 0.875
        orbit = self.rows(out / "orbit.csv")
        for fraction, bound in ((0.10, 0.15), (0.50, 0.10), (0.90, 0.08)):
            root = fraction**0.5 * 100 / 101
            np.testing.assert_allclose(orbit[f"lagrangian_{100 * fraction:.0f}"], root / (1 - root), rtol=bound)
        energy = self.rows(out / "energy.csv")
        self.assertAlmostEqual(energy["time"][-1], 106.1)
        self.assertLess(np.abs(energy["relative_error"]).max(), 1e-3)
        self.assertGreater(np.abs(energy["relative_error"]).max(), 1e-7, "an error of zero is no error")
        np.testing.assert_allclose(energy["virial_ratio"], 1, atol=0.06)
        states = list(shape.states(out))
        np.testing.assert_allclose([time for time, *_ in states], np.linspace(0, 106.1, 11), atol=0.011)
        for time, x, mass in states:
            half, inner = (shape.lagrangian_radius(x, mass, fraction) for fraction in (0.5, 0.01))
            self.assertAlmostEqual(inner / 0.1099, 1, delta=0.45, msg=f"t = {time}")
            middle_axis, short_axis = shape.axis_ratios(x, mass, half)
            self.assertTrue(0.8 < short_axis <= middle_axis <= 1, f"t = {time}: {middle_axis}, {short_axis}")
        self.needs_matplotlib()
        self.plotted("hernquist_equilibrium", out, "equilibrium.png")

    def test_axis_ratios_of_a_squeezed_ball(self):
        shape = module_of("hernquist_equilibrium", "shape")
        random = np.random.default_rng(1)
        x = random.normal(size=(100000, 3))
        turned, _ = np.linalg.qr(random.normal(size=(3, 3)))
        ratios = shape.axis_ratios(x * [0.5, 1, 0.8] @ turned, np.ones(len(x)), 1.5)
        np.testing.assert_allclose(ratios, [0.8, 0.5], rtol=0.02)
        self.assertEqual(shape.lagrangian_radius(np.diag([3., 1, 2]), np.ones(3), 0.6), 2)


class Performance(ExperimentTest):
    def test_the_measured_lines_are_drawn(self):
        folder = self.folder / "lines"
        folder.mkdir()
        for file in (EXPERIMENTS / "scf_performance").glob("*.jsonl"):
            shutil.copy(file, folder)
            cases = [json.loads(line) for line in file.read_text().splitlines()]
            self.assertEqual({(case["n_max"], case["l_max"]) for case in cases}, {(3, 3), (3, 4), (6, 4), (10, 6)})
            for case in cases:
                self.assertGreater(min(case["seconds_x_table"], case["seconds_acceleration"]), 0)
        self.needs_matplotlib()
        self.plotted("scf_performance", folder, "performance.png")


if __name__ == "__main__":
    unittest.main()
