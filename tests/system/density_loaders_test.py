"""Grids of `aureole density` in yt and in VTK themselves (ParaView's reader), where they are installed."""
import sys
import unittest

import h5py
import numpy as np

from aureole_program import SOURCE, ProgramTest, needed

sys.path.insert(0, str(SOURCE / "scripts/loaders"))

WAVES = """
seed: 3
initial_conditions:
  {model: lattice, particles: 512, mass: 1,
   lattice: {box_side: 2, growth_factor: 1.2, random_phases: true, wave_vectors: [1, 0, 0, 0, 2, 1], wave_velocity: 3}}
"""


class Loaders(ProgramTest):
    def setUp(self):
        super().setUp()
        self.run_program("ics", self.write("w.yaml", WAVES), "-o", "w.hdf5")
        self.path = self.folder / "d.hdf5"
        self.run_program("density", "w.hdf5", "-o", self.path, "--grid", "6,5,4", "--region", "0:2,-0.5:0.5,0.25:1",
                         "--fields", "mass,velocity,dispersion,streams")
        with h5py.File(self.path) as file:
            self.field = {name: file[name][...] for name in file if isinstance(file[name], h5py.Dataset)}
            self.vtk = {name: data[...] for name, data in file["VTKHDF/PointData"].items()}
            self.of = dict(file["VTKHDF"].attrs)

    def test_the_file_has_an_image_of_vtk(self):
        self.assertEqual(self.of["Type"], b"ImageData")
        np.testing.assert_array_equal(self.of["WholeExtent"], [0, 5, 0, 4, 0, 3])
        np.testing.assert_allclose(self.of["Origin"], [1 / 6, -0.4, 0.34375])
        np.testing.assert_allclose(self.of["Spacing"], [1 / 3, 0.2, 0.1875])
        np.testing.assert_array_equal(self.of["Direction"], np.eye(3).ravel())
        for name in ("Density", "Velocity", "VelocityDispersion"):
            self.assertEqual(self.vtk[name].dtype, np.float32)
        for name, cells in self.vtk.items():
            turned = np.swapaxes(self.field[name], 0, 2)
            np.testing.assert_array_equal(cells, turned.astype(cells.dtype), name)

    def test_vtk_has_every_cell_where_it_is(self):
        vtk = needed("vtk")
        reader = vtk.vtkHDFReader()
        self.assertTrue(reader.CanReadFile(str(self.path)))
        reader.SetFileName(str(self.path))
        reader.Update()
        image = reader.GetOutput()
        self.assertEqual(image.GetDimensions(), (6, 5, 4))
        np.testing.assert_allclose(image.GetBounds(), [1 / 6, 11 / 6, -0.4, 0.4, 0.34375, 0.90625])
        for i, j, k in ((0, 0, 0), (5, 4, 3), (3, 0, 2), (1, 4, 0)):
            x = [(i + 0.5) / 3, -0.5 + (j + 0.5) / 5, 0.25 + (k + 0.5) * 0.1875]
            cell = image.FindPoint(x)
            np.testing.assert_allclose(image.GetPoint(cell), x)
            of = image.GetPointData()
            self.assertEqual(of.GetArray("NumberOfStreams").GetValue(cell), self.field["NumberOfStreams"][i, j, k])
            np.testing.assert_allclose(of.GetArray("Density").GetValue(cell), self.field["Density"][i, j, k], rtol=1e-7)
            np.testing.assert_allclose(of.GetArray("Velocity").GetTuple(cell), self.field["Velocity"][i, j, k], rtol=1e-6,
                                       atol=1e-6)

    def test_yt_has_every_cell_where_it_is(self):
        yt = needed("yt")
        yt.set_log_level("error")
        from density_grids import load_grid

        ds = load_grid(self.path)
        np.testing.assert_array_equal(ds.domain_dimensions, [6, 5, 4])
        np.testing.assert_allclose(ds.domain_left_edge.to_value("code_length"), [0, -0.5, 0.25])
        self.assertEqual(ds.periodicity, (True, False, False))
        for i, j, k in ((0, 0, 0), (5, 4, 3), (3, 0, 2)):
            point = ds.point([(i + 0.5) / 3, -0.5 + (j + 0.5) / 5, 0.25 + (k + 0.5) * 0.1875])
            self.assertEqual(float(point["stream", "NumberOfStreams"][0]), self.field["NumberOfStreams"][i, j, k])
            self.assertAlmostEqual(point["stream", "Density"].to_value("code_mass/code_length**3")[0],
                                   self.field["Density"][i, j, k])
            self.assertAlmostEqual(point["stream", "Velocity_y"].to_value("code_velocity")[0],
                                   self.field["Velocity"][i, j, k, 1])
        mass = (ds.all_data()["stream", "Density"] * ds.all_data()["index", "cell_volume"]).sum().to_value("code_mass")
        self.assertAlmostEqual(mass, self.field["Density"].sum() / 3 / 5 * 0.1875, delta=1e-12)


if __name__ == "__main__":
    unittest.main()
