#!/usr/bin/env python3
"""Seconds of every finder against the number of particles, from every .jsonl in DIR (`run` writes them; the file's name
becomes the machine's): building included above, linking alone below, in space and in phase space."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import style  # noqa: E402
from style import np, plt  # noqa: E402

CASES = ["kd-tree", "kd-tree, leaves of 64", "grid", "brute force", "spanning tree"]
TITLES = {3: "space", 6: "phase space"}


def seconds_of(row):
    """All of it, and what is left when points are ordered and the tree stands; labels or edges are part of it."""
    if row["benchmark"] == "spanning_tree":
        return row["ms"] / 1e3, (row["ms_rounds"] + row["ms_edges"]) / 1e3
    return row["ms"] / 1e3, (row["ms_link"] + row["ms_label"]) / 1e3


def read_series(folder):
    """(dimensions, machine, threads, case) -> rows n, all seconds, seconds without building, in order of n."""
    series = {}
    for file in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(file.read_text().splitlines(), start=1):
            try:
                row = json.loads(line)
                key = (row["of_dimensions"], file.stem, row["on_threads"], row["case"])
                series.setdefault(key, []).append([row["n"], *seconds_of(row)])
            except (ValueError, KeyError) as error:
                raise style.PlotError(f"{file}, line {number}: {error!r}; expected a line of halo_methods/run") from error
    if not series:
        raise style.PlotError(f"{folder}: no .jsonl there; halo_methods/run writes one")
    return {key: np.array(sorted(rows)).T for key, rows in series.items()}


def draw(options):
    series = read_series(options.folder)
    machines = sorted({(machine, threads) for _, machine, threads, _ in series})
    figure, axes = plt.subplots(2, 2, sharex=True, sharey=True, figsize=(2 * style.ONE_COLUMN, 5))
    for (dimensions, machine, threads, case), (n, *seconds) in sorted(series.items()):
        line = ["-", "--", ":", "-."][machines.index((machine, threads)) % 4]
        column = axes[:, 0 if dimensions == 3 else 1]
        for panel, y in zip(column, seconds):
            panel.loglog(n, y, line, marker="o", markersize=3, color=f"C{CASES.index(case)}")
        column[0].set_title(TITLES[dimensions], fontsize=9.5)
    for k, case in enumerate(CASES):
        axes[1, 1].plot([], [], color=f"C{k}", label=case)
    for k, (machine, threads) in enumerate(machines):
        axes[0, 1].plot([], [], "k" + ["-", "--", ":", "-."][k % 4], label=f"{machine}, {threads} thread{'s' * (threads > 1)}")
    for panel in axes[:, 1]:
        panel.legend(loc="center right")
    for panel in axes[1]:
        panel.set_xlabel("particles")
    axes[0, 0].set_ylabel("points to labels [s]")
    axes[1, 0].set_ylabel("without building [s]")
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "methods.png"))
