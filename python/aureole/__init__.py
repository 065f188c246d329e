"""Aureole: halo finders, gravity, expansions and N-body simulations for arrays.

    import aureole
    halos = aureole.find_halos(pos, b=0.2, box=100.0, mass=mass, vel=vel)

Arrays are those of numpy or of any library with ``__array__`` or ``__dlpack__``; float32 and float64. Quantities of
astropy or unyt go in and come out. Results are equal bit for bit for any number of threads. Importing costs numpy alone:
scikit-learn, pandas, astropy and others are imported where they are asked for.
"""
import importlib

from ._core import DeviceArray, num_threads, set_num_threads
from ._device import devices
from ._errors import (AureoleError, ArgumentError, ConfigError, DeviceError, FileError, MemoryError, StoppedError)
from .catalogue import Halo, HaloCatalogue, Table
from .expansion import Expansion, ExpansionSeries, expand
from .fields import Field, density_grid
from .gravity import Forces, forces
from .groups import group_labels, linkage, overdensity_spheres
from .halos import find_halos
from .sheet import OctreeField, SheetPoints, density_octree, sheet_at
from .spectrum import PowerSpectrum, power_spectrum
from .subhalos import SubhaloCatalogue, subhalos

#: what is read from catalogue files is the same class
Catalogue = HaloCatalogue

_LATER = {"DBSCAN": "cluster", "FriendsOfFriends": "cluster", "HDBSCAN": "cluster", "SingleLinkage": "cluster",
          "patch_sklearn": "cluster", "unpatch_sklearn": "cluster", "load": "io", "Snapshot": "io",
          "initial_conditions": "ics", "cite": "simulation", "Simulation": "simulation", "Energy": "simulation",
          "load_trees": "trees", "MergerTrees": "trees", "watch": "widget"}

__all__ = ["AureoleError", "ArgumentError", "Catalogue", "ConfigError", "DeviceArray", "DeviceError", "Expansion",
           "ExpansionSeries", "Field", "FileError", "Forces", "Halo", "HaloCatalogue", "MemoryError", "OctreeField",
           "PowerSpectrum", "SheetPoints", "StoppedError", "SubhaloCatalogue", "Table", "density_grid", "density_octree",
           "devices", "expand", "find_halos", "forces", "group_labels", "linkage", "num_threads", "overdensity_spheres",
           "power_spectrum", "set_num_threads", "sheet_at", "subhalos", *_LATER]


def __getattr__(name):
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("aureole")
        except PackageNotFoundError:
            return "unknown"
    if name in _LATER:
        return getattr(importlib.import_module("." + _LATER[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *__all__])
