#!/usr/bin/env python3
"""When bars form: bars.py DIR prints a table of what `run` of this folder wrote, as CSV; bars.py DIR DIR... of several seeds, for each
run, how many have a time at which A2 first reaches 0.2 and one from which it stays above, with mean and scatter of theirs; bars.py --halo-mass F the mass of the
Hernquist halo (a = 8 R_d) beside which the disk makes F of the square of the circular velocity at 2.2 R_d (G = M_d = R_d = 1)."""
import csv
import pathlib
import sys

import numpy as np

GYR = 0.0099  # the unit of time for a disk of 4e10 Msun and 2.6 kpc
BAR = 0.2
DISK_SPEED_SQUARED, RADIUS, SCALE = 0.3704437, 2.2, 8.0  # v_d^2 of the disk with z_d = 0.1 there


def halo_mass(share):
    return DISK_SPEED_SQUARED * (1 / share - 1) * (RADIUS + SCALE)**2 / RADIUS


def fujii(share):
    """Least, middle and largest time in Gyr at which A2 reaches 0.2 (Fujii et al. 2018): 0.146 +- 0.079 exp[(1.38 +- 0.17) / f_d]."""
    return [(0.146 + sign * 0.079) * np.exp((1.38 + sign * 0.17) / share) for sign in (-1, 0, 1)]


def log(folder):
    """Columns of bar.csv."""
    with open(folder / "bar.csv") as rows:
        rows = list(csv.DictReader(rows))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def bar_time(folder):
    """The first time from which A2 stays above 0.2 to the end, if for at least 10 units; nan where there is none."""
    table = log(folder)
    below = np.flatnonzero(~(table["a2_max"] > BAR))
    first = below[-1] + 1 if len(below) else 0
    if first >= len(table["time"]) or table["time"][-1] - table["time"][first] < 10:
        return np.nan
    return table["time"][first]


def first_passage(folder):
    """The first time at which A2 reaches 0.2; nan where it does not."""
    table = log(folder)
    above = np.flatnonzero(table["a2_max"] > BAR)
    return table["time"][above[0]] if len(above) else np.nan


def print_scatter(folders):
    """Of runs of the same name in several folders, Gyr: over those that have the time, whose numbers stand before it."""
    print("run,seeds,with_first,first_gyr,first_scatter,with_stays,stays_gyr,stays_scatter,least_gyr,fujii_gyr,largest_gyr")
    for name in sorted({run.name for folder in folders for run in runs(folder)}):
        found = [folder / name for folder in folders if (folder / name / "bar.csv").exists()]
        numbers = []
        for measure in (first_passage, bar_time):
            times = GYR * np.array([measure(run) for run in found])
            times = times[np.isfinite(times)]
            numbers += [len(times), times.mean() if len(times) else np.nan, times.std(ddof=1) if len(times) > 1 else np.nan]
        limits = ",".join(f"{value:.3g}" for value in fujii(float(name.partition("_")[2])))
        print(f"{name},{len(found)}," + ",".join(f"{value:.3g}" for value in numbers) + f",{limits}")


def runs(folder):
    return sorted(path.parent for path in folder.glob("*_*/bar.csv"))


def main():
    if sys.argv[1] == "--halo-mass":
        print(f"{halo_mass(float(sys.argv[2])):.6g}")
        return
    if len(sys.argv) > 2:
        print_scatter([pathlib.Path(name) for name in sys.argv[1:]])
        return
    print("run,f_d,bar_time,bar_gyr,least_gyr,fujii_gyr,largest_gyr,last_a2,last_time")
    for run in runs(pathlib.Path(sys.argv[1])):
        share, time, table = float(run.name.partition("_")[2]), bar_time(run), log(run)
        least, middle, largest = fujii(share)
        print(f"{run.name},{share:g},{time:.4g},{GYR * time:.3g},{least:.3g},{middle:.3g},{largest:.3g},"
              f"{table['a2_max'][-1]:.3g},{table['time'][-1]:g}")


if __name__ == "__main__":
    main()
