"""No output of a command takes the place of one of its inputs, of another output, or of what another file gave."""
import os
import unittest

import h5py

from aureole_program import ProgramTest

SMALL = """
initial_conditions: {model: plummer, particles: 300}
gravity: {softening: 0.05}
integrator: {timestep: 0.05}
run: {end_time: 0.1}
output: {halos: {every: 1}}
halos: {absolute_linking_length: 0.5}
"""
LINK = ("--absolute-linking-length", "0.5")


class SafeOutputs(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("run.yaml", SMALL)
        self.run_program("ics", "run.yaml", "-o", "s.hdf5")

    def kept(self, name, *command, words="is the input"):
        """The command is refused, and the file stays what it is."""
        before = (self.folder / name).read_bytes()
        line = self.refused(*command)
        self.assertIn(words, line)
        self.assertEqual((self.folder / name).read_bytes(), before, command)
        return line


class Inputs(SafeOutputs):
    def test_no_command_replaces_what_it_reads(self):
        self.run_program("find", "s.hdf5", *LINK, "-o", "found")
        self.run_program("expand", "s.hdf5", "-o", "c.hdf5", "--n-max", "2", "--l-max", "1")
        self.run_program("density", "s.hdf5", "-o", "grid.hdf5", "--method", "cic", "--grid", "8", "--region", "-1:1,-1:1,-1:1")
        self.write("points.txt", "0 0 0\n1 0 0\n")
        self.write("path.txt", "not looked at\n")
        catalogue = "found/fof_subhalo_tab_000.hdf5"
        self.kept("run.yaml", "ics", "run.yaml", "-o", "run.yaml")
        self.kept(catalogue, "plot", "s.hdf5", "--halos", catalogue, "-o", catalogue)
        self.kept(catalogue, "profile", "s.hdf5", "--halos", catalogue, "-o", catalogue)
        self.kept("points.txt", "evaluate", "c.hdf5", "--points", "points.txt", "-o", "points.txt")
        self.kept("c.hdf5", "evaluate", "c.hdf5", "--radii", "0.1:1:3", "-o", "c.hdf5")
        self.kept("grid.hdf5", "render", "grid.hdf5", "--projection", "z", "-o", "grid.hdf5")
        self.kept("path.txt", "render", "grid.hdf5", "--volume", "--path", "path.txt", "-o", "path.txt")
        for command in (("forces", "s.hdf5", "--softening", "0.1"), ("expand", "s.hdf5"), ("plot", "s.hdf5"),
                        ("density", "s.hdf5"), ("profile", "s.hdf5", "--centre", "0,0,0")):
            self.kept("s.hdf5", *command, "-o", "./s.hdf5")
        self.kept("s.hdf5", "find", "s.hdf5", *LINK, "--dendrogram", "s.hdf5")

    def test_an_input_below_the_name_of_an_unfinished_output_is_an_input_too(self):
        os.rename(self.folder / "s.hdf5", self.folder / "forces.hdf5.partial")
        self.kept("forces.hdf5.partial", "forces", "forces.hdf5.partial", "--softening", "0.1", "-o", "forces.hdf5")

    def test_the_parts_of_a_set_are_inputs_too(self):
        for part in ("set.0.hdf5", "set.1.hdf5"):
            (self.folder / part).write_bytes((self.folder / "s.hdf5").read_bytes())
        self.kept("set.1.hdf5", "forces", "set.0.hdf5", "--softening", "0.1", "-o", "set.1.hdf5", words="is the input or a part of it")
        self.kept("set.1.hdf5", "forces", "set", "--softening", "0.1", "-o", "set.1.hdf5", words="is the input or a part of it")

    def test_frames_of_a_film_are_outputs_as_well(self):
        self.run_program("density", "s.hdf5", "-o", "f_0001.hdf5", "--method", "cic", "--grid", "8", "--region", "-1:1,-1:1,-1:1")
        self.kept("f_0001.hdf5", "render", "f_0001.hdf5", "--volume", "--turn", "90", "--zoom-to", "0,0,0", "--frames", "3", "-o", "f.hdf5")

    def test_two_outputs_are_two_files(self):
        for options in (("--csv", "q", "--dendrogram", "q"), ("--labels", "q", "--csv", "./q"), ("--csv", "q", "--dendrogram", "q.partial"),
                        ("-o", ".", "--csv", "fof_subhalo_tab_000.hdf5")):
            self.assertIn("both name", self.refused("find", "s.hdf5", *LINK, *options))
            self.assertFalse((self.folder / "q").exists())


class Searches(SafeOutputs):
    def test_searches_of_two_files_in_one_folder_keep_apart(self):
        for name in ("a.hdf5", "b.hdf5", "tiny.000832", "tiny.000512", "cube_010.hdf5", "web_010.hdf5", "snapshot_010.hdf5"):
            (self.folder / name).write_bytes((self.folder / "s.hdf5").read_bytes())
        for name, place, number in (("a.hdf5", "a/", "000"), ("b.hdf5", "b/", "000"), ("tiny.000832", "tiny.000832/", "000"),
                                    ("tiny.000512", "tiny.000512/", "000"), ("cube_010.hdf5", "cube/", "010"),
                                    ("web_010.hdf5", "web/", "010"), ("snapshot_010.hdf5", "", "010")):
            text = self.run_program("find", name, *LINK)
            for kind in ("snapshot", "fof_subhalo_tab"):
                file = f"halos/{place}{kind}_{number}.hdf5"
                self.assertIn(file, text)
                with h5py.File(self.folder / file) as found:
                    self.assertEqual(found["Provenance"].attrs["Input"].decode(), name)

    def test_the_files_of_another_input_are_not_replaced(self):
        (self.folder / "other").mkdir()
        (self.folder / "other/s.hdf5").write_bytes((self.folder / "s.hdf5").read_bytes())
        self.run_program("find", "s.hdf5", *LINK, "-o", "out", "--yt-catalogue")
        self.assertIn("was made from ../s.hdf5, expected ../other/s.hdf5; -o names another directory",
                      self.kept("out/snapshot_000.hdf5", "find", "other/s.hdf5", *LINK, "-o", "out", words="is there already"))
        self.run_program("find", "s.hdf5", "--absolute-linking-length", "0.4", "-o", "out")  # the same input: a better search
        self.run_program("find", self.folder / "s.hdf5", *LINK, "-o", self.folder / "out")
        os.rename(self.folder / "out", self.folder / "other/out")  # moved together they belong together
        self.run_program("find", "other/s.hdf5", *LINK, "-o", "other/out")

    def test_the_files_of_a_run_and_of_another_code_are_not_replaced(self):
        self.run_program("run", "run.yaml", "-o", "run", "--quiet")
        self.kept("run/snapshot_000.hdf5", "find", "s.hdf5", *LINK, "-o", "run", words="not made by a search of this input")
        (self.folder / "foreign").mkdir()
        (self.folder / "foreign/fof_subhalo_tab_000.hdf5").write_text("precious")
        self.kept("foreign/fof_subhalo_tab_000.hdf5", "find", "s.hdf5", *LINK, "-o", "foreign", words="is there already")


if __name__ == "__main__":
    unittest.main()
