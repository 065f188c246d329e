"""`aureole profile`: a sphere's known profile, a halo of a catalogue, and what is refused."""
import csv
import re
import unittest

import h5py
import numpy as np

from aureole_program import ProgramTest, real_data

CONFIG = """
units: {length: kpc, mass: 1e10 Msun, velocity: km/s}
initial_conditions: {model: hernquist, particles: 20000, mass: 100, scale_radius: 10}
"""


class Profile(ProgramTest):
    def read(self, name):
        with open(self.folder / name) as file:
            rows = list(csv.DictReader(file))
        return {key: np.array([float(row[key]) for row in rows]) for key in rows[0]}

    def test_a_hernquist_sphere_has_its_mass_and_circular_velocity(self):
        self.run_program("ics", self.write("a.yaml", CONFIG), "-o", "start_000.hdf5")
        text = self.run_program("profile", "start_000.hdf5", "--centre", "0,0,0", "--range", "1,100", "--bins", "10", "-o",
                                "p.csv")
        self.assertIn("10 bins from 1 to 100 kpc", text)
        p = self.read("p.csv")
        r = p["RadiusOuter [kpc]"]
        expected = 100 * (r / (r + 10))**2
        share = expected / 100
        mass = p["MassInside [1e+10 Msun]"]
        self.assertTrue(np.all(np.abs(mass - expected) < 5 * 100 / 20000 * np.sqrt(20000 * share * (1 - share))))
        # G = 43021.93 in kpc, 1e10 Msun, km/s: FORMATS of other codes differ in the fourth digit
        np.testing.assert_allclose(p["CircularVelocity [km/s]"], np.sqrt(43021.93 * mass / r), rtol=1e-5)
        self.assertTrue(np.all(np.abs(p["Anisotropy"]) < 5 * np.sqrt(3 / p["Count"])))

    def test_a_halo_is_profiled_in_its_own_frame_across_the_box(self):
        self.run_program("find", real_data("fof/psi_snapshot_010"), "-o", "halos", "--box", "40", "--linking-length",
                         "0.2")
        files = ("halos/snapshot_010.hdf5", "--halos", "halos/fof_subhalo_tab_010.hdf5")
        text = self.run_program("profile", *files, "-o", "p.csv")
        with h5py.File(self.folder / "halos/fof_subhalo_tab_010.hdf5") as file:
            self.assertIn("centre ({:.6g}, {:.6g}, {:.6g})".format(*file["Group/GroupPos"][0]), text)
        p = self.read("p.csv")
        self.assertEqual(len(p["Count"]), 32)
        self.assertGreater(p["Count"].sum(), 1000)  # the 1068 members but for the innermost, and others in the range
        self.assertIn("Density [1e+10 Msun/h (kpc/h (comoving))^-3]", p)
        self.assertTrue(np.all(np.diff(p["MassInside [1e+10 Msun/h]"]) >= 0))
        self.run_program("profile", *files, "--halo", "109", "--bins", "3", "-o", "small.csv")
        self.assertEqual(len(self.read("small.csv")["Count"]), 3)

    def test_velocities_of_catalogues_are_peculiar_and_older_ones_are_read(self):
        source = real_data("gadget/lcdm_gas_littleendian.dat")  # z = 10
        text = self.run_program("find", source, "--box", "50000", "--linking-length", "0.8", "--types", "1",
                                "--min-members", "5", "-o", "halos")
        self.assertIn("dispersion [km/s]", text)
        labels = self.run_program("find", source, "--box", "50000", "--linking-length", "0.8", "--types", "1",
                                  "--min-members", "5", "--labels", "labels.hdf5")
        rows = [[line.split() for line in printed.splitlines() if re.match(r" +\d+ +\d+ ", line)] for printed in (text, labels)]
        self.assertEqual([row[6] for row in rows[0]], [row[6] for row in rows[1]], "dispersions without a catalogue")
        self.assertEqual(len(rows[0]), 10)
        files = ("halos/snapshot_000.hdf5", "--halos", "halos/fof_subhalo_tab_000.hdf5", "--range", "100,8000",
                 "--bins", "2")
        self.run_program("profile", *files, "-o", "new.csv")
        with h5py.File(self.folder / "halos/snapshot_000.hdf5") as file, \
                h5py.File(self.folder / "halos/fof_subhalo_tab_000.hdf5", "r+") as catalogue:
            momentum, mass = np.zeros(3), 0.0
            for kind, members in enumerate(catalogue["Group/GroupLenType"][0]):  # gas joins the nearest halo particle
                if members > 0:
                    m = file[f"PartType{kind}/Masses"][:members]
                    momentum += (m[:, None] * file[f"PartType{kind}/Velocities"][:members]).sum(axis=0)
                    mass += m.sum()
            mean = momentum / mass / np.sqrt(11)
            velocity = catalogue["Group/GroupVel"]
            np.testing.assert_allclose(velocity[0], mean, rtol=1e-9, atol=1e-9)
            self.assertEqual(velocity.attrs["a_scaling"], 0)
            velocity[...] *= np.sqrt(11)  # as versions before wrote it
            velocity.attrs["a_scaling"] = 0.5
        self.run_program("profile", *files, "-o", "old.csv")
        np.testing.assert_allclose(self.read("old.csv")["MeanRadialVelocity [km/s]"],
                                   self.read("new.csv")["MeanRadialVelocity [km/s]"], rtol=1e-9)

    def test_a_halo_without_a_finite_place_is_refused(self):
        config = "initial_conditions: {model: plummer, particles: 300}"
        self.run_program("ics", self.write("a.yaml", config), "-o", "s_000.hdf5")
        self.run_program("find", "s_000.hdf5", "--absolute-linking-length", "0.5", "-o", "out")
        catalogue = self.folder / "out/fof_subhalo_tab_000.hdf5"
        for name in ("GroupRadius", "GroupVel", "GroupPos"):  # the last is read first
            with h5py.File(catalogue, "r+") as file:
                file["Group"][name][0] = np.nan
            self.assertIn(f"/Group/{name} of halo 0 is",
                          self.refused("profile", "s_000.hdf5", "--halos", catalogue, "-o", "p.csv"))
        self.assertFalse((self.folder / "p.csv").exists())

    def test_a_catalogue_in_physical_units_serves_the_snapshot_in_its_own(self):
        rng = np.random.default_rng(2)
        x = rng.normal(size=(300, 3)) + 5
        table = self.write("t.txt", "".join(f"{i + 1} 1 {a} {b} {c} 2 0 0\n" for i, (a, b, c) in enumerate(x)))
        self.run_program("find", table, "--absolute-linking-length", "2", "-o", "out")
        catalogue = ("--halos", "out/fof_subhalo_tab_000.hdf5")
        self.run_program("profile", table, *catalogue, "--range", "0.1,3", "-o", "a.csv")
        self.run_program("profile", "out/snapshot_000.hdf5", *catalogue, "--range", "0.1,3", "-o", "b.csv")
        np.testing.assert_array_equal(self.read("a.csv")["Count"], self.read("b.csv")["Count"])
        radial = self.read("a.csv")["MeanRadialVelocity"]  # nan where a shell is empty
        self.assertLess(np.nanmax(np.abs(radial)), 1e-9, "all move together")

    def test_what_is_refused(self):
        table = self.write("t.txt", "1 1 0 0 0 0 0 0\n2 1 1 0 0 0 0 0\n")
        self.run_program("profile", table, "-o", "p.csv", status=2)
        self.run_program("profile", table, "--centre", "0,0,0", "--halos", "x.hdf5", "-o", "p.csv", status=2)
        at = ("profile", table, "--centre", "0,0,0", "-o", "p.csv")
        self.assertIn("two rising radii", self.refused(*at, "--range", "2,1"))
        self.assertIn("expected two numbers", self.refused(*at, "--range", "2"))
        self.assertIn("half the periodic box", self.refused(*at, "--range", "1,6", "--box", "10"))
        self.assertIn("expected x,y,z", self.refused("profile", table, "--centre", "0,0", "-o", "p.csv"))
        self.assertIn("is the input", self.refused("profile", table, "--centre", "0,0,0", "-o", table))
        self.run_program("find", table, "--absolute-linking-length", "2", "--min-members", "2", "-o", "out")
        self.assertIn("holds 1 group(s)", self.refused("profile", table, "--halos", "out/fof_subhalo_tab_000.hdf5",
                                                       "--halo", "1", "-o", "p.csv"))
        alone = self.write("one.txt", "1 1 0 0 0 0 0 0\n")
        self.assertIn("no particle is away", self.refused("profile", alone, "--centre", "0,0,0", "-o", "p.csv"))


if __name__ == "__main__":
    unittest.main()
