"""`aureole analyse`: a disk with a known bar through files, units, choices of particles, and what is refused."""
import csv
import pathlib
import subprocess
import sys
import unittest

import h5py
import numpy as np

from aureole_program import ProgramTest

SPEED = 0.35


def barred_disk(n, seed):
    """Positions and velocities of n particles: a bar of A2 = 0.3 within R = 1.5 that turns rigidly. Four images of each
    make centre, mean velocity and axis those of the frame."""
    n //= 4
    rng = np.random.default_rng(seed)
    r = 4 * rng.random(n)**1.5
    share, phi = 2 * np.pi * rng.random(n), np.zeros(n)
    e = np.where(r < 1.5, 0.6, 0.0)
    phi[:] = share
    for _ in range(200):
        phi = share - e / 2 * np.sin(2 * phi)
    phi += 0.5
    x = np.column_stack([r * np.cos(phi), r * np.sin(phi), 0.1 * rng.standard_normal(n)])
    v = np.column_stack([-SPEED * x[:, 1], SPEED * x[:, 0], np.zeros(n)])
    images = [np.array([a, a, b]) for a in (1, -1) for b in (1, -1)]
    return np.concatenate([x * image for image in images]), np.concatenate([v * image for image in images])


class Analyse(ProgramTest):
    def write_snapshot(self, name, x, v, mass, order=None, box=0.0):
        """Disk particles (type 2, ids from 1) and ten heavy ones of type 1, the first in `order`."""
        n = len(x)
        order = np.arange(n) if order is None else order
        rng = np.random.default_rng(9)
        with h5py.File(self.folder / name, "w") as file:
            header = file.create_group("Header")
            header.attrs["NumPart_ThisFile"] = header.attrs["NumPart_Total"] = np.array([0, 10, n, 0, 0, 0], np.uint32)
            header.attrs["NumPart_Total_HighWord"] = np.zeros(6, np.uint32)
            header.attrs["MassTable"] = np.zeros(6)
            header.attrs["Time"], header.attrs["Redshift"], header.attrs["BoxSize"] = 3.0, 0.0, box
            header.attrs["NumFilesPerSnapshot"] = 1
            for kind, data in ((1, (rng.standard_normal((10, 3)) * 0.1, np.zeros((10, 3)), np.full(10, mass),
                                    n + 1 + np.arange(10))),
                               (2, (x[order], v[order], np.full(n, mass), order + 1))):
                group = file.create_group(f"PartType{kind}")
                for key, values in zip(("Coordinates", "Velocities", "Masses", "ParticleIDs"), data):
                    group[key] = values
        return name

    def rows(self, name):
        with open(self.folder / name) as file:
            rows = list(csv.DictReader(file))
        return {key: np.array([float(row[key]) for row in rows]) for key in rows[0]}

    @staticmethod
    def value(rows, name):
        found = [values[0] for key, values in rows.items() if key.split(" [")[0] == name]
        assert len(found) == 1, (name, list(rows))
        return found[0]

    def test_a_barred_disk_is_measured_and_written(self):
        x, v = barred_disk(160000, 1)
        self.write_snapshot("s.hdf5", x + [3, 4, 5], v + [1, -2, 3], 1 / len(x))
        text = self.run_program("analyse", "s.hdf5", "--types", "2", "--ring", "8000", "--bar", "bar.csv", "--profile",
                                "rings.hdf5", "--angular-momentum", "spins.csv", "--units", "galactic")
        self.assertIn("pattern speed 0.35 +-", text)
        self.assertIn("160000 particles", text)
        bar = self.rows("bar.csv")
        self.assertAlmostEqual(self.value(bar, "PatternSpeed"), SPEED, delta=1e-10)
        self.assertIn("PatternSpeed [kpc^-1 km/s]", bar)
        self.assertEqual(self.value(bar, "Status"), 0)
        self.assertAlmostEqual(self.value(bar, "BarAmplitude"), 0.3, delta=0.01)
        self.assertAlmostEqual(self.value(bar, "Phase"), 0.5, delta=0.02)
        self.assertAlmostEqual(self.value(bar, "Centre_y"), 4, delta=0.01)
        self.assertAlmostEqual(self.value(bar, "Axis_z"), 1, delta=1e-3)
        with h5py.File(self.folder / "rings.hdf5") as file:
            self.assertEqual(file["Count"][:].sum(), 160000)
            self.assertEqual(file["SurfaceDensity"].attrs["Unit"], b"1e+10 Msun kpc^-2")
            radius = file["Radius"][:]
            np.testing.assert_allclose(file["RotationVelocity"][:], [SPEED * r for r in radius], rtol=0.15)
            inside = file["MassInside"][:]  # with the ten others; the vertical extent is small
            # G of kpc, 1e10 Msun, km/s
            np.testing.assert_allclose(file["SphericalCircularVelocity"][:], np.sqrt(43021.93 * inside / radius), rtol=1e-5)
            self.assertEqual(file.attrs["Time"], 3)
        spins = self.rows("spins.csv")
        np.testing.assert_array_equal(spins["Type"], [1, 2])
        np.testing.assert_array_equal(spins["Count"], [10, 160000])
        expected = np.sum(np.cross(x, v), axis=0) / len(x)
        np.testing.assert_allclose([values[1] for key, values in spins.items() if key.startswith("AngularMomentum_")],
                                   expected, atol=1e-3)
        self.run_program("analyse", "s.hdf5", "--types", "2", "--bar", "bar.hdf5", "--units", "galactic")
        with h5py.File(self.folder / "bar.hdf5") as file:
            self.assertIn(b"Dehnen", file.attrs["Citation"])
            self.assertEqual(file["Centre"].shape, (1, 3))

    def test_maps_and_ellipses_are_written_for_a_view(self):
        x, v = barred_disk(40000, 3)
        self.write_snapshot("s.hdf5", x, v, 1 / len(x))
        self.run_program("analyse", "s.hdf5", "--types", "2", "--units", "nbody", "--map", "face.csv", "--ellipses", "e.hdf5",
                         "--width", "3", "--pixels", "8")
        face = self.rows("face.csv")
        self.assertEqual(len(face["Count"]), 64)
        inside = np.max(np.abs(x[:, :2]), axis=1) < 1.5
        self.assertAlmostEqual(face["Count"].sum(), inside.sum(), delta=50)  # the centre is measured
        self.assertLess(np.nanmax(np.abs(face["MeanVelocity"])), 0.02)  # it turns in the plane of the sky
        with h5py.File(self.folder / "e.hdf5") as file:
            self.assertIn(b"Zemp", file.attrs["Citation"])
            self.assertEqual(len(file["AxisRatio"][:]), 24)
        self.run_program("analyse", "s.hdf5", "--types", "2", "--units", "nbody", "--map", "edge.hdf5", "--view", "90,-90",
                         "--width", "3", "--pixels", "9")
        with h5py.File(self.folder / "edge.hdf5") as file:
            many = file["Count"][:] > 200
            # seen from -y: rigid rotation gives v_y = SPEED x everywhere along the line
            np.testing.assert_allclose(file["MeanVelocity"][many], SPEED * file["X"][many], atol=0.05)
            self.assertIn(b"van der Marel", file.attrs["Citation"])
        self.assertIn("--width is 0", self.refused("analyse", "s.hdf5", "--map", "m.csv", "--width", "0"))

    def write_profile(self, number, time, speed):
        """Rings of a disk with a flat rotation curve of 1 and a pattern inside R = 2 that turns with `speed`."""
        radius = np.geomspace(0.1, 10, 40) * (1 + 0.01 * np.sin(number))
        with h5py.File(self.folder / f"rings_{number:03}.hdf5", "w") as file:
            file.attrs["Time"] = time
            file["Radius"], file["SphericalCircularVelocity"] = radius, np.ones(40)
            file["SphericalEpicyclicFrequency"] = np.sqrt(2) / radius
            file["A2"], file["Phase2"] = np.where(radius < 2, 0.3, 0), np.full(40, np.remainder(0.4 + speed * time, np.pi))
        return f"rings_{number:03}.hdf5"

    def run_script(self, *arguments):
        script = pathlib.Path(__file__).parents[2] / "scripts" / "spectrogram"
        return subprocess.run([sys.executable, script, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60)

    def test_a_spectrogram_finds_speed_and_resonances(self):
        files = [self.write_profile(k, 2.5 * k, SPEED) for k in range(48)]
        text = self.run_script("-o", "s.csv", *files[::-1]).stdout
        found = [float(line.split(" ")[k]) for line, k in zip(text.replace(",", "").splitlines(), (3, 4, 6, 6))]
        # one over the speed, and times 1 -+ 1 / sqrt 2
        np.testing.assert_allclose(found, [SPEED, 1 / SPEED, 0.29289 / SPEED, 1.70711 / SPEED], rtol=0.02)
        rows = self.rows("s.csv")
        best = np.argmax(rows["power"])
        self.assertAlmostEqual(rows["pattern_speed"][best], SPEED, delta=np.pi / 120)
        self.assertLess(rows["radius"][best], 2)
        self.assertIn("expected at least 8", self.run_script("-o", "s.csv", *files[:7]).stderr)
        self.assertIn("expected evenly spaced", self.run_script("-o", "s.csv", *files[:8], files[20]).stderr)

    def test_units_scale_the_numbers(self):
        x, v = barred_disk(160000, 1)
        common = ("--types", "2", "--ring", "8000")
        self.write_snapshot("a.hdf5", x, v, 1 / len(x))
        self.write_snapshot("b.hdf5", 2 * x, 8 * v, 4 / len(x))  # powers of two: scaled to the bit
        for name in "ab":
            self.run_program("analyse", f"{name}.hdf5", *common, "--bar", f"{name}.csv", "--profile", f"{name}_rings.csv",
                             "--units", "nbody" if name == "a" else "galactic")
        a, b = self.rows("a.csv"), self.rows("b.csv")
        for name, factor in (("PatternSpeed", 4), ("PatternSpeedError", 4), ("A2Max", 1), ("Phase", 1), ("LengthHalf", 2),
                             ("BarOuter", 2), ("ScaleRadius", 2)):
            self.assertEqual(self.value(b, name), factor * self.value(a, name), name)
        a, b = self.rows("a_rings.csv"), self.rows("b_rings.csv")
        self.assertEqual(self.value(b, "SurfaceDensity"), self.value(a, "SurfaceDensity"))
        self.assertEqual(self.value(b, "RmsHeight"), 2 * self.value(a, "RmsHeight"))
        # mass / length twice as large, and G = 43021.93 instead of 1
        self.assertAlmostEqual(self.value(b, "SphericalCircularVelocity") / self.value(a, "SphericalCircularVelocity"),
                               np.sqrt(2 * 43021.93), delta=0.01)

    def test_the_order_in_the_file_changes_no_bit(self):
        x, v = barred_disk(80000, 2)
        self.write_snapshot("a.hdf5", x, v, 1 / len(x))
        self.write_snapshot("b.hdf5", x, v, 1 / len(x), np.random.default_rng(5).permutation(len(x)))
        for name in "ab":
            self.run_program("analyse", f"{name}.hdf5", "--types", "2", "--bar", f"{name}.csv", "--profile",
                             f"{name}_rings.csv", "--angular-momentum", f"{name}_spins.csv", "--units", "nbody")
        for kind in ("", "_rings", "_spins"):
            self.assertEqual((self.folder / f"a{kind}.csv").read_text(), (self.folder / f"b{kind}.csv").read_text())

    def test_what_is_no_bar_is_told(self):
        config = self.write("a.yaml", "initial_conditions: {model: plummer, particles: 3000}")
        self.run_program("ics", config, "-o", "s.hdf5")
        text = self.run_program("analyse", "s.hdf5", "--components", "0", "--bar", "bar.csv")
        self.assertIn("no pattern speed: A2max is", text)
        self.assertEqual(self.value(self.rows("bar.csv"), "Status"), 1)

    def test_what_is_refused(self):
        x, v = barred_disk(200, 1)
        self.write_snapshot("s.hdf5", x, v, 1)
        self.write_snapshot("box.hdf5", x, v, 1, box=100.0)
        self.write_snapshot("light.hdf5", x, v, 0)
        self.assertIn("none of its 210 particles", self.refused("analyse", "s.hdf5", "--types", "4"))
        self.assertIn("no mass", self.refused("analyse", "light.hdf5"))
        self.assertIn("--scale-radius is -1", self.refused("analyse", "s.hdf5", "--scale-radius", "-1"))
        self.assertIn("is the input", self.refused("analyse", "s.hdf5", "--bar", "s.hdf5"))
        self.assertIn("both name x.csv", self.refused("analyse", "s.hdf5", "--bar", "x.csv", "--profile", "x.csv"))
        self.assertIn("periodic box", self.refused("analyse", "box.hdf5"))
        self.run_program("analyse", "box.hdf5", "--open", "--units", "galactic")
        self.run_program("analyse", "s.hdf5", "--ring", "0", status=2)


if __name__ == "__main__":
    unittest.main()
