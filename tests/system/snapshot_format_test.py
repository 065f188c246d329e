"""The rules that yt, pynbody, Gadgetviewer and GADGET-4 lean on, checked with h5py on files the program wrote;
and, where pynbody or yt can be imported, the readers themselves."""
import unittest

import h5py
import numpy as np

from aureole_program import ProgramTest, real_data

CONFIG = """
seed: 2
units: nbody
initial_conditions:
  components:
    - {model: plummer, particles: 600, position: [-20, 0, 0]}
    - {model: plummer, particles: 400, position: [20, 0, 0], velocity: [0, 0, 0.5], type: 4}
gravity: {softening: 0.05}
integrator: {timestep: 0.1}
run: {end_time: 1}
"""

HEADER = {"NumPart_ThisFile": (np.uint32, (6,)), "NumPart_Total": (np.uint32, (6,)),
          "NumPart_Total_HighWord": (np.uint32, (6,)), "MassTable": (np.float64, (6,)),
          "NumFilesPerSnapshot": (np.int32, ())}
HEADER |= {name: (np.float64, ()) for name in ("Time", "Redshift", "BoxSize", "Omega0", "OmegaLambda", "OmegaBaryon",
                                               "HubbleParam")}
HEADER |= {"Flag_" + name: (np.int32, ()) for name in ("Sfr", "Cooling", "StellarAge", "Metals", "Feedback",
                                                       "DoublePrecision", "Entropy_ICs")}
UNITS = {"UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s", "UnitTime_in_s"}
PARAMETERS = UNITS | {"Omega0", "OmegaLambda", "OmegaBaryon", "HubbleParam", "BoxSize", "ComovingIntegrationOn",
                      "SofteningClassOfPartType1", "SofteningComovingClass0", "SofteningMaxPhysClass0"}
FIELD = {"a_scaling", "h_scaling", "length_scaling", "mass_scaling", "velocity_scaling", "to_cgs", "VarDescription",
         "CGSConversionFactor", "aexp-scale-exponent", "h-scale-exponent"}
FORBIDDEN = {"FOF", "Group", "Subhalo", "Constants", "Policy", "Config"}
COMOVING = {"Coordinates": (1, -1), "Velocities": (0.5, 0), "Masses": (0, -1), "Potential": (-1, 0)}
KPC_CM, KM_CM, GYR_S = 3.085678e21, 1e5, 3.15576e16


