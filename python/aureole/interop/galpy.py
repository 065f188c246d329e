"""Expansions as potentials of galpy."""
import inspect

import numpy as np

from .._errors import ArgumentError
from .gala import plain
from .scf_files import galpy_cosines, galpy_potential_of


def potential_of(expansion):
    """galpy.potential.SCFPotential in the expansion's numbers (ro, vo are the caller's), about the origin: subtract the
    centre from positions, and divide densities by G."""
    return galpy_potential_of(plain(expansion, "galpy"))


def series_potential(series, tgrid=None):
    """The same that changes with time, by the moments of the series or at the times `tgrid`."""
    first = plain(series[0], "galpy")
    from galpy.potential import SCFPotential

    if "tgrid" not in inspect.signature(SCFPotential.__init__).parameters:
        raise ArgumentError("to_galpy: the galpy that is installed has no SCFPotential(tgrid=...), expected a newer one; "
                            "series.at(time).to_galpy() is the potential of one time")
    times = series.times if tgrid is None else np.asarray(tgrid, dtype=np.float64)
    moments = [series.at(float(time)) for time in times]
    return SCFPotential(amp=first.g, Acos=np.array([galpy_cosines(one.S) for one in moments]),
                        Asin=np.array([one.T for one in moments]), a=first.scale, tgrid=times)
