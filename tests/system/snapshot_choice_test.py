"""Snapshots that hold a part of the particles: types, fields, subsamples and digits, in runs and in `convert`."""
import unittest

import h5py
import numpy as np

from aureole_program import ProgramTest

RUN = """
seed: 5
initial_conditions:
  - {model: plummer, particles: 1500, position: [-2, 0, 0]}
  - {model: plummer, particles: 1500, position: [2, 0, 0], type: 4}
gravity: {solver: tree, softening: 0.05}
integrator: {timestep: 0.05}
run: {end_time: 0.5}
output: {snapshots: {every: 0.25}, compression: gzip}
"""


def fields(path, kind):
    with h5py.File(path) as file:
        return {name: data[:] for name, data in file[f"PartType{kind}"].items()}


def by_id(particles, name):
    return particles[name][np.argsort(particles["ParticleIDs"])]


class Choice(ProgramTest):
    def run_with(self, out, *settings):
        config = self.write("run.yaml", RUN)
        self.run_program("run", config, "-o", out, "--quiet", "--overwrite", *(x for s in settings for x in ("--set", s)))
        return sorted((self.folder / out).glob("snapshot_*.hdf5"))


class Runs(Choice):
    def test_types_and_fields_are_those_that_were_asked_for(self):
        whole = self.run_with("whole")
        some = self.run_with("some", "output.snapshots.types=[4]", "output.snapshots.fields=[ids, positions]")
        self.assertEqual(len(some), 3)
        for path, all_of_it in zip(some, whole):
            with h5py.File(path) as file:
                self.assertEqual([k for k in file if k.startswith("PartType")], ["PartType4"])
                self.assertEqual(set(file["PartType4"]), {"Coordinates", "ParticleIDs"})
                self.assertEqual(list(file["Header"].attrs["NumPart_Total"]), [0, 0, 0, 0, 1500, 0])
                mass = file["Header"].attrs["MassTable"][4]
                provenance = file["Provenance"].attrs
                self.assertEqual((provenance["ChosenTypes"], provenance["ChosenFields"]), (b"4", b"ids, positions"))
            part, full = fields(path, 4), fields(all_of_it, 4)
            self.assertEqual(mass, full["Masses"][0])
            self.assertTrue(np.array_equal(by_id(part, "Coordinates"), by_id(full, "Coordinates")))
        self.assertIn("1500 particles", self.run_program("info", some[0]))

    def test_a_subsample_holds_the_same_particles_at_all_times(self):
        whole = self.run_with("whole")
        for size, expected in (("0.1", 150), ("10", 150), ("0.5", 750)):
            kept = []
            for path, all_of_it in zip(self.run_with("part", f"output.snapshots.subsample={size}"), whole):
                for kind in (1, 4):
                    part, full = fields(path, kind), fields(all_of_it, kind)
                    kept.append((kind, tuple(sorted(part["ParticleIDs"]))))
                    self.assertLess(abs(len(part["Masses"]) - expected), 5 * np.sqrt(expected))
                    inside = np.isin(np.sort(full["ParticleIDs"]), part["ParticleIDs"])
                    for name in full:
                        self.assertTrue(np.array_equal(by_id(part, name), by_id(full, name)[inside]), name)
            self.assertEqual(len(set(kept)), 2, "one set of each type")
        self.run_program("convert", whole[1], "-o", "sub.hdf5", "--subsample", "10", "--seed", "5")
        self.run_program("diff", "sub.hdf5", self.run_with("part", "output.snapshots.subsample=10")[1])

    def test_snapshots_of_a_catalogue_hold_all_particles(self):
        """Its offsets count them: others would give the members of a halo wrongly."""
        self.run_with("halos", "output.snapshots.subsample=10", "output.halos.every=0.5", "halos.absolute_linking_length=0.3")
        counts = {}
        for path in sorted((self.folder / "halos").glob("snapshot_*.hdf5")):
            beside = path.with_name(path.name.replace("snapshot", "fof_subhalo_tab"))
            with h5py.File(path) as file:
                counts.setdefault(beside.exists(), set()).add(int(sum(file["Header"].attrs["NumPart_Total"])))
        self.assertEqual(counts[True], {3000})
        self.assertLess(max(counts.get(False, {0})), 600)

    def test_what_cannot_be_is_refused_by_name(self):
        config = self.write("run.yaml", RUN)
        for setting, words in (("output.snapshots.fields=[velocitys]", "unknown field 'velocitys'; the nearest known field is 'velocities'"),
                               ("output.snapshots.types=[6]", "expected a list of particle types from 0 to 5"),
                               ("output.snapshots.subsample=0", "expected a number above 0"),
                               ("output.snapshots.subsampel=2", "the nearest known key is 'output.snapshots.subsample'"),
                               ("output.mantissa_bits.positions=53", "from 1 to 52"),
                               ("output.mantissa_bits.positions=0", "from 1 to 52"),
                               ("output.snapshots.types=[2]", "output.snapshots: of 3000 particles none is of the chosen types")):
            self.assertIn(words, self.refused("run", config, "-o", "none", "--set", setting), setting)
        for setting in ("output.snapshots.fields=[ids]", "output.mantissa_bits.velocities=8"):
            self.assertIn("format tipsy stores every field",
                          self.refused("run", config, "-o", "none", "--set", setting, "--set", "output.format=tipsy"))


