"""Every file says where it comes from: version, revision, compilers, command line, configuration, host, device and
driver, in the place that its format has for it, and none of it counts as a difference between equal runs."""
import json
import os
import re
import struct
import subprocess
import unittest
import urllib.parse
import zlib

import h5py
import numpy as np
from aureole_program import ProgramTest

EVERYWHERE = {"Version", "GitRevision", "Compilers", "CommandLine", "Begun", "Host", "System", "Processor", "Device",
              "Driver"}
RUN = """
initial_conditions:
  - {model: plummer, particles: 300}
gravity: {solver: scf, softening: 0.05, scf: {n_max: 2, l_max: 1}}
integrator: {timestep: 0.05}
run: {end_time: 0.1}
halos: {absolute_linking_length: 0.3}
pictures: {pixels: 100}
output:
  format: hdf5+tipsy
  halos: {every: 0.1, csv: true, yt: true}
  pictures: {every: 0.1}
  coefficients: {every: 0.1}
  checkpoints: {steps: 1}
"""


def in_hdf5(path):
    with h5py.File(path) as file:
        if "Provenance" in file:
            found = dict(file["Provenance"].attrs)
        else:
            found = {name.removeprefix("Provenance."): value for name, value in file.attrs.items()
                     if name.startswith("Provenance.")}
    return {name: value.decode() if isinstance(value, bytes) else value for name, value in found.items()}


def in_picture(path):
    """The texts of a PNG, every checksum looked at."""
    content, at, texts = path.read_bytes(), 8, {}
    while at < len(content):
        length, kind = struct.unpack(">I4s", content[at:at + 8])
        data = content[at + 8:at + 8 + length]
        if struct.unpack(">I", content[at + 8 + length:at + 12 + length])[0] != zlib.crc32(kind + data):
            raise AssertionError(f"{path}: checksum of {kind}")
        if kind == b"iTXt":
            name, text = data.split(b"\0\0\0\0\0", 1)
            texts[name.decode("latin-1")] = text.decode()
        at += 12 + length
    assert kind == b"IEND", path
    return texts


def beside(path):
    metadata = json.loads(path.with_name(path.name + "-metadata.json").read_text())
    assert metadata["url"] == path.name
    return metadata["notes"][0]


def in_comments(path):
    lines = re.findall(r"^# (?:from )?(\w+): (.*)$", path.read_text(), re.M)
    return dict(lines)


