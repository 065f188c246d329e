"""What a package brings besides its functions: the program, and an HDF5 that stays apart from h5py's."""
import ctypes
import os
import pathlib
import re
import subprocess
import sys

import pytest

import aureole
import aureole._run

PACKAGE = pathlib.Path(aureole.__file__).parent
BOTH = """
import os, sys
import numpy as np
for name in sys.argv[2].split(","):
    __import__(name)
import aureole, aureole._run, h5py
folder = sys.argv[1]
position = np.random.default_rng(1).uniform(size=(100, 3))
for turn in range(3):
    path = os.path.join(folder, f"{sys.argv[2]}{turn}.hdf5")
    with h5py.File(path + ".other", "w") as other:                   # both have a file open
        other["x"] = position
        sim = aureole.Simulation(position, np.zeros((100, 3)), np.ones(100), softening=0.1, timestep=0.01,
                                 solver="direct")
        sim.snapshot(path)
        with h5py.File(path) as file:
            found = file["PartType1/Coordinates"][:]
        read = aureole.load(path)
        assert np.array_equal(np.asarray(read.pos), found), "a file of ours reads differently"
        assert np.array_equal(other["x"][:], position)
    with h5py.File(path, "r+") as file:
        file["PartType1/Coordinates"][0] = 7
    assert np.asarray(aureole.load(path).pos)[0, 0] == 7, "a change by h5py is not seen"
print("well")
"""


@pytest.mark.parametrize("order", ["aureole._run,h5py", "h5py,aureole._run"])
def test_reads_and_writes_beside_h5py(tmp_path, order):
    pytest.importorskip("h5py")
    run = subprocess.run([sys.executable, "-c", BOTH, str(tmp_path), order], capture_output=True, text=True)
    assert run.stdout == "well\n", run.stderr


def test_symbols_of_a_static_hdf5_are_hidden():
    with open("/proc/self/maps") as maps:
        shared = {line.split()[-1] for line in maps if "libhdf5" in line and "h5py" not in line}
    if shared:
        pytest.skip(f"HDF5 is a shared library here: {sorted(shared)[0]}")
    assert not hasattr(ctypes.CDLL(aureole._run.__file__), "H5open")


def test_brings_the_program():
    program = PACKAGE / "bin/aureole"
    if not program.exists():
        pytest.skip("the package was built without the program")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    version = "[0-9.]+" if aureole.__version__ == "unknown" else re.escape(aureole.__version__)
    assert re.match(rf"aureole {version}\n", said)
    script = pathlib.Path(sys.executable).parent / "aureole"
    if os.path.exists(script):  # pip makes it
        assert subprocess.run([script, "--version"], capture_output=True, text=True, check=True).stdout == said
