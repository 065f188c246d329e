"""Initial conditions of boxes as a user makes them: loads, phases and white noise from files, and files of other codes."""
import struct
import unittest

import h5py
import numpy as np

from aureole_program import ProgramTest, needed, real_data

UNIVERSE = """
seed: 5
cosmology: {omega_m: 0.3, omega_b: 0.045, h: 0.7, spectral_index: 0.96, sigma_8: 0.8}
box: 40
gravity: {softening: 0.5, softening_kernel: spline}
integrator: {timestep: 0.1}
run: {start_time: z=24, end_time: z=0}
"""
# the second box of monofonIC's tests, which is of third order
THIRD_ORDER = """
seed: 12345
units: {length: Mpc, mass: 1e10 Msun, velocity: km/s}
cosmology: {omega_m: 0.3099, omega_b: 0.048891054, omega_r: 7.8930e-5, h: 0.67742, spectral_index: 0.96822, sigma_8: 1}
box: 147.61890702961236
initial_conditions: {model: cosmological, field: {grid: 32, load: bcc, phases: ngenic, growth: eds}}
run: {start_time: z=50}
"""


def sorted_by_id(file):
    group = file["PartType1"]
    order = np.argsort(group["ParticleIDs"][:])
    return group["Coordinates"][:][order] / 1000, group["Velocities"][:][order]


