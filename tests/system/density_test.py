"""`aureole density`: a pancake from `aureole ics`, real particles in every method, and what is refused."""
import unittest

import h5py
import numpy as np

from aureole_program import ProgramTest, real_data

PANCAKE = """
initial_conditions:
  {model: lattice, particles: 4096, mass: 1,
   lattice: {box_side: 1, growth_factor: 1.5, wave_vectors: [1, 0, 0], wave_velocity: 2}}
"""


class Density(ProgramTest):
    def deposit(self, *arguments):
        """Runs it and returns (text, datasets, attributes)."""
        text = self.run_program("density", *arguments, "-o", "d.hdf5")
        with h5py.File(self.folder / "d.hdf5") as file:
            fields = {name: file[name][...] for name in file if getattr(file[name], "ndim", 0) >= 3}
            return text, fields, dict(file.attrs)

    def test_a_pancake_of_ics_has_its_exact_density_and_streams(self):
        self.run_program("ics", self.write("p.yaml", PANCAKE), "-o", "p.hdf5")
        text, field, of = self.deposit("p.hdf5", "--grid", "20,4,5", "--fields", "mass,velocity,dispersion,streams")
        self.assertIn("16^3 sites, ids from 1, z runs fastest", text)
        self.assertEqual(field["Density"].shape, (20, 4, 5))
        self.assertEqual(field["Velocity"].shape, (20, 4, 5, 3))
        self.assertEqual(field["NumberOfStreams"].dtype, np.uint32)
        q = np.arange(17) / 16
        x = q - 1.5 / (2 * np.pi) * np.sin(2 * np.pi * q)
        edges, expected = np.arange(21) / 20, np.zeros(20)
        for a, b in zip(np.minimum(x[1:], x[:-1]), np.maximum(x[1:], x[:-1])):
            for image in (-1, 0, 1):
                overlap = np.minimum(b + image, edges[1:]) - np.maximum(a + image, edges[:-1])
                expected += np.maximum(overlap, 0) / (b - a) / 16 * 20
        np.testing.assert_allclose(field["Density"], np.broadcast_to(expected[:, None, None], (20, 4, 5)), rtol=1e-12)
        self.assertAlmostEqual((field["Density"] * of["CellVolume"]).sum(), 1, delta=1e-14)
        self.assertEqual(of["TotalMass"], 1)
        self.assertAlmostEqual(of["SignedVolume"], 1, delta=1e-14)
        self.assertEqual(set(np.unique(field["NumberOfStreams"])), {1, 3})
        self.assertEqual(field["NumberOfStreams"][10, 0, 0], 1)
        self.assertEqual(of["LatticeAxes"], b"xyz")
        with h5py.File(self.folder / "d.hdf5") as file:
            self.assertIn(b"--grid 20,4,5", file["Provenance"].attrs["CommandLine"])

    def test_the_words_of_a_list_may_stand_in_one_argument_or_in_several(self):
        self.run_program("ics", self.write("p.yaml", PANCAKE), "-o", "p.hdf5")
        grid = ("--grid", "4", "--method", "cic")
        for arguments in (("p.hdf5", "--fields", "mass,velocity", *grid), ("p.hdf5", "--fields", "mass", "velocity", *grid),
                          ("--fields", "mass", "velocity", "p.hdf5", *grid), ("--fields", "velocity,mass", "p.hdf5", *grid),
                          (*grid, "--types", "0", "1", "--fields", "mass", "--fields", "velocity", "p.hdf5")):
            self.assertEqual(set(self.deposit(*arguments)[1]), {"Density", "Velocity"}, arguments)
        self.assertIn("expected some of mass, velocity, dispersion, streams",
                      self.refused("density", "p.hdf5", "-o", "d.hdf5", "--fields", "mass,speed"))
        self.run_program("density", "p.hdf5", "-o", "d.hdf5", "--fields", "mass", "speed", status=2)

    def test_real_particles_are_deposited_by_every_method(self):
        box = real_data("fof/psi_snapshot_010")
        text, sheet, of = self.deposit(box, "--box", "40", "--grid", "16", "--fields", "mass,streams")
        self.assertIn("32^3 sites, ids from 0, z runs fastest", text)
        self.assertTrue(np.all(sheet["NumberOfStreams"] % 2 == 1))
        self.assertTrue(np.all(sheet["Density"] > 0))
        coarse = sheet["Density"].reshape(4, 4, 4, 4, 4, 4).mean((1, 3, 5))
        for method in ("ngp", "cic", "tsc"):
            _, field, other = self.deposit(box, "--box", "40", "--grid", "16", "--method", method)
            self.assertAlmostEqual(other["TotalMass"] / of["TotalMass"], 1, delta=1e-14)
            clouds = field["Density"].reshape(4, 4, 4, 4, 4, 4).mean((1, 3, 5))
            self.assertGreater(np.corrcoef(np.log(coarse.ravel()), np.log(clouds.ravel()))[0, 1], 0.9)
        _, part, _ = self.deposit(box, "--box", "40", "--grid", "4", "--region", "10:20,0:10,-5:5")
        np.testing.assert_allclose(part["Density"][:, :, 2:], sheet["Density"][4:8, :4, :2], rtol=1e-11)

    def test_elements_is_an_accepted_name_of_the_method_tetrahedra(self):
        self.run_program("ics", self.write("p.yaml", PANCAKE), "-o", "p.hdf5")
        _, field, of = self.deposit("p.hdf5", "--method", "tetrahedra")
        _, old_field, old = self.deposit("p.hdf5", "--method", "elements")
        np.testing.assert_array_equal(field["Density"], old_field["Density"])
        self.assertEqual((of["Method"], old["Method"]), (b"elements", b"elements"))

    def test_a_dry_run_tells_memory_and_writes_nothing(self):
        self.run_program("ics", self.write("p.yaml", PANCAKE), "-o", "p.hdf5")
        text = self.run_program("density", "p.hdf5", "-o", "d.hdf5", "--grid", "100", "--dry-run")
        self.assertIn("100 x 100 x 100 cells, method tetrahedra", text)
        self.assertRegex(text, r"memory cpu +\d+\.\d MB")
        self.assertFalse((self.folder / "d.hdf5").exists())

    def test_mass_assignment_has_the_same_bits_on_every_device(self):
        self.run_program("ics", self.write("p.yaml", PANCAKE), "-o", "p.hdf5")
        devices = ["cpu"] + (["cuda"] if "cuda:0" in self.run_program("info") else [])
        for method in ("ngp", "cic", "tsc"):
            request = ("p.hdf5", "--method", method, "--grid", "12,7,5", "--fields", "mass,velocity,dispersion")
            fields = []
            for device in devices:
                told = self.run_program("density", *request, "-o", "d.hdf5", "--device", device, "--dry-run")
                for where in devices[:devices.index(device) + 1]:
                    self.assertRegex(told, rf"memory {where} +\d+\.\d MB: ")
                self.assertIn(device, told.splitlines()[0])
                _, field, of = self.deposit(*request, "--device", device)
                self.assertAlmostEqual((field["Density"] * of["CellVolume"]).sum(), 1, delta=1e-13)
                fields.append(field)
            for field in fields[1:]:
                for name in field:
                    np.testing.assert_array_equal(field[name], fields[0][name], f"{method} {name}")

    def test_random_offsets_and_superposed_waves_are_lattices(self):
        for keys in ("random_offset: 1", "growth_factor: 1, random_phases: true, wave_vectors: [1, 0, 0, 0, 2, 1, 1, 1, 1]"):
            config = self.write("r.yaml", "initial_conditions: {model: lattice, particles: 512, mass: 1, "
                                "lattice: {box_side: 3, %s}}" % keys)
            self.run_program("ics", config, "-o", "r.hdf5")
            _, field, of = self.deposit("r.hdf5", "--fields", "streams")
            self.assertEqual(set(field), {"NumberOfStreams"})
            self.assertTrue(np.all(field["NumberOfStreams"] % 2 == 1))
            self.assertAlmostEqual(of["SignedVolume"], 1, delta=1e-13)

    def lattice(self, name, ids, types=(64, 0), places=None):
        """4^3 particles of types 1 and 2 in a box of 1."""
        site = np.arange(64)
        places = np.stack([site // 16, site // 4 % 4, site % 4], 1) * 0.25 + 0.01 if places is None else places
        with h5py.File(self.folder / name, "w") as file:
            header = file.create_group("Header").attrs
            numbers = np.array([0, *types, 0, 0, 0], dtype="u4")
            header["NumPart_ThisFile"] = header["NumPart_Total"] = numbers
            header.update({"MassTable": np.array([0, 1.0, 1, 0, 0, 0]), "BoxSize": 1.0, "Time": 1.0, "Redshift": 0.0,
                           "NumFilesPerSnapshot": 1})
            first = 0
            for kind, number in enumerate(types, start=1):
                if number:
                    group = file.create_group(f"PartType{kind}")
                    group["Coordinates"] = places[first:first + number]
                    group["ParticleIDs"] = ids[first:first + number]
                    first += number

    def test_particles_that_are_no_lattice_are_refused_with_what_is_missing(self):
        ids = np.arange(64)
        far = np.full((64, 3), 7.0)
        for arguments, words in (
                (dict(ids=ids), None), (dict(ids=ids + 1), None),
                (dict(ids=ids + 100), "of 1 to 64, 64 are missing, the first is 1; 64 are outside, the first is 100"),
                (dict(ids=np.where(ids == 7, 8, ids)), "1 are missing, the first is 7; 1 ids repeat others, the first is 8"),
                (dict(ids=ids, types=(60, 4)), "several types, 1 (id 0) and 2 (id 60); a lattice has one, --types"),
                (dict(ids=ids, types=(60, 0)), "60 particles are no complete lattice, expected a cube number as 4^3 = 64"),
                (dict(ids=np.random.default_rng(1).permutation(ids)), "ids do not number a lattice of the box of side 1"),
                (dict(ids=ids, places=far), "farther than a box outside the box of side 1")):
            self.lattice("l.hdf5", **arguments)
            if words is None:
                self.assertIn("4^3 sites", self.run_program("density", "l.hdf5", "-o", "d.hdf5"))
            else:
                self.assertIn(words, self.refused("density", "l.hdf5", "-o", "d.hdf5"))
        self.lattice("l.hdf5", ids)
        self.assertIn("the sheet is inside out", self.run_program("density", "l.hdf5", "-o", "d.hdf5", "--axes", "zyx"))
        self.assertIn("has no velocities", self.refused("density", "l.hdf5", "-o", "d.hdf5", "--fields", "velocity"))
        text = self.run_program("density", "l.hdf5", "-o", "d.hdf5", "--grid", "40000", "--dry-run")
        self.assertRegex(text, r"available +[\d.]+ MB on cpu beside what is held: too little")

    def test_bad_requests_are_refused_by_name(self):
        self.run_program("ics", self.write("p.yaml", PANCAKE), "-o", "p.hdf5")
        for arguments, words in ((("--method", "sph"), "--method: found 'sph'"),
                                 (("--precision", "half"), "--precision: found 'half', expected double or mixed"),
                                 (("--method", "cic", "--share"), "need --method tetrahedra, found method cic"),
                                 (("--grid", "0"), "--grid: found '0'"),
                                 (("--grid", "4,4"), "--grid: found '4,4'"),
                                 (("--region", "1:0"), "--region: found '1:0'"),
                                 (("--region", "0:2"), "larger than the box"),
                                 (("--fields", "mass,heat"), "--fields: found 'heat'"),
                                 (("--open",), "--region is needed"),
                                 (("--box", "7"), "ids do not number a lattice of the box of side 7"),
                                 (("--every", "3"), "every 3-th of 16 sites"),
                                 (("--method", "cic", "--fields", "streams"), "the number of streams needs --method tetrahedra, found method cic"),
                                 (("--method", "cic", "--every", "2"), "describe the lattice of --method tetrahedra"),
                                 (("--region", "0:1e-300"), "smaller than 2^-32 of the box"),
                                 (("--grid", "40000", "--device", "cpu"),
                                  "40000 x 40000 x 40000 cells take 1024000000.0 MB on cpu, "),
                                 (("--method", "cic", "--device", "cuda:99"), "--device cuda:99"),
                                 (("--types", "2"), "none of its 4096 particles")):
            self.assertIn(words, self.refused("density", "p.hdf5", "-o", "d.hdf5", *arguments))
        self.assertFalse((self.folder / "d.hdf5").exists())
        self.assertIn("--every: Value 0 not in range ",
                      self.run_program("density", "p.hdf5", "-o", "d.hdf5", "--every", "0", status=2))
        self.assertIn("is the input", self.refused("density", "p.hdf5", "-o", "p.hdf5"))
        self.assertIn("runs integrate isolated", self.refused("run", "p.yaml", "-o", "out", "--set", "run.end_time=1",
                                                              "--set", "integrator.timestep=0.1"))


if __name__ == "__main__":
    unittest.main()
