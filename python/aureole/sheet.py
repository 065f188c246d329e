"""The phase-space sheet of particles that began on a lattice: on an octree of cells, and at points."""
from typing import Any, NamedTuple

import numpy as np

from . import _arrays, _call, _core
from ._errors import ArgumentError
from ._progress import reporting
from .fields import FieldArrays, field_arrays, region_of, wanted_fields
from .units import CallUnits, unless

__all__ = ["density_octree", "OctreeField", "sheet_at", "SheetPoints"]

_AXES = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx")


def _lattice(axes, first_id, every):
    """Arguments of C++ for what the caller knows of the lattice."""
    if axes is not None:
        _call.choice(axes, "axes", _AXES)
    if first_id is not None:
        first_id = _arrays.whole(first_id, "first_id", 0)
    return axes or "", first_id, _arrays.whole(every, "every", 1)


def _sites(units, vel, mass, ids, types, where):
    """Particles whose ids number a lattice."""
    numbers = units.strip("mass")
    return _call.sites(units.strip("pos"), vel=units.strip("vel"), mass=1.0 if numbers is None else numbers, ids=ids, types=types,
                       where=where)


def density_octree(pos, mass=1.0, *, box, patch=16, refine_above=None, smallest_cell=None, levels=None, region=None, vel=None,
                   ids=None, types=None, fields=("density",), axes=None, first_id=None, every=1, device="auto",
                   progress=False) -> "OctreeField":
    """Fields of the phase-space sheet on cells that are small where much of the sheet is.

    The numbers are those of ``aureole density --octree``. A node of ``patch^3`` cells is divided into eight where more than
    ``refine_above`` tetrahedra may overlap it; every tetrahedron is spread over cells by exact overlap.

    Parameters
    ----------
    pos : array (N, 3) or tuple of three arrays (N,), float32 or float64
        N is a cube, of particles that began on a lattice.
    mass : array (N,) or one number for all; all the same
    box : float
        Side of the periodic cube [0, box)^3.
    patch : int
        Cells along an axis of a node: an even number from 2 to 1024.
    refine_above : int, optional
        Default ``patch^3``.
    smallest_cell : float, optional, in the unit of ``pos``
        Cells are not halved below this. Default: a sixteenth of the lattice spacing.
    levels : int, optional
        In its place: the largest number of levels below the root.
    region : ((x0, x1), (y0, y1), (z0, z1)), optional
        A cube. Default: the box.
    vel : array (N, 3), for "velocity" and "dispersion"
    ids : integer array (N,), optional
        Number the sites of the lattice, from ``first_id`` (0 or 1; default: found out), one axis running fastest.
        Default: the indices.
    types : integer array (N,) of 0 to 5, optional
    fields : sequence of "density", "mass", "velocity", "dispersion", "streams"
    axes : str, optional
        Axes of the lattice from slowest to fastest, as "xyz". Default: found out from the positions.
    first_id : int, optional
    every : int
        Uses every k-th site along each axis alone.
    device : "auto", "cpu", "cuda" or "cuda:N"
        "auto": where the arrays are. The lattice is made in the memory of the host, to which arrays on a GPU are brought.
        Results are arrays of numpy.
    progress : bool or callable(what, fraction)

    Returns
    -------
    OctreeField
        Equal input gives equal bits for any number of threads and any order of the particles.

    Raises
    ------
    ArgumentError
        Settings out of range, a region that is no cube, numbers that are not finite, with the particle's index.
    AureoleError
        Particles that are no lattice, with what is wrong.
    MemoryError
        A tree that does not fit into memory, before any cell is filled.

    Notes
    -----
    Abel, Hahn & Kaehler (2012), MNRAS 427, 61; Kaehler (2017), Astronomy and Computing 20, 68. ``streams`` of nodes that
    are divided are means over their children, as all their fields.
    """
    where = _call.place(device, pos=pos, mass=mass, vel=vel, ids=ids, types=types)
    units = CallUnits({"pos": (pos, "length"), "mass": (unless(mass, 1.0), "mass"), "box": (box, "length"),
                       "region": (region, "length"), "smallest_cell": (smallest_cell, "length"), "vel": (vel, "velocity")})
    wanted = wanted_fields(fields, vel)
    side = _box_of(units, box)
    low, high = region_of(units.strip("region"), side)
    patch = _arrays.whole(patch, "patch", 2)
    above = patch ** 3 if refine_above is None else _arrays.whole(refine_above, "refine_above", 0)
    if levels is not None and smallest_cell is not None:
        raise ArgumentError("levels: found it and smallest_cell, expected one of them")
    depth = -1 if levels is None else _arrays.whole(levels, "levels", 0)
    cell = 0.0 if smallest_cell is None else _arrays.scalar(units.strip("smallest_cell"), "smallest_cell", above=0)
    lattice = _lattice(axes, first_id, every)
    particles = _sites(units, vel, mass, ids, types, where)
    with reporting(progress) as report:
        found = _core.density_octree(particles, side, low, high, patch, above, depth, cell, *lattice, "velocity" in wanted,
                                     "dispersion" in wanted, "streams" in wanted, _call.number(where), report)
    return OctreeField(found, wanted, side, units)


