"""Arrays on a CUDA device, where there is no GPU: what is asked of their producers, the errors, and all ways of the data with
the memory of the host in place of that of a device. test_gpu.py is the same on a GPU."""
import gc

import numpy as np
import pytest
from conftest import clumps, lattice, plummer
from device_emulation import Interface, OnGpu, on_host

import aureole
from aureole import _core, _device

LENGTH = 0.02


@pytest.fixture(scope="module")
def pos():
    return clumps(1, 5000)


WRAPPED = {
    "DLPack": OnGpu, "interface": Interface, "float32": lambda x: OnGpu(x.astype(np.float32)),
    "columns": lambda x: tuple(OnGpu(np.ascontiguousarray(column)) for column in x.T),
    "Fortran": lambda x: Interface(np.asfortranarray(x)), "every second row": lambda x: OnGpu(np.repeat(x, 2, axis=0)[::2]),
    "reversed": lambda x: Interface(x[::-1].copy()[::-1]), "part of a wider table": lambda x: Interface(np.hstack((x, x))[:, 3:]),
}


@pytest.mark.parametrize("name", WRAPPED)
def test_layout_changes_no_label(emulated, pos, name):
    plain = pos.astype(np.float32) if name == "float32" else pos
    assert np.array_equal(on_host(aureole.group_labels(WRAPPED[name](pos), LENGTH)), aureole.group_labels(plain, LENGTH))


@pytest.mark.parametrize("settings", [{"box": 1.2}, {"min_members": 20}, {"linking_types": [1, 4]}, {"linking_velocity": 0.5},
                                      {"relative_linking_velocity": 1.0}, {"method": "kd_tree"}, {"method": "spanning_tree"}])
def test_labels_are_those_of_numpy(emulated, pos, settings):
    random = np.random.default_rng(3)
    arrays = {"ids": random.permutation(len(pos)).astype(np.int64) - 7, "types": random.integers(0, 6, len(pos)).astype(np.int16)}
    if any("velocity" in key for key in settings):
        arrays["vel"] = random.normal(size=pos.shape)
    there = {name: OnGpu(array) for name, array in arrays.items()}
    found = aureole.group_labels(OnGpu(pos), LENGTH, **there, **settings)
    assert np.array_equal(on_host(found), aureole.group_labels(pos, LENGTH, **arrays, **settings))


@pytest.mark.parametrize("settings", [{}, {"solver": "direct", "precision": "double"}, {"G": 4.3}, {"softening": 0.1},
                                      {"potential": True, "kernel": "spline", "softening": 0.1}, {"targets": 7}, {"targets": 0}])
@pytest.mark.parametrize("mass", [0.25, "array", "one number"])
def test_forces_are_those_of_numpy(emulated, settings, mass):
    place = plummer(1, 500)
    at = {} if "targets" not in settings else {"targets": plummer(2, settings["targets"])}
    settings = {name: value for name, value in settings.items() if name != "targets"}
    plain = {"array": np.random.default_rng(4).random(500), "one number": np.array(0.25)}.get(mass, mass)
    there = plain if mass == 0.25 else OnGpu(plain)
    expected = aureole.forces(place, plain, **at, **settings)
    found = aureole.forces(OnGpu(place), there, **{name: OnGpu(x) for name, x in at.items()}, **settings)
    assert np.array_equal(on_host(found.acceleration), expected.acceleration)
    assert (found.potential is None) == (expected.potential is None)
    if found.potential is not None:
        assert np.array_equal(on_host(found.potential), expected.potential)


def test_six_softening_lengths_go_by_types(emulated):
    place, types = plummer(1, 300), np.arange(300) % 3
    lengths = [0.1, 0.2, 0.3, 0, 0, 0]
    found = aureole.forces(OnGpu(place), 1.0, types=OnGpu(types), softening=lengths).acceleration
    assert np.array_equal(on_host(found), aureole.forces(place, 1.0, types=types, softening=lengths).acceleration)


