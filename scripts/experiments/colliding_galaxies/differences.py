"""How far two runs of the same particles are apart at equal times, from their snapshots."""
import h5py
import numpy as np


def state(snapshot):
    """Time, and places [n, 3] of all particles in the order of their ids."""
    with h5py.File(snapshot) as file:
        parts = [file[name] for name in file if name.startswith("PartType")]
        ids = np.concatenate([part["ParticleIDs"][:] for part in parts])
        x = np.concatenate([part["Coordinates"][:] for part in parts])
        return file["Header"].attrs["Time"], x[np.argsort(ids)]


def displacements(first, second):
    """Columns of time, median and 90 % distance between the places of a particle in the two runs, for every snapshot that
    both folders have."""
    rows = []
    for snapshot in sorted(first.glob("snapshot_*.hdf5")):
        if not (second / snapshot.name).exists():
            continue
        (time, x), (other_time, other_x) = state(snapshot), state(second / snapshot.name)
        if abs(time - other_time) > 1e-9 * abs(time):
            raise ValueError(f"{snapshot.name} is of time {time} in {first} and {other_time} in {second}")
        rows.append([time, *np.percentile(np.linalg.norm(x - other_x, axis=1), [50, 90])])
    return np.array(rows).reshape(-1, 3).T
