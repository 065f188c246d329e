#!/usr/bin/env python3
"""Satellites that sink: distance and angular momentum of a heavy particle in a live halo and in a rigid one with Chandrasekhar's
friction, and distance, angular momentum and bound mass of a live satellite. DIR is what `run` of this folder wrote."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import sinking  # noqa: E402 (of this folder)
import style  # noqa: E402
from style import plt  # noqa: E402

POINTS = {"point": ("C0", "-", "live halo"), "rigid_petts": ("black", "--", "friction, Petts et al."),
          "rigid_hashimoto": ("C1", ":", "friction, Hashimoto et al.")}


def draw_point(distance, momentum, folder):
    for name, (colour, line, label) in POINTS.items():
        time, r, j, _ = sinking.orbit(folder / name)
        distance.plot(time, r, line, color=colour, label=label)
        momentum.plot(time, j / j[0], line, color=colour)
    last = sinking.orbit(folder / "point")[0][-1]
    distance.set(ylabel="r / a", xlim=(0, last), ylim=(0, None))
    distance.legend()
    momentum.axhline(0.5, color="grey", linewidth=0.6)
    momentum.set(xlabel=r"$t\ (G M / a^3)^{1/2}$", ylabel=r"$j / j_0$", xlim=(0, last), ylim=(0, None))


def draw_live(distance, momentum, folder):
    time, r, j, mass = sinking.orbit(folder / "live")
    distance.plot(time, r, color="C0")
    distance.set(ylabel=r"$r / r_{vir}$", ylim=(0, None))
    momentum.plot(time, j / j[0], color="C0", label=r"$j / j_0$")
    momentum.plot(time, mass / mass[0], "--", color="C1", label="bound mass")
    momentum.axvline(sinking.boylan_kolchin(), color="black", linestyle=":", label="Boylan-Kolchin et al. 2008")
    momentum.axhline(0.05, color="grey", linewidth=0.6)
    momentum.set(xlabel=r"$t\ (G M / r_{vir}^3)^{1/2}$", ylabel="relative to the start", ylim=(0, None))
    momentum.legend()


def draw(options):
    figure, axes = plt.subplots(2, 2, figsize=(2 * style.ONE_COLUMN, 4.4), sharex="col")
    try:
        draw_point(axes[0, 0], axes[1, 0], options.folder)
        draw_live(axes[0, 1], axes[1, 1], options.folder)
    except (OSError, KeyError, IndexError) as error:
        raise style.PlotError(f"{options.folder}: {error}; expected what `run` of this folder writes") from error
    axes[0, 0].set_title("a heavy particle", fontsize=9)
    axes[0, 1].set_title("a live satellite, 1 : 10", fontsize=9)
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "sinking.png"))
