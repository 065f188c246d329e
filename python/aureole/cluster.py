"""Clustering with scikit-learn's interface: DBSCAN, HDBSCAN, friends-of-friends and single linkage of points with 1, 2
or 3 features, or with 6, which are a place and a velocity in phase space.

The clusters are those of scikit-learn. Only ties may differ: a border point of DBSCAN that lies near core points of
several clusters joins its nearest core point here and the cluster that was met first there; HDBSCAN takes all merges of
one distance at once here and one by one there."""
import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from . import _call, _core
from ._errors import ArgumentError
from ._estimators import DevicePoints, expect_euclidean, expect_number, particles_of, points_of
from .hierarchy import HDBSCAN, SingleLinkage

__all__ = ["DBSCAN", "FriendsOfFriends", "HDBSCAN", "SingleLinkage", "patch_sklearn", "unpatch_sklearn"]

def _labels(X, length, *, box, min_members, min_friends=1, border=False, core=False, linking_velocity=None):
    if X.shape[1] == 6 and linking_velocity is None:
        linking_velocity = length  # Euclidean distance in all six features
    psi = float("inf") if linking_velocity is None else expect_number(linking_velocity, "linking_velocity", above=0)
    return _core.group_labels(particles_of(X), length, _call.box_side(box), min_members, 0x3f, psi, 0.0, min_friends, border,
                              core, "fastest", None)


def _device_clusters(points, length, *, box, min_members, numbering, min_friends=1, border=False, linking_velocity=None):
    """The same on a CUDA device: labels and indices of core points, in the library of the points."""
    if points.features == 6 and linking_velocity is None:
        linking_velocity = length
    psi = float("inf") if linking_velocity is None else expect_number(linking_velocity, "linking_velocity", above=0)
    labels, core = _core.device_clusters(points.particles, length, _call.box_side(box), min_members, psi, min_friends, border,
                                         numbering)
    return points.back(labels), None if core is None else points.back(core)


def _without_noise(labels, core):
    """Clusters hold a core point; what is alone and none is noise. The order of the clusters stays."""
    is_cluster = np.zeros(int(labels.max(initial=-1)) + 2, bool)  # the last entry is that of -1
    is_cluster[labels[core & (labels >= 0)]] = True
    return np.where(is_cluster, np.cumsum(is_cluster) - 1, -1)[labels]


def _by_first_core_point(labels, core):
    """scikit-learn's numbers: in the order of the first core point of each cluster."""
    first = labels[core]
    seen, at = np.unique(first, return_index=True)
    number = np.full(int(labels.max(initial=-1)) + 2, -1, np.int64)
    number[seen[np.argsort(at)]] = np.arange(len(seen))
    return number[labels]


class DBSCAN(ClusterMixin, BaseEstimator):
    """Density-based clusters (Ester et al. 1996) with the interface of sklearn.cluster.DBSCAN.

    Parameters
    ----------
    eps : float
        Points at most this far apart are neighbours.
    min_samples : int
        A point with so many neighbours, itself among them, is a core point.
    metric, metric_params, algorithm, leaf_size, p, n_jobs
        As in scikit-learn; the metric is Euclidean, and what only changes the speed is ignored.
    box : float, optional
        Side of a periodic cube, of which nearest images count (3 or 6 features).
    border : "nearest" or "noise"
        The cluster of a border point: that of its nearest core point, or none (DBSCAN*).
    label_order : "sklearn" or "size"
        Clusters are numbered by their first core point as in scikit-learn, or by falling size.
    device : "auto", "cpu", "cuda" or "cuda:N"
        "auto": where X is. An array on a CUDA device may be given to fit(); attributes are then of its library, there.

    Attributes
    ----------
    labels_ : int64 (N,), -1 for noise
    core_sample_indices_ : int64
    components_ : the core points, (n_core, n_features)
    n_features_in_ : int

    Notes
    -----
    Core points, their partition into clusters, and noise are those of scikit-learn; border points that reach several
    clusters may differ. Memory grows with N, not with the number of neighbours.
    """

    def __init__(self, eps=0.5, *, min_samples=5, metric="euclidean", metric_params=None, algorithm="auto", leaf_size=30,
                 p=None, n_jobs=None, box=None, border="nearest", label_order="sklearn", device="auto"):
        self.eps = eps
        self.min_samples = min_samples
        self.metric = metric
        self.metric_params = metric_params
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.n_jobs = n_jobs
        self.box = box
        self.border = border
        self.label_order = label_order
        self.device = device

    def fit(self, X, y=None, sample_weight=None):
        """Finds the clusters of X (N, 1, 2, 3 or 6 features), float32 or float64. Returns self."""
        expect_euclidean(self)
        if sample_weight is not None:
            raise NotImplementedError("sample_weight: found some, expected none; sklearn.cluster.DBSCAN takes them")
        where = _call.place(self.device, X=X)
        eps = expect_number(self.eps, "eps", above=0)
        friends = expect_number(self.min_samples, "min_samples", least=1, whole=True) - 1
        _call.choice(self.border, "border", ("nearest", "noise"))
        _call.choice(self.label_order, "label_order", ("sklearn", "size"))
        settings = {"box": self.box, "min_members": 2 if friends == 1 else 1, "min_friends": max(friends, 1),
                    "border": friends > 1 and self.border == "nearest"}
        if where is not None:
            points = DevicePoints(self, X, where)
            numbering = "size" if self.label_order == "size" else "first core point"
            self.labels_, self.core_sample_indices_ = _device_clusters(points, eps, numbering=numbering, **settings)
            self.components_ = points.X[self.core_sample_indices_]
            return self
        X = points_of(self, X)
        labels, _, core = _labels(X, eps, core=True, **settings)
        core = core.astype(bool) & (labels >= 0)
        self.labels_ = _without_noise(labels, core)
        if self.label_order == "sklearn":
            self.labels_ = _by_first_core_point(self.labels_, core)
        self.core_sample_indices_ = np.flatnonzero(core)
        self.components_ = X[core].copy()
        return self

    def fit_predict(self, X, y=None, sample_weight=None):
        """fit(), then ``labels_``."""
        return self.fit(X, sample_weight=sample_weight).labels_


