"""Estimators on the hierarchy of a spanning tree: single linkage and HDBSCAN (see aureole.cluster)."""
import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from . import _call, _core, _device
from ._errors import ArgumentError
from ._estimators import DevicePoints, expect_euclidean, expect_number

__all__ = ["HDBSCAN", "SingleLinkage"]


class SingleLinkage(ClusterMixin, BaseEstimator):
    """The single-linkage hierarchy with the attributes of sklearn.cluster.AgglomerativeClustering.

    Parameters
    ----------
    n_clusters : int or None
        The hierarchy is cut into so many clusters ...
    distance_threshold : float or None
        ... or at this distance, inclusive; one of the two is None.
    box : float, optional
        Side of a periodic cube (3 features).
    velocity_scale : float
        Of 6 features: d^2 = dx^2 + (velocity_scale dv)^2.
    device : "auto", "cpu", "cuda" or "cuda:N"
        "auto": where X is. On a GPU the spanning tree is found, and the hierarchy of its edges by the host; attributes of an
        X on a GPU, and what cut() returns, are of its library, there.

    Attributes
    ----------
    children_ : int64 (N - 1, 2), the two nodes of every merge
    distances_ : float64 (N - 1,), rising
    labels_ : int64 (N,), 0 for the largest cluster
    n_clusters_, n_leaves_, n_features_in_ : int
    """

    def __init__(self, n_clusters=2, *, distance_threshold=None, box=None, velocity_scale=1.0, device="auto"):
        self.n_clusters = n_clusters
        self.distance_threshold = distance_threshold
        self.box = box
        self.velocity_scale = velocity_scale
        self.device = device

    def fit(self, X, y=None):
        """Builds the hierarchy of X (N, 1, 2, 3 or 6 features), N >= 2. Returns self."""
        where = _call.place(self.device, X=X)
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ArgumentError("n_clusters: expected it or distance_threshold, and the other None")
        _device.expect_doubles(X, "X")
        points = DevicePoints(self, X, where, least=2)
        n = len(points.particles)
        self._number = where.number if where is not None and where.has_arrays else None
        z = self._linkage(points)
        self._children, self._distances, self.n_leaves_ = z[:, :2].astype(np.int64), z[:, 2].copy(), n
        if self.distance_threshold is not None:
            merges = self._merges_up_to(expect_number(self.distance_threshold, "distance_threshold", least=0))
        else:
            wanted = expect_number(self.n_clusters, "n_clusters", least=1, whole=True)
            if wanted > n:
                raise ArgumentError(f"n_clusters: found {wanted}, expected at most the number of points, {n}")
            merges = n - wanted
        self.labels_ = self._beside(points.X, self._labels_after(merges))
        self.children_, self.distances_ = (self._beside(points.X, one) for one in (self._children, self._distances))
        self.n_clusters_ = n - merges
        return self

    def _linkage(self, points):
        scale = expect_number(self.velocity_scale, "velocity_scale", above=0) if points.features == 6 else 0.0
        z = _core.linkage(points.particles, _call.box_side(self.box), scale, 1, None)
        return z if isinstance(z, np.ndarray) else z.to_numpy()

    def _beside(self, obj, array):
        """An array of the host in the library of `obj`, where that is."""
        return array if self._number is None else _device.to_library(_core.DeviceArray(self._number, array), obj)

    def _merges_up_to(self, distance):
        return int(np.searchsorted(self._distances, distance, side="right"))

    def _labels_after(self, merges):
        """Labels when the first `merges` merges are done, by falling size and smallest index."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        n = self.n_leaves_
        pair = self._children[:merges]
        node = np.repeat(np.arange(n, n + merges), 2)
        graph = coo_array((np.ones(2 * merges, np.int8), (pair.ravel(), node)), shape=(n + merges, n + merges))
        found = connected_components(graph, directed=False)[1][:n]
        _, first, inverse, size = np.unique(found, return_index=True, return_inverse=True, return_counts=True)
        number = np.empty(len(size), np.int64)
        number[np.lexsort((first, -size))] = np.arange(len(size))
        return number[inverse]

    def cut(self, distance):
        """Labels of the clusters at a distance, inclusive: those of friends-of-friends of that linking length."""
        distance = expect_number(distance, "distance", least=0)
        return self._beside(self.labels_, self._labels_after(self._merges_up_to(distance)))


class HDBSCAN(ClusterMixin, BaseEstimator):
    """Clusters of all densities (Campello, Moulavi & Sander 2013) with the interface of sklearn.cluster.HDBSCAN.

    Parameters
    ----------
    min_cluster_size : int
        Groups of fewer points are no clusters.
    min_samples : int, optional
        The core distance of a point is that to its min_samples-th nearest point, itself counted (in the package hdbscan it
        is not counted: 5 here are 4 there). Default: min_cluster_size.
    cluster_selection_epsilon : float
        Clusters that split at a smaller distance are not split.
    max_cluster_size : int, optional
        Larger clusters are split further; "eom" alone.
    metric, metric_params, alpha, algorithm, leaf_size, n_jobs
        As in scikit-learn; the metric is Euclidean, alpha 1, and what only changes the speed is ignored.
    cluster_selection_method : "eom" or "leaf"
        The most stable clusters (excess of mass), or the leaves of the condensed tree.
    allow_single_cluster : bool
    box : float, optional
        Side of a periodic cube, of which nearest images count (3 or 6 features).
    device : "auto", "cpu", "cuda" or "cuda:N"
        "auto": where X is. On a GPU core distances and the spanning tree are found, and the hierarchy of its edges by the host;
        labels and probabilities of an X on a GPU are of its library, there.

    Attributes
    ----------
    labels_ : int64 (N,), 0 for the cluster with most points, -1 for noise
    probabilities_ : float64 (N,), 0 for noise
    condensed_tree_ : structured array
        ``parent``, ``child``, ``lambda_val`` (1 / distance), ``child_size``; points are 0 to N - 1, clusters from N on.
    n_features_in_ : int

    Notes
    -----
    The spanning tree of mutual reachability is exact, with equal distances and points at one place, too. Equal distances
    merge at once, as in that paper, so that labels do not depend on the order of the points; scikit-learn and hdbscan merge
    one by one, so that a point that falls out where its cluster splits may belong to a part there and is noise here.
    Cost: about N (log N + min_samples); memory grows with N.
    """

    def __init__(self, min_cluster_size=5, min_samples=None, cluster_selection_epsilon=0.0, max_cluster_size=None,
                 metric="euclidean", metric_params=None, alpha=1.0, algorithm="auto", leaf_size=40, n_jobs=None,
                 cluster_selection_method="eom", allow_single_cluster=False, *, box=None, device="auto"):
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.cluster_selection_epsilon = cluster_selection_epsilon
        self.max_cluster_size = max_cluster_size
        self.metric = metric
        self.metric_params = metric_params
        self.alpha = alpha
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.n_jobs = n_jobs
        self.cluster_selection_method = cluster_selection_method
        self.allow_single_cluster = allow_single_cluster
        self.box = box
        self.device = device

    def fit(self, X, y=None):
        """Finds the clusters of X (N, 1, 2, 3 or 6 features), N >= 2, float32 or float64. Returns self."""
        expect_euclidean(self)
        if self.alpha != 1:
            raise NotImplementedError(f"alpha: found {self.alpha!r}, expected 1; sklearn.cluster.HDBSCAN takes others")
        where = _call.place(self.device, X=X)
        least = expect_number(self.min_cluster_size, "min_cluster_size", least=2, whole=True)
        samples = least if self.min_samples is None else expect_number(self.min_samples, "min_samples", least=1, whole=True)
        largest = 0 if self.max_cluster_size is None else expect_number(self.max_cluster_size, "max_cluster_size", least=1,
                                                                        whole=True)
        epsilon = expect_number(self.cluster_selection_epsilon, "cluster_selection_epsilon", least=0)
        _call.choice(self.cluster_selection_method, "cluster_selection_method", ("eom", "leaf"))
        points = DevicePoints(self, X, where, least=2)
        if samples > len(points.particles):
            raise ArgumentError(f"min_samples: found {samples}, expected at most the number of points, {len(points.particles)}")
        labels, probabilities, *tree = _core.hdbscan(
            points.particles, _call.box_side(self.box), 1.0 if points.features == 6 else 0.0, samples, least,
            self.cluster_selection_method == "leaf", bool(self.allow_single_cluster), epsilon, largest, None)
        self.labels_ = labels.astype(np.int64) if where is None else points.back(labels)
        self.probabilities_ = points.back(probabilities)
        self._tree = tree
        return self

    @property
    def condensed_tree_(self):
        parent, birth, size, cluster, left = self._tree
        n = len(cluster)
        rows = np.empty(n + len(parent) - 1, [("parent", np.int64), ("child", np.int64), ("lambda_val", np.float64),
                                              ("child_size", np.int64)])
        points, clusters = rows[:n], rows[n:]
        points["parent"], points["child"], points["lambda_val"], points["child_size"] = n + cluster, np.arange(n), left, 1
        clusters["parent"], clusters["child"] = n + parent[1:], n + np.arange(1, len(parent))
        clusters["lambda_val"], clusters["child_size"] = birth[1:], size[1:]
        return rows[np.lexsort((rows["child"], rows["lambda_val"], rows["parent"]))]
