"""Runs that are stopped, killed or hindered, for the tests of what is left of them."""
import math
import os
import re
import signal
import subprocess
import time

from aureole_program import PROGRAM, ProgramTest

RUN = """
seed: 4
initial_conditions:
  - {model: plummer, particles: FIRST}
  - {model: hernquist, particles: SECOND, position: [2, 0, 0], truncation_radius: 10, type: 2}
gravity: {softening: 0.05, GRAVITY}
integrator: {STEPS}
run: {end_time: 1.5}
halos: {absolute_linking_length: 0.2, substructure: true}
output:
  snapshots: {every: 0.25}
  halos: {every: 0.25, csv: true, yt: true}
  coefficients: {every: COEFFICIENTS}
  diagnostics: {every: 0.1}
  checkpoints: {every: 0.3, steps: 23}
"""
ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP)
PATIENCE = 300  # seconds, for what a loaded machine does in the end
FIXED, ADAPTIVE = "timestep: 0.015625", "adaptive: {eta: 0.1, maximum_timestep: 0.02}"
PERTURBER = ", external: {perturber: {mass: 0.1, semi_major_axis: 5, eccentricity: 0.3, frame: barycentric}}"
SCF = "solver: scf, scf: {n_max: 3, l_max: 2, recenter_every: 0.1, smoothing: {samples: 6}, recenter_on: "
CASES = {
    "direct": ("solver: direct", FIXED, 0),
    "direct_adaptive_with_perturber": ("solver: direct" + PERTURBER, ADAPTIVE, 0),
    "tree": ("solver: tree", ADAPTIVE, 0),
    "tree_with_perturber": ("solver: tree" + PERTURBER, FIXED, 0),
    "scf": (SCF + "shrinking_sphere}", FIXED, 0.1),
    "scf_most_bound": (SCF + "most_bound}" + PERTURBER, ADAPTIVE, 0.1),
    "scf_frozen": ("solver: scf, scf: {n_max: 3, l_max: 2, mode: frozen}", FIXED, 0.1),
}


def configuration(case, scale=1):
    """Of 900 particles, or of that times `scale`."""
    gravity, steps, coefficients = CASES[case]
    sized = RUN.replace("FIRST", str(int(600 * scale))).replace("SECOND", str(int(300 * scale)))
    return sized.replace("GRAVITY", gravity).replace("STEPS", steps).replace("COEFFICIENTS", str(coefficients))


class InterruptedRun(ProgramTest):
    def setUp(self):
        super().setUp()
        os.environ["OMP_NUM_THREADS"] = "1"

    def start(self, *arguments, ignored=(), through=(), preexec_fn=None, **how):
        """Begins a run that ignores some signals, and resets those that the parent of the tests ignores; `through` is a
        command that runs it."""
        def prepare():
            for number in ASKING:
                signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)
            if preexec_fn:
                preexec_fn()
        process = subprocess.Popen([*through, PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, cwd=self.folder, preexec_fn=prepare, **how)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)  # cleaned up from below: a test that failed leaves nothing running
        return process

    def wait_until(self, reached, what):
        """Polls; the limit is only there for tests that fail."""
        deadline = time.monotonic() + PATIENCE
        while not reached():
            self.assertLess(time.monotonic(), deadline, f"{what} does not come")
            time.sleep(0.002)

    def wait_for(self, process, path):
        """Until the file is there. A process that ends before has failed its test."""
        def reached():
            there = (self.folder / path).exists()
            if not there and process.poll() is not None and not (self.folder / path).exists():
                self.fail(f"the run has ended before {path} came:\n{process.stdout.read()}")
            return there
        self.wait_until(reached, path)

    def end_of(self, process):
        """What it has printed, once it has ended, and its status."""
        text, _ = process.communicate(timeout=PATIENCE)
        return text, process.returncode

    def same(self, first, second):
        self.assertIn("no difference", self.run_program("diff", "--exact", first, second))

    def long_run(self):
        """A run that does not end by itself in the time of a test, with a checkpoint now and then."""
        config = self.write("long.yaml", configuration("tree"))
        return "run", config, "-o", "out", "--set", "run.end_time=5000", "--set", "output.halos.every=1000"

    def endless(self, config, out):
        """The run of a configuration without its end: whatever the machine's speed, it is under way until it is stopped."""
        return "run", config, "-o", out, "--set", "run.end_time=5000"

    def resume_to_the_next_end(self, config, out, whole):
        """Goes on to a time of all outputs behind the checkpoint, and makes the same run in one go, `whole`."""
        found = re.search(r"time +t = ([-+.e\d]+)", self.run_program("info", f"{out}/checkpoint.bin"))
        end = "run.end_time=" + str((math.floor(2 * float(found[1])) + 1) / 2)
        self.run_program("run", "--resume", out, "--set", end)
        self.run_program("run", config, "-o", whole, "--set", end, "--quiet")
        self.same(whole, out)
