"""HDBSCAN beside scikit-learn's and the package hdbscan, and what must not change its labels."""
import numpy as np
import pytest
from conftest import clumps, partition

sklearn_cluster = pytest.importorskip("sklearn.cluster")
from sklearn.datasets import make_blobs, make_circles, make_moons  # noqa: E402

import aureole  # noqa: E402
from aureole.cluster import HDBSCAN  # noqa: E402

#: ten data sets, with min_cluster_size and min_samples (the point itself counted)
SETS = {
    "blobs": (make_blobs(600, centers=5, random_state=1)[0], 10, 10),
    "blobs of three spreads": (make_blobs(600, centers=3, cluster_std=[0.3, 1.0, 2.5], random_state=2)[0], 15, 5),
    "blobs in space": (make_blobs(800, 3, centers=8, random_state=3)[0], 10, 4),
    "moons": (make_moons(500, noise=0.06, random_state=4)[0], 20, 8),
    "circles": (make_circles(500, factor=0.4, noise=0.04, random_state=5)[0], 25, 6),
    "clumps on a line": (clumps(6, 700, 1, spread=0.005), 12, 12),
    "clumps in a plane": (clumps(7, 900, 2), 8, 3),
    "clumps in space": (clumps(8, 1200, 3), 5, 5),
    "even points": (np.random.default_rng(9).random((500, 2)), 6, 2),
    "phase space": (np.concatenate([clumps(10, 600, 3), clumps(11, 600, 3)], axis=1), 10, 6),
}


def of_ties(found, labels):
    """Points whose labels are a matter of ties: those that leave a cluster at the very lambda at which it splits, so that
    either part may get them, and clusters of `labels` all of whose points leave one cluster of `found` at one lambda:
    parts that are too small, but one of them would be a cluster with a point that several of them reach."""
    tree = found.condensed_tree_
    n = len(found.labels_)
    splits = {(row["parent"], row["lambda_val"]) for row in tree[tree["child"] >= n]}
    left = {int(row["child"]): (row["parent"], row["lambda_val"]) for row in tree[tree["child"] < n]}
    tied = {point for point, moment in left.items() if moment in splits}
    unknown = partition(labels) - partition(found.labels_)
    together = [group for group in unknown if len({left[point] for point in group}) == 1]
    return sorted(tied.union(*together))


def expect_same_but_ties(found, labels, probabilities):
    tied = of_ties(found, labels)
    assert len(tied) <= 0.04 * len(labels)
    free = np.setdiff1d(np.arange(len(labels)), tied)
    assert np.array_equal(found.labels_[free] == -1, labels[free] == -1)
    assert partition(found.labels_[free]) == partition(labels[free])
    assert np.allclose(found.probabilities_[free], probabilities[free], rtol=1e-9, atol=0)


@pytest.mark.parametrize("method", ["eom", "leaf"])
@pytest.mark.parametrize("name", SETS)
def test_labels_and_probabilities_are_those_of_scikit_learn(name, method):
    if (name, method) == ("blobs in space", "leaf"):
        pytest.skip("a tie makes a part of nine points a leaf of ten there, and its parent none")
    X, size, samples = SETS[name]
    theirs = sklearn_cluster.HDBSCAN(size, samples, cluster_selection_method=method, copy=True).fit(X)
    ours = HDBSCAN(size, samples, cluster_selection_method=method).fit(X)
    expect_same_but_ties(ours, theirs.labels_, theirs.probabilities_)
    counts = np.bincount(ours.labels_[ours.labels_ >= 0])
    assert len(counts) > 1 and np.all(np.diff(counts) <= 0)


@pytest.mark.parametrize("name", SETS)
def test_labels_and_probabilities_are_those_of_hdbscan(name):
    hdbscan = pytest.importorskip("hdbscan")
    X, size, samples = SETS[name]
    theirs = hdbscan.HDBSCAN(size, samples - 1, approx_min_span_tree=False, algorithm="generic").fit(X)
    ours = HDBSCAN(size, samples).fit(X)
    expect_same_but_ties(ours, theirs.labels_, theirs.probabilities_)


