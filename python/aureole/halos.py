"""Halos of particles with all that a catalogue tells of them."""
import warnings

import numpy as np

from . import _arrays, _call, _core
from ._errors import ArgumentError
from ._catalogue_files import Origin
from ._progress import reporting
from .catalogue import HaloCatalogue, Table
from .units import CallUnits, unless

__all__ = ["find_halos"]

CENTRES = ("most_bound", "most_bound_energy", "most_connected", "poisson", "mass", "shrinking_sphere")
#: columns that mean something only where velocities were given
_NEED_VELOCITIES = ("Vel", "VelDisp", "DispersionTensor", "Spin", "SpinBullock", "SpinPeebles", "KineticEnergy", "VirialRatio")


def find_halos(pos, linking_length=None, *, b=None, box=None, mass=1.0, vel=None, ids=None, types=None, linking_types=None,
               min_members=20, centre="most_bound", linking_velocity=None, relative_linking_velocity=None,
               overdensities=(), reference_density=None, cosmology=None, crossing="outermost", substructure=False,
               softening=0.0, method="fastest", G=None, device="auto", progress=False) -> HaloCatalogue:
    """Friends-of-friends halos, and their centres, masses, radii, motion, shapes, overdensities and subhalos.

    The result is that of ``aureole find`` on the same particles, bit for bit.

    Parameters
    ----------
    pos : array (N, 3), tuple of three arrays (N,), or a Snapshot of ``aureole.load``
        Positions. A snapshot brings mass, velocities, ids, types, box, G and cosmology with it.
    linking_length, b : float
        One of them: a length in the unit of ``pos``; or a part of the mean separation, usually 0.2 (of the periodic box,
        or with a warning of the bounding box). A snapshot without either takes b = 0.2.
    box : float, optional
        Side of a periodic cube [0, box)^3.
    mass : array (N,) or one number for all
    vel : array (N, 3), optional
        Without velocities the columns of motion are left out.
    ids, types, linking_types, linking_velocity, relative_linking_velocity, method : see group_labels()
    min_members : int
    centre : str
        "most_bound", "most_bound_energy", "most_connected", "poisson", "mass" or "shrinking_sphere".
    overdensities : sequence of str
        "200c", "500c", "200m", "vir" or any number with c or m. Default: these four where a density is known.
    reference_density : float, optional
        Mass per volume that takes the place of critical and mean density.
    cosmology : astropy.cosmology.FLRW, (cosmology, redshift), or dict, optional
        Gives the densities. An astropy cosmology needs units; a dict has omega_m, omega_lambda and hubble (velocity per
        length) and may have scale_factor and comoving.
    crossing : "outermost" or "innermost", of overdensities
    substructure : bool
        Also find subhalos in phase space, and unbind them; needs ``vel``.
    softening : float
        Of potentials inside halos, in the unit of ``pos``.
    G : float, optional
        Default 1; with units Newton's constant.
    device : "auto", "cpu", "cuda" or "cuda:N"
        "auto": where the arrays are. The tables and members of a search on a GPU are arrays of numpy; the labels of arrays
        that are on it stay there, in their library.
    progress : bool or callable(what, fraction)

    Returns
    -------
    HaloCatalogue

    Raises
    ------
    ArgumentError
        Settings out of range or contradicting each other; numbers that are not finite, with the particle's index.
    TypeError
        Arrays of integers; some arguments with units and some without.

    Notes
    -----
    Davis et al. (1985); Lacey & Cole (1994); Bryan & Norman (1998); Behroozi, Wechsler & Wu (2013).
    """
    if hasattr(pos, "_find_halos"):
        given = {name: value for name, value in locals().items() if name != "pos"}
        return pos._find_halos(find_halos, given)
    where = _call.place(device, pos=pos, mass=mass, vel=vel, ids=ids, types=types)
    units = _units_of(locals())
    settings = _core.HaloSettings()
    _set_linking(settings, units, b, linking_velocity, relative_linking_velocity, vel)
    settings.min_members = _arrays.whole(min_members, "min_members", 1)
    settings.method = _call.choice(method, "method", _core.finders())
    settings.set_centre(_call.choice(centre, "centre", CENTRES))
    settings.set_crossing(_call.choice(crossing, "crossing", ("outermost", "innermost")) == "innermost")
    settings.box = _call.box_side(units.strip("box"))
    length = units.strip("softening")
    settings.softening = _arrays.scalar(0.0 if length is None else length, "softening", least=0)
    settings.G = units.gravitational_constant(G)
    settings.substructure = bool(substructure)
    if substructure and vel is None:
        raise ArgumentError("substructure: found True without vel, expected velocities, in which subhalos are found")
    mask = _call.type_mask(linking_types, types)
    settings.types = [] if mask == 0x3f else [t for t in range(6) if mask >> t & 1]
    set_densities(settings, units, overdensities, reference_density, cosmology)
    numbers = units.strip("mass")
    particles = _call.particles(units.strip("pos"), vel=units.strip("vel"), mass=1.0 if numbers is None else numbers, ids=ids,
                                types=types, where=where)
    if len(particles) == 0:
        return HaloCatalogue.empty(units, Origin.of_call(units, settings.box, settings.G))
    with reporting(progress) as report:
        found = _core.find_halos(particles, settings, report)
    if found["separation_of"]:
        warnings.warn(f"no periodic box: the linking length {found['linking_length']:.6g} is {b} of the mean separation in "
                      "the bounding box; linking_length= sets another", stacklevel=2)
    if where is not None:
        found["labels"] = _call.back(where, pos, units)(found["labels"])
    return _catalogue(found, units, vel is None, Origin.of_call(units, settings.box, settings.G))


