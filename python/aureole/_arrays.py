"""Arrays of any library to columns of numpy, and results back to that library.

What comes in is checked here, so that messages name the argument: its type, shape, kind of number, and the first
particle with a number that is not finite. Positions go to C++ as three contiguous columns of float64."""
import sys

import numpy as np

from . import _device
from ._errors import ArgumentError, DeviceError

_MOST = 2 ** 31 - 1


def _refuse_device(obj, name):
    """Arrays on a device are refused by name rather than copied in silence, where a function computes on the CPU alone."""
    number = _device.number_of(obj, name)
    if number is not None:
        raise DeviceError(f"{name}: found an array on cuda:{number}, expected one in host memory; this function takes no arrays "
                          "on a GPU, so bring it there first (cupy.asnumpy, tensor.cpu())")


def to_numpy(obj, name):
    """`obj` as an array of numpy, without a copy where its library allows it."""
    if isinstance(obj, np.ndarray):
        return np.asarray(obj)  # no subclass: masks are refused below
    if obj is None or isinstance(obj, (str, bytes, dict, set)):
        raise TypeError(f"{name}: found {type(obj).__name__}, expected an array")
    _refuse_device(obj, name)
    if type(obj).__module__.partition(".")[0] == "torch" and obj.requires_grad:
        obj = obj.detach()
    if hasattr(obj, "__array__"):
        return np.asarray(obj)
    if hasattr(obj, "__dlpack__"):
        return np.from_dlpack(obj)
    if isinstance(obj, (list, tuple)):
        try:
            return np.asarray(obj)
        except ValueError as error:
            raise TypeError(f"{name}: found a {type(obj).__name__} that is no array ({error}), expected an array") from None
    raise TypeError(f"{name}: found {type(obj).__name__}, expected an array (numpy, or with __array__ or __dlpack__)")


def _floats(obj, name):
    if isinstance(obj, np.ma.MaskedArray) and np.ma.is_masked(obj):
        raise TypeError(f"{name}: found a masked array with {int(np.ma.count_masked(obj))} masked entries, expected one without; "
                        "take those that are not masked first")
    array = to_numpy(obj, name)
    dtype = array.dtype
    expect_floats(dtype.newbyteorder("=") if dtype.kind == "f" else dtype, name)  # FITS has the other order of bytes
    return array


def expect_floats(dtype, name):
    """TypeError for a kind of number, of numpy or by its name, that is neither float32 nor float64."""
    if str(dtype) not in ("float32", "float64"):
        hint = "; write .astype(float) where numbers of this type are meant" if str(dtype).startswith(("int", "uint", "bool")) else ""
        raise TypeError(f"{name}: found {dtype}, expected float32 or float64{hint}")


def expect_one_dimension(shape, name):
    if len(shape) != 1:
        raise ArgumentError(f"{name}: found the shape {shape}, expected one dimension")


def expect_rows_of_three(shape, name):
    if len(shape) != 2 or shape[1] != 3:
        hint = "; write .T" if len(shape) == 2 and shape[0] == 3 else ""
        raise ArgumentError(f"{name}: found the shape {shape}, expected (N, 3) or a tuple (x, y, z){hint}")


def column(obj, name):
    """One contiguous column of float64 from a one-dimensional array."""
    array = _floats(obj, name)
    expect_one_dimension(array.shape, name)
    return np.ascontiguousarray(array, dtype=np.float64)


def expect_as_many(n, expected, name, of):
    if n != expected:
        raise ArgumentError(f"{name}: found {n} entries, expected {expected}, one for each of {of}")


def expect_finite(values, name, part=""):
    """Raises ArgumentError with the first index whose value is not finite."""
    if values.size == 0 or (np.isfinite(values.min()) and np.isfinite(values.max())):
        return
    at = int(np.argmin(np.isfinite(values)))
    raise not_finite(name, at, part or name, values[at])


