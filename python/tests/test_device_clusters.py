"""The estimators of aureole.cluster on arrays of a CUDA device, with the memory of the host in its place."""
import numpy as np
import pytest
from conftest import clumps
from device_emulation import OnGpu, on_host

cluster = pytest.importorskip("aureole.cluster")
LENGTH = 0.02


@pytest.fixture(scope="module")
def pos():
    return clumps(1, 5000)


@pytest.mark.parametrize("features", [1, 2, 3, 6])
@pytest.mark.parametrize("settings", [{"min_samples": 8}, {"min_samples": 2}, {"min_samples": 1}, {"min_samples": 8, "label_order": "size"},
                                      {"border": "noise"}, {"eps": 1e-9}, {"eps": 5.0}], ids=str)
def test_dbscan_is_that_of_numpy(emulated, pos, features, settings):
    class Table(OnGpu):
        def __getitem__(self, index):
            return self.array[index.to_numpy()]

    points = np.ascontiguousarray(np.hstack((pos, pos[::-1]))[:2000, :features])
    settings = {"eps": 0.02} | settings
    expected = cluster.DBSCAN(**settings).fit(points)
    found = cluster.DBSCAN(**settings).fit(Table(points))
    assert np.array_equal(on_host(found.labels_), expected.labels_) and found.labels_.dtype == "int64"
    assert np.array_equal(on_host(found.core_sample_indices_), expected.core_sample_indices_)
    assert np.array_equal(found.components_, expected.components_) and found.n_features_in_ == features
    at_home = cluster.DBSCAN(**settings, device="cuda").fit(points)
    assert np.array_equal(at_home.labels_, expected.labels_) and isinstance(at_home.labels_, np.ndarray)


def test_friends_of_friends_are_those_of_numpy(emulated, pos):
    expected = cluster.FriendsOfFriends(LENGTH, min_members=3).fit(pos).labels_
    found = cluster.FriendsOfFriends(LENGTH, min_members=3).fit(OnGpu(pos)).labels_
    assert np.array_equal(on_host(found), expected) and found.dtype == "int64"


@pytest.mark.parametrize("features", [2, 3, 6])
def test_single_linkage_is_that_of_numpy(emulated, pos, features):
    points = np.ascontiguousarray(np.hstack((pos, pos[::-1]))[:1000, :features])
    settings = {"n_clusters": None, "distance_threshold": LENGTH}
    expected = cluster.SingleLinkage(**settings).fit(points)
    found = cluster.SingleLinkage(**settings).fit(OnGpu(points))
    for name in ("children_", "distances_", "labels_"):
        assert np.array_equal(on_host(getattr(found, name)), getattr(expected, name)), name
    assert found.labels_.dtype == found.children_.dtype == "int64" and found.n_clusters_ == expected.n_clusters_
    assert np.array_equal(on_host(found.cut(2 * LENGTH)), expected.cut(2 * LENGTH)) and found.n_features_in_ == features
    at_home = cluster.SingleLinkage(**settings, device="cuda").fit(points)
    assert np.array_equal(at_home.labels_, expected.labels_) and isinstance(at_home.children_, np.ndarray)


@pytest.mark.parametrize("array", [np.zeros((5, 4)), np.zeros(5), np.full((5, 3), np.inf), np.zeros((5, 3), int), np.zeros((0, 3))])
def test_tables_that_are_no_points_are_refused(emulated, array):
    with pytest.raises((ValueError, TypeError, NotImplementedError), match="X: found|X: particle|X: "):
        cluster.DBSCAN().fit(OnGpu(array))
