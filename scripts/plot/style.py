"""What all figures share: look, reading of the program's CSV files, and the command line.

Labels carry no unit unless `--length`, `--time` name it: the files hold the run's own numbers.
"""
import argparse
import pathlib
import sys

try:
    import matplotlib
    import numpy as np
except ImportError as error:
    sys.exit(f"{sys.argv[0]}: {error}; Debian and Ubuntu: apt install python3-matplotlib (and run it with /usr/bin/python3)")

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402 (the backend comes first)

COLOURS = ["#2f6db5", "#e07b1f", "#3a9a5b", "#b5468f", "#1aa3b0", "#8a8a2b"]
ONE_COLUMN = 3.5  # inches, the column of a journal

plt.rcParams.update({
    "axes.grid": False,
    "axes.labelsize": 10,
    "axes.linewidth": 0.8,
    "axes.xmargin": 0,
    "axes.prop_cycle": matplotlib.cycler(color=COLOURS),
    "figure.constrained_layout.use": True,
    "figure.dpi": 100,
    "font.family": "serif",
    "font.serif": ["STIXGeneral", "DejaVu Serif"],
    "font.size": 10,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "legend.handlelength": 1.6,
    "lines.linewidth": 1.3,
    "mathtext.fontset": "stix",
    "savefig.dpi": 250,
    "xtick.direction": "in",
    "xtick.labelsize": 9,
    "xtick.minor.visible": True,
    "xtick.top": True,
    "ytick.direction": "in",
    "ytick.labelsize": 9,
    "ytick.minor.visible": True,
    "ytick.right": True,
})


class PlotError(Exception):
    """Something the user can mend: the message says what."""


def command_line(description, default_name):
    """Options that every figure has; `default_name` is the file written into DIR without -o."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folder", metavar="DIR", type=pathlib.Path, help="output folder of a run")
    parser.add_argument("-o", dest="output", metavar="FILE", type=pathlib.Path,
                        help=f"figure to write, .png or .pdf; default DIR/{default_name}")
    parser.add_argument("--length", metavar="UNIT", default="", help="unit of length for the labels, such as kpc")
    parser.add_argument("--time", metavar="UNIT", default="", help="unit of time for the labels, such as Gyr")
    parser.set_defaults(default_name=default_name)
    return parser


def read_table(file, columns):
    """The named columns of a CSV file with a header line, as a dictionary of arrays; units in the header are not part of a name."""
    try:
        lines = [line.strip() for line in file.read_text().splitlines()]
    except OSError as error:
        raise PlotError(f"{file}: cannot be read ({error.strerror}); is its folder the output of a run?") from error
    lines = [line for line in lines if line and not line.startswith("#")]
    if not lines:
        raise PlotError(f"{file}: empty; expected a header line with {', '.join(columns)}")
    header = [name.partition(" [")[0].strip() for name in lines[0].split(",")]
    missing = [name for name in columns if name not in header]
    if missing:
        raise PlotError(f"{file}: no column {', '.join(missing)}; found {', '.join(header)}")
    if len(lines) == 1:
        raise PlotError(f"{file}: no rows below the header; has the run written diagnostics yet?")
    rows = [_numbers(file, number, line, len(header)) for number, line in enumerate(lines[1:], start=2)]
    table = np.array(rows)
    return {name: table[:, header.index(name)] for name in columns}


def _numbers(file, number, line, expected):
    try:
        values = [float(value) for value in line.split(",")]
    except ValueError as error:
        raise PlotError(f"{file}, row {number}: {error}") from error
    if len(values) != expected:
        raise PlotError(f"{file}, row {number}: {len(values)} values for {expected} columns")
    return values


def label(text, unit):
    return f"{text} [{unit}]" if unit else text


def save(figure, options):
    output = options.output or options.folder / options.default_name
    try:
        figure.savefig(output)
    except (OSError, ValueError) as error:
        raise PlotError(f"{output}: cannot be written ({error})") from error
    print(output)


def run(draw, parser):
    """draw(options) returns a figure; errors become one line and exit status 1."""
    options = parser.parse_args()
    try:
        save(draw(options), options)
    except PlotError as error:
        sys.exit(f"{parser.prog}: {error}")