class FormatTest(ProgramTest):
    def ics(self):
        self.run_program("ics", self.write("ics.yaml", CONFIG), "-o", "snapshot_000.hdf5")
        return self.folder / "snapshot_000.hdf5"

    def find(self, snapshot, *arguments):
        self.run_program("find", snapshot, "-o", "halos", *arguments)
        return next((self.folder / "halos").glob("snapshot_*.hdf5")), next((self.folder / "halos").glob("fof_*.hdf5"))

    def check_attributes(self, attributes, expected):
        for name, (dtype, shape) in expected.items():
            with self.subTest(attribute=name):
                self.assertEqual(np.asarray(attributes[name]).dtype, dtype)
                self.assertEqual(np.shape(attributes[name]), shape)

    def check_snapshot(self, path, comoving):
        self.assertRegex(path.name, r"_\d{3,}\.hdf5$")
        with h5py.File(path) as file:
            self.assertFalse(FORBIDDEN & set(file))
            header, parameters = file["Header"].attrs, file["Parameters"].attrs
            self.check_attributes(header, HEADER)
            self.assertEqual(set(header), set(HEADER), "a stray attribute, as Code is, can crash yt")
            self.assertEqual(set(file["Units"].attrs), UNITS)
            self.assertLessEqual(PARAMETERS, set(parameters))
            self.check_attributes(parameters, {name: (np.asarray(parameters[name]).dtype, ()) for name in parameters})
            self.assertEqual(parameters["ComovingIntegrationOn"], int(comoving))
            self.assertFalse(np.any(header["MassTable"]))
            if not comoving:
                self.assertEqual([header[k] for k in ("Redshift", "Omega0", "OmegaLambda", "OmegaBaryon", "HubbleParam")],
                                 [0, 0, 0, 0, 1])
                self.assertAlmostEqual(parameters["Time_GYR"] * GYR_S, header["Time"] * file["Units"].attrs["UnitTime_in_s"],
                                       delta=1e-9 * GYR_S)
            self.assertEqual(list(header["NumPart_Total"]), list(header["NumPart_ThisFile"]))
            for kind, n in enumerate(header["NumPart_ThisFile"]):
                self.assertEqual(f"PartType{kind}" in file, n > 0)
                if n > 0:
                    self.check_type(file[f"PartType{kind}"], n, comoving)

    def check_type(self, group, n, comoving):
        self.assertLessEqual({"Coordinates", "Velocities", "ParticleIDs", "Masses"}, set(group))
        self.assertNotIn("grp", group)
        self.assertEqual(group["ParticleIDs"].dtype, np.uint64)
        for name, data in group.items():
            with self.subTest(dataset=data.name):
                self.assertEqual(data.shape, (n, 3) if name in ("Coordinates", "Velocities") else (n,))
                self.assertEqual(set(data.attrs), FIELD)
                a, h = COMOVING.get(name, (0, 0)) if comoving else (0, 0)
                for family in (("a_scaling", "h_scaling"), ("aexp-scale-exponent", "h-scale-exponent")):
                    self.assertEqual([data.attrs[key] for key in family], [a, h])
                self.assertEqual(data.attrs["to_cgs"], data.attrs["CGSConversionFactor"])
                self.assertEqual(data.attrs["VarDescription"].dtype.kind, "S")

    def check_catalogue(self, path, n_groups):
        self.assertRegex(path.name, r"^fof_subhalo_tab_\d{3}\.hdf5$")
        with h5py.File(path) as file:
            header = file["Header"].attrs
            for what in ("Ngroups", "Nsubhalos", "Nids"):
                for where in ("ThisFile", "Total"):
                    self.check_attributes(header, {f"{what}_{where}": (np.int64, ())})
            self.check_attributes(header, {"Time": (np.float64, ()), "Redshift": (np.float64, ()),
                                           "BoxSize": (np.float64, ()), "NumFiles": (np.int32, ())})
            self.assertEqual([header["Ngroups_Total"], header["Nsubhalos_Total"]], [n_groups, n_groups])
            if n_groups == 0:
                self.assertEqual((len(file["Group"]), len(file["Subhalo"])), (0, 0))
                return
            self.assertEqual(header["Nids_Total"], file["Group/GroupLen"][:].sum())
            self.assertEqual(list(file["Group/GroupFirstSub"][:]), list(range(n_groups)))
            self.assertEqual(list(file["Group/GroupNsubs"][:]), [1] * n_groups)
            self.assertEqual(list(file["Subhalo/SubhaloGroupNr"][:]), list(range(n_groups)))
            for group in ("Group", "Subhalo"):
                self.assertTrue(np.array_equal(file[group][group + "LenType"][:], file["Group/GroupLenType"][:]))
                for data in file[group].values():
                    self.assertEqual(data.shape[0], n_groups)


