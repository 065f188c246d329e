"""Bound subhalos, in phase space, of groups that are known."""
import numpy as np

from . import _arrays, _call, _core, _device_input
from ._errors import ArgumentError
from ._progress import reporting
from .catalogue import Table
from .halos import set_densities
from .units import CallUnits, unless

__all__ = ["subhalos", "SubhaloCatalogue"]


def subhalos(pos, vel, mass, labels, *, softening=0.0, G=None, box=None, ids=None, types=None, min_members=20,
             overdensities=(), reference_density=None, cosmology=None, crossing="outermost", device="auto",
             progress=False) -> "SubhaloCatalogue":
    """Subhalos of groups, found in phase space and tested for boundness.

    The result is that of ``aureole find --substructure`` and of ``find_halos(substructure=True)`` for the same groups, bit
    for bit; the groups may also come from another finder.

    Parameters
    ----------
    pos, vel : array (N, 3) or tuple of three arrays (N,), float32 or float64
    mass : array (N,) or one number for all
    labels : integer array (N,)
        The group of every particle, as of group_labels(); a negative number is none. Any other numbers name groups.
    softening : float
        Of potentials (Plummer's), in the unit of ``pos``.
    G : float, optional
        Default 1; with units Newton's constant.
    box : float, optional
        Side of a periodic cube [0, box)^3.
    ids : integer array (N,), optional
        All different; decide ties. Default: the indices.
    types : integer array (N,) of 0 to 5, optional
    min_members : int
        Fewer bound members are no subhalo.
    overdensities, reference_density, cosmology, crossing : see find_halos()
        With a density, subhalos lie in a parent only inside its R_200c, and have overdensity columns.
    device : "auto", "cpu", "cuda" or "cuda:N"
        "auto": where the arrays are. Particles on a GPU stay there; ``labels`` (and ``ids``) come to the host, where groups get
        their names. The table is of numpy; the labels of the result are on the GPU, in the library of ``pos``.
    progress : bool or callable(what, fraction)

    Returns
    -------
    SubhaloCatalogue

    Raises
    ------
    ArgumentError
        Shapes that do not agree, settings out of range, numbers that are not finite, with the particle's index.
    TypeError
        Arrays of integers (``labels`` of other numbers); some arguments with units and some without.

    Notes
    -----
    Behroozi, Wechsler & Wu (2013), ApJ 762, 109. Cost: about n log n for each group of n members.

    Examples
    --------
    >>> found = aureole.subhalos(pos, vel, mass, aureole.group_labels(pos, 0.2, min_members=20), softening=0.01)
    >>> found.labels, found.parents, found["SubhaloMass"]
    """
    where = _call.place(device, pos=pos, vel=vel, mass=mass, labels=labels, ids=ids, types=types)
    units = CallUnits({"pos": (pos, "length"), "vel": (vel, "velocity"), "mass": (unless(mass, 1.0), "mass"),
                       "box": (box, "length"), "softening": (unless(softening, 0.0), "length"),
                       "reference_density": (reference_density, "density")})
    if vel is None:
        raise ArgumentError("vel: found none, expected velocities, in which subhalos are found")
    numbers, length = units.strip("mass"), units.strip("softening")
    settings = _core.HaloSettings()
    settings.subhalo_min_members = _arrays.whole(min_members, "min_members", 1)
    settings.set_centre("most_bound")
    settings.set_crossing(_call.choice(crossing, "crossing", ("outermost", "innermost")) == "innermost")
    settings.box = _call.box_side(units.strip("box"))
    settings.softening = _arrays.scalar(0.0 if length is None else length, "softening", least=0)
    settings.G = units.gravitational_constant(G)
    set_densities(settings, units, overdensities, reference_density, cosmology)
    particles = _call.particles(units.strip("pos"), vel=units.strip("vel"), mass=1.0 if numbers is None else numbers,
                                ids=ids, types=types, where=where)
    n = len(particles)
    on_device = where is not None and where.has_arrays
    _expect_different(ids, where.number if on_device else None)
    rows, names = _rows(_device_input.integers_on_host(where.number, labels, "labels", n) if on_device else
                        _arrays.integers(labels, "labels", n, np.int64))
    with reporting(progress) as report:
        found = _core.subhalos(particles, rows, settings, report)
    back = (lambda array: array) if units else _arrays.like(pos)
    if on_device:
        back = lambda array: _call.back(where, pos, units)(_core.DeviceArray(where.number, array))
    return SubhaloCatalogue(found, names, n, units, back)


