"""`aureole convert` between all formats, judged by the readers of snapshot_readers.py; pynbody and yt where they can be
imported."""
import json
import os
import unittest

import h5py
import numpy as np

from aureole_program import ProgramTest, needed, real_data
from snapshot_readers import (COSMOLOGY, FORMATS, ISOLATED, KPC, READERS, SOFTENING, TYPES, expected, read_gadget, read_hdf5,
                              write_input)


class Convert(ProgramTest):
    def converted(self, source, name, target, *options):
        path = self.folder / target
        path.parent.mkdir(exist_ok=True)
        self.text = self.run_program("convert", source, "-o", path, "--format", name, *options)
        return path

    def assert_same(self, found, wanted, tolerance, merged_types):
        for key, value in wanted.header.items():
            self.assertAlmostEqual(found.header[key] / (value or 1), value / (value or 1), delta=1e-12, msg=key)
        kind, ids, mass, x, v = found.sorted()
        kinds, all_ids, masses, xs, vs = wanted.sorted()
        self.assertTrue(np.array_equal(ids, all_ids))
        self.assertTrue(np.array_equal(kind, np.where(np.isin(kinds, (2, 3, 5)), 1, kinds) if merged_types else kinds))
        for got, want in ((mass, masses), (x, xs), (v, vs)):
            np.testing.assert_allclose(got, want, rtol=tolerance)


class Pairs(Convert):
    def check_all_pairs(self, header):
        source = self.folder / "in.hdf5"
        write_input(source, header)
        first = {}
        for name, file in FORMATS.items():
            first[name] = self.converted(source, name, f"{name}/{file}")
        wanted = expected(source)
        for name, path in first.items():
            with self.subTest(written=name):
                tipsy = name.startswith("tipsy")
                self.assert_same(READERS[name](path), wanted, 3e-7 if tipsy else 1e-14, tipsy)
        for name, path in first.items():
            for other, file in FORMATS.items():
                with self.subTest(source=name, written=other):
                    tipsy = name.startswith("tipsy") or other.startswith("tipsy")
                    again = READERS[other](self.converted(path, other, f"{name}-{other}/{file}"))
                    self.assert_same(again, wanted, 3e-7 if tipsy else 3e-14, tipsy)
        return first

    def test_comoving_particles_are_the_same_in_every_format(self):
        first = self.check_all_pairs(COSMOLOGY)
        for name in ("hdf5", "swift", "text"):
            found = read_hdf5(self.converted(first[name], "hdf5", f"{name}_soft.hdf5"))
            for kind, length in SOFTENING.items():
                self.assertAlmostEqual(found.softening[kind] / (length * KPC / 0.7), 1, delta=1e-12)

    def test_isolated_particles_are_the_same_in_every_format(self):
        self.check_all_pairs(ISOLATED)

    def test_a_conversion_to_the_same_format_keeps_every_bit(self):
        source = self.folder / "in.hdf5"
        for header in (COSMOLOGY, ISOLATED):
            write_input(source, header)
            for name, file in FORMATS.items():
                with self.subTest(format=name, comoving=header is COSMOLOGY):
                    one = self.converted(source, name, file)
                    two = self.converted(one, name, "again/" + file)
                    self.run_program("diff", one, two)


