#!/usr/bin/env python3
"""Seconds of every finder against the number of particles, from every .jsonl in DIR (`run` writes them; the file's name
becomes the machine's): building included above, linking alone below, in space and in phase space. Published points of other
finders come from peers.csv beside this script. Prints the speed-ups over the kd-tree on one thread as a table."""
import csv
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


def read_peers():
    """Dicts of peers.csv; times in seconds."""
    with open(pathlib.Path(__file__).with_name("peers.csv")) as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return [dict(row, dimensions=int(row["dimensions"]), n=int(row["n"]), seconds=float(row["ms"]) / 1e3) for row in rows]


def print_speedups(series):
    """How many times faster each case is than the kd-tree on one thread of a CPU, where both were timed."""
    base = {key[0]: value for key, value in series.items() if key[3] == "kd-tree" and key[2] == 1 and "h200" not in key[1]}
    for dimensions, reference in sorted(base.items()):
        numbers = [int(n) for n in reference[0]]
        print(f"\n{TITLES[dimensions]}: times faster than the kd-tree on one thread\n")
        print("| | " + " | ".join(f"2^{n.bit_length() - 1}" for n in numbers) + " |\n|---|" + "---|" * len(numbers))
        for (of, machine, threads, case), (n, seconds, _) in sorted(series.items()):
            if of != dimensions:
                continue
            found = dict(zip(n.astype(int), seconds))
            ratios = [f"{reference[1][k] / found[m]:.3g}" if m in found else "" for k, m in enumerate(numbers)]
            print(f"| {case}, {machine}{'' if machine == 'h200' else f', {threads} of its threads'} | " + " | ".join(ratios) + " |")


def draw_peers(axes, peers):
    """Their points in the panels of space and phase space; the entries of the legend."""
    marks = {name: "xv^sDP*"[k % 7] for k, name in enumerate(dict.fromkeys(row["peer"] for row in peers))}
    for row in peers:
        column = 0 if row["dimensions"] == 3 else 1
        axes[column].loglog(row["n"], row["seconds"], marks[row["peer"]], color="0.4", markersize=4)
    return [plt.Line2D([], [], marker=mark, linestyle="", color="0.4", markersize=4, label=name) for name, mark in marks.items()]


def draw(options):
    series = read_series(options.folder)
    print_speedups(series)
    machines = sorted({(machine, threads) for _, machine, threads, _ in series})
    figure = plt.figure(figsize=(2 * style.ONE_COLUMN, 5.6))
    grid = figure.add_gridspec(3, 2, height_ratios=[5, 5, 1.2])
    legend = figure.add_subplot(grid[2, :])
    axes = grid[:2, :].subgridspec(2, 2).subplots(sharex=True, sharey=True)
    for (dimensions, machine, threads, case), (n, *seconds) in sorted(series.items()):
        line = ["-", "--", ":", "-."][machines.index((machine, threads)) % 4]
        column = axes[:, 0 if dimensions == 3 else 1]
        for panel, y in zip(column, seconds):
            panel.loglog(n, y, line, marker="o", markersize=3, color=f"C{CASES.index(case)}")
        column[0].set_title(TITLES[dimensions], fontsize=9.5)
    peers = draw_peers(axes[0], read_peers())
    handles = [plt.Line2D([], [], color=f"C{k}", label=case) for k, case in enumerate(CASES)]
    handles += [plt.Line2D([], [], color="k", linestyle=["-", "--", ":", "-."][k % 4],
                           label=machine if machine == "h200" else f"{machine}, {threads} thread{'s' * (threads > 1)}")
                for k, (machine, threads) in enumerate(machines)]
    legend.axis("off")
    legend.legend(handles=handles + peers, loc="center", ncol=4, fontsize=7)
    for panel in axes[1]:
        panel.set(xlabel="particles", xlim=(3e3, 1.2e8))
    axes[0, 0].set_ylabel("points to labels [s]")
    axes[1, 0].set_ylabel("without building [s]")
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "methods.png"))