@pytest.mark.parametrize("settings", [{}, {"box": 1.2}, {"velocity_scale": 0.1}, {"box": 1.2, "min_samples": 5}], ids=str)
def test_linkage_is_that_of_numpy(emulated, pos, settings):
    arrays = {"pos": pos[:1000]} | ({"vel": pos[1000:2000]} if "velocity_scale" in settings else {})
    there = {name: OnGpu(array) for name, array in arrays.items()}
    assert np.array_equal(on_host(aureole.linkage(**there, **settings)), aureole.linkage(**arrays, **settings))
    assert np.array_equal(aureole.linkage(**arrays, **settings, device="cuda"), aureole.linkage(**arrays, **settings))
    with pytest.raises(aureole.ArgumentError, match="min_samples: found 1001, expected at most the number of points, 1000"):
        aureole.linkage(**there, **settings | {"min_samples": 1001})


@pytest.mark.parametrize("settings", [{}, {"box": 1.2}, {"vel": 1, "substructure": True}, {"b": 0.2, "box": 1.2}, {"b": 0.2},
                                      {"types": 1, "linking_types": [0, 2]}, {"ids": 1, "overdensities": ["200c"], "reference_density": 1.0}],
                         ids=str)
@pytest.mark.filterwarnings("ignore:no periodic box")
def test_halos_are_those_of_numpy(emulated, pos, settings):
    random = np.random.default_rng(5)
    arrays = {"pos": pos - 0.05, "mass": random.random(len(pos)), "vel": random.normal(size=pos.shape),
              "types": np.arange(len(pos)) % 3, "ids": random.permutation(len(pos))}
    arrays = {name: array for name, array in arrays.items() if name in ("pos", "mass") or name in settings}
    settings = {name: value for name, value in settings.items() if name not in arrays}
    if "b" not in settings:
        settings["linking_length"] = LENGTH
    expected = aureole.find_halos(**arrays, **settings)
    kept = arrays["pos"].copy()
    found = aureole.find_halos(**{name: OnGpu(array) for name, array in arrays.items()}, **settings)
    at_home = aureole.find_halos(**arrays, **settings, device="cuda")
    assert np.array_equal(on_host(found.labels), expected.labels) and np.array_equal(at_home.labels, expected.labels)
    assert len(found) > 3 and np.array_equal(kept, arrays["pos"])
    for one in (found, at_home):
        for name in expected.columns:
            assert np.array_equal(one[name], expected[name], equal_nan=True), name
        assert np.array_equal(one.members(0), expected.members(0))
        assert (one.subhalos is None) == (expected.subhalos is None)
        assert repr(one) == repr(expected)


@pytest.mark.parametrize("settings", [{}, {"box": 1.2}, {"crossing": "innermost"}], ids=str)
def test_spheres_are_those_of_numpy(emulated, pos, settings):
    mass, centres = np.random.default_rng(2).random(len(pos)), pos[::500]
    expected = aureole.overdensity_spheres(pos, mass, centres, thresholds=[2e4, 1e5], **settings)
    found = aureole.overdensity_spheres(OnGpu(pos), OnGpu(mass), OnGpu(centres), thresholds=[2e4, 1e5], **settings)
    at_home = aureole.overdensity_spheres(pos, mass, centres, thresholds=[2e4, 1e5], **settings, device="cuda")
    for one, other, third in zip(found, expected, at_home, strict=True):
        assert np.array_equal(on_host(one), other) and np.array_equal(third, other) and np.any(other > 0)
    none = aureole.overdensity_spheres(OnGpu(pos), 1.0, OnGpu(np.zeros((0, 3))), thresholds=[1.0])
    assert on_host(none[0]).shape == (0, 1)
    with pytest.raises(aureole.ArgumentError, match="centres: found an array in host memory, expected one on cuda:0"):
        aureole.overdensity_spheres(OnGpu(pos), OnGpu(mass), centres, thresholds=[1e5])
    centres = np.vstack((centres, [[0.5, np.nan, 0.5]]))
    with pytest.raises(aureole.ArgumentError, match=rf"centres: particle {len(centres) - 1} has centres\[1\] = nan"):
        aureole.overdensity_spheres(OnGpu(pos), OnGpu(mass), OnGpu(centres), thresholds=[1e5])


