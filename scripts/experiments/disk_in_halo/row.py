#!/usr/bin/env python3
"""A row of table.csv: row.py NAME DIRECTORY of a run. Seconds of a step are those of forces, without the first record."""
import csv
import pathlib
import sys


def rows(file):
    with open(file) as lines:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(lines)]


def main():
    name, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    energy, timings = rows(folder / "energy.csv"), rows(folder / "timings.csv")
    seconds = timings[-1]["forces_seconds"] - timings[0]["forces_seconds"]
    steps = timings[-1]["step"] - timings[0]["step"]
    errors = [row["relative_error"] for row in energy]
    print(f"{name},{seconds / steps:.4g},{max(map(abs, errors)):.3e},{errors[-1]:.3e},"
          f"{energy[-1]['momentum_drift']:.3e}")


if __name__ == "__main__":
    main()
