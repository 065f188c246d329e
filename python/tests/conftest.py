"""What the tests share: points with structure, and the installed program."""
import os
import pathlib
import subprocess

import numpy as np
import pytest
from gpu_libraries import Cupy, Jax, Torch

import aureole
from aureole import _core, _device

#: files that other codes wrote; tests that use them are skipped where they are not
DATA = pathlib.Path(os.environ.get("AUREOLE_TEST_DATA", pathlib.Path(__file__).parents[3] / "shared/data"))


@pytest.fixture
def emulated(monkeypatch):
    """Device 0 is the memory of the host."""
    monkeypatch.setattr(_device, "count", lambda: 1)
    monkeypatch.setattr(_device, "for_core", lambda number: -1)
    monkeypatch.setattr(_core, "device_of_pointer", lambda pointer: 0)


@pytest.fixture(scope="module", params=[Torch, Cupy, Jax], ids=["torch", "cupy", "jax"])
def library(request):
    """A library whose arrays are on the GPU; tests with it are skipped where it is not installed."""
    return request.param()


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory):
    """The folder of a small run with pictures, that the program has made."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "run.yaml").write_text("""
initial_conditions: {model: plummer, particles: 100}
gravity: {solver: direct, softening: 0.05}
integrator: {timestep: 0.05}
run: {end_time: 0.2}
output: {pictures: {every: 0.1}}
pictures: {pixels: 100}
""")
    subprocess.run([pathlib.Path(aureole.__file__).parent / "bin" / "aureole", "run", "run.yaml", "-o", "made", "--quiet"],
                   cwd=folder, check=True)
    return folder / "made"


@pytest.fixture(scope="module")
def pos():
    """Points for tests on a GPU; modules with other needs have their own."""
    return clumps(1, 300000) % 1.0


@pytest.fixture(scope="module")
def vel(pos):
    return np.random.default_rng(2).normal(size=pos.shape)


def clumps(seed, n, dimensions=3, centres=6, spread=0.02, background=0.4):
    """Points in the unit cube: some in clumps, the others spread evenly."""
    random = np.random.default_rng(seed)
    n_free = int(background * n)
    middle = random.random((centres, dimensions))
    clumped = middle[random.integers(centres, size=n - n_free)] + spread * random.normal(size=(n - n_free, dimensions))
    points = np.concatenate((clumped, random.random((n_free, dimensions))))
    return random.permutation(points)


def lattice(n):
    """Sites of a lattice in the unit box that are displaced, in another order, with ids."""
    random = np.random.default_rng(2)
    at = (np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), axis=-1).reshape(-1, 3) + 0.5) / n
    order = random.permutation(n ** 3)
    moved = np.mod(at + 0.3 / n * random.normal(size=at.shape), 1.0)
    return {"pos": moved[order], "vel": random.normal(size=at.shape), "ids": order}


def plummer(seed, n):
    """Positions of Plummer's sphere of scale 1."""
    random = np.random.default_rng(seed)
    radius = 1 / np.sqrt(random.uniform(0.01, 0.99, n) ** (-2 / 3) - 1)
    direction = random.normal(size=(n, 3))
    return radius[:, None] * direction / np.linalg.norm(direction, axis=1)[:, None]


def direct_forces(pos, mass, eps=0.0, targets=None):
    """Slow sums in double."""
    at = pos if targets is None else targets
    d = pos[None, :, :] - at[:, None, :]
    r2 = (d ** 2).sum(axis=2) + eps ** 2
    if targets is None:
        np.fill_diagonal(r2, np.inf)
    potential = -(mass / np.sqrt(r2)).sum(axis=1)
    return (mass[None, :, None] * d / r2[..., None] ** 1.5).sum(axis=1), potential


def partition(labels):
    """The groups as a set of frozen sets of indices; -1 is none."""
    labels = np.asarray(labels)
    return {frozenset(np.flatnonzero(labels == one)) for one in np.unique(labels) if one >= 0}


def text_table(file, pos, mass, vel=0.0):
    """Writes the points as a text table that the program reads, every bit of their numbers; returns the file."""
    rows = np.column_stack((np.broadcast_to(mass, len(pos)), pos, np.broadcast_to(vel, pos.shape)))
    file.write_text("".join(f"{i} " + " ".join(repr(float(x)) for x in row) + "\n" for i, row in enumerate(rows)))
    return file


@pytest.fixture(scope="module")
def points():
    """Clumps in the unit box, with velocities and unequal masses."""
    random = np.random.default_rng(5)
    pos = clumps(5, 4000, spread=0.01) % 1.0
    return {"pos": pos, "vel": random.normal(size=pos.shape), "mass": random.uniform(0.5, 1.5, len(pos)) / len(pos)}


@pytest.fixture(scope="session")
def program():
    """Runs the console program that the package brings; returns what it printed."""
    path = pathlib.Path(aureole.__file__).parent / "bin" / "aureole"
    assert path.exists(), f"{path}: the package has no program"

    hidden = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}  # arrays of numpy are the CPU's, and the program would take a GPU

    def run(*words):
        done = subprocess.run([str(path), *map(str, words)], capture_output=True, text=True, env=hidden)
        assert done.returncode == 0, done.stderr
        return done.stdout
    return run


@pytest.fixture(scope="session")
def cosmological(tmp_path_factory):
    """A comoving Gadget snapshot of clumps in a box."""
    h5py = pytest.importorskip("h5py")
    path = tmp_path_factory.mktemp("files") / "snapshot_003.hdf5"
    pos, random = 1000 * (clumps(5, 4096, spread=0.01) % 1.0), np.random.default_rng(5)
    with h5py.File(path, "w") as file:
        header = file.create_group("Header").attrs
        header["NumPart_ThisFile"] = header["NumPart_Total"] = np.array([0, 4096, 0, 0, 0, 0], np.uint32)
        header["NumPart_Total_HighWord"] = np.zeros(6, np.uint32)
        header["MassTable"] = np.zeros(6)
        header.update({"Time": 0.5, "Redshift": 1.0, "BoxSize": 1000.0, "NumFilesPerSnapshot": 1, "Omega0": 0.3,
                       "OmegaLambda": 0.7, "HubbleParam": 0.7})
        units = file.create_group("Parameters").attrs
        units.update({"UnitLength_in_cm": 3.085678e21, "UnitMass_in_g": 1.989e43, "UnitVelocity_in_cm_per_s": 1e5})
        part = file.create_group("PartType1")
        part["Coordinates"], part["Velocities"] = pos, 50 * random.normal(size=pos.shape)
        part["ParticleIDs"] = random.permutation(4096).astype(np.uint32) + 1
        part["Masses"] = np.full(4096, 0.3 * 27.7536627e-9 * 1e9 / 4096)
    return path
