"""The program on several ranks, for the tests of this folder."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "system"))
from aureole_program import PROGRAM  # noqa: E402
from interrupted_run import InterruptedRun  # noqa: E402

MPIEXEC = os.environ.get("AUREOLE_MPIEXEC", "mpirun")
KILLED = """
seed: 4
initial_conditions: {model: plummer, particles: 3000}
gravity: {solver: scf, scf: {n_max: 3, l_max: 2}}
integrator: {timestep: 0.015625}
run: {end_time: 1.5}
output: {diagnostics: {every: 0.25}, checkpoints: {steps: 9}}
"""
DOMAINS = "solver: tree, tree: {domains: true}"


def over_domains(text):
    return text.replace("solver: tree", DOMAINS)


class OnRanks(InterruptedRun):
    def on(self, n):
        """The command that runs the program on n ranks."""
        return MPIEXEC, "-n", str(n)

    def run_on(self, n, *arguments, status=0):
        done = subprocess.run([*self.on(n), PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=100,
                              cwd=self.folder)
        text = done.stdout + done.stderr
        self.assertEqual(done.returncode, status, text)
        return text

    def rank(self, job, number):
        """The process of a rank of a started job."""
        def found():
            for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
                try:
                    parent = int(status.read_text().rsplit(")", 1)[1].split()[1])
                    if parent == job.pid and f"OMPI_COMM_WORLD_RANK={number}\0" in \
                            (status.parent / "environ").read_text():
                        return int(status.parent.name)
                except (OSError, IndexError):
                    continue
            return None
        self.wait_until(found, f"rank {number}")
        return found()
