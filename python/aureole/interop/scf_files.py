"""Coefficient files of Aureole (`aureole expand`, or a run) as potentials of gala and galpy.

    from aureole.interop.scf_files import read_coefficients, gala_potential, galpy_potential
    potential = gala_potential("coefs.hdf5")            # the last moment; moment=k takes another
    potential.acceleration([1, 0, 0] * u.kpc)

S and T are those of Lowing et al. (2011), gala's own. galpy halves the m = 0 terms, so its Acos is 2 S there; its
frame is that of the expansion: it knows no centre. Both libraries have the
Hernquist-Ostriker basis only, and both fail at the centre and on the polar axis (`aureole evaluate` does not).
"""
import types

import numpy as np


def read_coefficients(path, moment=-1):
    """One moment: S and T [n_max + 1, l_max + 1, l_max + 1] in the file's unit of mass, scale, centre, time, G, and
    the units of length (cm), mass (g) and velocity (cm/s), None for nbody units."""
    import h5py

    with h5py.File(path) as file:
        basis, n_max, l_max = file.attrs["basis"], int(file.attrs["nmax"]) - 1, int(file.attrs["lmax"])
        snapshot = file["snapshots"][sorted(file["snapshots"])[moment]]
        rows = snapshot["coefficients"][:]
        units = {row["name"].decode(): (row["unit"].decode(), row["value"]) for row in file["Units"][:]}
        found = types.SimpleNamespace(
            basis=basis.decode() if isinstance(basis, bytes) else basis, scale=float(file.attrs["scale"]),
            centre=snapshot.attrs["Center"][:], time=float(snapshot.attrs["Time"]), g=float(file.attrs["G"]),
            units=None if units["length"][0] == "none" else tuple(units[k][1] for k in ("length", "mass", "velocity")))
    found.s, found.t = np.zeros((2, n_max + 1, l_max + 1, l_max + 1))
    for l in range(l_max + 1):
        for m in range(l + 1):
            found.s[:, l, m], found.t[:, l, m] = rows[l * (l + 1) // 2 + m].real, rows[l * (l + 1) // 2 + m].imag
    return found


def _expect_hernquist(basis, name):
    if basis != "hernquist-ostriker":
        raise ValueError(f"{name}: basis {basis}; gala and galpy know hernquist-ostriker only")


def gala_potential(path, moment=-1):
    """gala.potential.SCFPotential in the file's units (dimensionless for nbody units), about the file's centre."""
    found = read_coefficients(path, moment)
    _expect_hernquist(found.basis, path)
    return gala_potential_of(found)


def gala_potential_of(found):
    """The same of what read_coefficients() gives."""
    import astropy.units as u
    import gala.potential as gp
    from astropy.constants import G
    from gala.units import UnitSystem, dimensionless

    if found.units is None:
        return gp.SCFPotential(m=found.g, r_s=found.scale, Snlm=found.s, Tnlm=found.t, origin=found.centre,
                               units=dimensionless)
    length, mass, velocity = (u.def_unit(name, value * unit) for name, value, unit in zip(
        ("file_length", "file_mass", "file_velocity"), found.units, (u.cm, u.g, u.cm / u.s)))
    time = u.def_unit("file_time", found.units[0] / found.units[2] * u.s)
    # gala brings a G of its own: this mass makes it the file's
    unit_mass = found.g / G.to_value(length * velocity**2 / mass)
    return gp.SCFPotential(m=unit_mass * mass, r_s=found.scale * length, Snlm=found.s, Tnlm=found.t,
                           origin=found.centre * length, units=UnitSystem(length, mass, time, u.radian))


def galpy_potential(path, moment=-1):
    """galpy.potential.SCFPotential in the numbers of the file (ro, vo are the caller's), about the origin: subtract
    the file's centre from positions, and divide densities by the file's G."""
    found = read_coefficients(path, moment)
    _expect_hernquist(found.basis, path)
    return galpy_potential_of(found)


def galpy_potential_of(found):
    """The same of what read_coefficients() gives."""
    from galpy.potential import SCFPotential

    return SCFPotential(amp=found.g, Acos=galpy_cosines(found.s), Asin=found.t.copy(), a=found.scale)


def galpy_cosines(s):
    """galpy halves the terms of m = 0."""
    cosine = s.copy()
    cosine[:, :, 0] *= 2
    return cosine
