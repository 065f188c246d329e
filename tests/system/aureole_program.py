"""The executable under test, for the system tests: AUREOLE names it, AUREOLE_SOURCE the checkout."""
import importlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ.get("AUREOLE", "build/aureole")
SOURCE = pathlib.Path(os.environ.get("AUREOLE_SOURCE", "."))
#: built with sanitizers, the program takes five times as long: tests choose smaller sizes for the same code
SANITIZED = "AUREOLE_SANITIZED" in os.environ
DATA = pathlib.Path(os.environ.get("AUREOLE_TEST_DATA", SOURCE / "../shared/data"))


def needed(name):
    """A module; the test is skipped where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise unittest.SkipTest(f"{name} is not installed for {sys.executable}") from None


class ProgramTest(unittest.TestCase):
    """A test with a folder of its own and the program at hand."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="aureole_test_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_program(self, *arguments, status=0, timeout=600, env=None):
        """Runs it, with more variables of the environment, asserts the exit status, and returns stdout + stderr."""
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                              cwd=self.folder, env={**os.environ, **(env or {})})
        text = done.stdout + done.stderr
        self.assertEqual(done.returncode, status, f"aureole {' '.join(map(str, arguments))}\n{text}")
        return text

    def refused(self, *arguments):
        """Runs what must fail with one clear line and exit status 1; returns the line."""
        text = self.run_program(*arguments, status=1)
        lines = [line for line in text.splitlines() if line.startswith("aureole: ")]
        self.assertEqual(len(lines), 1, text)
        return lines[0]

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path


def real_data(name):
    """A file of the real data, or a skip that says why."""
    path = DATA / name
    if not path.exists():
        raise unittest.SkipTest(f"{path} is not here (AUREOLE_TEST_DATA)")
    return path
