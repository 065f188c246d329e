"""Markdown pages: a heading first and levels that do not skip, fences that close, tables with as many cells in every row,
links and pictures that exist (files, and headings behind #), no README of more than 80 lines.
usage: check_pages.py ROOT"""
import pathlib
import re
import sys

OUTSIDE = ("build", "demo_output", ".")
MOST_LINES = 80
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^(#+) (.+)$")
INLINE_CODE = re.compile(r"`[^`]*`")
FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.S)  # of pages whose code the site runs


def anchor(heading):
    """The name by which a link reaches a heading, as GitHub and Sphinx's MyST make it."""
    kept = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower())
    return kept.strip().replace(" ", "-")


def prose(text):
    """(number, line) of all lines outside of fenced and indented code."""
    fence = None
    previous_blank = True
    indented = False
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"^\s*(```+|~~~+)", line)
        if mark and fence is None:
            fence = mark[1]
        elif mark and line.strip() == fence:
            fence = None
        elif fence is None:
            indented = line.startswith("    ") and (previous_blank or indented)
            if not indented:
                yield number, line
            previous_blank = not line.strip()
    if fence is not None:
        yield 0, "```"


def cells(row):
    return len(re.findall(r"(?<!\\)\|", INLINE_CODE.sub("", row.strip()).strip("|"))) + 1


def faults_of_lines(text):
    level = 0
    columns = None
    for number, line in prose(text):
        if number == 0:
            yield 1, "a fence of code that never closes"
            continue
        heading = HEADING.match(line)
        if heading:
            if len(heading[1]) > level + 1:
                yield number, f"a heading of level {len(heading[1])} after one of level {level}"
            level = len(heading[1])
        elif re.match(r"^#+[^# !]", line):
            yield number, "a heading needs a space behind its marks"
        if line.lstrip().startswith("|"):
            if columns is not None and cells(line) != columns:
                yield number, f"{cells(line)} cells in a table of {columns} columns"
            columns = columns or cells(line)
        else:
            columns = None


def faults_of_links(root, page, text):
    for number, line in prose(text):
        for target in LINK.findall(INLINE_CODE.sub("", line)):
            if re.match(r"^[a-z]+:", target):
                continue
            path, _, name = target.partition("#")
            file = page.parent / path if path else page
            if not file.exists():
                yield number, f"no file '{path}'"
            elif name and file.suffix == ".md":
                headings = {anchor(h[2]) for _, l in prose(file.read_text()) if (h := HEADING.match(l))}
                if name not in headings:
                    yield number, f"no heading '#{name}' in {file.relative_to(root)}"


def faults_in(root):
    for page in sorted(root.rglob("*.md")):
        name = page.relative_to(root).as_posix()
        if name.startswith(OUTSIDE):
            continue
        text = page.read_text()
        if not FRONT_MATTER.sub("", text).startswith("# "):
            yield f"{name}:1: expected a heading '# ...' as the first line"
        for number, fault in [*faults_of_lines(text), *faults_of_links(root, page, text)]:
            yield f"{name}:{number}: {fault}"
        if page.name == "README.md" and len(text.splitlines()) > MOST_LINES and page.parent != root:
            yield f"{name}: {len(text.splitlines())} lines, expected at most {MOST_LINES}"


if __name__ == "__main__":
    faults = list(faults_in(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(faults) or "pages hold")
    sys.exit(bool(faults))
