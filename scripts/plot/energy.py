#!/usr/bin/env python3
"""Energies, their conservation and the virial ratio against time, from energy.csv."""
import style
from style import np, plt

COLUMNS = ["time", "kinetic", "potential", "total", "relative_error", "virial_ratio"]


def draw(options):
    table = style.read_table(options.folder / "energy.csv", COLUMNS)
    time = table["time"]
    figure, (energies, error, virial) = plt.subplots(
        3, 1, sharex=True, figsize=(style.ONE_COLUMN, 5.2), gridspec_kw={"height_ratios": [2, 1.3, 1]})

    energies.plot(time, table["kinetic"], label="kinetic")
    energies.plot(time, table["potential"], label="potential")
    energies.plot(time, table["total"], color="black", label="total")
    energies.axhline(0, color="0.7", linewidth=0.6, zorder=0)
    low, high = energies.get_ylim()
    energies.set_ylim(low, high + 0.28 * (high - low))
    energies.legend(ncol=3, loc="upper center", columnspacing=1.2)
    energies.set_ylabel("energy")

    magnitude = np.abs(table["relative_error"])
    positive = magnitude > 0
    if positive.any():
        error.semilogy(time[positive], magnitude[positive], color="black")
        error.annotate(f"largest {magnitude[positive].max():.1e}", (0.97, 0.08), xycoords="axes fraction", ha="right",
                       fontsize=8.5)
    elif np.isnan(magnitude).any():
        error.annotate("no energy is conserved", (0.5, 0.5), xycoords="axes fraction", ha="center", fontsize=8.5)
    error.set_ylabel(r"$|\Delta E / E_0|$")

    virial.plot(time, table["virial_ratio"], color="black")
    virial.axhline(1, color="0.6", linewidth=0.8, linestyle="--", zorder=0)
    virial.set_ylabel("virial ratio")
    virial.set_xlabel(style.label("time", options.time))
    figure.align_ylabels()
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(__doc__, "energy.png"))
