"""Runs of an expanding universe as a user makes them: the example of docs/cosmology.md, a box of another code made again,
spectra from tables, and what yt and pynbody make of the files."""
import csv
import re
import unittest

import h5py
import numpy as np

from aureole_program import SOURCE, ProgramTest, needed, real_data

# the box of monofonIC's tests
REFERENCE = """
seed: 12345
cosmology: {omega_m: 0.3099, omega_b: 0.048891054, omega_r: 7.8930e-5, h: 0.67742, spectral_index: 0.96822, sigma_8: 1}
box: 100
initial_conditions: {model: cosmological, field: {grid: 32, phases: ngenic, growth: eds}}
run: {start_time: z=50}
"""
SMALL = """
cosmology: {omega_m: 0.3, omega_b: 0.045, h: 0.7, spectral_index: 0.96, sigma_8: 0.8}
box: 40
gravity: {softening: 0.5, softening_kernel: spline}
integrator: {timestep: 0.1}
initial_conditions: {model: cosmological, field: {grid: 4}}
run: {start_time: z=9, end_time: z=1}
output: {snapshots: {redshifts: [9, 1]}}
"""


def sorted_by_id(file):
    group = file["PartType1"]
    order = np.argsort(group["ParticleIDs"][:])
    return group["Coordinates"][:][order], group["Velocities"][:][order]