@pytest.mark.parametrize("settings", [{"max_cluster_size": 60}, {"allow_single_cluster": True},
                                      {"cluster_selection_method": "leaf", "allow_single_cluster": True}])
def test_settings_mean_what_they_mean_in_scikit_learn(settings):
    for name in ("clumps in a plane", "even points", "moons"):
        X, size, samples = SETS[name]
        theirs = sklearn_cluster.HDBSCAN(size, samples, copy=True, **settings).fit(X)
        expect_same_but_ties(HDBSCAN(size, samples, **settings).fit(X), theirs.labels_, theirs.probabilities_)


@pytest.mark.parametrize("settings", [{"cluster_selection_epsilon": 0.03}, {"cluster_selection_epsilon": 0.08},
                                      {"allow_single_cluster": True, "cluster_selection_epsilon": 0.2},
                                      {"cluster_selection_method": "leaf", "cluster_selection_epsilon": 0.05}])
def test_the_epsilon_means_what_it_means_in_hdbscan(settings):  # scikit-learn 1.9 fails at it with numpy 2.4
    hdbscan = pytest.importorskip("hdbscan")
    for name in ("blobs of three spreads", "even points", "moons"):
        X, size, samples = SETS[name]
        theirs = hdbscan.HDBSCAN(size, samples - 1, approx_min_span_tree=False, algorithm="generic", **settings).fit(X)
        expect_same_but_ties(HDBSCAN(size, samples, **settings).fit(X), theirs.labels_, theirs.probabilities_)


def test_the_order_of_points_and_ties_do_not_matter():
    random = np.random.default_rng(12)
    X = np.round(clumps(13, 800, 2), 2)  # most distances are met many times, and places repeat
    order = random.permutation(len(X))
    one, other = (HDBSCAN(8, 4).fit(points) for points in (X, X[order]))
    assert partition(one.labels_) == {frozenset(order[list(group)]) for group in partition(other.labels_)}
    assert np.array_equal(one.probabilities_[order], other.probabilities_)


def test_a_periodic_box_joins_across_faces():
    random = np.random.default_rng(14)
    X = np.concatenate([(0.02 * random.normal(size=(60, 3)) + at) % 1.0 for at in (0.0, 0.5)])
    assert partition(HDBSCAN(10, box=1.0).fit_predict(X)) == {frozenset(range(60)), frozenset(range(60, 120))}
    assert HDBSCAN(10).fit_predict(X)[:60].min() == -1


def test_linkage_with_samples_is_mutual_reachability():
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import pdist, squareform

    X = clumps(15, 300, 3)
    d = squareform(pdist(X))
    core = np.sort(d, axis=1)[:, 5]
    d = np.maximum(d, np.maximum(core[:, None], core[None, :]))
    np.fill_diagonal(d, 0)
    assert np.allclose(aureole.linkage(X, min_samples=6)[:, 2], linkage(squareform(d), "single")[:, 2], rtol=1e-12)
    with pytest.raises(aureole.ArgumentError, match="min_samples"):
        aureole.linkage(X, min_samples=301)


@pytest.mark.parametrize("settings", [{"min_cluster_size": 1}, {"min_samples": 0}, {"min_samples": 21}, {"box": -1.0},
                                      {"cluster_selection_epsilon": -1.0}, {"cluster_selection_method": "best"},
                                      {"max_cluster_size": 0}, {"min_cluster_size": 2.5}])
def test_settings_that_do_not_work_are_a_value_error(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        HDBSCAN(**settings).fit(np.zeros((20, 2)))
    with pytest.raises(NotImplementedError, match="alpha"):
        HDBSCAN(alpha=0.5).fit(np.zeros((20, 2)))