class Provenance(ProgramTest):
    def expect_complete(self, found, command, *further):
        self.assertLessEqual(EVERYWHERE | set(further), set(found), command)
        self.assertRegex(found["Version"], r"^aureole \d+\.\d+\.\d+ \(.+\)$")
        self.assertRegex(found["Begun"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertIn(command, found["CommandLine"])
        for name in ("GitRevision", "Compilers", "Host", "System", "Device", "Driver"):
            self.assertNotEqual(found[name], "")

    def run_once(self, out, *more):
        return self.run_program("run", self.write("run.yaml", RUN), "-o", out, "--device", "cpu", *more)

    def test_every_file_of_a_run(self):
        self.run_once("out")
        out = self.folder / "out"
        command, further = "run.yaml -o out", ("Configuration", "Seed")
        for name in ("snapshot_000.hdf5", "snapshot_001.hdf5", "fof_subhalo_tab_001.hdf5", "halos_001.0.h5",
                     "coefficients_0.hdf5"):
            with self.subTest(file=name):
                found = in_hdf5(out / name)
                self.expect_complete(found, command, *further)
                self.assertIn("absolute_linking_length: 0.3", found["Configuration"])
        self.expect_complete(in_picture(out / "projection_001.png"), command, *further)
        self.expect_complete(in_comments(out / "snapshot_001.param"), command, *further)
        tables = json.loads((out / "csv-metadata.json").read_text())
        self.expect_complete(tables["notes"][0], command, *further)
        self.assertLessEqual({"energy.csv", "timings.csv", "orbit.csv", "shapes.csv", "halos.csv"},
                             {table["url"] for table in tables["tables"]})
        text = self.run_program("info", "out/checkpoint.bin")
        self.assertIn("checkpoint of a run, whole\nstep      2\n", text)
        self.expect_complete(json.loads(text[text.index("{"):]), command, *further)
        known = {path.name for path in out.iterdir()}
        for name in ("snapshot_", "fof_", "halos_", "coefficients_", "projection_", "csv-metadata", "checkpoint"):
            known = {other for other in known if not other.startswith(name)}
        self.assertEqual(known, {"energy.csv", "timings.csv", "orbit.csv", "shapes.csv", "halos.csv", "config.resolved.yaml",
                                 "progress.json"})  # which tells of one program, not of what it computed

    def test_tables_stay_tables(self):
        self.run_once("out")
        for name in ("energy.csv", "halos_001.csv"):
            table = np.genfromtxt(self.folder / "out" / name, delimiter=",", names=True)
            self.assertGreater(len(table.dtype.names), 5)

    def test_provenance_is_no_difference(self):
        self.run_once("a")
        self.run_once("b", "--set", "output.checkpoints.steps=2")
        text = self.run_program("diff", "--exact", "a", "b")
        self.assertIn("no difference", text)
        self.assertNotEqual(in_picture(self.folder / "a/projection_001.png")["CommandLine"],
                            in_picture(self.folder / "b/projection_001.png")["CommandLine"])
        self.run_once("c", "--set", "seed=7")
        text = self.run_program("diff", "--exact", "a", "c", status=1)
        self.assertIn("projection_001.png: differ in a chunk IDAT", text)

    def test_every_file_of_the_commands(self):
        config = self.write("run.yaml", RUN)
        self.run_program("ics", config, "-o", "start.hdf5")
        self.expect_complete(in_hdf5(self.folder / "start.hdf5"), "ics ", "Configuration", "Seed")
        find = ("find", "start.hdf5", "--absolute-linking-length", "0.3")
        self.run_program(*find, "-o", "halos", "--yt-catalogue", "--csv", "table.csv", "--dendrogram", "tree.hdf5")
        for name in ("halos/snapshot_000.hdf5", "halos/fof_subhalo_tab_000.hdf5", "halos/halos_000.0.h5", "tree.hdf5"):
            with self.subTest(file=name):
                self.expect_complete(in_hdf5(self.folder / name), "find start.hdf5", "Configuration", "Input",
                                     "LinkingLength")
        self.expect_complete(beside(self.folder / "table.csv"), "find start.hdf5", "LinkingLength")
        self.run_program(*find, "--labels", "labels.hdf5")
        self.expect_complete(in_hdf5(self.folder / "labels.hdf5"), "find start.hdf5", "LinkingLength")
        self.run_program(*find, "--labels", "labels.grp")
        self.expect_complete(beside(self.folder / "labels.grp"), "find start.hdf5", "LinkingLength")
        self.run_program("forces", "start.hdf5", "-o", "forces.hdf5", "--set", "gravity.softening=0.1")
        found = in_hdf5(self.folder / "forces.hdf5")
        self.expect_complete(found, "forces start.hdf5", "Configuration", "Input")
        self.assertIn("softening: 0.1", found["Configuration"])
        for name, read in (("c.hdf5", in_hdf5), ("c.txt", in_comments)):
            self.run_program("expand", "start.hdf5", "-o", name, "--n-max", "2", "--l-max", "1")
            self.expect_complete(read(self.folder / name), "expand start.hdf5", "Input", "Particles")
        for name, read in (("field.hdf5", in_hdf5), ("field.csv", beside)):
            self.run_program("evaluate", "c.hdf5", "--radii", "0.1:5:6", "-o", name)
            self.expect_complete(read(self.folder / name), "evaluate c.hdf5", "Input")
        self.run_program("density", "start.hdf5", "-o", "grid.hdf5", "--method", "cic", "--grid", "8", "--region",
                         "-2:2,-2:2,-2:2")
        self.expect_complete(in_hdf5(self.folder / "grid.hdf5"), "density start.hdf5", "Input")
        self.run_program("profile", "start.hdf5", "--centre", "0,0,0", "-o", "profile.csv")
        self.expect_complete(beside(self.folder / "profile.csv"), "profile start.hdf5", "Input")
        self.run_program("plot", "start.hdf5", "-o", "picture.png", "--pixels", "100")
        self.expect_complete(in_picture(self.folder / "picture.png"), "plot start.hdf5", "Input")
        for name in ("picture.png", "grid.hdf5", "field.hdf5", "forces.hdf5", "labels.hdf5", "tree.hdf5", "c.hdf5"):
            self.assertIn("\nCommandLine aureole ", self.run_program("info", name))
        self.assertIn("grid.hdf5: HDF5 with Density, VTKHDF\n", self.run_program("info", "grid.hdf5"))

    def test_names_that_are_no_text_are_kept_and_every_file_is_valid(self):
        """Names of files are bytes: the command line and the URL of a table lose none of them."""
        self.run_program("ics", self.write("run.yaml", RUN), "-o", "start.hdf5")
        snapshot, table = os.fsdecode(b"it's \xff.hdf5"), os.fsdecode(b"a\xe9 b.csv")
        os.rename(self.folder / "start.hdf5", self.folder / snapshot)
        find = ("find", snapshot, "--absolute-linking-length", "0.3")
        self.run_program(*find, "--csv", table, "--labels", "labels.hdf5")
        metadata = json.loads((self.folder / (table + "-metadata.json")).read_bytes().decode("utf-8", "strict"))
        self.assertEqual(urllib.parse.unquote_to_bytes(metadata["url"]), os.fsencode(table))
        notes = metadata["notes"][0]
        self.assertEqual(notes["Input"], "it's \ufffd.hdf5")
        self.assertEqual(in_hdf5(self.folder / "labels.hdf5")["Input"], notes["Input"])
        words = subprocess.run(["bash", "-c", "printf '%s\\n' " + notes["CommandLine"]], capture_output=True, check=True)
        self.assertEqual(words.stdout.splitlines(), [b"aureole", *map(os.fsencode, find), b"--csv", os.fsencode(table),
                                                     b"--labels", b"labels.hdf5"])


if __name__ == "__main__":
    unittest.main()
