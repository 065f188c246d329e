"""Outputs at the times of lists, and halo catalogues without snapshots."""
import unittest

import h5py
import numpy as np
from interrupted_run import InterruptedRun

RUN = """
seed: 4
initial_conditions: {model: plummer, particles: 500}
gravity: {softening: 0.05, solver: tree}
integrator: {STEPS}
run: {end_time: 1}
halos: {absolute_linking_length: 0.2}
output: {OUTPUTS}
"""
FIXED, ADAPTIVE = "timestep: 0.01", "adaptive: {eta: 0.1, maximum_timestep: 0.02}"
LISTS = """{units: run, checkpoints: {times: [0.2, 0.47], minutes: 0}, snapshots: {times: later.txt},
         halos: {times: [0.1, 0.3, 0.55], snapshots: false}, pictures: {times: [0.3]}, diagnostics: {times: [0.7]}}"""


class OutputTimes(InterruptedRun):
    def configuration(self, outputs, steps=FIXED):
        self.write("later.txt", "# of snapshots\n0.3\n0.7\n")
        return self.write("run.yaml", RUN.replace("OUTPUTS", outputs[1:-1]).replace("STEPS", steps))

    def times_of(self, out, pattern):
        times = {}
        for path in sorted((self.folder / out).glob(pattern)):
            with h5py.File(path) as file:
                times[path.name] = float(file["Header"].attrs["Time"])
        return times

    def names(self, out, pattern):
        return sorted(path.name for path in (self.folder / out).glob(pattern))

    def test_every_kind_of_output_comes_at_its_own_times(self):
        for steps in (FIXED, ADAPTIVE):
            with self.subTest(steps=steps):
                config = self.configuration(LISTS, steps)
                out = "fixed" if steps == FIXED else "adaptive"
                self.run_program("run", config, "-o", out)
                snapshots = self.times_of(out, "snapshot_*")
                self.assertEqual(list(snapshots), ["snapshot_001.hdf5", "snapshot_003.hdf5"])
                catalogues = self.times_of(out, "fof_subhalo_tab_*")
                self.assertEqual([name[-8:-5] for name in catalogues], ["000", "001", "002"])
                expected = {"snapshots": [0.3, 0.7], "catalogues": [0.1, 0.3, 0.55]}
                for name, found in (("snapshots", snapshots), ("catalogues", catalogues)):
                    if steps == ADAPTIVE:
                        self.assertEqual(list(found.values()), expected[name], "adaptive steps end at the times")
                    else:
                        np.testing.assert_allclose(list(found.values()), expected[name], rtol=1e-14)
                self.assertEqual(self.names(out, "projection_*"), ["projection_001.png"])
                rows = np.genfromtxt(self.folder / out / "energy.csv", delimiter=",", names=True)["time"]
                np.testing.assert_allclose(rows, [0, 0.7, 1], rtol=1e-14)

    def test_a_dry_run_counts_them(self):
        text = self.run_program("run", self.configuration(LISTS), "--dry-run")
        self.assertIn("2 snapshots, 3 halo catalogues, 1 pictures, 3 rows of diagnostics", text)

    def test_a_run_that_resumes_between_two_times_writes_the_same_files(self):
        for steps in (FIXED, ADAPTIVE):
            with self.subTest(steps=steps):
                config = self.configuration(LISTS, steps)
                self.run_program("run", config, "-o", "whole", "--quiet", "--overwrite")
                self.run_program("run", config, "-o", "out", "--quiet", "--overwrite")
                (self.folder / "later.txt").unlink()
                previous = self.folder / "out/checkpoint_previous.bin"
                found = self.run_program("info", previous)
                self.assertRegex(found, r"time +t = 0\.4[78]", "of the list, before that of the end")
                previous.rename(self.folder / "out/checkpoint.bin")
                (self.folder / "out/snapshot_003.hdf5.partial").touch()
                self.run_program("run", "--resume", "out")
                self.same("whole", "out")
                self.assertEqual(self.names("out", "*.partial"), [])

    def test_a_resumed_run_may_take_another_list(self):
        config = self.configuration(LISTS)
        self.run_program("run", config, "-o", "out", "--quiet")
        (self.folder / "out/checkpoint_previous.bin").rename(self.folder / "out/checkpoint.bin")
        self.run_program("run", "--resume", "out", "--set", "output.snapshots.times=[0.1, 0.3, 0.6, 0.9]")
        np.testing.assert_allclose(list(self.times_of("out", "snapshot_*").values()), [0.3, 0.6, 0.9], rtol=1e-14)

    def test_times_that_are_not_of_the_run_are_refused_before_anything_is_written(self):
        for key, value, reason in (("snapshots", "[0.5, 1.5]", "found 1.5, expected times of the run, from 0 to 1"),
                                   ("halos", "[-1, 0.5]", "found -1, expected times of the run"),
                                   ("pictures", "[0.5, 0.2]", "found 0.2 after 0.5"),
                                   ("diagnostics", "nowhere.txt", "nowhere.txt, expected a list of times")):
            config = self.configuration("{checkpoints: {minutes: 0}}")
            line = self.refused("run", config, "-o", "out", "--set", f"output.{key}.times={value}")
            self.assertIn(f"key 'output.{key}.times': ", line)
            self.assertIn(reason, line)
            self.assertFalse((self.folder / "out").exists())

    def test_a_catalogue_without_a_snapshot_is_that_which_has_one(self):
        outputs = "{halos: {every: 0.25, csv: true, yt: true}, pictures: {every: 0.5}}"
        config = self.configuration(outputs)
        by_halo = ("--set", "pictures.colour_by=halo", "--quiet")
        self.run_program("run", config, "-o", "with", *by_halo)
        self.run_program("run", config, "-o", "alone", *by_halo, "--set", "output.halos.snapshots=false")
        self.assertEqual(len(self.names("with", "snapshot_*")), 5)
        self.assertEqual(self.names("alone", "snapshot_*"), ["snapshot_000.hdf5", "snapshot_004.hdf5"])
        for name in ("fof_subhalo_tab_002.hdf5", "halos_002.0.h5", "halos_002.csv", "projection_002.png"):
            self.run_program("diff", "--exact", f"with/{name}", f"alone/{name}")
        self.run_program("diff", "with/fof_subhalo_tab_003.hdf5", "alone/fof_subhalo_tab_003.hdf5")
        self.run_program("plot", "with/snapshot_002.hdf5", "--halos", "alone/fof_subhalo_tab_002.hdf5", "-o", "a.png")
        self.assertIn("catalogues", self.run_program("info", "alone"))
        self.assertIn("group(s)", self.run_program("info", "alone/fof_subhalo_tab_001.hdf5"))

    def test_a_finished_run_without_checkpoints_knows_its_end(self):
        config = self.configuration("{checkpoints: {minutes: 0}, snapshots: {times: [0.5]}}")
        self.run_program("run", config, "-o", "out", "--quiet")
        self.assertEqual(list(self.times_of("out", "snapshot_*")), ["snapshot_000.hdf5", "snapshot_001.hdf5"])
        self.assertIn("the run is at its end", self.run_program("run", "--resume", "out"))


if __name__ == "__main__":
    unittest.main()
