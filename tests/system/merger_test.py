"""The demonstration itself: two galaxies on a bound orbit merge, and their halos are found all along."""
import csv
import os
import re
import unittest

import h5py
import numpy as np

from aureole_program import SOURCE, ProgramTest

LONG = bool(os.environ.get("AUREOLE_LONG_TESTS"))
PER_GALAXY = 8192 if LONG else 4096  # the half in a quarter of the time


def members(snapshot):
    """Ids of each group, from a group-sorted snapshot."""
    with h5py.File(snapshot) as file:
        group, ids = file["PartType1/FOFGroupIDs"][:], file["PartType1/ParticleIDs"][:]
    return [ids[group == g] for g in range(group.max() + 1)]


class Merger(ProgramTest):
    def test_two_galaxies_merge_into_one(self):
        text = (SOURCE / "scripts/experiments/galaxy_merger/run.yaml").read_text()
        if not LONG:  # groups reach as far out among half as many particles
            self.assertEqual(text.count("particles: 8192"), 2)
            text = text.replace("particles: 8192", f"particles: {PER_GALAXY}")
            text = text.replace("absolute_linking_length: 0.15", f"absolute_linking_length: {0.15 * 2 ** (1 / 3):.3f}")
        config = self.write("run.yaml", text)
        out = self.folder / "out"
        self.run_program("run", config, "-o", out, "--quiet", "--set", "pictures.pixels=200")

        first = members(out / "snapshot_000.hdf5")
        self.assertEqual(len(first), 2)
        galaxies = set()
        for ids in first:
            from_first = np.mean(ids <= PER_GALAXY)
            self.assertGreaterEqual(max(from_first, 1 - from_first), 0.95)
            galaxies.add(bool(from_first > 0.5))
        self.assertEqual(len(galaxies), 2, "both groups come from one galaxy")

        catalogues = sorted(out.glob("fof_subhalo_tab_*.hdf5"))
        self.assertEqual(len(catalogues), 61)
        for number in range(50, 61):
            groups = members(out / f"snapshot_{number:03}.hdf5")
            self.assertEqual(len(groups), 1, f"output {number}")
            share = np.mean(groups[0] <= PER_GALAXY)
            self.assertTrue(0.35 <= share <= 0.65, f"output {number}: {share:.2f} from the first galaxy")

        with open(out / "energy.csv") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 121)
        self.assertLessEqual(max(abs(float(row["relative_error"])) for row in rows), 1e-3)
        self.assertGreater(max(abs(float(row["relative_error"])) for row in rows), 0, "an error of zero is no error")

        summary = self.run_program("info", out)
        self.assertRegex(summary, r"halos +2 -> 1 \(t=\d+\) -> .*-> 1 for good \(t=\d+\)")
        self.assertEqual(len(list(out.glob("projection_*.png"))), 61)


if __name__ == "__main__":
    unittest.main()
