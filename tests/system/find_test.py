"""`aureole find` on real and made files: exact counts, sorted copies, labels, joining types."""
import re
import unittest

import h5py
import numpy as np

from aureole_program import ProgramTest, real_data


def group_table(path):
    with h5py.File(path) as file:
        return {name: data[:] for name, data in file["Group"].items()}


class RealFiles(ProgramTest):
    def test_cosmological_box(self):
        text = self.run_program("find", real_data("fof/psi_snapshot_010"), "-o", "out", "--linking-length", "0.2",
                                "--box", "40")
        self.assertIn("110 group(s)", text)
        groups = group_table(self.folder / "out/fof_subhalo_tab_010.hdf5")
        self.assertEqual(len(groups["GroupLen"]), 110)
        self.assertEqual(groups["GroupLen"].sum(), 8630)
        self.assertEqual(groups["GroupLen"][0], 1068)
        self.assertTrue(np.all(np.diff(groups["GroupLen"]) <= 0))
        self.check_members(self.folder / "out/snapshot_010.hdf5", groups)

    def test_a_box_that_names_no_units_is_taken_as_its_mean_density_says(self):
        box = real_data("fof/psi_snapshot_010")
        text = self.run_program("find", box, "-o", "out", "--linking-length", "0.2")
        self.assertIn("{length: Mpc, mass: 1e10 Msun, velocity: km/s} (lengths and masses over h): it is 1", text)
        self.assertIn("mean separation 1.25 Mpc/h (comoving)", text)
        with h5py.File(self.folder / "out/snapshot_010.hdf5") as file:  # in kpc/h, which yt takes for granted
            self.assertAlmostEqual(file["Header"].attrs["BoxSize"], 40000)
            self.assertAlmostEqual(file["Units"].attrs["UnitLength_in_cm"] / 3.085678e21, 1)
            self.assertGreater(file["PartType1/Coordinates"][:].max(), 39990)
        groups = group_table(self.folder / "out/fof_subhalo_tab_010.hdf5")
        # sqrt(G M / R) of the largest halo, 1.6e14 Msun/h: its greatest value was 26821 in kpc
        self.assertTrue(700 < groups["GroupVmax"][0] < 1000, groups["GroupVmax"][0])

    def test_units_that_contradict_the_mean_density_are_refused_with_those_that_fit(self):
        box = real_data("fof/psi_snapshot_010")
        for units in ("galactic", "nbody"):
            text = self.refused("find", box, "-o", "out", "--linking-length", "0.2", "--units", units)
            self.assertIn("expected units: {length: Mpc, mass: 1e10 Msun, velocity: km/s}", text)

    def test_files_whose_units_nothing_tells_are_refused_with_what_settles_it(self):
        box = real_data("tipsy/uniform32_z99.tipsy")
        self.assertIn("bComove", self.refused("find", box, "-o", "out", "--box", "1"))
        self.assertIn("bComove", self.run_program("info", box))
        self.run_program("find", box, "-o", "out", "--box", "1", "--units", "nbody")
        config = self.write("ball.yaml", "initial_conditions: {model: plummer, particles: 1000}\n")
        self.run_program("ics", config, "-o", "ball.hdf5")
        with h5py.File(self.folder / "ball.hdf5", "a") as file:  # the numbers of G = 1, as another code writes them
            scale = file["Provenance"].attrs["FileVelocityPerInternal"]
            file["PartType1/Velocities"][:] /= scale
            for group in ("Units", "Parameters", "Provenance"):
                del file[group]
        arguments = ("find", "ball.hdf5", "-o", "ball", "--absolute-linking-length", "1")
        self.assertIn("units: nbody", self.refused(*arguments))
        self.run_program(*arguments, "--units", "nbody")

    def test_the_softening_that_a_file_states_is_used_unless_another_is_given(self):
        box = real_data("cosmology/cube300_z0.hdf5")
        stated = self.run_program("find", box, "-o", "stated", "--linking-length", "0.2")
        self.assertIn("note: The file states a softening of 0.525 Mpc (/Parameters/SofteningComovingClass0), which is "
                      "used", stated)
        with h5py.File(self.folder / "stated/snapshot_000.hdf5") as file:  # and so does the sorted one, in kpc
            self.assertAlmostEqual(file["Parameters"].attrs["SofteningComovingClass0"], 525)
        other = self.run_program("find", box, "-o", "given", "--linking-length", "0.2", "--softening", "0.525")
        self.assertIn("the one that was given is used", other)
        none = self.run_program("find", box, "-o", "none", "--linking-length", "0.2", "--set", "gravity.softening=0")
        self.assertIn("the one that was given is used", none)
        centres = [group_table(self.folder / name / "fof_subhalo_tab_000.hdf5")["GroupPos"]
                   for name in ("stated", "given", "none")]
        np.testing.assert_array_equal(centres[0], centres[1])
        self.assertGreater(np.abs(centres[0] - centres[2]).max(), 100, "kpc/h that centres move without it")

    def check_members(self, snapshot, groups):
        """Offsets and lengths name the particles whose mass and centre of mass the catalogue gives."""
        with h5py.File(snapshot) as file:
            part = file["PartType1"]
            x, m, label = part["Coordinates"][:], part["Masses"][:], part["FOFGroupIDs"][:]
            side = file["Header"].attrs["BoxSize"]
        for g in (0, 1, len(groups["GroupLen"]) - 1):
            rows = slice(groups["GroupOffsetType"][g, 1], groups["GroupOffsetType"][g, 1] + groups["GroupLenType"][g, 1])
            self.assertTrue(np.all(label[rows] == g))
            self.assertAlmostEqual(m[rows].sum() / groups["GroupMass"][g], 1, places=6)
            offset = x[rows] - x[rows][0]
            offset -= side * np.rint(offset / side)
            centre = (x[rows][0] + (offset * m[rows, None]).sum(0) / m[rows].sum()) % side
            np.testing.assert_allclose(centre, groups["GroupCM"][g], atol=1e-5 * side)
        self.assertEqual(np.count_nonzero(label >= 0), groups["GroupLen"].sum())

    def test_tipsy_box_without_halos(self):
        text = self.run_program("find", real_data("tipsy/cube300/cube300.tbin"), "-o", "out", "--box", "1")
        self.assertIn("0 group(s)", text)
        self.assertIn("linking length", text)
        with h5py.File(self.folder / "out/fof_subhalo_tab_000.hdf5") as file:
            self.assertEqual(file["Header"].attrs["Ngroups_Total"], 0)
            self.assertEqual(len(file["Group"]), 0)
        with h5py.File(self.folder / "out/snapshot_000.hdf5") as file:
            x = file["PartType1/Coordinates"][:]
            self.assertEqual(len(x), 48**3)
            side = file["Header"].attrs["BoxSize"]
            self.assertTrue(x.min() >= 0 and x.max() < side)

    def test_colliding_galaxies(self):
        text = self.run_program("find", real_data("galaxy/galaxy_littleendian.dat"), "-o", "out",
                                "--absolute-linking-length", "1.3907")
        self.assertIn("10 group(s)", text)
        groups = group_table(self.folder / "out/fof_subhalo_tab_000.hdf5")
        self.assertEqual(list(groups["GroupLen"][:2]), [12627, 12627])


