#!/usr/bin/env python3
"""Delta^2 = k^3 P / (2 pi^2) of two epochs beside each other, as a function of k / k_NL, of DIR as `run` leaves it: one curve where
growth is self-similar. Prints the ratio in bins and its largest difference from 1 over the range that is compared."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import style  # noqa: E402
from style import np, plt  # noqa: E402

import h5py  # noqa: E402

# k_NL ~ a^-2 is twice as large at the first of two epochs as at the second: at 128^3 it is 64 and 32 fundamental waves, then 32 and 16.
EPOCHS = ((0.5, 0.5 ** 0.5), (0.5 ** 0.5, 1.0))
# Of the first two epochs, which are compared; fixed before any result at full size was seen. Below, few waves fit into the box at the late
# epoch; the upper end is three quarters of the particles' Nyquist wave number at the early one. What waves longer than the box would add
# falls as 1 / k_NL. The other two epochs reach twice as far.
RANGES = ((0.25, 0.75), (0.5, 1.5))
BINS = (6, 3, 2, 1)  # the most that all hold a shell of both epochs; 6 from 64^3 sites on


def spectra_of(folder):
    """{scale factor: (k, Delta^2, modes)} averaged over all runs, and the separation of the particles."""
    runs = sorted(path for path in folder.glob("seed_*") if path.is_dir())
    if not runs:
        raise style.PlotError(f"{folder}: no seed_*; self_similarity/run writes them")
    epochs, spacing = {}, None
    for run in runs:
        for file in sorted(run.glob("power_*.hdf5")):
            with h5py.File(file) as one:
                a, k, power, modes = one.attrs["Time"], one["WaveNumber"][:], one["Power"][:], one["Modes"][:]
                spacing = one["ShotNoise"][0] ** (1 / 3) if one["ShotNoise"].shape else None
            kept = epochs.setdefault(round(float(a), 9), [k, 0, modes, 0])
            kept[1] = kept[1] + k ** 3 * power / (2 * np.pi ** 2)
            kept[3] += 1
    return {a: (k, total / n, modes) for a, (k, total, modes, n) in epochs.items()}, spacing


def epoch(epochs, a):
    for time, found in epochs.items():
        if abs(time / a - 1) < 1e-6:
            return found
    raise style.PlotError(f"no spectra at a = {a:.6g}; found {', '.join(f'{time:.6g}' for time in epochs)}")


def k_nonlinear(a, spacing):
    """Where linear theory has Delta^2 = 1."""
    return np.pi / 4 / spacing / a ** 2


def binned(x, values, modes, edges):
    """Means over modes; NaN in a bin without a shell."""
    place = np.digitize(x, edges) - 1
    with np.errstate(invalid="ignore"):
        return np.array([np.average((values / x)[place == b], weights=modes[place == b]) if (place == b).any() else np.nan
                         for b in range(len(edges) - 1)])


def compare(epochs, spacing, pair, limits):
    """Middles of bins of k / k_NL, and Delta^2 late over early in them."""
    for n in BINS:
        edges = np.geomspace(*limits, n + 1)
        means = []
        for a in pair:
            k, delta, modes = epoch(epochs, a)
            means.append(binned(k / k_nonlinear(a, spacing), delta, modes, edges))
        ratio = means[1] / means[0]
        if np.isfinite(ratio).all():
            return np.sqrt(edges[1:] * edges[:-1]), ratio
    raise style.PlotError(f"no shell of both epochs lies in {limits[0]} < k / k_NL < {limits[1]}: the box has too few sites")


def draw(options):
    epochs, spacing = spectra_of(options.folder)
    figure, axes = plt.subplots(2, 1, figsize=(style.ONE_COLUMN, 1.3 * style.ONE_COLUMN), height_ratios=(2, 1), sharex=True)
    axes[1].axhspan(0.98, 1.02, color="0.85")
    for number, (pair, limits) in enumerate(zip(EPOCHS, RANGES)):
        middles, ratio = compare(epochs, spacing, pair, limits)
        print(f"a = {pair[1]:.3g} over a = {pair[0]:.3g}: " + ", ".join(f"{r:.4f} at {x:.2f}" for x, r in zip(middles, ratio)))
        print(f"  largest difference for {limits[0]} < k / k_NL < {limits[1]}: {100 * np.max(np.abs(ratio - 1)):.2f} %")
        axes[1].plot(middles, ratio, ("o-", "s:")[number], ms=3, label=f"$a = {pair[1]:.3g}, {pair[0]:.3g}$")
    axes[1].legend(fontsize=7)
    for number, a in enumerate(sorted(epochs)):
        if a < 0.1:
            continue
        k, delta, _ = epochs[a]
        axes[0].loglog(k / k_nonlinear(a, spacing), delta, color=style.COLOURS[number], label=f"$a = {a:.3g}$")
    x = np.geomspace(0.05, 4, 50)
    axes[0].loglog(x, x, "k--", lw=0.8, label="linear theory")
    axes[0].set(ylabel=r"$\Delta^2 = k^3 P / 2 \pi^2$", xlim=(0.05, 8), ylim=(0.03, 100))
    axes[0].legend()
    axes[1].set(xlabel="$k / k_{NL}$", ylabel="late / early", ylim=(0.9, 1.1))
    for one in axes:
        one.axvspan(*RANGES[0], color=style.COLOURS[0], alpha=0.08, lw=0)
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "self_similarity.png"))
