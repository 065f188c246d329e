"""Expansions as potentials of agama (untested where agama is not installed)."""
import numpy as np


def potential_of(expansion):
    """agama.Potential of type Multipole of the expanded density, about its centre, in the units of the expansion."""
    import agama

    centre = np.array(expansion.centre)
    a = expansion.scale_radius

    def density(x):
        found = np.asarray(expansion.density(np.asarray(x, dtype=np.float64) + centre))
        return np.where(np.isfinite(found), found, 0.0)
    return agama.Potential(type="Multipole", density=density, lmax=expansion.l_max, rmin=1e-3 * a, rmax=1e3 * a, gridsizer=60,
                           symmetry="none", center=list(centre))
