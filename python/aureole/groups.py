"""Friends-of-friends groups, single-linkage trees and spherical overdensities of points."""
from typing import Any

import numpy as np

from . import _arrays, _call, _core, _device
from ._errors import ArgumentError
from ._progress import reporting
from .units import CallUnits

__all__ = ["group_labels", "linkage", "overdensity_spheres"]


def group_labels(pos, linking_length, *, box=None, vel=None, linking_velocity=None, relative_linking_velocity=None,
                 ids=None, types=None, linking_types=None, min_members=1, method="fastest", device="auto", progress=False) -> Any:
    """The friends-of-friends group of every point.

    Two points link when they are at most ``linking_length`` apart; points that are linked, directly or through others,
    are a group. With ``linking_velocity`` psi, points link in phase space, when (dx / l)^2 + (dv / psi)^2 <= 1.

    Parameters
    ----------
    pos : array (N, 3) or tuple of three arrays (N,), float32 or float64
        Positions, in any unit of length. Columns and Fortran-ordered float64 arrays are read where they are; other
        arrays are copied once, 24 bytes a point.
    linking_length : float, in the unit of ``pos``
    box : float, optional
        Side of a periodic cube [0, box)^3; None is open space.
    vel : array (N, 3), optional
        Velocities, for phase space.
    linking_velocity : float, optional, in the unit of ``vel``
    relative_linking_velocity : float, optional
        psi in one-dimensional velocity dispersions of the group in space that a point is in.
    ids : integer array (N,), optional
        Decide between groups of equal size: that with the smallest id comes first. Default: the indices.
    types : integer array (N,) of 0 to 5, optional
    linking_types : list of types, optional
        Points of other types join the group of their nearest linking point within the linking length.
    min_members : int
        Points of smaller groups have the label -1.
    method : str
        "fastest", or one of the program's finders; all give the same labels.
    device : "auto", "cpu", "cuda" or "cuda:N"
        "auto": where the arrays are. "cuda" brings arrays of the host to a GPU, and the labels back.
    progress : bool or callable(what, fraction)

    Returns
    -------
    array (N,) int32, of the library and on the device of ``pos``
        0 for the group with most members, and so on; -1 for no group. Equal input gives equal bits for any number of
        threads.

    Raises
    ------
    ArgumentError
        A length that is not above 0, a box below two linking lengths, a position that is not finite (its index is named).
    TypeError
        Arrays of integers or objects; some arguments with units and some without.

    Notes
    -----
    Davis et al. (1985), ApJ 292, 371. Cost: about N log N; memory about 76 bytes a point beside ``pos``.

    Examples
    --------
    >>> import numpy as np, aureole
    >>> aureole.group_labels(np.array([[0., 0, 0], [0.5, 0, 0], [9, 9, 9]]), 1.0)
    array([0, 0, 1], dtype=int32)
    """
    where = _call.place(device, pos=pos, vel=vel, ids=ids, types=types)
    units = CallUnits({"pos": (pos, "length"), "linking_length": (linking_length, "length"), "box": (box, "length"),
                       "vel": (vel, "velocity"), "linking_velocity": (linking_velocity, "velocity")})
    length = _arrays.scalar(units.strip("linking_length"), "linking_length", above=0)
    psi = _velocity_of(units, vel, linking_velocity, relative_linking_velocity)
    particles = _call.particles(units.strip("pos"), vel=units.strip("vel"), ids=ids, types=types, where=where)
    back = _call.back(where, pos)
    if len(particles) == 0 and where is None:
        return back(np.empty(0, np.int32))
    with reporting(progress) as report:
        labels, _, _ = _core.group_labels(
            particles, length, _call.box_side(units.strip("box")), _arrays.whole(min_members, "min_members", 1),
            _call.type_mask(linking_types, types), psi, float(relative_linking_velocity or 0), 1, False, False,
            _call.choice(method, "method", _core.finders()), report)
    return back(labels)


def _velocity_of(units, vel, linking_velocity, relative_linking_velocity):
    """psi, infinite for space alone."""
    if linking_velocity is not None and relative_linking_velocity is not None:
        raise ArgumentError("linking_velocity: found it and relative_linking_velocity, expected one of them")
    if vel is None and (linking_velocity is not None or relative_linking_velocity is not None):
        raise ArgumentError("vel: found none, expected velocities for a search in phase space")
    if relative_linking_velocity is not None:
        _arrays.scalar(relative_linking_velocity, "relative_linking_velocity", above=0)
    if linking_velocity is None:
        return float("inf")
    return _arrays.scalar(units.strip("linking_velocity"), "linking_velocity", above=0)


