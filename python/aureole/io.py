"""Files by the program's own readers: snapshots of every format that it reads, catalogues, coefficients."""
import os

import numpy as np

from . import _run
from ._catalogue_files import Origin
from ._errors import ArgumentError, FileError
from .catalogue import Table

__all__ = ["load", "Snapshot"]

#: lengths, masses and velocities in cgs, of astropy's units
_CGS = ("cm", "g", "cm/s")


def _path(path):
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path: found {type(path).__name__}, expected a path")
    return os.fspath(path)


def _called(function, path, *arguments):
    """Calls the reader; its FileError knows the path."""
    path = _path(path)
    try:
        return function(path, *arguments)
    except FileError as error:
        error.path = path
        raise


def load(path, units="") -> "Snapshot":
    """A snapshot of any format that the program reads: Gadget HDF5 (GADGET-4, AREPO, SWIFT), Gadget binary, tipsy, text.

    Parameters
    ----------
    path : path of the file, or of the first of several
    units : str, optional
        Of a file that names none: "nbody" (G = 1), "galactic" (kpc, 1e10 Msun, km/s), or
        "{length: kpc, mass: Msun, velocity: km/s}".

    Returns
    -------
    Snapshot

    Raises
    ------
    FileError
        A file that is damaged or of no known format; ``error.path`` is the file.
    ConfigError
        Units that the file contradicts.
    """
    return Snapshot(_called(_run.load_snapshot, path, units), path)


class Snapshot:
    """Particles of a file, in its own numbers (comoving and h-scaled where they are). Columns are made when they are asked for.

    Attributes
    ----------
    pos, vel : float64 (N, 3) in Fortran's order; ``vel`` is None where the file holds none
    mass : float64 (N,)
    ids : uint64 (N,);  types : uint8 (N,) of 0 to 5;  components : uint16 (N,)
    box : float or None, the side of the periodic cube
    header : dict of time, redshift, omega0, omega_lambda, hubble, comoving, ...
    units : (length in cm, mass in g, velocity in cm/s), or None for G = 1
    notes : what was assumed, one sentence each
    """

    def __init__(self, loaded, path, chosen=None):
        self._loaded, self.path, self._chosen, self._columns = loaded, _path(path), chosen, {}
        self.header, self.notes, self.format = loaded.header, list(loaded.notes), loaded.format
        self.units, self.dropped_fields = loaded.units, list(loaded.dropped_fields)

    def _column(self, name):
        if name not in self._columns:
            values = getattr(self._loaded, name)
            values = values.T if values.ndim == 2 else values
            values = values if self._chosen is None else np.asfortranarray(values[self._chosen])
            values.flags.writeable = False
            self._columns[name] = values
        return self._columns[name]

    def __len__(self):
        return len(self._loaded) if self._chosen is None else len(self._chosen)

    pos = property(lambda self: self._column("position"))
    mass = property(lambda self: self._column("mass"))
    ids = property(lambda self: self._column("ids"))
    types = property(lambda self: self._column("types"))
    components = property(lambda self: self._column("components"))

    @property
    def vel(self):
        return self._column("velocity") if self._loaded.has_velocities else None

    @property
    def box(self):
        return self.header["box"] or None

    #: names of particle types, for ``snapshot["dark"]``
    TYPES = {"gas": 0, "dark": 1, "halo": 1, "disk": 2, "bulge": 3, "stars": 4, "boundary": 5}

    def __getitem__(self, kind):
        """The particles of a type (0 to 5, or "gas", "dark", "disk", "bulge", "stars", "boundary"), or of a mask or indices."""
        if isinstance(kind, str):
            if kind not in self.TYPES:
                raise KeyError(f"{kind!r}; the types are {', '.join(self.TYPES)}")
            kind = self.TYPES[kind]
        if isinstance(kind, (int, np.integer)):
            if not 0 <= kind <= 5:
                raise KeyError(f"type {kind}; types are 0 to 5")
            kind = self.types == kind
        index = np.arange(len(self))[kind]
        return Snapshot(self._loaded, self.path, index if self._chosen is None else self._chosen[index])

    def quantity(self, name):
        """A column as an astropy Quantity in physical units: "pos", "vel" or "mass", without factors of h and a."""
        import astropy.units as u

        if self.units is None:
            raise ArgumentError(f"{self.path}: found G = 1, expected units; load(path, units=...) says which")
        a = 1 / (1 + self.header["redshift"]) if self.header["comoving"] else 1.0
        h = self.header["hubble"] ** self.header["h_exponent"] if self.header["comoving"] else 1.0
        of = {"pos": (0, a * h), "mass": (1, h), "vel": (2, a ** self.header["velocity_a_exponent"])}
        if name not in of:
            raise ArgumentError(f"name: found {name!r}, expected 'pos', 'vel' or 'mass'")
        k, factor = of[name]
        usual = ("kpc", "Msun", "km/s")[k]
        return (getattr(self, name) * factor * self.units[k] * u.Unit(_CGS[k])).to(usual)

    def _find_halos(self, find_halos, given):
        """find_halos() of this snapshot: what the caller leaves out is the file's."""
        context = self._loaded.halo_context
        if given["linking_length"] is None and given["b"] is None:
            given["b"] = 0.2
        defaults = {"box": (None, self.box), "mass": (1.0, self.mass), "vel": (None, self.vel), "ids": (None, self.ids),
                    "types": (None, self.types), "G": (None, context["G"]), "softening": (0.0, context["softening"])}
        for name, (absent, of_file) in defaults.items():
            if given[name] is absent or (absent is not None and np.ndim(given[name]) == 0 and given[name] == absent):
                given[name] = of_file
        if given["cosmology"] is None and given["reference_density"] is None and context["densities"] is not None:
            given["cosmology"] = tuple(context["densities"])
        found = find_halos(self.pos, **given)
        header = dict(self.header, velocity_a_exponent=0.0)  # the velocities of halos are peculiar
        found._origin = Origin(header, self.units, context["unit_names"], 1.0 if self.units is None else context["G"])
        return found._with_velocities_times(context["velocity_factor"])

    def to_pynbody(self):
        """The file opened by pynbody."""
        from .interop import pynbody

        return pynbody.load(self)

    def to_yt(self):
        """A yt data set of these particles."""
        from .interop import yt

        return yt.load_snapshot(self)

    def __repr__(self):
        counts = ", ".join(f"{int(n)} of type {t}" for t, n in enumerate(np.bincount(self.types, minlength=6)) if n)
        lines = [f"<Snapshot {self.path} ({self.format}): {len(self)} particles ({counts or 'none'})"]
        if self.box:
            lines.append(f"periodic box of {self.box:.6g}")
        lines.append("G = 1" if self.units is None else "units {:.6g} cm, {:.6g} g, {:.6g} cm/s".format(*self.units))
        return "\n  ".join(lines + [f"note: {note}" for note in self.notes]) + ">"


