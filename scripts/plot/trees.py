#!/usr/bin/env python3
"""Masses of all halos of a run against time, and the tree of their mergers, from trees.hdf5."""
import style
from style import np, plt

try:
    import h5py
except ImportError as error:
    raise SystemExit(f"trees.py: {error}; Debian and Ubuntu: apt install python3-h5py") from error

FIELDS = ["SnapNum", "TrackId", "SubhaloMass"]


def read_trees(name):
    """Columns of all halos, and of all tracks."""
    try:
        with h5py.File(name) as file:
            halos = {field: file["TreeHalos"][field][:] for field in FIELDS if "TreeHalos" in file and len(file["TreeHalos"])}
            tracks = {field: values[:] for field, values in file["Tracks"].items()}
            redshift, time = file["TreeTimes/Redshift"][:], file["TreeTimes/Time"][:]
    except (OSError, KeyError) as error:
        raise style.PlotError(f"{name}: {error}; expected the trees of a run with output.halos.trees") from error
    if not halos:
        raise style.PlotError(f"{name}: holds no halos")
    return halos, tracks, redshift, time


def masses_of(halos, track):
    """Numbers of catalogues and masses of one track, in the order of time."""
    rows = np.flatnonzero(halos["TrackId"] == track)
    rows = rows[np.argsort(halos["SnapNum"][rows])]
    return halos["SnapNum"][rows], halos["SubhaloMass"][rows]


def columns_of(tracks):
    """A place across the tree for each track: behind the track that it ends in, so that mergers are short lines."""
    children = {}
    for track, into in zip(tracks["TrackId"], tracks["MergedInto"]):
        children.setdefault(into, []).append(track)
    order, open_tracks = [], sorted(children.get(-1, []), key=lambda k: -tracks["PeakMass"][k])[::-1]
    while open_tracks:
        track = open_tracks.pop()
        order.append(track)
        open_tracks += sorted(children.get(track, []), key=lambda k: tracks["SnapNumOfDeath"][k])
    return {track: place for place, track in enumerate(order)}


def draw(options):
    halos, tracks, redshift, times = read_trees(options.folder / "trees.hdf5")
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(style.ONE_COLUMN, 6), sharex=True)
    place = columns_of(tracks)
    largest = tracks["PeakMass"].max()
    for track, birth in zip(tracks["TrackId"], tracks["SnapNumOfBirth"]):
        number, mass = masses_of(halos, track)
        colour = f"C{place.get(track, 0) % len(style.COLOURS)}"
        top.plot(times[number], mass, color=colour, marker="." if len(number) == 1 else "")
        if track not in place:
            continue
        at = np.full(len(number), place[track])
        bottom.plot(times[number], at, color=colour, linewidth=0.8)
        bottom.scatter(times[number], at, s=30 * mass / largest, color=colour, linewidths=0)
        into, death = tracks["MergedInto"][track], tracks["SnapNumOfDeath"][track]
        if into in place:
            bottom.plot([times[number[-1]], times[death]], [place[track], place[into]], color="0.5", linewidth=0.8,
                        linestyle="-" if tracks["TrackEnd"][track] == 1 else ":")
    top.set_yscale("log")
    top.set_ylabel(r"bound mass [$10^{10}\,M_\odot/h$]")
    bottom.set_ylabel("halos")
    bottom.set_yticks([])
    comoving = np.nanmax(redshift) > 0
    bottom.set_xlabel("scale factor" if comoving else style.label("time", options.time))
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(__doc__ + " Grey: mergers, dotted where the halo was disrupted.", "trees.png"))