@pytest.mark.parametrize("more", [{}, {"box": 1.2}, {"ids": np.int32}], ids=str)
def test_subhalos_are_those_of_numpy(emulated, pos, more):
    random = np.random.default_rng(5)
    names = np.where(random.random(len(pos)) < 0.1, -3, 7 + 2 * aureole.group_labels(pos, LENGTH, min_members=50).astype(np.int64))
    arrays = {"pos": pos, "vel": 0.05 * random.normal(size=pos.shape), "mass": np.full(len(pos), 1e-3), "labels": names}
    if "ids" in more:
        more = {"ids": random.permutation(len(pos)).astype(more["ids"])}
    expected = aureole.subhalos(**arrays, **more)
    there = {name: OnGpu(array) if isinstance(array, np.ndarray) else array for name, array in (arrays | more).items()}
    found, at_home = aureole.subhalos(**there), aureole.subhalos(**arrays, **more, device="cuda")
    assert len(expected) > 1 and np.array_equal(on_host(found.labels), expected.labels)
    assert np.array_equal(at_home.labels, expected.labels)
    for name in expected.columns:
        assert np.array_equal(found[name], expected[name], equal_nan=True), name
    assert np.array_equal(found.members(0), expected.members(0)) and repr(found) == repr(expected)
    with pytest.raises(TypeError, match="labels: found float64, expected integers"):
        aureole.subhalos(**there | {"labels": OnGpu(names.astype(float))})
    with pytest.raises(aureole.ArgumentError, match="ids: found 4 5000 times"):
        aureole.subhalos(**there | {"ids": OnGpu(np.full(len(pos), 4))})


def test_hdbscan_is_that_of_numpy(emulated, pos):
    cluster = pytest.importorskip("aureole.cluster")
    expected = cluster.HDBSCAN(10, 4).fit(pos[:1000])
    found, at_home = cluster.HDBSCAN(10, 4).fit(OnGpu(pos[:1000])), cluster.HDBSCAN(10, 4, device="cuda").fit(pos[:1000])
    assert np.array_equal(on_host(found.labels_), expected.labels_) and found.labels_.dtype == "int64"
    assert np.array_equal(on_host(found.probabilities_), expected.probabilities_)
    assert np.array_equal(found.condensed_tree_, expected.condensed_tree_)
    assert np.array_equal(at_home.labels_, expected.labels_) and at_home.labels_.dtype == np.int64
    with pytest.raises(aureole.ArgumentError, match="min_samples: found 40, expected at most the number of points, 30"):
        cluster.HDBSCAN(10, 40).fit(OnGpu(pos[:30]))


@pytest.mark.parametrize("settings", [{}, {"samples": 4}, {"centre": "shrinking_sphere", "symmetry": "even-l"}])
def test_expansions_are_those_of_numpy(emulated, settings):
    place, mass = plummer(3, 2000), np.random.default_rng(1).random(2000)
    found = aureole.expand(OnGpu(place), OnGpu(mass), scale_radius=1.0, n_max=4, l_max=2, **settings)
    expected = aureole.expand(place, mass, scale_radius=1.0, n_max=4, l_max=2, **settings)
    assert np.array_equal(found.S, expected.S) and np.array_equal(found.T, expected.T)
    assert (found.variances is None) == (expected.variances is None)


def test_spectra_are_those_of_numpy(emulated, pos):
    mass = np.random.default_rng(1).random(len(pos))
    expected = aureole.power_spectrum(pos, mass, box=1.2, mesh=16, folds=1)
    for found in (aureole.power_spectrum(OnGpu(pos), OnGpu(mass), box=1.2, mesh=16, folds=1),
                  aureole.power_spectrum(pos, mass, box=1.2, mesh=16, folds=1, device="cuda")):
        assert all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True))


