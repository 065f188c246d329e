#!/usr/bin/env python3
"""A Hernquist sphere in equilibrium against time: radii that hold 1, 10, 50 and 90 % of the mass over those of the exact
sphere, axis ratios inside the half-mass radius, virial ratio and energy. Lines: orbit.csv and energy.csv; points: the
snapshots."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import style  # noqa: E402
from style import np, plt  # noqa: E402

CUT = 100  # where the sphere ends, the default of initial conditions
FRACTIONS = [0.01, 0.10, 0.50, 0.90]


def exact_radius(fraction):
    root = np.sqrt(fraction) * CUT / (1 + CUT)
    return root / (1 - root)


def read_snapshots(folder):
    """Times, Lagrangian radii [n, 4], axis ratios [n, 2] inside the half-mass radius."""
    times, radii, ratios = [], [], []
    try:
        import shape
        for time, x, mass in shape.states(folder):
            times.append(time)
            radii.append([shape.lagrangian_radius(x, mass, fraction) for fraction in FRACTIONS])
            ratios.append(shape.axis_ratios(x, mass, radii[-1][2]))
    except (ImportError, OSError, KeyError) as error:
        raise style.PlotError(f"{folder}: {error}; expected h5py, and snapshots and coefficients of the run") from error
    if not times:
        raise style.PlotError(f"{folder}: no snapshot_NNN.hdf5 there; output.snapshots.every makes them")
    return np.array(times), np.array(radii), np.array(ratios)


def draw_radii(axes, folder, times, radii):
    table = style.read_table(folder / "orbit.csv", ["time", "lagrangian_10", "lagrangian_50", "lagrangian_90"])
    for k, fraction in enumerate(FRACTIONS):
        exact, colour = exact_radius(fraction), plt.cm.viridis(0.85 - 0.8 * k / 3)
        axes.plot(times, radii[:, k] / exact, "o" if k > 0 else "o:", markersize=3, color=colour, clip_on=False,
                  label=f"{100 * fraction:.0f} %, {exact:.3g}")
        if k > 0:
            axes.plot(table["time"], table[f"lagrangian_{100 * fraction:.0f}"] / exact, color=colour, linewidth=1)
    axes.axhline(1, color="0.6", linewidth=0.8, linestyle="--", zorder=0)
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.35 * (high - low))
    axes.legend(ncol=2, loc="upper center", columnspacing=1.2)
    axes.set_ylabel("radius / exact")


def draw(options):
    times, radii, ratios = read_snapshots(options.folder)
    energy = style.read_table(options.folder / "energy.csv", ["time", "relative_error", "virial_ratio"])
    figure, (top, middle, virial, error) = plt.subplots(
        4, 1, sharex=True, figsize=(style.ONE_COLUMN, 6.2), gridspec_kw={"height_ratios": [2.2, 1, 1, 1]})
    draw_radii(top, options.folder, times, radii)
    middle.plot(times, ratios[:, 0], "o-", markersize=3, label="$b/a$")
    middle.plot(times, ratios[:, 1], "s-", markersize=3, label="$c/a$")
    middle.set_ylim(1 - 1.6 * (1 - ratios.min()), 1)
    middle.legend(ncol=2, loc="lower center")
    middle.set_ylabel("axis ratios")
    virial.plot(energy["time"], energy["virial_ratio"], color="black")
    virial.axhline(1, color="0.6", linewidth=0.8, linestyle="--", zorder=0)
    virial.set_ylabel("virial ratio")
    error.semilogy(energy["time"][1:], np.abs(energy["relative_error"][1:]), color="black")
    error.set_ylabel(r"$|\Delta E / E_0|$")
    error.set_xlabel(style.label("time", options.time))
    figure.align_ylabels()
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "equilibrium.png"))
