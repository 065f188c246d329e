#!/usr/bin/env python3
"""What a live disk kept: disk.py DIR N_HALO ROTATIONS prints, as CSV, by how much surface density, height and vertical dispersion of
the disk in DIR changed from the first profile to the last, what halo particles heat by Chandrasekhar's formula, the largest A2 and the
largest relative error of the energy."""
import csv
import math
import pathlib
import sys

import numpy as np

RADII = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0)
HALF_WIDTH = 0.15  # of ln R, over which rings are averaged
TURN = 17.516


def columns(file):
    with open(file) as lines:
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    return {name: np.array([float(row[name]) if row[name] else np.nan for row in rows]) for name in rows[0]}


def at_radii(profile, name):
    """Means of a column over the rings near each radius, weighted by their particles."""
    result = []
    for radius in RADII:
        near = np.abs(np.log(profile["Radius"] / radius)) < HALF_WIDTH
        result.append(np.average(profile[name][near], weights=profile["Count"][near]))
    return np.array(result)


def heating(n_halo, rotations, rho=0.0074823, s=0.6, speed=0.89676, logarithm=4.0, mass=25.9099):
    """By how much sigma_z^2 at R = 2.5 grows (Binney & Tremaine 2008, eq. 7.92, for a Maxwellian halo), as a share of 0.06814^2."""
    x = speed / (math.sqrt(2) * s)
    g = (math.erf(x) - 2 * x / math.sqrt(math.pi) * math.exp(-x * x)) / (2 * x * x)
    rate = 0.5 * 4 * math.sqrt(2) * math.pi * rho * mass / n_halo * logarithm / s * (math.erf(x) - g) / x
    return rate * TURN * rotations / 0.06814375**2


def main():
    folder, n_halo, rotations = pathlib.Path(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
    files = sorted(folder.glob("profile_*.csv"))
    first, last = columns(files[0]), columns(files[-1])
    print("number,radius,first,last,change")
    for label, name in (("surface_density", "SurfaceDensity"), ("height", "HalfMassHeight"), ("sigma_z", "VerticalDispersion"),
                        ("sigma_R", "RadialDispersion")):
        for radius, a, b in zip(RADII, at_radii(first, name), at_radii(last, name)):
            print(f"{label},{radius:g},{a:.5g},{b:.5g},{b / a - 1:.4f}")
    print(f"sigma_z^2 by halo particles,2.5,,,{heating(n_halo, rotations):.4f}")
    bar, energy = columns(folder / "bar.csv"), columns(folder / "energy.csv")
    print(f"largest A2,,{bar['a2_max'][0]:.4g},{bar['a2_max'][-1]:.4g},{np.nanmax(bar['a2_max']):.4g}")
    error = next(name for name in energy if "error" in name)
    print(f"largest energy error,,,,{np.nanmax(np.abs(energy[error])):.3g}")


if __name__ == "__main__":
    main()
