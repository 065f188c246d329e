#!/usr/bin/env python3
"""Length, width, track and energies of a tidal stream in the logarithmic halo, beside a particle spray (Fardal, Huang & Weinberg
2015): stream.py DIR prints a table of what `run` of this folder wrote, as CSV. kpc, km/s, 1e10 Msun.

Angles are those about the halo's centre in the plane of the cluster's orbit at that time: along it, counted from the cluster in
the direction of motion, and at right angles to it, in degrees."""
import csv
import pathlib
import sys

import h5py
import numpy as np

G, SPEED, FLATTENING = 43007.1, 220.0, 0.9
SPRAYED = 4000
TAILS = ("leading", "trailing")


def acceleration(x):
    weight = np.array([1, 1, 1 / FLATTENING**2])
    return -SPEED**2 * x * weight / (x * x * weight).sum(axis=-1)[..., None]


def potential(x):
    return SPEED**2 / 2 * np.log((x * x * [1, 1, 1 / FLATTENING**2]).sum(axis=-1))


def tidal_radius(x, v, mass):
    """[G m / (Omega^2 - d2Phi/dr2)]^(1/3), with d2Phi/dr2 = -v0^2 / r^2 along the radius; shapes [..., 3] and [...]."""
    square = (x * x).sum(axis=-1)
    omega = np.linalg.norm(np.cross(x, v), axis=-1) / square
    return np.cbrt(G * mass / (omega**2 + SPEED**2 / square))


def stars(snapshot):
    with h5py.File(snapshot) as file:
        part = file["PartType1"]
        return float(file["Header"].attrs["Time"]), part["Coordinates"][:], part["Velocities"][:]


def cluster(folder):
    """Times, places, velocities and bound mass of the cluster."""
    with open(folder / "orbit.csv") as rows:
        rows = [[float(row[key]) for key in ("time", "x", "y", "z", "vx", "vy", "vz", "bound_mass")] for row in csv.DictReader(rows)]
    table = np.array(rows)
    return table[:, 0], table[:, 1:4], table[:, 4:7], table[:, 7]


def spray(folder, seed=1, step=0.002):
    """Places and velocities of stars that leave both Lagrange points of the cluster evenly in time, moved in the halo alone to the
    last time: k_r = 2.0 +- 0.4, k_vphi = 0.3 +- 0.4, k_z and k_vz 0 +- 0.5 tidal radii. The cluster has its mass of the run.
    The second half of the arrays leads."""
    times, x, v, mass = cluster(folder)
    rng = np.random.default_rng(seed)
    count = SPRAYED // 2
    leave = np.tile(np.sort(rng.uniform(times[0], times[-1], count)), 2)
    sign = np.repeat([1.0, -1.0], count)
    k = rng.normal([2.0, 0.3, 0, 0], [0.4, 0.4, 0.5, 0.5], size=(2 * count, 4))

    steps = int(np.ceil((times[-1] - times[0]) / step))
    h = (times[-1] - times[0]) / steps
    here, speed = x[0].copy(), v[0].copy()  # the cluster as a point
    stars_x, stars_v = np.zeros((2 * count, 3)), np.zeros((2 * count, 3))
    released = np.zeros(2 * count, bool)
    for n in range(steps):
        now = times[0] + n * h
        new = ~released & (leave < now + h)
        if new.any():
            radius = np.linalg.norm(here)
            pole = np.cross(here, speed)
            pole /= np.linalg.norm(pole)
            outward = here / radius
            ahead = np.cross(pole, outward)
            tide = tidal_radius(here, speed, np.interp(now, times, mass))
            offset = (sign * k[:, 0] * tide)[new]
            stars_x[new] = here + offset[:, None] * outward + (k[:, 2] * tide)[new][:, None] * pole
            omega = speed @ ahead / radius
            stars_v[new] = speed + (offset * k[new, 1] * omega)[:, None] * ahead + (k[:, 3] * tide * omega)[new][:, None] * pole
            released |= new
        for at, moving in ((stars_x, stars_v), (here[None], speed[None])):
            moving += h / 2 * acceleration(np.where(at == 0, 1, at))
            at += h * moving
            moving += h / 2 * acceleration(np.where(at == 0, 1, at))
    return stars_x, stars_v


def frame(x, v):
    """Rows: outward, ahead, pole of the orbit of a body there."""
    pole = np.cross(x, v)
    outward, pole = x / np.linalg.norm(x), pole / np.linalg.norm(pole)
    return np.array([outward, np.cross(pole, outward), pole])


def angles(x, axes):
    """Degrees along and at right angles to the plane, and distances."""
    along = x @ axes.T
    radius = np.linalg.norm(x, axis=1)
    return np.degrees(np.arctan2(along[:, 1], along[:, 0])), np.degrees(np.arcsin(along[:, 2] / radius)), radius


def measures(x, v, here, speed, mass):
    """For each tail: number of stars, length (the angle within which 90 % of its stars are), and width at right angles to the plane
    (the dispersion about a straight track), both in degrees, and the median of (E - E_cluster) / (r_t dPhi/dr). Stars within three
    tidal radii of the cluster do not count."""
    tide = tidal_radius(here, speed, mass)
    away = np.linalg.norm(x - here, axis=1) > 3 * tide
    along, across, _ = angles(x[away], frame(here, speed))
    energy = (v[away]**2).sum(axis=1) / 2 + potential(x[away]) - (speed @ speed / 2 + potential(here))
    scale = tide * SPEED**2 / np.linalg.norm(here)
    result = {}
    for name, chosen in zip(TAILS, (along > 0, along < 0)):
        length = np.percentile(np.abs(along[chosen]), 90)
        near = chosen & (np.abs(along) < length)
        fit = np.polyfit(along[near], across[near], 2)
        result[name] = (int(chosen.sum()), length, np.std(across[near] - np.polyval(fit, along[near])),
                        np.median(energy[chosen]) / scale, fit)
    return result


def track_distance(first, second):
    """Root mean square distance of both tracks at right angles to the plane, in degrees, over the shorter length."""
    result = []
    for name in TAILS:
        sign = 1 if name == "leading" else -1
        along = sign * np.linspace(0, min(first[name][1], second[name][1]), 50)
        result.append(np.sqrt(np.mean((np.polyval(first[name][4], along) - np.polyval(second[name][4], along))**2)))
    return result


def compare(folder):
    """The measures of the run and of the spray at the last time, and the distances of their tracks."""
    times, place, velocity, mass = cluster(folder)
    _, x, v = stars(sorted(folder.glob("snapshot_*.hdf5"))[-1])
    state = place[-1], velocity[-1], mass[-1]
    sprayed = spray(folder)
    run, model = measures(x, v, *state), measures(*sprayed, *state)
    return run, model, track_distance(run, model), sprayed


def main():
    run, model, distance, _ = compare(pathlib.Path(sys.argv[1]))
    print("stars,tail,number,length,width,energy,track_distance")
    for name, found in (("run", run), ("spray", model)):
        for tail, apart in zip(TAILS, distance):
            number, length, width, energy, _ = found[tail]
            print(f"{name},{tail},{number},{length:.4g},{width:.4g},{energy:.4g},{apart:.4g}")


if __name__ == "__main__":
    main()