class Rules(FormatTest):
    def test_initial_conditions(self):
        path = self.ics()
        self.check_snapshot(path, comoving=False)
        with h5py.File(path) as file:
            self.assertEqual(list(file["Header"].attrs["NumPart_Total"]), [0, 600, 0, 0, 400, 0])
            self.assertEqual(set(file["PartType1/ComponentIDs"][:]), {0})
            self.assertEqual(set(file["PartType4/ComponentIDs"][:]), {1})
            self.assertEqual(file["Units"].attrs["UnitLength_in_cm"], KPC_CM)
            self.assertIn("FileVelocityPerInternal", file["Provenance"].attrs)
            self.assertAlmostEqual(file["Provenance"].attrs["FileVelocityPerInternal"], 207.417, places=3)
            momentum = sum((file[f"PartType{kind}/Masses"][:] * file[f"PartType{kind}/Velocities"][:, 2]).sum()
                           for kind in (1, 4))
            self.assertAlmostEqual(momentum, 0, delta=1e-8, msg="one barycentric shift")

    def test_sorted_copy_and_catalogue(self):
        snapshot, catalogue = self.find(self.ics(), "--absolute-linking-length", "1")
        self.check_snapshot(snapshot, comoving=False)
        with h5py.File(catalogue) as file:
            n_groups = len(file["Group/GroupLen"])
            lengths, offsets = file["Group/GroupLenType"][:], file["Group/GroupOffsetType"][:]
        self.assertGreaterEqual(n_groups, 2)
        self.check_catalogue(catalogue, n_groups)
        with h5py.File(snapshot) as file:
            for kind in (1, 4):
                labels = file[f"PartType{kind}/FOFGroupIDs"][:]
                expected = np.full(len(labels), -1)
                for row in range(n_groups):
                    expected[offsets[row, kind]:offsets[row, kind] + lengths[row, kind]] = row
                self.assertTrue(np.array_equal(labels, expected))

    def test_no_halos_at_all(self):
        snapshot, catalogue = self.find(self.ics(), "--absolute-linking-length", "1e-6")
        self.check_snapshot(snapshot, comoving=False)
        self.check_catalogue(catalogue, 0)

    def test_a_comoving_file_keeps_its_exponents(self):
        snapshot, catalogue = self.find(real_data("gadget/glass_32.hdf5"))
        self.check_snapshot(snapshot, comoving=True)
        with h5py.File(catalogue) as file:
            self.check_catalogue(catalogue, int(file["Header"].attrs["Ngroups_Total"]))


