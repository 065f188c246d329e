"""Catalogues of halos as files, by the program's own writers, and as data sets of yt."""
import os
import pathlib
import tempfile

import numpy as np

from ._errors import ArgumentError, FileError

_FORMATS = {"gadget4": ".hdf5", "yt": ".0.h5", "csv": ".csv"}


class Origin:
    """What a file of halos tells of them beside its columns: header, units in cgs (None: unknown), their names, G."""

    def __init__(self, header=None, cgs=None, names=("", "", ""), G=1.0):
        self.header, self.cgs, self.names, self.G = dict(header or {}), cgs, tuple(names), G

    @classmethod
    def of_call(cls, units, box, G):
        """Of a call with arrays: `units` is its CallUnits, `box` a number or None."""
        header = {"box": float(box or 0.0)}
        base = [units.unit(*powers) for powers in ((1, 0, 0), (0, 1, 0), (0, 0, 1))] if units else [None] * 3
        if None in base:
            return cls(header, G=G)
        cgs = tuple(float(units.system.factor(unit, units.system.named(name))) for unit, name in zip(base, ("cm", "g", "cm/s")))
        return cls(header, cgs, [str(unit) for unit in base], G)


def _format_of(path, given):
    if given is not None:
        if given not in _FORMATS:
            raise ArgumentError(f"format: found {given!r}, expected one of {', '.join(map(repr, _FORMATS))}")
        return given
    name = pathlib.PurePath(path).name
    found = next((one for one in ("yt", "csv", "gadget4") if name.endswith(_FORMATS[one])), None)
    if found is None:
        raise ArgumentError(f"path: found {name!r}, expected a name that ends in .hdf5 (GADGET-4's catalogue), .0.h5 (yt's) or .csv; "
                            "format= takes any name")
    return found


def _columns(table):
    """As C++ takes them: real numbers in double, others in 64 bits."""
    made = []
    for name, values in table.items():
        numbers = np.asarray(values)
        kind = np.float64 if numbers.dtype.kind == "f" else np.int64
        made.append((name, table.description[name], table.dimension[name], np.ascontiguousarray(numbers, dtype=kind)))
    return made


def _peculiar(table, header):
    """The table with peculiar velocities, which writers take."""
    power = header.get("velocity_a_exponent", 0.0)
    if table is None or not header.get("comoving") or power == 0:
        return table
    return table.velocities_times((1 / (1 + header["redshift"])) ** power)


def write(catalogue, path, format, units):
    """HaloCatalogue.write()."""
    from . import __version__, _run

    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path: found {type(path).__name__}, expected a path")
    origin, kind = catalogue._origin, _format_of(path, format)
    if origin is None:
        raise ArgumentError("write: found halos of a simulation in an expanding universe, expected those of a file: sim.snapshot(path), "
                            "then find_halos(load(path))")
    if origin.cgs is not None and units:
        raise ArgumentError(f"units: found {units!r}, expected none: the halos have units")
    if origin.cgs is None and not units and origin.G != 1 and kind != "csv":
        raise ArgumentError(f"units: found none for numbers with G = {origin.G:.6g}, expected those of length, mass and velocity, as "
                            "'galactic' or '{length: kpc, mass: Msun, velocity: km/s}'")
    groups, subhalos = (_peculiar(table, origin.header) for table in (catalogue.columns, catalogue.subhalos))
    try:
        _run.write_catalogue(path, kind, _columns(groups), None if subhalos is None else _columns(subhalos), origin.header,
                             origin.cgs, units, list(origin.names), __version__)
    except FileError as error:
        error.path = os.fspath(path)
        raise


def to_yt(catalogue, units):
    """HaloCatalogue.to_yt()."""
    import yt

    if len(catalogue) == 0:
        raise ArgumentError("to_yt: found no halo, expected at least one")
    folder = tempfile.TemporaryDirectory(prefix="aureole_halos_")
    file = os.path.join(folder.name, "halos_000.0.h5")
    write(catalogue, file, "yt", units)
    data = yt.load(file)
    data.aureole_folder = folder  # yt reads the file when it needs it: gone with the data set
    return data
