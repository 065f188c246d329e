"""What the functions of the package share: the device that they may use, and particles for C++."""
from typing import NamedTuple

import numpy as np

from . import _arrays, _core, _device, _device_input
from ._errors import ArgumentError, DeviceError


def expect_device(device):
    """For functions that compute on the CPU: `auto` and `cpu` are that; a CUDA device is a DeviceError."""
    if _number_asked_for(device) is not None:
        raise DeviceError(f"device: found '{device}', expected 'auto' or 'cpu': this function computes on the CPU alone")


def _number_asked_for(device):
    """The number of a CUDA device, None for `auto` and `cpu`."""
    if not isinstance(device, str):
        raise TypeError(f"device: found {type(device).__name__}, expected 'auto', 'cpu', 'cuda' or 'cuda:N'")
    if device in ("auto", "cpu"):
        return None
    number = device.removeprefix("cuda:") if device != "cuda" else "0"
    if device.startswith("cuda") and number.isdecimal():
        return int(number)
    raise ArgumentError(f"device: found '{device}', expected 'auto', 'cpu', 'cuda' or 'cuda:N'")


class Place(NamedTuple):
    """The CUDA device that computes, and whether the arrays are there already (else they are brought there from the host)."""

    number: int
    has_arrays: bool


def _is_array(value):
    return value is not None and not isinstance(value, (int, float, np.number)) and not (
        isinstance(value, np.ndarray) and value.ndim == 0)


def place(device, **arrays):
    """The Place of a call with these arguments; None for the CPU.

    That is where the arrays are, or the device that is asked for. Arrays in several memories are an ArgumentError that names
    the first that is not where the first array is; numbers and None are anywhere."""
    asked = _number_asked_for(device)
    on = {name: _device.number_of_argument(value, name) for name, value in arrays.items() if _is_array(value)}
    if not on:
        return None
    first, number = next(iter(on.items()))
    for name, other in on.items():
        if other != number:
            raise ArgumentError(f"{name}: found an array {_device.text(other)}, expected one {_device.text(number)}, where "
                                f"{first} is")
    if number is None:
        return asked_place(device)
    if device == "cpu" or device not in ("auto", "cuda") and asked != number:
        raise ArgumentError(f"device: found '{device}', expected 'auto': {first} is {_device.text(number)}")
    _device.expect_there(number, first, f"an array {_device.text(number)}")
    return Place(_device.for_core(number), True)


def asked_place(device):
    """The Place of a call without arrays: the CPU unless a CUDA device is named."""
    asked = _number_asked_for(device)
    if asked is None:
        return None
    _device.expect_there(asked, "device", f"'{device}'")
    return Place(_device.for_core(asked), False)


def back(where, pos, units=False):
    """The function that brings a result of _core to the library of `pos`, where it is; with units to numpy."""
    if where is not None and where.has_arrays:
        return lambda array: _device.to_library(array, pos)
    at_home = (lambda array: array) if units else _arrays.like(pos)
    return at_home if where is None else lambda array: at_home(array.to_numpy())


def particles(pos, *, vel=None, mass=None, ids=None, types=None, where=None, name="pos"):
    """_core.Particles, or _core.DeviceParticles, of arguments without units; errors call positions `name`."""
    if where is not None and where.has_arrays:
        return _device_input.particles(where.number, pos, vel=vel, mass=mass, ids=ids, types=types, name=name)[0]
    x, y, z = _arrays.vectors(pos, name)
    n = len(x)
    vx, vy, vz = (None, None, None) if vel is None else _arrays.vectors(vel, "vel", n)
    masses = None if mass is None else _arrays.masses(mass, n)
    numbers = None if ids is None else _arrays.integers(ids, "ids", n, np.uint64)
    kinds = None if types is None else _arrays.integers(types, "types", n, np.uint8)
    return on(where, _core.Particles(x, y, z, vx, vy, vz, masses, numbers, kinds))


def sites(pos, *, vel=None, mass=None, ids=None, types=None, where=None):
    """_core.Particles that number a lattice, by their indices where no ids are given: in the memory of the host, where the sheet
    is made of them."""
    if where is not None and where.has_arrays:
        there = _device_input.particles(where.number, pos, vel=vel, mass=mass, ids=ids, types=types)[0]
        there.complete()
        return _core.Particles(*there.columns_on_host())
    places = _arrays.vectors(pos, "pos")
    return particles(places, vel=vel, mass=mass, ids=np.arange(len(places[0])) if ids is None else ids, types=types)


def number(where):
    """That of a device by which C++ knows it; -1 for the CPU."""
    return -1 if where is None else where.number


def on(where, host):
    """Particles of the host where they are to be."""
    return host if where is None else _core.DeviceParticles(where.number, host)


def box_side(box):
    """0 for open space."""
    return 0.0 if box is None else _arrays.scalar(box, "box", above=0)


def type_mask(linking_types, types):
    """The bits of the types that link."""
    if linking_types is None:
        return 0x3f
    if types is None:
        raise ArgumentError("linking_types: found some, expected none without types, the type of every particle")
    mask = 0
    for one in linking_types:
        number = _arrays.whole(one, "linking_types", 0)
        if number > 5:
            raise ArgumentError(f"linking_types: found {number}, expected types from 0 to 5")
        mask |= 1 << number
    if mask == 0:
        raise ArgumentError("linking_types: found none, expected at least one type")
    return mask


def choice(value, name, known):
    if value not in known:
        raise ArgumentError(f"{name}: found {value!r}, expected one of {', '.join(map(repr, known))}")
    return value