def _expect_different(ids, number):
    if ids is None:
        return
    values = _arrays.to_numpy(ids, "ids") if number is None else _device_input.integers_on_host(number, ids, "ids", None)
    one, count = np.unique(values, return_counts=True)
    if np.any(count > 1):
        raise ArgumentError(f"ids: found {one[np.argmax(count > 1)]} {count[count > 1][0]} times, expected ids that differ")


def _rows(labels):
    """Groups numbered from 0 without gaps, and what the caller calls them."""
    if len(labels) == 0:
        return labels.astype(np.int32), np.empty(0, np.int64)
    names, rows = np.unique(labels, return_inverse=True)
    without = int(np.searchsorted(names, 0))
    return np.ascontiguousarray(np.maximum(rows - without, -1), dtype=np.int32), names[without:]


class SubhaloCatalogue:
    """The subhalos of groups: those of the first group first, inside a group by falling mass.

    Attributes
    ----------
    columns : Table
        A row per subhalo, named as in GADGET-4: SubhaloLen, SubhaloMass, SubhaloPos (S, 3), SubhaloParent, ...
    labels : int32 array, one for each particle
        Row of the subhalo that it is bound to, -1 for none.
    groups : int64 (S,)
        The group of each, by the number that ``labels`` of subhalos() gave it.
    ranks : int (S,)
        Inside the group: 0 for the most massive, the main halo.
    parents : int (S,)
        Row of the subhalo in whose reach it lies, -1 for none.
    """

    def __init__(self, found, names, n_particles, units, back):
        columns = []
        for name, description, dimension, values in found["subhalos"]:
            if name == "SubhaloGroupNr":
                values = names[np.asarray(values)] if len(names) else np.empty(0, np.int64)
            columns.append((name, description, dimension, values))
        rows = next((values for name, _, _, values in found["subhalos"] if name == "SubhaloGroupNr"))
        self.columns = Table(columns, units)
        self._order = found["order"]
        self._begin = _beginnings(found["lengths"], np.asarray(rows), self.lengths)
        self.labels = back(self._labels(n_particles))

    def _labels(self, n_particles):
        labels = np.full(n_particles, -1, np.int32)
        row = np.repeat(np.arange(len(self), dtype=np.int32), self.lengths)
        place = np.arange(len(row)) + np.repeat(self._begin - np.cumsum(self.lengths) + self.lengths, self.lengths)
        labels[self._order[place]] = row
        return labels

    groups = property(lambda self: np.asarray(self.columns["SubhaloGroupNr"]))
    ranks = property(lambda self: np.asarray(self.columns["SubhaloRankInGr"]))
    parents = property(lambda self: np.asarray(self.columns["SubhaloParent"]))

    @property
    def lengths(self):
        """Number of bound members of every subhalo; int64."""
        return np.asarray(self.columns["SubhaloLen"]).astype(np.int64)

    def __len__(self):
        return self.columns.rows

    def __getitem__(self, name):
        return self.columns[name]

    def members(self, row):
        """Indices of the particles of one subhalo into the input, the most bound first; int64."""
        if not -len(self) <= row < len(self):
            raise IndexError(f"subhalo {row}: there are {len(self)}")
        begin = self._begin[row]
        return self._order[begin:begin + self.lengths[row]].astype(np.int64)

    def to_pandas(self):
        """Table.to_pandas() of the subhalos."""
        return self.columns.to_pandas()

    def to_astropy(self):
        """Table.to_astropy() of the subhalos."""
        return self.columns.to_astropy()

    def __repr__(self):
        n = len(np.unique(self.groups))
        return (f"<SubhaloCatalogue: {len(self)} subhalo{'' if len(self) == 1 else 's'} of {n} group{'' if n == 1 else 's'}, "
                f"{int(self.lengths.sum())} of {len(self.labels)} particles in them>")


def _beginnings(n_members, group, lengths):
    """Where each subhalo begins among particles ordered by group and subhalo."""
    of_group = np.concatenate(([0], np.cumsum(n_members, dtype=np.int64)))[group]
    before = np.cumsum(lengths) - lengths  # members of subhalos of all groups before
    _, first = np.unique(group, return_index=True)
    of_first = before[first][np.searchsorted(group[first], group)] if len(group) else before
    return of_group + before - of_first
