"""Radii and shape of a set of particles about a centre, from the snapshots of a run."""
import h5py
import numpy as np


def states(folder):
    """(time, positions about the expansion's centre, masses) of each snapshot; times in the run's n-body units."""
    with h5py.File(folder / "coefficients_0.hdf5") as file:
        to_nbody = file.attrs["G"]**0.5
        centres = {moment.attrs["Time"]: moment.attrs["Center"][:] for moment in file["snapshots"].values()}
    for name in sorted(folder.glob("snapshot_*.hdf5")):
        with h5py.File(name) as file:
            time, group = file["Header"].attrs["Time"], file["PartType1"]
            centre = centres[min(centres, key=lambda moment: abs(moment - time))]
            yield time * to_nbody, group["Coordinates"][:] - centre, group["Masses"][:]


def lagrangian_radius(x, mass, fraction):
    radius = np.sqrt((x**2).sum(axis=1))
    order = np.argsort(radius)
    inside = np.cumsum(mass[order])
    return radius[order][np.searchsorted(inside, fraction * inside[-1])]


def axis_ratios(x, mass, radius):
    """b/a and c/a of the ellipsoid of semi-axes about `radius`: its reduced tensor sum m x x / d^2 over the particles
    inside, d the ellipsoidal radius, until the ellipsoid is that of its own tensor (Zemp et al. 2011: no weight of the
    outermost particles, volume kept)."""
    axes, turn = np.ones(3), np.eye(3)
    for _ in range(100):
        y = x @ turn
        d2 = ((y / axes)**2).sum(axis=1)
        inside = (d2 < radius**2) & (d2 > 0)
        tensor = (y[inside] * (mass[inside] / d2[inside])[:, None]).T @ y[inside]
        values, vectors = np.linalg.eigh(tensor)
        values, vectors = values[::-1], vectors[:, ::-1]  # longest first
        new = np.sqrt(values) / np.prod(values)**(1 / 6)
        settled = np.abs(new / axes - 1).max() < 1e-4
        axes, turn = new, turn @ vectors
        if settled:
            break
    return axes[1] / axes[0], axes[2] / axes[0]
