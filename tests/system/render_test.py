"""`aureole render`: slices and projections against the file's numbers, volumes, films, and what is refused."""
import os
import pathlib
import re
import struct
import subprocess
import sys
import unittest
import zlib

import h5py
import numpy as np

from aureole_program import PROGRAM, ProgramTest, real_data

PANCAKE = """
initial_conditions:
  {model: lattice, particles: 4096, mass: 5,
   lattice: {box_side: 2, growth_factor: 1.2, random_phases: true, wave_vectors: [1, 0, 0, 0, 1, 0, 1, 1, 1]}}
"""


def picture_chunks(path):
    """Kind and content of each chunk of a PNG but its texts, of which one tells the time."""
    data = path.read_bytes()
    at, chunks = 8, []
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind != b"iTXt":
            chunks.append((kind, data[at + 8:at + 8 + length]))
        at += 12 + length
    return chunks


def pixels(path):
    """[height, width, 3] of an 8-bit RGB PNG."""
    chunks = picture_chunks(path)
    width, height = struct.unpack(">II", dict(chunks)[b"IHDR"][:8])
    stream = b"".join(body for kind, body in chunks if kind == b"IDAT")
    rows = np.frombuffer(zlib.decompress(stream), np.uint8).reshape(height, 1 + 3 * width).astype(np.int32)
    image = np.zeros((height + 1, 3 * width + 3), np.int32)
    for y, row in enumerate(rows, 1):
        for k in range(3 * width):
            a, b, c = image[y, k], image[y - 1, k + 3], image[y - 1, k]
            p = a + b - c
            paeth = a if abs(p - a) <= min(abs(p - b), abs(p - c)) else b if abs(p - b) <= abs(p - c) else c
            image[y, k + 3] = (row[1 + k] + (0, a, b, (a + b) // 2, paeth)[row[0]]) % 256
    return image[1:, 3:].reshape(height, width, 3)


class Render(ProgramTest):
    def setUp(self):
        super().setUp()
        self.run_program("ics", self.write("p.yaml", PANCAKE), "-o", "p.hdf5")
        self.run_program("density", "p.hdf5", "-o", "d.hdf5", "--grid", "12", "--fields", "mass,velocity,streams")
        with h5py.File(self.folder / "d.hdf5") as file:
            self.field = {name: file[name][...] for name in file if isinstance(file[name], h5py.Dataset)}

    def image(self, name="raw.hdf5"):
        with h5py.File(self.folder / name) as file:
            return file["Image"][...], dict(file.attrs)

    def test_a_slice_is_the_cells_of_the_file(self):
        self.run_program("render", "d.hdf5", "-o", "s.png", "--slice", "y=0.3", "--size", "24x36", "--raw", "raw.hdf5")
        image, of = self.image()
        self.assertEqual(image.shape, (24, 24))  # a square field fits that far
        np.testing.assert_array_equal(image[::2, ::2], self.field["Density"][:, 1, ::-1].T)
        self.assertEqual(of["Coordinate"], 0.3)
        self.assertEqual(of["Axis"], b"y")
        self.run_program("render", "d.hdf5", "-o", "s.png", "--slice", "x", "--field", "Velocity:z", "--size", "16x16",
                         "--raw", "raw.csv")
        values = np.loadtxt(self.folder / "raw.csv", delimiter=",")
        self.assertEqual(values.shape, (16, 16))
        self.assertTrue(np.all(np.isin(values, self.field["Velocity"][6, :, :, 2])))

    def test_projections_keep_the_mass_and_weigh_other_fields_by_it(self):
        self.run_program("render", "d.hdf5", "-o", "p.png", "--projection", "z", "--size", "100x70", "--raw", "raw.hdf5")
        image, _ = self.image()
        self.assertAlmostEqual(image.sum() * (2 / 70) ** 2 / 5, 1, delta=1e-12)
        self.run_program("render", "d.hdf5", "-o", "p.png", "--projection", "x", "--field", "NumberOfStreams", "--size",
                         "24x24", "--raw", "raw.hdf5")
        image, of = self.image()
        self.assertEqual(of["Quantity"], b"Mass-weighted NumberOfStreams")
        rho = self.field["Density"]
        mean = (rho * self.field["NumberOfStreams"]).sum(0) / rho.sum(0)
        np.testing.assert_allclose(image[::2, ::2], mean[:, ::-1].T, rtol=1e-12)

    def test_a_volume_shows_what_is_there_and_repeats_its_bytes(self):
        text = self.run_program("render", "d.hdf5", "-o", "v.png", "--volume", "--size", "80x60", "--device", "cpu")
        self.assertRegex(text, r"a view of Density from .* on cpu \(\d+ threads\)")
        picture = pixels(self.folder / "v.png")
        self.assertEqual(picture.shape, (60, 80, 3))
        self.assertEqual(picture[0, 0].max(), 0)
        self.assertGreater(picture[20:40, 30:50].max(), 60)
        first = picture_chunks(self.folder / "v.png")
        self.run_program("render", "d.hdf5", "-o", "v.png", "--volume", "--size", "80x60", "--device", "cpu")
        self.assertEqual(picture_chunks(self.folder / "v.png"), first)

    def write_grid(self, name, cells):
        """A file like that of the fixture, with other cells."""
        with h5py.File(self.folder / "d.hdf5") as source, h5py.File(self.folder / name, "w") as file:
            file.attrs.update(source.attrs)
            file.attrs["Cells"] = np.array([cells] * 3, source.attrs["Cells"].dtype)
            x = np.linspace(0, 1, cells)
            file["Density"] = 1 + x[:, None, None] * x[:, None] + x
            file["NumberOfStreams"] = np.ones((cells, cells, cells))

    def forecast(self, *arguments):
        text = self.run_program("render", *arguments, "-o", "x.png", "--dry-run")
        self.assertFalse((self.folder / "x.png").exists())
        return float(re.search(r"memory cpu +([\d.]+) MB", text)[1])

    def largest(self, *arguments):
        """MB that a picture takes at its most; begun by a small process, whose own would count otherwise."""
        measure = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
                   "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        done = subprocess.run([sys.executable, "-S", "-c", measure, PROGRAM, "render", *arguments, "-o", "x.png", "--quiet"],
                              cwd=self.folder, capture_output=True, text=True, check=True)
        (self.folder / "x.png").unlink()
        return int(done.stdout) * 1024e-6

    def test_a_picture_takes_the_memory_that_was_told(self):
        program = pathlib.Path(PROGRAM).read_bytes()
        if b"__asan_init" in program or b"__tsan_init" in program:
            self.skipTest("a sanitizer's memory is beside the program's")
        self.write_grid("large.hdf5", 160)
        volume = ("--volume", "--device", "cpu", "--size")
        for what in ((*volume, "64x64"), (*volume, "640x480", "--oversampling", "4"), ("--slice", "z", "--size", "64x64"),
                     ("--projection", "z", "--field", "NumberOfStreams", "--size", "64x64")):
            told = self.forecast("large.hdf5", *what) - self.forecast("d.hdf5", "--slice", "z", "--size", "64x64")
            taken = self.largest("large.hdf5", *what) - self.largest("d.hdf5", "--slice", "z", "--size", "64x64")
            self.assertLess(abs(taken - told) / told, 0.15, f"{what}: told {told} MB, took {taken} MB")

    def test_a_picture_that_will_not_fit_is_refused_before_its_field_is_read(self):
        self.write_grid("large.hdf5", 100)
        for what, parts, less in ((("--volume", "--device", "cpu"), "field, bricks and pictures", "--oversampling"),
                                  (("--slice", "z"), "field and picture", "--size"),
                                  (("--projection", "x", "--field", "NumberOfStreams"), "field, weight and picture", "--size")):
            command = ("large.hdf5", *what, "--size", "320x200")
            needed = self.forecast(*command)
            for megabytes, status in ((int(0.9 * needed), 1), (int(1.1 * needed) + 1, 0)):
                done = subprocess.run([PROGRAM, "render", *command, "-o", "x.png"], capture_output=True, text=True,
                                      cwd=self.folder, env={**os.environ, "AUREOLE_CPU_MEMORY_MB": str(megabytes)})
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertEqual((self.folder / "x.png").exists(), status == 0)
                if status:
                    self.assertRegex(done.stderr, rf"^aureole: {parts} of 100 x 100 x 100 cells take {needed:.1f} MB on cpu, "
                                     rf".*\(AUREOLE_CPU_MEMORY_MB = {megabytes}\); fewer cells.* {less} take less\n$")
            (self.folder / "x.png").unlink()

    def test_films_are_numbered_pictures(self):
        self.run_program("render", "d.hdf5", "-o", "zoom.png", "--volume", "--size", "32x32", "--zoom-to", "1,1,1",
                         "--frames", "3", "--zoom", "4", "--quiet")
        self.assertEqual(sorted(p.name for p in self.folder.glob("zoom*")), [f"zoom_000{k}.png" for k in range(3)])
        self.write("path.yaml", "frames: 2\nkeys:\n  - {frame: 0, position: [1, -5, 1]}\n  - {frame: 1, position: [1, -3, 1]}\n")
        self.run_program("render", "d.hdf5", "-o", "f.png", "--volume", "--size", "32x32", "--path", "path.yaml", "--cells")
        self.assertTrue((self.folder / "f_0001.png").exists())
        near, far = pixels(self.folder / "f_0001.png"), pixels(self.folder / "f_0000.png")
        self.assertGreater((near.max(2) > 0).sum(), (far.max(2) > 0).sum())

    def test_an_octree_of_the_same_cells_is_the_same_picture(self):
        cells, child = self.field["Density"], np.zeros((9, 6, 6, 6))
        child[0] = cells.reshape(6, 2, 6, 2, 6, 2).mean((1, 3, 5))
        for octant in range(8):
            x, y, z = (slice(6 * bit, 6 * bit + 6) for bit in (octant >> 2, octant >> 1 & 1, octant & 1))
            child[1 + octant] = cells[x, y, z]
        with h5py.File(self.folder / "o.hdf5", "w") as file:
            file.attrs["PatchCells"] = 6
            file["Density"] = child.transpose(0, 3, 2, 1)  # x runs fastest
            file["Nodes/Low"] = [[0, 0, 0]] + [[o >> 2, o >> 1 & 1, o & 1] for o in range(8)]
            file["Nodes/Size"] = [2.0] + 8 * [1.0]
            file["Nodes/Level"] = [0] + 8 * [1]
            file["Nodes/FirstChild"] = [1] + 8 * [-1]
        for what in (("--slice", "z=1.1"), ("--projection", "y")):
            for name in "do":
                self.run_program("render", f"{name}.hdf5", "-o", f"{name}.png", *what, "--size", "50x50", "--raw",
                                 f"{name}_raw.hdf5")
            np.testing.assert_allclose(self.image("d_raw.hdf5")[0], self.image("o_raw.hdf5")[0], rtol=1e-13)
        with h5py.File(self.folder / "o.hdf5", "a") as file:
            file["Nodes/Low"][3, 1] = 0
        self.assertIn("patch 3 is not octant 2 of its parent 0", self.refused("render", "o.hdf5", "-o", "x.png", "--volume"))

    def test_real_particles_make_a_picture(self):
        box = real_data("fof/psi_snapshot_010")
        self.run_program("density", box, "-o", "box.hdf5", "--box", "40", "--grid", "32")
        self.run_program("render", "box.hdf5", "-o", "web.png", "--volume", "--size", "160x120")
        self.assertGreater(pixels(self.folder / "web.png").mean(), 5)

    def test_bad_requests_are_refused_by_name(self):
        for arguments, words in ((("--slice", "w=1"), "--slice: found 'w', expected an axis"),
                                 (("--slice", "z=7"), "--slice: found z = 7, the field reaches from 0 to 2"),
                                 (("--projection", "z", "--field", "Entropy"), "holds Density, NumberOfStreams, Velocity"),
                                 (("--projection", "z", "--field", "Velocity:w"), "a component x, y or z"),
                                 (("--projection", "z", "--region", "0:1,0:1,0:3"), "--region: found 0:3 along z"),
                                 (("--projection", "z", "--range", "5:1"), "--range: found '5:1'"),
                                 (("--projection", "z", "--range", "0:1"), "a logarithmic scale begins above 0"),
                                 (("--projection", "z", "--colours", "jet"), "--colours: found 'jet'"),
                                 (("--volume", "--size", "10x10"), "--size: found '10x10'"),
                                 (("--volume", "--size", "320x200x"), "--size: found '320x200x'"),
                                 (("--volume", "--camera", "1,1,1", "--look-at", "1,1,1"), "expected two places"),
                                 (("--volume", "--field-of-view", "200"), "a field of view of 200 degrees"),
                                 (("--volume", "--opacity", "-3"), "--opacity: found -3"),
                                 (("--volume", "--path", "absent.yaml"), "absent.yaml")):
            self.assertIn(words, self.refused("render", "d.hdf5", "-o", "x.png", *arguments))
            self.assertFalse((self.folder / "x.png").exists())
        self.assertIn("has no attribute Cells", self.refused("render", "p.hdf5", "-o", "x.png", "--volume"))
        self.run_program("render", "d.hdf5", "-o", "x.png", status=2)
        self.run_program("render", "d.hdf5", "-o", "x.png", "--volume", "--slice", "z", status=2)
        self.run_program("render", "d.hdf5", "-o", "x.png", "--volume", "--raw", "x.csv", status=2)
        for option in (("--camera", "1,1,1"), ("--zoom-to", "1,1,1"), ("--opacity", "3"), ("--cells",), ("--device", "cpu")):
            text = self.run_program("render", "d.hdf5", "-o", "x.png", "--slice", "z", *option, status=2)
            self.assertIn(f"{option[0]} requires --volume", text)
        line = self.refused("render", "d.hdf5", "-o", "x.csv", "--slice", "z", "--raw", "./x.csv")
        self.assertIn("-o and --raw: both name ./x.csv", line)
        self.assertFalse((self.folder / "x.csv").exists())

    def test_a_logarithmic_scale_is_kept_for_components_too(self):
        with h5py.File(self.folder / "d.hdf5", "a") as file:
            file["Velocity"][..., 0] = np.geomspace(0.01, 1000, 12)[:, None, None]
        for scale, words in (("logarithmic", "from 0.01 to 1000"), ("linear", "from -1000 to 1000")):
            text = self.run_program("render", "d.hdf5", "-o", "x.png", "--slice", "z", "--field", "Velocity:x", "--scale",
                                    scale, "--size", "24x24")
            self.assertIn(words, text)


if __name__ == "__main__":
    unittest.main()
