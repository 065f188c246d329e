"""Merger trees of a run as a user makes them: the example of docs/merger_trees.md, in one piece and resumed, linked by its
snapshots, against the script of scripts/experiments/merger_halos, and opened by ytree."""
import importlib.util
import re
import shutil
import unittest

import h5py
import numpy as np

from aureole_program import SOURCE, ProgramTest, needed
from experiment import EXPERIMENTS


def example():
    """Configuration and commands of the page."""
    page = (SOURCE / "docs/merger_trees.md").read_text()
    return (re.search(r"```yaml\n(.*?)```", page, re.DOTALL).group(1),
            re.search(r"```bash\n(.*?)```", page, re.DOTALL).group(1).splitlines())


def contents(file):
    """All datasets and attributes of an HDF5 file but those of the provenance."""
    found = {}

    def visit(name, item):
        if name.startswith("Provenance"):
            return
        found.update({f"{name}@{key}": np.array(value) for key, value in item.attrs.items()})
        if isinstance(item, h5py.Dataset):
            found[name] = item[()]

    with h5py.File(file) as opened:
        opened.visititems(visit)
    return found


class Trees(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.kept = None

    @classmethod
    def tearDownClass(cls):
        if cls.kept:
            shutil.rmtree(cls.kept, ignore_errors=True)

    def encounter(self):
        """The folder of the page's example, run once."""
        if not Trees.kept:
            text, commands = example()
            self.write("encounter.yaml", text)
            for command in commands:
                self.run_program(*command.split()[1:])
            Trees.kept = self.folder.with_name(self.folder.name + "_kept")
            shutil.copytree(self.folder, Trees.kept)
        return Trees.kept / "encounter"

    def same(self, one, other):
        a, b = contents(one), contents(other)
        self.assertEqual(a.keys(), b.keys())
        for name in a:
            np.testing.assert_array_equal(a[name], b[name], err_msg=f"{one}: {name}")

    def tracks(self, folder):
        with h5py.File(folder / "trees.hdf5") as file:
            return {name: values[:] for name, values in file["Tracks"].items()}

    def test_two_galaxies_merge_and_a_third_passes_in_three_tracks(self):
        folder = self.encounter()
        tracks = self.tracks(folder)
        first = np.flatnonzero(tracks["SnapNumOfBirth"] == 0)
        np.testing.assert_array_equal(first, [0, 1, 2])
        np.testing.assert_array_equal(tracks["SnapNumOfDeath"][[0, 2]], -1, "the greater galaxy and the one that passes")
        self.assertEqual(tracks["MergedInto"][1], 0)
        self.assertEqual({file.name for file in folder.glob("snapshot_*")}, {"snapshot_000.hdf5", "snapshot_024.hdf5"},
                         "none is needed: first and last state alone")
        # the cores meet, part once more, and are one when they meet again: within three softening lengths
        orbit = np.genfromtxt(folder / "orbit.csv", delimiter=",", names=True, deletechars="")
        time, at = orbit["time"][orbit["component"] == 0], {}
        for k in (0, 1):
            rows = orbit[orbit["component"] == k]
            at[k] = np.column_stack([rows[axis] for axis in "xyz"])
        close = time[np.linalg.norm(at[0] - at[1], axis=1) < 0.3]
        self.assertLessEqual(np.abs(close - tracks["SnapNumOfDeath"][1]).min(), 1)
        self.assertGreater(close.min(), 5, "not at the start")
        with h5py.File(folder / "trees.hdf5") as file:
            self.assertEqual((file["TreeHalos/TrackId"][:] == 2).sum(), 25, "in every catalogue")

    def test_a_resumed_run_and_its_snapshots_give_the_same_trees(self):
        whole = self.encounter()
        self.write("encounter.yaml", example()[0])
        more = ["--set", "output.halos.snapshots=true", "--set", "output.checkpoints.steps=70"]
        self.run_program("run", "encounter.yaml", "-o", "parts", *more, "--set", "run.end_time=11")
        self.run_program("run", "parts", "--resume", "--set", "run.end_time=24")
        parts = self.folder / "parts"
        for file in sorted(whole.glob("*hdf5")):
            if re.match("trees|subhalo_", file.name):
                self.same(file, parts / file.name)
        shutil.copy(parts / "trees.hdf5", self.folder / "of_run.hdf5")
        self.assertIn("25 catalogues linked", self.run_program("trees", "parts", "--link"))
        # sums over members are those of the run; only numbers of the units of files differ in their last bits
        a, b = contents(self.folder / "of_run.hdf5"), contents(parts / "trees.hdf5")
        self.assertEqual(a.keys(), b.keys())
        for name in a:
            if a[name].dtype.kind == "f":
                np.testing.assert_allclose(a[name], b[name], rtol=1e-12, err_msg=name)
            else:
                np.testing.assert_array_equal(a[name], b[name], err_msg=name)
        self.compare_with_script(parts)

    def compare_with_script(self, folder):
        """The same branches as the script's, which links by a rule of its own."""
        spec = importlib.util.spec_from_file_location("tree", EXPERIMENTS / "merger_halos/tree.py")
        script = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(script)
        with h5py.File(folder / "trees.hdf5") as file:
            numbers = zip(file["TreeHalos/SnapNum"][:], file["TreeHalos/SubhaloNr"][:])
            track = dict(zip(numbers, file["TreeHalos/TrackId"][:]))
        pairs = {(row["branch"], track[row["catalogue"], row["subhalo"]]) for row in script.merger_tree(folder)}
        self.assertEqual(len(pairs), len({a for a, _ in pairs}), "a track for each branch")
        self.assertEqual(len(pairs), len({b for _, b in pairs}), "a branch for each track")

    def test_ytree_opens_the_trees(self):
        ytree = needed("ytree")
        folder = self.encounter()
        with h5py.File(folder / "trees.hdf5") as file:
            first = {name: values[:] for name, values in file["TreeHalos"].items()}
            length = file["TreeTable/Length"][:]
        trees = ytree.load(str(folder / "trees.hdf5"))
        self.assertEqual(trees.size, len(length))
        main = trees[0]
        self.assertEqual(main["SnapNum"], 24)
        rows, row = [], 0
        while row >= 0:
            rows.append(row)
            row = first["TreeMainProgenitor"][row]
        np.testing.assert_allclose(main["prog", "SubhaloMass"].v, first["SubhaloMass"][rows])
        self.assertEqual(len(list(main["forest"])), length[0])

    def test_groups_are_followed_where_no_subhalos_are_searched(self):
        self.write("encounter.yaml", example()[0])
        self.run_program("run", "encounter.yaml", "-o", "groups", "--set", "halos.substructure=false", "--set", "run.end_time=3",
                         "--set", "halos.absolute_linking_length=0.5")
        tracks = self.tracks(self.folder / "groups")
        self.assertGreaterEqual((tracks["SnapNumOfBirth"] == 0).sum(), 2)
        with h5py.File(self.folder / "groups/trees.hdf5") as file:
            self.assertEqual(file["Header"].attrs["Nhalos_Total"], len(file["TreeHalos/TrackId"]))

    def test_what_makes_no_trees_is_refused(self):
        self.write("encounter.yaml", example()[0])
        line = self.refused("run", "encounter.yaml", "-o", "out", "--set", "output.halos={trees: true}")
        self.assertIn("no halos are", line)
        (self.folder / "empty").mkdir()
        self.assertIn("holds no catalogue", self.refused("trees", "empty"))


if __name__ == "__main__":
    unittest.main()
