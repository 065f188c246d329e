"""Expansions as potentials of gala, and back."""
import types

import numpy as np

from .._errors import ArgumentError
from .scf_files import gala_potential_of


def plain(expansion, library):
    """The numbers of an expansion, as scf_files takes them; only the Hernquist-Ostriker basis is known to `library`."""
    if expansion.family != "hernquist-ostriker":
        raise ArgumentError(f"family: found {expansion.family}, expected hernquist-ostriker, the one that {library} knows")
    return types.SimpleNamespace(s=expansion.S, t=expansion.T, g=expansion.G, scale=expansion.scale_radius,
                                 centre=expansion.centre, units=_cgs(expansion))


def _cgs(expansion):
    """(cm, g, cm/s) of the expansion's numbers, None for plain ones."""
    units = expansion.units
    if expansion.cgs is not None or not units:
        return expansion.cgs
    cgs = {"cm": (1, 0, 0), "g": (0, 1, 0), "cm/s": (0, 0, 1)}
    return tuple(float(units.system.factor(units.unit(*powers), units.system.named(name))) for name, powers in cgs.items())


def potential_of(expansion):
    """gala.potential.SCFPotential: dimensionless, or in the units of the expansion (of its quantities, or of its file)."""
    return gala_potential_of(plain(expansion, "gala"))


def expansion_of(potential):
    """The Expansion of a gala.potential.SCFPotential, as plain numbers in its unit system."""
    from ..expansion import Expansion

    number = {name: np.asarray(getattr(value, "value", value)) for name, value in potential.parameters.items()}
    origin = np.zeros(3) if potential.origin is None else np.asarray(getattr(potential.origin, "value", potential.origin))
    return Expansion(number["Snlm"], number["Tnlm"], scale_radius=float(number["r_s"]), centre=origin,
                     G=float(potential.G) * float(number["m"]))