@pytest.mark.parametrize("method", ["tetrahedra", "tsc"])
def test_fields_are_those_of_numpy(emulated, method):
    arrays, settings = lattice(8), {"box": 1.0, "cells": 6, "method": method, "fields": ["mass", "density", "velocity"]}
    settings["fields"] += ["streams"] if method == "tetrahedra" else []
    expected = aureole.density_grid(**arrays, **settings)
    found = aureole.density_grid(**{name: OnGpu(array) for name, array in arrays.items()}, **settings)
    brought = aureole.density_grid(**arrays, device="cuda", **settings)
    for name, field in expected.items():
        assert np.array_equal(on_host(found[name]), field, equal_nan=True), name
        assert isinstance(brought[name], np.ndarray) and np.array_equal(brought[name], field, equal_nan=True), name
    assert np.array_equal(found.edges[0], expected.edges[0])


def test_sheet_is_that_of_numpy(emulated):
    arrays, points = lattice(8), np.random.default_rng(5).random((50, 3))
    there = {name: OnGpu(array) for name, array in arrays.items()}
    expected, found = (aureole.density_octree(**one, box=1.0, patch=4, levels=1) for one in (arrays, there))
    assert np.array_equal(found["density"], expected["density"])
    expected, found = (aureole.sheet_at(points, **one, box=1.0) for one in (arrays, there))
    assert np.array_equal(found.density, expected.density) and np.array_equal(found.velocity, expected.velocity)


def test_arrays_of_the_host_go_to_the_device_that_is_asked_for_and_come_back(emulated, pos):
    labels = aureole.group_labels(pos, LENGTH, device="cuda")
    assert isinstance(labels, np.ndarray) and np.array_equal(labels, aureole.group_labels(pos, LENGTH))
    found = aureole.forces(pos[:500], 1.0, device="cuda:0", potential=True)
    expected = aureole.forces(pos[:500], 1.0, potential=True)
    assert np.array_equal(found.acceleration, expected.acceleration) and np.array_equal(found.potential, expected.potential)


def test_empty_arrays_and_one_point_have_results(emulated):
    nothing, one = OnGpu(np.empty((0, 3))), OnGpu(np.array([[0.3, 0.4, 0.5]]))
    assert on_host(aureole.group_labels(nothing, 1.0)).shape == (0,)
    assert on_host(aureole.forces(nothing, OnGpu(np.empty(0))).acceleration).shape == (0, 3)
    without_address = Interface(np.empty((0, 3)), data=(0, True))
    assert aureole.group_labels(without_address, 1.0).shape == (0,)
    with pytest.raises(TypeError, match="mass: found int64"):
        aureole.forces(one, np.array(1), potential=True)
    assert on_host(aureole.group_labels(one, 1.0)).tolist() == [0]
    assert on_host(aureole.forces(one, 2.0, potential=True).potential).tolist() == [0.0]


def test_results_live_when_inputs_are_gone_and_are_borrowed_without_a_copy(emulated, pos):
    given = OnGpu(pos.copy())
    labels = aureole.group_labels(given, LENGTH)
    del given
    gc.collect()
    first, second = np.from_dlpack(labels), np.from_dlpack(labels)
    assert first.ctypes.data == second.ctypes.data and labels.shape == (len(pos),) and labels.dtype == "int32"
    expected = aureole.group_labels(pos, LENGTH)
    del labels, second
    gc.collect()
    assert np.array_equal(first, expected)


def test_results_say_what_they_are_by_dlpack(emulated, pos):
    labels = aureole.group_labels(OnGpu(pos), LENGTH)
    assert labels.__dlpack_device__() == (1, 0) and len(labels) == len(pos)
    assert not hasattr(labels, "__cuda_array_interface__")  # not on a device after all
    with pytest.raises(BufferError, match="not copied"):
        labels.__dlpack__(copy=True)
    with pytest.raises(BufferError, match="stays where it is"):
        labels.__dlpack__(dl_device=(2, 0))
    labels.__dlpack__(stream=1, max_version=(1, 0), dl_device=(1, 0), copy=False)


