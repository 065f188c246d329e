"""What arrays the functions take, and the errors for those that they do not."""
import numpy as np
import pytest
from conftest import clumps

import aureole

LENGTH = 0.02


@pytest.fixture(scope="module")
def pos():
    return clumps(1, 5000)


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


class ArrayLike:
    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


class Capsule:
    """An object with DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


LAYOUTS = {
    "Fortran": np.asfortranarray,
    "columns": lambda x: tuple(np.ascontiguousarray(column) for column in x.T),
    "every second row": lambda x: np.repeat(x, 2, axis=0)[::2],
    "reversed twice": lambda x: x[::-1].copy()[::-1],
    "part of a wider table": lambda x: np.hstack((x, x))[:, :3],
    "read-only": read_only,
    "__array__": ArrayLike,
    "__dlpack__": Capsule,
    "list": lambda x: x.tolist(),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layout_changes_no_label(pos, name):
    assert np.array_equal(aureole.group_labels(LAYOUTS[name](pos), LENGTH), aureole.group_labels(pos, LENGTH))


def test_float32_is_the_same_numbers_in_double(pos):
    single = pos.astype(np.float32)
    assert np.array_equal(aureole.group_labels(single, LENGTH), aureole.group_labels(single.astype(float), LENGTH))


def test_inputs_are_never_changed(pos):
    before = pos.copy()
    aureole.group_labels(pos, LENGTH)
    aureole.find_halos(pos, LENGTH, box=None)
    aureole.forces(pos, 1.0)
    assert np.array_equal(pos, before)


def test_torch_tensors_come_back_as_tensors(pos):
    torch = pytest.importorskip("torch")
    labels = aureole.group_labels(torch.from_numpy(pos), LENGTH)
    assert isinstance(labels, torch.Tensor)
    assert np.array_equal(labels.numpy(), aureole.group_labels(pos, LENGTH))


def test_jax_arrays_come_back_as_jax_arrays(pos):
    jax = pytest.importorskip("jax")
    labels = aureole.group_labels(jax.numpy.asarray(pos.astype(np.float32)), LENGTH)
    assert isinstance(labels, jax.Array)


@pytest.mark.parametrize("array", [np.zeros((4, 3), int), np.zeros((4, 3), object), np.zeros((4, 3), bool),
                                   np.zeros((4, 3), complex), np.zeros((4, 3), np.float16), "text", None, {}, 3])
def test_other_kinds_of_number_are_a_type_error_that_names_the_argument(array):
    with pytest.raises(TypeError, match="pos: found"):
        aureole.group_labels(array, LENGTH)


def test_masked_entries_are_refused(pos):
    masked = np.ma.masked_array(pos, mask=pos > 2)
    assert np.array_equal(aureole.group_labels(masked, LENGTH), aureole.group_labels(pos, LENGTH))
    masked[0, 0] = np.ma.masked
    with pytest.raises(TypeError, match="1 masked entries"):
        aureole.group_labels(masked, LENGTH)


def test_empty_arrays_and_one_point_have_results():
    nothing, one = np.empty((0, 3)), np.array([[0.3, 0.4, 0.5]])
    assert aureole.group_labels(nothing, 1.0).shape == (0,)
    assert len(aureole.find_halos(nothing, 1.0)) == 0
    assert aureole.forces(nothing, np.empty(0)).acceleration.shape == (0, 3)
    assert aureole.group_labels(one, 1.0).tolist() == [0]
    assert len(aureole.find_halos(one, 1.0)) == 0 and len(aureole.find_halos(one, 1.0, min_members=1)) == 1
    assert aureole.forces(one, 2.0, potential=True).potential.tolist() == [0.0]
    assert aureole.density_grid(one, cells=2, box=1.0, method="ngp", fields="mass")["mass"].sum() == 1.0


class OnGpu:
    def __dlpack_device__(self):
        return (2, 0)


class CudaInterface:
    __cuda_array_interface__ = {"shape": (1, 3), "typestr": "<f8", "data": (0, False), "version": 3}


@pytest.mark.skipif(len(aureole.devices()) > 1, reason="a GPU answers: test_gpu.py")
@pytest.mark.parametrize("array", [OnGpu(), CudaInterface()])
def test_arrays_on_a_gpu_are_a_device_error_where_there_is_none(array):
    with pytest.raises(aureole.DeviceError, match="pos: found an array on"):
        aureole.group_labels(array, LENGTH)


def test_devices_are_refused_by_name(pos):
    for device in ("cuda:98", "cuda:99"):
        with pytest.raises(aureole.DeviceError, match=device):
            aureole.group_labels(pos, LENGTH, device=device)
    with pytest.raises(aureole.ArgumentError, match="device: found 'gpu'"):
        aureole.group_labels(pos, LENGTH, device="gpu")


def test_errors_are_also_errors_of_python():
    assert issubclass(aureole.ArgumentError, ValueError) and issubclass(aureole.ConfigError, ValueError)
    assert issubclass(aureole.FileError, OSError) and issubclass(aureole.MemoryError, MemoryError)
    assert issubclass(aureole.DeviceError, RuntimeError)
    for one in (aureole.ArgumentError, aureole.FileError, aureole.MemoryError, aureole.DeviceError):
        assert issubclass(one, aureole.AureoleError)


EXTREMES = {"at one place": np.full((500, 3), 0.5), "huge": np.array([[1e308, 0, 0], [-1e308, 0, 0], [1, 1, 1]]),
            "tiny": np.array([[1e-310, 0, 0], [0, 0, 0]]), "on a line": np.linspace(0, 1, 300)[:, None] * [1.0, 0, 0]}
CALLS = {
    "labels": lambda p: aureole.group_labels(p, 0.1), "labels in a box": lambda p: aureole.group_labels(p, 0.1, box=1.0),
    "halos": lambda p: aureole.find_halos(p, 0.1, vel=p, substructure=True, min_members=1)["GroupMass"],
    "b": lambda p: aureole.find_halos(p, b=0.2, box=1.0).labels, "linkage": aureole.linkage,
    "spheres": lambda p: aureole.overdensity_spheres(p, 1.0, p[:1], thresholds=[1.0])[0],
    "tree": lambda p: aureole.forces(p, 1.0).acceleration, "direct": lambda p: aureole.forces(p, 1.0, solver="direct").acceleration,
    "massless": lambda p: aureole.forces(p, 0.0).acceleration, "expand": lambda p: aureole.expand(p, 1.0, scale_radius=1.0).S,
    "sphere": lambda p: aureole.expand(p, 1.0, scale_radius=1.0, centre="shrinking_sphere").S,
    "grid": lambda p: aureole.density_grid(p, cells=4, box=1.0, method="cic")["density"]}


@pytest.mark.parametrize("extreme", EXTREMES)
@pytest.mark.parametrize("call", CALLS)
def test_extremes_have_finite_results_or_a_named_error(extreme, call):
    try:
        values = CALLS[call](EXTREMES[extreme])
    except aureole.AureoleError as error:
        assert "found" in str(error) or "particle" in str(error) or "expected" in str(error)
    else:
        assert np.all(np.isfinite(values))


def test_settings_beyond_the_range_are_refused(pos):
    for settings in ({"min_members": 2 ** 40}, {"min_members": -1}):
        with pytest.raises(aureole.ArgumentError, match="min_members"):
            aureole.group_labels(pos, LENGTH, **settings)
    with pytest.raises(TypeError, match="min_members"):
        aureole.group_labels(pos, LENGTH, min_members=2.0)