class Digits(Choice):
    BITS = {"Coordinates": 20, "Velocities": 10, "Masses": 12, "Potential": 8}
    SETTINGS = ("output.mantissa_bits.positions=20", "output.mantissa_bits.velocities=10", "output.mantissa_bits.masses=12",
                "output.mantissa_bits.potentials=8")

    def test_errors_are_half_of_the_last_digit_and_files_are_smaller(self):
        whole, lossy = self.run_with("whole"), self.run_with("lossy", *self.SETTINGS)
        for path, all_of_it in zip(lossy, whole):
            for kind in (1, 4):
                part, full = fields(path, kind), fields(all_of_it, kind)
                for name, bits in self.BITS.items():
                    error = np.abs(part[name] / full[name] - 1).max()
                    self.assertLessEqual(error, 2.0**-(bits + 1) * (1 + 1e-12), name)
                    self.assertGreater(error, 2.0**-(bits + 3) if name != "Masses" else 0, name)
                    mantissa = part[name].view(np.uint64) & np.uint64(2**(52 - bits) - 1)
                    self.assertFalse(mantissa.any(), name)
                with h5py.File(path) as file:
                    for name, bits in self.BITS.items():
                        self.assertEqual(file[f"PartType{kind}/{name}"].attrs["MantissaBits"], bits)
                    self.assertNotIn("MantissaBits", file[f"PartType{kind}/ParticleIDs"].attrs)
            self.assertLess(path.stat().st_size, 0.7 * all_of_it.stat().st_size)
        text = self.run_program("info", lossy[0])
        self.assertIn("/PartType1/Coordinates was rounded to 20 digits", text)

    def test_rounding_again_changes_nothing(self):
        whole = self.run_with("whole")[1]
        bits = ("--mantissa-bits", "positions=20,velocities=10,masses=12")
        self.run_program("convert", whole, "-o", "once.hdf5", *bits)
        self.run_program("convert", "once.hdf5", "-o", "twice.hdf5", *bits)
        self.run_program("diff", "once.hdf5", "twice.hdf5")
        self.assertEqual(set(fields(self.folder / "once.hdf5", 1)), set(fields(self.folder / "twice.hdf5", 1)))
        self.run_program("convert", whole, "-o", "all.hdf5", "--mantissa-bits", "20")
        with h5py.File(self.folder / "all.hdf5") as file:
            self.assertEqual({file[f"PartType1/{n}"].attrs["MantissaBits"] for n in ("Coordinates", "Velocities", "Masses")}, {20})

    def test_a_resumed_run_is_not_touched_by_the_digits_of_its_snapshots(self):
        steps = ("output.checkpoints.steps=3",)
        whole = self.run_with("whole", *steps)
        self.run_with("lossy", *self.SETTINGS, *steps, "run.end_time=0.25")
        self.run_program("run", "--resume", "lossy", "--quiet", "--set", "run.end_time=0.5", "--set", "output.mantissa_bits.positions=52",
                         "--set", "output.mantissa_bits.velocities=52", "--set", "output.mantissa_bits.masses=52",
                         "--set", "output.mantissa_bits.potentials=52")
        self.run_program("diff", "--exact", whole[-1], self.folder / "lossy" / whole[-1].name)


