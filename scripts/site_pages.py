"""Pages of the site that other texts and data make, in docs/generated: the command line from every command's --help, the
configuration from `aureole config --json`, the gallery from the experiments, validation and benchmarks from test names and
from the measured files of the experiments, the bibliography, the C++ reference from the headers, and the list of the modules'
pages.

usage: site_pages.py PROGRAM CHECKOUT"""
import csv
import json
import pathlib
import re
import subprocess
import sys

import cpp_pages

program, root = sys.argv[1], pathlib.Path(sys.argv[2])
folder = root / "docs/generated"
experiments = root / "scripts/experiments"


def output_of(*words):
    return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout


def write(name, lines):
    (folder / name).write_text("\n".join(lines) + "\n")


def command_line():
    general = output_of("--help")
    commands = re.findall(r"^  ([\w-]+)  ", general.split("Subcommands:")[1], re.M)
    page = ["# Command line", "", "What `aureole COMMAND --help` prints. Examples stand in [commands](../commands.md).", ""]
    for name, text in [("aureole", general), *((one, output_of(one, "--help")) for one in commands)]:
        page += [f"## {name}", "", "```text", text.strip(), "```", ""]
    write("commands.md", page)


def configuration():
    """The keys, one entry each, in sections by the first part of their names; docs/conf.py puts them into the page."""
    sections = {}
    for entry in json.loads(output_of("config", "--json")):
        parts = entry["key"].split(".")
        sections.setdefault(parts[0] if len(parts) > 1 else "general", []).append(entry)
    lines = []
    for section, entries in sections.items():
        lines += [f"## {section}", ""]
        for entry in entries:
            facts = [f"default `{entry['default']}`"] * bool(entry["default"]) + [entry["unit"]] * bool(entry["unit"])
            told = f" *({', '.join(facts)})*" if facts else ""
            lines += [f"`{entry['key']}`{told}", f": {entry['meaning']}", ""]
    write("keys.txt", lines)  # no page of its own


def title_and_text(page):
    """The heading of a page and its first paragraph."""
    title, _, rest = page.read_text().partition("\n")
    return title.lstrip("# "), " ".join(rest.strip().split("\n\n")[0].split())


def gallery():
    page = ["# Gallery", "", "Every experiment is a folder with the lines that make it, its pictures, and what one should see. Each "
            "is described on the page behind its picture.", "", "::::{grid} 1 2 3 3", ":gutter: 3", ""]
    pages = sorted(experiments.glob("*/README.md"))
    for one in pages:
        title, text = title_and_text(one)
        path = one.parent.relative_to(root)
        picture = next(iter(sorted(one.parent.glob("*.png"))), root / "scripts/experiments/galaxy_merger/merger.png")
        page += [f":::{{grid-item-card}} {title}", f":img-top: ../../{picture.relative_to(root)}", f":link: ../../{path}/README",
                 ":link-type: doc", re.split("[.:] ", text)[0].rstrip(".:") + ".", ":::", ""]
    write("gallery.md", page + ["::::", "", "```{toctree}", ":hidden:", *(f"../../{one.relative_to(root)}"[:-3] for one in pages),
                                "```"])


