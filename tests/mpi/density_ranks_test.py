"""`mpirun -n P aureole density`: the files of one process for every P, and what is refused on several."""
import pathlib
import sys
import unittest

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from on_ranks import OnRanks  # noqa: E402

WAVES = """
seed: 3
initial_conditions:
  {model: lattice, particles: 4096, mass: 1,
   lattice: {box_side: 2, growth_factor: 1.2, random_phases: true, wave_vectors: [1, 0, 0, 0, 2, 1], wave_velocity: 3}}
"""
FIELDS = ("--fields", "mass,velocity,dispersion,streams")


class DensityOnRanks(OnRanks):
    def setUp(self):
        super().setUp()
        self.run_program("ics", self.write("waves.yaml", WAVES), "-o", "waves.hdf5")

    def density(self, ranks, name, *arguments):
        arguments = ("density", "waves.hdf5", "-o", name, "--device", "cpu", *arguments)
        return self.run_program(*arguments) if ranks == 1 else self.run_on(ranks, *arguments)

    def expect_equal(self, alone, other, ranks):
        self.same(alone, other)
        with h5py.File(self.folder / alone) as one, h5py.File(self.folder / other) as two:
            self.assertEqual({key: str(one.attrs[key]) for key in one.attrs}, {key: str(two.attrs[key]) for key in two.attrs})
            self.assertEqual(two["Provenance"].attrs["Ranks"], str(ranks).encode())

    def test_grids_have_the_bits_of_one_process_on_every_number_of_ranks(self):
        grid = ("--grid", "15,16,20", *FIELDS)
        alone = self.density(1, "alone.hdf5", *grid)
        for ranks, split in ((2, "lattice"), (3, "space"), (4, "auto"), (4, "space")):
            with self.subTest(ranks=ranks, split=split):
                text = self.density(ranks, "other.hdf5", *grid, "--split", split)
                self.assertEqual(text.count(f"{ranks} ranks on 1 host"), 1, text)
                self.assertIn(alone.splitlines()[-1].split(" written")[0], text)
                self.expect_equal("alone.hdf5", "other.hdf5", ranks)
        clouds = ("--method", "cic", "--grid", "8", "--fields", "mass,velocity")
        self.density(1, "alone.hdf5", *clouds)
        self.density(3, "other.hdf5", *clouds)
        self.expect_equal("alone.hdf5", "other.hdf5", 3)

    def test_octrees_have_the_bits_of_one_process_on_every_number_of_ranks(self):
        tree = ("--octree", "--patch", "8", "--levels", "2", "--refine-above", "4000", *FIELDS)
        self.density(1, "alone.hdf5", *tree)
        for ranks in (2, 4):
            with self.subTest(ranks=ranks):
                self.density(ranks, "other.hdf5", *tree)
                self.expect_equal("alone.hdf5", "other.hdf5", ranks)

    def test_what_is_refused_is_said_once(self):
        for more, message in ((("--dry-run",), "--dry-run"), (("--share",), "--share"),
                              (("--every", "3"), "expected a divisor of 16"),
                              (("--octree", "--patch", "3"), "expected the same even number")):
            with self.subTest(more=more):
                text = self.run_on(2, "density", "waves.hdf5", "-o", "out.hdf5", "--device", "cpu", *more, status=1)
                lines = [line for line in text.splitlines() if line.startswith("aureole: ")]
                self.assertEqual(len(lines), 1, text)
                self.assertIn(message, lines[0])
                self.assertFalse((self.folder / "out.hdf5").exists())


if __name__ == "__main__":
    unittest.main()
