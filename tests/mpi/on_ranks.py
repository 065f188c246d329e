"""The program on several ranks, for the tests of this folder."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "system"))
from aureole_program import PROGRAM  # noqa: E402
from interrupted_run import InterruptedRun  # noqa: E402

MPIEXEC = os.environ.get("AUREOLE_MPIEXEC", "mpirun")


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