def test_results_go_to_the_namespace_of_the_input(emulated, pos):
    class Namespace:
        @staticmethod
        def from_dlpack(array):
            return "ours", np.from_dlpack(array)

    class OfNamespace(OnGpu):
        def __array_namespace__(self):
            return Namespace

    name, labels = aureole.group_labels(OfNamespace(pos), LENGTH)
    assert name == "ours" and np.array_equal(labels, aureole.group_labels(pos, LENGTH))


def test_torch_tensors_come_back_as_tensors(emulated, pos):
    torch = pytest.importorskip("torch")
    assert isinstance(_device.to_library(aureole.group_labels(OnGpu(pos), LENGTH), torch.zeros(1)), torch.Tensor)


def test_producer_orders_its_work_before_the_default_stream(pos):
    given = OnGpu(pos)
    _device.borrow(given, 0, "pos")
    assert given.streams == [1]  # DLPack's number of the legacy default stream


def test_work_waits_for_the_stream_of_the_interface(monkeypatch, pos):
    followed = []
    monkeypatch.setattr(_core, "follow_stream", lambda device, stream: followed.append((device, stream)))
    for stream, version in ((None, 3), (1, 3), (12345, 3), (7, 2)):
        _device.borrow(Interface(pos, stream=stream, version=version), 0, "pos")
    assert followed == [(0, 1), (0, 12345)]


@pytest.mark.parametrize("wrap", [OnGpu, Interface])
def test_first_number_that_is_not_finite_is_named_as_for_numpy(emulated, pos, wrap):
    for column, row, wrong in ((2, 17, np.nan), (0, 4000, np.inf), (1, 0, -np.inf)):
        bad = pos.copy()
        bad[row, column] = wrong
        bad[4500] = wrong
        messages = []
        for given in (bad, wrap(bad)):
            with pytest.raises(aureole.ArgumentError) as caught:
                aureole.group_labels(given, LENGTH)
            messages.append(str(caught.value))
        assert messages[0] == messages[1]


BAD = {
    "integers": ("pos", np.zeros((4, 3), int)), "half": ("pos", np.zeros((4, 3), np.float16)), "complex": ("pos", np.zeros((4, 3), complex)),
    "shape": ("pos", np.zeros((4, 2))), "transposed": ("pos", np.zeros((3, 4))), "flat": ("pos", np.zeros(12)),
    "velocities": ("vel", np.zeros((5, 3))), "velocity": ("vel", np.full((4, 3), np.nan)), "ids": ("ids", np.zeros(4)),
    "many ids": ("ids", np.zeros(5, int)), "types": ("types", np.array([0, 1, 6, 7])), "negative types": ("types", np.array([0, -1, 6, 7])),
    "table of types": ("types", np.zeros((4, 1), int)),
}


@pytest.mark.parametrize("case", BAD)
def test_errors_are_those_of_numpy(emulated, case):
    name, array = BAD[case]
    arrays = {"pos": np.zeros((4, 3)), name: array}
    messages = []
    for given in (arrays, {key: OnGpu(value) for key, value in arrays.items()}):
        with pytest.raises((TypeError, aureole.ArgumentError)) as caught:
            aureole.group_labels(given.pop("pos"), 1.0, linking_velocity=1.0 if "vel" in given else None, **given)
        messages.append((type(caught.value), str(caught.value)))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("mass", [np.array([1.0, -2.5, np.nan, 1]), np.array([1, 1, np.inf, 1.0]), np.ones(5), np.ones((4, 1)), np.ones(4, int)])
def test_masses_are_refused_as_those_of_numpy(emulated, mass):
    place, messages = np.arange(12.0).reshape(4, 3), []
    for given in ((place, mass), (OnGpu(place), OnGpu(mass))):
        with pytest.raises((TypeError, aureole.ArgumentError)) as caught:
            aureole.forces(*given)
        messages.append((type(caught.value), str(caught.value)))
    assert messages[0] == messages[1]


