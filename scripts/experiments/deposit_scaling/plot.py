#!/usr/bin/env python3
"""Seconds of a deposit against the number of tetrahedra, and times faster against threads, from every .jsonl in DIR (`run`
writes them; the file's name becomes the machine's)."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import style  # noqa: E402
from style import np, plt  # noqa: E402

NEEDED = {"input", "n", "grid", "threads", "ms"}


def read_cases(folder):
    """machine -> its cases."""
    machines = {}
    for file in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(file.read_text().splitlines(), start=1):
            try:
                case = json.loads(line)
                if not NEEDED <= set(case):
                    raise KeyError(", ".join(sorted(NEEDED - set(case))))
            except (ValueError, KeyError) as error:
                raise style.PlotError(f"{file}, line {number}: {error!r}; expected a line of bench_density") from error
            machines.setdefault(file.stem, []).append(case)
    if not machines:
        raise style.PlotError(f"{folder}: no .jsonl there; deposit_scaling/run writes one")
    return machines


def random_lattices(cases):
    """threads -> numbers of tetrahedra and seconds, in order."""
    series = {}
    for case in cases:
        if case["input"].startswith("random:"):
            series.setdefault(case["threads"], []).append((6 * case["n"], case["ms"] / 1000))
    return {threads: np.array(sorted(rows)).T for threads, rows in sorted(series.items())}


def draw(options):
    figure, axes = plt.subplots(1, 3, figsize=(7.2, 2.5))
    for colour, (machine, cases) in enumerate(read_cases(options.folder).items()):
        series = random_lattices(cases)
        for threads, mark in ((min(series), "o-"), (max(series), "s--")) if len(series) > 1 else [(t, "o-") for t in series]:
            name = f"{machine}, {threads} thread{'s' if threads > 1 else ''}"
            axes[0].loglog(*series[threads], mark, color=f"C{colour}", markersize=3, label=name)
        largest = max(rows[0][-1] for rows in series.values())
        seconds = {threads: rows[1][rows[0] == largest][0] for threads, rows in series.items() if largest in rows[0]}
        if len(seconds) > 1:
            first = min(seconds)
            axes[1].plot(list(seconds), [first * seconds[first] / s for s in seconds.values()], "o-", color=f"C{colour}",
                         markersize=3, label=machine)
            axes[1].plot(list(seconds), list(seconds), ":", color="grey", linewidth=0.8)
        grids = np.array(sorted((case["grid"], 6000 * case["n"] / case["ms"]) for case in cases
                                if not case["input"].startswith("random:"))).T
        if len(grids):
            axes[2].loglog(*grids, "o-", color=f"C{colour}", markersize=3, label=machine)
            axes[2].set_xticks(grids[0], [f"{cells:.0f}" for cells in grids[0]])
            axes[2].set_xticks([], minor=True)
    axes[0].set(xlabel="tetrahedra", ylabel="seconds", title="as many cells as particles")
    axes[0].margins(x=0.05)
    axes[0].set_ylim(top=40 * axes[0].get_ylim()[1])  # room for the legend
    axes[1].set(xlabel="threads", ylabel="times faster", title="largest lattice")
    axes[2].set(xlabel="cells a side", ylabel="tetrahedra per second", title="clustered, $32^3$ particles")
    for one in axes:
        one.title.set_size(9)
        if one.lines:
            one.legend(fontsize=7, loc="upper right" if one is axes[2] else "upper left")
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "scaling.png"))