class InitialFields(ProgramTest):
    def make(self, name, field, *arguments):
        self.write("run.yaml", UNIVERSE + f"initial_conditions: {{model: cosmological, field: {{{field}}}}}\n")
        text = self.run_program("ics", "run.yaml", "-o", name, *arguments)
        with h5py.File(self.folder / name) as file:
            return *sorted_by_id(file), text

    def refusal(self, field, *arguments):
        self.write("run.yaml", UNIVERSE + f"initial_conditions: {{model: cosmological, field: {{{field}}}}}\n")
        return self.refused("run", "run.yaml", "-o", "no", *arguments)

    def moved(self, x, y, side=40):
        return (x - y + side / 2) % side - side / 2

    def test_a_glass_is_made_stored_and_read_again(self):
        glass, at_rest, _ = self.make("glass.hdf5", "grid: 12, load: glass, order: 0")
        self.assertEqual(len(glass), 1728)
        self.assertEqual(np.abs(at_rest).max(), 0)
        made, v, _ = self.make("made.hdf5", "grid: 12, load: glass")
        read, w, _ = self.make("read.hdf5", "grid: 12, load: glass, load_file: glass.hdf5")
        self.assertLess(np.abs(self.moved(made, read)).max(), 1e-5)  # positions are stored in float
        self.assertLess(np.abs(v - w).max(), 1e-4 * v.std())
        # the same waves displace a lattice: mean squares of both agree to the few waves that they have
        lattice, _, _ = self.make("lattice.hdf5", "grid: 12")
        sites = np.stack(np.meshgrid(*3 * [np.arange(12) * 40 / 12], indexing="ij"), -1).reshape(-1, 3)
        one, other = self.moved(made, glass).std(), self.moved(lattice, sites).std()
        self.assertAlmostEqual(one / other, 1, 1)
        # tiles: 24^3 particles of eight of them, and another number where it is asked for
        self.assertEqual(len(self.make("tiles.hdf5", "grid: 24, load: glass, load_file: glass.hdf5")[0]), 13824)
        self.assertEqual(len(self.make("one.hdf5", "grid: 8, load: glass, load_file: glass.hdf5, tiles: 1")[0]), 1728)
        self.assertEqual(len(self.make("file.hdf5", "grid: 8, load: file, load_file: glass.hdf5")[0]), 1728)
        self.assertIn("8^3 of field.grid", self.refusal("grid: 8, load: glass, load_file: glass.hdf5"))

    def test_a_glass_of_another_code_is_a_load(self):
        file = real_data("gadget/glass_32.hdf5")
        x, v, _ = self.make("real.hdf5", f"grid: 32, load: glass, load_file: {file}, order: 1")
        with h5py.File(file) as glass:
            sites = 40 * glass["PartType1/Coordinates"][:].astype(float)
        moved = np.sqrt((self.moved(x, sites) ** 2).sum(axis=1))
        self.assertGreater(moved.std(), 0)
        self.assertLess(moved.max(), 5)

    def test_white_noise_of_a_file_sets_the_waves(self):
        noise = np.random.default_rng(3).standard_normal((8, 8, 8))
        noise.tofile(self.folder / "noise.bin")
        noise.astype("<f4").tofile(self.folder / "single.bin")
        with open(self.folder / "grafic.bin", "wb") as file:
            file.write(struct.pack("<6i", 16, 8, 8, 8, 1, 16))
            for z in range(8):
                file.write(struct.pack("<i", 256) + noise[:, :, z].T.astype("<f4").tobytes() + struct.pack("<i", 256))
        x, v, _ = self.make("a.hdf5", "grid: 8, phases: file, phases_file: noise.bin, order: 1")
        for name in ("single.bin", "grafic.bin"):
            y, _, _ = self.make("b.hdf5", f"grid: 8, phases: file, phases_file: {name}, order: 1")
            self.assertLess(np.abs(self.moved(x, y)).max(), 1e-5, name)
        # delta_k and displacements again, by numpy: -D grad phi is i k delta_k / k^2, and velocities go with it
        n = np.fft.fftfreq(8, 1 / 8)
        wave = 2 * np.pi / 40 * np.stack(np.meshgrid(n, n, n, indexing="ij"))
        square = (wave ** 2).sum(axis=0)
        known = (np.abs(wave).max(axis=0) < 2 * np.pi / 40 * 3.5) & (square > 0)
        sites = np.stack(np.meshgrid(*3 * [np.arange(8) * 5], indexing="ij"), -1).reshape(-1, 3)
        delta = -(1j * wave * np.fft.fftn(self.moved(x, sites).reshape(8, 8, 8, 3), axes=(0, 1, 2)).transpose(3, 0, 1, 2)).sum(axis=0)
        turned = np.angle(delta[known] / np.fft.fftn(noise)[known])
        self.assertLess(np.abs(turned).max(), 1e-3, "the phases of the noise")
        self.assertIn("white noise on 8^3", self.refusal("grid: 9, phases: file, phases_file: noise.bin"))
        (self.folder / "noise.bin").write_bytes(b"12345")
        self.assertIn("has 5 bytes", self.refusal("grid: 8, phases: file, phases_file: noise.bin"))

    def test_pairs_cancel_and_seeds_of_others_are_bounded(self):
        sites = np.stack(np.meshgrid(*3 * [np.arange(8) * 5], indexing="ij"), -1).reshape(-1, 3)
        for phases in ("own", "ngenic", "gadget4"):
            common = f"grid: 8, order: 1, phases: {phases}, fixed: true"
            x, _, _ = self.make("one.hdf5", common)
            y, _, _ = self.make("other.hdf5", common + ", paired: true")
            self.assertLess(np.abs(self.moved(x, sites) + self.moved(y, sites)).max(), 1e-5)
        self.assertIn("31 bits", self.refusal("grid: 8, phases: gadget4", "--set", "seed=2147483648"))
        self.assertFalse((self.folder / "no").exists())

    def test_what_cannot_be_is_refused_before_anything_is_written(self):
        for field, text in (("load: file", "needs field.load_file"), ("tiles: 2", "field.tiles is given"),
                            ("phases: file", "needs field.phases_file"), ("load_file: a.hdf5", "field.load_file is given"),
                            ("phases: file, phases_file: none.bin", "none.bin"), ("load: glass, load_file: none.hdf5", "none.hdf5"),
                            ("grid: 37, load: glass", "field.tiles"), ("grid: 9, phases: gadget4", "even"), ("order: 3", "order")):
            self.assertIn(text, self.refusal(field))
            self.assertFalse((self.folder / "no").exists())

    def test_a_run_from_a_glass_resumes(self):
        self.write("run.yaml", UNIVERSE + "initial_conditions: {model: cosmological, field: {grid: 8, load: glass, tiles: 2}}\n")
        self.run_program("run", "run.yaml", "-o", "whole", "--set", "run.end_time=z=9")
        self.run_program("run", "run.yaml", "-o", "part", "--set", "run.end_time=z=14", "--set", "output.checkpoints.steps=1")
        self.run_program("run", "--resume", "part", "--set", "run.end_time=z=9")
        last = [sorted((self.folder / name).glob("snapshot_*.hdf5"))[-1] for name in ("whole", "part")]
        with h5py.File(last[0]) as one, h5py.File(last[1]) as other:
            self.assertAlmostEqual(one["Header"].attrs["Time"], 0.1, 12)
            self.assertAlmostEqual(other["Header"].attrs["Time"], 0.1, 12)

    def test_the_third_order_box_differs_by_the_third_order(self):
        file = real_data("cosmology/3lpt_bcc_32_z50.hdf5")
        self.write("run.yaml", THIRD_ORDER)
        self.run_program("ics", "run.yaml", "-o", "ic.hdf5")
        with h5py.File(self.folder / "ic.hdf5") as ours, h5py.File(file) as theirs:
            (x, u), group = sorted_by_id(ours), theirs["PartType1"]
            y, v = 0.67742 * group["Coordinates"][:], group["Velocities"][:]
        off = np.abs(self.moved(x, y, 100))
        self.assertLess(off.max(), 3.3e-4, "Mpc/h; the third order is 2.9e-4 at most")
        self.assertGreater(off.max(), 1e-4)
        # beside the rms, velocities of that order are three times as large as displacements
        self.assertLess(np.abs(u / np.sqrt(51) - v).max() / v.std(), 7e-3)

    def write_music(self, name, n=8, side=40.0, a=0.04):
        """Initial conditions in the layout of MUSIC's plug-in for Gadget-2: format 1, floats, Mpc/h, one mass."""
        rng = np.random.default_rng(1)
        sites = np.stack(np.meshgrid(*3 * [np.arange(n) * side / n], indexing="ij"), -1).reshape(-1, 3)
        position = ((sites + rng.normal(0, 0.05, sites.shape)) % side).astype("<f4")
        velocity = rng.normal(0, 30, sites.shape).astype("<f4")
        mass = 0.3 * 27.7536627 * side ** 3 / n ** 3
        count, masses = [0, n ** 3, 0, 0, 0, 0], [0, mass, 0, 0, 0, 0]
        header = struct.pack("<6i6ddd2i6i2i4d", *count, *masses, a, 1 / a - 1, 0, 0, *count, 0, 1, side, 0.3, 0.7, 0.7)
        with open(self.folder / name, "wb") as file:
            for block in (header.ljust(256, b"\0"), position.tobytes(), velocity.tobytes(),
                          np.arange(n ** 3, dtype="<u4").tobytes()):
                file.write(struct.pack("<i", len(block)) + block + struct.pack("<i", len(block)))
        return position, velocity

    def test_files_in_the_layout_of_music_start_runs(self):
        position, velocity = self.write_music("music.dat")
        self.write("run.yaml", UNIVERSE.replace("start_time: z=24, ", "").replace("box: 40\n", "")
                   + "initial_conditions: {model: file, file: music.dat}\n")
        self.run_program("ics", "run.yaml", "-o", "ic.hdf5")
        with h5py.File(self.folder / "ic.hdf5") as file:
            x, v = sorted_by_id(file)
            self.assertAlmostEqual(file["Header"].attrs["Time"], 0.04, 12)
            self.assertAlmostEqual(file["Header"].attrs["BoxSize"], 40000, 6)
        self.assertLess(np.abs(self.moved(x, position)).max(), 1e-5)
        self.assertLess(np.abs(v - velocity).max(), 1e-4)
        text = self.run_program("run", "run.yaml", "-o", "out", "--set", "run.end_time=z=9", "--set", "integrator.timestep=0.2")
        self.assertIn("z = 9", text)

    def test_yt_and_pynbody_read_catalogues_of_comoving_runs(self):
        yt, pynbody = needed("yt"), needed("pynbody")
        self.write("run.yaml", UNIVERSE + """
initial_conditions: {model: cosmological, field: {grid: 8}}
output: {snapshots: {redshifts: [1]}, halos: {redshifts: [1], yt: true}}
halos: {linking_length: 0.3, min_members: 4}
""")
        self.run_program("run", "run.yaml", "-o", "out", "--set", "run.end_time=z=1", "--set", "gravity.softening=2")
        with h5py.File(self.folder / "out/fof_subhalo_tab_000.hdf5") as file:
            group = file["Group"]
            mass, position, velocity = (group[name][:] for name in ("GroupMass", "GroupPos", "GroupVel"))
        self.assertGreater(len(mass), 0)
        yt.set_log_level(50)
        catalogue = yt.load(str(self.folder / "out/halos_000.0.h5"))
        self.assertAlmostEqual(catalogue.current_redshift, 1, 12)
        halos = catalogue.all_data()
        order = np.argsort(halos["halos", "particle_identifier"].d)
        for field, unit, expected in (("particle_mass", "Msun/h", 1e10 * mass), ("particle_position", "kpccm/h", position),
                                      ("particle_velocity", "km/s", velocity)):
            found = halos["halos", field][order].to(unit).d
            np.testing.assert_allclose(found, expected, rtol=3e-4, err_msg=field)  # its solar mass is another one
        snapshot = pynbody.load(str(self.folder / "out/snapshot_000.hdf5"))
        largest = snapshot.halos()[0]
        self.assertAlmostEqual(float(largest["mass"].sum()) / mass[0], 1, 6)
        np.testing.assert_allclose(largest.properties["GroupPos"], position[0])

    def test_files_of_gadget4_start_runs(self):
        file = real_data("cosmology/cube300_z0.hdf5")
        self.write("run.yaml", f"""
cosmology: {{omega_m: 0.3, h: 0.7}}
integrator: {{timestep: 0.01}}
gravity: {{softening: 0.5, softening_kernel: spline}}
initial_conditions: {{model: file, file: {file}}}
run: {{end_time: 1.005}}
""")
        text = self.run_program("run", "run.yaml", "-o", "out", "--dry-run")
        self.assertIn("particles     110592", text)


if __name__ == "__main__":
    unittest.main()
