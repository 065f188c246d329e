#!/usr/bin/env python3
"""Density across the caustics of a folded plane wave against the exact sum over streams, and the mean error of cells against
the side of the lattice, from the outputs of `run` in DIR; writes the errors to DIR/errors.csv too."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import style  # noqa: E402
from style import np, plt  # noqa: E402

import h5py  # noqa: E402

GROWTH = 2  # of run.yaml
FOLDS = np.arccos(1 / GROWTH) / (2 * np.pi) * np.array([1, -1]) + [0, 1]  # dx/dq = 0
NAMES = {"elements": "elements", "cic": "CIC", "tsc": "TSC", "ngp": "NGP"}


def place(q):
    return q - GROWTH / (2 * np.pi) * np.sin(2 * np.pi * q)


def mass_below(x):
    """Of all streams, images included: each branch between folds is monotonic, and mass is the length in q."""
    ends = np.concatenate([[FOLDS[1] - 1], FOLDS, [FOLDS[0] + 1]])  # one period from fold to fold, and some of the next
    below = np.zeros_like(x)
    for a, b in zip(ends[:-2], ends[1:-1]):
        low, high = sorted((place(a), place(b)))
        for image in range(-2, 3):
            at = np.clip(x + image, low, high)
            left, right = np.full_like(x, a), np.full_like(x, b)
            rising = place(b) > place(a)
            for _ in range(60):
                middle = (left + right) / 2
                up = (place(middle) < at) == rising
                left, right = np.where(up, middle, left), np.where(up, right, middle)
            covered = left - a if rising else b - left
            below += covered
    return below


def exact_cells(cells):
    return np.diff(mass_below(np.arange(cells + 1) / cells)) * cells


def read_errors(folder):
    """(method, cells) -> sides and mean absolute errors, in order of side."""
    errors = {}
    for file in sorted(folder.glob("*_*_*.hdf5")):
        method, side, cells = re.fullmatch(r"([a-z]+)_(\d+)_(\d+)", file.stem).groups()
        with h5py.File(file) as grid:
            density = grid["Density"][:].ravel()
        errors.setdefault((method, int(cells)), []).append((int(side), np.abs(density - exact_cells(int(cells))).mean()))
    if not errors:
        raise style.PlotError(f"{folder}: no grids there; zeldovich_pancake/run makes them")
    return {key: np.array(sorted(rows)).T for key, rows in sorted(errors.items())}


def write_errors(folder, errors):
    lines = ["method,cells,side,mean_error"]
    for (method, cells), rows in errors.items():
        lines += [f"{method},{cells},{side:.0f},{error:.4g}" for side, error in rows.T]
    (folder / "errors.csv").write_text("\n".join(lines) + "\n")


def draw_profile(axes, folder):
    fine = 20000
    axes.plot((np.arange(fine) + 0.5) / fine, exact_cells(fine), color="black", linewidth=0.8, label="exact")
    lines = {int(file.stem[5:]): file for file in folder.glob("line_*.csv")}
    for colour, side in zip(("C0", "C1"), [side for side in (64, 16) if side in lines] or sorted(lines)[-1:]):
        line = style.read_table(lines[side], ["x", "density"])
        axes.plot(line["x"], line["density"], color=colour, linewidth=0.9, zorder=0, label=f"elements, ${side}^3$")
    axes.set(yscale="log", xlim=(0, 0.25), ylim=(0.2, 60), xlabel="$x / L$", ylabel="density / mean")
    axes.legend(loc="upper right")


def draw_errors(axes, errors, cells):
    for method, name in NAMES.items():
        if (method, cells) in errors:
            side, error = errors[method, cells]
            axes.loglog(side, error, "o-", markersize=3, label=name)
    side, error = errors["elements", cells]
    axes.loglog(side, error[0] * (side[0] / side) ** 2, ":", color="grey", linewidth=0.8)
    axes.loglog(side, error[0] * (side[0] / side), ":", color="grey", linewidth=0.8, label="slopes $-1$, $-2$")
    axes.set(xlabel="particles along the wave", ylabel="mean error of a cell / mean density", title=f"{cells} cells")
    axes.title.set_size(9)
    axes.legend(loc="lower left", fontsize=7)


def draw(options):
    errors = read_errors(options.folder)
    write_errors(options.folder, errors)
    numbers = sorted({cells for _, cells in errors})
    cells = [numbers[0], numbers[-1]] if len(numbers) > 1 else numbers
    figure, axes = plt.subplots(1, 1 + len(cells), figsize=(2.4 * (1 + len(cells)), 2.6))
    draw_profile(axes[0], options.folder)
    for one, number in zip(axes[1:], cells):
        draw_errors(one, errors, number)
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "pancake.png"))
