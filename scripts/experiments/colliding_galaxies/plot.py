#!/usr/bin/env python3
"""The colliding galaxies by the tree and by the direct sum: the program's own pictures at equal times, energy error, radii
about the centre of mass that hold 10, 50 and 90 % of the mass, and how far a particle of one run is from the same particle
of the other. DIR is what `run` of this folder wrote."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import style  # noqa: E402
from style import np, plt  # noqa: E402

SOLVERS = [("tree", "tree", "C0", "-"), ("direct", "direct sum", "black", "--")]
MOST_FRAMES = 6


def frames_of(folder):
    """Names of pictures that both runs have, the first and the last among them."""
    names = sorted(path.name for path in (folder / "tree").glob("projection_*.png")
                   if (folder / "direct" / path.name).exists())
    if not names:
        raise style.PlotError(f"{folder}: no picture that tree and direct have both; `run` writes them")
    chosen = np.unique(np.linspace(0, len(names) - 1, MOST_FRAMES).round().astype(int))
    return [names[k] for k in chosen]


def draw_frames(axes, folder, names):
    for row, (solver, label, *_) in zip(axes, SOLVERS):
        for panel, name in zip(row, names):
            panel.imshow(plt.imread(folder / solver / name))
            panel.set(xticks=[], yticks=[])
            panel.minorticks_off()
        row[0].set_ylabel(label)


def draw_logs(error, radii, folder):
    for solver, label, colour, line in SOLVERS:
        table = style.read_table(folder / solver / "energy.csv", ["time", "relative_error", "lagrangian_10",
                                                                  "lagrangian_50", "lagrangian_90"])
        magnitude = np.abs(table["relative_error"])
        shown = magnitude > 0
        error.semilogy(table["time"][shown], magnitude[shown], line, color=colour,
                       label=f"{label}, largest {magnitude.max():.1e}")
        for fraction in (10, 50, 90):
            radii.semilogy(table["time"], table[f"lagrangian_{fraction}"], line, color=colour)
    low, high = error.get_ylim()
    error.set_ylim(low, high * (high / low)**0.3)
    error.legend(loc="upper center", fontsize=7)
    error.set_ylabel(r"$|\Delta E / E_0|$")
    radii.set_ylabel("radius of 10, 50, 90 % [kpc]")


def draw_displacement(axes, folder):
    try:
        import differences
        time, median, most = differences.displacements(folder / "tree", folder / "direct")
    except (ImportError, OSError, KeyError, ValueError) as error:
        raise style.PlotError(f"{folder}: {error}; expected h5py, and snapshots of both runs") from error
    later = time > 0
    axes.semilogy(time[later], median[later], "o-", markersize=3, color="C0", label="median")
    axes.semilogy(time[later], most[later], "s--", markersize=3, color="C1", label="90 %")
    axes.legend(loc="lower right")
    axes.set_ylabel("tree to direct sum [kpc]")


def draw(options):
    names = frames_of(options.folder)
    figure = plt.figure(figsize=(2 * style.ONE_COLUMN, 4.8))
    frames, lower = figure.subfigures(2, 1, height_ratios=[2.4, 2.4])
    draw_frames(frames.subplots(2, len(names), squeeze=False), options.folder, names)
    error, radii, displacement = lower.subplots(1, 3)
    draw_logs(error, radii, options.folder)
    draw_displacement(displacement, options.folder)
    for axes in (error, radii, displacement):
        axes.set_xlabel(style.label("time", options.time))
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "collision.png"))
