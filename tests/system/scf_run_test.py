"""Runs with the expansion solver: coefficients over time, fields from files, what is refused."""
import csv
import unittest

import h5py
import numpy as np
from aureole_program import ProgramTest

RUN = """
gravity: {solver: scf, scf: {n_max: 4, l_max: 2}}
integrator: {timestep: 0.05}
run: {end_time: 0.5}
output: {directory: out, coefficients: {every: 0.2}}
initial_conditions: {model: hernquist, particles: 1000}
precision: double
"""


class ScfRun(ProgramTest):
    def energy(self, folder="out"):
        with open(self.folder / folder / "energy.csv") as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def settings(self, **keys):
        return [part for key, value in keys.items() for part in ("--set", f"gravity.scf.{key}={value}")]

    def test_coefficients_are_written_over_time(self):
        self.write("run.yaml", RUN)
        self.assertIn("4 times in a file per component", self.run_program("run", "run.yaml", "--dry-run"))
        text = self.run_program("run", "run.yaml")
        self.assertEqual(text.count("coefficients_0.hdf5"), 4)
        self.assertIn("snapshot_001.hdf5", text, "numbers count snapshots, not coefficients")
        with h5py.File(self.folder / "out/coefficients_0.hdf5") as file:
            self.assertEqual(file["count"][()], 4)
            moments = [file[f"snapshots/{k:08}"] for k in range(4)]
            scale = moments[-1].attrs["Time"] / 0.5
            np.testing.assert_allclose([m.attrs["Time"] / scale for m in moments], [0, 0.2, 0.4, 0.5], rtol=1e-12)
            self.assertAlmostEqual(moments[0]["coefficients"][0, 0].real, 1, delta=0.1)
            self.assertEqual(file["Provenance"].attrs["Component"], 0)
        # the same as expanding the first snapshot about the same centre
        with h5py.File(self.folder / "out/coefficients_0.hdf5") as file:
            first = file["snapshots/00000000"]
            centre, written = first.attrs["Center"], first["coefficients"][:]
        at = ",".join(repr(float(c)) for c in centre)
        self.run_program("expand", "out/snapshot_000.hdf5", "-o", "c.hdf5", "--n-max", 4, "--l-max", 2,
                         f"--centre={at}", "--set", "precision=double")
        with h5py.File(self.folder / "c.hdf5") as file:
            np.testing.assert_allclose(file["snapshots/00000000/coefficients"][:], written, atol=1e-12)

    def test_recentring_is_booked_in_the_energy(self):
        self.write("run.yaml", RUN)
        self.run_program("run", "run.yaml", *self.settings(recenter_every=0.1))
        last = self.energy()[-1]
        self.assertNotEqual(last["recentring_jump"], 0)
        self.assertLess(abs(last["relative_error"]), 1e-3)

    def test_fields_come_from_files(self):
        self.write("run.yaml", RUN)
        self.run_program("run", "run.yaml")
        file = "out/coefficients_0.hdf5"
        self.run_program("run", "run.yaml", "-o", "static", *self.settings(mode="frozen", coefficients=file))
        rows = self.energy("static")
        self.assertLess(abs(rows[-1]["relative_error"]), 1e-3)
        self.assertAlmostEqual(rows[0]["potential"], 2 * self.energy()[0]["potential"], delta=1e-6)
        text = self.run_program("run", "run.yaml", "-o", "replay", *self.settings(mode="playback", coefficients=file))
        self.assertIn("no energy is conserved: the field of component 0 is played back from a file", text)
        with h5py.File(self.folder / "replay/coefficients_0.hdf5") as replay, h5py.File(self.folder / file) as live:
            for k in range(4):
                name = f"snapshots/{k:08}/coefficients"
                np.testing.assert_allclose(replay[name][:], live[name][:], rtol=1e-9, atol=1e-12)

    def test_wrong_files_and_keys_are_refused(self):
        self.write("run.yaml", RUN)
        self.run_program("run", "run.yaml")
        file = "out/coefficients_0.hdf5"
        wrong = self.refused("run", "run.yaml", "-o", "a", *self.settings(mode="frozen", coefficients=file, n_max=6))
        for words in (file, "n_max 4, l_max 2", "expected hernquist_ostriker with n_max 6"):
            self.assertIn(words, wrong)
        self.assertIn("out/snapshot_000.hdf5", self.refused(
            "run", "run.yaml", "-o", "a", *self.settings(mode="frozen", coefficients="out/snapshot_000.hdf5")))
        self.assertIn("run's input", self.refused(
            "run", "run.yaml", "--overwrite", *self.settings(mode="frozen", coefficients=file)))
        self.assertIn("needs the key coefficients",
                      self.refused("run", "run.yaml", "-o", "a", *self.settings(mode="playback")))
        self.assertIn("expected scf", self.refused("run", "run.yaml", "-o", "a", "--set", "gravity.solver=direct"))
        self.assertIn("found 0, expected a number above 0",
                      self.refused("run", "run.yaml", "-o", "a", *self.settings(scale_radius=0)))
        self.assertFalse((self.folder / "a").exists())


if __name__ == "__main__":
    unittest.main()
