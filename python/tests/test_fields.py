"""density_grid against numpy's histogram and conservation laws."""
import numpy as np
import pytest
from conftest import clumps, text_table

import aureole


def test_nearest_grid_point_is_a_histogram():
    pos = clumps(1, 3000) % 1.0
    field = aureole.density_grid(pos, 0.5, cells=(4, 5, 6), box=1.0, method="ngp", fields=("mass", "density"))
    counts, _ = np.histogramdd(pos, bins=(4, 5, 6), range=[(0, 1)] * 3)
    assert np.array_equal(field["mass"], 0.5 * counts)
    assert np.allclose(field["density"], field["mass"] * 120, rtol=1e-14, atol=0)
    assert field.shape == (4, 5, 6) and np.allclose(field.edges[1], np.linspace(0, 1, 6))


@pytest.mark.parametrize("method", ["ngp", "cic", "tsc"])
def test_mass_and_momentum_are_conserved(method):
    pos, random = clumps(2, 2000) % 1.0, np.random.default_rng(2)
    mass, vel = random.uniform(1, 2, 2000), random.normal(size=(2000, 3))
    field = aureole.density_grid(pos, mass, cells=8, box=1.0, method=method, vel=vel, fields=("mass", "velocity", "dispersion"))
    assert field["mass"].sum() == pytest.approx(mass.sum(), rel=1e-12)
    momentum = np.nansum(field["mass"][..., None] * field["velocity"], axis=(0, 1, 2))
    assert np.allclose(momentum, (mass[:, None] * vel).sum(axis=0), rtol=1e-9, atol=1e-9)
    assert field["dispersion"].shape == (8, 8, 8)


def test_undisturbed_lattice_of_tetrahedra_has_one_density_and_one_stream():
    n = 6
    pos = (np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), axis=-1).reshape(-1, 3) + 0.25) / n
    field = aureole.density_grid(pos, 1.0, cells=9, box=1.0, fields=("density", "streams"))
    assert np.allclose(field["density"], n ** 3, rtol=1e-9, atol=0)
    assert np.all(field["streams"] == 1)


def test_region_in_open_space():
    pos = np.array([[0.5, 0.5, 0.5], [5, 5, 5]], float)
    field = aureole.density_grid(pos, cells=1, region=((0, 1),) * 3, method="ngp", fields="mass")
    assert field["mass"].tolist() == [[[1.0]]]


def test_grid_has_the_bits_of_the_program(program, tmp_path):
    h5py = pytest.importorskip("h5py")
    pos = clumps(3, 1000) % 1.0
    file = text_table(tmp_path / "points.txt", pos, 0.001)
    program("density", file, "--units", "nbody", "--box", 1, "--method", "tsc", "--grid", 8, "-o", tmp_path / "d.hdf5")
    with h5py.File(tmp_path / "d.hdf5") as found:
        stored = found["Density"][:]
    ours = aureole.density_grid(pos, np.full(1000, 0.001), cells=8, box=1.0, method="tsc")["density"]
    assert np.allclose(ours, stored.reshape(ours.shape), rtol=1e-15, atol=0)


@pytest.mark.parametrize("arguments, message", [
    ({"cells": 0, "box": 1.0}, "cells"), ({"cells": (2, 2), "box": 1.0}, "found 2 numbers"), ({"cells": 2}, "region"),
    ({"cells": 2, "box": 1.0, "method": "sph"}, "method"), ({"cells": 2, "box": 1.0, "fields": "temperature"}, "fields"),
    ({"cells": 2, "box": 1.0, "method": "cic", "fields": "velocity"}, "vel"),
    ({"cells": 2, "region": ((1, 0),) * 3, "method": "cic"}, "rising")])
def test_settings_that_do_not_work_are_a_value_error(arguments, message):
    with pytest.raises(ValueError, match=message):
        aureole.density_grid(np.full((5, 3), 0.5), **arguments)


def test_particles_that_are_no_lattice_have_no_tetrahedra():
    with pytest.raises(aureole.AureoleError, match="cube"):
        aureole.density_grid(np.full((5, 3), 0.5), cells=2, box=1.0)


def test_field_converts_to_xarray():
    pytest.importorskip("xarray")
    data = aureole.density_grid(clumps(1, 100) % 1.0, cells=4, box=1.0, method="cic").to_xarray()
    assert data["density"].dims == ("x", "y", "z") and float(data["x"][0]) == 0.125