def _box_of(units, box):
    if box is None:
        raise ArgumentError("box: found None, expected the side of a periodic cube, which phase-space tetrahedra need")
    return _call.box_side(units.strip("box"))


class OctreeField(FieldArrays):
    """Fields on an octree of patches: a mapping from names to arrays (nodes, n, n, n), or (nodes, n, n, n, 3).

    Attributes
    ----------
    low : (nodes, 3);  size : (nodes,)
        Lower corner and side of every node. Nodes are stored level by level, node 0 is the root.
    level, parent, first_child : int64 (nodes,)
        ``first_child`` is that of eight which follow each other (4 towards x, 2 towards y, 1 towards z), -1 for a leaf.
    total_mass : float
        Exact sum over the leaves.
    signed_volume : float
        Of all tetrahedra, in boxes: 1 where the sheet is closed, else particles moved too far for nearest images.
    box : float
    """

    def __init__(self, found, wanted, box, units):
        self.patch = found["mass"].shape[1]
        self.level, self.parent, self.first_child = found["level"], found["parent"], found["first_child"]
        self._low, self._size = found["low"], found["size"]
        self.low, self.size = units.attach(self._low, length=1), units.attach(self._size, length=1)
        self.box, self._side = units.attach(box, length=1), box
        self.total_mass, self.signed_volume = units.attach(found["total_mass"], mass=1), found["signed_volume"]
        cell = (self._size / self.patch) ** 3
        super().__init__(field_arrays(found, wanted, cell[:, None, None, None], units))

    @property
    def leaves(self):
        """Indices of the nodes that are not divided, which tile the region; int64."""
        return np.flatnonzero(self.first_child < 0)

    def at(self, points, name):
        """The field ``name`` in the smallest cells that contain points (M, 3): (M,) or (M, 3), NaN outside of the region."""
        units = CallUnits({"field": (self.low, "length"), "points": (points, "length")})
        x = np.column_stack(_arrays.vectors(units.strip("points"), "points"))
        x = self._low[0] + np.mod(x - self._low[0], self._side)  # the image above the region's lower corner
        inside = np.all(x < self._low[0] + self._size[0], axis=1)
        node = np.zeros(len(x), np.int64)
        while True:
            child = self.first_child[node]
            divided = child >= 0
            if not np.any(divided):
                break
            middle = self._low[node] + 0.5 * self._size[node][:, None]
            node = np.where(divided, child + (x >= middle) @ np.array([4, 2, 1]), node)
        cell = np.floor((x - self._low[node]) / self._size[node][:, None] * self.patch).astype(np.int64)
        i, j, k = np.clip(cell, 0, self.patch - 1).T
        values = self._arrays[name][node, i, j, k]
        values[~inside] = np.nan
        return values

    def __repr__(self):
        return (f"<OctreeField of {len(self.level)} nodes of {self.patch}^3 cells on {int(self.level.max()) + 1} levels: "
                f"{', '.join(self)}>")

    def to_yt(self, **units):
        """A yt data set by yt.load_amr_grids(), a grid for each node; ``length_unit`` and the like are passed on."""
        from .interop import yt

        return yt.load_octree_field(self, **units)


