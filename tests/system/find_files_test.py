"""What `aureole find` takes and writes besides snapshots: memberships, .grp arrays, CSV, subsamples, settings."""
import csv
import shutil
import unittest

import h5py
import numpy as np

from aureole_program import ProgramTest, real_data

# two lumps of 30 and 25 particles on lines, and 9 far away on their own
LUMPS = [(k, 0.1 * k, 0, 0) for k in range(30)] + [(100 + k, 50 + 0.1 * k, 0, 0) for k in range(25)] \
    + [(200 + k, 0, 20 + 5 * k, 3 * k) for k in range(9)]
LINK = ("--absolute-linking-length", "0.2")


class FindFiles(ProgramTest):
    def setUp(self):
        super().setUp()
        self.table = self.write("table.txt", "".join(f"{i} 2 {x} {y} {z} {i % 3} 0 0\n" for i, x, y, z in LUMPS))

    def groups(self, path):
        with h5py.File(self.folder / path) as file:
            return {name: data[:] for name, data in file["Group"].items()}

    def grp(self, name):
        numbers = [int(word) for word in (self.folder / name).read_text().split()]
        self.assertEqual(numbers[0], len(numbers) - 1)
        return numbers[1:]


class Dendrogram(FindFiles):
    def test_its_cuts_are_the_groups_of_every_linking_length(self):
        self.run_program("find", self.table, *LINK, "--labels", "a.grp", "--dendrogram", "tree.hdf5")
        with h5py.File(self.folder / "tree.hdf5") as file:
            linkage, ids = file["Linkage"][:], file["ParticleIDs"][:]
        self.assertEqual(sorted(ids), sorted(row[0] for row in LUMPS))
        self.assertEqual(linkage.shape, (len(LUMPS) - 1, 4))
        self.assertEqual(linkage[-1, 3], len(LUMPS))
        self.assertTrue((np.diff(linkage[:, 2]) >= 0).all())
        for length, components in ((0.2, 11), (5.9, 3), (0.05, 64)):
            self.assertEqual(len(LUMPS) - (linkage[:, 2] <= length).sum(), components, length)


class CataloguesInOtherUnits(FindFiles):
    def in_units(self, source, name, length, mass, velocity):
        """The same catalogue in a unit of length that is `length` times as large, and so on."""
        shutil.copy(self.folder / source, self.folder / name)
        factors = {"length": length, "mass": mass, "velocity": velocity}
        with h5py.File(self.folder / name, "r+") as file:
            for unit, factor in (("UnitLength_in_cm", length), ("UnitMass_in_g", mass),
                                 ("UnitVelocity_in_cm_per_s", velocity)):
                file["Units"].attrs[unit] *= factor
            for quantity, factor in (*factors.items(), ("time", length / velocity)):
                file["Provenance"].attrs[f"File{quantity.title()}PerInternal"] /= factor
            for group in ("Group", "Subhalo"):
                for data in file[group].values():
                    if data.dtype.kind == "f":
                        data[...] = data[...] / np.prod([factor ** data.attrs[f"{quantity}_scaling"]
                                                         for quantity, factor in factors.items()])
            file["Header"].attrs["Time"] /= length / velocity
            file["Header"].attrs["BoxSize"] /= length

    def test_are_compared_after_conversion(self):
        self.run_program("find", self.table, *LINK, "--softening", "0.05", "-o", "out")
        found = "out/fof_subhalo_tab_000.hdf5"
        self.in_units(found, "mpc.hdf5", 1000, 1e-3, 10)
        text = self.run_program("diff", found, "mpc.hdf5", "--tolerance", "1e-12")
        self.assertIn("units      differ: the numbers of the second are converted to those of the first", text)
        with h5py.File(self.folder / "mpc.hdf5", "r+") as file:
            file["Group/GroupMass"][1] *= 1.001
        text = self.run_program("diff", found, "mpc.hdf5", "--tolerance", "1e-12", status=1)
        self.assertRegex(text, r"GroupMass +[12] differ, by up to 0\.05")

    def test_without_known_dimensions_are_compared_as_they_are_and_differ(self):
        self.run_program("find", self.table, *LINK, "-o", "out")
        found = "out/fof_subhalo_tab_000.hdf5"
        self.in_units(found, "mpc.hdf5", 1000, 1, 1)
        with h5py.File(self.folder / "mpc.hdf5", "r+") as file:
            del file["Group/GroupMass"].attrs["mass_scaling"]
        text = self.run_program("diff", found, "mpc.hdf5", "--tolerance", "1e6", status=1)
        self.assertIn("units      differ: numbers are compared as they are", text)


