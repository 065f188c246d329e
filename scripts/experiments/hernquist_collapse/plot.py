#!/usr/bin/env python3
"""The collapse of a cold Hernquist sphere: the program's own pictures, Lagrangian radii, virial ratio, and the energy
error of four choices of order and step. DIR is what `run` of this folder wrote."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import style  # noqa: E402
from style import np, plt  # noqa: E402

RUNS = [("6_4", "(6,4), dt = 0.0025"), ("6_4_long_step", "(6,4), dt = 0.02"),
        ("6_0", "(6,0), dt = 0.0025"), ("0_0", "(0,0), dt = 0.0025")]
FRAMES = [0, 1, 2, 3, 6, 15]  # numbers of pictures, which are 1 apart in time
PERCENTAGES = ["01", "10", "50", "90"]


def read(options, run, columns):
    return style.read_table(options.folder / run / "energy.csv", ["time"] + columns)


def draw_frames(axes, folder):
    for number, panel in zip(FRAMES, axes):
        picture = folder / f"projection_{number:03}.png"
        try:
            panel.imshow(plt.imread(picture))
        except OSError as error:
            raise style.PlotError(f"{picture}: cannot be read ({error.strerror}); `run` writes it") from error
        panel.set_axis_off()


def draw_radii(axes, options):
    for name, line in [("6_4", "-"), ("0_0", ":")]:
        table = read(options, name, [f"lagrangian_{p}" for p in PERCENTAGES])
        for k, percentage in enumerate(PERCENTAGES):
            radius, colour = table[f"lagrangian_{percentage}"], plt.cm.viridis(0.85 - 0.8 * k / 3)
            axes.semilogy(table["time"], radius, line, color=colour)
            if name == "6_4":
                axes.annotate(f"{int(percentage)} %", (table["time"][-1], radius[-1]), xytext=(4, 0),
                              textcoords="offset points", va="center", fontsize=8.5)
    axes.set_title("Lagrangian radii; dotted: (0,0)", fontsize=9.5, loc="left")
    axes.set_ylabel(style.label("radius", options.length))
    axes.set_xlabel(style.label("time", options.time))


def draw_energy(error, virial, options):
    for name, label in RUNS:
        table = read(options, name, ["relative_error", "virial_ratio"])
        magnitude = np.abs(table["relative_error"])
        shown = magnitude > 0
        error.semilogy(table["time"][shown], magnitude[shown], label=label)
        virial.plot(table["time"], table["virial_ratio"])
    low, high = error.get_ylim()
    error.set_ylim(low, high * (high / low)**0.45)
    error.legend(ncol=2, loc="upper center", columnspacing=1.0)
    error.set_ylabel(r"$|\Delta E / E_0|$")
    virial.axhline(1, color="0.6", linewidth=0.8, linestyle="--", zorder=0)
    virial.set_ylabel("virial ratio")
    virial.set_xlabel(style.label("time", options.time))
    error.tick_params(labelbottom=False)
    error.sharex(virial)


def draw(options):
    figure = plt.figure(figsize=(2 * style.ONE_COLUMN, 4.6))
    frames, lower = figure.subfigures(2, 1, height_ratios=[1.18, 3.3])
    draw_frames(frames.subplots(1, len(FRAMES)), options.folder / "6_4")
    radii, energy = lower.subfigures(1, 2)
    draw_radii(radii.subplots(), options)
    draw_energy(*energy.subplots(2, 1, gridspec_kw={"height_ratios": [1.7, 1]}), options)
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "collapse.png"))
