"""Arrays of other libraries on a CUDA device: where they are, how they are borrowed, and results in their library.

An array is on a device when its ``__dlpack_device__`` says so or when it has ``__cuda_array_interface__`` alone. All work
runs in the device's default stream; the producer orders that behind its own (DLPack's ``stream=1``), or its stream is waited
for there (``stream`` of __cuda_array_interface__). Results are complete when a call returns."""
import contextlib
import sys

from . import _core
from ._errors import ArgumentError, DeviceError

_ON_HOST = (1, 3)  # kDLCPU, kDLCUDAHost of DLPack
_CUDA, _MANAGED = 2, 13
_DEFAULT_STREAM = 1  # in the words of DLPack
_KINDS = {"f": "float", "i": "int", "u": "uint", "c": "complex", "b": "bool"}


def number_of(obj, name):
    """The number of the CUDA device that holds `obj`, None for the host; DeviceError for other devices."""
    if hasattr(obj, "__dlpack_device__"):
        kind, number = (int(part) for part in obj.__dlpack_device__())
        if kind in _ON_HOST or kind == _MANAGED and not hasattr(obj, "__cuda_array_interface__"):
            return None
        if kind in (_CUDA, _MANAGED):
            return number
        raise DeviceError(f"{name}: found an array on device {kind}:{number} of DLPack's list, expected one in host memory or "
                          "on a CUDA device")
    if hasattr(obj, "__cuda_array_interface__"):
        pointer = obj.__cuda_array_interface__["data"][0]
        return 0 if not pointer or not count() else max(0, _core.device_of_pointer(pointer))
    return None


def number_of_argument(value, name):
    """The same of an argument, which may be a tuple of columns; None for numbers, lists and what is no array."""
    if isinstance(value, tuple):
        found = [number_of(part, f"{name}[{k}]") for k, part in enumerate(value)]
        for k, number in enumerate(found):
            if number != found[0]:
                raise ArgumentError(f"{name}[{k}]: found an array {text(number)}, expected one {text(found[0])}, where "
                                    f"{name}[0] is")
        return found[0] if found else None
    return number_of(value, name)


def text(number):
    return "in host memory" if number is None else f"on cuda:{number}"


def count():
    """How many CUDA devices this build may use; DeviceError in a process that was forked after the use of one."""
    return _core.device_count()


def expect_there(number, name, found):
    """DeviceError unless CUDA device `number` answers."""
    devices = count()
    if devices == 0:
        raise DeviceError(f"{name}: found {found}, expected the CPU: no CUDA device can be used here, {_core.why_no_device()}")
    if number >= devices:
        raise DeviceError(f"{name}: found {found}, expected a device from cuda:0 to cuda:{devices - 1}")


def for_core(number):
    """The number by which C++ knows the device; tests without a GPU put -1 here, the memory of the host."""
    return number


def devices():
    """The devices that ``device=`` may name here: "cpu", and "cuda:0" and so on where the build has CUDA and a GPU answers.

    Returns
    -------
    list of str
        "cpu" alone in a process that was forked after its parent had used a GPU.
    """
    try:
        return ["cpu", *(f"cuda:{number}" for number in range(count()))]
    except DeviceError:
        return ["cpu"]


def _library(obj):
    return type(obj).__module__.partition(".")[0]


@contextlib.contextmanager
def _selected(obj, number):
    """torch and cupy look at the current stream of the device that is selected."""
    library = sys.modules.get(_library(obj))
    if number is not None and _library(obj) == "torch":
        with library.cuda.device(number):
            yield
    elif number is not None and _library(obj) == "cupy":
        with library.cuda.Device(number):
            yield
    else:
        yield


def borrow(obj, number, name):
    """_core.DeviceValues of an array on device `number`, whose producer's work comes before ours."""
    if getattr(obj, "requires_grad", False) is True:
        obj = obj.detach()
    if hasattr(obj, "__dlpack__") and hasattr(obj, "__dlpack_device__"):
        with _selected(obj, number):
            return _core.DeviceValues(obj.__dlpack__(stream=None if number < 0 else _DEFAULT_STREAM))
    return _of_interface(obj, number, name)


def _of_interface(obj, number, name):
    told = obj.__cuda_array_interface__
    kind, bits = told["typestr"][1], 8 * int(told["typestr"][2:])
    dtype = _KINDS.get(kind, kind) + ("" if kind == "b" else str(bits))
    if told.get("mask") is not None:
        raise TypeError(f"{name}: found a masked array, expected one without a mask")
    if told["typestr"][0] == ">":
        raise TypeError(f"{name}: found {dtype} in the byte order of other machines, expected that of this one")
    if told.get("version", 0) >= 3 and told.get("stream") is not None and number >= 0:
        _core.follow_stream(number, told["stream"])
    return _core.DeviceValues(told["data"][0] or 0, list(told["shape"]), told.get("strides"), dtype, number, obj)


def into_library_of(obj):
    """The function that gives a _core.DeviceArray as an array of the library of `obj` (of its first column), which borrows its
    memory. It does not keep `obj`."""
    one = obj[0] if isinstance(obj, tuple) else obj
    library = _library(one)
    if library in ("jax", "jaxlib"):
        return sys.modules["jax"].dlpack.from_dlpack
    if library in ("torch", "cupy"):
        return sys.modules[library].from_dlpack
    if hasattr(one, "__array_namespace__"):
        return one.__array_namespace__().from_dlpack
    return lambda array: array


def to_library(array, obj):
    """A _core.DeviceArray in the library of `obj`."""
    return into_library_of(obj)(array)


def expect_doubles(obj, name):
    """TypeError for an array of jax where float64 results would become float32 there."""
    one = obj[0] if isinstance(obj, tuple) and obj else obj
    if _library(one) in ("jax", "jaxlib") and not sys.modules["jax"].config.jax_enable_x64:
        raise TypeError(f"{name}: found an array of jax without 64-bit numbers, and the results are float64; call "
                        "jax.config.update('jax_enable_x64', True) first, or pass numpy arrays")
