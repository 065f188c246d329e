#!/usr/bin/env python3
"""Seconds of one force evaluation and its relative error against the number of particles, a line for each solver: 99 % of
the errors are below the solid line, half below the dashed one; dotted: what the tree was asked for. DIR is what `run` of
this folder wrote."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import style  # noqa: E402
from style import np, plt  # noqa: E402

# file -> colour, label, accuracy asked for
SOLVERS = {"direct": ("black", "direct sum", None),
           "tree_1e-2": ("C1", r"tree, $\alpha = 10^{-2}$", 1e-2),
           "tree_1e-3": ("C0", r"tree, $\alpha = 10^{-3}$", 1e-3),
           "tree_1e-4": ("C2", r"tree, $\alpha = 10^{-4}$", 1e-4),
           "scf_6_4": ("C3", "expansion (6,4)", None)}


def draw_slope(axes, n, seconds, power, text):
    """A short guide below the line of a solver."""
    n = np.array([n[-1] / 8, n[-1]])
    guide = seconds[-1] * (n / n[-1])**power / 2.5
    axes.loglog(n, guide, color="0.6", linewidth=0.8)
    axes.annotate(text, (n[0], guide[0]), xytext=(0, -9), textcoords="offset points", fontsize=8, color="0.4")


def draw(options):
    figure, (time, error) = plt.subplots(1, 2, figsize=(2 * style.ONE_COLUMN, 3.2))
    for name, (colour, label, asked) in SOLVERS.items():
        table = style.read_table(options.folder / f"{name}.csv", ["particles", "seconds", "median", "percent_99"])
        n = table["particles"]
        time.loglog(n, table["seconds"], "o-", markersize=3, color=colour, label=label)
        error.loglog(n, table["percent_99"], "o-", markersize=3, color=colour)
        error.loglog(n, table["median"], "o--", markersize=2, linewidth=0.9, color=colour)
        if asked:
            error.axhline(asked, color=colour, linewidth=0.8, linestyle=":")
        if name == "direct" and len(n) > 1:
            draw_slope(time, n, table["seconds"], 2, "$N^2$")
    time.set(ylabel="seconds of one evaluation", xlabel="particles")
    low, high = time.get_ylim()
    time.set_ylim(low, high * (high / low)**0.45)  # room for the names
    time.legend(loc="upper left")
    error.set(ylabel=r"$|a - a_{direct}| / a_{direct}$", xlabel="particles")
    for axes in (time, error):
        axes.margins(x=0.04)
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "comparison.png"))
