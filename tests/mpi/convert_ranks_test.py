"""`mpirun -n P aureole convert`: the file of one process, of which no rank holds all."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "system"))
from on_ranks import OnRanks  # noqa: E402
from snapshot_readers import COSMOLOGY, ISOLATED, write_input  # noqa: E402


class ConvertOnRanks(OnRanks):
    def test_the_file_is_that_of_one_process(self):
        for name, header in (("isolated", ISOLATED), ("cosmology", COSMOLOGY)):
            write_input(self.folder / f"{name}.hdf5", header, parts=3)
            for k, options in enumerate(((), ("--types", "1", "--subsample", "2", "--mantissa-bits", "positions=20"))):
                arguments = "convert", f"{name}.1.hdf5", *options
                alone = self.run_program(*arguments, "-o", f"{name}_{k}.hdf5")
                for n in ((2,), (4,))[k]:
                    out = f"{name}_{k}_{n}.hdf5"
                    self.assertEqual(self.run_on(n, *arguments, "-o", out), alone.replace(f"{name}_{k}.hdf5", out))
                    self.same(f"{name}_{k}.hdf5", out)

    def test_what_ranks_cannot_write_is_refused_once(self):
        write_input(self.folder / "in.hdf5", ISOLATED)
        for options, found in ((("-o", "a.tipsy"), "found tipsy"), (("-o", "a.hdf5", "--compress"), "with --compress"),
                               (("-o", "a.hdf5", "--types", "5", "--subsample", "100000"), "none is of the chosen types")):
            text = self.run_on(2, "convert", "in.hdf5", *options, status=1)
            self.assertEqual(text.count("aureole: "), 1, text)
            self.assertIn(found, text)
            self.assertEqual([path.name for path in self.folder.iterdir() if path.name.startswith("a.")], [])


if __name__ == "__main__":
    unittest.main()
