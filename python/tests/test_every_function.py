"""What holds for every function that takes positions: layouts, kinds of number, shapes, edges, threads, masses, life times."""
import gc
import threading

import numpy as np
import pytest

import aureole

N = 216  # a lattice of 6^3, which the phase-space sheet needs


def lattice():
    sites = np.stack(np.meshgrid(*[np.arange(6) / 6] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    return (sites + 0.04 * np.random.default_rng(8).random(sites.shape)) % 1.0


VEL = np.random.default_rng(9).normal(size=(N, 3))


def like(pos):
    """Velocities for so many positions."""
    return VEL[:np.shape(pos[0])[0] if isinstance(pos, tuple) else np.shape(pos)[0]]


#: of positions and masses: one array of the result
FUNCTIONS = {
    "group_labels": lambda p, m: aureole.group_labels(p, 0.15),
    "group_labels in a box": lambda p, m: aureole.group_labels(p, 0.15, box=1.0),
    "find_halos": lambda p, m: aureole.find_halos(p, 0.17, mass=m, vel=like(p), min_members=2, substructure=True)["GroupMass"],
    "linkage": lambda p, m: aureole.linkage(p),
    "linkage with samples": lambda p, m: aureole.linkage(p, min_samples=3),
    "overdensity_spheres": lambda p, m: aureole.overdensity_spheres(p, m, [[0.5, 0.5, 0.5]], thresholds=[100.0])[0],
    "subhalos": lambda p, m: aureole.subhalos(p, 1e-3 * like(p), m, np.zeros(len(like(p)), int), min_members=5)["SubhaloMass"],
    "forces by tree": lambda p, m: aureole.forces(p, m, softening=0.01).acceleration,
    "forces by direct sums": lambda p, m: aureole.forces(p, m, softening=0.01, solver="direct").acceleration,
    "expand": lambda p, m: aureole.expand(p, m, scale_radius=1.0, n_max=3, l_max=2).S,
    "density_grid": lambda p, m: aureole.density_grid(p, m, cells=4, box=1.0, method="cic")["density"],
    "density_grid of the sheet": lambda p, m: aureole.density_grid(p, m, cells=4, box=1.0)["density"],
    "density_octree": lambda p, m: aureole.density_octree(p, m, box=1.0, patch=4, levels=1)["density"],
    "sheet_at": lambda p, m: aureole.sheet_at([[0.5, 0.5, 0.5]], p, m, box=1.0).density,
    "power_spectrum": lambda p, m: aureole.power_spectrum(p, m, box=1.0, mesh=8).power,
    "Simulation": lambda p, m: aureole.Simulation(p, like(p), m, softening=0.1, timestep=0.01).integrate(0.01).pos,
}
every_function = pytest.mark.parametrize("name", FUNCTIONS)


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


@every_function
def test_layouts_change_no_bit(name):
    pos = lattice()
    expected = FUNCTIONS[name](pos, 0.5)
    for layout in (np.asfortranarray, read_only, lambda x: np.repeat(x, 2, axis=0)[::2], lambda x: np.hstack((x, x))[:, :3],
                   lambda x: tuple(np.ascontiguousarray(column) for column in x.T), lambda x: x.tolist(), lambda x: x.astype(">f8")):
        assert np.array_equal(FUNCTIONS[name](layout(pos), 0.5), expected)
    single = pos.astype(np.float32)
    assert np.array_equal(FUNCTIONS[name](single, 0.5), FUNCTIONS[name](single.astype(float), 0.5))


@every_function
@pytest.mark.parametrize("kind", [int, object, bool, complex, np.float16, "U1"])
def test_other_kinds_of_number_are_a_type_error(name, kind):
    with pytest.raises(TypeError, match="pos: found"):
        FUNCTIONS[name](np.zeros((N, 3)).astype(kind), 0.5)


@every_function
@pytest.mark.parametrize("shape", [(N,), (N, 2), (N, 4), (3, N), (2, N, 3), ()])
def test_other_shapes_are_an_argument_error(name, shape):
    if not shape and name in ("find_halos", "subhalos", "Simulation"):
        pytest.skip("these ask for velocities of the same shape first")
    with pytest.raises(aureole.ArgumentError, match="found"):
        FUNCTIONS[name](np.zeros(shape), 0.5)


@every_function
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_number_that_is_not_finite_is_named_with_its_particle(name, value):
    pos = lattice()
    pos[123, 1] = value
    with pytest.raises(aureole.ArgumentError, match="particle 123 has y"):
        FUNCTIONS[name](pos, 0.5)


@every_function
@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_particles_have_a_result_or_a_named_error(name, n):
    try:
        values = FUNCTIONS[name](lattice()[:n], 0.5)
    except aureole.AureoleError as error:
        assert any(word in str(error) for word in ("found", "particle", "expected"))
    else:
        assert np.all(np.isfinite(values) | np.isnan(values))


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - {"group_labels", "group_labels in a box", "linkage", "linkage with samples"}))
def test_masses_of_no_dimension_are_one_number_for_all(name):
    expected = FUNCTIONS[name](lattice(), np.full(N, 0.25))
    for mass in (0.25, np.float32(0.25), np.array(0.25), read_only(np.full(N, 0.25)), np.full(2 * N, 0.25)[::2]):
        assert np.array_equal(FUNCTIONS[name](lattice(), mass), expected, equal_nan=True)
    for mass in (np.full(N - 1, 0.25), np.full((N, 1), 0.25), np.nan, -1.0):
        with pytest.raises(aureole.ArgumentError, match="mass"):
            FUNCTIONS[name](lattice(), mass)
    with pytest.raises(TypeError, match="mass: found"):
        FUNCTIONS[name](lattice(), np.ones(N, int))


@every_function
def test_results_outlive_their_inputs(name):
    pos = lattice()
    result = FUNCTIONS[name](pos, 0.5)
    expected = np.array(result)
    pos[:] = np.nan
    del pos
    gc.collect()
    assert np.array_equal(result, expected, equal_nan=True)


@every_function
def test_eight_threads_at_once_get_their_own_results(name):
    inputs = [lattice() * (1 - 0.01 * k) for k in range(8)] if "sheet" not in name and "octree" not in name else [lattice()] * 8
    expected = [FUNCTIONS[name](pos, 0.5) for pos in inputs]
    found = [None] * 8

    def work(k):
        found[k] = FUNCTIONS[name](inputs[k], 0.5)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    for a, b in zip(found, expected):
        assert np.array_equal(a, b, equal_nan=True)
