"""Shape and anisotropy of a galaxy in a snapshot, in the run's n-body units. All particles weigh the same."""
import h5py
import numpy as np


def state(file):
    """Time, positions, velocities."""
    with h5py.File(file) as snapshot:
        unit, group = snapshot["Provenance"].attrs, snapshot["PartType1"]
        return (round(snapshot["Header"].attrs["Time"] / unit["FileTimePerInternal"], 9),
                group["Coordinates"][:] / unit["FileLengthPerInternal"],
                group["Velocities"][:] / unit["FileVelocityPerInternal"])


def centred(x):
    """Positions from the mean position of the half of the particles around it."""
    centre = np.median(x, axis=0)
    for _ in range(50):
        r = np.linalg.norm(x - centre, axis=1)
        centre, before = x[r <= np.median(r)].mean(axis=0), centre
        if np.linalg.norm(centre - before) < 1e-6:
            break
    return x - centre


def directions(x):
    """c/a of the directions in which the inner half lies: roots of the eigenvalues of the reduced tensor sum x x / r^2 over
    the sphere that holds half of the particles. Not iterated, so rounder than the galaxy."""
    x = centred(x)
    r = np.linalg.norm(x, axis=1)
    unit = x[(r <= np.median(r)) & (r > 0)] / r[(r <= np.median(r)) & (r > 0), None]
    values = np.linalg.eigvalsh(unit.T @ unit)
    return np.sqrt(values[0] / values[-1])


def axis_ratios(x):
    """b/a and c/a of the ellipsoid that holds half of the particles: roots of the eigenvalues of sum x x over those inside
    an ellipsoid with these axes, found by iteration from a sphere (Katz 1991)."""
    x = centred(x)
    turn, axes = np.eye(3), np.ones(3)
    for _ in range(200):
        radius = np.linalg.norm(x @ turn / axes, axis=1)
        inside = x[radius <= np.median(radius)]
        values, turn = np.linalg.eigh(inside.T @ inside)
        before, axes = axes, np.sqrt(values / values[-1])
        if np.abs(axes - before).max() < 1e-5:
            break
    return axes[1], axes[0]


def radial_to_tangential(x, v):
    """2 T_r / T_t: 1 for isotropic orbits."""
    x, v = centred(x), v - v.mean(axis=0)
    radial = (x * v).sum(axis=1)**2 / (x**2).sum(axis=1)
    return 2 * radial.sum() / ((v**2).sum() - radial.sum())


def history(folder):
    """Rows of time, c/a by directions, b/a and c/a of the ellipsoid, 2 T_r / T_t: one per snapshot of a run."""
    rows = []
    for file in sorted(folder.glob("snapshot_*.hdf5")):
        time, x, v = state(file)
        rows.append([time, directions(x), *axis_ratios(x), radial_to_tangential(x, v)])
    return np.array(rows)
