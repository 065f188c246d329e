"""forces and expand against slow sums and the program."""
import numpy as np
import pytest
from conftest import direct_forces, plummer, text_table

import aureole


@pytest.fixture(scope="module")
def sphere():
    random = np.random.default_rng(4)
    return plummer(4, 1500), random.uniform(0.5, 1.5, 1500) / 1500


def worst(values, reference):
    return np.max(np.linalg.norm(values - reference, axis=-1) / np.linalg.norm(reference, axis=-1))


def test_direct_sum_in_double_is_that_of_numpy(sphere):
    found = aureole.forces(*sphere, softening=0.05, solver="direct", precision="double", potential=True)
    acceleration, potential = direct_forces(*sphere, 0.05)
    assert worst(found.acceleration, acceleration) < 1e-11  # 1500 terms in another order
    assert np.allclose(found.potential, potential, rtol=1e-12, atol=0)


def test_direct_sum_is_that_of_pytreegrav(sphere):
    pytreegrav = pytest.importorskip("pytreegrav")
    pos, mass = sphere
    theirs = pytreegrav.Accel(pos, mass, np.full(len(pos), 2.8 * 0.05), method="bruteforce")  # the reach of its spline
    found = aureole.forces(pos, mass, softening=0.05, kernel="spline", solver="direct", precision="double", potential=True)
    assert worst(found.acceleration, theirs) < 1e-6
    potential = pytreegrav.Potential(pos, mass, np.full(len(pos), 2.8 * 0.05), method="bruteforce")
    assert np.allclose(found.potential, potential, rtol=1e-6, atol=0)


def test_tree_keeps_its_accuracy(sphere):
    acceleration, potential = direct_forces(*sphere, 0.05)
    for accuracy in (1e-3, 1e-4):
        found = aureole.forces(*sphere, softening=0.05, accuracy=accuracy, potential=True)
        error = np.linalg.norm(found.acceleration - acceleration, axis=1) / np.linalg.norm(acceleration, axis=1)
        assert np.percentile(error, 99) < accuracy
        assert np.allclose(found.potential, potential, rtol=30 * accuracy, atol=0)


def test_targets_feel_all_masses(sphere):
    at = np.random.default_rng(5).normal(size=(40, 3))
    acceleration, potential = direct_forces(*sphere, 0.1, at)
    for solver, bound in (("direct", 1e-11), ("tree", 5e-3)):
        found = aureole.forces(*sphere, softening=0.1, solver=solver, precision="double", targets=at, potential=True)
        assert found.acceleration.shape == (40, 3)
        assert worst(found.acceleration, acceleration) < bound
        assert np.allclose(found.potential, potential, rtol=bound, atol=0)


def test_no_targets_feel_nothing(sphere):
    found = aureole.forces(*sphere, targets=np.empty((0, 3)), potential=True)
    assert found.acceleration.shape == (0, 3) and found.potential.shape == (0,)


def test_softening_of_two_types_is_the_larger_of_a_pair():
    pos, types = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0]], float), np.array([0, 1, 1])
    found = aureole.forces(pos, 1.0, softening=[0.5, 0.1, 0, 0, 0, 0], types=types, solver="direct", precision="double",
                           potential=True)
    assert found.potential[0] == pytest.approx(-1 / np.sqrt(1.25) - 1 / np.sqrt(4.25), rel=1e-14)
    assert found.potential[1] == pytest.approx(-1 / np.sqrt(1.25) - 1 / np.sqrt(5.01), rel=1e-14)


def test_gravitational_constant_multiplies(sphere):
    one, two = aureole.forces(*sphere, potential=True), aureole.forces(*sphere, potential=True, G=2.0)
    assert np.array_equal(2 * one.acceleration, two.acceleration) and np.array_equal(2 * one.potential, two.potential)