class FriendsOfFriends(ClusterMixin, BaseEstimator):
    """Friends-of-friends groups (Davis et al. 1985): points at most a linking length apart share one.

    Parameters
    ----------
    linking_length : float
    box : float, optional
        Side of a periodic cube (3 or 6 features).
    min_members : int
        Points of smaller groups have the label -1.
    linking_velocity : float, optional
        Of 6 features: (dx / linking_length)^2 + (dv / linking_velocity)^2 <= 1. Default: the linking length.
    device : "auto", "cpu", "cuda" or "cuda:N", as in DBSCAN

    Attributes
    ----------
    labels_ : int64 (N,), 0 for the group with most members
    n_features_in_ : int
    """

    def __init__(self, linking_length=0.5, *, box=None, min_members=2, linking_velocity=None, device="auto"):
        self.linking_length = linking_length
        self.box = box
        self.min_members = min_members
        self.linking_velocity = linking_velocity
        self.device = device

    def fit(self, X, y=None):
        """Finds the groups of X (N, 1, 2, 3 or 6 features), float32 or float64. Returns self."""
        where = _call.place(self.device, X=X)
        length = expect_number(self.linking_length, "linking_length", above=0)
        members = expect_number(self.min_members, "min_members", least=1, whole=True)
        if where is not None:
            points = DevicePoints(self, X, where)
            velocity = self.linking_velocity if points.features == 6 else None
            self.labels_, _ = _device_clusters(points, length, box=self.box, min_members=members, numbering="groups",
                                               linking_velocity=velocity)
            return self
        X = points_of(self, X)
        velocity = self.linking_velocity if X.shape[1] == 6 else None
        self.labels_ = _labels(X, length, box=self.box, min_members=members, linking_velocity=velocity)[0].astype(np.int64)
        return self


_original = {}


def patch_sklearn():
    """Makes sklearn.cluster.DBSCAN this one, for data and settings that it knows; others go to the original class."""
    import sklearn.cluster
    import sklearn.cluster._dbscan as module

    if _original:
        return
    original = module.DBSCAN
    _original["DBSCAN"] = original

    class Patched(original):
        __doc__ = original.__doc__

        def fit(self, X, y=None, sample_weight=None):
            ours = DBSCAN(**self.get_params())
            try:
                ours.fit(X, sample_weight=sample_weight)
            except (NotImplementedError, ArgumentError, TypeError, ValueError):
                return super().fit(X, y, sample_weight=sample_weight)  # also for its own messages
            for name in ("labels_", "core_sample_indices_", "components_", "n_features_in_", "feature_names_in_"):
                if hasattr(ours, name):
                    setattr(self, name, getattr(ours, name))
            return self

    Patched.__name__ = Patched.__qualname__ = "DBSCAN"
    sklearn.cluster.DBSCAN = module.DBSCAN = Patched


def unpatch_sklearn():
    """Takes patch_sklearn() back."""
    import sklearn.cluster
    import sklearn.cluster._dbscan as module

    if _original:
        sklearn.cluster.DBSCAN = module.DBSCAN = _original.pop("DBSCAN")
