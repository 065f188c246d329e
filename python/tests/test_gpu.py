"""Arrays on a real GPU: torch, cupy and jax in, the same out, without a trip through the host. Skipped where no GPU answers."""
import gc
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import direct_forces, lattice, plummer
from gpu_libraries import FEW_BYTES, Cupy, Jax, Torch, moved, same

import aureole
from aureole import _core

if len(aureole.devices()) == 1:
    pytest.skip("no GPU answers: " + _core.why_no_device(), allow_module_level=True)

LENGTH = 0.005


@pytest.mark.parametrize("settings", [{}, {"box": 1.0}, {"linking_velocity": 0.5}, {"box": 1.0, "linking_velocity": 0.5},
                                      {"min_members": 20}], ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_labels_are_those_of_numpy_and_nothing_goes_through_the_host(library, pos, vel, settings, dtype):
    arrays = {"pos": pos.astype(dtype)} | ({"vel": vel.astype(dtype)} if "linking_velocity" in settings else {})
    expected = aureole.group_labels(linking_length=LENGTH, **arrays, **settings)
    there = {name: library.put(array) for name, array in arrays.items()}
    before = moved()
    found = aureole.group_labels(linking_length=LENGTH, **there, **settings)
    assert moved() - before < FEW_BYTES
    same(library, found, expected)


def test_ids_and_types_decide_as_those_of_numpy(library, pos):
    random = np.random.default_rng(3)
    ids, types = random.permutation(len(pos)) - 7, random.integers(0, 6, len(pos)).astype(np.uint8)
    expected = aureole.group_labels(pos, LENGTH, ids=ids, types=types, linking_types=[1, 4])
    found = aureole.group_labels(library.put(pos), LENGTH, ids=library.put(ids), types=library.put(types), linking_types=[1, 4])
    same(library, found, expected)


def test_columns_and_strides_change_no_label(library, pos):
    expected = aureole.group_labels(pos, LENGTH)
    columns = tuple(library.put(np.ascontiguousarray(column)) for column in pos.T)
    same(library, aureole.group_labels(columns, LENGTH), expected)
    if library.kind.__module__.startswith("jax"):
        return  # its slices are arrays of their own
    same(library, aureole.group_labels(library.put(np.repeat(pos, 2, axis=0))[::2], LENGTH), expected)
    same(library, aureole.group_labels(library.put(np.hstack((pos, pos)))[:, 3:], LENGTH), expected)
    same(library, aureole.group_labels(library.put(np.ascontiguousarray(pos.T)).T, LENGTH), expected)


@pytest.mark.parametrize("solver", ["tree", "direct"])
@pytest.mark.parametrize("precision", ["mixed", "double"])
def test_forces_are_right_and_stay_on_the_gpu(library, solver, precision):
    place, mass = plummer(1, 20000), np.random.default_rng(1).random(20000) / 20000
    exact = direct_forces(place, mass, 0.01, targets=place[:200])[0]
    there = library.put(place), library.put(mass)
    before = moved()
    found = aureole.forces(*there, softening=0.01, solver=solver, precision=precision, potential=True)
    assert moved() - before < FEW_BYTES
    acceleration, potential = library.get(found.acceleration), library.get(found.potential)
    assert isinstance(found.acceleration, library.kind) and library.is_on_gpu(found.acceleration)
    error = np.linalg.norm(acceleration[:200] - exact, axis=1) / np.linalg.norm(exact, axis=1)
    assert np.percentile(error, 99) < (2e-3 if solver == "tree" else 1e-5 if precision == "mixed" else 1e-12)
    # the same call: direct sums with potentials round differently from those without
    home = aureole.forces(place, mass, softening=0.01, solver=solver, precision=precision, potential=True, device="cuda")
    same(library, found.acceleration, home.acceleration)
    same(library, found.potential, home.potential)
    at = plummer(5, 300)
    far = aureole.forces(*there, softening=0.01, solver=solver, precision=precision, targets=library.put(at), G=4.3)
    exact = 4.3 * direct_forces(place, mass, 0.01, targets=at)[0]
    error = np.linalg.norm(library.get(far.acceleration) - exact, axis=1) / np.linalg.norm(exact, axis=1)
    assert np.percentile(error, 99) < (3e-3 if solver == "tree" else 1e-5 if precision == "mixed" else 1e-12)
    assert potential.shape == (20000,) and np.all(potential < 0)


def test_expansions_are_those_of_the_cpu_to_rounding(library):
    place, mass = plummer(3, 50000), np.random.default_rng(1).random(50000)
    for settings in ({}, {"samples": 4}, {"centre": "shrinking_sphere"}):
        expected = aureole.expand(place, mass, scale_radius=1.0, n_max=6, l_max=4, **settings)
        found = aureole.expand(library.put(place), library.put(mass), scale_radius=1.0, n_max=6, l_max=4, **settings)
        assert np.abs(found.centre - expected.centre).max() < 1e-12
        assert np.abs(found.S - expected.S).max() < 1e-10 * np.abs(expected.S).max()


@pytest.mark.parametrize("settings", [{"box": 1.0}, {}], ids=str)
def test_halos_are_those_of_the_cpu(library, pos, vel, settings):
    arrays = {"pos": pos, "vel": vel, "mass": np.full(len(pos), 1.0)}
    expected = aureole.find_halos(**arrays, linking_length=LENGTH, substructure=True, **settings)
    there = {name: library.put(array) for name, array in arrays.items()}
    before = moved()
    without = aureole.find_halos(**there, linking_length=LENGTH, **settings)
    assert moved() - before < 8 * len(pos)  # rows and members, no columns of particles
    found = aureole.find_halos(**there, linking_length=LENGTH, substructure=True, **settings)
    same(library, found.labels, expected.labels)
    same(library, without.labels, expected.labels)
    for name in ("GroupLen", "GroupMass"):
        assert np.allclose(found[name], expected[name], rtol=1e-12)
    assert np.allclose(found["GroupPos"], expected["GroupPos"], atol=1e-9)
    assert np.array_equal(found.members(0), expected.members(0)) or set(found.members(0)) == set(expected.members(0))


def test_spheres_are_those_of_the_cpu(library, pos):
    mass, centres = np.random.default_rng(2).random(len(pos)), pos[::5000]
    expected = aureole.overdensity_spheres(pos, mass, centres, thresholds=[2e6, 1e7], box=1.0)
    there = [library.put(array) for array in (pos, mass, centres)]
    before = moved()
    found = aureole.overdensity_spheres(*there, thresholds=[2e6, 1e7], box=1.0)
    assert moved() - before < FEW_BYTES
    for one, other in zip(found, expected, strict=True):
        assert isinstance(one, library.kind) and library.is_on_gpu(one)
        assert np.allclose(library.get(one), other, rtol=1e-12, equal_nan=True) and np.any(other > 0)


def test_subhalos_are_those_of_the_cpu(library, pos, vel):
    arrays = {"pos": pos, "vel": vel, "mass": np.full(len(pos), 1.0),
              "labels": aureole.group_labels(pos, LENGTH, min_members=20)}
    expected = aureole.subhalos(**arrays)
    there = {name: library.put(array) for name, array in arrays.items()}
    found = aureole.subhalos(**there)
    same(library, found.labels, expected.labels)
    assert np.array_equal(found.parents, expected.parents) and len(expected) > 1
    assert np.allclose(found["SubhaloMass"], expected["SubhaloMass"], rtol=1e-12)


@pytest.mark.parametrize("settings", [{"timestep": 0.01}, {"eta": 0.05}, {"timestep": 0.02, "solver": "scf"},
                                      {"timestep": 0.01, "solver": "direct", "precision": "double"}], ids=str)
def test_simulations_stay_on_the_gpu_and_agree_with_the_cpu(library, settings, tmp_path):
    place = plummer(1, 30000 if settings.get("solver") != "direct" else 3000)
    vel, mass = 0.3 * np.random.default_rng(2).normal(size=place.shape), np.full(len(place), 1 / len(place))
    sim = aureole.Simulation(library.put(place), library.put(vel), library.put(mass), softening=0.1, **settings)
    before = moved()
    sim.integrate(0.1)
    there = sim.pos, sim.vel, sim.acceleration, sim.potential
    error = sim.energy().relative_error
    assert moved() - before < FEW_BYTES
    assert abs(error) < 1e-3 and sim.device == "cuda:0"
    for array in there:
        assert isinstance(array, library.kind) and library.is_on_gpu(array)
    home = aureole.Simulation(place, vel, mass, softening=0.1, device="cuda", **settings).integrate(0.1)
    for array, column in zip(there, (home.pos, home.vel, home.acceleration, home.potential), strict=True):
        same(library, array, column)
    cpu = aureole.Simulation(place, vel, mass, softening=0.1, **settings).integrate(0.1)
    tolerance = 1e-10 if settings.get("precision") == "double" else 1e-5
    assert np.abs(home.pos - cpu.pos).max() < tolerance * np.abs(cpu.pos).max()
    home.save(tmp_path / "state.bin")
    resumed = aureole.Simulation.resume(tmp_path / "state.bin")
    assert resumed.device == "cuda:0"
    sim.integrate(0.2)
    same(library, sim.pos, resumed.integrate(0.2).pos)
    same(library, sim.halos(0.1).labels, home.integrate(0.2).halos(0.1).labels)


def test_spectra_of_arrays_on_the_gpu_stay_there(library, pos):
    expected = aureole.power_spectrum(pos, box=1.0, mesh=64)
    there = library.put(pos)
    before = moved()
    found = aureole.power_spectrum(there, box=1.0, mesh=64)
    assert moved() - before < 2 * FEW_BYTES  # sums of shells, and the window
    assert np.array_equal(found.modes, expected.modes) and np.allclose(found.power, expected.power, rtol=1e-10)


@pytest.mark.parametrize("method", ["tetrahedra", "tsc"])
def test_fields_agree_with_the_cpu_and_are_on_the_gpu(library, method):
    arrays, settings = lattice(32), {"box": 1.0, "cells": 24, "method": method, "fields": ["mass", "velocity"]}
    expected = aureole.density_grid(**arrays, **settings)
    found = aureole.density_grid(**{name: library.put(array) for name, array in arrays.items()}, **settings)
    for name, field in expected.items():
        assert isinstance(found[name], library.kind) and library.is_on_gpu(found[name])
        assert np.allclose(library.get(found[name]), field, rtol=1e-9, atol=1e-12, equal_nan=True)
    octree = [aureole.density_octree(**arrays, box=1.0, patch=8, levels=1, device=one) for one in ("cpu", "cuda")]
    assert np.allclose(octree[1]["density"], octree[0]["density"], rtol=1e-9, atol=1e-12)
    points = np.random.default_rng(5).random((500, 3))
    sheet = [aureole.sheet_at(points, **arrays, box=1.0, device=one) for one in ("cpu", "cuda")]
    assert np.allclose(sheet[1].density, sheet[0].density, rtol=1e-9) and np.array_equal(sheet[1].streams, sheet[0].streams)


def test_arrays_of_numpy_are_computed_on_the_gpu_that_is_asked_for(pos):
    expected = aureole.group_labels(pos, LENGTH)
    before = moved()
    found = aureole.group_labels(pos, LENGTH, device="cuda")
    assert moved() - before >= 28 * len(pos)  # 24 bytes there, 4 back
    assert isinstance(found, np.ndarray) and np.array_equal(found, expected)
    assert np.array_equal(aureole.group_labels(pos, LENGTH, device="cuda:0"), expected)


@pytest.mark.parametrize("name", ["torch", "cupy"])
def test_work_of_another_stream_comes_first_and_results_are_ready_there(name, pos):
    module = pytest.importorskip(name)
    expected = aureole.group_labels(pos, LENGTH)
    if name == "torch":
        start = Torch().put(pos)
        stream = module.cuda.Stream()
        with module.cuda.stream(stream):
            there = start.clone()
            for _ in range(400):  # some 10 ms of work that ends with the positions
                there = there + 1.0
            there.copy_(start)
            labels = aureole.group_labels(there, LENGTH)
            largest = (labels == 0).sum()
        stream.synchronize()
        assert int(largest) == int((expected == 0).sum()) and np.array_equal(labels.cpu().numpy(), expected)
        return
    start = module.asarray(pos)
    stream = module.cuda.Stream(non_blocking=True)
    module.cuda.get_current_stream().synchronize()
    with stream:
        there = start.copy()
        for _ in range(400):
            there = there + 1.0
        there[...] = start
        labels = aureole.group_labels(there, LENGTH)
        largest = (labels == 0).sum()
        assert int(largest) == int((expected == 0).sum()) and np.array_equal(module.asnumpy(labels), expected)


class Interface:
    """An array with __cuda_array_interface__ alone."""

    def __init__(self, array, stream=None):
        self.array = array
        self.__cuda_array_interface__ = dict(array.__cuda_array_interface__, version=3, stream=stream)


def test_arrays_with_the_interface_alone_give_arrays_of_ours(pos):
    library = Cupy()
    expected = aureole.group_labels(pos, LENGTH)
    stream = library.cupy.cuda.Stream(non_blocking=True)
    for given in (None, 1, 2, stream.ptr):
        labels = aureole.group_labels(Interface(library.put(pos), given), LENGTH)
        assert isinstance(labels, aureole.DeviceArray) and labels.__cuda_array_interface__["shape"] == (len(pos),)
        assert np.array_equal(labels.to_numpy(), expected)
        assert np.array_equal(library.get(library.cupy.asarray(labels)), expected)  # by the interface
        assert np.array_equal(library.get(library.cupy.from_dlpack(labels)), expected)


def test_results_live_when_inputs_and_later_results_are_gone(library, pos):
    expected = aureole.group_labels(pos, LENGTH)
    there = library.put(pos)
    labels = aureole.group_labels(there, LENGTH)
    del there
    gc.collect()
    for _ in range(3):
        aureole.group_labels(library.put(pos[::-1].copy()), 2 * LENGTH)
        gc.collect()
    same(library, labels, expected)


def test_memory_of_results_is_given_back(library, pos):
    torch = pytest.importorskip("torch")
    there = library.put(pos)
    aureole.group_labels(there, LENGTH)
    gc.collect()
    free = torch.cuda.mem_get_info()[0]
    for _ in range(20):
        aureole.group_labels(there, LENGTH)
    gc.collect()
    assert free - torch.cuda.mem_get_info()[0] < 8 * len(pos)


def test_first_number_that_is_not_finite_is_named(library, pos):
    for column, row, wrong in ((2, 17, np.nan), (0, 200000, np.inf)):
        bad = pos.copy()
        bad[row, column] = wrong
        messages = []
        for given in (bad, library.put(bad)):
            with pytest.raises(aureole.ArgumentError) as caught:
                aureole.group_labels(given, LENGTH)
            messages.append(str(caught.value))
        assert messages[0] == messages[1]


def test_errors_name_the_argument(library, pos):
    there = library.put(pos)
    with pytest.raises(aureole.ArgumentError, match="mass: found an array in host memory, expected one on cuda:0, where pos is"):
        aureole.forces(there, np.ones(len(pos)))
    with pytest.raises(TypeError, match="pos: found int"):
        aureole.group_labels(library.put(np.zeros((4, 3), np.int32)), LENGTH)
    with pytest.raises(aureole.ArgumentError, match="device: found 'cpu'"):
        aureole.group_labels(there, LENGTH, device="cpu")
    with pytest.raises(aureole.DeviceError, match="cuda:99"):
        aureole.group_labels(pos, LENGTH, device="cuda:99")
    with pytest.raises(aureole.ArgumentError, match="linking_length"):
        aureole.group_labels(there, -1.0)
    with pytest.raises(aureole.ArgumentError, match="vel: found an array in host memory"):
        aureole.Simulation(there, np.asarray(pos), 1.0, timestep=0.01)


def test_empty_arrays_have_results(library):
    same(library, aureole.group_labels(library.put(np.empty((0, 3))), 1.0), np.empty(0, np.int32))
    same(library, aureole.forces(library.put(np.empty((0, 3))), 1.0).acceleration, np.empty((0, 3)))


def test_threads_may_call_at_once(library, pos):
    expected, found = aureole.group_labels(pos, LENGTH), {}

    def work(k):
        found[k] = library.get(aureole.group_labels(library.put(pos), LENGTH))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and all(np.array_equal(one, expected) for one in found.values())


def test_tensors_that_need_gradients_are_taken(pos):
    library = Torch()
    same(library, aureole.group_labels(library.put(pos).requires_grad_(), LENGTH), aureole.group_labels(pos, LENGTH))


def test_jax_without_64_bits_is_refused_where_results_are_float64():
    library = Jax()
    place = library.put(plummer(1, 100).astype(np.float32))
    library.jax.config.update("jax_enable_x64", False)
    try:
        with pytest.raises(TypeError, match="pos: found an array of jax without 64-bit numbers"):
            aureole.forces(place, 1.0)
        same(library, aureole.group_labels(place, 0.1), aureole.group_labels(np.asarray(place), 0.1))
    finally:
        library.jax.config.update("jax_enable_x64", True)


def test_child_of_a_fork_is_refused_the_gpu_and_has_the_cpu(tmp_path):
    script = tmp_path / "fork.py"
    script.write_text("""
import os, sys
import numpy as np
import aureole
pos = np.random.default_rng(1).random((1000, 3))
expected = aureole.group_labels(pos, 0.05, device="cuda")
child = os.fork()
if child == 0:
    try:
        aureole.group_labels(pos, 0.05, device="cuda")
        os._exit(1)
    except aureole.DeviceError as error:
        if "forked after its parent had used the GPU" not in str(error):
            os._exit(2)
    if aureole.devices() != ["cpu"]:
        os._exit(4)
    os._exit(0 if np.array_equal(aureole.group_labels(pos, 0.05), expected) else 3)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")
    assert subprocess.run([sys.executable, str(script)], timeout=100).returncode == 0
