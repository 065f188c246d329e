#!/usr/bin/env python3
"""Numbers of arms and amplification of the noise: arms.py DIR prints a table of what `run` of this folder wrote, as CSV.

In rings c_m = |sum exp(i m phi)| / N is taken for m = 1 to 16 at all times; N stars without arms have the mean square 1 / N. The
number of arms of a ring is the mean of m, weighted with c_m^2 - 1 / N where that is positive; the formula's is m = kappa^2 R /
(4 pi G Sigma), where X = 2 (Toomre 1981; D'Onghia, Vogelsberger & Hernquist 2013), as `aureole ics` prints it (X2)."""
import pathlib
import re
import sys

import h5py
import numpy as np

RINGS = (1.5, 2.0, 2.5, 3.0)  # radii of the table that `aureole ics` prints
HALF_WIDTH = 0.25
ORDERS = np.arange(1, 17)
SINCE = 5.0  # times from which arms are counted


def expected(log):
    """kappa^2 R / (4 pi G Sigma) at RINGS, from the log of `aureole ics`."""
    found = {}
    for line in log.read_text().splitlines():
        words = line.split()
        if len(words) == 10 and re.fullmatch(r"[0-9.]+", words[0]):
            found[float(words[0])] = float(words[4])
    return np.array([found[radius] for radius in RINGS])


def coefficients(folder):
    """Times, c_m^2 [times, rings, orders], and the stars of each ring in the mean."""
    times, squares, counts = [], [], []
    for snapshot in sorted(folder.glob("snapshot_*.hdf5")):
        with h5py.File(snapshot) as file:
            part = next(file[name] for name in ("PartType2", "PartType1") if name in file)
            x, y = part["Coordinates"][:, 0], part["Coordinates"][:, 1]
            times.append(float(file["Header"].attrs["Time"]))
        radius, phi = np.hypot(x, y), np.arctan2(y, x)
        rings = [phi[np.abs(radius - ring) < HALF_WIDTH] for ring in RINGS]
        squares.append([[np.abs(np.exp(1j * m * ring).mean())**2 for m in ORDERS] for ring in rings])
        counts.append([len(ring) for ring in rings])
    if not times:
        raise OSError(f"{folder}: no snapshots; `run` of this folder writes them")
    return np.array(times), np.array(squares), np.mean(counts, axis=0)


def measures(folder):
    """Numbers of arms at RINGS, and how many times its noise the amplitude of all m is at most, in the mean of the rings."""
    times, squares, counts = coefficients(folder)
    power = np.maximum(squares[times >= SINCE].mean(axis=0) - 1 / counts[:, None], 0)
    arms = (power * ORDERS).sum(axis=1) / power.sum(axis=1)
    amplitude = np.sqrt(squares.sum(axis=2) / len(ORDERS) * counts).mean(axis=1)
    return arms, amplitude.max()


def disks(folder):
    return sorted(path for path in folder.glob("f*_q*") if path.is_dir())


def main():
    print("disk,radius,arms,expected_arms,amplification")
    for disk in disks(pathlib.Path(sys.argv[1])):
        arms, amplification = measures(disk)
        for row in zip(RINGS, arms, expected(disk.with_name(disk.name + ".log"))):
            print(f"{disk.name}," + ",".join(f"{value:.4g}" for value in row) + f",{amplification:.4g}")


if __name__ == "__main__":
    main()
