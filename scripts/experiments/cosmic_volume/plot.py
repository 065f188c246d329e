#!/usr/bin/env python3
"""The web of a slab of the box, the spectra beside linear theory, and the mass function beside published fits, of DIR as `run`
leaves it. `--reference FILE` adds the spectra of a table of others: i, modes, k, then P of each epoch, today last."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import style  # noqa: E402
from style import np, plt  # noqa: E402

import h5py  # noqa: E402

FITS = {"Fit_tinker": "Tinker et al. 2008", "Fit_crocce": "Crocce et al. 2010",
        "Fit_watson": "Watson et al. 2013"}
KPC_PER_MPC = 1000


def read_web(folder):
    """The density of a slab of a tenth of the box, over the mean, and the side in Mpc/h."""
    try:
        with h5py.File(folder / "web.hdf5") as file:
            density, side = file["Density"], file.attrs["BoxSize"] / KPC_PER_MPC
            slab = density[:, :, :max(1, density.shape[2] // 10)].mean(axis=2)
            return slab / density[:].mean(), side
    except (OSError, KeyError) as error:
        raise style.PlotError(f"{folder / 'web.hdf5'}: {error}; cosmic_volume/run writes it") from error


def draw_web(axes, folder):
    slab, side = read_web(folder)
    image = axes.imshow(np.log10(np.maximum(slab.T, 1e-2)), origin="lower", extent=(0, side, 0, side), cmap="inferno",
                        vmin=-1, vmax=2)
    axes.set(xlabel="$x$ [Mpc/$h$]", ylabel="$y$ [Mpc/$h$]", title=f"slab of {side / 10:.3g} Mpc/$h$ at $z = 0$")
    plt.colorbar(image, ax=axes, label=r"$\lg\,(\rho / \bar\rho)$", shrink=0.8)


def numbered(folder, stem):
    tables = sorted((folder / "run").glob(f"{stem}_[0-9]*.csv"))
    if not tables:
        raise style.PlotError(f"{folder / 'run'}: no {stem}_NNN.csv; cosmic_volume/run writes them")
    return tables


def redshift_of(table):
    with h5py.File(table.with_suffix(".hdf5")) as file:
        return 1 / file.attrs["Time"] - 1


def draw_spectra(axes, folder, reference):
    for number, table in enumerate(numbered(folder, "power")):
        columns = style.read_table(table, ["WaveNumber", "Power", "ShotNoise", "LinearPower"])
        k, colour = columns["WaveNumber"], plt.cm.viridis(0.9 * number / 6)
        axes.loglog(k, columns["LinearPower"], color=colour, lw=0.8, ls="--", label="linear theory" if number == 0 else None)
        above_noise = columns["Power"] > 1.02 * columns["ShotNoise"]
        power = np.where(above_noise, columns["Power"] - columns["ShotNoise"], np.nan)
        if redshift_of(table) > 3:  # particles are still on a lattice, which has no such noise
            power = np.where(k < 0.9 * np.pi * len_of_lattice(folder), columns["Power"], np.nan)
        axes.loglog(k, power, color=colour, label=f"$z = {redshift_of(table):.3g}$")
    if reference:
        rows = np.loadtxt(reference)
        axes.loglog(rows[:, 2], rows[:, -1] - columns["ShotNoise"][0], "k+", ms=4, label="GADGET-4, $z = 0$")
    axes.set(xlabel="$k$ [$h$/Mpc]", ylabel="$P$ [(Mpc/$h$)$^3$]", ylim=(1e-3, None))
    axes.legend(fontsize=6.5, loc="lower left", ncols=2)


def len_of_lattice(folder):
    """Particles along an axis over the side of the box in Mpc/h."""
    with h5py.File(sorted((folder / "run").glob("snapshot_*.hdf5"))[0]) as file:
        header = file["Header"].attrs
        return np.cbrt(np.sum(header["NumPart_ThisFile"])) / (header["BoxSize"] / KPC_PER_MPC)


def draw_mass_function(axes, folder):
    table = numbered(folder, "mass_function")[-1]
    masses = ["MassLower", "MassUpper"]
    columns = style.read_table(table, masses + [f"{name}_{kind}" for name in ("Count", "DnDlnM", "Error")
                                                for kind in ("FoF", "Mean200")] + list(FITS))
    mass = np.sqrt(columns["MassLower"] * columns["MassUpper"])
    for kind, name, colour in (("FoF", "friends of friends", style.COLOURS[0]), ("Mean200", "200 times the mean", style.COLOURS[1])):
        seen = columns[f"Count_{kind}"] > 0
        axes.errorbar(mass[seen], columns[f"DnDlnM_{kind}"][seen], columns[f"Error_{kind}"][seen], fmt="o", ms=3, color=colour,
                      label=name)
    for (fit, name), line in zip(FITS.items(), ("-", "--", ":")):
        axes.plot(mass, columns[fit], "k", ls=line, lw=0.8, label=name)
    least = columns["DnDlnM_FoF"][columns["Count_FoF"] > 0].min()
    axes.set(xscale="log", yscale="log", xlabel="$M$ [M$_\\odot$/$h$]", ylabel="d$n$/d ln $M$ [($h$/Mpc)$^3$]",
             ylim=(0.02 * least, None), title="$z = 0$")
    axes.legend(fontsize=6.5, loc="lower left", ncols=2)


def draw(options):
    figure, axes = plt.subplots(1, 3, figsize=(3 * style.ONE_COLUMN, style.ONE_COLUMN), width_ratios=(1.2, 1, 1))
    draw_web(axes[0], options.folder)
    draw_spectra(axes[1], options.folder, options.reference)
    draw_mass_function(axes[2], options.folder)
    for one in axes:
        one.title.set_size(9)
    return figure


if __name__ == "__main__":
    parser = style.command_line(" ".join(__doc__.split()), "volume.png")
    parser.add_argument("--reference", type=pathlib.Path, metavar="FILE", help="table of spectra of another code")
    style.run(draw, parser)
