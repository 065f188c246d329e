"""What the functions of the package share: the device that they may use, and particles for C++."""
import numpy as np

from . import _arrays, _core
from ._errors import ArgumentError, DeviceError


def expect_device(device):
    """This release computes on the CPU: `auto` and `cpu` are that; a CUDA device is a DeviceError."""
    if not isinstance(device, str):
        raise TypeError(f"device: found {type(device).__name__}, expected 'auto', 'cpu', 'cuda' or 'cuda:N'")
    if device in ("auto", "cpu"):
        return
    number = device.removeprefix("cuda:") if device != "cuda" else "0"
    if device.startswith("cuda") and number.isdigit():
        raise DeviceError(f"device: found '{device}', expected 'auto' or 'cpu': the Python package has no CUDA backend yet "
                          "(the program `aureole` has)")
    raise ArgumentError(f"device: found '{device}', expected 'auto', 'cpu', 'cuda' or 'cuda:N'")


def particles(pos, *, vel=None, mass=None, ids=None, types=None):
    """_core.Particles of arguments without units."""
    x, y, z = _arrays.vectors(pos, "pos")
    n = len(x)
    vx, vy, vz = (None, None, None) if vel is None else _arrays.vectors(vel, "vel", n)
    masses = None if mass is None else _arrays.masses(mass, n)
    numbers = None if ids is None else _arrays.integers(ids, "ids", n, np.uint64)
    kinds = None if types is None else _arrays.integers(types, "types", n, np.uint8)
    return _core.Particles(x, y, z, vx, vy, vz, masses, numbers, kinds)


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
