#!/usr/bin/env python3
"""Processor time of the most-bound particle against the length of a group, by all pairs, by tree and by the fast Poisson
centre, from every .jsonl in DIR (`run` writes them; the file's name becomes the machine's). On the right, where there are any, the
groups of a snapshot (`run ... halos`): time of all groups over their number, against their mean length."""
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
                    key, row = case["method"].replace("_", " "), [case["members"] / case["groups"], case["ms"] / case["groups"]]
                else:
                    key, row = name_of(case), [case["n"], case["processor_ms"]]
                series.setdefault((file.stem, key), []).append(row)
            except (ValueError, KeyError) as error:
                raise style.PlotError(f"{file}, line {number}: {error!r}; expected a line of bench_centres") from error
    if not series and not of_halos:
        raise style.PlotError(f"{folder}: no .jsonl there; centre_methods/run writes one")
    return {key: np.array(sorted(rows)).T for key, rows in series.items()}


def draw_panel(axes, series, title):
    for colour, ((machine, method), (n, milliseconds)) in enumerate(sorted(series.items())):
        axes.loglog(n, milliseconds, "o-", markersize=3, color=f"C{colour}", label=f"{method} ({machine})")
    axes.set(xlabel="members", ylabel=title)
    axes.legend(loc="upper left", fontsize=6)


def draw(options):
    halos = read_series(options.folder, True)
    figure, axes = plt.subplots(1, 1 + bool(halos), squeeze=False, figsize=((1 + bool(halos)) * style.ONE_COLUMN, 3))
    draw_panel(axes[0, 0], read_series(options.folder, False), "processor time of a sphere [ms]")
    if halos:
        draw_panel(axes[0, 1], halos, "time of all groups over their number [ms]")
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "centres.png"))
