#!/usr/bin/env python3
"""The merging galaxies with satellites: the program's own pictures with the centres of all subhalos, the merger tree (time
upwards, width the root of the mass) and the mass of each branch. DIR is what `run` of this folder wrote."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import style  # noqa: E402
from style import np, plt  # noqa: E402

MOST_FRAMES = 6
WIDTH = 24  # of the pictures, about the origin
WIDEST = 0.42  # half the width of the largest subhalo, in units of the distance between branches


def branches_of(table):
    """Rows of each branch, in the order of time, by its number."""
    return {int(number): np.flatnonzero(table["branch"] == number) for number in np.unique(table["branch"])}


def joins(table, branches):
    """The row that each branch ends in, -1 for those that last."""
    return {number: int(table["descendant"][rows[-1]]) for number, rows in branches.items()}


def slots(number, ends, table):
    """Branches from left to right: those that join a branch stand on its two sides in turn, the last to join nearest."""
    joining = sorted((k for k, row in ends.items() if row >= 0 and table["branch"][row] == number),
                     key=lambda k: table["time"][ends[k]])
    left, right = joining[::2], joining[1::2]
    return ([slot for k in left for slot in slots(k, ends, table)] + [number]
            + [slot for k in reversed(right) for slot in slots(k, ends, table)])


def draw_frames(axes, folder, table):
    for panel, number in zip(axes, chosen_catalogues(folder, table)):
        panel.imshow(plt.imread(folder / f"projection_{number:03}.png"), extent=2 * [-WIDTH / 2, WIDTH / 2])
        here = np.flatnonzero(table["catalogue"] == number)
        panel.scatter(table["x"][here], table["y"][here], s=60, facecolors="none", linewidths=0.9,
                      edgecolors=[colour_of(table["branch"][row]) for row in here])
        panel.set(xlim=(-WIDTH / 2, WIDTH / 2), ylim=(-WIDTH / 2, WIDTH / 2), xticks=[], yticks=[])
        panel.minorticks_off()
        panel.set_title(f"{table['time'][here[0]]:g}", fontsize=8.5, pad=2)


def chosen_catalogues(folder, table):
    numbers = [int(n) for n in np.unique(table["catalogue"]) if (folder / f"projection_{int(n):03}.png").exists()]
    if not numbers:
        raise style.PlotError(f"{folder}: no picture beside a catalogue; `run` writes them")
    return [numbers[k] for k in np.unique(np.linspace(0, len(numbers) - 1, MOST_FRAMES).round().astype(int))]


def colour_of(branch):
    return "0.25" if branch == 0 else f"C{(int(branch) - 1) % len(style.COLOURS)}"


def draw_tree(axes, table, branches):
    ends = joins(table, branches)
    lasting = [number for number in branches if ends[number] < 0]
    place = {number: x for x, number in enumerate(slot for top in lasting for slot in slots(top, ends, table))}
    half = WIDEST * np.sqrt(table["mass"] / table["mass"].max())
    for number, rows in branches.items():
        time, x = table["time"][rows], place[number]
        axes.fill_betweenx(time, x - half[rows], x + half[rows], color=colour_of(number), linewidth=0.5)
        if ends[number] >= 0:
            descendant = ends[number]
            axes.annotate("", (place[int(table["branch"][descendant])], table["time"][descendant]), (x, time[-1]),
                          arrowprops={"arrowstyle": "->", "color": colour_of(number), "shrinkA": 0, "shrinkB": 0})
    axes.set(xlim=(-0.7, len(place) - 0.3), xticks=range(len(place)), xticklabels=list(place), xlabel="branch")
    axes.tick_params(axis="x", which="both", top=False, bottom=False)
    axes.set_ylim(0, table["time"].max())


def draw_masses(axes, table, branches):
    for number, rows in branches.items():
        axes.semilogy(table["time"][rows], table["mass"][rows], color=colour_of(number), label=number)
    axes.set_ylabel("bound mass of the subhalo")


def draw(options):
    table = style.read_table(options.folder / "tree.csv", ["time", "catalogue", "mass", "x", "y", "descendant", "branch"])
    branches = branches_of(table)
    figure = plt.figure(figsize=(2 * style.ONE_COLUMN, 4.6))
    frames, lower = figure.subfigures(2, 1, height_ratios=[1.3, 3.3])
    draw_frames(frames.subplots(1, MOST_FRAMES), options.folder, table)
    tree, masses = lower.subplots(1, 2)
    draw_tree(tree, table, branches)
    tree.set_ylabel(style.label("time", options.time))
    draw_masses(masses, table, branches)
    masses.set_xlabel(style.label("time", options.time))
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "tree.png"))
