"""What the estimators share: the checks of settings and tables, and particles for C++."""
import numbers

import numpy as np
from sklearn.utils.validation import validate_data

from . import _arrays, _call, _core, _device
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


class DevicePoints:
    """A table of features for a CUDA device: on one already, or brought there from the host after scikit-learn's checks.
    Where `where` is None it stays in host memory."""

    def __init__(self, estimator, X, where, least=1):
        self.X, self._where = X, where
        if where is None or not where.has_arrays:
            self.X = points_of(estimator, X, least)
            self.particles, self.features = _call.on(where, particles_of(self.X)), self.X.shape[1]
            return
        values = _device.borrow(X, where.number, "X")
        _arrays.expect_floats(values.dtype, "X")
        shape = tuple(values.shape)
        if len(shape) != 2 or shape[0] < least:
            raise ArgumentError(f"X: found the shape {shape}, expected (N, features) with N at least {least}")
        if shape[1] not in FEATURES:
            raise NotImplementedError(f"X: found {shape[1]} features, expected 1, 2 or 3, or 6 (x, y, z, vx, vy, vz) as phase "
                                      "space")
        self.particles, self.features = _core.DeviceParticles(where.number, shape[0]), shape[1]
        refused = self.particles.set_features(values)
        if refused:
            raise _arrays.not_finite("X", refused[1], f"X[{refused[1]}, {refused[0]}]", refused[2])
        estimator.n_features_in_ = shape[1]

    def back(self, array):
        """A result in the library of X, where X is."""
        return _call.back(self._where, self.X)(array)
