#!/usr/bin/env python3
"""Radii that hold 1, 10, 50 and 90 % of the mass against time: of everything about the centre of mass
(energy.csv) and of each component about its own centre (orbit.csv, when there is one)."""
import style
from style import np, plt

ALL = ["01", "10", "50", "90"]
COMPONENT = ["10", "50", "90"]


def draw_radii(axes, time, table, percentages):
    for k, percentage in enumerate(percentages):
        radius = table[f"lagrangian_{percentage}"]
        shown = radius > 0
        axes.plot(time[shown], radius[shown], color=plt.cm.viridis(0.85 - 0.8 * ALL.index(percentage) / 3))
        if shown.any():
            axes.annotate(f"{int(percentage)} %", (time[shown][-1], radius[shown][-1]), xytext=(4, 0),
                          textcoords="offset points", va="center", fontsize=8.5)
    if (axes.dataLim.size > 0).all():
        axes.set_yscale("log")


def draw(options):
    panels = [("all", style.read_table(options.folder / "energy.csv",
                                       ["time"] + [f"lagrangian_{p}" for p in ALL]), ALL)]
    orbit = options.folder / "orbit.csv"
    if orbit.exists():
        table = style.read_table(orbit, ["time", "component"] + [f"lagrangian_{p}" for p in COMPONENT])
        for component in np.unique(table["component"]).astype(int):
            chosen = table["component"] == component
            panels.append((f"component {component}", {name: v[chosen] for name, v in table.items()}, COMPONENT))

    figure, axes = plt.subplots(len(panels), 1, sharex=True, squeeze=False,
                                figsize=(style.ONE_COLUMN, 0.6 + 2.1 * len(panels)))
    for (title, table, percentages), panel in zip(panels, axes[:, 0]):
        draw_radii(panel, table["time"], table, percentages)
        panel.set_title(title, fontsize=9.5, loc="left")
        panel.set_ylabel(style.label("radius", options.length))
    axes[-1, 0].set_xlabel(style.label("time", options.time))
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "lagrangian_radii.png"))
