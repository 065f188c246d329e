"""Densities and pictures of runs in a periodic box: what commands make of the snapshots, and the same when a run is resumed."""
import unittest

import h5py

from aureole_program import ProgramTest

RUN = """
seed: 3
cosmology: {omega_m: 0.3, omega_b: 0.045, h: 0.7, spectral_index: 0.96, sigma_8: 0.8}
box: 40
initial_conditions: {model: cosmological, field: {grid: 8}}
gravity: {solver: treepm, softening: 0.5, softening_kernel: spline}
integrator: {timestep: 0.1}
run: {start_time: z=24, end_time: z=0}
"""


def pixels_of(file):
    """The compressed rows of a PNG file: what it shows, without its texts."""
    data, at, rows = file.read_bytes(), 8, b""
    while at < len(data):
        size = int.from_bytes(data[at:at + 4], "big")
        if data[at + 4:at + 8] == b"IDAT":
            rows += data[at + 8:at + 8 + size]
        at += size + 12
    return rows


class CosmologyOutputs(ProgramTest):
    def same_density(self, name, other):
        """Every dataset and attribute of two files but for their provenance."""
        with h5py.File(self.folder / name) as one, h5py.File(self.folder / other) as two:
            names = []
            one.visititems(lambda path, item: names.append(path) if isinstance(item, h5py.Dataset) else None)
            self.assertIn("Density", names)
            for path in names:
                if path.startswith("Provenance"):
                    continue
                self.assertEqual(one[path][()].tobytes(), two[path][()].tobytes(), f"{name}: {path}")
            self.assertEqual(dict(map(lambda item: (item[0], str(item[1])), one.attrs.items())),
                             dict(map(lambda item: (item[0], str(item[1])), two.attrs.items())))

    def test_densities_of_a_run_are_those_of_its_snapshots(self):
        self.write("run.yaml", RUN + """
density: {grid: 12, fields: [mass, velocity, dispersion, streams]}
""")
        lists = ("--set", "output={snapshots: {redshifts: [24, 1, 0]}, density: {redshifts: [24, 1, 0]}, checkpoints: {steps: 5}}")
        text = self.run_program("run", "run.yaml", "-o", "out", "--dry-run", *lists)
        self.assertIn("3 on a grid of 12^3 cells", text)
        text = self.run_program("run", "run.yaml", "-o", "out", *lists)
        self.assertIn("density_002.hdf5", text)
        for k in range(3):
            self.run_program("density", f"out/snapshot_00{k}.hdf5", "-o", f"density_{k}.hdf5", "--grid", 12, "--fields",
                             "mass,velocity,dispersion,streams", "--device", "cpu")
            self.same_density(f"out/density_00{k}.hdf5", f"density_{k}.hdf5")
        with h5py.File(self.folder / "out/density_002.hdf5") as file:
            self.assertAlmostEqual(file.attrs["SignedVolume"], 1, 9)
            self.assertGreater(file.attrs["MeanStreams"], 1.01)
            self.assertEqual(file.attrs["Time"], 1)
            self.assertAlmostEqual(file["Density"][:].mean() * 40000 ** 3 / file.attrs["TotalMass"], 1, 9)

    def test_densities_of_a_resumed_run_are_the_same(self):
        self.write("run.yaml", RUN)
        lists = ("--set", "output={density: {redshifts: [24, 2, 1, 0]}, checkpoints: {steps: 5}}")
        self.run_program("run", "run.yaml", "-o", "whole", *lists)
        self.run_program("run", "run.yaml", "-o", "parts", "--set", "run.end_time=z=2", "--set",
                         "output={density: {redshifts: [24, 2]}, checkpoints: {steps: 5}}")
        self.assertFalse((self.folder / "parts/density_002.hdf5").exists())
        self.run_program("run", "--resume", "run.yaml", "-o", "parts", *lists)
        for k in range(4):
            self.same_density(f"whole/density_00{k}.hdf5", f"parts/density_00{k}.hdf5")
        self.assertFalse((self.folder / "parts/density_004.hdf5").exists())

    def test_densities_that_cannot_be_made_are_refused(self):
        self.write("run.yaml", RUN + "density: {grid: 8}\n")
        density = "output.density={redshifts: [1]}"

        def line(*overrides):
            settings = [word for one in (density,) + overrides for word in ("--set", one)]
            found = self.refused("run", "run.yaml", "-o", "out", *settings)
            self.assertFalse((self.folder / "out").exists())
            return found

        self.assertIn("not the sites of a lattice", line("initial_conditions.field.load=glass"))
        self.assertIn("density.method", line("initial_conditions.field.load=glass"))
        self.assertIn("needs a cube number of particles", line("initial_conditions.field.load=bcc"))
        self.assertIn("streams are counted of tetrahedra", line("density.method=cic", "density.fields=[streams]"))
        self.assertIn("density.fields", line("density.fields=[colour]"))
        self.assertIn("mixed is of tetrahedra", line("density.method=ngp", "density.precision=mixed"))
        self.write("open.yaml", """
initial_conditions: {model: plummer, particles: 8}
integrator: {timestep: 0.1}
run: {end_time: 1}
output: {density: {every: 1}}
""")
        self.assertIn("no periodic box", self.refused("run", "open.yaml", "-o", "open"))
        # any particles with another method
        self.run_program("run", "run.yaml", "-o", "cic", "--set", "initial_conditions.field.load=glass", "--set",
                         "output={density: {redshifts: [24]}, snapshots: {redshifts: [24]}}", "--set", "density.method=cic",
                         "--set", "run.end_time=z=23")
        self.run_program("density", "cic/snapshot_000.hdf5", "-o", "cic.hdf5", "--grid", 8, "--method", "cic")
        self.same_density("cic/density_000.hdf5", "cic.hdf5")

    def test_a_zoom_keeps_its_frame_in_a_resumed_run(self):
        self.write("run.yaml", RUN + """
pictures: {pixels: 128, centre: [10, 20, 30], zoom: {width: 8, centre: [12, 20, 30]}}
""")
        pictures = ("--set", "output={pictures: {redshifts: [24, 2, 0]}, checkpoints: {steps: 5}}")
        text = self.run_program("run", "run.yaml", "-o", "whole", *pictures)
        self.assertIn("projection_002.png zoom_002.png", text)
        self.run_program("run", "run.yaml", "-o", "parts", "--set", "run.end_time=z=2", "--set",
                         "output={pictures: {redshifts: [24, 2]}, checkpoints: {steps: 5}}")
        self.run_program("run", "--resume", "run.yaml", "-o", "parts", *pictures)
        pixels = {name: pixels_of(self.folder / "whole" / name) for name in
                  (f"{kind}_00{k}.png" for kind in ("projection", "zoom") for k in range(3))}
        for name, of_whole in pixels.items():
            self.assertEqual(pixels_of(self.folder / "parts" / name), of_whole, name)
        self.assertNotEqual(pixels["zoom_002.png"], pixels["projection_002.png"])
        # the zoom is what a picture of that field alone shows
        self.run_program("run", "run.yaml", "-o", "alone", *pictures, "--set",
                         "pictures={pixels: 128, width: 8, centre: [12, 20, 30]}")
        for k in range(3):
            self.assertEqual(pixels_of(self.folder / f"alone/projection_00{k}.png"), pixels[f"zoom_00{k}.png"])
        for settings, expected in (("pictures={zoom: {centre: [1, 2, 3]}}", "without pictures.zoom.width"),
                                   ("pictures={zoom: {width: 40}}", "less than the box")):
            self.assertIn(expected, self.refused("run", "run.yaml", "-o", "no", *pictures, "--set", settings))


if __name__ == "__main__":
    unittest.main()
