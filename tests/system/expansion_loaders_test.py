"""The loaders of scripts/loaders against gala and galpy themselves, where they are installed."""
import sys
import unittest
import warnings

import h5py
import numpy as np

from aureole_program import SOURCE, ProgramTest, needed

sys.path.insert(0, str(SOURCE / "scripts/loaders"))
import scf_potentials  # noqa: E402

ICS = """
seed: 5
initial_conditions:
  - {model: hernquist, particles: 400, scale_radius: 2, position: [1, 0.5, -2]}
  - {model: plummer, particles: 200, mass: 0.3, position: [-3, 1, 0]}
"""


class Loaders(ProgramTest):
    def setUp(self):
        super().setUp()
        self.points = np.random.default_rng(7).normal(scale=3, size=(60, 3))
        np.savetxt(self.folder / "points.txt", self.points, fmt="%.17g")

    def made(self, units, *arguments):
        """A coefficient file of a lopsided set about a centre of its own, and what the program makes of it."""
        if units == "nbody":
            rows = np.random.default_rng(2).normal(size=(300, 3)) * [1, 2, 0.5] + [1, 0, 2]
            lines = [f"{i} 0.01 {x} {y} {z} 0 0 0\n" for i, (x, y, z) in enumerate(rows)]
            snapshot = self.write("set.txt", "".join(lines))
        else:
            snapshot = self.folder / "set.hdf5"
            self.run_program("ics", self.write("ics.yaml", ICS), "-o", snapshot)
        self.run_program("expand", snapshot, "-o", "coefs.hdf5", "--centre=0.5,-1,0.25", "--scale-radius", "1.7",
                         "--n-max", "5", "--l-max", "3", "--set", "precision=double", *arguments)
        self.run_program("evaluate", "coefs.hdf5", "-o", "field.hdf5", "--points", "points.txt", "--set",
                         "precision=double")
        with h5py.File(self.folder / "field.hdf5") as file:
            return (self.folder / "coefs.hdf5", file["Accelerations"][:], file["Potential"][:], file["Density"][:],
                    file.attrs["G"])

    def agree(self, theirs, ours, tolerance=1e-13):
        deviation = np.abs(np.asarray(theirs) - ours).max() / np.abs(ours).max()
        self.assertLess(deviation, tolerance)

    def test_gala_takes_the_numbers_as_they_are(self):
        needed("gala.potential")
        for units in ("nbody", "galactic"):
            with self.subTest(units=units):
                coefficients, acceleration, potential, density, _ = self.made(units)
                theirs = scf_potentials.gala_potential(coefficients)
                self.agree(theirs.acceleration(self.points.T).value.T, acceleration)
                self.agree(theirs.energy(self.points.T).value, potential)
                self.agree(theirs.density(self.points.T).value, density)

    def test_galpy_has_twice_the_axisymmetric_terms(self):
        needed("galpy.potential")
        warnings.simplefilter("ignore")
        coefficients, acceleration, potential, density, g = self.made("galactic")
        theirs = scf_potentials.galpy_potential(coefficients)
        x = self.points - scf_potentials.read_coefficients(coefficients).centre
        radius, angle = np.hypot(x[:, 0], x[:, 1]), np.arctan2(x[:, 1], x[:, 0])

        def each(function):
            return np.array([function(R, z, phi=phi, use_physical=False) for R, z, phi in zip(radius, x[:, 2], angle)])

        torque = getattr(theirs, "phitorque", None) or theirs.phiforce  # before galpy 1.9
        outward, around = each(theirs.Rforce), each(torque) / radius
        ours = np.column_stack([outward * np.cos(angle) - around * np.sin(angle),
                                outward * np.sin(angle) + around * np.cos(angle), each(theirs.zforce)])
        self.agree(ours, acceleration)
        self.agree(each(theirs), potential)
        self.agree(each(theirs.dens) / g, density)

    def test_other_bases_are_refused(self):
        coefficients = self.made("nbody", "--family", "clutton-brock")[0]
        with self.assertRaisesRegex(ValueError, "clutton-brock"):
            scf_potentials.gala_potential(coefficients)


if __name__ == "__main__":
    unittest.main()
