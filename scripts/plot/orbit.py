#!/usr/bin/env python3
"""Separation of the components' centres against time and their tracks in the x-y plane, from orbit.csv."""
import style
from style import np, plt


def tracks_of(table):
    """Component number -> times [n] and centres [n, 3], in order of time."""
    tracks = {}
    for component in np.unique(table["component"]).astype(int):
        rows = np.flatnonzero(table["component"] == component)
        rows = rows[np.argsort(table["time"][rows], kind="stable")]
        centres = np.column_stack([table[axis][rows] for axis in "xyz"])
        tracks[component] = table["time"][rows], centres
    return tracks


def separation(first, second):
    """Times that both tracks have, and the distance of the centres then."""
    times, i, j = np.intersect1d(first[0], second[0], return_indices=True)
    return times, np.linalg.norm(first[1][i] - second[1][j], axis=1)


def draw_separations(axes, tracks):
    reference, *others = tracks
    for other in others:
        times, distance = separation(tracks[reference], tracks[other])
        axes.plot(times, distance, color=f"C{other}" if len(others) > 1 else "black",
                  label=f"components {reference} and {other}")
    if not others:
        axes.text(0.5, 0.5, "one component: no separation", transform=axes.transAxes, ha="center", color="0.4")
    if len(others) > 1:
        axes.legend()
    axes.set_ylim(bottom=0)


def draw_tracks(axes, tracks):
    for component, (_, centres) in tracks.items():
        colour = f"C{component}"
        axes.plot(centres[:, 0], centres[:, 1], color=colour, label=f"component {component}")
        axes.plot(*centres[0, :2], "o", color=colour, markersize=5, markerfacecolor="white")
        axes.plot(*centres[-1, :2], "o", color=colour, markersize=5)
    low, high = np.array([axes.get_xlim(), axes.get_ylim()]).T
    half = 0.55 * max(high - low)
    middle = 0.5 * (low + high)
    axes.set_xlim(middle[0] - half, middle[0] + half)
    axes.set_ylim(middle[1] - half, middle[1] + 1.25 * half)
    axes.set_aspect("equal")
    axes.legend(loc="upper center", ncol=2)


def draw(options):
    table = style.read_table(options.folder / "orbit.csv", ["time", "component", "x", "y", "z"])
    tracks = tracks_of(table)
    figure, (top, bottom) = plt.subplots(
        2, 1, figsize=(style.ONE_COLUMN, 6), gridspec_kw={"height_ratios": [1, 1.7]})
    draw_separations(top, tracks)
    top.set_xlabel(style.label("time", options.time))
    top.set_ylabel(style.label("separation", options.length))
    draw_tracks(bottom, tracks)
    bottom.set_xlabel(style.label("$x$", options.length))
    bottom.set_ylabel(style.label("$y$", options.length))
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(__doc__ + " Open circles: start; filled: end.", "orbit.png"))
