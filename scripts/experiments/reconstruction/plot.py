#!/usr/bin/env python3
"""Density and potential of a sampled Hernquist sphere from its coefficients at (0,0) and (5,5), against the exact
curves; below, the residuals and one standard deviation of the sampling noise that is expected of them."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import style  # noqa: E402
from style import np, plt  # noqa: E402

import expected  # noqa: E402

ORDERS = [0, 5]
CUT = 10000  # truncation_radius of run.yaml


def read_profile(folder, order):
    """Radii, density and potential [2, n], and particles; G = 1."""
    name = folder / f"coefficients_{order}_{order}.hdf5"
    try:
        import h5py
        with h5py.File(name) as file:
            centre = file["snapshots/00000000"].attrs["Center"]
            g, particles = file.attrs["G"], file["Provenance"].attrs["Particles"]
    except (ImportError, OSError) as error:
        raise style.PlotError(f"{name}: cannot be read ({error}); expected h5py, and what ./run DIR writes") from error
    table = style.read_table(folder / f"profile_{order}_{order}.csv", ["x", "y", "z", "density", "potential"])
    radius = np.sqrt(sum((table[axis] - centre[k])**2 for k, axis in enumerate("xyz")))
    return radius, np.array([table["density"], table["potential"] / g]), particles


def draw(options):
    figure, axes = plt.subplots(2, 2, sharex=True, figsize=(2 * style.ONE_COLUMN, 4.4),
                                gridspec_kw={"height_ratios": [1.6, 1]})
    for order, colour in zip(ORDERS, ["C1", "C0"]):
        radius, found, particles = read_profile(options.folder, order)
        exact = np.array(expected.exact(radius))
        _, deviation = expected.mean_and_deviation(radius, particles, order, order, CUT)
        for k in range(2):
            profile, residual = axes[:, k]
            profile.loglog(radius, np.abs(found[k]), color=colour, label=f"({order},{order})")
            residual.semilogx(radius, 100 * (found[k] / exact[k] - 1), color=colour)
            noise = 100 * deviation[k] / np.abs(exact[k])
            residual.fill_between(radius, -noise, noise, color=colour, alpha=0.18, linewidth=0,
                                  label=rf"({order},{order}), $1\sigma$ of chance")
            residual.set_ylim(-2.5 * noise.max(), 2.5 * noise.max())
    for k, name in enumerate([r"density $\rho$", r"$-$ potential $\Phi$"]):
        profile, residual = axes[:, k]
        profile.loglog(radius, np.abs(exact[k]), color="black", linewidth=0.9, linestyle="--", label="exact")
        profile.set_ylabel(name)
        residual.axhline(0, color="0.7", linewidth=0.6, zorder=0)
        residual.set_ylabel("residual [%]")
        residual.set_xlabel("$r / a$")
    axes[1, 1].legend(loc="upper right")
    axes[0, 0].legend(title=f"{particles} particles", title_fontsize=8.5)
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "reconstruction.png"))
