#!/usr/bin/env python3
"""Numbers of arms and amplification of the noise: arms.py DIR prints a table of what `run` of this folder wrote, as CSV; arms.py
--response DIR one of what `response` wrote; arms.py --body LOG R the field of the body at radius R; arms.py --radii those of bodies.

In rings c_m = |sum exp(i m phi)| / N is taken for m = 1 to 16 at all times; N stars without arms have the mean square 1 / N. The
number of arms of a ring is the mean of m, weighted with c_m^2 - 1 / N where that is positive; the formula's is m = kappa^2 R /
(4 pi G Sigma), where X = 2 (Toomre 1981; D'Onghia, Vogelsberger & Hernquist 2013), as `aureole ics` prints it (X2).

The response to a body is c_m of the disk with it less c_m of the same disk without it, complex, in the ring at the body's radius, for m =
1 to 28, below the first order of the quiet start, 32. The number of arms is the order with the largest mean square
from SINCE on, by a parabola through it and its neighbours, and beside it stands the mean of m weighted with that square; the mass of the
response, in those of the body, is the root of the sum of the squares times the mass of the ring."""
import pathlib
import re
import sys

import h5py
import numpy as np

RINGS = (1.5, 2.0, 2.5, 3.0)  # radii of the table that `aureole ics` prints
HALF_WIDTH = 0.25
ORDERS = np.arange(1, 17)
SINCE = 5.0  # times from which arms are counted
BODY, BODY_RADIUS, GROWTH = 1e-4, 0.1, 2.0  # mass in that of the disk, Plummer radius, time in which it grows
RESPONSE_ORDERS = np.arange(1, 29)


def printed(log, column):
    """A column of the table that `aureole ics` prints, at RINGS."""
    found = {}
    for line in log.read_text().splitlines():
        words = line.split()
        if len(words) == 10 and re.fullmatch(r"[0-9.]+", words[0]):
            found[float(words[0])] = float(words[column])
    return np.array([found[radius] for radius in RINGS])


def expected(log):
    """kappa^2 R / (4 pi G Sigma) at RINGS."""
    return printed(log, 4)


def body_field(log, radius):
    """The field of a body on the circular orbit at one of RINGS, as a part of gravity.external.fields."""
    turn = printed(log, 1)[RINGS.index(radius)] / radius
    times = np.arange(0, 15.2, 0.1)
    places = ", ".join(f"[{radius * np.cos(turn * t):.10g}, {radius * np.sin(turn * t):.10g}, 0]" for t in times)
    return (f"{{plummer: {{mass: {BODY}, scale_radius: {BODY_RADIUS}}}, growth: {{start: 0, end: {GROWTH}}}, "
            f"path: {{times: [{', '.join(f'{t:.10g}' for t in times)}], positions: [{places}]}}}}")


def ring_angles(folder):
    """Of each snapshot the time, how many stars there are, and the azimuths of those in each ring."""
    snapshots = sorted(folder.glob("snapshot_*.hdf5"))
    if not snapshots:
        raise OSError(f"{folder}: no snapshots; `run` of this folder writes them")
    for snapshot in snapshots:
        with h5py.File(snapshot) as file:
            part = next(file[name] for name in ("PartType2", "PartType1") if name in file)
            x, y = part["Coordinates"][:, 0], part["Coordinates"][:, 1]
            time = float(file["Header"].attrs["Time"])
        radius, phi = np.hypot(x, y), np.arctan2(y, x)
        yield time, len(x), [phi[np.abs(radius - ring) < HALF_WIDTH] for ring in RINGS]


def coefficients(folder):
    """Times, c_m^2 [times, rings, orders], and the stars of each ring in the mean."""
    times, squares, counts = [], [], []
    for time, _, rings in ring_angles(folder):
        times.append(time)
        squares.append([[np.abs(np.exp(1j * m * ring).mean())**2 for m in ORDERS] for ring in rings])
        counts.append([len(ring) for ring in rings])
    return np.array(times), np.array(squares), np.mean(counts, axis=0)


def measures(folder):
    """Numbers of arms at RINGS, and how many times its noise the amplitude of all m is at most, in the mean of the rings."""
    times, squares, counts = coefficients(folder)
    power = np.maximum(squares[times >= SINCE].mean(axis=0) - 1 / counts[:, None], 0)
    total = power.sum(axis=1)
    arms = np.where(total > 0, (power * ORDERS).sum(axis=1) / np.where(total > 0, total, 1), np.nan)  # quiet starts may have no more
    amplitude = np.sqrt(squares.sum(axis=2) / len(ORDERS) * counts).mean(axis=1)
    return arms, amplitude.max()


def masses_of_orders(folder, ring):
    """Times, and the mass of the ring in that of the disk times c_m [times, orders]."""
    found = [(time, [np.exp(1j * m * rings[ring]).sum() / n for m in RESPONSE_ORDERS]) for time, n, rings in ring_angles(folder)]
    return np.array([time for time, _ in found]), np.array([c for _, c in found])


def response(folder, ring):
    """Of what the body at RINGS[ring] raises there: the strongest order, the mean one, and the largest mass in its own."""
    times, still = masses_of_orders(folder, ring)
    _, driven = masses_of_orders(folder / f"at_{RINGS[ring]:g}", ring)
    power = np.abs(driven - still)**2
    late = power[times >= SINCE].sum(axis=0)
    mean = (late * RESPONSE_ORDERS).sum() / late.sum()
    return strongest(late), mean, np.sqrt(power.sum(axis=1)).max() / BODY


def strongest(power):
    """The order at the top of a parabola through the largest value and its neighbours."""
    top = int(power.argmax())
    if not 0 < top < len(power) - 1:
        return float(RESPONSE_ORDERS[top])
    before, at, after = power[top - 1:top + 2]
    return RESPONSE_ORDERS[top] + (before - after) / (2 * (before - 2 * at + after))


def print_responses(folder):
    print("disk,radius,arms,expected_arms,mean_arms,response")
    for disk in disks(folder):
        for ring, (radius, formula) in enumerate(zip(RINGS, expected(disk.with_name(disk.name + ".log")))):
            arms, mean, mass = response(disk, ring)
            print(f"{disk.name},{radius:g}," + ",".join(f"{value:.4g}" for value in (arms, formula, mean, mass)))


def disks(folder):
    return sorted(path for path in folder.glob("f*_q*") if path.is_dir())


def main():
    if sys.argv[1] == "--radii":
        print(*(f"{radius:g}" for radius in RINGS))
        return
    if sys.argv[1] == "--body":
        print(body_field(pathlib.Path(sys.argv[2]), float(sys.argv[3])))
        return
    if sys.argv[1] == "--response":
        print_responses(pathlib.Path(sys.argv[2]))
        return
    print("disk,radius,arms,expected_arms,amplification")
    for disk in disks(pathlib.Path(sys.argv[1])):
        arms, amplification = measures(disk)
        for row in zip(RINGS, arms, expected(disk.with_name(disk.name + ".log"))):
            print(f"{disk.name}," + ",".join(f"{value:.4g}" for value in row) + f",{amplification:.4g}")


if __name__ == "__main__":
    main()