class MadeFiles(ProgramTest):
    def table(self, rows):
        return self.write("table.txt", "".join(f"{i} 1 {x} {y} {z} 0 0 0\n" for i, x, y, z in rows))

    def test_labels_are_in_input_order(self):
        rows = [(10, 0, 0, 0), (11, 9, 0, 0), (12, 0.5, 0, 0), (13, 9.5, 0, 0), (14, 10, 0, 0), (15, 50, 0, 0)]
        self.run_program("find", self.table(rows), "--absolute-linking-length", "0.5", "--min-members", "2", "--labels",
                         "labels.hdf5")
        with h5py.File(self.folder / "labels.hdf5") as file:
            self.assertEqual(list(file["ParticleIDs"][:]), [10, 11, 12, 13, 14, 15])
            self.assertEqual(list(file["GroupIDs"][:]), [1, 0, 1, 0, 0, -1])
            self.assertEqual(file["GroupIDs"].dtype, np.int64)

    def test_without_a_length_the_bounding_box_serves_with_a_warning(self):
        rows = [(k + 1, k % 4, k // 4 % 4, k // 16) for k in range(64)]
        text = self.run_program("find", self.table(rows), "-o", "out")
        self.assertIn("warning: no linking length", text)
        self.assertIn("0 group(s)", text)

    def test_a_relative_length_without_a_box_advises_what_the_command_knows(self):
        table = self.table([(k + 1, k % 4, k // 4 % 4, k // 16) for k in range(64)])
        config = self.write("run.yaml", "units: nbody\ninitial_conditions: {model: plummer, particles: 50}\n"
                            "integrator: {timestep: 0.1}\nrun: {end_time: 1}\n"
                            "output: {halos: {every: 1}}\nhalos: {linking_length: 0.2}\n")
        for command, advice in ((("find", table, "-o", "out", "--linking-length", "0.2"), "--box"),
                                (("find", table, "-o", "out", "--linking-length", "0.2", "--open"), "--box"),
                                (("run", config, "-o", "run"), "halos.absolute_linking_length")):
            text = self.refused(*command)
            self.assertIn(advice, text)
            self.assertIn("halos.mean_separation", text)
            known = self.run_program(command[0], "--help")
            for option in re.findall(r"--[a-z-]+", text):
                self.assertRegex(known, rf"{option}\b", f"{command[0]} has no {option}: {text}")

    def test_contradicting_lengths_are_a_usage_error(self):
        table = self.table([(1, 0, 0, 0)])
        self.run_program("find", table, "--linking-length", "0.2", "--absolute-linking-length", "1", status=2)
        self.run_program("find", table, "--box", "1", "--open", status=2)

    def test_a_least_number_of_members_of_subhalos_needs_a_search_for_them(self):
        command = ["find", "snapshot_000.hdf5", "-o", "out", "--absolute-linking-length", "1"]
        for asked in (["--subhalo-min-members", "30"], ["--set", "halos.subhalo_min_members=30"]):
            text = self.refused(*command, *asked)
            self.assertIn("--subhalo-min-members", text)
            self.assertIn("--substructure", text)
            self.assertIn("snapshot_000.hdf5", self.refused(*command, "--substructure", *asked), "it goes on to the file")

    def test_the_input_is_never_overwritten(self):
        self.run_program("find", self.table([(1, 0, 0, 0), (2, 1, 0, 0)]), "-o", ".", "--absolute-linking-length", "1")
        self.assertIn("is the input", self.refused("find", "snapshot_000.hdf5", "-o", ".", "--absolute-linking-length",
                                                   "1"))


if __name__ == "__main__":
    unittest.main()
