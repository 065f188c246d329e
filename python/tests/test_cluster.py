"""The estimators beside scikit-learn's own."""
import numpy as np
import pytest
from conftest import clumps, partition

sklearn_cluster = pytest.importorskip("sklearn.cluster")
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

import aureole  # noqa: E402
from aureole.cluster import DBSCAN, FriendsOfFriends, HDBSCAN, SingleLinkage, patch_sklearn, unpatch_sklearn  # noqa: E402


def case(dimensions, seed):
    """Points, and settings that give some clusters, some border and some noise."""
    random = np.random.default_rng(1000 * dimensions + seed)
    X = clumps(seed, int(random.integers(200, 800)), dimensions, centres=int(random.integers(1, 9)),
               spread=random.uniform(0.01, 0.05))
    if seed % 4 == 0:
        X = np.round(X, 2)  # many equal distances, and points at one place
    if seed % 5 == 0:
        X = X.astype(np.float32)
    eps = {1: 0.002, 2: 0.02, 3: 0.05}[dimensions] * random.uniform(0.5, 2)
    return X, eps, int(random.integers(1, 12))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_dbscan_has_the_core_points_and_noise_of_scikit_learn(dimensions, seed):
    X, eps, min_samples = case(dimensions, seed)
    theirs = sklearn_cluster.DBSCAN(eps, min_samples=min_samples).fit(X)
    ours = DBSCAN(eps, min_samples=min_samples).fit(X)
    assert np.array_equal(ours.core_sample_indices_, theirs.core_sample_indices_)
    core = ours.core_sample_indices_
    assert np.array_equal(ours.labels_[core], theirs.labels_[core])  # numbers included
    assert np.array_equal(ours.labels_ == -1, theirs.labels_ == -1)
    assert np.array_equal(ours.components_, theirs.components_) and ours.labels_.dtype == np.int64
    for i in np.setdiff1d(np.flatnonzero(ours.labels_ >= 0), core):  # border: the cluster of a nearest core point
        d = ((X[core].astype(float) - X[i].astype(float)) ** 2).sum(axis=1)
        assert ours.labels_[i] in ours.labels_[core][d <= d.min() * (1 + 1e-12)]


def test_dbscan_without_border_points_is_dbscan_star():
    X, eps, _ = case(2, 3)
    ours = DBSCAN(eps, min_samples=8, border="noise").fit(X)
    assert np.array_equal(np.flatnonzero(ours.labels_ >= 0), ours.core_sample_indices_)


def test_dbscan_by_size_numbers_the_largest_cluster_first():
    X, eps, _ = case(3, 3)
    labels = DBSCAN(eps, min_samples=4, label_order="size").fit_predict(X)
    assert partition(labels) == partition(DBSCAN(eps, min_samples=4).fit_predict(X))
    counts = np.bincount(labels[labels >= 0])
    core = DBSCAN(eps, min_samples=4, label_order="size", border="noise").fit_predict(X)
    assert len(counts) == core.max() + 1 and np.all(np.diff(counts) <= 0)


def test_dbscan_in_six_features_is_euclidean():
    random = np.random.default_rng(6)
    X = np.concatenate((0.2 * random.normal(size=(150, 6)), 1 + 0.2 * random.normal(size=(150, 6))))
    theirs, ours = (kind(0.4, min_samples=4).fit(X) for kind in (sklearn_cluster.DBSCAN, DBSCAN))
    assert np.array_equal(ours.core_sample_indices_, theirs.core_sample_indices_)
    assert np.array_equal(ours.labels_ == -1, theirs.labels_ == -1)


