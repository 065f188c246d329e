"""Settings of Python as text of a configuration."""
import json
import os

import numpy as np

from ._errors import ArgumentError


def _plain(value):
    """Numbers and arrays of numpy as Python's own, paths as text."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"found {type(value).__name__}, expected numbers, text, lists and dictionaries")


def as_yaml(value):
    """A value as YAML: JSON is YAML, and has every digit of a float."""
    return json.dumps(value, default=_plain)


def overrides(settings):
    """KEY=VALUE for keys of the configuration."""
    return [f"{key}={value if isinstance(value, str) else as_yaml(value)}" for key, value in settings.items()]


def units_text(units):
    """The value of the key `units`."""
    if isinstance(units, str):
        return units
    if not isinstance(units, (tuple, list)) or len(units) != 3:
        raise ArgumentError(f"units: found {units!r}, expected 'nbody', 'galactic' or three units, of length, mass and velocity")
    return "{{length: {}, mass: {}, velocity: {}}}".format(*units)
