"""Tables of halos: columns by name, members, and what other libraries take."""
import html
from collections.abc import Mapping

import numpy as np

__all__ = ["HaloCatalogue", "Halo", "Table"]

_SHOWN = 10  # halos that a summary lists


class Table(Mapping):
    """Named columns of one length, read-only: a mapping from a name to an array (rows,) or (rows, width).

    ``description`` and ``dimension`` (powers of length, mass and velocity) are dicts by the same names.
    """

    def __init__(self, columns, units=None, hidden=()):
        self._columns, self.description, self.dimension = {}, {}, {}
        for name, description, dimension, values in columns:
            if name in hidden:
                continue
            values.flags.writeable = False
            self._columns[name] = units.attach(values, *dimension) if units else values
            self.description[name], self.dimension[name] = description, tuple(dimension)

    def __getitem__(self, name):
        try:
            return self._columns[name]
        except KeyError:
            raise KeyError(f"{name!r}; the columns are {', '.join(self._columns)}") from None

    def __iter__(self):
        return iter(self._columns)

    def __len__(self):
        return len(self._columns)

    @property
    def rows(self):
        return len(next(iter(self._columns.values()), ()))

    def flat(self):
        """Names and one-dimensional columns: a column of width 3 becomes three, ``GroupPos_0`` and so on."""
        for name, values in self.items():
            if values.ndim == 1:
                yield name, values
            else:
                for k in range(values.shape[1]):
                    yield f"{name}_{k}", values[:, k]

    def velocities_times(self, factor):
        """The same with velocities, and what has powers of them, times that power of `factor`."""
        columns = []
        for name, values in self.items():
            power = self.dimension[name][2]
            columns.append((name, self.description[name], self.dimension[name],
                            values * factor ** power if power and factor != 1 else values))
        return Table(columns)

    def to_pandas(self):
        """A pandas.DataFrame without units, a row per halo."""
        import pandas

        frame = pandas.DataFrame({name: np.asarray(values) for name, values in self.flat()})
        frame.attrs["units"] = {name: str(values.unit) for name, values in self.flat() if hasattr(values, "unit")}
        return frame

    def to_astropy(self):
        """An astropy.table.QTable: columns with units where the particles had some, with their descriptions."""
        from astropy.table import QTable

        table = QTable({name: values.to_astropy() if hasattr(values, "to_astropy") else values
                        for name, values in self.items()})
        for name in table.colnames:
            table[name].info.description = self.description[name]
        return table


class Halo:
    """One row of a catalogue: ``halo["GroupMass"]``, ``halo.mass``, ``halo.R200c``, ``halo.particles``."""

    _SHORT = {"mass": "GroupMass", "centre": "GroupPos", "velocity": "GroupVel", "radius": "GroupRadius",
              "length": "GroupLen"}
    _SPHERES = {"200c": "Crit200", "500c": "Crit500", "200m": "Mean200", "vir": "TopHat200"}

    def __init__(self, catalogue, row):
        self._catalogue, self.row = catalogue, row

    def __getitem__(self, name):
        return self._catalogue[name][self.row]

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        table = self._catalogue.columns
        column = self._SHORT.get(name)
        if column is None and name[:1] in ("M", "R") and len(name) > 1:
            column = f"Group_{name[0]}_{self._SPHERES.get(name[1:], name[1:])}"
        if column not in table:
            raise AttributeError(f"{name!r}: a halo has particles, subhalos, {', '.join(self._SHORT)}, spheres as M200c and "
                                 f"R200c where they were measured, and the columns {', '.join(table)}")
        return table[column][self.row]

    @property
    def particles(self):
        """Indices of the members into the input, rising; int64."""
        return self._catalogue.members(self.row)

    @property
    def subhalos(self):
        """Rows of its subhalos in ``catalogue.subhalos``, the main one first."""
        table = self._catalogue.subhalos
        if table is None:
            return np.empty(0, np.int64)
        return np.flatnonzero(np.asarray(table["SubhaloGroupNr"]) == self.row)

    def __repr__(self):
        return f"<Halo {self.row}: {int(self['GroupLen'])} members, mass {self['GroupMass']:.6g}>"


