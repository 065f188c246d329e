"""Particles from arrays on a CUDA device: the checks of _arrays.py, made where the arrays are.

Types and shapes are looked at here; numbers that are not finite are looked for on the device."""
import numpy as np

from . import _arrays, _core, _device
from ._errors import ArgumentError


def _values(obj, name, number):
    if isinstance(obj, (str, bytes, dict, set)) or not (hasattr(obj, "__dlpack__") or hasattr(obj, "__cuda_array_interface__")):
        raise TypeError(f"{name}: found {type(obj).__name__}, expected an array")
    return _device.borrow(obj, number, name)


def _floats(obj, name, number):
    values = _values(obj, name, number)
    _arrays.expect_floats(values.dtype, name)
    return values


def _parts(obj, name, number):
    """One array (N, 3) or three (N,), and N."""
    if isinstance(obj, tuple) and len(obj) == 3:
        parts = [_floats(one, f"{name}[{k}]", number) for k, one in enumerate(obj)]
        for k, part in enumerate(parts):
            _arrays.expect_one_dimension(tuple(part.shape), f"{name}[{k}]")
        rows = [part.shape[0] for part in parts]
        if len(set(rows)) != 1:
            raise ArgumentError(f"{name}: found columns of {rows} entries, expected as many in each")
        return parts, rows[0]
    values = _floats(obj, name, number)
    _arrays.expect_rows_of_three(tuple(values.shape), name)
    return [values], values.shape[0]


def _set_vectors(particles, velocities, first, parts, name):
    refused = particles.set_vectors(velocities, first, parts)
    if refused:
        axis, at, value = refused
        raise _arrays.not_finite(name, at, "xyz"[axis] if name == "pos" else f"{name}[{axis}]", value)


def _set_masses(particles, n, mass, number):
    if isinstance(mass, np.ndarray) and mass.ndim == 0:
        _arrays.expect_floats(mass.dtype, "mass")
        mass = float(mass)
    if isinstance(mass, (int, float, np.integer, np.floating)):
        value = float(mass)
        if n and not np.isfinite(value):
            raise _arrays.not_finite("mass", 0, "mass", value)
        if n and value < 0:
            raise _arrays.negative_mass(0, value)
        particles.set_mass(0, n, value)
        return
    values = _floats(mass, "mass", number)
    if len(values.shape) != 0:
        _arrays.expect_one_dimension(tuple(values.shape), "mass")
        _arrays.expect_as_many(values.shape[0], n, "mass", "pos")
    refused = particles.set_masses(0, n, values)
    if refused:
        _, at, value = refused
        raise _arrays.not_finite("mass", at, "mass", value) if not np.isfinite(value) else _arrays.negative_mass(at, value)


def _integers(obj, name, n, number):
    values = _values(obj, name, number)
    if not values.dtype.startswith(("int", "uint")):
        raise TypeError(f"{name}: found {values.dtype}, expected integers")
    _arrays.expect_one_dimension(tuple(values.shape), name)
    if n is not None:
        _arrays.expect_as_many(values.shape[0], n, name, "pos")
    return values


def particles(number, pos, *, vel=None, mass=None, ids=None, types=None, targets=None, name="pos"):
    """(_core.DeviceParticles, N) of arrays on device `number`; `targets` are particles without mass behind the others."""
    parts, n = _parts(pos, name, number)
    places, more = ([], 0) if targets is None else _parts(targets, "targets", number)
    found = _core.DeviceParticles(number, n + more)
    _set_vectors(found, False, 0, parts, name)
    if more:
        _set_vectors(found, False, n, places, "targets")
    if vel is not None:
        parts, rows = _parts(vel, "vel", number)
        _arrays.expect_as_many(rows, n, "vel", "pos")
        _set_vectors(found, True, 0, parts, "vel")
    if mass is not None:
        _set_masses(found, n, mass, number)
    if ids is not None:
        found.set_ids(_integers(ids, "ids", n, number))
    if types is not None and targets is None:
        refused = found.set_types(_integers(types, "types", n, number))
        if refused:
            raise ArgumentError(f"types: particle {refused[1]} has type {int(refused[2])}, expected types from 0 to 5")
    return found, n


def integers_on_host(number, obj, name, n):
    """A copy in host memory (int64) of n integers (None: any number of them) on device `number`."""
    return _integers(obj, name, n, number).integers_on_host()