class Cosmology(ProgramTest):
    def example(self):
        """The configuration of the page."""
        page = (SOURCE / "docs/cosmology.md").read_text()
        return re.sub("^    ", "", re.search(r"\n((?:    .*\n)+)", page).group(1), flags=re.MULTILINE)

    def test_the_example_of_the_page_runs(self):
        self.write("box.yaml", self.example())
        text = self.run_program("run", "box.yaml", "-o", "box")
        self.assertIn("t = 1 (z = 0)", text)
        for name in ("snapshot_000.hdf5", "snapshot_003.hdf5", "fof_subhalo_tab_003.hdf5", "energy.csv"):
            self.assertTrue((self.folder / "box" / name).exists(), name)
        with open(self.folder / "box/energy.csv") as file:
            errors = [abs(float(row["relative_error"])) for row in csv.DictReader(file)]
        self.assertLess(max(errors), 0.05)

    def test_the_box_of_another_code_is_made_again(self):
        reference = real_data("cosmology/2lpt_32_z50.hdf5")
        self.write("run.yaml", REFERENCE)
        self.run_program("ics", "run.yaml", "-o", "ic.hdf5")
        with h5py.File(self.folder / "ic.hdf5") as ours, h5py.File(reference) as theirs:
            (x, v), (y, w) = sorted_by_id(ours), sorted_by_id(theirs)
            self.assertAlmostEqual(ours["Header"].attrs["Time"], 1 / 51, 15)
            self.assertAlmostEqual(ours["Header"].attrs["BoxSize"], 1e5, 6)
            self.assertEqual(ours["Header"].attrs["Omega0"], 0.3099)
        off = (x / 1000 - y + 50) % 100 - 50
        self.assertLess(np.abs(off).max(), 1e-5, "Mpc/h; floats near 100 are 7.6e-6 apart")
        self.assertLess(np.abs(v - w).max() / w.std(), 1e-6)

    def test_a_run_starts_from_the_file_of_another_code(self):
        reference = real_data("cosmology/2lpt_32_z50.hdf5")
        self.write("run.yaml", f"""
cosmology: {{omega_m: 0.3099, h: 0.67742}}
integrator: {{timestep: 0.01}}
gravity: {{softening: 0.1, softening_kernel: spline}}
initial_conditions: {{model: file, file: {reference}}}
run: {{end_time: z=0}}
""")
        text = self.run_program("run", "run.yaml", "-o", "out", "--dry-run")
        self.assertIn("masses are multiplied by 1 ", text)
        self.assertIn("particles     32768", text)
        self.assertIn("steps         394", text)
        line = self.refused("run", "run.yaml", "-o", "out", "--set", "gravity.solver=tree")
        self.assertIn("gravity.solver is tree", line)

    def test_a_tipsy_box_without_units_takes_those_of_the_run(self):
        box = real_data("tipsy/cube300/cube300.tbin")
        self.write("run.yaml", f"""
units: {{length: Mpc/h, mass: 1e10 Msun/h, velocity: km/s}}
cosmology: {{omega_m: 0.3, h: 0.7}}
box: 210
initial_conditions: {{model: file, file: {box}}}
""")
        text = self.run_program("ics", "run.yaml", "-o", "box.hdf5")
        self.assertIn("its box is taken for that of the run", text)
        with h5py.File(self.folder / "box.hdf5") as file:
            x, u = sorted_by_id(file)
            a, mass = file["Header"].attrs["Time"], file["PartType1/Masses"][:].sum()
        self.assertAlmostEqual(a, 0.05, 6)
        self.assertTrue((x >= 0).all() and (x < 210000).all())
        self.assertAlmostEqual(mass / (0.3 * 27.7536627 * 210 ** 3), 1, 3)
        # the growing mode: v = a H f (x - q), with displacements of some Mpc/h and f near 1
        hubble = 100 * np.sqrt(0.3 / a ** 3 + 0.7)
        self.assertLess(np.sqrt((u ** 2).mean() * a) / (a * hubble), 1, "Mpc/h")
        self.assertGreater(np.sqrt((u ** 2).mean() * a) / (a * hubble), 0.05)
        self.write("run.yaml", (self.folder / "run.yaml").read_text().replace("box: 210\n", ""))
        self.assertIn("no key box", self.refused("ics", "run.yaml", "-o", "no.hdf5"))

    def test_spectra_come_from_tables(self):
        table = real_data("cosmology/class_lcdm_pk.txt")
        overrides = ("--set", "cosmology.spectrum=table", "--set", f"cosmology.spectrum_file={table}")
        self.write("run.yaml", SMALL)
        self.run_program("ics", "run.yaml", "-o", "table.hdf5", *overrides)
        self.run_program("ics", "run.yaml", "-o", "fit.hdf5")
        with h5py.File(self.folder / "table.hdf5") as one, h5py.File(self.folder / "fit.hdf5") as other:
            (x, _), (y, _) = sorted_by_id(one), sorted_by_id(other)
        off, sites = (x - y + 2e4) % 4e4 - 2e4, 1e4
        self.assertGreater(np.abs(off).max(), 0)
        self.assertLess(np.abs(off).max(), 0.1 * sites, "the same phases, nearly the same spectrum")
        line = self.refused("ics", "run.yaml", "-o", "no.hdf5", *overrides, "--set", "box=1e6")
        self.assertIn("expected a table that covers them", line)
        self.write("bad.txt", "# k P\n0.1 2\n0.2\n")
        line = self.refused("ics", "run.yaml", "-o", "no.hdf5", *overrides[:3], "cosmology.spectrum_file=bad.txt")
        self.assertIn("bad.txt:3: found 1 number(s)", line)
        for key in ("sigma_8", "spectral_index"):
            self.write("less.yaml", re.sub(key + r": [\d.]+,? ?", "", SMALL).replace(", }", "}"))
            self.assertIn(f"cosmology.{key} is not given", self.refused("ics", "less.yaml", "-o", "no.hdf5"))

    def test_yt_and_pynbody_read_the_snapshots_with_their_units(self):
        yt, pynbody = needed("yt"), needed("pynbody")
        self.write("run.yaml", SMALL)
        self.run_program("run", "run.yaml", "-o", "out")
        name = str(self.folder / "out/snapshot_001.hdf5")
        with h5py.File(name) as file:
            fastest = np.abs(file["PartType1/Velocities"][:]).max() * np.sqrt(0.5)
        yt.set_log_level(50)
        snapshot = yt.load(name)
        self.assertAlmostEqual(snapshot.current_redshift, 1, 12)
        self.assertAlmostEqual(float(snapshot.domain_width[0].to("Mpccm/h")), 40, 8)
        velocities = snapshot.all_data()["PartType1", "particle_velocity"].to("km/s")
        self.assertAlmostEqual(float(np.abs(velocities).max()) / fastest, 1, 6)
        snapshot = pynbody.load(name)
        snapshot.physical_units()
        self.assertAlmostEqual(float(np.abs(snapshot["vel"]).max()) / fastest, 1, 6)
        self.assertAlmostEqual(float(snapshot["mass"].sum()) / (0.3 * 2.775e11 * 40 ** 3 / 0.7), 1, 2)


if __name__ == "__main__":
    unittest.main()