def test_dbscan_in_a_periodic_box_joins_across_faces():
    X = np.array([[0.01, 0.5, 0.5], [0.99, 0.5, 0.5], [0.5, 0.5, 0.5]])
    assert DBSCAN(0.05, min_samples=2, box=1.0).fit_predict(X).tolist() == [0, 0, -1]
    assert DBSCAN(0.05, min_samples=2).fit_predict(X).tolist() == [-1, -1, -1]


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_friends_of_friends_is_dbscan_of_two_samples(dimensions):
    X, eps, _ = case(dimensions, 7)
    ours = FriendsOfFriends(eps).fit(X)
    assert partition(ours.labels_) == partition(sklearn_cluster.DBSCAN(eps, min_samples=2).fit_predict(X))
    assert np.all(np.diff(np.bincount(ours.labels_[ours.labels_ >= 0])) <= 0)


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_single_linkage_is_that_of_scikit_learn(dimensions):
    X, eps, _ = case(dimensions, 1)
    for settings in ({"n_clusters": 7}, {"n_clusters": None, "distance_threshold": eps}):
        theirs = sklearn_cluster.AgglomerativeClustering(linkage="single", compute_distances=True, **settings).fit(X)
        ours = SingleLinkage(**settings).fit(X)
        assert partition(ours.labels_) == partition(theirs.labels_)
        assert ours.n_clusters_ == theirs.n_clusters_ and ours.n_leaves_ == theirs.n_leaves_
        assert np.allclose(ours.distances_, np.sort(theirs.distances_), rtol=1e-10, atol=1e-300)
    assert partition(ours.cut(eps)) == partition(FriendsOfFriends(eps, min_members=1).fit_predict(X))


def test_other_numbers_of_features_and_metrics_name_the_alternative():
    for features in (4, 5, 7):
        with pytest.raises(NotImplementedError, match="sklearn.cluster"):
            DBSCAN().fit(np.zeros((5, features)))
    with pytest.raises(NotImplementedError, match="metric"):
        DBSCAN(metric="manhattan").fit(np.zeros((5, 2)))
    with pytest.raises(NotImplementedError, match="sample_weight"):
        DBSCAN().fit(np.zeros((5, 2)), sample_weight=np.ones(5))
    assert DBSCAN(metric="minkowski", p=2).fit_predict(np.zeros((5, 2))).tolist() == [0] * 5


@pytest.mark.parametrize("settings", [{"eps": 0}, {"eps": -1}, {"eps": "a"}, {"eps": np.nan}, {"min_samples": 0},
                                      {"min_samples": 2.5}, {"border": "all"}, {"label_order": "name"}, {"box": -1.0}])
def test_settings_that_do_not_work_are_a_value_error(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        DBSCAN(**settings).fit(np.zeros((5, 2)))


def test_patched_scikit_learn_uses_this_and_falls_back():
    original = sklearn_cluster.DBSCAN
    X, eps, _ = case(2, 2)
    patch_sklearn()
    try:
        assert sklearn_cluster.DBSCAN is not original
        patched = sklearn_cluster.DBSCAN(eps=eps, min_samples=5).fit(X)
        assert np.array_equal(patched.labels_ == -1, original(eps=eps, min_samples=5).fit_predict(X) == -1)
        many = np.random.default_rng(0).random((60, 9))
        assert np.array_equal(sklearn_cluster.DBSCAN(eps=0.5).fit_predict(many), original(eps=0.5).fit_predict(many))
        with pytest.raises(ValueError, match="eps"):
            sklearn_cluster.DBSCAN(eps=-1).fit(X)
    finally:
        unpatch_sklearn()
    assert sklearn_cluster.DBSCAN is original


MANY_FEATURES = "tries other numbers of features than 1, 2, 3 and 6"
NO_WEIGHTS = "DBSCAN here takes no sample_weight"
ALL = ("check_n_features_in_after_fitting", "check_positive_only_tag_during_fit", "check_estimators_dtypes", "check_dtype_object")
WEIGHTS = ("check_sample_weights_pandas_series", "check_sample_weights_not_an_array", "check_sample_weights_list",
           "check_all_zero_sample_weights_error", "check_sample_weights_shape", "check_sample_weights_not_overwritten",
           "check_sample_weight_equivalence_on_dense_data")


def expected_failures(estimator):
    expected = dict.fromkeys(ALL, MANY_FEATURES)
    if isinstance(estimator, DBSCAN):
        expected |= dict.fromkeys(WEIGHTS, NO_WEIGHTS)
    if isinstance(estimator, (DBSCAN, FriendsOfFriends)):
        expected["check_fit2d_1sample"] = MANY_FEATURES
    return expected


@parametrize_with_checks([DBSCAN(), FriendsOfFriends(), HDBSCAN(), SingleLinkage()], expected_failed_checks=expected_failures)
def test_estimators_keep_the_rules_of_scikit_learn(estimator, check):
    check(estimator)