def table(rows, row_of, column_of, value_of):
    """Lines of a table; the last value of a cell counts. `rows` are dictionaries."""
    cells, heads = {}, {}
    for one in rows:
        heads[column_of(one)] = None
        cells.setdefault(row_of(one), {})[column_of(one)] = value_of(one)
    heads = sorted(heads)
    lines = ["| | " + " | ".join(count(head) for head in heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for name, values in cells.items():
        lines.append(f"| {name} | " + " | ".join(number(values[head]) if head in values else "" for head in heads) + " |")
    return [*lines, ""]


def count(n):
    power = n.bit_length() - 1
    return f"2^{power}" if n >= 1024 and n == 1 << power else f"{n:,}".replace(",", " ")


def number(value):
    return f"{value:,.0f}".replace(",", " ") if value >= 1000 else f"{value:.3g}"


#: of every measured file: what the table tells, the name of a row, the column, the value
MEASURED = {
    "halo_methods": ("Finding groups: milliseconds against the number of points",
                     lambda r: f"{r['case']}, {'phase space' if r['of_dimensions'] == 6 else 'space'}"
                               + (f", {threads(r['on_threads'])}" if r["backend"] == "cpu" else ""),
                     lambda r: r["n"], lambda r: r["ms"]),
    "centre_methods": ("Centres of groups: milliseconds against the number of members",
                       lambda r: f"{r['method']}, {r.get('input', 'real halos')}" + (", tree" if r["tree_members"] == 1 else ""),
                       lambda r: r["members"], lambda r: r["ms"]),
    "deposit_scaling": ("Densities of tetrahedra: milliseconds against the number of particles",
                        lambda r: f"{r['method']}, {r['grid']}^3 cells, {threads(r['threads'])}", lambda r: r["n"], lambda r: r["ms"]),
    "scf_performance": ("Basis expansions: milliseconds of a step against the number of particles",
                        lambda r: f"({r['n_max']}, {r['l_max']}), {r['precision']}"
                                  + (f", {threads(r['threads'])}" if r["threads"] else ""),
                        lambda r: r["n"], lambda r: 1000 * r["seconds_step"])}


MACHINES = {"h200": "One NVIDIA H200", "xeon": "Two cores of a Xeon with AVX-512", "xeon_16_cores": "16 cores of a Xeon"}


def threads(n):
    return f"{n} thread" + "s" * (n != 1)


def benchmarks():
    page = ["# Benchmarks", "", "Tables of the measured files of the experiments, made when this site is built. How each was measured "
            "stands on the page of the experiment; timings of whole commands, their floors and what was tried stand in "
            "[Measured](../../tests/bench/RESULTS.md).", ""]
    for name, (title, *of) in MEASURED.items():
        page += [f"## {title}", "", f"The experiment: [{name}](../../scripts/experiments/{name}/README.md).", ""]
        for file in sorted((experiments / name).glob("*.jsonl")):
            rows = [json.loads(line) for line in file.read_text().splitlines()]
            page += [f"**{MACHINES.get(file.stem, file.stem)}**", "", *table(rows, *of)]
    write("benchmarks.md", page)


def words_of(name):
    """OneOfAHundredthIsRecovered: one of a hundredth is recovered."""
    words = re.findall(r"[A-Z](?=[A-Z][a-z])|[A-Z][a-z0-9]*|[0-9]+", name)
    return " ".join(NAMES.get(word, word.lower()) for word in words)


NAMES = {name: name for name in ("Plummer", "Hernquist", "Kepler")} | {"Nfw": "NFW", "Scf": "SCF"}


def validation():
    page = ["# Validation", "", "What the physics tests prove at every change. Tolerances, and why they are what they are, stand in the "
            "tests themselves; tests of units and of whole commands come on top.", ""]
    for file in sorted((root / "tests/physics").glob("*_test.cpp")):
        text = file.read_text()
        about = " ".join(line.lstrip("/ ") for line in re.match(r"(//.*\n)*", text)[0].splitlines())
        claims = re.findall(r"^TEST(?:_P|_F)?\((\w+),\s*(\w+)\)", text, re.M)
        heading = words_of(file.stem.removesuffix("_test").title().replace("_", ""))
        page += [f"## {heading[0].upper()}{heading[1:]}", "", about, "",
                 *(f"- {words_of(suite)}: {words_of(name)}." for suite, name in claims), ""]
    with open(experiments / "zeldovich_pancake/errors.csv") as file:
        rows = [{"method": one["method"], **{key: float(one[key]) for key in ("cells", "side", "mean_error")}}
                for one in csv.DictReader(file)]
    page += ["## Densities of a pancake", "", "Mean over cells of |density - exact| in units of the mean density, against the particles "
             "along the wave ([the experiment](../../scripts/experiments/zeldovich_pancake/README.md)).", "",
             *table(rows, lambda r: f"{r['method']}, {r['cells']:.0f} cells", lambda r: int(r["side"]), lambda r: r["mean_error"])]
    write("validation.md", page)


def bibliography():
    text = "".join(file.read_text() for file in (root / "sim/core/bibliography").glob("*_papers.cpp"))
    page = ["# Papers", "", "What documentation and `aureole cite` name.", ""]
    papers = re.findall(r'^\{"([^"]+)", R"\((.*?)\)"', text, re.M | re.S)
    for name, entry in sorted(papers, key=lambda paper: (paper[0][-4:], paper[0])):
        field = {key: re.sub(r"[{}]|\\['\"~]", "", value) for key, value in re.findall(r"(\w+) += \{(.*)\},?$", entry, re.M)}
        where = ", ".join(field[key].replace("--", "-") for key in ("journal", "booktitle", "howpublished", "publisher", "volume", "pages")
                          if key in field)
        doi = f", [doi:{field['doi']}](https://doi.org/{field['doi']})" if "doi" in field else ""
        page.append(f"- **{name}**: {field['author'].rstrip('.').replace(' and ', '; ')}. *{field.get('title', 'no title known here')}*. {where} ({field['year']}){doi}")
    write("papers.md", page)


def modules():
    sections = "\n".join(page.read_text() for page in (root / "docs").glob("*.md"))
    listed = {"README", *re.findall(r"^\.\./(\S+)$", sections, re.M)}
    tracked = subprocess.run(["git", "ls-files", "*README.md"], cwd=root, capture_output=True, text=True, check=True).stdout
    others = [path[:-3] for path in tracked.split()
              if path[:-3] not in listed and not path.startswith(("third_party", "scripts/experiments/"))]
    others += [f"docs/{page.stem}" for page in sorted((root / "docs").glob("*.md"))
               if page.stem != "index" and not re.search(rf"^{page.stem}$|<{page.stem}>$", sections, re.M)]  # in no section yet
    write("modules.md", ["# Pages of the other modules", "", "```{toctree}", *(f"../../{path}" for path in others), "```"])


folder.mkdir(exist_ok=True)
for page in (command_line, configuration, gallery, benchmarks, validation, bibliography, modules):
    page()
cpp_pages.write_pages(root, folder)
