"""Hierarchies and estimators of arrays on a real GPU: torch, cupy and jax in, the same out. Skipped where no GPU answers."""
import numpy as np
import pytest
from gpu_libraries import moved, same

import aureole
from aureole import _core

if len(aureole.devices()) == 1:
    pytest.skip("no GPU answers: " + _core.why_no_device(), allow_module_level=True)

cluster = pytest.importorskip("aureole.cluster")
LENGTH = 0.005


@pytest.mark.parametrize("settings", [{}, {"box": 1.0}], ids=str)
def test_hdbscan_has_its_labels_where_the_points_are(library, pos, settings):
    expected = cluster.HDBSCAN(10, 4, **settings).fit(pos[:20000])
    there = library.put(pos[:20000])
    before = moved()
    found = cluster.HDBSCAN(10, 4, **settings).fit(there)
    assert moved() - before < 60 * 20000  # edges come (16 bytes), the hierarchy is the host's, labels and probabilities go
    same(library, found.labels_, expected.labels_)
    same(library, found.probabilities_, expected.probabilities_)
    at_home = cluster.HDBSCAN(10, 4, device="cuda", **settings).fit(pos[:20000])
    assert isinstance(at_home.labels_, np.ndarray) and np.array_equal(at_home.labels_, expected.labels_)


@pytest.mark.parametrize("settings", [{}, {"box": 1.0}, {"min_samples": 2}, {"box": 1.0, "min_samples": 9}], ids=str)
def test_linkage_is_that_of_the_cpu(library, pos, settings):
    expected = aureole.linkage(pos[:20000], **settings)
    found = aureole.linkage(library.put(pos[:20000]), **settings)
    assert isinstance(found, library.kind) and library.is_on_gpu(found)
    assert np.array_equal(library.get(found), expected)


def test_linkage_in_phase_space_with_core_distances_is_that_of_the_cpu(library, pos, vel):
    settings = {"velocity_scale": 0.01, "min_samples": 7}
    expected = aureole.linkage(pos[:20000], vel=vel[:20000], **settings)
    found = aureole.linkage(library.put(pos[:20000]), vel=library.put(vel[:20000]), **settings)
    assert np.array_equal(library.get(found), expected)


def test_core_distances_of_more_heaps_than_fit_at_once_are_those_of_the_cpu(library, pos):
    few = pos[:20000]
    assert np.array_equal(library.get(aureole.linkage(library.put(few), min_samples=2500)), aureole.linkage(few, min_samples=2500))


def test_single_linkage_is_that_of_the_cpu(library, pos):
    expected = cluster.SingleLinkage(None, distance_threshold=LENGTH).fit(pos[:20000])
    found = cluster.SingleLinkage(None, distance_threshold=LENGTH).fit(library.put(pos[:20000]))
    for name in ("children_", "distances_", "labels_"):
        same(library, getattr(found, name), getattr(expected, name))
    same(library, found.cut(2 * LENGTH), expected.cut(2 * LENGTH))


@pytest.mark.parametrize("features", [1, 2, 3, 6])
def test_estimators_find_the_clusters_of_numpy(library, pos, vel, features):
    points = np.ascontiguousarray(np.hstack((pos, 0.01 * vel))[:50000, :features])
    for estimator in (cluster.DBSCAN(0.01, min_samples=8), cluster.DBSCAN(0.01, min_samples=2, label_order="size"),
                      cluster.DBSCAN(0.01, border="noise"), cluster.FriendsOfFriends(0.004, min_members=3)):
        expected = {name: value for name, value in vars(estimator.fit(points)).items() if name.endswith("_")}
        estimator.fit(library.put(points))
        for name, value in expected.items():
            if isinstance(value, np.ndarray):
                same(library, getattr(estimator, name), value)
            else:
                assert getattr(estimator, name) == value
