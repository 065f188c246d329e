"""Checks the layers: who may include whom, and which file may know CUDA.

MAY_USE lists every module and sub-module with those that it may include (or single headers). A file belongs to the
longest key that is a folder above it: with the keys "halo" and "halo/fof", the module "halo" is what lies elsewhere
below halo/. A grant of "halo" to another module stands for its sub-modules too; to "halo/fof" itself it grants the
module "halo" alone. CUDA headers stay in .cu, .cuh and _dual files, host-only headers stay out of those, and what
nvcc compiles reaches fmt through no header; a header is read once; no code reads a clock that can be set; every module
has its README.md (a sub-module may have one)."""
import pathlib
import re
import sys

CORE = {"sim/core"}
HALO = CORE | {"halo"}
IO = CORE | {"cosmology", "sim/io"}
MAY_USE = {
    "sim/core": set(),
    "sim/comm": CORE,
    "cosmology": CORE,
    "sim/io": CORE | {"cosmology"},
    "sim/io/hdf5": IO,
    "sim/io/images": IO,
    "sim/io/snapshots": IO | {"sim/io/hdf5"},
    "sim/io/fields": IO | {"sim/io/hdf5", "sim/io/snapshots"},
    "sim/io/halos": IO | {"sim/io/hdf5", "sim/io/snapshots"},
    "sim/io/ranks": IO | {"sim/comm", "sim/io/hdf5", "sim/io/snapshots"},
    "sim/io/compare": IO | {"sim/io/hdf5", "sim/io/images", "sim/io/snapshots"},
    "gravity": CORE | {"sim/comm"},
    "gravity/direct": CORE | {"gravity"},
    "gravity/tree": CORE | {"gravity"},
    "gravity/treepm": CORE | {"gravity", "gravity/mesh", "gravity/tree"},
    "gravity/scf": CORE | {"gravity"},
    "gravity/components": CORE | {"gravity", "gravity/direct", "gravity/tree", "gravity/scf"},
    "gravity/external": CORE | {"gravity"},
    "gravity/ranks": CORE | {"sim/comm", "gravity", "gravity/scf", "gravity/tree", "gravity/ranks/domains"},
    "gravity/ranks/domains": CORE | {"sim/comm", "gravity", "gravity/tree"},
    "integrators": CORE | {"cosmology", "gravity/solver.hpp", "gravity/softening.hpp"},
    "ics": CORE | {"cosmology"},
    "ics/disk": CORE | {"ics"},
    "halo": CORE,
    "halo/spanning_tree": HALO,
    "halo/fof": HALO | {"halo/spanning_tree"},
    "halo/parts": HALO | {"halo/fof"},
    "halo/ranks": HALO | {"sim/comm", "halo/fof", "halo/parts", "halo/overdensity", "halo/properties", "halo/substructure", "halo/catalogue"},
    "halo/properties": HALO,
    "halo/overdensity": HALO | {"cosmology", "halo/properties"},
    "halo/centres": HALO,
    "halo/substructure": HALO | {"gravity/solver.hpp", "gravity/solver_config.hpp", "halo/overdensity"},
    "halo/catalogue": HALO | {"halo/fof", "halo/centres", "halo/overdensity", "halo/properties"},
    "halo/merger_tree": HALO | {"halo/catalogue"},
    "density": CORE,
    "density/sheet": CORE | {"density"},
    "density/deposit": CORE | {"density", "density/sheet"},
    "density/octree": CORE | {"density", "density/sheet", "density/deposit"},
    "density/points": CORE | {"density", "density/sheet"},
    "density/ranks": CORE | {"sim/comm", "density", "density/sheet", "density/deposit", "density/octree"},
    "density/rendering": CORE | {"density", "density/octree"},
    "sim/config": IO | {"gravity", "integrators", "ics", "halo", "density"},
    "sim/analysis": IO | {"sim/comm", "sim/config", "gravity", "halo"},
    "sim/pictures": IO | {"sim/config", "density"},
    "sim/run": IO | {"sim/comm", "sim/config", "sim/analysis", "sim/pictures", "gravity", "integrators", "ics", "halo",
                     "density"},
    "sim/live": IO | {"sim/config", "sim/analysis", "sim/pictures", "sim/run"},
    "sim/cli": IO | {"sim/comm", "sim/config", "sim/analysis", "sim/pictures", "sim/run", "sim/live", "gravity", "integrators", "ics", "halo",
                     "density"},
    "python": IO | {"sim/config", "sim/analysis", "sim/pictures", "sim/run", "sim/live", "gravity", "integrators", "ics", "halo", "density"},
}
# Entry points choose between the implementations of sub-modules, which their module otherwise does not know.
CHOOSES = {
    "gravity/make_solver.cpp": {"gravity/components", "gravity/direct", "gravity/tree", "gravity/treepm", "gravity/scf"},
    "halo/finder.hpp": {"halo/fof"},
    "ics/make_initial_conditions.cpp": {"ics/disk"},
    "halo/finder.cpp": {"halo/fof", "halo/spanning_tree"},
    "sim/io/provenance.cpp": {"sim/io/hdf5"},
}
HOST_ONLY = {"sim/core/error.hpp", "sim/core/buffer.hpp", "sim/core/particles.hpp", "sim/core/memory/ledger.hpp"}
CODE = {".hpp", ".cuh", ".cpp", ".cu"}
OUTSIDE = ("tests/", "scripts/", "build", "demo_output", ".", "third_party/")
INCLUDE = re.compile(r'^\s*#include\s+["<]([^">]+)[">]', re.M)
DATES = {"sim/run/run_provenance.cpp"}  # date files; nothing waits by them
TIME_OF_DAY = re.compile(r"\bsystem_clock\b|\bhigh_resolution_clock\b|\bgettimeofday\b|\bCLOCK_REALTIME\b")
KNOWS_THE_BUILD = {"sim/core/backend.hpp"}
RANKS = re.compile(r"\bMPI_\w|\bnccl[A-Z]\w|#include <(mpi|nccl)\.h>")  # calls and headers
WITH_CUDA = re.compile(r"\bAUREOLE_WITH_CUDA\b")


