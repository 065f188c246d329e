"""Expansions as potentials of galpy."""
import inspect

import numpy as np

from .._errors import ArgumentError
from .gala import expect_hernquist


def _cosines(expansion):
    """galpy halves the terms of m = 0."""
    cosine = expansion.S.copy()
    cosine[:, :, 0] *= 2
    return cosine


def potential_of(expansion):
    """galpy.potential.SCFPotential in the expansion's numbers (ro, vo are the caller's), about the origin: subtract the
    centre from positions, and divide densities by G."""
    expect_hernquist(expansion, "galpy")
    from galpy.potential import SCFPotential

    return SCFPotential(amp=expansion.G, Acos=_cosines(expansion), Asin=expansion.T.copy(), a=expansion.scale_radius)


def series_potential(series, tgrid=None):
    """The same that changes with time, by the moments of the series or at the times `tgrid`."""
    expect_hernquist(series[0], "galpy")
    from galpy.potential import SCFPotential

    if "tgrid" not in inspect.signature(SCFPotential.__init__).parameters:
        raise ArgumentError("to_galpy: the galpy that is installed has no SCFPotential(tgrid=...), expected a newer one; "
                            "series.at(time).to_galpy() is the potential of one time")
    times = series.times if tgrid is None else np.asarray(tgrid, dtype=np.float64)
    moments = [series.at(float(time)) for time in times]
    return SCFPotential(amp=series[0].G, Acos=np.array([_cosines(one) for one in moments]),
                        Asin=np.array([one.T for one in moments]), a=series[0].scale_radius, tgrid=times)