class Memberships(FindFiles):
    def test_labels_of_either_kind_give_the_groups_that_were_found(self):
        self.run_program("find", self.table, *LINK, "-o", "found", "--device", "cpu")
        self.run_program("find", self.table, *LINK, "-o", "anywhere")
        self.run_program("find", self.table, *LINK, "--labels", "a.grp")
        self.run_program("find", self.table, *LINK, "--labels", "a.hdf5")
        self.assertEqual(self.grp("a.grp"), [1] * 30 + [2] * 25 + [0] * 9)
        found = self.groups("found/fof_subhalo_tab_000.hdf5")
        for name, data in self.groups("anywhere/fof_subhalo_tab_000.hdf5").items():
            np.testing.assert_allclose(data, found[name], rtol=1e-12, atol=1e-12, err_msg=name)  # a GPU's sums
        for members in ("a.grp", "a.hdf5"):
            text = self.run_program("find", self.table, "--members", members, "-o", members + ".out", "--device", "cpu")
            self.assertIn(f"memberships of {members}", text)
            again = self.groups(f"{members}.out/fof_subhalo_tab_000.hdf5")
            self.assertEqual(again.keys(), found.keys())
            for name in found:
                np.testing.assert_array_equal(again[name], found[name], name)

    def test_given_groups_are_numbered_by_size_and_small_ones_are_none(self):
        names = [7] * 5 + [3] * 25 + [0] * 4 + [9] * 30
        self.write("other.grp", f"{len(names)}\n" + "\n".join(map(str, names)))
        text = self.run_program("find", self.table, "--members", "other.grp", "--min-members", "6", "--labels", "new.grp")
        self.assertIn("2 group(s) of at least 6", text)
        self.assertEqual(self.grp("new.grp"), [0] * 5 + [2] * 25 + [0] * 4 + [1] * 30)

    def test_wrong_files_say_what_is_wrong(self):
        self.write("short.grp", "3\n1\n1\n1\n")
        self.assertIn("holds 3 group numbers, expected 64", self.refused("find", self.table, "--members", "short.grp"))
        self.write("word.grp", "64\n" + "1\n" * 9 + "one\n")
        self.assertIn("line 11: found 'one'", self.refused("find", self.table, "--members", "word.grp"))
        self.assertIn("cannot be read", self.refused("find", self.table, "--members", "absent.grp"))
        self.run_program("find", self.table, "--members", "short.grp", *LINK, status=2)
        self.assertIn("is the input", self.refused("find", self.table, *LINK, "--labels", self.table))
        self.assertIn("--labels and --csv: both name ./both.csv",
                      self.refused("find", self.table, *LINK, "--labels", "both.csv", "--csv", "./both.csv"))

    def test_groups_of_another_finder_in_a_real_file(self):
        text = self.run_program("find", real_data("tipsy/tiny.000832"), "--members",
                                real_data("tipsy/tiny.000832.amiga.grp"), "-o", "out", "--min-members", "5")
        self.assertIn("the largest 605", text)


class Options(FindFiles):
    def test_bad_settings_name_key_and_choices(self):
        for option, value, words in [("--method", "fof", "expected one of fastest, kd_tree, brute_force, grid"),
                                     ("--border", "far", "expected one of none, nearest"),
                                     ("--centre", "here", "expected one of most_bound"),
                                     ("--overdensities", "200c,much", "a list of overdensities"),
                                     ("--linking-velocity", "-1", "found -1, expected a number above 0"),
                                     ("--min-friends", "0", "at least 1"),
                                     ("--method", "dbscan", "needs halos.min_friends")]:
            self.assertIn(words, self.refused("find", self.table, *LINK, option, value), option)

    def test_methods_name_the_same_groups(self):
        found = {}
        for method in ("kd_tree", "brute_force", "grid"):
            self.run_program("find", self.table, *LINK, "--method", method, "--labels", method + ".grp")
            found[method] = self.grp(method + ".grp")
        self.assertEqual(found["kd_tree"], found["brute_force"])
        self.assertEqual(found["kd_tree"], found["grid"])

    def test_phase_space_and_core_particles_part_what_space_joins(self):
        # velocities go round 0, 1, 2 along the lumps: at psi = 1 no particle is a friend of its neighbour
        text = self.run_program("find", self.table, *LINK, "--linking-velocity", "1", "-o", "cold")
        self.assertIn("linking velocity 1", text)
        self.assertIn("0 group(s)", text)
        text = self.run_program("find", self.table, *LINK, "--linking-velocity", "100", "-o", "hot")
        self.assertIn("2 group(s)", text)
        # at 0.25 the inner ones have four friends, the last two of an end fewer
        length = ("--absolute-linking-length", "0.25", "--method", "dbscan", "--min-friends", "4")
        text = self.run_program("find", self.table, *length, "-o", "core")
        self.assertIn("4 friends to link", text)
        self.assertEqual(list(self.groups("core/fof_subhalo_tab_000.hdf5")["GroupLen"]), [26, 21])
        self.run_program("find", self.table, *length, "--border", "nearest", "-o", "border")
        self.assertEqual(list(self.groups("border/fof_subhalo_tab_000.hdf5")["GroupLen"]), [30, 25])

    def test_phase_space_needs_velocities(self):
        self.run_program("find", self.table, *LINK, "-o", "out")
        with h5py.File(self.folder / "out/snapshot_000.hdf5", "a") as file:
            del file["PartType1/Velocities"]
        text = self.refused("find", "out/snapshot_000.hdf5", *LINK, "--linking-velocity", "3", "-o", "other")
        self.assertIn("the snapshot holds no velocities", text)
        self.run_program("find", "out/snapshot_000.hdf5", *LINK, "-o", "other")

    def test_the_largest_groups_and_what_was_expected_are_printed(self):
        text = self.run_program("find", self.table, *LINK, "-o", "out")
        self.assertIn("mean separation", text)
        self.assertIn("others within the linking length", text)
        self.assertRegex(text, r"group +length +mass +x +y +z +dispersion +radius\n +0 +30 +60 ")
        self.assertRegex(text, r"\n +1 +25 +50 +51.2 ")

    def test_csv_has_units_in_its_header(self):
        self.run_program("find", self.table, *LINK, "-o", "out", "--csv", "groups.csv", "--units",
                         "{length: kpc, mass: Msun, velocity: km/s}")
        with open(self.folder / "groups.csv") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([float(row["GroupMass [Msun]"]) for row in rows], [60, 50])
        self.assertAlmostEqual(float(rows[1]["GroupPos_x [kpc]"]), 51.2)
        self.assertIn("GroupVelDisp [km/s]", rows[0])


