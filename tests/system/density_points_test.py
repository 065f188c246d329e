"""`aureole density --points`: the sheet at points, from every kind of file and to both; and volumes by number of streams."""
import unittest

import h5py
import numpy as np

from aureole_program import ProgramTest, real_data
from density_test import PANCAKE


def pancake(x):
    """Density, momentum and streams of the 16 intervals of PANCAKE at x, velocities 2 times the displacement's rate."""
    q = np.arange(17) / 16
    place = q - 1.5 / (2 * np.pi) * np.sin(2 * np.pi * q)
    density, streams = np.zeros(len(x)), np.zeros(len(x), dtype=int)
    for a, b in zip(place[:-1], place[1:]):
        for image in (-1, 0, 1):
            inside = (min(a, b) < x + image) & (x + image < max(a, b))
            density += inside / abs(b - a) / 16
            streams += inside
    return density, streams


class DensityPoints(ProgramTest):
    def setUp(self):
        super().setUp()
        self.run_program("ics", self.write("p.yaml", PANCAKE), "-o", "p.hdf5")
        self.points = np.random.default_rng(1).uniform(size=(500, 3))
        np.savetxt(self.folder / "x.txt", self.points, fmt="%.17g")

    def test_a_pancake_has_the_density_of_its_intervals(self):
        text = self.run_program("density", "p.hdf5", "--points", "x.txt", "-o", "f.hdf5", "--fields",
                                "mass,velocity,dispersion,streams", "--each-stream")
        self.assertIn("500 point(s) written", text)
        density, streams = pancake(self.points[:, 0])
        with h5py.File(self.folder / "f.hdf5") as file:
            np.testing.assert_array_equal(file["Coordinates"], self.points)
            np.testing.assert_array_equal(file["NumberOfStreams"], streams)
            np.testing.assert_allclose(file["Density"], density, rtol=1e-12)
            first, each, velocity = file["FirstStream"][:], file["StreamDensity"][:], file["StreamVelocity"][:]
            self.assertEqual(len(each), streams.sum())
            np.testing.assert_allclose(np.add.reduceat(each, first), density, rtol=1e-12)
            np.testing.assert_array_equal(np.add.reduceat(file["StreamOrientation"][:], first), 1)
            mean = np.add.reduceat(each[:, None] * velocity, first) / density[:, None]
            np.testing.assert_allclose(file["Velocity"], mean, atol=1e-12)
            squares = np.add.reduceat(each[:, None] * velocity**2, first) / density[:, None] - mean**2
            np.testing.assert_allclose(file["VelocityDispersion"][:] ** 2, squares.sum(1) / 3, atol=1e-8)
            self.assertEqual(file.attrs["LatticeSide"], 16)

    def test_tables_go_in_and_out_and_snapshots_go_in(self):
        self.run_program("density", "p.hdf5", "--points", "x.txt", "-o", "f.csv", "--fields", "mass,streams")
        self.run_program("density", "p.hdf5", "--points", "f.csv", "-o", "g.csv", "--fields", "mass,streams")
        first, second = ((self.folder / name).read_text() for name in ("f.csv", "g.csv"))
        self.assertTrue(first.startswith("x,y,z,density,streams\n"))
        self.assertEqual(first, second)
        self.run_program("density", "p.hdf5", "--points", "p.hdf5", "-o", "s.hdf5", "--fields", "streams")
        with h5py.File(self.folder / "s.hdf5") as file:
            self.assertEqual(file["NumberOfStreams"].shape, (4096,))
            self.assertTrue(np.all(file["NumberOfStreams"][:] % 2 == 1))
            self.assertNotIn("Density", file)

    def test_cell_centres_of_real_particles_have_the_streams_of_their_cells(self):
        box = real_data("fof/psi_snapshot_010")
        self.run_program("density", box, "--box", "40", "--grid", "16", "--fields", "streams", "-o", "d.hdf5")
        centre = (np.arange(16) + 0.5) * 2.5
        centres = np.stack(np.meshgrid(centre, centre, centre, indexing="ij"), -1).reshape(-1, 3)
        with h5py.File(self.folder / "c.hdf5", "w") as file:
            file["Coordinates"] = centres
        text = self.run_program("density", box, "--box", "40", "--points", "c.hdf5", "-o", "e.hdf5", "--fields", "streams")
        self.assertRegex(text, r"streams +of the points 1: \d")
        with h5py.File(self.folder / "d.hdf5") as grid, h5py.File(self.folder / "e.hdf5") as points:
            np.testing.assert_array_equal(points["NumberOfStreams"][:], grid["NumberOfStreams"][:].ravel())

    def test_volumes_by_number_of_streams_add_up(self):
        text = self.run_program("density", "p.hdf5", "--grid", "200,2,2", "--fields", "streams", "-o", "d.hdf5")
        with h5py.File(self.folder / "d.hdf5") as file:
            table, streams = file["StreamVolumeFractions"][:], file["NumberOfStreams"][:]
            number, cells = np.unique(streams, return_counts=True)
            np.testing.assert_array_equal(table[:, 0], number)
            np.testing.assert_allclose(table[:, 1], cells / streams.size, rtol=1e-14)
            q = np.arange(17) / 16
            lengths = np.abs(np.diff(q - 1.5 / (2 * np.pi) * np.sin(2 * np.pi * q)))
            self.assertAlmostEqual(file.attrs["MeanStreams"], lengths.sum(), delta=1e-9)
            self.assertAlmostEqual((table[:, 0] * table[:, 1]).sum(), lengths.sum(), delta=0.02)
        self.assertRegex(text, r"streams +of the volume 1: [\d.]+ %, 3: [\d.]+ %")
        self.run_program("density", "p.hdf5", "--grid", "4", "--region", "0:0.5", "--fields", "streams", "-o", "d.hdf5")
        with h5py.File(self.folder / "d.hdf5") as file:
            self.assertNotIn("MeanStreams", file.attrs)

    def test_fields_have_the_same_bits_on_every_device(self):
        devices = ["cpu"] + (["cuda"] if "cuda:0" in self.run_program("info") else [])
        request = ("density", "p.hdf5", "--points", "x.txt", "--fields", "mass,velocity,streams", "--each-stream")
        for device in devices:
            told = self.run_program(*request, "-o", "f.hdf5", "--device", device, "--dry-run")
            for where in devices[:devices.index(device) + 1]:
                self.assertRegex(told, rf"memory {where} +\d+\.\d MB: ")
            self.run_program(*request, "-o", f"{device}.hdf5", "--device", device)
            with h5py.File(self.folder / f"{device}.hdf5") as file, h5py.File(self.folder / "cpu.hdf5") as expected:
                for name in expected:
                    if isinstance(expected[name], h5py.Dataset):
                        np.testing.assert_array_equal(file[name][...], expected[name][...], f"{device} {name}")
        self.assertIn("--device cuda:99", self.refused(*request, "-o", "f.hdf5", "--device", "cuda:99"))

    def test_bad_requests_are_refused_by_name(self):
        self.write("far.txt", "0.5 0.5 0.5\n0.5 3 0.5\n")
        for arguments, words in ((("--points", "x.txt", "--method", "cic"), "phase-space tetrahedra; found --method cic"),
                                 (("--points", "x.txt", "--each-stream", "-o", "f.csv"), "a table has one row a point"),
                                 (("--points", "far.txt"), "point 1 is at (0.5, 3, 0.5)"),
                                 (("--points", "gone.txt"), "gone.txt: cannot be read"),
                                 (("--points", "p.yaml"), "p.yaml, line 2"),
                                 (("--points", "x.txt", "--fields", "heat"), "found 'heat'")):
            out = () if "-o" in arguments else ("-o", "f.hdf5")
            self.assertIn(words, self.refused("density", "p.hdf5", *arguments, *out))
        self.assertFalse((self.folder / "f.hdf5").exists())
        self.assertIn("is the input", self.refused("density", "p.hdf5", "--points", "x.txt", "-o", "x.txt"))
        self.assertIn("--grid excludes --points",
                      self.run_program("density", "p.hdf5", "--points", "x.txt", "--grid", "4", "-o", "f.hdf5", status=2))
        self.assertIn("--each-stream requires --points",
                      self.run_program("density", "p.hdf5", "--each-stream", "-o", "f.hdf5", status=2))
        text = self.run_program("density", "p.hdf5", "--points", "x.txt", "-o", "f.hdf5", "--dry-run")
        self.assertRegex(text, r"points +500\nmemory cpu +\d")


if __name__ == "__main__":
    unittest.main()
