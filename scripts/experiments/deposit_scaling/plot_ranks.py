#!/usr/bin/env python3
"""Efficiency of deposits against the number of ranks, from every .ranks.jsonl in DIR (`ranks` writes them): a real sheet onto a
grid in both ways and onto an octree, and lattices that grow with the ranks."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import style  # noqa: E402
from style import plt  # noqa: E402

NEEDED = {"input", "n", "grid", "levels", "ranks", "split", "ms", "ms_after_sheet"}


def read_cases(folder):
    """machine -> its cases."""
    machines = {}
    for file in sorted(folder.glob("*.ranks.jsonl")):
        for number, line in enumerate(file.read_text().splitlines(), start=1):
            try:
                case = json.loads(line)
                if not NEEDED <= set(case):
                    raise KeyError(", ".join(sorted(NEEDED - set(case))))
            except (ValueError, KeyError) as error:
                raise style.PlotError(f"{file}, line {number}: {error!r}; expected a line of bench_density_ranks") from error
            machines.setdefault(file.name.removesuffix(".ranks.jsonl"), []).append(case)
    if not machines:
        raise style.PlotError(f"{folder}: no .ranks.jsonl there; deposit_scaling/ranks writes one")
    return machines


def series_of(cases, key, wanted):
    """Numbers of ranks and milliseconds of the cases that are wanted."""
    rows = sorted((case["ranks"], case[key]) for case in cases if wanted(case))
    return [n for n, _ in rows], [ms for _, ms in rows]


def is_random(case):
    return case["input"].startswith("random:")


def draw(options):
    figure, axes = plt.subplots(1, 3, figsize=(7.2, 2.5), sharey=True)
    panels = (("real sheet, grid", lambda c: not is_random(c) and c["levels"] == 0, True),
              ("real sheet, octree", lambda c: not is_random(c) and c["levels"] > 0, True),
              ("growing lattices, grid", is_random, False))
    for colour, (machine, cases) in enumerate(read_cases(options.folder).items()):
        for axis, (title, wanted, strong) in zip(axes, panels):
            key = "ms" if "octree" in title else "ms_after_sheet"
            for split, mark in (("lattice", "o-"), ("space", "s--")):
                if key == "ms" and split == "space":
                    continue
                ranks, ms = series_of(cases, key, lambda c: wanted(c) and (key == "ms" or c["split"] == split))
                if not ranks:
                    continue
                axis.plot(ranks, [ms[0] * ranks[0] / (t * n) if strong else ms[0] / t for n, t in zip(ranks, ms)], mark,
                          color=f"C{colour}", markersize=3, label=machine if key == "ms" else f"{machine}, {split}")
            axis.set(xlabel="ranks", title=title)
    axes[0].set_ylabel("efficiency")
    axes[0].set_ylim(0, 1.15)
    for axis in axes:
        axis.axhline(1, color="grey", linewidth=0.8, linestyle=":")
        axis.title.set_size(9)
        if axis.get_legend_handles_labels()[0]:
            axis.legend(fontsize=7, loc="lower left")
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "ranks.png"))