class Contents(Convert):
    def setUp(self):
        super().setUp()
        self.source = self.folder / "in.hdf5"
        write_input(self.source, COSMOLOGY)

    def test_the_name_of_the_output_decides_the_format(self):
        for file, name in (("a.hdf5", "Gadget HDF5"), ("a.tipsy", "tipsy (standard"), ("a.gadget", "Gadget binary (format 1"),
                           ("a.gadget2", "Gadget binary (format 2"), ("a.txt", "text table")):
            self.run_program("convert", self.source, "-o", file)
            self.assertIn(f"{file}: {name}", self.run_program("info", file))

    def test_initial_conditions_are_written_in_the_format_of_the_name(self):
        config = self.write("ics.yaml", "seed: 1\ninitial_conditions: {model: plummer, particles: 50}\n")
        self.run_program("ics", config, "-o", "p.tipsy")
        self.assertEqual(len((self.folder / "p.tipsy").read_bytes()), 32 + 36 * 50)
        self.run_program("ics", config, "-o", "p.txt")
        self.assertIn("nbody (G = 1)", self.run_program("info", "p.txt"))
        self.run_program("ics", config, "-o", "p.hdf5")
        self.assertIn("equal", self.run_program("diff", "p.txt", "p.hdf5"))
        self.assertIn("the name ends in '.foo', so that its format is unknown", self.refused("ics", config, "-o", "p.foo"))
        self.assertIn("has no ending", self.refused("ics", config, "-o", "p"))
        self.assertIn("the ending .tipsy is that of format tipsy", self.refused("ics", config, "-o", "q.tipsy", "--format", "hdf5"))
        self.assertFalse(any((self.folder / name).exists() for name in ("p.foo", "p", "q.tipsy")))

    def test_a_snapshot_in_several_files_becomes_one(self):
        write_input(self.folder / "set.hdf5", COSMOLOGY, parts=3)
        wanted = expected(self.source)
        for name in ("set.1.hdf5", "set"):
            self.assert_same(read_gadget(self.converted(self.folder / name, "gadget1", "one.gadget"), False), wanted, 1e-14, False)
        self.assertIn("is the input or a part of it",
                      self.refused("convert", "set.0.hdf5", "-o", "set.2.hdf5"))

    def test_notes_tell_what_a_format_cannot_hold(self):
        text = self.run_program("convert", self.source, "-o", "a.tipsy")
        for words in ("particles of types 2, 3 and 5 become dark matter", "single precision: numbers are rounded"):
            self.assertIn(words, text)
        text = self.run_program("convert", self.source, "-o", "a.gadget")
        for words in ("name no units: lengths are in 3.085678e+21 cm/h", "does not hold softening lengths"):
            self.assertIn(words, text)
        self.assertNotIn("note:", self.run_program("convert", self.source, "-o", "a.txt"))
        self.assertNotIn("note:", self.run_program("convert", self.source, "-o", "b.hdf5", "--format", "swift"))

    def test_gadget_binary_takes_as_many_bytes_as_its_numbers_need(self):
        found = read_gadget(self.converted(self.source, "gadget2", "wide.gadget2"), True)
        self.assertTrue(found.double and found.wide_ids)
        self.assertGreater(found.table[1], 0)
        self.assertEqual(list(found.table[:1]) + list(found.table[2:]), [0, 0, 0, 0, 0])
        found = read_gadget(self.converted(self.source, "gadget2", "single.gadget2", "--single"), True)
        self.assertFalse(found.double)
        self.assertIn("rounded to single precision", self.text)
        again = read_gadget(self.converted(self.folder / "single.gadget2", "gadget1", "again.gadget"), False)
        self.assertFalse(again.double)
        for a, b in zip(found.sorted(), again.sorted()):
            self.assertTrue(np.array_equal(a, b))
        notes = json.loads((self.folder / "again.gadget-metadata.json").read_text())
        self.assertIn("aureole convert", json.dumps(notes))

    def test_units_of_the_output_may_be_those_of_the_input(self):
        with h5py.File(self.source, "r+") as file:
            file["Units"].attrs["UnitLength_in_cm"] = 1000 * KPC
            file["Header"].attrs["BoxSize"] = 20.0
            for kind in TYPES:
                file[f"PartType{kind}/Coordinates"][...] /= 1000
            stored = file["PartType4/Coordinates"][:]
        for words, length, scale in (((), KPC, 1000), (("--output-units", "input"), 1000 * KPC, 1)):
            with h5py.File(self.converted(self.source, "hdf5", "out.hdf5", *words)) as file:
                self.assertAlmostEqual(file["Units"].attrs["UnitLength_in_cm"] / length, 1, delta=1e-12)
                np.testing.assert_allclose(file["PartType4/Coordinates"][:], stored * scale, rtol=1e-14)
        self.assertIn("--output-units: found 'kpc', expected galactic or input",
                      self.refused("convert", self.source, "-o", "a.hdf5", "--output-units", "kpc"))

    def test_a_file_of_a_run_with_g_one_stays_one(self):
        config = self.write("ics.yaml", "units: nbody\nseed: 1\ninitial_conditions: {model: plummer, particles: 50}\n")
        self.run_program("ics", config, "-o", "n.hdf5")
        for name, file in FORMATS.items():
            if name.startswith("gadget"):
                continue
            path = self.converted(self.folder / "n.hdf5", name, file)
            self.assertIn("nbody (G = 1)", self.run_program("info", path), name)
            self.run_program("diff", "n.hdf5", path, "--tolerance", "1e-6")


