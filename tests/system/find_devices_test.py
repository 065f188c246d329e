"""`aureole find` on one snapshot, on the CPU and on the GPU: the same groups, subhalos and most bound particles, and the
same masses and sums. Without a GPU CPU runs of one thread and two are compared, to the bit."""
import os
import unittest

import h5py
import numpy as np

from aureole_program import ProgramTest, real_data

# sums over members, and masses that are sums of integers; the other columns have roots of tensors and quotients in them
SUMS = {"Mass", "MassType", "CM", "Vel", "VelDisp", "DispersionTensor", "Pos", "KineticEnergy", "PotentialEnergy", "Spin",
        "Radius", "HalfMassRad", "HalfmassRad", "_M_Crit200", "_M_Crit500", "_M_Mean200", "_M_TopHat200", "_R_Crit200",
        "_R_Crit500", "_R_Mean200", "_R_TopHat200"}
SUM, QUOTIENT = 1e-12, 1e-8  # of the largest number of a column

HOST_WITH_SATELLITES = """
units: nbody
seed: 5
initial_conditions:
  components:
    - {model: nfw, particles: 12000, mass: 1, scale_radius: 0.125, truncation_radius: 1}
    - {model: nfw, particles: 1500, mass: 0.1, scale_radius: 0.046, truncation_radius: 0.46, position: [0.5, 0, 0],
       velocity: [0, 1, 0]}
    - {model: plummer, particles: 300, mass: 0.02, scale_radius: 0.02, truncation_radius: 0.1, position: [0, 0.8, 0.2],
       velocity: [0.8, 0, 0]}
    - {model: plummer, particles: 200, mass: 0.01, scale_radius: 0.1, truncation_radius: 0.5, position: [20, 0, 0]}
"""


def tables(folder):
    """Column by column, of groups and subhalos."""
    catalogue, = folder.glob("fof_subhalo_tab_*.hdf5")
    with h5py.File(catalogue) as file:
        return {f"{table}/{name}": data[:] for table in ("Group", "Subhalo") for name, data in file[table].items()}


def ids(folder):
    """Particles in the order of the catalogue: by group, subhalo and binding energy."""
    snapshot, = folder.glob("snapshot_*.hdf5")
    with h5py.File(snapshot) as file:
        return {name: group["ParticleIDs"][:] for name, group in file.items() if name.startswith("PartType")}


class Devices(ProgramTest):
    def found(self, name, *arguments, device="cpu", threads=2):
        os.environ["OMP_NUM_THREADS"] = str(threads)
        self.addCleanup(os.environ.pop, "OMP_NUM_THREADS", None)
        self.run_program("find", *arguments, "--substructure", "-o", name, "--device", device)
        return tables(self.folder / name), ids(self.folder / name)

    def expect_same(self, *arguments, subhalos):
        expected, expected_ids = self.found("cpu", *arguments)
        self.assertGreaterEqual(len(expected["Subhalo/SubhaloMass"]), subhalos)
        self.assertIn("Subhalo/Subhalo_M_Crit200", expected)
        self.assertTrue(np.isfinite(expected["Subhalo/SubhaloTidalRad"]).any(), "none has a parent")
        one, one_ids = self.found("one", *arguments, threads=1)
        for name, values in expected.items():
            np.testing.assert_array_equal(one[name], values, name)
        for name, values in expected_ids.items():
            np.testing.assert_array_equal(one_ids[name], values, name)
        if "cuda:0" not in self.run_program("info"):
            self.skipTest("there is no GPU: the CPU's catalogues with one thread and two are the same")
        found, found_ids = self.found("gpu", *arguments, device="cuda")
        self.assertEqual(set(found), set(expected))
        for name, values in expected.items():
            self.expect_column(name, found[name], values)
        for name, values in expected_ids.items():
            np.testing.assert_array_equal(found_ids[name], values, name)

    def expect_column(self, name, found, expected):
        if np.issubdtype(expected.dtype, np.integer):
            return np.testing.assert_array_equal(found, expected, name)
        column = name.split("/")[1].removeprefix("Group").removeprefix("Subhalo")
        np.testing.assert_array_equal(np.isnan(found), np.isnan(expected), name)
        size = np.nanmax(np.abs(expected), initial=0)
        if column == "CMOffset":  # the difference of two positions
            size = max(size, np.abs(expected.sum()), 1e-3)
        worst = np.nanmax(np.abs(found - expected), initial=0)
        self.assertLessEqual(worst, (SUM if column in SUMS else QUOTIENT) * size, f"{name}: {found}, expected {expected}")

    def test_satellites_of_a_host_are_the_same(self):
        config = self.write("mock.yaml", HOST_WITH_SATELLITES)
        self.run_program("ics", config, "-o", "mock.hdf5")
        self.expect_same("mock.hdf5", "--absolute-linking-length", "0.08", "--softening", "0.004", "--reference-density",
                         "0.001", subhalos=4)

    def test_a_real_box_is_the_same(self):
        self.expect_same(real_data("cosmology/cube300_z0.hdf5"), "--linking-length", "0.2", subhalos=200)


if __name__ == "__main__":
    unittest.main()
