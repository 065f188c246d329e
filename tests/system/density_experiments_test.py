"""The experiments on densities, small: zeldovich_pancake, cosmic_web, cosmic_volume, self_similarity, and the figure of deposit_scaling."""
import csv
import importlib.util
import json
import os
import sys
import unittest
import unittest.mock

import h5py
import numpy as np

from aureole_program import real_data
from experiment import EXPERIMENTS, Experiment

HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None


class DensityExperiments(Experiment):
    def test_elements_of_a_pancake_converge_in_second_order_and_clouds_do_not(self):
        out = self.perform("zeldovich_pancake", "8 16", "16")
        self.assertEqual(len((out / "line_8.csv").read_text().splitlines()), 4001)
        if not HAS_MATPLOTLIB:
            return
        with open(out / "errors.csv") as rows:
            error = {(row["method"], int(row["side"])): float(row["mean_error"]) for row in csv.DictReader(rows)}
        self.assertLess(error["elements", 16], 0.35 * error["elements", 8])
        self.assertLess(error["elements", 16], 0.2 * error["cic", 16])

    def test_the_web_has_no_empty_cell(self):
        out = self.perform("cosmic_web", real_data("fof/psi_snapshot_010"), 40, 48)
        density = {}
        for method in ("elements", "cic", "ngp"):
            with h5py.File(out / f"{method}.hdf5") as file:
                density[method] = file["Density"][:]
        self.assertTrue((density["elements"] > 0).all())
        self.assertGreater((density["cic"] == 0).mean(), 0.3)
        self.assertGreater((density["ngp"] == 0).mean(), 0.5)
        np.testing.assert_allclose([d.mean() for d in density.values()], density["ngp"].mean(), rtol=1e-12)

    def test_a_small_volume_has_a_web_spectra_and_a_mass_function(self):
        settings = "integrator.timestep=0.1 run.checks.energy_error=0 halos.min_members=4 pictures.pixels=100"
        with unittest.mock.patch.dict(os.environ, SETTINGS=settings):
            out = self.perform("cosmic_volume", 8, 16)
        with h5py.File(out / "web.hdf5") as file:
            density = file["Density"][:]
        self.assertEqual(density.shape, (16, 16, 16))
        self.assertTrue((density > 0).all(), "the sheet is everywhere")
        spectra = sorted((out / "run").glob("power_*.csv"))
        self.assertEqual(len(spectra), 6)
        first = self.columns(spectra[0])
        self.assertAlmostEqual(first["Power"][0] / first["LinearPower"][0], 1, delta=1.5)  # six waves scatter
        counts = self.columns(sorted((out / "run").glob("mass_function_*.csv"))[-1])
        self.assertGreater(counts["Count_FoF"].sum(), 0)

    def test_a_small_self_similar_box_has_its_epochs(self):
        settings = "integrator.timestep=0.05 gravity.softening=0.1 initial_conditions.field.lattice_until=0.02"
        with unittest.mock.patch.dict(os.environ, SETTINGS=settings):
            out = self.perform("self_similarity", 16, 3)
            again = self.script(EXPERIMENTS / "self_similarity/run", out, 16, 3)
        self.assertIn("the run is at its end", again)
        self.assertEqual(sorted(path.name for path in out.iterdir() if path.is_dir()), ["seed_3", "seed_3_paired"])
        power = {}
        for number in (0, 3, 4):
            boxes = [self.columns(out / name / f"power_{number:03}.csv") for name in ("seed_3", "seed_3_paired")]
            power[number] = np.array([box["Power"][:8] for box in boxes])
        k = boxes[0]["WaveNumber"][:8]
        self.assertLess(np.abs(power[0][0] / power[0][1] - 1)[:4].max(), 0.02, "opposite phases, equal amplitudes")
        self.assertLess(abs(power[0][0][3] / (8 * np.pi / k[3] ** 2 * 0.02 ** 2) - 1), 0.1, "k_NL is pi / 4 at a = 1")
        # k of the early epoch is twice that of the late one at the same k / k_NL; 16^3 particles are few
        early, late = k ** 3 * power[3].mean(axis=0), k ** 3 * power[4].mean(axis=0)
        self.assertLess(np.abs(late[1:4] / early[3:8:2] - 1).max(), 0.25)

    @unittest.skipUnless(HAS_MATPLOTLIB, f"no matplotlib for {sys.executable}")
    def test_times_are_drawn_and_other_lines_are_refused(self):
        lines = [dict(input=f"random:{side}", n=side**3, grid=side, threads=threads, ms=side**3 / threads)
                 for side in (16, 32) for threads in (1, 2)]
        lines.append(dict(input="psi", n=32768, grid=64, threads=2, ms=400))
        (self.folder / "here.jsonl").write_text("\n".join(map(json.dumps, lines)))
        plot = EXPERIMENTS / "deposit_scaling/plot.py"
        self.script(sys.executable, plot, self.folder)
        self.assertGreater((self.folder / "scaling.png").stat().st_size, 10000)
        (self.folder / "here.jsonl").write_text('{"n": 3}')
        self.assertIn("expected a line of bench_density", self.script(sys.executable, plot, self.folder, status=1))
        self.assertIn("usage", self.script(EXPERIMENTS / "deposit_scaling/run", status=2))


if __name__ == "__main__":
    unittest.main()
