#!/usr/bin/env python3
"""Delta^2 = k^3 P / (2 pi^2) of two epochs beside each other, as a function of k / k_NL, of DIR as `run` leaves it: one curve where
growth is self-similar. Prints the ratio in bins, its scatter over the pairs of runs, and with --fine what a finer lattice says of them."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import style  # noqa: E402
from style import np, plt  # noqa: E402

import h5py  # noqa: E402

# k_NL ~ a^-2 is twice as large at the first of two epochs as at the second, where it is 331 waves of a box with 128^3 sites.
EPOCHS = (0.15556349186104046, 0.22)
# Waves of that box at the late epoch, fixed before any result at full size was seen (the epochs are earlier than the first that were tried):
# below, few waves fit into the box; the upper end is
# three quarters of the particles' Nyquist wave number at the early epoch.
WAVES = (8, 24)
BINS = (6, 3, 2, 1)  # the most that all hold a shell of both epochs; 6 from 64^3 sites on
CONVERGED = 0.005    # power of both epochs against that of a finer lattice


def spectra_of(folder, index):
    """{scale factor: (k, [Delta^2 of each pair of runs], modes)} and the box's fundamental wave number. Delta^2 is that at the mean k of a
    shell: a power law is larger in the mean over the shell, by index (index - 1) / 24 / n^2 at n waves."""
    runs = sorted(path for path in folder.glob("seed_*") if path.is_dir() and not path.name.endswith("_paired"))
    if not runs:
        raise style.PlotError(f"{folder}: no seed_*; self_similarity/run writes them")
    epochs, box = {}, None
    for number, run in enumerate(runs):
        for folder_of_run in (run, run.with_name(run.name + "_paired")):
            for file in sorted(folder_of_run.glob("power_*.hdf5")):
                with h5py.File(file) as one:
                    a, k, power, modes = one.attrs["Time"], one["WaveNumber"][:], one["Power"][:], one["Modes"][:]
                box = box or k[0] / ((6 + 12 * 2 ** 0.5) / 18)  # the first shell has 6 modes of one wave and 12 of the root of 2
                gained = 1 + index * (index - 1) / 24 * (box / k) ** 2
                kept = epochs.setdefault(round(float(a), 9), [k, {}, modes])
                kept[1].setdefault(number, []).append(k ** 3 * power / (2 * np.pi ** 2) / gained)
    return {a: (k, [np.mean(pair, axis=0) for pair in pairs.values()], modes) for a, (k, pairs, modes) in epochs.items()}, box


def epoch(epochs, a):
    for time, found in epochs.items():
        if abs(time / a - 1) < 1e-6:
            return found
    raise style.PlotError(f"no spectra at a = {a:.6g}; found {', '.join(f'{time:.6g}' for time in epochs)}")


def k_nonlinear(a, index):
    """Where linear theory has Delta^2 = 1, for sites 1 Mpc/h apart."""
    return np.pi / 4 * a ** (-2 / (3 + index))


def binned(x, values, modes, edges, power):
    """Means over modes of values / x^power; NaN in a bin without a shell."""
    place = np.digitize(x, edges) - 1
    with np.errstate(invalid="ignore"):
        return np.array([np.average((values / x ** power)[place == b], weights=modes[place == b]) if (place == b).any() else np.nan
                         for b in range(len(edges) - 1)])


def compare(spectra, options):
    """Edges of bins of k / k_NL, and in them Delta^2 over that of linear theory at both epochs, a row for each pair of runs."""
    epochs, box = spectra
    late = k_nonlinear(options.epochs[1], options.index)
    for n in BINS:
        edges = np.geomspace(*(wave * box / late for wave in options.waves), n + 1)
        means = []
        for a in options.epochs:
            k, pairs, modes = epoch(epochs, a)
            means.append(np.array([binned(k / k_nonlinear(a, options.index), one, modes, edges, 3 + options.index) for one in pairs]))
        if np.isfinite(means).all():
            return edges, means
    raise style.PlotError(f"no shell of both epochs lies within waves {options.waves[0]:g} to {options.waves[1]:g}: the box has too few sites")


def numbers(values):
    return " ".join(f"{value:.4f}" for value in values)


def draw(options):
    spectra = spectra_of(options.folder, options.index)
    edges, (early, late) = compare(spectra, options)
    ratio, middles = late.mean(axis=0) / early.mean(axis=0), np.sqrt(edges[1:] * edges[:-1])
    print(f"a = {options.epochs[1]:.4g} over a = {options.epochs[0]:.4g}, {len(early)} pairs of runs; k / k_NL: {numbers(middles)}")
    print(f"  ratio:                  {numbers(ratio)}")
    if len(early) > 1:
        print(f"  scatter of the mean:    {numbers((late / early).std(axis=0, ddof=1) / len(early) ** 0.5)}")
    converged = np.ones(len(ratio), dtype=bool)
    if options.fine:
        _, fine = compare(spectra_of(options.fine, options.index), options)
        for name, coarse, fine_one in zip(("early", "late"), (early, late), fine):
            over = coarse[:len(fine_one)].mean(axis=0) / fine_one.mean(axis=0)
            converged &= np.abs(over - 1) <= CONVERGED
            print(f"  over the finer, {name + ':':<6}  {numbers(over)}")
        print(f"  converged: {' '.join('yes' if one else 'no' for one in converged)}")
    if converged.any():
        print(f"  largest difference from 1 of {converged.sum()} bins: {100 * np.max(np.abs(ratio - 1)[converged]):.2f} %")
    figure, axes = plt.subplots(2, 1, figsize=(style.ONE_COLUMN, 1.3 * style.ONE_COLUMN), height_ratios=(2, 1), sharex=True)
    axes[1].axhspan(0.98, 1.02, color="0.85")
    axes[1].plot(middles, ratio, "o-", ms=3)
    for number, a in enumerate(sorted(spectra[0])):
        if a < 0.1:
            continue
        k, pairs, _ = spectra[0][a]
        axes[0].loglog(k / k_nonlinear(a, options.index), np.mean(pairs, axis=0), color=style.COLOURS[number % len(style.COLOURS)],
                       label=f"$a = {a:.3g}$")
    x = np.geomspace(edges[0] / 5, edges[-1] * 5, 50)
    axes[0].loglog(x, x ** (3 + options.index), "k--", lw=0.8, label="linear theory")
    axes[0].set(ylabel=r"$\Delta^2 = k^3 P / 2 \pi^2$", xlim=(x[0], x[-1]), ylim=(x[0] ** (3 + options.index) / 2, 5 * x[-1] ** (3 + options.index)))
    axes[0].legend()
    axes[1].set(xlabel="$k / k_{NL}$", ylabel="late / early", ylim=(0.9, 1.1))
    for one in axes:
        one.axvspan(edges[0], edges[-1], color=style.COLOURS[0], alpha=0.08, lw=0)
    return figure


if __name__ == "__main__":
    parser = style.command_line(" ".join(__doc__.split()), "self_similarity.png")
    parser.add_argument("--epochs", metavar="A", type=float, nargs=2, default=EPOCHS, help="the early and the late scale factor; default %(default)s")
    parser.add_argument("--waves", metavar="N", type=float, nargs=2, default=WAVES, help="of the box at the late epoch; default %(default)s")
    parser.add_argument("--index", metavar="N", type=float, default=-2, help="of the spectrum, P ~ k^N; default %(default)s")
    parser.add_argument("--fine", metavar="DIR", type=pathlib.Path,
                        help=f"the same boxes on a finer lattice: bins whose power agrees with it within {CONVERGED:g} are converged")
    style.run(draw, parser)