def module_of(path):
    return max((module for module in MAY_USE if path.startswith(module + "/")), key=len, default=None)


def may_include(module, other, target):
    """Whether `module` may include the header `target` of the module `other`."""
    if other == module or {other, target} & MAY_USE[module]:
        return True
    return any(other.startswith(grant + "/") and not module.startswith(grant + "/") for grant in MAY_USE[module])


def faults_of(name, text):
    module = module_of(name)
    if module is None:
        yield f"{name}: no module of that name in check_layers.py"
        return
    suffix = pathlib.PurePath(name).suffix
    cuda_file = suffix in {".cu", ".cuh"} or pathlib.PurePath(name).stem.endswith("_dual")
    for target in INCLUDE.findall(text):
        other = module_of(target)
        if other and not may_include(module, other, target) and other not in CHOOSES.get(name, ()):
            yield f"{name}: {module} must not include {target}"
        if cuda_file and target in HOST_ONLY:
            yield f"{name}: nvcc files see views only, not {target}"
        if not cuda_file and name != "sim/core/for_each_dual.hpp" and (
                target.startswith(("cuda", "thrust/", "cub/")) or target.endswith(".cuh")):
            yield f"{name}: CUDA header {target} outside .cu/.cuh/_dual files"
        if suffix == ".hpp" and target.startswith("cufft"):
            yield f"{name}: CUDA header {target}, which builds without CUDA lack"
    if suffix in {".hpp", ".cuh"} and "\n#pragma once\n" not in "\n" + text:
        yield f"{name}: a header begins with #pragma once"
    if TIME_OF_DAY.search(text) and name not in DATES:
        yield f"{name}: this clock can be set; use std::chrono::steady_clock"
    if RANKS.search(text) and module != "sim/comm":
        yield f"{name}: MPI and NCCL are called in sim/comm alone; take a Communicator"
    if WITH_CUDA.search(text) and name not in KNOWS_THE_BUILD:
        yield f"{name}: AUREOLE_WITH_CUDA belongs in sim/core/backend.hpp; write `if constexpr (with_cuda)`"


def way_to_fmt(root, name, seen):
    """The headers by which a file reaches fmt, which nvcc's host compiler refuses; nothing where there is no way."""
    for target in INCLUDE.findall((root / name).read_text()):
        if target.startswith("fmt/"):
            return [target]
        if target in seen or not (root / target).is_file():
            continue
        seen.add(target)
        if way := way_to_fmt(root, target, seen):
            return [target, *way]
    return []


def faults_in(root):
    for file in sorted(root.rglob("*")):
        name = file.relative_to(root).as_posix()
        if file.suffix in CODE and not name.startswith(OUTSIDE):
            yield from faults_of(name, file.read_text())
            if file.suffix == ".cu" or name.endswith("_dual.cpp"):
                if way := way_to_fmt(root, name, set()):
                    yield f"{name}: nvcc does not compile fmt, which it reaches through {', '.join(way)}"
    for module in MAY_USE:
        part_of_another = any(module.startswith(other + "/") for other in MAY_USE)
        if not part_of_another and (root / module).is_dir() and not (root / module / "README.md").is_file():
            yield f"{module}: no README.md"


if __name__ == "__main__":
    faults = list(faults_in(pathlib.Path(sys.argv[1])))
    print("\n".join(faults) or "layers hold")
    sys.exit(bool(faults))
