"""`aureole expand` and `aureole evaluate`: a Hernquist sphere, golden coefficients and special points, refusals."""
import csv
import gzip
import unittest

import h5py
import numpy as np

from aureole_program import ProgramTest, real_data

SPHERE = """
seed: 11
initial_conditions: {model: hernquist, particles: 20000, scale_radius: 2, mass: 3}
"""
DOUBLE = ("--set", "precision=double")
PAIR = "1 2 1 0 0 0 0 0\n2 1 -1 0 0.5 0 0 0\n"


class ExpansionTest(ProgramTest):
    def sphere(self):
        self.run_program("ics", self.write("sphere.yaml", SPHERE), "-o", "sphere.hdf5")
        return self.folder / "sphere.hdf5"

    def rows(self, name):
        """A CSV file as arrays by name."""
        with open(self.folder / name) as file:
            return {key: np.array(values, float) for key, *values in zip(*csv.reader(file))}


class Expand(ExpansionTest):
    def test_the_file_is_laid_out_as_exp_expects(self):
        text = self.run_program("expand", self.sphere(), "-o", "coefs.hdf5", "--scale-radius", "2", "--n-max", "4",
                                "--l-max", "3", "--samples", "20")
        self.assertIn("; G = 1\n", text)
        with h5py.File(self.folder / "coefs.hdf5") as file:
            attributes = file.attrs
            self.assertEqual({key: np.asarray(attributes[key]).dtype.kind for key in attributes},
                             {"CoefficientOutputVersion": "S", "geometry": "S", "name": "S", "config": "S",
                              "forceID": "S", "basis": "S", "normalisation": "S", "lmax": "i", "nmax": "i",
                              "scale": "f", "a": "f", "eta": "f", "G": "f"})
            self.assertEqual((attributes["geometry"], attributes["lmax"], attributes["nmax"], attributes["scale"]),
                             (b"sphere", 3, 5, 2.0))
            self.assertEqual(file["Units"].dtype.names, ("name", "unit", "value"))
            self.assertEqual(list(file["Units"]["name"]), [b"length", b"mass", b"velocity", b"G"])
            self.assertEqual((file["count"].shape, file["count"][()]), ((), 1))
            moment = file["snapshots/00000000"]
            self.assertEqual((moment.attrs["Time"], moment.attrs["Center"].shape, moment.attrs["Rotation"].shape),
                             (0.0, (3,), (3, 3)))
            self.assertEqual((moment["coefficients"].dtype, moment["coefficients"].shape), (np.complex128, (10, 5)))
            values, variances = moment["coefficients"][:], moment["variances"][:]
        # S = 3 delta within 5 sigma of the sampling noise, and the noise is what sub-samples say it is
        sigma = 3 / np.sqrt(20000) * np.array([.707, .304, .127, .067, .040])
        self.assertTrue(np.all(np.abs(values[0].real - [3, 0, 0, 0, 0]) < 5 * sigma), values[0])
        np.testing.assert_allclose(np.sqrt(variances[0].real), sigma, rtol=0.6)
        self.assertIn("S_00", self.run_program("info", "coefs.hdf5"))

    def test_masks_types_components_and_centres(self):
        snapshot = self.sphere()
        self.run_program("expand", snapshot, "-o", "c.hdf5", "--symmetry", "even-l,axisymmetric")
        with h5py.File(self.folder / "c.hdf5") as file:
            rows = file["snapshots/00000000/coefficients"][:]
        self.run_program("expand", "-o", "several.hdf5", "--symmetry", "even-l", "axisymmetric", snapshot)
        self.run_program("diff", "c.hdf5", "several.hdf5")
        kept = {l * (l + 1) // 2 for l in (0, 2, 4)}
        for row in range(15):
            self.assertEqual(np.any(rows[row] != 0), row in kept, row)
        pair = self.write("pair.txt", PAIR)
        self.assertIn("n_max 3, l_max 4, scale radius 2", self.run_program(
            "expand", pair, "-o", "c.hdf5", "--n-max", "3", "--set", "gravity.scf={n_max: 2, scale_radius: 2}"))
        for arguments, centre in ((["--centre-on", "mass"], [1 / 3, 0, 0.5 / 3]), (["--centre=-1,0,0.5"], [-1, 0, 0.5]),
                                  (["--centre-on", "most_bound"], [1, 0, 0])):
            self.run_program("expand", pair, "-o", "c.hdf5", *arguments)
            with h5py.File(self.folder / "c.hdf5") as file:
                np.testing.assert_allclose(file["snapshots/00000000"].attrs["Center"], centre, atol=1e-12)
        for name, place in (("shrinking_sphere", [5, 0, 0]), ("most_bound", [5, 0, 0])):
            config = self.write("two.yaml", """
seed: 2
initial_conditions:
  - {model: plummer, particles: 3000, mass: 3, position: [5, 0, 0]}
  - {model: hernquist, particles: 1000, position: [-15, 0, 0], type: 4}
""")
            self.run_program("ics", config, "-o", "two.hdf5")
            self.run_program("expand", "two.hdf5", "-o", "c.hdf5", "--centre-on", name)
            with h5py.File(self.folder / "c.hdf5") as file:
                np.testing.assert_allclose(file["snapshots/00000000"].attrs["Center"], place, atol=0.5)
        for arguments in (["--types", "4"], ["--component", "1"]):
            self.assertIn("1000 particles of mass 0.9",
                          self.run_program("expand", "two.hdf5", "-o", "c.hdf5", *arguments))

    def test_wrong_requests_are_refused(self):
        pair = self.write("pair.txt", PAIR)
        for arguments, words in ((["--types", "3"], "none of its 2 particles"), (["--types", "9"], "from 0 to 5"),
                                 (["--n-max=-1"], "n_max is -1"), (["--l-max", "65"], "l_max is 65"),
                                 (["--scale-radius", "0"], "scale_radius is 0"), (["--family", "nfw"], "clutton-brock"),
                                 (["--centre", "1,2"], "expected x,y,z"), (["--component", "3"], "none of its 2"),
                                 (["--device", "cuda:99"], "--device")):
            self.assertIn(words, self.refused("expand", pair, "-o", "c.hdf5", *arguments))
            self.assertFalse((self.folder / "c.hdf5").exists())
        massless = self.write("massless.txt", "1 0 1 0 0 0 0 0\n2 0 -1 0 0 0 0 0\n")
        self.assertIn("no mass", self.refused("expand", massless, "-o", "c.hdf5"))
        self.assertIn("input", self.refused("expand", pair, "-o", pair))
        self.run_program("expand", pair, "-o", "c.hdf5", "--centre", "1,2,3", "--centre-on", "mass", status=2)


class Difference(ExpansionTest):
    def test_two_files_of_coefficients_are_compared_by_moment_and_order(self):
        pair = self.write("pair.txt", PAIR)
        expand = lambda name, *more: self.run_program("expand", pair, "-o", name, "--n-max", "2", "--l-max", "2", *more)
        expand("a.hdf5")
        expand("a.txt")
        text = self.run_program("diff", "a.hdf5", "a.txt")
        self.assertIn("moments    1 in both, 0 only in the first, 0 only in the second", text)
        self.assertIn("coefficients           equal", text)
        # the file as text with one coefficient changed by hand
        lines = (self.folder / "a.txt").read_text().splitlines()
        row = next(k for k, line in enumerate(lines) if line.startswith("1 2 2 "))
        n, l, m, s, t = lines[row].split()
        lines[row] = f"{n} {l} {m} {float(s) + 0.5} {t}"
        self.write("b.txt", "\n".join(lines) + "\n")
        text = self.run_program("diff", "a.hdf5", "b.txt", status=1)
        self.assertRegex(text, r"coefficients +1 differ, by up to 0\.5 .* at moment 0, n 1, l 2, m 2\n")
        self.assertIn("centre                 equal", text)
        self.run_program("diff", "a.hdf5", "b.txt", "--tolerance", "10")
        expand("moved.hdf5", "--centre", "0.1,0,0")
        self.assertRegex(self.run_program("diff", "a.hdf5", "moved.hdf5", status=1), r"centre +1 differ, by up to 0\.1 ")
        expand("wide.hdf5", "--scale-radius", "3")
        self.assertIn("cannot be compared", self.run_program("diff", "a.hdf5", "wide.hdf5", status=1))
        expand("kpc.hdf5", "--units", "galactic")
        self.assertIn("units      differ", self.run_program("diff", "a.hdf5", "kpc.hdf5", status=1))
        expand("sampled.hdf5", "--samples", "2")
        self.assertIn("variances              in one file only",
                      self.run_program("diff", "a.hdf5", "sampled.hdf5", status=1))
        self.assertIn("is a file of coefficients and pair.txt is a snapshot",
                      self.refused("diff", "a.hdf5", "pair.txt"))


class Evaluate(ExpansionTest):
    def test_a_sampled_sphere_is_the_exact_one_within_noise(self):
        # its far particles, not its cusp, decide where the centre of mass is
        text = self.run_program("expand", self.sphere(), "-o", "coefs.hdf5", "--scale-radius", "2", "--centre-on",
                                "shrinking_sphere", "--units", "galactic")
        self.assertIn("G = 43021.9", text)
        with h5py.File(self.folder / "coefs.hdf5") as file:
            centre = file["snapshots/00000000"].attrs["Center"]
        self.run_program("evaluate", "coefs.hdf5", "-o", "profile.csv", "--radii", "0.05:100:30", "--direction",
                         "1,-2,2")
        found = self.rows("profile.csv")
        x = np.column_stack([found[key] for key in "xyz"]) - centre
        r = np.sqrt((x**2).sum(axis=1))
        np.testing.assert_allclose(x, np.geomspace(0.05, 100, 30)[:, None] * [1 / 3, -2 / 3, 2 / 3], rtol=1e-11)
        g, inside = 43021.93, (r > 0.5) & (r < 20)
        np.testing.assert_allclose(found["potential"], -3 * g / (r + 2), rtol=0.02)
        np.testing.assert_allclose(-(found["ax"] - 2 * found["ay"] + 2 * found["az"])[inside] / 3,
                                   3 * g / (r[inside] + 2)**2, rtol=0.1)
        np.testing.assert_allclose(found["density"][inside], 3 / np.pi / r[inside] / (r[inside] + 2)**3, rtol=0.2)

    def test_grids_points_and_sums_say_the_same(self):
        self.run_program("expand", self.write("pair.txt", PAIR), "-o", "c.hdf5", "--centre", "0.5,0,0", *DOUBLE)
        self.run_program("evaluate", "c.hdf5", "-o", "cube.hdf5", "--grid", "3", "--extent", "2", *DOUBLE)
        self.run_program("evaluate", "c.hdf5", "-o", "plane.hdf5", "--grid", "3", "--extent", "2", "--plane", *DOUBLE)
        text = self.run_program("evaluate", "c.hdf5", "c.hdf5", "-o", "ranges.hdf5", "--grid",
                                "-1.5:2.5:3,-2:2:3,-2:2:3", *DOUBLE)
        self.assertIn("infinite at 1 point", text)
        self.run_program("evaluate", "c.hdf5", "-o", "again.hdf5", "--points", "cube.hdf5", *DOUBLE)
        with h5py.File(self.folder / "cube.hdf5") as cube, h5py.File(self.folder / "plane.hdf5") as plane, \
                h5py.File(self.folder / "ranges.hdf5") as twice, h5py.File(self.folder / "again.hdf5") as again:
            self.assertEqual([cube.attrs["GridPoints" + axis] for axis in "XYZ"], [3, 3, 3])
            self.assertEqual(cube.attrs["G"], 1)
            shape = (3, 3, 3, 3)
            np.testing.assert_array_equal(cube["Coordinates"][:].reshape(shape)[2, 0, 1], [2.5, -2, 0])
            np.testing.assert_array_equal(cube["Coordinates"][:].reshape(shape)[:, :, 1].reshape(9, 3),
                                          plane["Coordinates"][:])
            for name in ("Density", "Potential", "Accelerations"):
                self.assertEqual(cube[name].dtype, np.float64)
                np.testing.assert_array_equal(cube[name][:], again[name][:])
                np.testing.assert_allclose(twice[name][:], 2 * cube[name][:], rtol=1e-13)
            self.assertEqual(np.flatnonzero(np.isinf(cube["Density"][:])).tolist(), [13])

    def test_time_series_are_interpolated(self):
        self.write("series.txt",
                   "# basis: clutton-brock\n# time: 1\n0 0 0 2 0\n# time: 3\n# centre: 0 0 4\n0 0 0 4 0\n")
        self.write("points.txt", "0 0 0\n")
        for arguments, potential in ((["--time", "2"], -3 / 5**0.5), (["--moment", "0"], -2), ([], -4 / 17**0.5),
                                     (["--time", "0"], -2)):
            text = self.run_program("evaluate", "series.txt", "-o", "p.csv", "--points", "points.txt", *arguments,
                                    *DOUBLE)
            self.assertAlmostEqual(self.rows("p.csv")["potential"][0], potential, places=14)
            self.assertEqual("note: series.txt reaches from time 1 to 3" in text, arguments == ["--time", "0"])

    def test_golden_coefficients_and_special_points(self):
        particles = self.folder / "particles.txt"
        table = np.loadtxt(real_data("scf/particles.txt.gz"))
        np.savetxt(particles, np.column_stack([np.arange(1, len(table) + 1), table, np.zeros((len(table), 3))]),
                   fmt=["%d"] + ["%.17g"] * 7)
        self.run_program("expand", particles, "-o", "ours.hdf5", *DOUBLE)
        with gzip.open(real_data("scf/coef_6_4.txt.gz"), "rt") as file:
            golden = self.write("golden.txt", "# basis: hernquist-ostriker\n" + file.read())
        expected = np.loadtxt(golden)
        n, l, m = expected[:, :3].astype(int).T
        with h5py.File(self.folder / "ours.hdf5") as file:
            found = file["snapshots/00000000/coefficients"][:][l * (l + 1) // 2 + m, n]
        np.testing.assert_allclose(found.real, expected[:, 3], rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(found.imag, expected[:, 4], rtol=1e-12, atol=1e-14)

        special = np.loadtxt(real_data("scf/special_6_4.txt"))
        np.savetxt(self.folder / "special.txt", special[:, :3], fmt="%.17g")
        for precision, tolerance in (("double", 1e-12), ("mixed", 1e-5)):
            self.run_program("evaluate", golden, "-o", "special.csv", "--points", "special.txt", "--set",
                             "precision=" + precision)
            rows = self.rows("special.csv")
            self.assertEqual(len(rows["x"]), 23)
            ours = np.column_stack([rows[key] for key in ("ax", "ay", "az", "potential")])
            scale = 1.0 if precision == "mixed" else np.abs(special[:, 6:7])
            np.testing.assert_array_less(np.abs(ours - special[:, 3:]), tolerance * (scale + 0 * ours))
            self.assertTrue(np.all(np.isfinite(rows["density"])))

    def test_wrong_requests_are_refused(self):
        coefficients = self.write("c.txt", "# basis: clutton-brock\n0 0 0 2 0\n")
        other = self.write("d.txt", "# basis: clutton-brock\n# G: 43\n0 0 0 2 0\n")
        self.write("points.txt", "0 0 0\n1 2\n")
        for arguments, words in (([], "expected points"), (["--grid", "5"], "needs --extent"),
                                 (["--grid", "five", "--extent", "1"], "--grid: found 'five'"),
                                 (["--grid", "0:1:2,0:1:2"], "x0:x1:nx"),
                                 (["--grid", "0:1:2,0:1:2,0:1:0"], "from:to:count"),
                                 (["--grid", "0:1:99999,0:1:99999,0:1:99999"], "at most"),
                                 (["--radii", "0:1:5"], "0 < r0 <= r1"),
                                 (["--radii", "1:2:3", "--direction", "0,0,0"], "direction"),
                                 (["--points", "points.txt"], "points.txt, line 2"),
                                 (["--points", "gone.txt"], "gone.txt"),
                                 (["--radii", "1:2:3", "--moment", "1"], "moments 0 to 0")):
            self.assertIn(words, self.refused("evaluate", coefficients, "-o", "f.hdf5", *arguments))
            self.assertFalse((self.folder / "f.hdf5").exists())
        vast = self.write("vast.txt", "# basis: clutton-brock\n# G: 43\n0 0 0 1e308 0\n")
        self.assertIn("the field at (1, 0, 0) is not finite",
                      self.refused("evaluate", vast, "-o", "f.hdf5", "--radii", "1:2:3"))
        self.assertIn("other units", self.refused("evaluate", coefficients, other, "-o", "f.hdf5", "--radii", "1:2:3"))
        self.assertIn("input", self.refused("evaluate", coefficients, "-o", coefficients, "--radii", "1:2:3"))
        self.assertIn("n l m S T", self.refused("evaluate", self.write("pair.txt", PAIR), "-o", "f.hdf5", "--radii", "1:2:3"))
        self.run_program("evaluate", coefficients, "-o", "f.hdf5", "--radii", "1:2:3", "--grid", "3", status=2)


if __name__ == "__main__":
    unittest.main()