def read_catalogue(cls, path):
    """HaloCatalogue.read()."""
    groups, subhalos, header = _called(_run.read_catalogue, path)
    return cls(Table(groups), subhalos=Table(subhalos), header=header, origin=Origin(header, header["units"]))


def _to_cubes(values, n_max, l_max):
    s, t = np.zeros((2, n_max + 1, l_max + 1, l_max + 1))
    rows = np.reshape(values, (-1, n_max + 1))
    for l in range(l_max + 1):
        for m in range(l + 1):
            row = rows[l * (l + 1) // 2 + m]
            s[:, l, m], t[:, l, m] = row.real, row.imag
    return s, t


def _to_rows(s, t):
    l_max = s.shape[1] - 1
    return np.concatenate([s[:, l, m] + 1j * t[:, l, m] for l in range(l_max + 1) for m in range(l + 1)])


def read_coefficients(cls, path):
    """ExpansionSeries.read()."""
    from .expansion import Expansion

    family, n_max, l_max, scale, g, units, moments = _called(_run.read_coefficients, path)
    made = []
    for time, centre, values, variances in moments:
        spread = _to_cubes(variances, n_max, l_max) if len(variances) else None
        made.append(Expansion(*_to_cubes(values, n_max, l_max), scale_radius=scale, family=family, centre=centre, time=time,
                              G=g, variances=spread))
        made[-1].cgs = units
    return cls(made)


def write_coefficients(path, series):
    """ExpansionSeries.write()."""
    first = series[0]
    moments = [(one.time, list(one.centre), list(_to_rows(one.S, one.T)),
                list(_to_rows(*one.variances)) if one.variances is not None else []) for one in series]
    _called(_run.write_coefficients, path, first.family, first.n_max, first.l_max, first.scale_radius, first.G, moments)
