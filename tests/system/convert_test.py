"""`aureole convert` between all formats, judged by readers of their own (h5py and bytes taken apart here), which share no
code with the program; pynbody and yt where they can be imported."""
import json
import os
import re
import struct
import unittest

import h5py
import numpy as np

from aureole_program import ProgramTest, needed, real_data

KPC, MASS, KM = 3.085678e21, 1.989e43, 1e5
GRAVITY = 6.6743e-8
TYPES = {0: 60, 1: 90, 2: 30, 4: 40}
SOFTENING = {0: 0.5, 1: 0.25, 2: 0.25, 4: 0.125}
# kpc/h, 1e10 Msun/h: matter of Omega0 = 0.3 in a box of 20 Mpc/h
COSMOLOGY = {"Time": 0.25, "Redshift": 3.0, "Omega0": 0.3, "OmegaLambda": 0.7, "OmegaBaryon": 0.0, "HubbleParam": 0.7,
             "BoxSize": 20000.0}
ISOLATED = {"Time": 0.75, "Redshift": 0.0, "Omega0": 0.0, "OmegaLambda": 0.0, "OmegaBaryon": 0.0, "HubbleParam": 1.0,
            "BoxSize": 0.0}
FORMATS = {"hdf5": "x.hdf5", "swift": "x.swift.hdf5", "gadget1": "x.gadget", "gadget2": "x.gadget2", "tipsy": "x.tipsy",
           "tipsy-native": "x_native.tipsy", "text": "x.txt"}


def write_input(path, header, parts=1):
    """Gadget HDF5 with several types, 64-bit ids, a mass table for type 1, and numbers that floats cannot hold."""
    rng = np.random.default_rng(5)
    comoving = header["Omega0"] > 0
    side = header["BoxSize"] or 100.0
    total = sum(TYPES.values())
    ids = rng.choice(10**13, total, replace=False).astype(np.uint64)
    ids[0] = 7
    mean = 0.3 * 27.7536627e-9 * side**3 / total if comoving else 0.01
    particles, first = {}, 0
    for kind, n in TYPES.items():
        particles[kind] = {"Coordinates": rng.uniform(0.001 * side, side, (n, 3)), "Velocities": rng.normal(0, 200, (n, 3)),
                           "ParticleIDs": ids[first:first + n],
                           "Masses": np.full(n, mean) if kind == 1 else mean * rng.uniform(0.5, 1.5, n)}
        first += n
    for part in range(parts):
        name = path if parts == 1 else path.with_name(f"{path.stem}.{part}.hdf5")
        with h5py.File(name, "w") as file:
            head = file.create_group("Header")
            counts = np.zeros(6, np.uint32)
            table = np.zeros(6)
            for kind, fields in particles.items():
                here = slice(part, None, parts)
                group = file.create_group(f"PartType{kind}")
                for field, values in fields.items():
                    if kind == 1 and field == "Masses":
                        table[kind] = values[0]
                    else:
                        group[field] = values[here]
                counts[kind] = len(fields["Masses"][here])
            head.attrs.update(header)
            head.attrs["NumPart_ThisFile"] = counts
            head.attrs["NumPart_Total"] = np.array([TYPES.get(k, 0) for k in range(6)], np.uint32)
            head.attrs["MassTable"] = table
            head.attrs["NumFilesPerSnapshot"] = parts
            units = file.create_group("Units")
            units.attrs.update(UnitLength_in_cm=KPC, UnitMass_in_g=MASS, UnitVelocity_in_cm_per_s=KM)
            parameters = file.create_group("Parameters")
            parameters.attrs["ComovingIntegrationOn"] = int(comoving)
            for kind in range(6):
                parameters.attrs[f"SofteningClassOfPartType{kind}"] = kind
                parameters.attrs[f"SofteningComovingClass{kind}"] = SOFTENING.get(kind, 0.0)
                parameters.attrs[f"SofteningMaxPhysClass{kind}"] = SOFTENING.get(kind, 0.0)


class Found:
    """What a reader found: cgs numbers, comoving lengths, peculiar velocities; particles sorted by id."""

    def __init__(self, units, header, a=1.0, h=1.0):
        self.length, self.mass, self.velocity = units
        self.header, self.a, self.h = header, a, h
        self.rows = []

    def add(self, kind, ids, masses, x, v, lm_exponent=0.0, a_exponent=0.0):
        factor = self.h**lm_exponent
        self.rows.append((np.full(len(ids), kind), np.asarray(ids, np.uint64), np.asarray(masses, float) * self.mass * factor,
                          np.asarray(x, float) * self.length * factor,
                          np.asarray(v, float) * self.velocity * self.a**a_exponent))

    def sorted(self):
        kind, ids, mass, x, v = (np.concatenate(column) for column in zip(*self.rows))
        order = np.argsort(ids)
        return kind[order], ids[order], mass[order], x[order], v[order]


