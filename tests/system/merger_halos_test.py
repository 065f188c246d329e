"""The merger tree of scripts/experiments/merger_halos: from a small run, and from catalogues made up by hand."""
import importlib.util
import sys
import unittest

import numpy as np

from experiment import EXPERIMENTS, Experiment


def tree_script():
    spec = importlib.util.spec_from_file_location("tree", EXPERIMENTS / "merger_halos/tree.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class MergerHalos(Experiment):
    def test_every_galaxy_and_satellite_begins_as_a_subhalo_of_its_own(self):
        out = self.perform("merger_halos", 2000, "cpu", "tree", 3)
        tree = self.columns(out / "tree.csv")
        first = tree["time"] == 0
        self.assertEqual(first.sum(), 7)
        self.assertEqual(set(tree["branch"][first]), set(range(7)), "a branch for each, and all last")
        self.assertTrue((np.sort(tree["members"][first])[-2:] > 500).all(), "two galaxies")
        linked = tree["descendant"] >= 0
        self.assertTrue((tree["descendant"][linked] < len(linked)).all())
        later = tree["descendant"][linked].astype(int)
        self.assertTrue((tree["catalogue"][later] > tree["catalogue"][linked]).all())
        self.assertTrue((tree["fraction"][linked] > 0.5).all())
        self.assertFalse(linked[tree["time"] == 3].any(), "nothing comes after the last")

    def test_a_folder_without_subhalos_is_refused(self):
        self.assertIn("expected snapshots, catalogues and halos.csv",
                      self.script(sys.executable, EXPERIMENTS / "merger_halos/tree.py", self.folder, status=1))


class Links(unittest.TestCase):
    """Subhalos as lists of ids, the most bound first."""

    def tree(self, *catalogues):
        rows, numbered = [], []
        for time, subhalos in enumerate(catalogues):
            numbered.append([{"row": len(rows) + k, "time": time, "catalogue": time, "mass": len(ids), "members": len(ids),
                              "ids": np.array(ids), "descendant": -1, "fraction": 0.0} for k, ids in enumerate(subhalos)])
            rows += numbered[-1]
        script = tree_script()
        for before, after in zip(numbered, numbered[1:]):
            script.link(before, after)
        script.bridge(rows, numbered)
        script.name_branches(rows)
        return rows

    def test_two_branches_end_in_one(self):
        rows = self.tree([[1, 2, 3, 4], [5, 6]], [[2, 1, 3, 4], [6, 5]], [[1, 2, 3, 4, 5, 6]])
        self.assertEqual([row["descendant"] for row in rows], [2, 3, 4, 4, -1])
        self.assertEqual([row["branch"] for row in rows], [0, 1, 0, 1, 0])
        self.assertEqual([row["main_progenitor"] for row in rows], [1, 1, 1, 0, 0])

    def test_a_stripped_satellite_follows_its_core(self):
        rows = self.tree([[1, 2, 3], [11, 12, 13, 14, 15, 16, 17, 18]],
                         [[1, 2, 3, 15, 16, 17, 18, 14], [11, 12, 13]])
        self.assertEqual(rows[1]["descendant"], 3, "the most bound count most")
        self.assertAlmostEqual(rows[1]["fraction"], 3 / 8)

    def test_a_subhalo_lost_in_one_catalogue_is_found_again(self):
        rows = self.tree([[1, 2, 3, 4], [5, 6]], [[1, 2, 3, 4, 5, 6]], [[1, 2, 3, 4], [5, 6]])
        self.assertEqual(rows[1]["descendant"], 4)
        self.assertEqual(rows[1]["branch"], rows[4]["branch"])


if __name__ == "__main__":
    unittest.main()