class Conversions(Choice):
    def test_types_fields_and_subsamples_of_a_conversion(self):
        source = self.run_with("whole")[0]
        self.run_program("convert", source, "-o", "stars.tipsy", "--types", "4")
        self.assertEqual((self.folder / "stars.tipsy").stat().st_size, 32 + 44 * 1500)
        self.run_program("convert", source, "-o", "f.hdf5", "--fields", "positions", "masses", "--types", "1", "4")
        self.assertEqual(set(fields(self.folder / "f.hdf5", 1)), {"Coordinates", "Masses"})
        self.run_program("convert", source, "-o", "q.txt", "--subsample", "0.25")
        self.assertLess(abs(len(np.loadtxt(self.folder / "q.txt", skiprows=0, comments=("#", "id"))) - 750), 120)
        for options, words in ((("--fields", "mass"), "the nearest known field is 'masses'"),
                               (("--types", "7"), "expected a list of particle types from 0 to 5"),
                               (("--subsample", "-1"), "expected a number above 0"),
                               (("--mantissa-bits", "60"), "from 1 to 52"),
                               (("--mantissa-bits", "postions=20"), "positions")):
            self.assertIn(words, self.refused("convert", source, "-o", "no.hdf5", *options))
        self.assertIn("format text stores every field", self.refused("convert", source, "-o", "no.txt", "--fields", "ids"))

    def test_masses_that_differ_cannot_be_left_out(self):
        config = self.write("m.yaml", RUN.replace("particles: 1500, position: [2, 0, 0], type: 4", "particles: 100, mass: 3"))
        self.run_program("ics", config, "-o", "m.hdf5")
        self.assertIn("particles of type 1 have several masses",
                      self.refused("convert", "m.hdf5", "-o", "x.hdf5", "--fields", "positions,ids"))
        self.assertFalse((self.folder / "x.hdf5").exists())


class Files(Choice):
    def test_several_files_are_together_the_one_file(self):
        for form, ending in (("hdf5", ".hdf5"), ("gadget2", ".gadget2")):
            settings = f"output.format={form}", "output.compression=none", "output.halos.every=0.25", \
                "halos.absolute_linking_length=0.2"
            self.run_with(f"one_{form}", *settings)
            self.run_with(f"three_{form}", *settings, "output.files=3")
            names = sorted(path.name for path in (self.folder / f"three_{form}").glob("snapshot_*"))
            parts = [n for n in names if not n.endswith("json")]
            number = ("snapshot_{:03}.{}" + ending) if form == "hdf5" else "snapshot_{:03}" + ending + ".{}"
            self.assertEqual(parts, [number.format(k, part) for k in range(3) for part in range(3)])
            for folder in ("one", "three"):
                self.run_program("convert", f"{folder}_{form}/snapshot_001{ending}", "-o", f"{folder}.hdf5")
            self.run_program("diff", "--exact", "one.hdf5", "three.hdf5")
            # those of an earlier run are outputs of a run
            self.run_with(f"three_{form}", *settings, "output.files=2")
            self.assertEqual(len(list((self.folder / f"three_{form}").glob("snapshot_*" + ending + "*"))),
                             6 + 3 * (form == "gadget2"))

    def test_a_run_goes_on_with_another_number_of_files(self):
        self.run_with("out", "output.files=3", "output.checkpoints.every=0.5")
        self.run_program("run", "--resume", self.folder / "out", "--set", "run.end_time=0.75", "--set", "output.files=2")
        found = sorted(path.name for path in (self.folder / "out").glob("snapshot_*.hdf5"))
        self.assertEqual(len(found), 3 * 3 + 2, found)
        self.run_with("whole", "run.end_time=0.75")
        for folder in ("whole", "out"):
            self.run_program("convert", f"{folder}/snapshot_003.hdf5", "-o", f"{folder}.hdf5")
        self.run_program("diff", "--exact", "whole.hdf5", "out.hdf5")

    def test_a_format_of_one_file_is_refused(self):
        text = self.run_program("run", self.write("run.yaml", RUN), "-o", "no", "--set", "output.files=2", "--set",
                                "output.format=tipsy", "--set", "output.compression=none", status=1)
        self.assertIn("output.files: 1, or one of the formats hdf5, gadget1, gadget2", text)
        self.assertFalse((self.folder / "no").exists())


if __name__ == "__main__":
    unittest.main()