class HaloCatalogue:
    """The halos of one set of particles, by falling number of members.

    Attributes
    ----------
    columns : Table
        A row per halo, named as in GADGET-4: GroupLen, GroupMass, GroupPos (N, 3), Group_M_Crit200, ...
    subhalos : Table or None
    labels : int32 array, one for each particle
        Row of its halo, -1 for none. None for a catalogue that was read from a file.
    linking_length : float
    header : dict or None
        Of a catalogue that was read from a file: time, redshift, box, omega0, ...
    """

    def __init__(self, groups, *, labels=None, order=None, subhalos=None, linking_length=None, header=None, origin=None):
        self.columns, self.subhalos, self.labels = groups, subhalos, labels
        self.linking_length, self.header, self._order, self._origin = linking_length, header, order, origin

    @classmethod
    def empty(cls, units=None, origin=None):
        none = [("GroupLen", "number of members", (0, 0, 0), np.empty(0, np.int64)),
                ("GroupMass", "mass of the members", (0, 1, 0), np.empty(0)),
                ("GroupPos", "centre", (1, 0, 0), np.empty((0, 3)))]
        return cls(Table(none, units), labels=np.empty(0, np.int32), order=np.empty(0, np.uint32), origin=origin)

    @classmethod
    def read(cls, path):
        """A catalogue file of the program (or of GADGET-4: fof_subhalo_tab_NNN.hdf5), in the file's numbers."""
        from .io import read_catalogue

        return read_catalogue(cls, path)

    def _with_velocities_times(self, factor):
        self.columns = self.columns.velocities_times(factor)
        self.subhalos = None if self.subhalos is None else self.subhalos.velocities_times(factor)
        return self

    def __len__(self):
        return self.columns.rows

    def __getitem__(self, key):
        if isinstance(key, str):
            return self.columns[key]
        row = int(key)
        if not -len(self) <= row < len(self):
            raise IndexError(f"halo {row}: there are {len(self)}")
        return Halo(self, row % len(self))

    def __iter__(self):
        return (self[row] for row in range(len(self)))

    @property
    def lengths(self):
        """Number of members of every halo; int64."""
        return np.asarray(self.columns["GroupLen"])

    @property
    def offsets(self):
        """Where each halo begins in ``order``, and the end of the last: int64 (len + 1,)."""
        return np.concatenate(([0], np.cumsum(self.lengths)))

    @property
    def order(self):
        """Particle indices by halo, inside a halo by subhalo and falling boundness; those in no halo come last."""
        if self._order is None:
            raise ValueError("this catalogue was read from a file: it knows no particles; find_halos gives those with members")
        return self._order

    def members(self, row):
        """Indices of the particles of one halo into the input, rising; int64."""
        begin, end = self.offsets[row], self.offsets[row + 1]
        return np.sort(self.order[begin:end]).astype(np.int64)

    def to_pandas(self):
        """Table.to_pandas() of the halos."""
        return self.columns.to_pandas()

    def to_astropy(self):
        """Table.to_astropy() of the halos."""
        return self.columns.to_astropy()

    def write(self, path, format=None, units=""):
        """Writes the halos as the program does, with units, descriptions and box; a file that is there is replaced.

        Parameters
        ----------
        path : path
        format : "gadget4", "yt" or "csv"
            A catalogue as GADGET-4's (fof_subhalo_tab_NNN.hdf5), which read() and pynbody open, with the subhalos; one that
            yt.load opens, in cgs; or a table of the halos. Default: by the end of the name, .hdf5, .0.h5 or .csv.
        units : str, optional
            Of halos of plain arrays: "galactic" (kpc, 1e10 Msun, km/s) or "{length: kpc, mass: Msun, velocity: km/s}".
            Without it they are kept as numbers with G = 1, for readers in kpc and 1e10 Msun, as those of the program are.

        Raises
        ------
        ArgumentError
            A name without a known end; units for halos that have some; none where G is not 1; no velocities for yt.
        FileError
            A file that cannot be written; ``error.path`` is its path.
        """
        from ._catalogue_files import write

        write(self, path, format, units)

    def to_yt(self, units=""):
        """The halos as a data set of yt: ("halos", "particle_mass"), "particle_position_x", "virial_radius", ...

        They need velocities. ``units`` as in write(); lengths are physical, not comoving.
        """
        from ._catalogue_files import to_yt

        return to_yt(self, units)

    def _largest(self):
        shown = [name for name in ("GroupLen", "GroupMass", "GroupPos", "GroupVelDisp", "GroupRadius", "Group_R_Crit200")
                 if name in self.columns]
        rows = range(min(_SHOWN, len(self)))
        return shown, [[_text(self.columns[name][row]) for name in shown] for row in rows]

    def summary(self):
        """The number of halos and the ten largest, as lines of text."""
        text = f"{len(self)} halo{'' if len(self) == 1 else 's'}"
        if self.labels is not None:
            text += f", {int(self.lengths.sum())} of {len(self.labels)} particles in them"
        names, rows = self._largest()
        if not rows:
            return text
        widths = [max(len(row[k]) for row in [names, *rows]) for k in range(len(names))]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in [names, *rows]]
        return "\n".join([text, *lines])

    def __repr__(self):
        return f"<HaloCatalogue: {self.summary()}>"

    def _repr_html_(self):
        names, rows = self._largest()
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        first = html.escape(self.summary().splitlines()[0])
        return f"<p>{first}</p><table class=\"dataframe\"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _text(value):
    numbers = np.atleast_1d(np.asarray(value))
    return " ".join(f"{x:.6g}" if x.dtype.kind == "f" else str(x) for x in numbers)
