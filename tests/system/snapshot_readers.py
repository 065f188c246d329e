"""Readers of every snapshot format of their own (h5py and bytes taken apart here), which share no code with the program, and
a writer of inputs, for the tests of conversions."""
import re
import struct

import h5py
import numpy as np

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
