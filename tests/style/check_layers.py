"""Who may include whom: itself and what MAY_USE names (rooms or single headers). CUDA stays in .cu/.cuh/_dual files,
host-only headers out of them; no clock is asked that can be set; every folder with code is a room listed here; every
room has its README.md."""
import pathlib
import re
import sys

MAY_USE = {
    "sim/core": set(),
    "sim/io": {"sim/core"},
    "gravity": {"sim/core"},
    "integrators": {"sim/core", "gravity/solver.hpp"},
    "ics": {"sim/core"},
    "halo": {"sim/core", "gravity/solver.hpp"},
    "density": {"sim/core"},
    "sim/config": {"sim/core", "sim/io", "gravity", "ics", "halo"},
    "sim/analysis": {"sim/core", "sim/io", "sim/config", "gravity", "halo"},
    "sim/pictures": {"sim/core", "sim/io", "sim/config", "density"},
    "sim/run": {"sim/core", "sim/io", "sim/config", "sim/analysis", "sim/pictures", "gravity", "integrators", "ics",
                "halo"},
    "sim/cli": {"sim/core", "sim/io", "sim/config", "sim/analysis", "sim/pictures", "sim/run", "gravity", "integrators",
                "ics", "halo", "density"},
}
HOST_ONLY = {"sim/core/error.hpp", "sim/core/buffer.hpp", "sim/core/particles.hpp", "sim/core/memory.hpp"}
CODE = {".hpp", ".cuh", ".cpp", ".cu"}
OUTSIDE = ("tests/", "scripts/", "build", "demo_output", ".")
INCLUDE = re.compile(r'^\s*#include\s+["<]([^">]+)[">]', re.M)
DATES = {"sim/run/run_provenance.cpp"}  # say when a file was made; nothing waits by them
TIME_OF_DAY = re.compile(r"\bsystem_clock\b|\bhigh_resolution_clock\b|\bgettimeofday\b|\bCLOCK_REALTIME\b")
WITH_CUDA = re.compile(r"\bAUREOLE_WITH_CUDA\b")


def room_of(path):
    return next((room for room in MAY_USE if path.startswith(room + "/")), None)


def faults_of(name, text):
    room = room_of(name)
    if room is None:
        yield f"{name}: no room of that name in check_layers.py"
        return
    suffix = pathlib.PurePath(name).suffix
    cuda_file = suffix in {".cu", ".cuh"} or pathlib.PurePath(name).stem.endswith("_dual")
    for target in INCLUDE.findall(text):
        other = room_of(target)
        if other and other != room and not {other, target} & MAY_USE[room]:
            yield f"{name}: {room} must not include {target}"
        if cuda_file and target in HOST_ONLY:
            yield f"{name}: nvcc files see views only, not {target}"
        if not cuda_file and name != "sim/core/for_each_dual.hpp" and (
                target.startswith(("cuda", "thrust/", "cub/")) or target.endswith(".cuh")):
            yield f"{name}: CUDA header {target} outside .cu/.cuh/_dual files"
    if TIME_OF_DAY.search(text) and name not in DATES:
        yield f"{name}: a clock that somebody may set; std::chrono::steady_clock goes on evenly"
    if WITH_CUDA.search(text) and suffix != ".cpp":
        yield f"{name}: AUREOLE_WITH_CUDA belongs in doors (.cpp)"


def faults_in(root):
    for file in sorted(root.rglob("*")):
        name = file.relative_to(root).as_posix()
        if file.suffix in CODE and not name.startswith(OUTSIDE):
            yield from faults_of(name, file.read_text())
    for room in MAY_USE:
        if (root / room).is_dir() and not (root / room / "README.md").is_file():
            yield f"{room}: no README.md"


if __name__ == "__main__":
    faults = list(faults_in(pathlib.Path(sys.argv[1])))
    print("\n".join(faults) or "layers hold")
    sys.exit(bool(faults))
