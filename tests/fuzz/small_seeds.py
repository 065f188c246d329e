#!/usr/bin/env python3
"""Small seeds from real files: usage: small_seeds.py DATA FOLDER. Headers stay as they are but for the counts; of each
kind of particle a few are kept. Writes FOLDER/TARGET/real_NAME; files that are not there are left out."""
import gzip
import pathlib
import struct
import sys

KEPT = 3  # particles of each kind


def records(data, order):
    """The data of every Fortran record."""
    at = 0
    while at < len(data):
        size = struct.unpack_from(order + "i", data, at)[0]
        yield data[at + 4:at + 4 + size]
        at += size + 8


def small_gadget(data):
    """Format 1: header, POS, VEL, ID, maybe MASS, then blocks of the gas."""
    order = "<" if data[0:4] == struct.pack("<i", 256) else ">"
    header, *blocks = records(data, order)
    counts = struct.unpack_from(order + "6i", header)
    masses = struct.unpack_from(order + "6d", header, 24)
    small = [min(n, KEPT) for n in counts]
    header = struct.pack(order + "6i", *small) + header[24:96] + struct.pack(order + "6I", *small) + header[120:]
    stored = [n if m == 0 else 0 for n, m in zip(counts, masses)]
    out = [header]
    for k, block in enumerate(blocks):
        present = counts if k < 3 else stored if k == 3 and sum(stored) else [counts[0], 0, 0, 0, 0, 0]
        if sum(present) == 0:
            continue
        width = len(block) // sum(present)
        at, kept = 0, b""
        for n in present:
            kept += block[at:at + min(n, KEPT) * width]
            at += n * width
        out.append(kept)
    return b"".join(struct.pack(order + "i", len(r)) + r + struct.pack(order + "i", len(r)) for r in out)


def small_tipsy(data):
    order = ">" if struct.unpack_from(">i", data, 12)[0] == 3 else "<"
    counts = struct.unpack_from(order + "3i", data, 16)
    small = [min(n, KEPT) for n in counts]
    out = data[:8] + struct.pack(order + "5i", sum(small), 3, *small) + data[28:32]
    at = 32
    for n, kept, floats in zip(counts, small, (12, 9, 11)):
        out += data[at:at + kept * floats * 4]
        at += n * floats * 4
    return out


def lines(n):
    return lambda data: b"\n".join(data.split(b"\n")[:n]) + b"\n"


def with_lines_before(*before):
    return lambda data: "".join(before).encode() + data


WANTED = [
    ("gadget_binary", "gadget/lcdm_gas_littleendian.dat", small_gadget),
    ("gadget_binary", "gadget/uniform32_z99.gadget", small_gadget),
    ("gadget_binary", "galaxy/galaxy_bigendian.dat", small_gadget),
    ("gadget_binary", "fof/psi_snapshot_010", small_gadget),
    ("tipsy", "tipsy/tiny.000832", small_tipsy),
    ("tipsy", "tipsy/uniform32_z99.tipsy", small_tipsy),
    ("tipsy", "tipsy/cube300/cube300.tbin", small_tipsy),
    ("text_table", "plummer1k.in", lines(20)),
    ("groups", "tipsy/tiny.000832.amiga.grp", lambda data: b"\x03" + lines(4)(data)),
    ("points", "scf/special_6_4.txt", lines(20)),
    ("coefficients_text", "scf/coef_3_3.txt.gz", with_lines_before("# basis: hernquist-ostriker\n")),
]


def main(data, folder):
    for target, name, small in WANTED:
        file = data / name
        if not file.is_file():
            continue
        content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        seed = small(content)
        if target == "tipsy":  # with the units beside it
            for param in list(file.parent.glob("*.param"))[:1]:
                seed += b"\n%%%%\n" + param.read_bytes()
        (folder / target / f"real_{file.stem}").write_bytes(seed)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
