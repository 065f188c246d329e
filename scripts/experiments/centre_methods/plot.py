#!/usr/bin/env python3
"""Processor time of the most-bound particle against the length of a group, by all pairs, by tree and by the fast Poisson
centre, from every .jsonl in DIR (`run` writes them; the file's name becomes the machine's). Colours tell methods, lines machines.
On the right, where there are any, the groups of a snapshot (`run ... halos`): time of all groups over their number, against their
mean number of members."""
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


def read_series(folder, of_halos):
    """(machine, method) -> lengths and milliseconds, in order of length."""
    series = {}
    for file in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(file.read_text().splitlines(), start=1):
            try:
                case = json.loads(line)
                if case.get("of_halos", False) != of_halos:
                    continue
                if of_halos:
                    key = case["method"].replace("poisson", "Poisson").replace("_", " ")
                    row = [case["members"] / case["groups"], case["ms"] / case["groups"]]
                else:
                    key, row = name_of(case), [case["n"], case["processor_ms"]]
                series.setdefault((file.stem, key), []).append(row)
            except (ValueError, KeyError) as error:
                raise style.PlotError(f"{file}, line {number}: {error!r}; expected a line of bench_centres") from error
    if not series and not of_halos:
        raise style.PlotError(f"{folder}: no .jsonl there; centre_methods/run writes one")
    return {key: np.array(sorted(rows)).T for key, rows in series.items()}


def draw_panel(axes, series, title):
    machines, methods = (sorted({key[k] for key in series}) for k in (0, 1))
    for (machine, method), (n, milliseconds) in sorted(series.items()):
        line = ["-", "--", ":", "-."][machines.index(machine) % 4]
        axes.loglog(n, milliseconds, line, marker="o", markersize=3, color=f"C{methods.index(method)}",
                    label=f"{method} ({machine.replace('_', ' ')})")
    axes.set(xlabel="members", ylabel=title)
    if len(machines) > 1:  # a longer legend needs space below the lines
        axes.set_ylim(bottom=axes.get_ylim()[0] / 5)
    axes.legend(loc="best", fontsize=6)


def draw(options):
    halos = read_series(options.folder, True)
    figure, axes = plt.subplots(1, 1 + bool(halos), squeeze=False, figsize=((1 + bool(halos)) * style.ONE_COLUMN, 3))
    draw_panel(axes[0, 0], read_series(options.folder, False), "processor time of a sphere [ms]")
    if halos:
        draw_panel(axes[0, 1], halos, "time of all groups over their number [ms]")
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "centres.png"))