def linkage(pos, *, box=None, vel=None, velocity_scale=None, min_samples=1, device="auto", progress=False) -> Any:
    """The single-linkage hierarchy of points, as scipy's matrix Z.

    Parameters
    ----------
    pos : array (N, 3) or tuple of three arrays (N,), float32 or float64; N >= 1
    box : float, optional
        Side of a periodic cube, of which nearest images count.
    vel : array (N, 3), optional
    velocity_scale : float, optional, length per velocity
        In phase space d^2 = dx^2 + (velocity_scale dv)^2.
    min_samples : int
        Above 1, in mutual reachability: no point is nearer to another than to its min_samples-th nearest, itself counted.
    device : "auto", "cpu", "cuda" or "cuda:N"
        "auto": where the arrays are. On a GPU the spanning tree is found, and the hierarchy of its edges by the host.
    progress : bool or callable(what, fraction)

    Returns
    -------
    float64 array (N - 1, 4)
        Of every merge the two clusters (points are 0 to N - 1, merge k makes N + k), the distance in the unit of ``pos``,
        and the number of points, by rising distance: ``scipy.cluster.hierarchy.fcluster(Z, l, "distance")`` gives the
        groups of linking length l, ``dendrogram(Z)`` draws it.

    Raises
    ------
    ArgumentError, TypeError
        As group_labels() does.

    Notes
    -----
    Gower & Ross (1969); the spanning tree is Boruvka's over a tree of boxes (March et al. 2010). Cost N log N, where
    scipy's own takes N^2 time.
    """
    where = _call.place(device, pos=pos, vel=vel)
    _device.expect_doubles(pos, "pos")
    units = CallUnits({"pos": (pos, "length"), "box": (box, "length"), "vel": (vel, "velocity"),
                       "velocity_scale": (velocity_scale, "time")})
    if (vel is None) != (velocity_scale is None):
        raise ArgumentError("velocity_scale: expected it and vel together, for phase space, or neither")
    scale = 0.0 if velocity_scale is None else _arrays.scalar(units.strip("velocity_scale"), "velocity_scale", above=0)
    particles = _call.particles(units.strip("pos"), vel=units.strip("vel"), where=where)
    if len(particles) == 0:
        raise ArgumentError("pos: found no point, expected at least one")
    samples = _arrays.whole(min_samples, "min_samples", 1)
    if samples > len(particles):
        raise ArgumentError(f"min_samples: found {samples}, expected at most the number of points, {len(particles)}")
    with reporting(progress) as report:
        z = _core.linkage(particles, _call.box_side(units.strip("box")), scale, samples, report)
    return _call.back(where, pos)(z)


def overdensity_spheres(pos, mass, centres, *, thresholds, box=None, crossing="outermost", device="auto",
                        progress=False) -> "tuple[Any, Any]":
    """Spheres about given centres inside which the mean density is a threshold.

    Parameters
    ----------
    pos : array (N, 3) or tuple, float32 or float64
    mass : array (N,) or one number for all
    centres : array (C, 3) or tuple, in the unit of ``pos``
    thresholds : sequence of T floats, mass per volume
    box : float, optional
        Side of a periodic cube.
    crossing : "outermost" or "innermost"
        Which crossing of the threshold ends a sphere, where there are several.
    device : "auto", "cpu", "cuda" or "cuda:N"
        "auto": where the arrays are. Arrays on a GPU, ``centres`` too, are read there, and the results are there.
    progress : bool or callable(what, fraction)

    Returns
    -------
    (mass, radius) : float64 arrays (C, T)
        M = 4 pi / 3 threshold R^3, exactly. Both are 0 where no particle reaches the density, NaN where a sphere would
        be wider than the box.

    Notes
    -----
    Lacey & Cole (1994), MNRAS 271, 676.
    """
    _device.expect_doubles(pos, "pos")
    where = _call.place(device, pos=pos, mass=mass, centres=centres)
    units = CallUnits({"pos": (pos, "length"), "mass": (mass, "mass"), "centres": (centres, "length"),
                       "thresholds": (thresholds, "density"), "box": (box, "length")})
    _call.choice(crossing, "crossing", ("outermost", "innermost"))
    density = np.atleast_1d(np.asarray(units.strip("thresholds"), dtype=np.float64))
    if density.ndim != 1 or not np.all(np.isfinite(density) & (density > 0)):
        raise ArgumentError(f"thresholds: found {density}, expected densities above 0")
    particles = _call.particles(units.strip("pos"), mass=units.strip("mass"), where=where)
    middles = _call.particles(units.strip("centres"), where=where, name="centres")
    with reporting(progress) as report:
        m, r = _core.overdensity_spheres(particles, middles, np.ascontiguousarray(density), _call.box_side(units.strip("box")),
                                         crossing == "innermost", report)
    back = _call.back(where, pos, units)
    return units.attach(back(m), mass=1), units.attach(back(r), length=1)