def read_hdf5(path, units=(KPC, MASS, KM)):
    with h5py.File(path) as file:
        attrs = file["Header"].attrs
        comoving = bool(file["Parameters"].attrs["ComovingIntegrationOn"])
        stated = file["Units"].attrs
        units = [stated[k] for k in ("UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s")]
        header = {k: float(attrs[k]) for k in ISOLATED}
        found = Found(units, header, attrs["Time"] if comoving else 1.0, attrs["HubbleParam"] if comoving else 1.0)
        header["BoxSize"] *= units[0] / found.h
        for kind in range(6):
            if attrs["NumPart_ThisFile"][kind]:
                g = file[f"PartType{kind}"]
                assert g["Velocities"].attrs["a_scaling"] == (0.5 if comoving else 0)
                found.add(kind, g["ParticleIDs"], g["Masses"], g["Coordinates"], g["Velocities"], -1, 0.5)
        softening = file["Parameters"].attrs
        found.softening = {k: softening[f"SofteningComovingClass{softening[f'SofteningClassOfPartType{k}']}"] * units[0] / found.h
                           for k in TYPES if f"SofteningClassOfPartType{k}" in softening}
    return found


def read_swift(path):
    with h5py.File(path) as file:
        head, cosmology, stated = file["Header"].attrs, file["Cosmology"].attrs, file["Units"].attrs
        length, mass, time = (stated[f"Unit {k} in cgs ({s})"][0] for k, s in (("length", "U_L"), ("mass", "U_M"), ("time", "U_t")))
        assert head["Code"] == b"SWIFT" and head["NumPart_ThisFile"].shape == (7,) and head["Time"].shape == (1,)
        comoving = bool(cosmology["Cosmological run"][0])
        header = {"Time": head["Scale-factor"][0] if comoving else head["Time"][0] * time / (KPC / KM), "Redshift": head["Redshift"][0],
                  "Omega0": cosmology["Omega_m"][0], "OmegaLambda": cosmology["Omega_lambda"][0],
                  "OmegaBaryon": cosmology["Omega_b"][0], "HubbleParam": cosmology["h"][0], "BoxSize": head["BoxSize"][2] * length}
        found = Found((length, mass, length / time), header)
        for kind in range(7):
            if head["NumPart_ThisFile"][kind]:
                g = file[f"PartType{kind}"]
                assert g["Coordinates"].attrs["U_L exponent"][0] == 1 and g["Velocities"].attrs["a-scale exponent"][0] == 0
                assert g["Velocities"].attrs["U_t exponent"][0] == -1
                found.add(kind, g["ParticleIDs"], g["Masses"], g["Coordinates"], g["Velocities"])
    return found


