#!/usr/bin/env python3
"""Seconds of X-table and acceleration against the number of particles, from every .jsonl in DIR (`run` writes them;
the file's name becomes the machine's), mixed precision, with the floor that the arithmetic sets."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import style  # noqa: E402
from style import np, plt  # noqa: E402

# instructions per particle, counted on paper: (X-table, acceleration); (3,4) from the others, within some percent
SLOTS = {(3, 3): (145, 463), (3, 4): (224, 732), (6, 4): (335, 998), (10, 6): (889, 2494)}
H200_SLOTS_PER_SECOND = 30e12  # single precision: 60e12 operations, two in a multiply-add
PHASES = [("seconds_x_table", "X-table [s]"), ("seconds_acceleration", "acceleration [s]")]


def read_series(folder):
    """(label, backend, threads, order) -> rows in order of n."""
    series = {}
    for file in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(file.read_text().splitlines(), start=1):
            try:
                case = json.loads(line)
                if case["precision"] != "mixed":
                    continue
                key = (file.stem, case["backend"], case["threads"], (case["n_max"], case["l_max"]))
                series.setdefault(key, []).append([case["n"], *(case[name] for name, _ in PHASES)])
            except (ValueError, KeyError) as error:
                raise style.PlotError(f"{file}, line {number}: {error!r}; expected a line of bench_scf") from error
    if not series:
        raise style.PlotError(f"{folder}: no .jsonl there; scf_performance/run writes one")
    return {key: np.array(sorted(rows)).T for key, rows in series.items()}


def label_of(machine, backend, threads):
    return machine if backend == "cuda" else f"{machine}, {threads} thread{'s' if threads > 1 else ''}"


def draw(options):
    series = read_series(options.folder)
    orders = sorted({order for *_, order in series if order in SLOTS})
    lines = sorted({(backend, machine, threads) for machine, backend, threads, _ in series})
    figure, axes = plt.subplots(2, len(orders), sharex=True, sharey="row", squeeze=False,
                                figsize=(2 * style.ONE_COLUMN, 4.4))
    for column, order in zip(axes.T, orders):
        column[0].set_title(f"{order}".replace(" ", ""), fontsize=9.5)
        for colour, (backend, machine, threads) in enumerate(lines):
            n, *seconds = series.get((machine, backend, threads, order), [[]] * 3)
            rate = H200_SLOTS_PER_SECOND if backend == "cuda" else threads * options.cpu_slots
            for k, panel in enumerate(column):
                panel.loglog(n, seconds[k], "o-", markersize=3, color=f"C{colour}",
                             label=label_of(machine, backend, threads))
                if rate > 0:
                    panel.loglog(n, np.array(n) * SLOTS[order][k] / rate, ":", color=f"C{colour}", linewidth=1)
        column[1].set_xlabel("particles")
    for k, (_, name) in enumerate(PHASES):
        axes[k, 0].set_ylabel(name)
    axes[1, -1].legend(loc="lower right")
    return figure


if __name__ == "__main__":
    parser = style.command_line(" ".join(__doc__.split()), "performance.png")
    parser.add_argument("--cpu-slots", metavar="RATE", type=float, default=0,
                        help="vector lanes times multiply-adds a second and thread, for the floor of the CPU; not drawn "
                             "without")
    style.run(draw, parser)
