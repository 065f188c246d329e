#!/usr/bin/env python3
"""Shapes of Osipkov-Merritt spheres of three anisotropies against time, and the program's pictures of the one that becomes
a bar. DIR is what `run` of this folder wrote; the numbers go to DIR/shapes.csv as well."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import style  # noqa: E402
from style import plt  # noqa: E402

import shape  # noqa: E402

RADII = ["0.25", "0.5", "1"]


def draw_frames(axes, folder):
    pictures = sorted(folder.glob("projection_*.png"))
    if len(pictures) < 2:
        raise style.PlotError(f"{folder}: no pictures; `run` writes them")
    for k, panel in enumerate(axes):
        panel.imshow(plt.imread(pictures[k * (len(pictures) - 1) // (len(axes) - 1)]))
        panel.set_axis_off()


def draw_history(shapes, motion, folder):
    """Returns the numbers as lines of text."""
    lines = ["r_a,time,c_over_a_directions,b_over_a,c_over_a,2_T_r_over_T_t"]
    for k, radius in enumerate(RADII):
        try:
            table = shape.history(folder / f"ra_{radius}")
        except (OSError, KeyError) as error:
            raise style.PlotError(f"{folder}/ra_{radius}: {error}") from error
        if not len(table):
            raise style.PlotError(f"{folder}/ra_{radius}: no snapshots; `run` writes them")
        shapes.plot(table[:, 0], table[:, 1], color=f"C{k}", label=f"$r_a$ = {radius}")
        shapes.plot(table[:, 0], table[:, 3], color=f"C{k}", linestyle="--")
        motion.plot(table[:, 0], table[:, 4], color=f"C{k}")
        lines += [",".join([radius] + [f"{value:.4g}" for value in row]) for row in table]
    return lines


def draw(options):
    figure = plt.figure(figsize=(2 * style.ONE_COLUMN, 4.6))
    frames, lower = figure.subfigures(2, 1, height_ratios=[1.7, 2.9])
    draw_frames(frames.subplots(1, 4), options.folder / "ra_0.25")
    shapes, motion = lower.subplots(1, 2)
    lines = draw_history(shapes, motion, options.folder)
    shapes.set_ylim(0, 1.02)
    shapes.set_title("c/a; solid: directions, dashed: ellipsoid", fontsize=9.5, loc="left")
    shapes.legend(loc="lower left")
    shapes.set_ylabel("c/a of the inner half")
    motion.axhspan(2.04, 2.58, color="0.85", zorder=0, linewidth=0)
    motion.set_title("grey: published boundary of stability", fontsize=9.5, loc="left")
    motion.set_ylabel(r"$2 T_r / T_t$")
    motion.set_ylim(bottom=0)
    for axes in shapes, motion:
        axes.set_xlabel(style.label("time", options.time))
    (options.folder / "shapes.csv").write_text("\n".join(lines) + "\n")
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "radial_orbits.png"))
