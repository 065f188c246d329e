"""Initial conditions: the models of the program's configuration."""
from . import _arrays, _run
from ._errors import ArgumentError
from ._settings import as_yaml, overrides, units_text
from .io import Snapshot, _called

__all__ = ["initial_conditions"]


def initial_conditions(model=None, *, config=None, units=None, seed=None, orbit=None, box=None, cosmology=None, redshift=None,
                       as_isolated=False, **settings) -> Snapshot:
    """Particles in equilibrium, on an orbit, on a lattice, or of a young universe: what `aureole ics` makes, bit for bit.

    Parameters
    ----------
    model : str or list of dict
        A model ("plummer", "hernquist", "nfw", "table", "uniform_sphere", "two_body", "lattice", "cosmological",
        "file"), whose keys follow as ``settings``; or several components, each a dictionary with "model" and its keys.
    config : path, optional
        A configuration file instead; ``settings`` replace keys of it, as ``**{"seed": 3}``.
    units : "nbody" (G = 1), "galactic" (kpc, 1e10 Msun, km/s), or (length, mass, velocity) as ("kpc", "1e10 Msun", "km/s")
        Default: "nbody"; with a cosmology ("Mpc/h", "1e10 Msun/h", "km/s").
    seed : int, optional
        Of the random numbers; equal seeds give equal bits on every machine and for any number of threads.
    orbit : dict, optional
        Of two components: separation, pericentre, eccentricity (docs/initial_conditions.md).
    box : float, optional
        Side of the periodic cube of the model "cosmological".
    cosmology : dict, optional
        Its universe: omega_m, h, omega_b, spectral_index, sigma_8, spectrum, ... (docs/cosmology.md).
    redshift : float, optional
        Of its particles.
    as_isolated : bool
        Files that are periodic or comoving are taken as isolated systems.
    **settings
        Keys of the model: particles, mass, scale_radius, truncation_radius, position, velocity, ...

    Returns
    -------
    Snapshot
        ``pos``, ``vel``, ``mass``, ``ids``, ``types``, ``components``; ``box`` for a lattice; ``notes``. With a cosmology
        places are comoving and velocities peculiar.

    Raises
    ------
    ConfigError
        Keys that are unknown or out of range; models that do not exist, as where a distribution function is negative.

    Notes
    -----
    Distribution functions by inversion after Osipkov (1979) and Merritt (1985), or in closed form where there is one
    (Aarseth, Henon & Wielen 1974; Hernquist 1990); fields of second order (Bouchet et al. 1995). docs/initial_conditions.md has equations and all keys.

    Examples
    --------
    >>> galaxy = aureole.initial_conditions("hernquist", particles=10000, mass=1.0, scale_radius=1.0, seed=7)
    >>> sim = aureole.Simulation(galaxy.pos, galaxy.vel, galaxy.mass, softening=0.05, timestep=0.01)
    """
    if (model is None) == (config is None):
        raise ArgumentError("model: expected it or config, and not both")
    if config is not None:
        for name, given in {"units": units, "orbit": orbit, "box": box, "cosmology": cosmology, "redshift": redshift}.items():
            if given is not None:
                raise ArgumentError(f"{name}: found it and config, which says it; expected keys of the configuration, as "
                                    '**{"gravity.softening": 0.1}')
        if seed is not None:
            settings["seed"] = seed
        return Snapshot(_called(_run.initial_conditions_of_file, config, overrides(settings), bool(as_isolated)), config)
    components = [{"model": model, **settings}] if isinstance(model, str) else list(model)
    if settings and not isinstance(model, str):
        raise ArgumentError(f"{next(iter(settings))}: expected keys of components in their dictionaries")
    if not all(isinstance(one, dict) for one in components):
        raise TypeError("model: expected a name, or a list of dictionaries")
    section = {"components": components}
    if orbit is not None:
        section["orbit"] = dict(orbit)
    keys = {"initial_conditions": section, "seed": seed, "box": box, "cosmology": cosmology}
    if redshift is not None:
        if cosmology is None:
            raise ArgumentError("redshift: found it without cosmology, expected both or none")
        keys["run"] = {"start_time": f"z={_arrays.scalar(redshift, 'redshift', least=0)!r}"}
    lines = [f"{key}: {as_yaml(value)}" for key, value in keys.items() if value is not None]
    if units is not None or cosmology is None:
        lines.append(f"units: {units_text(units or 'nbody')}")
    made = _run.initial_conditions_of_text("\n".join(lines), [], bool(as_isolated))
    return Snapshot(made, "+".join(str(one.get("model")) for one in components))

