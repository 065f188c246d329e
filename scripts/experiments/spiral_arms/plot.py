#!/usr/bin/env python3
"""Spiral arms: the stars of disks of several shares f_d, the number of arms against radius beside X = 2, and the amplitude of all arms
in units of the noise for several Q. DIR is what `run` of this folder wrote."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import style  # noqa: E402
from style import np, plt  # noqa: E402

SHOWN = 12.0  # time of the maps


def draw_map(axes, h5py, folder):
    def of(snapshot):
        with h5py.File(snapshot) as file:
            part = next(file[name] for name in ("PartType2", "PartType1") if name in file)
            return float(file["Header"].attrs["Time"]), part["Coordinates"][:, :2]
    time, x = min((of(one) for one in sorted(folder.glob("snapshot_*.hdf5"))), key=lambda one: abs(one[0] - SHOWN))
    bins = np.linspace(-4, 4, 65 if len(x) > 50000 else 25)
    count, *_ = np.histogram2d(x[:, 0], x[:, 1], bins=bins)
    middle = (bins[1:] + bins[:-1]) / 2
    radius = np.hypot(*np.meshgrid(middle, middle, indexing="ij"))
    ring = (radius / (bins[1] - bins[0])).astype(int)
    mean = np.bincount(ring.ravel(), count.ravel()) / np.maximum(np.bincount(ring.ravel()), 1)
    excess = np.where((mean[ring] > 3) & (radius < 4), count / np.maximum(mean[ring], 1e-9) - 1, 0)
    axes.imshow(excess.T, origin="lower", extent=(-4, 4, -4, 4), cmap="RdBu_r", vmin=-0.8, vmax=0.8)
    axes.set_title(f"{folder.name.replace('_', ', ').replace('f', 'f = ').replace('q', 'Q = ')}, t = {time:g}", fontsize=8)


def draw(options):
    try:
        import arms
        import h5py
        disks = arms.disks(options.folder)
        figure = plt.figure(figsize=(2 * style.ONE_COLUMN, 4.9))
        upper, lower = figure.subfigures(2, 1)
        least = min(float(disk.name.partition("_q")[2]) for disk in disks)
        first = [disk for disk in disks if float(disk.name.partition("_q")[2]) == least][:3]
        for axes, disk in zip(upper.subplots(1, max(len(first), 2))[:len(first)], first):
            draw_map(axes, h5py, disk)
        numbers, growth = lower.subplots(1, 2)
        for k, disk in enumerate(disks):
            colour = style.COLOURS[k % len(style.COLOURS)]
            times, squares, counts = arms.coefficients(disk)
            growth.plot(times, np.sqrt(squares.sum(axis=2) / len(arms.ORDERS) * counts).mean(axis=1), color=colour, label=disk.name)
            if disk in first:
                numbers.plot(arms.RINGS, arms.measures(disk)[0], "o", color=colour, label=disk.name)
                numbers.plot(arms.RINGS, arms.expected(disk.with_name(disk.name + ".log")), ":", color=colour)
    except (ImportError, OSError, KeyError, IndexError, ValueError) as error:
        raise style.PlotError(f"{options.folder}: {error}; expected h5py, and what `run` of this folder writes") from error
    numbers.set(xlabel=r"$R / R_d$", ylabel="number of arms", ylim=(0, 14))
    numbers.margins(0.05)
    numbers.legend(title="dotted: X = 2", fontsize=7, title_fontsize=7)
    growth.set(xlabel="time", ylabel="amplitude / noise", ylim=(0, None))
    growth.legend(fontsize=7)
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "arms.png"))