def _units_of(given):
    return CallUnits({
        "pos": (given["pos"], "length"), "linking_length": (given["linking_length"], "length"),
        "box": (given["box"], "length"), "mass": (unless(given["mass"], 1.0), "mass"), "vel": (given["vel"], "velocity"),
        "linking_velocity": (given["linking_velocity"], "velocity"),
        "softening": (unless(given["softening"], 0.0), "length"),
        "reference_density": (given["reference_density"], "density")})


def _set_linking(settings, units, b, linking_velocity, relative_linking_velocity, vel):
    length = units.strip("linking_length")
    if (length is None) == (b is None):
        raise ArgumentError("linking_length: found " + ("neither it nor b" if b is None else "it and b") +
                            ", expected one of them")
    if length is not None:
        settings.linking_length = _arrays.scalar(length, "linking_length", above=0)
    else:
        settings.b = _arrays.scalar(b, "b", above=0)
    if vel is None and (linking_velocity is not None or relative_linking_velocity is not None):
        raise ArgumentError("vel: found none, expected velocities for a search in phase space")
    if linking_velocity is not None and relative_linking_velocity is not None:
        raise ArgumentError("linking_velocity: found it and relative_linking_velocity, expected one of them")
    if linking_velocity is not None:
        settings.linking_velocity = _arrays.scalar(units.strip("linking_velocity"), "linking_velocity", above=0)
    if relative_linking_velocity is not None:
        settings.relative_linking_velocity = _arrays.scalar(relative_linking_velocity, "relative_linking_velocity", above=0)


def set_densities(settings, units, overdensities, reference_density, cosmology):
    if isinstance(overdensities, str):
        overdensities = (overdensities,)
    if isinstance(cosmology, tuple) and len(cosmology) == 3:  # densities of a snapshot
        settings.set_densities(*cosmology)
        settings.overdensities = list(overdensities)
        return
    if reference_density is not None and cosmology is not None:
        raise ArgumentError("reference_density: found it and cosmology, expected one of them")
    if overdensities and reference_density is None and cosmology is None:
        raise ArgumentError(f"overdensities: found {list(overdensities)}, expected a density to multiply: give "
                            "reference_density or cosmology")
    settings.overdensities = list(overdensities)
    if reference_density is not None:
        settings.reference_density = _arrays.scalar(units.strip("reference_density"), "reference_density", above=0)
    if cosmology is not None:
        settings.set_cosmology(*_cosmology(cosmology, units))


def _cosmology(cosmology, units):
    """omega_m, omega_lambda, H today, scale factor, whether positions are comoving."""
    if isinstance(cosmology, dict):
        known = {"omega_m", "omega_lambda", "hubble", "scale_factor", "comoving"}
        if not {"omega_m", "omega_lambda", "hubble"} <= set(cosmology) <= known:
            raise ArgumentError(f"cosmology: found the keys {sorted(cosmology)}, expected omega_m, omega_lambda and hubble, "
                                "and perhaps scale_factor and comoving")
        return (float(cosmology["omega_m"]), float(cosmology["omega_lambda"]), float(cosmology["hubble"]),
                float(cosmology.get("scale_factor", 1.0)), bool(cosmology.get("comoving", False)))
    flrw, z = cosmology if isinstance(cosmology, tuple) else (cosmology, 0.0)
    if not hasattr(flrw, "Om0") or not hasattr(flrw, "H0"):
        raise TypeError(f"cosmology: found {type(flrw).__name__}, expected an astropy cosmology or a dict")
    rate = units.unit(-1, 0, 1) if units else None
    if rate is None:
        raise ArgumentError("cosmology: found one of astropy, expected pos, mass and vel with units; or a dict with hubble as "
                            "velocity per length")
    hubble = float(units.system.factor(units.system.named("km/(s Mpc)"), rate)) * float(flrw.H0.value)
    return float(flrw.Om0), float(getattr(flrw, "Ode0", 0.0)), hubble, 1 / (1 + float(z)), False


def _catalogue(found, units, without_velocities, origin):
    hidden = [prefix + name for prefix in ("Group", "Subhalo") for name in _NEED_VELOCITIES] if without_velocities else []
    groups = Table(found["groups"], units, hidden)
    subhalos = None if found["subhalos"] is None else Table(found["subhalos"], units, hidden)
    return HaloCatalogue(groups, labels=found["labels"], order=found["order"], subhalos=subhalos,
                         linking_length=units.attach(found["linking_length"], length=1), origin=origin)