def test_forces_have_the_bits_of_the_program(sphere, program, tmp_path):
    h5py = pytest.importorskip("h5py")
    pos, mass = sphere
    file = text_table(tmp_path / "sphere.txt", pos, mass)
    program("forces", file, "--units", "nbody", "-o", tmp_path / "forces.hdf5", "--set", "gravity.solver=tree", "--set",
            "gravity.softening=0.05")
    with h5py.File(tmp_path / "forces.hdf5") as found:
        stored = {}
        found.visititems(lambda name, item: stored.update({name.rpartition("/")[2]: item[:]}) if hasattr(item, "shape") else None)
    ours = aureole.forces(pos, mass, softening=0.05, potential=True)
    assert np.array_equal(ours.acceleration.astype(stored["Accelerations"].dtype), stored["Accelerations"])
    assert np.array_equal(ours.potential.astype(stored["Potentials"].dtype), stored["Potentials"])


@pytest.mark.parametrize("arguments, message", [
    ({"softening": -1.0}, "softening"), ({"softening": [1.0, 2.0]}, "found 2 lengths"), ({"softening": [0.1] * 6}, "types"),
    ({"solver": "scf"}, "aureole.expand"), ({"kernel": "cubic"}, "kernel: found 'cubic'"), ({"accuracy": -1.0}, "accuracy"),
    ({"opening_angle": 0.0}, "opening_angle"), ({"precision": "single"}, "precision")])
def test_settings_that_do_not_work_are_a_value_error(sphere, arguments, message):
    with pytest.raises(ValueError, match=message):
        aureole.forces(*sphere, **arguments)


def hernquist(n, seed=6):
    random = np.random.default_rng(seed)
    root = np.sqrt(random.uniform(0.0, 0.95, n))
    radius = root / (1 - root)
    direction = random.normal(size=(n, 3))
    return radius[:, None] * direction / np.linalg.norm(direction, axis=1)[:, None]


@pytest.mark.parametrize("family, profile", [("hernquist-ostriker", lambda r: -1 / (r + 1)),
                                             ("clutton-brock", lambda r: -1 / np.sqrt(r ** 2 + 1))])
def test_lowest_function_alone_is_the_familys_own_sphere(family, profile):
    s = np.zeros((2, 1, 1))
    s[0] = 1
    r = np.array([1e-9, 0.3, 1.0, 40.0])
    x = np.column_stack((r, 0 * r, 0 * r))
    one = aureole.Expansion(s, 0 * s, scale_radius=1.0, family=family)
    assert np.allclose(one.potential(x) / one.potential([0.3, 0.0, 0.0]) * profile(0.3), profile(r), rtol=1e-12, atol=0)


def test_expansion_converges_to_the_field_of_its_particles():
    pos, mass = hernquist(20000), np.full(20000, 0.95 / 20000)
    at = np.array([[0.5, 0.2, -0.3], [2.0, 1.0, 1.0], [-4.0, 3.0, 5.0]])
    expansion = aureole.expand(pos, mass, n_max=12, l_max=6, scale_radius=1.0)
    acceleration, potential = direct_forces(pos, mass, 0.0, at)
    assert np.allclose(expansion.potential(at), potential, rtol=0.01, atol=0)  # 12 orders of 20000 particles
    assert worst(expansion.acceleration(at), acceleration) < 0.1  # single particles near by are not resolved
    step = 1e-5
    for k in range(3):
        e = step * np.eye(3)[k]
        slope = -(expansion.potential(at + e) - expansion.potential(at - e)) / (2 * step)
        assert np.allclose(expansion.acceleration(at)[:, k], slope, rtol=1e-6, atol=1e-9)


def test_field_is_finite_on_the_axis_and_at_the_centre():
    expansion = aureole.expand(hernquist(500), 1 / 500, n_max=6, l_max=4, scale_radius=1.0)
    at = np.array([[0, 0, 0], [0, 0, 1], [0, 0, -2], [1e-9, 0, 1], [1e-300, 0, 0]], float)
    assert np.all(np.isfinite(expansion.potential(at))) and np.all(np.isfinite(expansion.acceleration(at)))
    assert np.all(np.isfinite(expansion.density(at[1:4])))
    assert expansion.potential([0.0, 0.0, 1.0]).shape == () and expansion.acceleration([0.0, 0.0, 1.0]).shape == (3,)


