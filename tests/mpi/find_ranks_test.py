"""`mpirun -n P aureole find`: the catalogue of one process for every P, and what is refused on several."""
import pathlib
import sys
import unittest

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from on_ranks import OnRanks  # noqa: E402

CLUMPS = """
initial_conditions:
  - {model: plummer, particles: 700, scale_radius: 0.5, position: [0, 0, 0]}
  - {model: plummer, particles: 500, scale_radius: 0.4, position: [3, 0.2, 5.9]}
  - {model: plummer, particles: 300, scale_radius: 0.3, position: [3, 3.2, 2.9]}
"""


class FindOnRanks(OnRanks):
    def setUp(self):
        super().setUp()
        self.run_program("ics", self.write("clumps.yaml", CLUMPS), "-o", "clumps.hdf5")

    def test_catalogues_have_the_same_bits_on_every_number_of_ranks(self):
        box = ("--box", "6")  # with the first clump around its corner, and the second at a face
        cases = {
            "space": (*box, "--absolute-linking-length", "0.2", "--substructure", "--reference-density", "1"),
            "core": ("--open", "--absolute-linking-length", "0.25", "--set", "halos.method=dbscan", "--set",
                     "halos.min_friends=5", "--set", "halos.border=nearest", "--set", "halos.centre=most_connected",
                     "--reference-density", "1", "--set", "halos.overdensity_crossing=innermost"),
            "motion": (*box, "--absolute-linking-length", "0.4", "--set", "halos.linking_velocity=60", "--set",
                       "halos.centre=poisson", "--set", "halos.poisson.least_members=100"),
        }
        for case, options in cases.items():
            alone = self.run_program("find", "clumps.hdf5", "-o", f"{case}_alone", *options)
            with h5py.File(next(self.folder.glob(f"{case}_alone/fof_*.hdf5"))) as file:
                self.assertGreater(len(file["Group/GroupLen"]), 1, alone)
            for n in (2, 3, 4) if case == "space" else (3,):
                with self.subTest(case=case, ranks=n):
                    text = self.run_on(n, "find", "clumps.hdf5", "-o", f"{case}_{n}", *options)
                    self.assertEqual(text.count(f"{n} ranks on 1 host"), 1, text)
                    self.same(f"{case}_alone", f"{case}_{n}")
                    with h5py.File(next(self.folder.glob(f"{case}_{n}/fof_*.hdf5"))) as file:
                        self.assertEqual(file["Provenance"].attrs["Ranks"], str(n).encode())

    def test_labels_alone_and_a_subsample_are_those_of_one_process(self):
        arguments = ("find", "clumps.hdf5", "--open", "--absolute-linking-length", "0.4", "--subsample", "2")
        self.run_program(*arguments, "--labels", "alone.hdf5")
        self.run_on(2, *arguments, "--labels", "two.hdf5")
        with h5py.File(self.folder / "alone.hdf5") as alone, h5py.File(self.folder / "two.hdf5") as two:
            names = [name for name in alone if isinstance(alone[name], h5py.Dataset)]
            self.assertGreater(len(names), 1)
            for name in names:
                self.assertTrue((alone[name][:] == two[name][:]).all(), name)

    def test_groups_that_one_rank_finds_are_measured_by_all(self):
        self.run_program("find", "clumps.hdf5", "--open", "--absolute-linking-length", "0.25", "--labels", "given.hdf5")
        cases = {"members": ("--open", "--members", "given.hdf5", "--substructure"),
                 "dispersions": ("--open", "--absolute-linking-length", "0.3", "--set",
                                 "halos.relative_linking_velocity=0.8")}
        for case, options in cases.items():
            with self.subTest(case=case):
                self.run_program("find", "clumps.hdf5", "-o", f"{case}_alone", *options)
                text = self.run_on(3, "find", "clumps.hdf5", "-o", f"{case}_3", *options)
                self.assertIn("halos: on 3 ranks", text)
                self.same(f"{case}_alone", f"{case}_3")

    def test_what_is_refused_is_said_once(self):
        find = ("find", "clumps.hdf5", "-o", "out", "--absolute-linking-length", "0.2")
        for more, message in ((("--parts", "3"), "--parts: particles are searched by parts"),
                              (("--set", "halos.method=spanning_tree"), "halos.method: spanning_tree"),
                              (("--box", "0.3"), "periodic box of side 0.3")):
            with self.subTest(more=more):
                text = self.run_on(2, *find, *more, status=1)
                lines = [line for line in text.splitlines() if line.startswith("aureole: ")]
                self.assertEqual(len(lines), 1, text)
                self.assertIn(message, lines[0])
                self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    unittest.main()