def read_gadget(path, labelled):
    """The records of GADGET-2's user guide, section 6."""
    data, at, blocks = path.read_bytes(), 0, []
    while at < len(data):
        label = None
        if labelled:
            assert struct.unpack_from("<i", data, at)[0] == 8
            label, skip = struct.unpack_from("<4si", data, at + 4)
            at += 16
        n, = struct.unpack_from("<i", data, at)
        assert not labelled or skip == n + 8
        assert struct.unpack_from("<i", data, at + 4 + n)[0] == n
        blocks.append((label, data[at + 4:at + 4 + n]))
        at += 8 + n
    if labelled:
        assert [label for label, _ in blocks] == [b"HEAD", b"POS ", b"VEL ", b"ID  ", b"MASS"]
    head = blocks[0][1]
    assert len(head) == 256
    counts, table = struct.unpack_from("<6i", head, 0), struct.unpack_from("<6d", head, 24)
    time, redshift = struct.unpack_from("<2d", head, 72)
    assert struct.unpack_from("<6I", head, 96) == counts and struct.unpack_from("<i", head, 124)[0] == 1
    box, omega0, omega_lambda, hubble = struct.unpack_from("<4d", head, 128)
    total = sum(counts)
    real = {12: "<f4", 24: "<f8"}[len(blocks[1][1]) // total]
    x, v = (np.frombuffer(b, real).reshape(-1, 3) for _, b in blocks[1:3])
    ids = np.frombuffer(blocks[3][1], {4: "<u4", 8: "<u8"}[len(blocks[3][1]) // total])
    stored = iter(np.frombuffer(blocks[4][1], real)) if len(blocks) > 4 else iter(())
    comoving = omega0 > 0
    found = Found((KPC, MASS, KM), {"Time": time, "Redshift": redshift, "Omega0": omega0, "OmegaLambda": omega_lambda,
                                    "OmegaBaryon": 0.0, "HubbleParam": hubble, "BoxSize": box * KPC / hubble},
                  time if comoving else 1.0, hubble if comoving else 1.0)
    first = 0
    for kind, n in enumerate(counts):
        masses = [table[kind] or next(stored) for _ in range(n)]
        if n:
            found.add(kind, ids[first:first + n], masses, x[first:first + n], v[first:first + n], -1, 0.5)
        first += n
    assert next(stored, None) is None
    found.double, found.wide_ids, found.table = real == "<f8", ids.dtype.itemsize == 8, table
    return found


def read_tipsy(path, order):
    data = path.read_bytes()
    time, n, dimensions, gas, dark, star, _ = struct.unpack_from(order + "d6i", data)
    assert (n, dimensions) == (gas + dark + star, 3) and len(data) == 32 + 48 * gas + 36 * dark + 44 * star
    lines = path.with_suffix(".param").read_text().splitlines()
    param = {k.strip(): v.strip() for k, v in (line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))}
    length, mass = float(param["dKpcUnit"]) * KPC, float(param["dMsolUnit"]) * 1.989e33
    velocity = np.sqrt(GRAVITY * mass / length)
    comoving = param["bComove"] == "1"
    hubble = float(param.get("dHubble0", 0)) * velocity / length / (100 * KM / (1e3 * KPC)) if comoving else 1.0
    header = {"Time": time if comoving else time * (length / velocity) / (KPC / KM), "Redshift": 1 / time - 1 if comoving else 0.0,
              "Omega0": float(param.get("dOmega0", 0)), "OmegaLambda": float(param.get("dLambda", 0)), "OmegaBaryon": 0.0,
              "HubbleParam": hubble, "BoxSize": float(param.get("dPeriod", 0)) * length}
    found = Found((length, mass, velocity), header, time if comoving else 1.0)
    iord = path.with_name(path.name + ".iord").read_bytes()
    if len(iord) == 4 * (n + 1):
        ids = np.frombuffer(iord, order + "i4")
    else:
        ids = np.array(iord.split(), np.uint64)
    assert ids[0] == n
    at, first = 32, 1
    for kind, count, width in ((0, gas, 12), (1, dark, 9), (4, star, 11)):
        rows = np.frombuffer(data, order + "f4", count * width, at).reshape(count, width)
        # dx/dt of comoving coordinates is v_peculiar / a
        found.add(kind, ids[first:first + count], rows[:, 0], rows[:, 1:4], rows[:, 4:7], 0, 1.0)
        at, first = at + 4 * count * width, first + count
    return found


def read_text(path):
    keys = dict(re.findall(r"^# ([^:\n]+): (.*)$", path.read_text(), re.M))
    rows = [line.split() for line in path.read_text().splitlines() if line[0] not in "#i"]
    length, mass, velocity = map(float, keys["units_in_cm_g_cm/s"].split())
    comoving = keys.get("comoving") == "yes"
    h, a = float(keys.get("h", 1)), float(keys["time"]) if comoving else 1.0
    power = float(keys.get("h_exponent", 0))
    header = {"Time": float(keys["time"]), "Redshift": float(keys.get("redshift", 0)), "Omega0": float(keys.get("omega0", 0)),
              "OmegaLambda": float(keys.get("omega_lambda", 0)), "OmegaBaryon": float(keys.get("omega_baryon", 0)),
              "HubbleParam": h, "BoxSize": float(keys["box"]) * length * h**power}
    if not comoving:
        header["Time"] *= length / velocity / (KPC / KM)
    found = Found((length, mass, velocity), header, a, h)
    first = 0
    for kind, n in enumerate(map(int, keys["particles_by_type"].split())):
        here = rows[first:first + n]
        if n:
            numbers = np.array([row[1:] for row in here], float)
            found.add(kind, np.array([row[0] for row in here], np.uint64), numbers[:, 0], numbers[:, 1:4], numbers[:, 4:],
                      power, float(keys.get("velocity_a_exponent", 0)))
        first += n
    return found


READERS = {"hdf5": read_hdf5, "swift": read_swift, "gadget1": lambda p: read_gadget(p, False),
           "gadget2": lambda p: read_gadget(p, True), "tipsy": lambda p: read_tipsy(p, ">"),
           "tipsy-native": lambda p: read_tipsy(p, "<"), "text": read_text}


def expected(path):
    """The input, read as an HDF5 file whose type 1 has its mass in the header."""
    with h5py.File(path, "r+") as file:
        if "Masses" not in file["PartType1"]:
            file["PartType1/Masses"] = np.full(TYPES[1], file["Header"].attrs["MassTable"][1])
        for kind in TYPES:
            file[f"PartType{kind}/Velocities"].attrs["a_scaling"] = 0.5 * (file["Header"].attrs["Omega0"] > 0)
    return read_hdf5(path)


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
