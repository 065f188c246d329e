"""Density, velocity and number of streams on grids of cells."""
from collections.abc import Mapping

import numpy as np

from . import _arrays, _call, _core, _device
from ._errors import ArgumentError
from ._progress import reporting
from .units import CallUnits, unless

__all__ = ["density_grid", "Field"]

METHODS = ("tetrahedra", "ngp", "cic", "tsc")
FIELDS = ("density", "mass", "velocity", "dispersion", "streams")


def density_grid(pos, mass=1.0, *, cells, box=None, region=None, method="tetrahedra", vel=None, ids=None, types=None,
                 fields=("density",), device="auto", progress=False) -> "Field":
    """Fields of particles on a uniform grid.

    Parameters
    ----------
    pos : array (N, 3) or tuple of three arrays (N,), float32 or float64
    mass : array (N,) or one number for all
    cells : int or three ints
        Cells along each axis.
    box : float
        Side of the periodic cube [0, box)^3; None is open space, which needs ``region``.
    region : ((x0, x1), (y0, y1), (z0, z1)), optional
        What the grid covers. Default: the box.
    method : "tetrahedra", "ngp", "cic" or "tsc"
        Tetrahedra of the phase-space sheet (Abel, Hahn & Kaehler 2012), for particles that began on a lattice numbered
        by ``ids``; or nearest grid point, cloud in cell, triangular-shaped cloud (Hockney & Eastwood 1988).
    vel : array (N, 3), for "velocity" and "dispersion"
    ids : integer array (N,), for "tetrahedra"
        Sites of the lattice; default the indices.
    fields : sequence of "density", "mass", "velocity", "dispersion", "streams"
    types : integer array (N,) of 0 to 5, optional
    device : "auto", "cpu", "cuda" or "cuda:N"
        "auto": where the arrays are. The lattice is made in the memory of the host, to which arrays on a GPU are brought.
    progress : bool or callable(what, fraction)

    Returns
    -------
    Field
        Arrays (nx, ny, nz), or (nx, ny, nz, 3) for velocities; of arrays on a GPU in their library there. Equal input gives
        equal bits for any number of threads and any order of the particles; those of a GPU are the same but for "tetrahedra",
        whose cells differ by some 1e-15 of the mass of a tetrahedron.
    """
    where = _call.place(device, pos=pos, mass=mass, vel=vel, ids=ids, types=types)
    _device.expect_doubles(pos, "pos")
    units = CallUnits({"pos": (pos, "length"), "mass": (unless(mass, 1.0), "mass"), "box": (box, "length"),
                       "region": (region, "length"), "vel": (vel, "velocity")})
    _call.choice(method, "method", METHODS)
    wanted = wanted_fields(fields, vel)
    counts = [_arrays.whole(n, "cells", 1) for n in ((cells,) * 3 if np.ndim(cells) == 0 else cells)]
    if len(counts) != 3:
        raise ArgumentError(f"cells: found {len(counts)} numbers, expected one or three")
    side = _call.box_side(units.strip("box"))
    low, high = region_of(units.strip("region"), side)
    numbers = 1.0 if unless(mass, 1.0) is None else units.strip("mass")
    particles = _call.sites(units.strip("pos"), vel=units.strip("vel"), mass=numbers, ids=ids, types=types, where=where)
    with reporting(progress) as report:
        found = _core.density_grid(particles, counts, low, high, side, method, "velocity" in wanted, "dispersion" in wanted,
                                   "streams" in wanted, _call.number(where), report)
    field = _field(found, wanted, low, high, units)
    return field if where is None or not where.has_arrays else Field(_on_device(field, where, pos), field.edges)


def _on_device(field, where, pos):
    """The arrays of a field where `pos` is, in its library; numbers of streams are int32 there."""
    def there(array):
        return array.astype(np.int32) if array.dtype == np.uint32 else np.ascontiguousarray(array)
    return {name: _device.to_library(_core.DeviceArray(where.number, there(array)), pos) for name, array in field.items()}


def wanted_fields(fields, vel):
    """The names of ``fields``, one or several, which are checked."""
    wanted = (fields,) if isinstance(fields, str) else tuple(fields)
    for one in wanted:
        _call.choice(one, "fields", FIELDS)
    if vel is None and {"velocity", "dispersion"} & set(wanted):
        raise ArgumentError("vel: found none, expected velocities for the fields velocity and dispersion")
    return wanted


def region_of(given, side):
    if given is None:
        if side == 0:
            raise ArgumentError("region: found none in open space, expected ((x0, x1), (y0, y1), (z0, z1)), or box")
        return [0.0] * 3, [side] * 3
    ends = np.asarray(given, dtype=np.float64)
    if ends.shape != (3, 2) or not np.all(np.isfinite(ends)) or not np.all(ends[:, 0] < ends[:, 1]):
        raise ArgumentError(f"region: found {given!r}, expected ((x0, x1), (y0, y1), (z0, z1)) with rising numbers")
    return ends[:, 0].tolist(), ends[:, 1].tolist()


def _field(found, wanted, low, high, units):
    shape = found["mass"].shape
    volume = np.prod([(b - a) / n for a, b, n in zip(low, high, shape)])
    edges = tuple(units.attach(np.linspace(a, b, n + 1), length=1) for a, b, n in zip(low, high, shape))
    return Field(field_arrays(found, wanted, volume, units), edges)


def field_arrays(found, wanted, volume, units):
    """The arrays that were asked for, with units; ``volume`` is that of the cells."""
    arrays = {}
    for name in wanted:
        if name == "density":
            arrays[name] = units.attach(found["mass"] / volume, length=-3, mass=1)
        else:
            powers = {"mass": {"mass": 1}, "velocity": {"velocity": 1}, "dispersion": {"velocity": 1}}.get(name, {})
            arrays[name] = units.attach(found[name], **powers)
    return arrays


class FieldArrays(Mapping):
    """A mapping from names of fields to their arrays."""

    def __init__(self, arrays):
        self._arrays = dict(arrays)

    def __getitem__(self, name):
        return self._arrays[name]

    def __iter__(self):
        return iter(self._arrays)

    def __len__(self):
        return len(self._arrays)


class Field(FieldArrays):
    """Fields on a uniform grid: a mapping from names to arrays, with the ``edges`` of the cells along each axis."""

    def __init__(self, arrays, edges):
        super().__init__(arrays)
        self.edges = edges

    @property
    def shape(self):
        """Number of cells along each axis."""
        return tuple(len(edge) - 1 for edge in self.edges)

    def __repr__(self):
        return f"<Field of {' x '.join(map(str, self.shape))} cells: {', '.join(self)}>"

    def to_xarray(self):
        """xarray.Dataset with the centres of the cells as coordinates."""
        import xarray

        centres = {axis: 0.5 * (np.asarray(edge)[1:] + np.asarray(edge)[:-1]) for axis, edge in zip("xyz", self.edges)}
        data = {name: (("x", "y", "z", "component")[:values.ndim], np.asarray(values)) for name, values in self.items()}
        return xarray.Dataset(data, coords=centres)

    def to_yt(self, **units):
        """A yt data set by yt.load_uniform_grid(); ``length_unit`` and the like are passed on."""
        from .interop import yt

        return yt.load_field(self, **units)
