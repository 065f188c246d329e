#!/usr/bin/env python3
"""Tails and bridges: the rings of Toomre & Toomre after a direct and a retrograde passage, stars of both live disks at 4 units
of time after the pericentre, and how many are far from both galaxies. DIR is what `run` of this folder wrote."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import style  # noqa: E402
from style import np, plt  # noqa: E402

TITLES = {"direct": "direct, i = 0", "retrograde": "retrograde, i = 180", "crossed": "i = 60, w = -30"}


def modules():
    try:
        import rings
        import tails
        return rings, tails
    except ImportError as error:
        raise style.PlotError(f"{error}; expected h5py") from error


def draw_rings(axes, rings, tails, folder, name):
    time, x, *_ = tails.stars(sorted((folder / f"rings_{name}").glob("snapshot_*.hdf5"))[3])
    relative, _ = rings.parabola(time + rings.START)
    first = 0
    for radius, number in rings.RINGS:
        axes.plot(*x[first:first + number, :2].T, ".", markersize=2.5, label=f"{radius:g}")
        first += number
    for centre in (-relative / 2, relative / 2):
        axes.plot(*centre[:2], "k+", markersize=7)
    axes.set_title(f"rings, {name}, t = {time + rings.START:g}", fontsize=9)
    axes.set(aspect="equal", xlim=(-10, 10), ylim=(-10, 10), xlabel="x / q", ylabel="y / q")


def draw_disks(axes, tails, folder, name):
    start, _, unit = tails.pericentre(folder / name)
    time, x, _, galaxy = min((tails.stars(one) for one in tails.snapshots(folder / name)), key=lambda one: abs(one[0] - start - 4 * unit))
    size = 0.4 if len(x) > 4000 else 1.5
    for k in (0, 1):
        axes.plot(*x[galaxy == k, :2].T, ".", markersize=size, markeredgewidth=0, color=style.COLOURS[k], rasterized=True)
    axes.set_title(f"{TITLES[name]}, t = {time:g}", fontsize=9)
    axes.set(aspect="equal", xlim=(-25, 25), ylim=(-25, 25), xlabel=r"$x / R_d$", ylabel=r"$y / R_d$")


def draw_share(axes, tails, folder):
    for k, name in enumerate(tails.ENCOUNTERS):
        for kind, line in (("live", "o-"), ("restricted", "s--")):
            run = folder / (name if kind == "live" else f"{name}_restricted")
            if run.is_dir():
                rows = np.array(tails.measures(folder / name, run))
                axes.plot(rows[:, 0], 100 * rows[:, 2], line, color=style.COLOURS[k], markersize=3, label=f"{name}, {kind}")
    axes.set(xlabel=r"$(t - t_p) / (r_p^3 / G M)^{1/2}$", ylabel=r"stars beyond $6 R_d$ [%]")
    axes.margins(0.05)
    axes.set_ylim(0, 1.7 * axes.get_ylim()[1])
    axes.legend(fontsize=6, loc="upper left")


def draw(options):
    rings, tails = modules()
    figure, (upper, lower) = plt.subplots(2, 3, figsize=(2 * style.ONE_COLUMN, 4.9))
    try:
        draw_rings(upper[0], rings, tails, options.folder, "direct")
        draw_rings(upper[1], rings, tails, options.folder, "retrograde")
        draw_share(upper[2], tails, options.folder)
        for axes, name in zip(lower, tails.ENCOUNTERS):
            if (options.folder / name).is_dir():
                draw_disks(axes, tails, options.folder, name)
            else:
                axes.set_axis_off()
    except (OSError, KeyError, IndexError) as error:
        raise style.PlotError(f"{options.folder}: {error}; expected what `run` of this folder writes") from error
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "tails.png"))
