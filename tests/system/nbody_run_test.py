"""A run with `units: nbody` stays one: every command on its files speaks in G = 1, whatever units stand in the file."""
import csv
import math
import re
import unittest

import h5py
import numpy as np

from aureole_program import ProgramTest

RUN = """
units: nbody
initial_conditions: {model: plummer, particles: 400, scale_radius: 1}
gravity: {solver: scf, softening: 0.05, scf: {n_max: 4, l_max: 2}}
integrator: {timestep: 0.25}
run: {end_time: 1, checks: {energy_error: 0}}
output: {halos: {every: 1, csv: true}, pictures: {every: 1}, coefficients: {every: 1}}
halos: {absolute_linking_length: 1}
pictures: {pixels: 300}
"""
ROOT_G = math.sqrt(6.6743e-8 * 1.989e43 / 3.085678e21) / 1e5  # velocities in km/s over those of the run


class NbodyRun(ProgramTest):
    def made(self, *settings, name="out"):
        """Runs RUN; the folder of its outputs, whose last number is 1."""
        self.run_program("run", self.write("run.yaml", RUN), "-o", name, "--quiet",
                         *(word for setting in settings for word in ("--set", setting)))
        return name

    def table(self, name):
        with open(self.folder / name) as file:
            rows = list(csv.DictReader(file))
        return {key: np.array([float(row[key]) for row in rows]) for key in rows[0]}

    def velocities(self, name):
        with h5py.File(self.folder / name) as file:
            group = file["PartType1"]
            return group["Velocities"][:][np.argsort(group["ParticleIDs"][:])]

    def assert_speaks_in_g_one(self, out):
        """Every command on the files in `out`."""
        snapshot, catalogue = f"{out}/snapshot_001.hdf5", f"{out}/fof_subhalo_tab_001.hdf5"
        coefficients = f"{out}/coefficients_0.hdf5"
        energy = self.table(f"{out}/energy.csv")

        text = self.run_program("info", snapshot)
        self.assertIn("units     nbody (G = 1)", text)
        self.assertIn("time      t = 1\n", text)
        fastest = float(re.search(r"velocity  x \S+ to (\S+),", text).group(1))
        self.assertLess(fastest, 1.5, "the escape velocity of the centre is sqrt(2)")
        self.assertIn(" subhalo(s), time 1, nbody (G = 1)", self.run_program("info", catalogue))
        text = self.run_program("info", coefficients)
        self.assertIn("units     nbody, G = 1\n", text)
        self.assertIn("moment 1    time 1,", text)
        self.assertIn("halos         1\n", self.run_program("info", out))

        text = self.run_program("forces", snapshot, "-o", "f.hdf5", "--solver", "direct", "--softening", "0.05")
        self.assertIn("G = 1\n", text)
        with h5py.File(self.folder / "f.hdf5") as file:
            potential = file["Potentials"][:].sum() / 800
        # the expansion's energy in the log differs by what 4 radial orders do not resolve
        self.assertAlmostEqual(potential / energy["potential"][-1], 1, delta=0.1)

        text = self.run_program("find", snapshot, "--absolute-linking-length", "1", "-o", f"{out}/again", "--csv",
                                f"{out}/groups.csv")
        self.assertNotIn("kpc", text)
        self.assertNotIn("km/s", text)
        found, logged = self.table(f"{out}/groups.csv"), self.table(f"{out}/halos_001.csv")
        self.assertEqual(list(found), list(logged), "no column names a unit")
        for column in ("GroupMass", "GroupVelDisp", "GroupVel_x", "GroupPos_y"):
            np.testing.assert_allclose(found[column], logged[column], rtol=1e-12, err_msg=column)

        for halos in (catalogue, f"{out}/again/fof_subhalo_tab_001.hdf5"):
            text = self.run_program("profile", snapshot, "--halos", halos, "-o", "p.csv", "--range", "0.1,2", "--bins", "4")
            self.assertNotIn("kpc", text)
            profile = self.table("p.csv")
            np.testing.assert_allclose(profile["CircularVelocity"],
                                       np.sqrt(profile["MassInside"] / profile["RadiusOuter"]), rtol=1e-12)
            # about the halo's own velocity, which the catalogue holds in its units
            self.assertLess(np.abs(profile["MeanRadialVelocity"]).max(), 0.5)

        text = self.run_program("evaluate", coefficients, "-o", "field.csv", "--radii", "1:2:2")
        self.assertIn("time 1 (", text)
        self.assertIn("; G = 1\n", text)
        self.assertAlmostEqual(self.table("field.csv")["potential"][0], -1 / math.sqrt(2), delta=0.1)

        text = self.run_program("expand", snapshot, "-o", "c.hdf5", "--n-max", "2", "--l-max", "0")
        self.assertIn("; G = 1\n", text)

        self.run_program("density", snapshot, "-o", "d.hdf5", "--method", "cic", "--grid", "8", "--region",
                         "-2:2,-2:2,-2:2", "--fields", "velocity")
        with h5py.File(self.folder / "d.hdf5") as file:
            self.assertEqual(file.attrs["Units"].decode() if isinstance(file.attrs["Units"], bytes) else
                             file.attrs["Units"], "nbody")
            self.assertEqual(file.attrs["Time"], 1)
            self.assertLess(np.nanmax(np.abs(file["Velocity"][:])), 1.5)

        # the run chose the frame of its pictures from the first state: time, unit of the bar and circles are alike
        first = ("plot", f"{out}/snapshot_000.hdf5", "--halos", f"{out}/fof_subhalo_tab_000.hdf5", "--pixels", "300")
        self.run_program(*first, "-o", "a.png")
        self.assertIn("no difference", self.run_program("diff", "--exact", "a.png", f"{out}/projection_000.png"))
        # --units asks for what stands for the numbers in a physical run
        self.assertIn(" kpc ", self.run_program("find", first[1], "--units", "galactic", "-o", f"{out}/kpc"))

        self.run_program("run", self.write("next.yaml", f"""
            initial_conditions: {{model: file, file: {snapshot}}}
            gravity: {{softening: 0.05}}
            integrator: {{timestep: 0.25}}
            run: {{end_time: 1.5}}"""), "-o", f"{out}/next", "--quiet")
        following = self.table(f"{out}/next/energy.csv")
        self.assertEqual(following["time"][0], 1)
        np.testing.assert_allclose(following["kinetic"][0], energy["kinetic"][-1], rtol=1e-12)

    def test_galactic_files_of_a_run_with_g_one_come_back_with_g_one(self):
        out = self.made()
        with h5py.File(self.folder / out / "snapshot_001.hdf5") as file:
            self.assertEqual(file["Units"].attrs["UnitVelocity_in_cm_per_s"], 1e5)
        self.assertGreater(np.abs(self.velocities(f"{out}/snapshot_001.hdf5")).max(), 100, "km/s in the file")
        self.assert_speaks_in_g_one(out)
        # what `find` sorts keeps the file's units, and every bit of the velocities
        np.testing.assert_array_equal(self.velocities(f"{out}/snapshot_001.hdf5"),
                                      self.velocities(f"{out}/again/snapshot_001.hdf5"))

    def test_files_in_the_numbers_of_the_run_hold_g_one_and_say_so(self):
        galactic, own = self.made(), self.made("output.units=run", "output.format=hdf5+tipsy", name="own")
        for name in ("energy.csv", "halos_001.csv", "projection_001.png"):
            self.assertIn("no difference", self.run_program("diff", "--exact", f"{galactic}/{name}", f"{own}/{name}"))
        with h5py.File(self.folder / own / "snapshot_001.hdf5") as file:
            self.assertEqual(file["Header"].attrs["Time"], 1)
            units = file["Units"].attrs
            g = 6.6743e-8 * units["UnitMass_in_g"] / units["UnitLength_in_cm"] / units["UnitVelocity_in_cm_per_s"]**2
            self.assertAlmostEqual(g, 1, places=14)
            self.assertEqual(file["Provenance"].attrs["FileVelocityPerInternal"], 1)
        with h5py.File(self.folder / own / "fof_subhalo_tab_001.hdf5") as file:
            self.assertEqual(file["Group/GroupVel"][0, 0], self.table(f"{own}/halos_001.csv")["GroupVel_x"][0])
        np.testing.assert_allclose(self.velocities(f"{galactic}/snapshot_001.hdf5"),
                                   ROOT_G * self.velocities(f"{own}/snapshot_001.hdf5"), rtol=1e-15)
        self.assert_speaks_in_g_one(own)
        np.testing.assert_array_equal(self.velocities(f"{own}/snapshot_001.hdf5"),
                                      self.velocities(f"{own}/again/snapshot_001.hdf5"))
        text = self.run_program("info", f"{own}/snapshot_001.tipsy")
        self.assertIn("units     nbody (G = 1)", text)
        self.assertIn("time      t = 1\n", text)
        self.run_program("diff", f"{galactic}/snapshot_001.hdf5", f"{own}/snapshot_001.hdf5", "--tolerance", "1e-15")

    def test_initial_conditions_and_sorted_tables_with_g_one_stay_so(self):
        self.run_program("ics", self.write("run.yaml", RUN), "-o", "start.hdf5")
        self.assertIn("units     nbody (G = 1)", self.run_program("info", "start.hdf5"))
        self.run_program("ics", "run.yaml", "-o", "own.hdf5", "--set", "output.units=run")
        self.assertIn("units     nbody (G = 1)", self.run_program("info", "own.hdf5"))
        self.run_program("diff", "start.hdf5", "own.hdf5", "--tolerance", "1e-15")
        table = self.write("t.txt", "1 1 0 0 0 0 1 0\n2 1 1 0 0 0 -1 0\n")
        self.run_program("find", table, "--absolute-linking-length", "2", "--min-members", "2", "-o", "out")
        self.assertIn("y -1 to 1", self.run_program("info", "out/snapshot_000.hdf5"))

    def test_a_file_of_a_run_with_g_one_starts_a_run_in_physical_units(self):
        self.run_program("ics", self.write("run.yaml", RUN), "-o", "start.hdf5")
        self.run_program("ics", self.write("mpc.yaml", """
            units: {length: Mpc, mass: 1e10 Msun, velocity: km/s}
            initial_conditions: {model: file, file: start.hdf5}"""), "-o", "physical.hdf5")
        self.assertIn("units     kpc, 1e+10 Msun, km/s\n", self.run_program("info", "physical.hdf5"))
        np.testing.assert_allclose(self.velocities("physical.hdf5"), self.velocities("start.hdf5"), rtol=1e-14)

    def test_the_units_of_a_physical_run_stand_in_its_files_where_asked_for(self):
        self.run_program("ics", self.write("a.yaml", """
            units: {length: Mpc, mass: 1e12 Msun, velocity: km/s}
            initial_conditions: {model: plummer, particles: 100, mass: 1000, scale_radius: 0.5}
            output: {units: run}"""), "-o", "own.hdf5")
        self.assertIn("units     Mpc, 1e+12 Msun, km/s\n", self.run_program("info", "own.hdf5"))
        self.run_program("ics", "a.yaml", "-o", "galactic.hdf5", "--set", "output.units=galactic")
        self.assertIn("units     kpc, 1e+10 Msun, km/s\n", self.run_program("info", "galactic.hdf5"))
        self.assertIn("expected one of galactic, run", self.refused("ics", "a.yaml", "-o", "x.hdf5", "--set",
                                                               "output.units=cgs"))


if __name__ == "__main__":
    unittest.main()
