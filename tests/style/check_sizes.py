"""Sizes: no source file has more lines than MOST_LINES, no folder of C++ more components than MOST_COMPONENTS. A
header and its sources count as one: their names differ by what compiles them.
usage: check_sizes.py ROOT"""
import collections
import pathlib
import re
import sys

CODE = {".hpp", ".cuh", ".cpp", ".cu", ".cmake", ".py", ".pyi", ".js", ".css", ".html"}
OUTSIDE = ("build", "demo_output", "third_party/", ".")
MOST_LINES = 400
MOST_COMPONENTS = 25
COMPILED = {".hpp", ".cuh", ".cpp", ".cu"}


def component(file):
    return re.sub(r"_(dual|cpu|cuda|simd|mpi|none)$", "", file.stem)


def faults_in(root):
    components = collections.defaultdict(set)
    for file in sorted(root.rglob("*")):
        name = file.relative_to(root).as_posix()
        if name.startswith(OUTSIDE) or not (file.suffix in CODE or file.name == "CMakeLists.txt"):
            continue
        lines = len(file.read_text(errors="replace").splitlines())
        if lines > MOST_LINES:
            yield f"{name}: {lines} lines, expected at most {MOST_LINES}"
        if file.suffix in COMPILED:
            components[file.relative_to(root).parent.as_posix()].add(component(file))
    for folder, held in components.items():
        if len(held) > MOST_COMPONENTS:
            yield f"{folder}: {len(held)} components, expected at most {MOST_COMPONENTS}"


if __name__ == "__main__":
    faults = list(faults_in(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(faults) or "sizes hold")
    sys.exit(bool(faults))
