#!/usr/bin/env python3
"""Bar or no bar: strength of the m = 2 mode and pattern speed over time of all runs, when bars form against Fujii et al. (2018),
and the stars at the end. DIR is what `run` of this folder wrote."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import bars  # noqa: E402 (of this folder)
import style  # noqa: E402
from style import np, plt  # noqa: E402

MOST_MAPS = 4


def draw_maps(panels, runs):
    try:
        import h5py
        for axes, run in zip(panels, runs):
            with h5py.File(sorted(run.glob("snapshot_*.hdf5"))[-1]) as file:
                part = next(file[name] for name in ("PartType2", "PartType1") if name in file)
                x, time = part["Coordinates"][:], float(file["Header"].attrs["Time"])
            axes.hist2d(x[:, 0], x[:, 1], bins=np.linspace(-6, 6, 121 if len(x) > 20000 else 41), cmap="magma",
                        norm=plt.matplotlib.colors.LogNorm())
            axes.set(aspect="equal", xlim=(-6, 6), ylim=(-6, 6), facecolor="black")
            axes.set_title(f"{run.name.replace('_', ', ')}, t = {time:g}", fontsize=8)
    except (ImportError, OSError, KeyError, IndexError, StopIteration) as error:
        raise style.PlotError(f"{error}; expected h5py, and snapshots of the runs") from error


def draw(options):
    runs = bars.runs(options.folder)
    if not runs:
        raise style.PlotError(f"{options.folder}: no bar.csv below it; `run` of this folder writes them")
    figure = plt.figure(figsize=(2 * style.ONE_COLUMN, 4.9))
    upper, lower = figure.subfigures(2, 1, height_ratios=[1.15, 1])
    strength, speed, formation = upper.subplots(1, 3)
    for k, run in enumerate(runs):
        table, share = bars.log(run), float(run.name.partition("_")[2])
        colour, line = style.COLOURS[k], "-" if run.name.startswith("live") else "--"
        strength.plot(bars.GYR * table["time"], table["a2_max"], line, color=colour, linewidth=1, label=run.name.replace("_", ", "))
        speed.plot(bars.GYR * table["time"], table["pattern_speed"], line, color=colour, linewidth=1)
        formation.plot(share, bars.GYR * bars.bar_time(run), "o" if line == "-" else "s", color=colour)
    strength.axhline(bars.BAR, color="grey", linewidth=0.6)
    strength.set(xlabel="time [Gyr]", ylabel=r"largest $A_2$", ylim=(0, 0.9))
    strength.legend(fontsize=6.5)
    speed.set(xlabel="time [Gyr]", ylabel="pattern speed", ylim=(0, None))
    share = np.linspace(0.4, 0.65, 100)
    least, middle, largest = np.array([bars.fujii(f) for f in share]).T
    formation.fill_between(share, least, largest, color="0.85")
    formation.semilogy(share, middle, "k:")
    formation.set(xlabel=r"$f_d$", ylabel=r"$t(A_2 = 0.2)$ [Gyr]")
    draw_maps(lower.subplots(1, min(MOST_MAPS, len(runs)), squeeze=False)[0], runs)
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "bars.png"))
