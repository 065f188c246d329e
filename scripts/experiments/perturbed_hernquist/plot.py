#!/usr/bin/env python3
"""A galaxy under a passing perturber, in the expansions (0,0) and (8,8) superposed, few particles and many; below, how far
both are from the direct sum. DIR is what `run` of this folder wrote; the numbers go to DIR/differences.csv as well."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import style  # noqa: E402
from style import np, plt  # noqa: E402

import differences  # noqa: E402

STATES = [2, 3, 4]  # numbers of snapshots, which are 10 apart in time
SIDE = 6.5  # half of the field
LINES = {"0_0": ("C1", "(0,0)"), "8_8": ("C0", "(8,8)"), "8_8_recentred": ("C2", "(8,8), centre follows"),
         "direct": ("black", "direct sum"), "direct_softer": ("0.6", "direct sum, softer")}


def draw_dots(axes, x, colour):
    axes.plot(x[:, 0], x[:, 1], ".", markersize=1.2, markeredgewidth=0, color=colour, alpha=0.6, rasterized=True)


def draw_contours(axes, x, colour):
    """Surface density, lines a factor of two apart down to where 50 particles are left to a bell of one cell's width."""
    cells = int(np.clip(np.sqrt(len(x)) / 5, 20, 130))
    edges = np.linspace(-SIDE, SIDE, cells + 1)
    counts, _, _ = np.histogram2d(x[:, 1], x[:, 0], bins=[edges, edges])
    bell = np.exp(-0.5 * np.arange(-3, 4)**2)
    for k in range(2):
        counts = np.apply_along_axis(np.convolve, k, counts, bell / bell.sum(), mode="same")
    cell = (2 * SIDE / cells)**2
    highest = np.floor(np.log2(counts.max() / len(x) / cell))
    lowest = np.ceil(np.log2(50 / (4 * np.pi) / len(x) / cell))
    middle = (edges[1:] + edges[:-1]) / 2
    axes.contour(middle, middle, counts / len(x) / cell, levels=2.0**np.arange(lowest, highest + 1), colors=colour,
                 linewidths=0.8)


def draw_state(axes, folder, suffix, number, draw_particles):
    for name in ["0_0", "8_8"]:
        time, x = differences.state(folder / (name + suffix) / f"snapshot_{number:03}.hdf5")
        draw_particles(axes, x, LINES[name][0])
    path = style.read_table(folder / "direct" / "perturber.csv", ["time", "x", "y"])
    passed = path["time"] <= time
    axes.plot(path["x"][passed], path["y"][passed], color="0.5", linewidth=0.7, linestyle="--")
    axes.plot(path["x"][passed][-1:], path["y"][passed][-1:], "k*", markersize=8, clip_on=True)
    truth = style.read_table(folder / "direct" / "orbit.csv", ["time", "x", "y"])
    here = np.argmin(np.abs(truth["time"] - time))
    axes.plot(truth["x"][here], truth["y"][here], "k+", markersize=9)
    axes.set(xlim=(-SIDE, SIDE), ylim=(-SIDE, SIDE), aspect="equal")
    axes.set_title(f"t = {time:g}, {len(x):,} particles", fontsize=9.5)


def draw_shift(axes, folder):
    for name, (colour, label) in LINES.items():
        table = style.read_table(folder / name / "orbit.csv", ["time", "x", "y", "z"])
        place = np.array([table[axis] for axis in "xyz"])
        axes.plot(table["time"], np.linalg.norm(place, axis=0), color=colour, label=label)
    axes.set(title="galaxy's centre from origin", xlabel="time")
    axes.legend(fontsize=7)


def draw_displacement(axes, folder):
    for name in [*differences.EXPANSIONS, differences.CONTROL]:
        _, distance = differences.displacements(folder, name, STATES[-1])
        axes.semilogx(np.sort(distance), (np.arange(len(distance)) + 1) / len(distance), color=LINES[name][0])
    axes.set(title="displaced by less, t = 40", xlabel="distance from direct sum", xlim=(0.03, 30), ylim=(0, 1))


def draw_force_error(axes, folder):
    for name in differences.EXPANSIONS:
        error = differences.force_errors(folder, name, STATES[-1])
        axes.semilogx(np.sort(error), (np.arange(len(error)) + 1) / len(error), color=LINES[name][0])
    axes.set(title="force error less than, t = 40", xlabel=r"$|a - a_{direct}| / a_{direct}$", xlim=(3e-3, 3), ylim=(0, 1))


def draw(options):
    folder = options.folder
    rows = [("", draw_dots)]
    if (folder / "0_0_many").exists():
        rows.append(("_many", draw_contours))
    figure, axes = plt.subplots(len(rows) + 1, 3, figsize=(2 * style.ONE_COLUMN, 2.35 * (len(rows) + 1)))
    try:
        for row, (suffix, draw_particles) in zip(axes, rows):
            for number, panel in zip(STATES, row):
                draw_state(panel, folder, suffix, number, draw_particles)
        for panel in axes[:-1, 1:].flat:
            panel.tick_params(labelleft=False)
        for panel, draw_panel in zip(axes[-1], [draw_shift, draw_displacement, draw_force_error]):
            draw_panel(panel, folder)
            panel.title.set_fontsize(9.5)
        (folder / "differences.csv").write_text("\n".join(differences.table(folder)) + "\n")
    except (OSError, KeyError) as error:
        raise style.PlotError(f"{folder}: {error}; `run` writes the states") from error
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "perturbed.png"))
