"""`aureole density --octree`: against the uniform grid, in every layout that the file promises, and what is refused; in
yt and VTK themselves (ParaView's reader), where they are installed."""
import os
import sys
import unittest

import h5py
import numpy as np

from aureole_program import SOURCE, ProgramTest, real_data, needed

sys.path.insert(0, str(SOURCE / "scripts/loaders"))

WAVES = """
seed: 3
initial_conditions:
  {model: lattice, particles: 4096, mass: 1,
   lattice: {box_side: 2, growth_factor: 1.2, random_phases: true, wave_vectors: [1, 0, 0, 0, 2, 1], wave_velocity: 3}}
"""
FIELDS = ("--fields", "mass,velocity,dispersion,streams")


class Octree(ProgramTest):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "o.hdf5"

    def waves(self, *arguments):
        self.run_program("ics", self.write("w.yaml", WAVES), "-o", "w.hdf5")
        return self.run_program("density", "w.hdf5", "-o", self.path, "--octree", *FIELDS, *arguments)

    def contents(self):
        with h5py.File(self.path) as file:
            self.of = dict(file.attrs) | {"CommandLine": file["Provenance"].attrs["CommandLine"]}
            self.node = {name: data[...] for name, data in file["Nodes"].items()}
            return {name: file[name][...] for name in file if isinstance(file[name], h5py.Dataset)}

    def uniform(self, snapshot, cells, *arguments):
        self.run_program("density", snapshot, "-o", "u.hdf5", "--grid", str(cells), *arguments)
        with h5py.File(self.folder / "u.hdf5") as file:
            return {name: file[name][...] for name in file if isinstance(file[name], h5py.Dataset)}

    def expect_uniform(self, octree, uniform, level):
        """Nodes of a level, their axes turned, are blocks of the grid of its cells."""
        n = int(self.of["PatchCells"])
        for node in np.flatnonzero(self.node["Level"] == level):
            at = np.rint((self.node["Low"][node] - self.of["RegionLow"]) / self.node["Size"][node] * n).astype(int)
            block = tuple(slice(a, a + n) for a in at)
            mean = uniform["Density"].mean()
            np.testing.assert_allclose(octree["Density"][node].T, uniform["Density"][block], rtol=0, atol=1e-12 * mean)
            if self.node["FirstChild"][node] < 0 and "NumberOfStreams" in octree:
                np.testing.assert_array_equal(octree["NumberOfStreams"][node].T, uniform["NumberOfStreams"][block])
            if "Velocity" in octree:
                np.testing.assert_allclose(octree["Velocity"][node].swapaxes(0, 2), uniform["Velocity"][block], atol=1e-9)

    def test_nodes_are_blocks_of_uniform_grids(self):
        text = self.waves("--patch", "8", "--levels", "2", "--refine-above", "4000")
        octree = self.contents()
        self.assertRegex(text, r"octree +\d+ nodes of 8\^3 cells, \d+ of them leaves; cells from 0.25 to 0.0625")
        self.assertEqual(sorted(octree), ["Density", "NumberOfStreams", "Velocity", "VelocityDispersion"])
        self.assertEqual(octree["Velocity"].shape, (len(self.node["Level"]), 8, 8, 8, 3))
        leaves = np.flatnonzero(self.node["FirstChild"] < 0)
        self.assertTrue(1 < len(leaves) < 64)
        for level in range(3):
            self.expect_uniform(octree, self.uniform("w.hdf5", 8 << level, *FIELDS), level)
        mass = (octree["Density"][leaves].sum((1, 2, 3)) * (self.node["Size"][leaves] / 8) ** 3).sum()
        self.assertAlmostEqual(mass, 1, delta=1e-13)
        self.assertAlmostEqual(self.of["TotalMass"], 1, delta=1e-14)
        for parent, child in enumerate(self.node["FirstChild"]):
            if child >= 0:
                np.testing.assert_array_equal(self.node["Parent"][child:child + 8], parent)
        self.assertIn(b"--octree", self.of["CommandLine"])
        self.assertEqual((self.of["RefineAbove"], self.of["MostLevels"], self.of["Levels"]), (4000, 2, 3))

    def test_real_particles_and_a_region_across_the_box(self):
        snapshot = real_data("fof/psi_snapshot_010")
        region = ("--box", "40", "--region=-5:5,30:40,0:10")
        many = ("--octree", "--refine-above", "1000")
        self.run_program("density", snapshot, "-o", self.path, *many, "--smallest-cell", "0.4", *region)
        octree = self.contents()
        self.assertEqual(self.of["Levels"], 1)  # 0.625; half of it is too small
        self.run_program("density", snapshot, "-o", self.path, *many, "--smallest-cell", "0.3125", *region)
        octree = self.contents()
        self.assertEqual(self.of["Levels"], 2)
        self.expect_uniform(octree, self.uniform(snapshot, 32, *region), 1)

    def test_a_dry_run_tells_nodes_memory_and_the_size_of_the_file(self):
        text = self.waves("--dry-run")
        self.assertFalse(self.path.exists())
        told = self.waves()
        self.contents()
        self.assertIn(f"octree        {len(self.node['Level'])} nodes of 16^3 cells", text)
        self.assertIn(text.split("octree")[1].splitlines()[0], told)
        size = float(text.split("file ")[1].split()[0])
        self.assertAlmostEqual(self.path.stat().st_size / 1e6, size, delta=0.1 + 0.01 * size)
        self.assertRegex(text, r"memory cpu +\d+\.\d MB: particles \d+\.\d, order and tree \d+\.\d, patches in flight")
        self.assertRegex(text, r"available +[\d.]+ MB on cpu beside what is held\n")
        os.environ["AUREOLE_CPU_MEMORY_MB"] = "1000"
        self.addCleanup(os.environ.pop, "AUREOLE_CPU_MEMORY_MB")
        self.assertIn("too little", self.waves("--patch", "1024", "--dry-run", "--device", "cpu"))
        line = self.refused("density", "w.hdf5", "-o", self.path, "--octree", "--patch", "1024", "--device", "cpu")
        self.assertRegex(line, r"--octree: patches of 1024 x 1024 x 1024 cells in flight take [\d.]+ MB on cpu, .* available.*; a "
                               "smaller --patch or fewer --fields take less")

    def test_bad_requests_are_refused_by_name(self):
        self.run_program("ics", self.write("w.yaml", WAVES), "-o", "w.hdf5")
        for arguments, words in ((("--octree", "--region", "0:1,0:1,0:0.5"), "expected a cube"),
                                 (("--octree", "--method", "cic"), "expected tetrahedra"),
                                 (("--octree", "--patch", "7"), "a patch of 7 x 7 x 7 cells"),
                                 (("--octree", "--levels", "40"), "too fine for double positions"),
                                 (("--octree", "--open"), "--region is needed"),
                                 (("--octree", "--open", "--region", "0:1"), "periodic box")):
            self.assertIn(words, self.refused("density", "w.hdf5", "-o", "o.hdf5", *arguments))
        for arguments, words in ((("--octree", "--grid", "8"), "--grid excludes --octree"),
                                 (("--octree", "--levels", "2", "--smallest-cell", "1"), "excludes"),
                                 (("--octree", "--smallest-cell", "-1"), "--smallest-cell"),
                                 (("--octree", "--patch", "0"), "--patch: Value 0 not in range "),
                                 (("--levels", "2"), "--levels requires --octree")):
            self.assertIn(words, self.run_program("density", "w.hdf5", "-o", "o.hdf5", *arguments, status=2))
        self.assertFalse(self.path.exists())

    def test_paraviews_reader_opens_it(self):
        needed("vtkmodules")
        from vtkmodules.util.numpy_support import vtk_to_numpy
        from vtkmodules.vtkIOHDF import vtkHDFReader
        self.waves("--patch", "8", "--levels", "2", "--refine-above", "4000")
        octree = self.contents()
        reader = vtkHDFReader()
        reader.SetFileName(str(self.path))
        reader.Update()
        mesh, node, mass = reader.GetOutput(), 0, 0
        for level in range(mesh.GetNumberOfLevels()):
            boxes = getattr(mesh, "GetNumberOfBlocks", None) or mesh.GetNumberOfDataSets  # the latter until VTK 9.4
            for box in range(boxes(level)):
                grid = getattr(mesh, "GetDataSetAsCartesianGrid", mesh.GetDataSet)(level, box)
                bounds = np.reshape(grid.GetBounds(), (3, 2))
                np.testing.assert_allclose(bounds[:, 0], self.node["Low"][node])
                np.testing.assert_allclose(np.ptp(bounds, axis=1), self.node["Size"][node])
                cells = {name: vtk_to_numpy(grid.GetCellData().GetArray(name)) for name in (*octree, "vtkGhostType")}
                for name in octree:
                    np.testing.assert_array_equal(cells[name].ravel(), octree[name][node].ravel())
                mass += cells["Density"][cells["vtkGhostType"] == 0].sum() * (self.node["Size"][node] / 8) ** 3
                node += 1
        self.assertEqual(node, len(self.node["Level"]))
        self.assertAlmostEqual(mass, 1, delta=1e-13)

    def test_yt_opens_it(self):
        needed("yt").set_log_level(40)
        import density_octree
        self.waves("--patch", "8", "--levels", "2", "--refine-above", "4000")
        octree = self.contents()
        ds = density_octree.load_octree(self.path)
        cells = ds.all_data()
        mass = (cells["stream", "Density"] * cells["index", "cell_volume"]).sum().to_value("code_mass")
        self.assertAlmostEqual(mass, 1, delta=1e-13)
        self.assertEqual(ds.periodicity, (True, True, True))
        node = int(np.flatnonzero(self.node["FirstChild"] < 0)[-1])
        for k, j, i in ((0, 0, 0), (1, 2, 3), (7, 5, 6)):
            x = self.node["Low"][node] + self.node["Size"][node] * (np.array([i, j, k]) + 0.5) / 8
            point = ds.point(x)
            self.assertEqual(float(point["stream", "Density"][0]), octree["Density"][node, k, j, i])
            self.assertEqual(float(point["stream", "Velocity_y"][0]), octree["Velocity"][node, k, j, i, 1])


if __name__ == "__main__":
    unittest.main()
