"""group_labels, linkage and overdensity_spheres against slow references and scipy."""
import numpy as np
import pytest
from conftest import clumps, partition
from scipy.cluster.hierarchy import fcluster, is_valid_linkage
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import aureole


def slow_labels(pos, length, box=None):
    d = pos[:, None, :] - pos[None, :, :]
    if box:
        d -= box * np.round(d / box)
    return connected_components(coo_array((d ** 2).sum(axis=2) <= length ** 2), directed=False)[1]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("box", [None, 1.0])
def test_groups_are_those_of_all_pairs(seed, box):
    pos = clumps(seed, 400) % 1.0
    assert partition(aureole.group_labels(pos, 0.03, box=box)) == partition(slow_labels(pos, 0.03, box))


def test_groups_are_numbered_by_size_then_smallest_id():
    pos = np.array([[0, 0, 0], [5, 0, 0], [5.1, 0, 0], [9, 0, 0], [9.1, 0, 0], [9.2, 0, 0]], float)
    assert aureole.group_labels(pos, 0.2).tolist() == [2, 1, 1, 0, 0, 0]
    pairs = pos[1:5]
    assert aureole.group_labels(pairs, 0.2).tolist() == [0, 0, 1, 1]
    assert aureole.group_labels(pairs, 0.2, ids=np.array([9, 8, 1, 2])).tolist() == [1, 1, 0, 0]


def test_small_groups_have_no_label():
    labels = aureole.group_labels(np.array([[0, 0, 0], [0.1, 0, 0], [5, 0, 0]], float), 0.2, min_members=2)
    assert labels.tolist() == [0, 0, -1] and labels.dtype == np.int32


def test_links_in_phase_space_need_near_velocities():
    pos, vel = np.zeros((3, 3)), np.array([[0, 0, 0], [1, 0, 0], [5, 0, 0]], float)
    assert aureole.group_labels(pos, 1.0, vel=vel, linking_velocity=1.5).tolist() == [0, 0, 1]
    assert aureole.group_labels(pos, 1.0, vel=vel).tolist() == [0, 0, 0]


def test_types_that_do_not_link_join_the_nearest_that_does():
    pos = np.array([[0, 0, 0], [0.1, 0, 0], [0.15, 0, 0], [0.25, 0, 0]], float)
    types = np.array([1, 1, 0, 0])
    labels = aureole.group_labels(pos, 0.12, types=types, linking_types=[1], min_members=2)
    assert labels.tolist() == [0, 0, 0, -1]


@pytest.mark.parametrize("method", ["kd_tree", "brute_force", "grid", "spanning_tree"])
def test_every_method_gives_the_same_labels(method):
    pos = clumps(7, 3000)
    assert np.array_equal(aureole.group_labels(pos, 0.02, method=method), aureole.group_labels(pos, 0.02))


def test_number_of_threads_changes_no_bit():
    pos = clumps(8, 20000)
    before, results = aureole.num_threads(), []
    for threads in (1, 2, 5):
        aureole.set_num_threads(threads)
        assert aureole.num_threads() == threads
        forces = aureole.forces(pos, 1.0, softening=0.01, potential=True)
        results.append((aureole.group_labels(pos, 0.02), forces.acceleration, forces.potential,
                        aureole.expand(pos, 1.0, scale_radius=0.3).S))
    aureole.set_num_threads(before)
    for other in results[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(results[0], other))


@pytest.mark.parametrize("seed", range(5))
def test_linkage_has_the_heights_and_clusters_of_scipy(seed):
    pos = clumps(seed, 300)
    ours, theirs = aureole.linkage(pos), scipy_linkage(pos, "single")
    assert is_valid_linkage(ours) and ours.dtype == np.float64
    assert np.allclose(ours[:, 2], theirs[:, 2], rtol=1e-12, atol=0)  # the same sums in another order
    assert np.array_equal(ours[:, 3], theirs[:, 3])
    for length in (0.02, 0.05, 0.1):
        assert partition(fcluster(ours, length, "distance")) == partition(fcluster(theirs, length, "distance"))
        assert partition(aureole.group_labels(pos, length)) == partition(fcluster(ours, length, "distance"))


def test_linkage_in_phase_space_is_that_of_scaled_velocities():
    random = np.random.default_rng(3)
    pos, vel = random.random((150, 3)), random.normal(size=(150, 3))
    ours = aureole.linkage(pos, vel=vel, velocity_scale=0.25)
    assert np.allclose(ours[:, 2], scipy_linkage(np.hstack((pos, 0.25 * vel)), "single")[:, 2], rtol=1e-12, atol=0)


def test_linkage_of_one_point_is_empty_and_of_none_refused():
    assert aureole.linkage(np.zeros((1, 3))).shape == (0, 4)
    with pytest.raises(aureole.ArgumentError, match="pos"):
        aureole.linkage(np.empty((0, 3)))


def slow_sphere(pos, mass, centre, density):
    r = np.sqrt(((pos - centre) ** 2).sum(axis=1))
    order = np.argsort(r)
    enclosed, r = np.cumsum(mass[order]), r[order]
    reached = np.flatnonzero(enclosed >= 4 / 3 * np.pi * density * r ** 3)
    return enclosed[reached[-1]] if len(reached) else 0.0


def test_spheres_hold_the_mass_of_a_slow_search():
    pos, random = clumps(11, 2000), np.random.default_rng(11)
    mass, centres = random.uniform(1, 2, 2000), pos[:20]
    m, r = aureole.overdensity_spheres(pos, mass, centres, thresholds=[2e4, 1e5])
    for row, centre in enumerate(centres):
        for column, density in enumerate((2e4, 1e5)):
            assert m[row, column] == pytest.approx(slow_sphere(pos, mass, centre, density), rel=1e-9)  # fixed-point masses
    assert np.allclose(m, 4 / 3 * np.pi * np.array([2e4, 1e5]) * r ** 3, rtol=1e-12, atol=0)


def test_spheres_refuse_thresholds_that_are_not_positive():
    with pytest.raises(aureole.ArgumentError, match="thresholds"):
        aureole.overdensity_spheres(np.zeros((2, 3)), 1.0, np.zeros((1, 3)), thresholds=[0.0])
