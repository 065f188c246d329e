#!/usr/bin/env python3
"""When the satellites of `run` of this folder have lost their angular momentum, beside the literature: sinking.py DIR prints a
table as CSV. Angular momenta are those of a unit of mass about the densest part of the halo."""
import csv
import pathlib
import sys

import numpy as np

MASS_RATIO, CIRCULARITY = 10.0, 0.5


def boylan_kolchin(ratio=MASS_RATIO, eta=CIRCULARITY, radius=1.0):
    """Merging time in dynamical times (r_vir^3 / G M)^(1/2) of a satellite of 1 / ratio of its host's mass (Boylan-Kolchin, Ma
    & Quataert 2008, equation 5), on an orbit of that circularity and with the energy of the circular one at `radius` virial
    radii."""
    return 0.216 * ratio**1.3 / np.log(1 + ratio) * np.exp(1.9 * eta) * radius


def orbit(folder, satellite=1):
    """Times, distance, specific angular momentum and bound mass of the satellite about component 0, or about the origin where it
    is the only component."""
    with open(folder / "orbit.csv") as rows:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(rows)]
    of = {k: np.array([[row[c] for c in ("time", "x", "y", "z", "vx", "vy", "vz", "bound_mass")] for row in rows
                       if row["component"] == k]) for k in (0, satellite)}
    if len(of[satellite]) == 0:
        about, moving = np.zeros_like(of[0]), of[0]
    else:
        about, moving = of[0], of[satellite]
    x, v = moving[:, 1:4] - about[:, 1:4], moving[:, 4:7] - about[:, 4:7]
    return moving[:, 0], np.linalg.norm(x, axis=1), np.linalg.norm(np.cross(x, v), axis=1), moving[:, 7]


def time_of_share(times, momentum, share):
    """When the angular momentum first falls to that share of its first value; nan where it does not."""
    below = np.flatnonzero(momentum <= share * momentum[0])
    if len(below) == 0:
        return np.nan
    k = below[0]
    return np.interp(share * momentum[0], momentum[[k, k - 1]], times[[k, k - 1]])


def measures(folder):
    """The numbers of table.csv: times at which the point has half of its angular momentum, live and by the formulas, and at
    which the live satellite has a twentieth."""
    found = {name: time_of_share(*orbit(folder / name)[0::2][:2], 0.5) for name in ("point", "rigid_petts", "rigid_hashimoto")}
    time, _, momentum, _ = orbit(folder / "live")
    return found | {"live": time_of_share(time, momentum, 0.05), "boylan_kolchin": boylan_kolchin()}


if __name__ == "__main__":
    print("number,time")
    for name, value in measures(pathlib.Path(sys.argv[1])).items():
        print(f"{name},{value:.4g}")
