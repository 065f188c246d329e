#!/usr/bin/env python3
"""Stars that an encounter has drawn out of their disks: tails.py DIR prints a table of what `run` of this folder wrote, as CSV.
Lengths in scale lengths of the disks, G = M_d = 1; times after the pericentre in units of (r_p^3 / G M)^(1/2), r_p the distance
of the bulges at the pericentre, M the mass of both galaxies within r_p."""
import csv
import pathlib
import sys

import h5py
import numpy as np

BULGES = (1, 4)
FAR = 6.0  # of an exponential disk 1.7 % lie beyond 6 scale lengths
UNITS_OF_TIME = (2, 4, 6)
ENCOUNTERS = ("direct", "retrograde", "crossed")


def snapshots(folder):
    found = sorted(folder.glob("snapshot_*.hdf5"))
    if not found:
        raise OSError(f"{folder}: no snapshots; `run` of this folder writes them")
    return found


def stars(snapshot, velocities=False):
    """Time, places [n, 3], velocities (or None), and which galaxy (0, 1) each star comes from, in the order of ids. In the
    restricted run, where stars are one component, the first half belongs to the first galaxy."""
    with h5py.File(snapshot) as file:
        part = next(file[name] for name in ("PartType2", "PartType1") if name in file)
        order = np.argsort(part["ParticleIDs"][:])
        x = part["Coordinates"][:][order]
        component = part["ComponentIDs"][:][order] if "ComponentIDs" in part else np.zeros(len(x))
        v = part["Velocities"][:][order] if velocities else None
        time = float(file["Header"].attrs["Time"])
    if np.all(component == component[0]):
        component = np.arange(len(x)) >= len(x) // 2
    return time, x, v, (component > 0).astype(int)


def centres(folder):
    """Times, and the places [2, n, 3] of both bulges."""
    with open(folder / "orbit.csv") as rows:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(rows)]
    of = [[row for row in rows if row["component"] == bulge] for bulge in BULGES]
    times = np.array([row["time"] for row in of[0]])
    return times, np.array([[[row[axis] for axis in "xyz"] for row in one] for one in of])


def pericentre(folder):
    """Time and distance of the first one, by a parabola through the nearest three distances, and the unit of time there."""
    times, (first, second) = centres(folder)
    distance = np.linalg.norm(first - second, axis=1)
    k = next((k for k in range(1, len(distance) - 1)
              if distance[k] < 6 and distance[k] == distance[max(0, k - 4):k + 5].min()), len(distance) - 2)
    fit = np.polyfit(times[k - 1:k + 2] - times[k], distance[k - 1:k + 2], 2)
    shift = np.clip(-fit[1] / (2 * fit[0]), -1, 1) if fit[0] > 0 else 0.0
    least = np.polyval(fit, shift)
    within = 20 * (least / (least + 8))**2 + 0.2 * (least / (least + 0.2))**2 + 1 - (1 + least) * np.exp(-least)
    return times[k] + shift, least, np.sqrt(least**3 / (2 * within))


def measures(live, folder):
    """Rows (units of time since the pericentre, time, share of stars that are farther than FAR from both centres, distance from the own
    centre within which 98 % of the stars are, their differences between the galaxies) of the stars of `folder`; centres are
    those of the run `live`."""
    start, _, unit = pericentre(live)
    times, places = centres(live)
    found = [(stars(one)) for one in snapshots(folder)]
    rows = []
    for units in UNITS_OF_TIME:
        time, x, _, galaxy = min(found, key=lambda one: abs(one[0] - start - units * unit))
        at = [[np.interp(time, times, path[:, axis]) for axis in range(3)] for path in places]
        distance = np.linalg.norm(x[None] - np.array(at)[:, None], axis=2)
        own = np.where(galaxy == 0, distance[0], distance[1])
        far = distance.min(axis=0) > FAR
        share = [far[galaxy == k].mean() for k in (0, 1)]
        length = [np.percentile(own[galaxy == k], 98) for k in (0, 1)]
        rows.append([units, time, np.mean(share), np.mean(length), abs(share[0] - share[1]), abs(length[0] - length[1])])
    return rows


def table(folder):
    lines = ["encounter,stars,units,time,share,length,share_difference,length_difference"]
    for name in ENCOUNTERS:
        for kind in ("live", "restricted"):
            run = folder / (name if kind == "live" else name + "_restricted")
            if run.is_dir():
                lines += [f"{name},{kind}," + ",".join(f"{value:.5g}" for value in row) for row in measures(folder / name, run)]
    return lines


if __name__ == "__main__":
    print("\n".join(table(pathlib.Path(sys.argv[1]))))
