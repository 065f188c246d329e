"""How far the expansions are from the direct sum: particles (by id), centres of the galaxy, and forces in one state."""
import h5py
import numpy as np

EXPANSIONS = ["0_0", "8_8", "8_8_recentred"]
TRUTH, CONTROL = "direct", "direct_softer"


def state(file):
    """Time and positions in the order of the ids, in the run's n-body units."""
    with h5py.File(file) as snapshot:
        unit, group = snapshot["Provenance"].attrs, snapshot["PartType1"]
        order = np.argsort(group["ParticleIDs"][:])
        time = snapshot["Header"].attrs["Time"] / unit["FileTimePerInternal"]
        return round(time, 9), group["Coordinates"][:][order] / unit["FileLengthPerInternal"]


def displacements(folder, run, number):
    """Time, and how far each particle is from where it is in the direct sum, by the radius it started from."""
    time, truth = state(folder / TRUTH / f"snapshot_{number:03}.hdf5")
    _, start = state(folder / TRUTH / "snapshot_000.hdf5")
    _, found = state(folder / run / f"snapshot_{number:03}.hdf5")
    distance = np.linalg.norm(found - truth, axis=1)
    return time, distance[np.argsort(np.linalg.norm(start, axis=1))]


def force_errors(folder, expansion, number):
    """|a - a_direct| / |a_direct| of each particle of the direct sum's state."""
    names = [folder / "forces" / f"{name}_{number:03}.hdf5" for name in (TRUTH, expansion)]
    truth, found = (h5py.File(name)["Accelerations"][:] for name in names)
    return np.linalg.norm(found - truth, axis=1) / np.linalg.norm(truth, axis=1)


def numbers(folder):
    return [int(file.stem[-3:]) for file in sorted((folder / TRUTH).glob("snapshot_*.hdf5"))]


def table(folder):
    """The measured numbers as lines of text: inner half: particles that started inside the half-mass radius."""
    lines = ["time,run,rms_displacement,rms_displacement_inner_half,median_displacement_inner_half,median_force_error,"
             "force_error_90_percent"]
    for number in numbers(folder):
        for run in [*EXPANSIONS, CONTROL]:
            time, distance = displacements(folder, run, number)
            inner = distance[:len(distance) // 2]
            values = [np.sqrt((distance**2).mean()), np.sqrt((inner**2).mean()), np.median(inner)]
            if run in EXPANSIONS:
                values += np.percentile(force_errors(folder, run, number), [50, 90]).tolist()
            else:
                values += [float("nan")] * 2
            lines.append(",".join([f"{time:g}", run] + [f"{value:.4g}" for value in values]))
    return lines