def not_finite(name, at, part, value):
    """The error for a number of particle `at` that is not finite."""
    return ArgumentError(f"{name}: particle {at} has {part} = {value}, expected a finite number")


def negative_mass(at, value):
    return ArgumentError(f"mass: particle {at} has mass = {value}, expected a number of at least 0")


def vectors(obj, name, n=None, of="pos"):
    """Three columns from an array (N, 3), or from a tuple of three arrays (N,)."""
    if isinstance(obj, tuple) and len(obj) == 3 and all(np.ndim(part) == 1 for part in obj):
        columns = tuple(column(part, f"{name}[{k}]") for k, part in enumerate(obj))
        if len({len(c) for c in columns}) != 1:
            raise ArgumentError(f"{name}: found columns of {[len(c) for c in columns]} entries, expected as many in each")
    else:
        array = _floats(obj, name)
        expect_rows_of_three(array.shape, name)
        columns = tuple(np.ascontiguousarray(array[:, k], dtype=np.float64) for k in range(3))
    if n is not None:
        expect_as_many(len(columns[0]), n, name, of)
    for k, values in enumerate(columns):
        expect_finite(values, name, "xyz"[k] if name == "pos" else f"{name}[{k}]")
    return columns


def numbers(obj, name, n):
    """A finite column of `n` entries from an array, or from one number (of 0 dimensions) for all."""
    array = np.asarray(float(obj)) if isinstance(obj, (int, float, np.integer, np.floating)) else _floats(obj, name)
    values = np.full(n, float(array)) if array.ndim == 0 else column(array, name)
    expect_as_many(len(values), n, name, "pos")
    expect_finite(values, name)
    return values


def masses(obj, n):
    """As numbers(), and none is negative."""
    values = numbers(obj, "mass", n)
    if n and values.min() < 0:
        at = int(np.argmax(values < 0))
        raise negative_mass(at, values[at])
    return values


def integers(obj, name, n, dtype):
    """A column of `n` integers as `dtype` (uint64: the bits of 64-bit ids)."""
    array = to_numpy(obj, name)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name}: found {array.dtype}, expected integers")
    expect_one_dimension(array.shape, name)
    expect_as_many(len(array), n, name, "pos")
    if dtype == np.uint8 and n and (array.min() < 0 or array.max() > 5):
        at = int(np.argmax((array < 0) | (array > 5)))
        raise ArgumentError(f"{name}: particle {at} has type {array[at]}, expected types from 0 to 5")
    return np.ascontiguousarray(array).astype(dtype, copy=False)


def like(obj):
    """The function that brings an array of numpy to the library of `obj` (for a tuple, of its first column)."""
    one = obj[0] if isinstance(obj, tuple) and obj else obj
    library = type(one).__module__.partition(".")[0]
    if library == "torch":
        return sys.modules["torch"].from_numpy
    if library in ("jax", "jaxlib"):
        return sys.modules["jax"].numpy.asarray
    return lambda array: array


def scalar(value, name, least=None, above=None):
    """A finite float; TypeError for what is no number, ArgumentError for one out of range."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        if getattr(value, "shape", None) != () or np.asarray(value).dtype.kind not in "iuf":
            raise TypeError(f"{name}: found {type(value).__name__}, expected a number")
    number = float(value)
    if not np.isfinite(number):
        raise ArgumentError(f"{name}: found {number}, expected a finite number")
    if above is not None and not number > above:
        raise ArgumentError(f"{name}: found {number}, expected a number above {above}")
    if least is not None and not number >= least:
        raise ArgumentError(f"{name}: found {number}, expected a number of at least {least}")
    return number


def whole(value, name, least):
    """An int of at least `least`, and at most what 32 bits hold."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name}: found {type(value).__name__}, expected a whole number")
    if value < least:
        raise ArgumentError(f"{name}: found {value}, expected at least {least}")
    if value > _MOST:
        raise ArgumentError(f"{name}: found {value}, expected at most {_MOST}")
    return int(value)
