"""Expansions as potentials of gala, and back."""
import numpy as np

from .._errors import ArgumentError


def expect_hernquist(expansion, library):
    if expansion.family != "hernquist-ostriker":
        raise ArgumentError(f"family: found {expansion.family}, expected hernquist-ostriker, the one that {library} knows")


def potential_of(expansion):
    """gala.potential.SCFPotential: dimensionless, or in the units of the expansion (of its quantities, or of its file)."""
    expect_hernquist(expansion, "gala")
    import astropy.units as u
    import gala.potential as gp
    from astropy.constants import G
    from gala.units import UnitSystem, dimensionless

    s, t, a, centre = expansion.S, expansion.T, expansion.scale_radius, expansion.centre
    units = _units_of(expansion, u)
    if units is None:
        return gp.SCFPotential(m=expansion.G, r_s=a, Snlm=s, Tnlm=t, origin=centre, units=dimensionless)
    length, mass, velocity = units
    time = u.def_unit("expansion_time", (1 * length / velocity).to(u.s))
    # gala brings a G of its own: this mass makes it the expansion's
    unit_mass = expansion.G / G.to_value(length * velocity ** 2 / mass)
    return gp.SCFPotential(m=unit_mass * mass, r_s=a * length, Snlm=s, Tnlm=t, origin=centre * length,
                           units=UnitSystem(length, mass, time, u.radian))


def _units_of(expansion, u):
    if expansion.cgs is not None:
        names, units = ("file_length", "file_mass", "file_velocity"), (u.cm, u.g, u.cm / u.s)
        return tuple(u.def_unit(name, value * unit) for name, value, unit in zip(names, expansion.cgs, units))
    if not expansion.units:
        return None
    return tuple(u.Unit(str(expansion.units.unit(*powers))) for powers in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))


def expansion_of(potential):
    """The Expansion of a gala.potential.SCFPotential, as plain numbers in its unit system."""
    from ..expansion import Expansion

    parameters = potential.parameters
    number = {name: np.asarray(getattr(value, "value", value)) for name, value in parameters.items()}
    origin = np.zeros(3) if potential.origin is None else np.asarray(getattr(potential.origin, "value", potential.origin))
    return Expansion(number["Snlm"], number["Tnlm"], scale_radius=float(number["r_s"]), centre=origin,
                     G=float(potential.G) * float(number["m"]))
