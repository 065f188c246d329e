"""Libraries whose arrays are on a GPU: how each puts and takes them."""
import os

import numpy as np
import pytest

from aureole import _core, _run

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # jax would take most of the memory of the GPU

#: what counts, flags and sizes of a search may take; the arrays of the tests take far more
FEW_BYTES = 100_000


def moved():
    """Bytes that went between the host and devices so far, either way."""
    return sum(_core.transferred_bytes()) + sum(_run.transferred_bytes())


def same(library, found, expected):
    assert isinstance(found, library.kind) and library.is_on_gpu(found)
    home = library.get(found)
    assert home.dtype == expected.dtype and np.array_equal(home, expected)


class Torch:
    def __init__(self):
        self.torch = pytest.importorskip("torch")
        if not self.torch.cuda.is_available():
            pytest.skip("torch without CUDA")
        self.kind = self.torch.Tensor

    def put(self, array):
        return self.torch.from_numpy(np.ascontiguousarray(array)).cuda()

    def get(self, array):
        return array.cpu().numpy()

    def is_on_gpu(self, array):
        return array.is_cuda


class Cupy:
    def __init__(self):
        self.cupy = pytest.importorskip("cupy")
        self.kind = self.cupy.ndarray

    def put(self, array):
        return self.cupy.asarray(array)

    def get(self, array):
        return self.cupy.asnumpy(array)

    def is_on_gpu(self, array):
        return array.device.id == 0


class Jax:
    def __init__(self):
        self.jax = pytest.importorskip("jax")
        if self.jax.default_backend() != "gpu":
            pytest.skip("jax without CUDA")
        self.jax.config.update("jax_enable_x64", True)
        self.kind = self.jax.Array

    def put(self, array):
        return self.jax.device_put(array, self.jax.devices("gpu")[0])

    def get(self, array):
        return np.asarray(array)

    def is_on_gpu(self, array):
        return next(iter(array.devices())).platform in ("gpu", "cuda")
