"""Gravitational forces by the direct sum or the tree code."""
from typing import Any, NamedTuple

import numpy as np

from . import _arrays, _call, _core, _device, _device_input
from ._errors import ArgumentError, AureoleError
from ._progress import reporting
from .units import CallUnits

__all__ = ["forces", "Forces"]


class Forces(NamedTuple):
    """Accelerations (M, 3), and potentials (M,) per unit mass or None; float64."""

    acceleration: Any
    potential: Any = None


def forces(pos, mass, *, softening=0.0, kernel="plummer", targets=None, solver="tree", accuracy=1e-3, opening_angle=None,
           precision="mixed", potential=False, G=None, types=None, device="auto", progress=False) -> "Forces":
    """Accelerations, and potentials where asked for, in the field of point masses.

    Parameters
    ----------
    pos : array (N, 3) or tuple of three arrays (N,), float32 or float64
        Positions of the masses.
    mass : array (N,) or one number for all
    softening : float, or six floats, in the unit of ``pos``
        Plummer-equivalent softening length; six are one for each of ``types``, and a pair takes the larger of its two.
    kernel : "plummer" or "spline"
        phi = -m / sqrt(r^2 + eps^2), or the cubic spline of GADGET (Springel 2005).
    targets : array (M, 3) or tuple, optional
        Places at which the field is wanted. Default: the masses themselves, each without its own field.
    solver : "tree" or "direct"
        The octree with quadrupoles (Barnes & Hut 1986), N log N; or the sum over all pairs, N^2.
    accuracy : float
        Of the tree: 99 % of the relative errors are at most about this. 0 opens cells by ``opening_angle`` alone.
    opening_angle : float, optional
        Of the tree's first walk, or of the only one where ``accuracy`` is 0. Default 0.6.
    precision : "mixed" or "double"
        Pairs in float relative to a near origin (errors about 1e-6), or all in double.
    potential : bool
    G : float, optional
        Default 1; with units Newton's constant.
    types : integer array (N,) of 0 to 5, optional
    device : "auto", "cpu", "cuda" or "cuda:N"
        "auto": where the arrays are. "cuda" brings arrays of the host to a GPU, and the forces back.
    progress : bool or callable(what, fraction)

    Returns
    -------
    Forces
        ``.acceleration`` (M, 3) and ``.potential`` (M,) or None, float64, of the library and on the device of ``pos``. With
        units these are (km/s)^2 per unit of length and (km/s)^2. Equal input gives equal bits on the CPU, for any number of
        threads, and on a GPU; the two differ by rounding.

    Raises
    ------
    ArgumentError
        Numbers that are not finite, with the particle's index; negative masses; lengths below 0.
    AureoleError
        Accelerations that are not finite, with the particle's index.
    TypeError
        Arrays of integers; some arguments with units and some without; arrays of jax while its 64-bit numbers are off.
    """
    where = _call.place(device, pos=pos, mass=mass, targets=targets, types=types)
    _device.expect_doubles(pos, "pos")
    lengths = softening if np.ndim(softening) or softening != 0 else None
    units = CallUnits({"pos": (pos, "length"), "mass": (mass, "mass"), "softening": (lengths, "length"),
                       "targets": (targets, "length")})
    units.default("velocity", "km/s")
    if solver == "scf":
        raise ArgumentError("solver: found 'scf', expected 'tree' or 'direct'; aureole.expand(...).acceleration(x) is the "
                            "field of an expansion")
    _call.choice(solver, "solver", ("tree", "direct"))
    _call.choice(kernel, "kernel", ("plummer", "spline"))
    _call.choice(precision, "precision", ("mixed", "double"))
    eps = _softening(units.strip("softening"), types, targets)
    particles, n_sources = _with_targets(units, types, where)
    g = units.gravitational_constant(G)
    angle = 0.6 if opening_angle is None else _arrays.scalar(opening_angle, "opening_angle", above=0)
    options = (particles, n_sources, solver, eps, kernel == "spline", _arrays.scalar(accuracy, "accuracy", least=0), angle,
               precision == "mixed", bool(potential))
    nowhere = targets is not None and len(particles) == n_sources  # no target
    with reporting(progress) as report:
        found, phi = _on_host(options, nowhere, g, report) if where is None else _on_device(options, nowhere, g, report)
    back = _call.back(where, pos, units)
    return Forces(units.attach(back(found), length=-1, velocity=2),
                  None if phi is None else units.attach(back(phi), velocity=2))


def _on_host(options, nowhere, g, report):
    found, phi = _core.forces(*options, report)
    if nowhere:
        found, phi = found[:0], None if phi is None else phi[:0]
    _expect_finite(found, phi)
    if g != 1:
        found *= g
        phi = None if phi is None else phi * g
    return found, phi


def _on_device(options, nowhere, g, report):
    if report:
        report(0.0, "forces on the GPU")
    found, phi, refused = _core.device_forces(*options, nowhere, g)
    if refused:
        raise _not_finite(refused[0], np.array(refused[1]))
    return found, phi


def _expect_finite(acceleration, potential):
    finite = np.isfinite(acceleration).all(axis=1)
    if potential is not None:
        finite &= np.isfinite(potential)
    if not finite.all():
        at = int(np.argmin(finite))
        raise _not_finite(at, acceleration[at])


def _not_finite(at, acceleration):
    return AureoleError(f"forces: the acceleration of particle {at} is {acceleration}, expected finite numbers: masses or "
                        "positions leave the range of doubles, or two masses are too near for no softening")


def _softening(given, types, targets):
    values = np.atleast_1d(np.asarray(0.0 if given is None else given, dtype=np.float64))
    if values.shape not in ((1,), (6,)):
        raise ArgumentError(f"softening: found {values.size} lengths, expected one, or six for the particle types 0 to 5")
    if not np.all(np.isfinite(values) & (values >= 0)):
        raise ArgumentError(f"softening: found {values}, expected lengths of at least 0")
    if values.size == 6 and (types is None or targets is not None):
        raise ArgumentError("softening: found six lengths, expected one where " +
                            ("targets are given, which have no type" if targets is not None else "types are not given"))
    return [float(x) for x in np.broadcast_to(values, 6)]


def _with_targets(units, types, where):
    """Targets are particles without mass behind the others."""
    if where is not None and where.has_arrays:
        return _device_input.particles(where.number, units.strip("pos"), mass=units.strip("mass"), types=types,
                                       targets=units.strip("targets"))
    pos = _arrays.vectors(units.strip("pos"), "pos")
    n = len(pos[0])
    mass = _arrays.masses(units.strip("mass"), n)
    kinds = None if types is None else _arrays.integers(types, "types", n, np.uint8)
    if units.strip("targets") is None:
        return _call.on(where, _core.Particles(*pos, mass=mass, types=kinds)), n
    at = _arrays.vectors(units.strip("targets"), "targets")
    columns = [np.concatenate(pair) for pair in zip(pos, at)]
    masses = np.concatenate((mass, np.zeros(len(at[0]))))
    return _call.on(where, _core.Particles(*columns, mass=masses)), n
