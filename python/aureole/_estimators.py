"""What the estimators share: the checks of settings and tables, and particles for C++."""
import numbers

import numpy as np
from sklearn.utils.validation import validate_data

from . import _arrays, _core
from ._errors import ArgumentError

FEATURES = (1, 2, 3, 6)


def expect_number(value, name, above=None, least=None, whole=False):
    """Parameters of estimators, checked in fit() as scikit-learn does."""
    kind = numbers.Integral if whole else numbers.Real
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, kind):
        raise ArgumentError(f"{name}: found {value!r}, expected {'a whole number' if whole else 'a number'}")
    return _arrays.whole(value, name, least) if whole else _arrays.scalar(value, name, above=above, least=least)


def expect_euclidean(estimator):
    """Metrics of scikit-learn that are Euclidean distance by another name are taken."""
    metric, name = estimator.metric, type(estimator).__name__
    euclidean = metric in ("euclidean", "l2") or (metric == "minkowski" and getattr(estimator, "p", None) in (None, 2))
    if not euclidean or estimator.metric_params:
        raise NotImplementedError(f"metric: found {metric!r}, expected 'euclidean'; sklearn.cluster.{name} takes others")


def points_of(estimator, X, least=1):
    """The checked table of features of scikit-learn's rules, of at least so many points."""
    X = validate_data(estimator, X, dtype=[np.float64, np.float32], ensure_min_samples=least)
    if X.shape[1] not in FEATURES:
        raise NotImplementedError(f"found {X.shape[1]} features, expected 1, 2 or 3, or 6 (x, y, z, vx, vy, vz) as phase "
                                  "space; sklearn.cluster takes any number")
    return X


def particles_of(X):
    """Features that are left out are 0 for every point."""
    columns = [np.ascontiguousarray(column, dtype=np.float64) for column in X.T]
    if len(columns) < 3:
        nothing = np.zeros(len(X))
        columns += [nothing] * (3 - len(columns))
    return _core.Particles(*columns)
