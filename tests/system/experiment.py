"""An experiment of scripts/experiments as a user runs it: its `run`, then its figure where there is a matplotlib."""
import csv
import importlib.util
import os
import subprocess
import sys

import numpy as np

from aureole_program import PROGRAM, SOURCE, ProgramTest

EXPERIMENTS = SOURCE / "scripts/experiments"


class Experiment(ProgramTest):
    def script(self, *command, status=0):
        # small sets gain nothing from threads, and tests run side by side
        environment = dict(os.environ, AUREOLE=PROGRAM, PYTHON=sys.executable, OMP_NUM_THREADS="1")
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300,
                              env=environment)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def perform(self, name, *arguments):
        """Runs the experiment and draws its figure; returns the folder of its outputs."""
        out = self.folder / "out"
        self.script(EXPERIMENTS / name / "run", out, *arguments)
        if importlib.util.find_spec("matplotlib"):
            figure = self.folder / "figure.png"
            self.script(sys.executable, EXPERIMENTS / name / "plot.py", out, "-o", figure)
            self.assertGreater(figure.stat().st_size, 10000)
        return out

    def columns(self, file):
        with open(file) as rows:
            rows = list(csv.DictReader(rows))
        return {name.partition(" [")[0]: np.array([float(row[name]) for row in rows]) for name in rows[0]}

    def largest_error(self, run):
        return np.abs(self.columns(run / "energy.csv")["relative_error"]).max()
