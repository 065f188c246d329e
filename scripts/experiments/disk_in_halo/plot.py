#!/usr/bin/env python3
"""Relative energy error and momentum over time of the runs that `run` of this folder wrote in DIR: one kernel for both
directions (expansion, particles), two kernels (mixed), and the tree for all."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import style  # noqa: E402
from style import plt  # noqa: E402

RUNS = {"expansion": ("C0", "-", "expansion both ways"), "particles": ("C2", "-", "particles both ways"),
        "mixed": ("C3", "-", "mixed"), "tree": ("black", "--", "tree for all")}


def draw(options):
    figure, (energy, momentum) = plt.subplots(1, 2, figsize=(2 * style.ONE_COLUMN, 3))
    for name, (colour, line, label) in RUNS.items():
        table = style.read_table(options.folder / name / "energy.csv", ["time", "relative_error", "momentum_drift"])
        energy.plot(table["time"], table["relative_error"], line, color=colour, label=label)
        momentum.semilogy(table["time"], table["momentum_drift"], line, color=colour)
    energy.set(xlabel="time", ylabel=r"$\Delta E / |E|$")
    energy.legend()
    momentum.set(xlabel="time", ylabel=r"$|P| / M \sigma$")
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "drift.png"))
