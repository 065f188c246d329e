"""Sizes: no source file has more lines than MOST_LINES.
usage: check_sizes.py ROOT"""
import pathlib
import sys

CODE = {".hpp", ".cuh", ".cpp", ".cu", ".cmake", ".py", ".pyi", ".js", ".css", ".html"}
OUTSIDE = ("build", "demo_output", "third_party/", ".")
MOST_LINES = 400


def faults_in(root):
    for file in sorted(root.rglob("*")):
        name = file.relative_to(root).as_posix()
        if name.startswith(OUTSIDE) or not (file.suffix in CODE or file.name == "CMakeLists.txt"):
            continue
        lines = len(file.read_text(errors="replace").splitlines())
        if lines > MOST_LINES:
            yield f"{name}: {lines} lines, expected at most {MOST_LINES}"


if __name__ == "__main__":
    faults = list(faults_in(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(faults) or "sizes hold")
    sys.exit(bool(faults))