class Readers(FormatTest):
    """Numbers of `ics` above: mass 2 and 1e10 Msun a unit, clumps 40 kpc apart, 0.5 units of velocity between them."""

    def test_pynbody(self):
        pynbody = self.imported("pynbody")
        snapshot, _ = self.find(self.ics(), "--absolute-linking-length", "1")
        s = pynbody.load(str(snapshot))
        s.physical_units()
        self.assertAlmostEqual(float(s["mass"].sum().in_units("1e10 Msol")), 2, delta=0.002)
        self.assertAlmostEqual(float(s.star["vel"][:, 2].mean() - s.dm["vel"][:, 2].mean()), 0.5 * 207.417, delta=20)
        self.assertAlmostEqual(float(s.star["pos"][:, 0].mean() - s.dm["pos"][:, 0].mean()), 40, delta=2)
        halos = s.halos()
        self.assertGreaterEqual(len(halos), 2)
        for row in range(len(halos)):
            self.assertEqual(set(np.asarray(halos[row]["FOFGroupIDs"])), {row})
        none, _ = self.find(self.ics(), "--absolute-linking-length", "1e-6")
        self.assertEqual(len(pynbody.load(str(none)).halos()), 0)

    def test_yt(self):
        yt = self.imported("yt")
        yt.set_log_level(50)
        data = yt.load(str(self.ics()), bounding_box=[[-1000, 1000]] * 3).all_data()
        self.assertAlmostEqual(float(data["all", "particle_mass"].sum().to("Msun")) / 2e10, 1, delta=0.002)
        lift = [data[kind, "particle_velocity_z"].mean().to("km/s") for kind in ("PartType4", "PartType1")]
        self.assertAlmostEqual(float(lift[0] - lift[1]), 0.5 * 207.417, delta=20)

    def test_a_box_in_megaparsecs_keeps_its_lengths_in_yt_and_pynbody(self):
        snapshot, _ = self.find(real_data("fof/psi_snapshot_010"), "--linking-length", "0.2")
        with self.subTest(reader="yt"):
            yt = self.imported("yt")
            yt.set_log_level(50)
            box = yt.load(str(snapshot))
            self.assertAlmostEqual(float(box.domain_width[0].to("Mpccm/h")), 40, delta=1e-3)
            mass = box.all_data()["PartType1", "particle_mass"][0].to("Msun/h")
            self.assertAlmostEqual(float(mass) / 14.96e10, 1, delta=1e-3)
        with self.subTest(reader="pynbody"):
            pynbody = self.imported("pynbody")
            s = pynbody.load(str(snapshot))
            self.assertAlmostEqual(float(s.properties["boxsize"].in_units("Mpc a h^-1", **s.conversion_context())), 40,
                                   delta=1e-3)

    def test_numbers_of_a_run_with_g_one_in_both(self):
        """As docs/file_formats.md says."""
        yt, pynbody = self.imported("yt"), self.imported("pynbody")
        yt.set_log_level(50)
        galactic = self.ics()
        own = self.folder / "own_000.hdf5"
        self.run_program("ics", "ics.yaml", "-o", own, "--set", "output.units=run")
        with h5py.File(galactic) as file:
            per = dict(file["Provenance"].attrs)
        with h5py.File(own) as file:
            expected, units = file["PartType1/Velocities"][:, 2], dict(file["Units"].attrs)
        self.assertLess(abs(expected).max(), 3, "G = 1")

        def assert_equal(found):
            np.testing.assert_allclose(np.sort(np.asarray(found)), np.sort(expected), rtol=1e-12)

        box = [[-1000, 1000]] * 3
        data = yt.load(str(galactic), bounding_box=box).all_data()
        assert_equal(data["PartType1", "particle_velocity_z"].to("km/s") / per["FileVelocityPerInternal"])
        base = {"length": (units["UnitLength_in_cm"], "cm"), "mass": (units["UnitMass_in_g"], "g"),
                "velocity": (units["UnitVelocity_in_cm_per_s"], "cm/s")}
        data = yt.load(str(own), bounding_box=box, unit_base=base).all_data()
        assert_equal(data["PartType1", "particle_velocity_z"].to("code_velocity"))
        assert_equal(data["PartType1", "particle_velocity_z"].to("km/s") / per["FileVelocityPerInternal"])
        s = pynbody.load(str(galactic))
        s.physical_units(distance="kpc", velocity=f"{per['FileVelocityPerInternal']} km s**-1", mass="1e10 Msol")
        assert_equal(s.dm["vel"][:, 2])
        s = pynbody.load(str(own))
        assert_equal(s.dm["vel"][:, 2])
        assert_equal(s.dm["vel"][:, 2].in_units("km s**-1") / per["FileVelocityPerInternal"])

    def test_yt_opens_its_own_catalogue(self):
        yt = self.imported("yt")
        yt.set_log_level(50)
        _, catalogue = self.find(self.ics(), "--absolute-linking-length", "1", "--yt-catalogue")
        halos = yt.load(str(next(catalogue.parent.glob("halos_*.0.h5")))).all_data()
        with h5py.File(catalogue) as file:
            group = {name: data[:] for name, data in file["Group"].items()}
        self.assertEqual(len(halos["all", "particle_mass"]), len(group["GroupMass"]))
        order = np.argsort(halos["all", "particle_identifier"])
        for name, unit, expected in (("particle_mass", "Msun", 1e10 * group["GroupMass"]),
                                     ("particle_position_x", "kpc", group["GroupPos"][:, 0]),
                                     ("particle_velocity_z", "km/s", group["GroupVel"][:, 2]),
                                     ("virial_radius", "kpc", group["GroupRadius"])):
            found = np.asarray(halos["all", name].to(unit))[order]
            np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3 * np.abs(expected).max(), err_msg=name)

    def imported(self, name):
        try:
            return __import__(name)
        except ImportError:
            self.skipTest(f"{name} is not installed for this Python")


if __name__ == "__main__":
    unittest.main()
