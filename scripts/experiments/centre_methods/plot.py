#!/usr/bin/env python3
"""Processor time of the most-bound particle against the length of a group, by all pairs, by tree and by the fast Poisson
centre, from every .jsonl in DIR (`run` writes them; the file's name becomes the machine's)."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import style  # noqa: E402
from style import np, plt  # noqa: E402


def name_of(case):
    if case["method"] == "poisson":
        return "Poisson"
    return "tree" if case["tree_members"] <= case["n"] else "all pairs"


def read_series(folder):
    """(machine, method) -> lengths and milliseconds, in order of length."""
    series = {}
    for file in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(file.read_text().splitlines(), start=1):
            try:
                case = json.loads(line)
                row = [case["n"], case["processor_ms"]]
                series.setdefault((file.stem, name_of(case)), []).append(row)
            except (ValueError, KeyError) as error:
                raise style.PlotError(f"{file}, line {number}: {error!r}; expected a line of bench_centres") from error
    if not series:
        raise style.PlotError(f"{folder}: no .jsonl there; centre_methods/run writes one")
    return {key: np.array(sorted(rows)).T for key, rows in series.items()}


def draw(options):
    figure, axes = plt.subplots(figsize=(style.ONE_COLUMN, 3))
    for colour, ((machine, method), (n, milliseconds)) in enumerate(sorted(read_series(options.folder).items())):
        axes.loglog(n, milliseconds, "o-", markersize=3, color=f"C{colour}", label=f"{method} ({machine})")
    axes.set_xlabel("members")
    axes.set_ylabel("processor time [ms]")
    axes.legend(loc="upper left")
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "centres.png"))