class Refusals(Convert):
    def setUp(self):
        super().setUp()
        self.source = self.folder / "in.hdf5"
        write_input(self.source, ISOLATED)

    def test_inputs_and_files_of_others_are_not_replaced(self):
        before = self.source.read_bytes()
        for name in ("in.hdf5", "./in.hdf5"):
            self.assertIn("is the input", self.refused("convert", self.source, "-o", name))
        os.symlink(self.source, self.folder / "link.hdf5")
        self.assertIn("is the input", self.refused("convert", self.source, "-o", "link.hdf5"))
        self.assertEqual(self.source.read_bytes(), before)
        self.write("galaxy.param", "BoxSize 5\n")
        line = self.refused("convert", self.source, "-o", "galaxy.tipsy")
        self.assertIn("galaxy.param: is there already", line)
        self.assertEqual((self.folder / "galaxy.param").read_text(), "BoxSize 5\n")
        self.assertFalse((self.folder / "galaxy.tipsy").exists())
        self.run_program("convert", self.source, "-o", "mine.tipsy")
        self.run_program("convert", self.source, "-o", "mine.tipsy")  # what a conversion made may be made again

    def test_nothing_is_left_when_the_output_cannot_be_written(self):
        self.assertIn("there is no folder", self.refused("convert", self.source, "-o", "none/x.tipsy"))
        os.mkfifo(self.folder / "pipe.txt")
        self.assertIn("a device or a pipe", self.refused("convert", self.source, "-o", "pipe.txt"))
        with h5py.File(self.source, "r+") as file:
            file["PartType0/Coordinates"][3, 1] = 1e300
        kept = set(os.listdir(self.folder))
        for name, options in (("x.tipsy", ()), ("x.gadget", ("--single",))):
            self.assertIn("single precision cannot hold", self.refused("convert", self.source, "-o", name, *options))
        self.assertEqual(set(os.listdir(self.folder)), kept)

    def test_damaged_tables_are_refused(self):
        self.run_program("convert", self.source, "-o", "t.txt")
        text = (self.folder / "t.txt").read_text()
        for found, replaced, words in (("# particles_by_type: 60", "# particles_by_type: 61", "particles_by_type promises"),
                                       ("# box: 0", "# box: x", "found 'x', expected 1 finite number(s)"),
                                       ("# softening: ", "# softening: 1 ", "found 7 numbers, expected 6")):
            self.assertIn(found, text)
            self.write("bad.txt", text.replace(found, replaced))
            self.assertIn(words, self.refused("convert", "bad.txt", "-o", "bad.hdf5"))
        self.assertFalse((self.folder / "bad.hdf5").exists())


class RealFiles(Convert):
    def test_files_of_other_codes_are_converted_and_come_back(self):
        for name in ("galaxy/galaxy_bigendian.dat", "gadget/lcdm_gas_littleendian.dat", "tipsy/tiny.000832", "plummer1k.in",
                     "gadget/glass_32.hdf5"):
            source = real_data(name)
            self.run_program("convert", source, "-o", "direct.hdf5")
            for target in ("x.tipsy", "x.gadget2", "x.txt"):
                with self.subTest(source=name, target=target):
                    self.run_program("convert", source, "-o", target)
                    if (target, name) in (("x.gadget2", "plummer1k.in"),  # the file cannot say that G = 1
                                          ("x.tipsy", "galaxy/galaxy_bigendian.dat")):  # nor that stars form a disk
                        continue
                    self.run_program("convert", target, "-o", "back.hdf5")
                    self.run_program("diff", "direct.hdf5", "back.hdf5", "--tolerance", "1e-6" if target == "x.tipsy" else "1e-12")


class OtherReaders(Convert):
    def test_pynbody_reads_what_was_written(self):
        pynbody = needed("pynbody")
        write_input(self.folder / "in.hdf5", COSMOLOGY)
        wanted = expected(self.folder / "in.hdf5").sorted()
        for name in ("hdf5", "gadget1", "tipsy"):
            with self.subTest(format=name):
                s = pynbody.load(str(self.converted(self.folder / "in.hdf5", name, f"{name}/{FORMATS[name]}")))
                s.physical_units()
                mass = float(np.sum(s["mass"].in_units("g")))
                self.assertAlmostEqual(mass / wanted[2].sum(), 1, delta=1e-3)

    def test_yt_reads_what_was_written(self):
        yt = needed("yt")
        yt.set_log_level(50)
        write_input(self.folder / "in.hdf5", COSMOLOGY)
        wanted = expected(self.folder / "in.hdf5").sorted()
        for name in ("hdf5", "swift", "gadget1"):
            with self.subTest(format=name):
                data = yt.load(str(self.converted(self.folder / "in.hdf5", name, f"{name}/{FORMATS[name]}"))).all_data()
                self.assertAlmostEqual(float(data["all", "particle_mass"].to("g").sum()) / wanted[2].sum(), 1, delta=1e-3)


if __name__ == "__main__":
    unittest.main()