class SheetPoints(NamedTuple):
    """The sheet at points. The fields of streams are None unless they were asked for."""

    density: Any  #: (M,), of all streams
    velocity: Any  #: (M, 3), the mean by mass; None without velocities
    dispersion: Any  #: (M,), between streams, along one dimension; None without velocities
    streams: Any  #: int64 (M,), an odd number
    first: Any = None  #: int64 (M + 1,): the streams of point i are those from first[i] to first[i + 1] - 1
    stream_density: Any = None  #: (S,)
    stream_velocity: Any = None  #: (S, 3); None without velocities
    stream_orientation: Any = None  #: int32 (S,), -1 for a tetrahedron that is turned inside out; they add up to 1
    stream_tetrahedron: Any = None  #: uint64 (S,), 6 times the cube of the lattice plus its number in the cube


def sheet_at(points, pos, mass=1.0, *, box, vel=None, ids=None, types=None, axes=None, first_id=None, every=1,
             each_stream=False, device="auto", progress=False) -> SheetPoints:
    """Density, velocity and streams of the phase-space sheet at points, without a grid.

    The numbers are those of ``aureole density --points``: signs of exact determinants say which tetrahedra contain a point.

    Parameters
    ----------
    points : array (M, 3) or tuple of three arrays (M,), in the unit of ``pos``
        Points outside of the box count as their images inside. In the memory of the host.
    pos, mass, box, vel, ids, types, axes, first_id, every : see density_octree()
    each_stream : bool
        Also density, velocity, orientation and tetrahedron of every stream.
    device : "auto", "cpu", "cuda" or "cuda:N"
        "auto": where the arrays are. The lattice is made in the memory of the host, to which arrays on a GPU are brought.
        Results are arrays of numpy.
    progress : bool or callable(what, fraction)

    Returns
    -------
    SheetPoints
        Float64. Velocities are linear inside of a tetrahedron; means are by mass. Equal input gives equal bits for any
        number of threads and any order of the particles.

    Raises
    ------
    ArgumentError, AureoleError
        As density_octree() does; points that are not finite, or more than a side outside of the box.

    Notes
    -----
    Abel, Hahn & Kaehler (2012), MNRAS 427, 61. Cost: (N + M) log M.
    """
    where = _call.place(device, pos=pos, mass=mass, vel=vel, ids=ids, types=types)
    units = CallUnits({"pos": (pos, "length"), "points": (points, "length"), "mass": (unless(mass, 1.0), "mass"),
                       "box": (box, "length"), "vel": (vel, "velocity")})
    side, lattice = _box_of(units, box), _lattice(axes, first_id, every)
    places = _core.Particles(*_arrays.vectors(units.strip("points"), "points"))
    particles = _sites(units, vel, mass, ids, types, where)
    with reporting(progress) as report:
        found = _core.sheet_at(particles, places, side, *lattice, bool(each_stream), _call.number(where), report)
    back = (lambda array: array) if units else _arrays.like(points)
    powers = {"density": (-3, 1, 0), "velocity": (0, 0, 1), "dispersion": (0, 0, 1)}
    results = {name: units.attach(back(values), *powers.get(name.removeprefix("stream_"), (0, 0, 0)))
               for name, values in found.items()}
    if vel is None:
        results |= dict.fromkeys({"velocity", "dispersion", "stream_velocity"} & set(results))
    return SheetPoints(**results)