def test_forces_that_are_not_finite_are_the_error_of_numpy(emulated):
    place, messages = np.array([[0.0, 0, 0], [1e-200, 0, 0]]), []
    for given in (place, OnGpu(place)):
        with pytest.raises(aureole.AureoleError, match="acceleration of particle 0") as caught:
            aureole.forces(given, 1e300, solver="direct", precision="double")
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_arrays_in_several_memories_are_refused_by_name(emulated, pos):
    with pytest.raises(aureole.ArgumentError, match="vel: found an array in host memory, expected one on cuda:0, where pos is"):
        aureole.group_labels(OnGpu(pos), LENGTH, vel=pos, linking_velocity=1.0)
    with pytest.raises(aureole.ArgumentError, match="mass: found an array on cuda:0, expected one in host memory, where pos is"):
        aureole.forces(pos, OnGpu(np.ones(len(pos))))
    with pytest.raises(aureole.ArgumentError, match="mass: found an array on cuda:1, expected one on cuda:0, where pos is"):
        aureole.forces(OnGpu(pos), OnGpu(np.ones(len(pos)), device=1))
    with pytest.raises(aureole.ArgumentError, match=r"pos\[1\]: found an array in host memory, expected one on cuda:0"):
        aureole.group_labels((OnGpu(pos[:, 0]), pos[:, 1], OnGpu(pos[:, 2])), LENGTH)
    with pytest.raises(aureole.ArgumentError, match="device: found 'cpu', expected 'auto': pos is on cuda:0"):
        aureole.group_labels(OnGpu(pos), LENGTH, device="cpu")


def test_devices_that_do_not_answer_are_refused(monkeypatch, pos):
    monkeypatch.setattr(_device, "count", lambda: 2)
    with pytest.raises(aureole.DeviceError, match="device: found 'cuda:2', expected a device from cuda:0 to cuda:1"):
        aureole.group_labels(pos, LENGTH, device="cuda:2")
    monkeypatch.setattr(_device, "count", lambda: 0)
    with pytest.raises(aureole.DeviceError, match="device: found 'cuda', expected the CPU: no CUDA device can be used here"):
        aureole.group_labels(pos, LENGTH, device="cuda")
    for array in (OnGpu(pos), Interface(pos)):
        with pytest.raises(aureole.DeviceError, match="pos: found an array on cuda:0, expected the CPU"):
            aureole.forces(array, 1.0)
    assert aureole.devices() == ["cpu"]


def test_devices_of_other_makers_are_refused(pos):
    class OnRocm(OnGpu):
        def __dlpack_device__(self):
            return (10, 0)

    with pytest.raises(aureole.DeviceError, match="pos: found an array on device 10:0"):
        aureole.group_labels(OnRocm(pos), LENGTH)


def test_arrays_with_a_mask_or_other_bytes_are_refused(emulated, pos):
    with pytest.raises(TypeError, match="pos: found a masked array"):
        aureole.group_labels(Interface(pos, mask=object()), LENGTH)
    with pytest.raises(TypeError, match="pos: found float64 in the byte order of other machines"):
        aureole.group_labels(Interface(pos.astype(">f8")), LENGTH)


def test_jax_without_64_bits_is_refused_where_results_are_float64():
    jax = pytest.importorskip("jax")
    before = jax.config.jax_enable_x64
    try:
        jax.config.update("jax_enable_x64", False)
        place = jax.numpy.asarray(plummer(1, 50))
        with pytest.raises(TypeError, match="pos: found an array of jax without 64-bit numbers"):
            aureole.forces(place, 1.0)
        assert aureole.group_labels(place, 0.1).dtype == np.int32
        jax.config.update("jax_enable_x64", True)
        assert aureole.forces(jax.numpy.asarray(plummer(1, 50)), 1.0).acceleration.dtype == np.float64
    finally:
        jax.config.update("jax_enable_x64", before)