def test_coefficients_are_those_of_the_program(program, tmp_path):
    h5py = pytest.importorskip("h5py")
    pos, mass = hernquist(700), 1 / 700
    file = text_table(tmp_path / "points.txt", pos, mass)
    program("expand", file, "--units", "nbody", "-o", tmp_path / "c.hdf5", "--n-max", 5, "--l-max", 3, "--scale-radius", 1.5,
            "--set", "precision=double")
    ours = aureole.expand(pos, mass, n_max=5, l_max=3, scale_radius=1.5)
    with h5py.File(tmp_path / "c.hdf5") as found:
        rows = next(iter(found["snapshots"].values()))["coefficients"][:]
    for l in range(4):
        for m in range(l + 1):
            assert np.array_equal(ours.S[:, l, m] + 1j * ours.T[:, l, m], rows[l * (l + 1) // 2 + m])


def test_variances_are_the_spread_of_independent_samples():
    made = [aureole.expand(hernquist(800, seed), 1 / 800, n_max=3, l_max=2, scale_radius=1.0, samples=20) for seed in range(60)]
    spread = np.var([one.S for one in made], axis=0, ddof=1)
    told = np.mean([one.variances[0] for one in made], axis=0)
    for l, m in ((1, 0), (1, 1), (2, 0), (2, 2)):
        assert np.all(spread[:, l, m] / told[:, l, m] < 2) and np.all(told[:, l, m] / spread[:, l, m] < 2)  # 60 draws: 18 %
    plain = aureole.expand(hernquist(800, 0), 1 / 800, n_max=3, l_max=2, scale_radius=1.0)
    assert plain.variances is None and np.array_equal(plain.S, made[0].S)


def test_symmetries_leave_coefficients_out():
    expansion = aureole.expand(hernquist(300), 1.0, n_max=2, l_max=3, scale_radius=1.0, symmetry=["even-l", "axisymmetric"])
    assert not expansion.S[:, 1::2].any() and not expansion.S[:, :, 1:].any() and not expansion.T.any()
    assert expansion.S[:, 2, 0].all()


def test_centre_moves_with_the_particles():
    pos, shift = hernquist(2000), np.array([3.0, -2.0, 1.0])
    one = aureole.expand(pos, 1.0, scale_radius=1.0)
    moved = aureole.expand(pos + shift, 1.0, scale_radius=1.0, centre=shift)
    assert np.allclose(one.S, moved.S, rtol=1e-9, atol=1e-9 * np.abs(one.S).max())
    found = aureole.expand(pos + shift, 1.0, scale_radius=1.0, centre="shrinking_sphere").centre
    assert np.linalg.norm(found - shift) < 0.1


def test_energies_of_all_orders_add_up():
    pos, mass = hernquist(1000), np.full(1000, 1e-3)
    expansion = aureole.expand(pos, mass, n_max=6, l_max=3, scale_radius=1.0)
    assert expansion.energy_by_l().sum() == pytest.approx(0.5 * (mass * expansion.potential(pos)).sum(), rel=1e-12)


def test_series_is_linear_between_its_moments():
    s = np.zeros((2, 1, 1))
    moments = [aureole.Expansion(s + k, s, scale_radius=1.0, time=float(t), centre=[t, 0, 0]) for k, t in enumerate((0, 2, 3))]
    series = aureole.ExpansionSeries(moments)
    assert series.at(1.0).S[0, 0, 0] == 0.5 and series.at(2.5).S[0, 0, 0] == 1.5 and series.at(1.0).centre[0] == 1.0
    assert series.at(-5).S[0, 0, 0] == 0 and series.at(9).S[0, 0, 0] == 2
    with pytest.raises(aureole.ArgumentError, match="rise"):
        aureole.ExpansionSeries(moments[::-1])


@pytest.mark.parametrize("arguments, message", [
    ({"scale_radius": 0.0}, "scale_radius"), ({"scale_radius": 1.0, "n_max": 65}, "65"), ({"scale_radius": 1.0, "l_max": -1}, "l_max"),
    ({"scale_radius": 1.0, "family": "bessel"}, "family"), ({"scale_radius": 1.0, "symmetry": ["odd"]}, "symmetry"),
    ({"scale_radius": 1.0, "centre": [0, 0]}, "centre")])
def test_expansions_that_do_not_work_are_a_value_error(arguments, message):
    with pytest.raises(ValueError, match=message):
        aureole.expand(hernquist(10), 1.0, **arguments)