class Subsamples(FindFiles):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(3)
        x = rng.random((4000, 3))
        self.table = self.write("table.txt", "".join(f"{i + 1} 1 {a} {b} {c} 0 0 0\n" for i, (a, b, c) in enumerate(x)))

    def test_masses_grow_and_the_length_is_kept_or_rescaled(self):
        text = self.run_program("find", self.table, "--box", "1", "--subsample", "8", "-o", "kept", "--min-members", "2")
        self.assertIn("linking length 0.0125992 (0.2 times the mean separation 0.0629961)", text)
        self.assertRegex(text, r"subsample: \d+ of 4000 particles, one in 8 by seed 1 and id, masses times 8; "
                               "the linking length is that of all particles")
        with h5py.File(self.folder / "kept/snapshot_000.hdf5") as file:
            ids = set(file["PartType1/ParticleIDs"][:])
            scale = file["Provenance"].attrs["FileMassPerInternal"]
            np.testing.assert_allclose(file["PartType1/Masses"][:], 8 * scale)
        self.assertLess(abs(len(ids) - 500), 5 * np.sqrt(4000 / 8 * 7 / 8))
        text = self.run_program("find", self.table, "--box", "1", "--subsample", "8", "--rescale-linking-length", "-o",
                                "scaled", "--min-members", "2")
        self.assertIn("linking length 0.0251984", text)
        with h5py.File(self.folder / "scaled/snapshot_000.hdf5") as file:
            self.assertEqual(set(file["PartType1/ParticleIDs"][:]), ids)

    def test_an_array_of_labels_has_an_entry_for_every_particle_of_the_file(self):
        self.run_program("find", self.table, "--box", "1", "--subsample", "4", "--labels", "sub.grp", "--min-members", "2")
        self.assertEqual(len(self.grp("sub.grp")), 4000)

    def test_rescaling_without_a_subsample_is_a_usage_error(self):
        self.run_program("find", self.table, "--rescale-linking-length", status=2)
        self.run_program("find", self.table, "--subsample", "0", status=2)


class Runs(ProgramTest):
    def test_a_run_writes_catalogues_for_yt_and_tables_on_request(self):
        config = self.write("run.yaml", """
units: {length: kpc, mass: 1e10 Msun, velocity: km/s}
initial_conditions: {model: plummer, particles: 500, mass: 10, scale_radius: 2}
gravity: {softening: 0.1}
integrator: {timestep: 1 Myr}
run: {end_time: 1 Myr}
output: {halos: {every: 1 Myr, yt: true, csv: true}}
halos: {absolute_linking_length: 2}
""")
        self.run_program("run", config, "-o", "out")
        with h5py.File(self.folder / "out/halos_001.0.h5") as file:
            self.assertEqual(file.attrs["num_halos"], 1)
        with open(self.folder / "out/halos_001.csv") as file:
            row = next(csv.DictReader(file))
        with h5py.File(self.folder / "out/fof_subhalo_tab_001.hdf5") as file:
            self.assertAlmostEqual(float(row["GroupVelDisp [km/s]"]) / file["Group/GroupVelDisp"][0], 1, places=12)
        self.run_program("run", config, "-o", "out", "--overwrite")


if __name__ == "__main__":
    unittest.main()
