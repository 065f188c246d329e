#!/usr/bin/env python3
"""The large merger: the program's own pictures, separation of the galaxies' centres and number of groups, energy error and
virial ratio. DIR is what `run` of this folder wrote."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import orbit  # noqa: E402
import style  # noqa: E402
from style import np, plt  # noqa: E402

FRAMES = [0, 15, 22, 31, 42, 60]  # numbers of pictures, which are 1 apart in time


def draw_frames(axes, folder):
    for number, panel in zip(FRAMES, axes):
        picture = folder / f"projection_{number:03}.png"
        try:
            panel.imshow(plt.imread(picture))
        except OSError as error:
            raise style.PlotError(f"{picture}: cannot be read ({error.strerror}); `run` writes it") from error
        panel.set_axis_off()


def draw_history(separation, groups, options):
    table = style.read_table(options.folder / "orbit.csv", ["time", "component", "x", "y", "z"])
    tracks = orbit.tracks_of(table)
    separation.plot(*orbit.separation(tracks[0], tracks[1]), color="black")
    separation.set_ylim(bottom=0)
    separation.set_ylabel(style.label("separation", options.length))
    separation.tick_params(labelbottom=False)
    counts = style.read_table(options.folder / "halos.csv", ["time", "groups"])
    groups.step(counts["time"], counts["groups"], where="post", color="C0")
    groups.set_ylim(0.5, counts["groups"].max() + 0.5)
    groups.set_yticks(np.arange(1, counts["groups"].max() + 1), minor=False)
    groups.yaxis.set_minor_locator(plt.NullLocator())
    groups.set_ylabel("groups")
    groups.set_xlabel(style.label("time", options.time))
    groups.sharex(separation)


def draw_energy(error, virial, options):
    table = style.read_table(options.folder / "energy.csv", ["time", "relative_error", "virial_ratio"])
    magnitude = np.abs(table["relative_error"])
    shown = magnitude > 0
    error.semilogy(table["time"][shown], magnitude[shown], color="black")
    error.annotate(f"largest {magnitude.max():.1e}", (0.97, 0.08), xycoords="axes fraction", ha="right", fontsize=8.5)
    error.set_ylabel(r"$|\Delta E / E_0|$")
    error.tick_params(labelbottom=False)
    virial.plot(table["time"], table["virial_ratio"], color="black")
    virial.axhline(1, color="0.6", linewidth=0.8, linestyle="--", zorder=0)
    virial.set_ylabel("virial ratio")
    virial.set_xlabel(style.label("time", options.time))
    virial.sharex(error)


def draw(options):
    figure = plt.figure(figsize=(2 * style.ONE_COLUMN, 4.4))
    frames, lower = figure.subfigures(2, 1, height_ratios=[1.18, 3.1])
    draw_frames(frames.subplots(1, len(FRAMES)), options.folder)
    for part, draw_part in zip(lower.subfigures(1, 2), [draw_history, draw_energy]):
        draw_part(*part.subplots(2, 1, gridspec_kw={"height_ratios": [1.7, 1]}), options)
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "merger.png"))
