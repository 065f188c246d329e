"""Linear spectra, growth and mass functions of runs beside what colossus, pyccl and camb make of the same universe. Each test is
skipped where its package is not installed."""
import csv
import unittest

import h5py
import numpy as np

from aureole_program import ProgramTest, needed

UNIVERSE = dict(omega_m=0.3, omega_b=0.045, h=0.7, spectral_index=0.96, sigma_8=0.8)
RUN = """
cosmology: {omega_m: 0.3, omega_b: 0.045, h: 0.7, spectral_index: 0.96, sigma_8: 0.8}
box: 100
initial_conditions: {model: cosmological, field: {grid: 16}}
gravity: {solver: treepm, softening: 1, softening_kernel: spline}
integrator: {timestep: 0.2}
run: {start_time: z=9, end_time: z=0}
output: {power: {redshifts: [9, 1, 0]}, halos: {redshifts: [0], mass_functions: true}}
halos: {linking_length: 0.2, min_members: 4, mass_bins: 20}
"""


class Oracles(ProgramTest):
    def carry(self, *overrides):
        self.write("run.yaml", RUN)
        self.run_program("run", "run.yaml", "-o", "out", *overrides)

    def table(self, name):
        with open(self.folder / "out" / name) as file:
            rows = list(csv.DictReader(file))
        return {name.split(" [")[0]: np.array([float(row[name]) for row in rows]) for name in rows[0]}

    def linear(self, number):
        with h5py.File(self.folder / f"out/power_{number:03}.hdf5") as file:
            return 1 / file.attrs["Time"] - 1, file["WaveNumber"][:], file["LinearPower"][:]

    def expect_spectra(self, expected, tolerance):
        """`expected(k, z)` in (Mpc/h)^3, k in h/Mpc."""
        worst = 0
        for number in range(3):
            z, k, power = self.linear(number)
            worst = max(worst, np.abs(power / expected(k, z) - 1).max())
        print(f"{self.id()}: linear spectra differ by {worst:.1e}", flush=True)
        self.assertLess(worst, tolerance)

    def test_spectra_growth_and_mass_functions_are_those_of_colossus(self):
        needed("colossus")
        from colossus.cosmology import cosmology
        from colossus.lss import mass_function
        universe = cosmology.setCosmology("run", params=dict(flat=True, H0=70, Om0=0.3, Ob0=0.045, sigma8=0.8, ns=0.96,
                                                             relspecies=False), persistence="")
        self.carry()
        self.expect_spectra(lambda k, z: universe.matterPowerSpectrum(k, z=z), 1e-3)
        found = self.table(sorted(p.name for p in (self.folder / "out").glob("mass_function_*.csv"))[-1])
        mass = np.sqrt(found["MassLower"] * found["MassUpper"])
        for name, model, definition in (("press_schechter", "press74", "fof"), ("sheth_tormen", "sheth99", "fof"),
                                        ("jenkins", "jenkins01", "fof"), ("warren", "warren06", "fof"),
                                        ("watson", "watson13", "fof"), ("crocce", "crocce10", "fof"),
                                        ("tinker", "tinker08", "200m")):
            known = found[f"Fit_{name}"] > 0  # within the range of the fit
            expected = mass_function.massFunction(mass[known], 0, mdef=definition, model=model, q_out="dndlnM")
            off = np.abs(found[f"Fit_{name}"][known] / expected - 1).max()
            print(f"{self.id()}: {name} differs by {off:.1e}", flush=True)
            self.assertLess(off, 5e-3, f"{name}: means over bins of a twentieth of a decade against their middles")

    def test_spectra_and_growth_are_those_of_pyccl(self):
        ccl = needed("pyccl")
        universe = ccl.Cosmology(Omega_c=0.255, Omega_b=0.045, h=0.7, sigma8=0.8, n_s=0.96, Omega_g=0, T_CMB=2.7255, Neff=0,
                                 transfer_function="eisenstein_hu", matter_power_spectrum="linear")
        self.carry()
        self.expect_spectra(lambda k, z: ccl.linear_matter_power(universe, 0.7 * k, 1 / (1 + z)) * 0.7 ** 3, 1e-4)

    def test_tables_of_camb_are_taken_as_they_are(self):
        camb = needed("camb")
        parameters = camb.set_params(H0=70, ombh2=0.045 * 0.49, omch2=0.255 * 0.49, omk=0, mnu=0, ns=0.96, As=2.1e-9)
        parameters.set_matter_power(redshifts=[0], kmax=20)
        results = camb.get_results(parameters)
        k, _, power = results.get_matter_power_spectrum(minkh=1e-4, maxkh=10, npoints=400)
        np.savetxt(self.folder / "camb.txt", np.column_stack([k, power[0]]), header="k [h/Mpc]  P [(Mpc/h)^3]")
        self.write("run.yaml", RUN.replace(", spectral_index: 0.96, sigma_8: 0.8", ", spectrum: table, spectrum_file: camb.txt"))
        self.run_program("run", "run.yaml", "-o", "out")
        _, k, found = self.linear(2)
        expected = camb.get_matter_power_interpolator(parameters, zs=[0], nonlinear=False, kmax=20).P(0, k)
        off = np.abs(found / expected - 1).max()
        print(f"{self.id()}: the spectrum differs by {off:.1e}", flush=True)
        self.assertLess(off, 2e-3, "cubic splines of 400 points")
        # the power of the initial conditions, without scatter, is that of the table scaled back
        with h5py.File(self.folder / "out/power_000.hdf5") as file:
            modes, power, linear = file["Modes"][:], file["Power"][:], file["LinearPower"][:]
        self.assertLess(abs((power / linear - 1)[3:7] @ modes[3:7] / modes[3:7].sum()), 3 * np.sqrt(2 / modes[3:7].sum()) + 0.05)


if __name__ == "__main__":
    unittest.main()
