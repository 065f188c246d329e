"""Equal runs are equal bit for bit, whatever the number of threads, for every solver with all its outputs; and the log's
hash of the final state says so."""
import os
import re
import subprocess
import time
import unittest

import h5py
from aureole_program import PROGRAM, SANITIZED, ProgramTest

RUN = """
seed: 4
initial_conditions:
  - {model: plummer, particles: FIRST}
  - {model: hernquist, particles: SECOND, position: [2, 0, 0], truncation_radius: 10, type: 2}
gravity: {softening: 0.05, GRAVITY}
integrator: {STEPS}
run: {end_time: 0.3}
halos: {absolute_linking_length: 0.2, substructure: true, overdensities: [200c], reference_density: 0.01}
pictures: {pixels: 200, colour_by: COLOUR}
output:
  snapshots: {every: 0.1}
  halos: {every: 0.1, csv: true, yt: true}
  pictures: {every: 0.1}
  coefficients: {every: COEFFICIENTS}
  diagnostics: {every: 0.1}
  checkpoints: {minutes: 0}
"""
FIRST, SECOND = (800, 400) if SANITIZED else (2600, 1300)
FIXED, ADAPTIVE = "timestep: 0.015625", "adaptive: {eta: 0.1, maximum_timestep: 0.02}"
PERTURBER = ", external: {perturber: {mass: 0.1, semi_major_axis: 5, eccentricity: 0.3, frame: barycentric}}"
SCF = "solver: scf, scf: {n_max: 4, l_max: 3, recenter_every: 0.1, smoothing: {samples: 7}, recenter_on: "
CASES = {
    "direct": ("solver: direct", ADAPTIVE, 0),
    "direct_with_perturber": ("solver: direct" + PERTURBER, FIXED, 0),
    "tree": ("solver: tree" + PERTURBER, ADAPTIVE, 0),
    "tree_that_conserves_momentum": ("solver: tree, tree: {conserve_momentum: true}", FIXED, 0),
    "scf": (SCF + "shrinking_sphere}", ADAPTIVE, 0.1),
    "scf_most_bound": (SCF + "most_bound}" + PERTURBER, FIXED, 0.1),
    "scf_frozen": ("solver: scf, scf: {n_max: 3, l_max: 2, mode: frozen}", FIXED, 0.1),
    "double_precision": ("solver: tree", FIXED, 0),
}
HASH = re.compile(rf"^state hash ([0-9a-f]{{16}}) \({FIRST + SECOND} particles\)$", re.M)


class Reproducibility(ProgramTest):
    def setUp(self):
        super().setUp()
        os.environ["OMP_WAIT_POLICY"] = "passive"  # more threads than processors

    def hash_of(self, threads, *arguments):
        os.environ["OMP_NUM_THREADS"] = str(threads)
        return HASH.search(self.run_program(*arguments))[1]

    def configuration(self, case):
        gravity, steps, coefficients = CASES[case]
        colour = {"tree": "component", "scf": "velocity", "double_precision": "halo"}.get(case, "density")
        sized = RUN.replace("FIRST", str(FIRST)).replace("SECOND", str(SECOND))
        text = sized.replace("GRAVITY", gravity).replace("STEPS", steps).replace("COEFFICIENTS", str(coefficients))
        text = text.replace("COLOUR", colour) + ("precision: double\n" if case == "double_precision" else "")
        return self.write(f"{case}.yaml", text)

    def test_every_solver_has_the_same_bits_on_1_2_and_3_threads(self):
        for case in CASES:
            with self.subTest(case=case):
                config = self.configuration(case)
                hashes = {self.hash_of(n, "run", config, "-o", f"{case}_{n}", "--device", "cpu") for n in (1, 2, 3)}
                self.assertEqual(len(hashes), 1)
                for n in (2, 3):
                    text = self.run_program("diff", "--exact", f"{case}_1", f"{case}_{n}")
                    self.assertRegex(text, r"\d\d files compared, no difference")
                names = {path.name for path in (self.folder / f"{case}_1").iterdir()}
                expected = {"snapshot_003.hdf5", "fof_subhalo_tab_003.hdf5", "halos_003.0.h5", "halos_003.csv",
                            "projection_003.png", "energy.csv", "orbit.csv", "shapes.csv", "halos.csv"}
                if CASES[case][2]:
                    expected |= {"coefficients_0.hdf5", "coefficients_1.hdf5"}
                self.assertLessEqual(expected, names)

    def test_a_run_that_was_killed_ends_with_the_same_hash_on_another_number_of_threads(self):
        config = self.configuration("tree")
        whole = self.hash_of(2, "run", config, "-o", "whole", "--device", "cpu")
        process = subprocess.Popen([PROGRAM, "run", config, "-o", "out", "--device", "cpu", "--set",
                                    "output.checkpoints.steps=5"], cwd=self.folder, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 300
        while not (self.folder / "out/checkpoint.bin").exists() and time.monotonic() < deadline:
            time.sleep(0.002)
        process.kill()
        process.wait()
        self.assertEqual(self.hash_of(1, "run", "--resume", "out", "--device", "cpu"), whole)
        self.run_program("diff", "--exact", "whole", "out")
        at_its_end = self.run_program("run", "--resume", "out", "--device", "cpu")
        self.assertIn("the run is at its end", at_its_end)
        self.assertEqual(HASH.search(at_its_end)[1], whole)

    def test_the_hash_is_in_the_last_snapshot_and_in_the_summary(self):
        config = self.configuration("direct")
        found = self.hash_of(1, "run", config, "-o", "out", "--device", "cpu")
        with h5py.File(self.folder / "out/snapshot_003.hdf5") as file:
            self.assertEqual(file["Provenance"].attrs["StateHash"].decode(), found)
        self.assertIn(f"state hash    {found} in snapshot_003.hdf5", self.run_program("info", "out"))
        other = self.hash_of(1, "run", config, "-o", "other", "--device", "cpu", "--set", "seed=5")
        self.assertNotEqual(found, other)


if __name__ == "__main__":
    unittest.main()
