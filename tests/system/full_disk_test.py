"""A disk that is full at any of a run's writes: a clear error naming the file, what it got and what is left, the last
good files as they were, and a run that goes on to the same files once there is room."""
import os
import re
import resource
import shutil
import signal
import subprocess
import unittest

from aureole_program import PROGRAM
from interrupted_run import InterruptedRun

PAGE = 4096  # in which a tmpfs counts
# every output there is, soon after each other
EVERYTHING = """
seed: 4
initial_conditions: {model: hernquist, particles: 400}
gravity: {softening: 0.05, solver: scf, scf: {n_max: 6, l_max: 4}}
integrator: {timestep: 0.015625}
run: {end_time: 0.75}
halos: {absolute_linking_length: 1, substructure: true}
pictures: {pixels: 300}
output:
  format: hdf5+tipsy
  snapshots: {every: 0.25}
  halos: {every: 0.25, csv: true, yt: true}
  pictures: {every: 0.25}
  coefficients: {every: 0.25}
  diagnostics: {every: 0.015625}
  checkpoints: {steps: 5}
"""
# pictures are written at the same time as snapshots, and are named where both fail
SNAPSHOTS = EVERYTHING.replace("  pictures: {every: 0.25}\n", "")
LOGS = (EVERYTHING[:EVERYTHING.index("output:")].replace("end_time: 0.75", "end_time: 10") +
        "output: {snapshots: {every: 1}, diagnostics: {every: 0.015625}, checkpoints: {steps: 60}}\n")
KINDS = {"log": r"(energy|timings|orbit|shapes|halos)\.csv", "snapshot": r"snapshot_\d+\.hdf5",
         "tipsy": r"snapshot_\d+\.(tipsy|tipsy\.iord|param)",
         "catalogue": r"fof_subhalo_tab_\d+\.hdf5", "catalogue for yt": r"halos_\d+\.0\.h5",
         "table of groups": r"halos_\d+\.csv", "picture": r"projection_\d+\.png", "checkpoint": r"checkpoint\.bin",
         "coefficients": r"coefficients_\d\.hdf5", "configuration": r"config\.resolved\.yaml",
         "provenance": r"csv-metadata\.json"}


class FullDisk(InterruptedRun):
    def stopped_run(self, text, early):
        """The undisturbed run of a configuration, `whole`, and a run of it that ended at an early output, `stopped`."""
        config = self.write("run.yaml", text)
        for out in ("whole", "stopped"):
            shutil.rmtree(self.folder / out, ignore_errors=True)
        self.run_program("run", config, "-o", "whole", "--quiet")
        self.run_program("run", config, "-o", "stopped", "--quiet", "--set", f"run.end_time={early}")
        self.go_on = ("--set", "run.end_time=" + re.search(r"end_time: ([\d.]+)", text)[1], "--quiet")

    def fails(self, out, reason, **how):
        """Goes on under a fault; returns the kind of file that the error names, or None when all went well."""
        kept = {p.name: p.read_bytes() for p in out.iterdir() if not p.name.endswith(".csv")}
        done = subprocess.run([PROGRAM, "run", "--resume", out, *self.go_on], capture_output=True, text=True, cwd=self.folder,
                              timeout=600, **how)
        if done.returncode == 0:
            return None
        self.assertEqual(done.returncode, 1, done.stderr)
        found = re.fullmatch(rf"aureole: {out}/(\S+?):? .*{reason}.* \((\d+) bytes are written, \d+ free on its disk\)"
                             rf"(; once that is mended: aureole run --resume {out})?\n", done.stderr)
        self.assertTrue(found, done.stderr)
        kind = next((kind for kind, name in KINDS.items() if re.fullmatch(name, found[1])), found[1])
        self.assertIn(kind, KINDS)
        self.assertEqual(found[3] is None, kind == "configuration", done.stderr)
        whole = {p.name for p in (self.folder / "whole").iterdir()} | {"checkpoint.bin", "checkpoint_previous.bin"}
        for path in out.iterdir():
            self.assertIn(path.name, whole, "no other name than those of a run that ended well")
            if path.name in kept and path.name not in {"config.resolved.yaml", "csv-metadata.json", "progress.json", "checkpoint.bin",
                                                       "checkpoint_previous.bin"}:
                if not path.name.startswith("coefficients"):
                    self.assertEqual(path.read_bytes(), kept[path.name], path.name)
        return kind

    def sweep(self, out, hindrances, reason, expected):
        """Every hindrance on the same stopped run; each kind of failed write is mended once and gone on from."""
        seen = set()
        for hindrance in hindrances:
            shutil.rmtree(out, ignore_errors=True)
            shutil.copytree(self.folder / "stopped", out)
            with hindrance as how:
                kind = self.fails(out, reason, **how)
            if kind is None:
                break
            if kind not in seen:
                self.run_program("run", "--resume", out, *self.go_on)
                self.same("whole", out)
                seen.add(kind)
        self.assertLessEqual(expected, seen)

    def test_a_full_disk_at_any_write_loses_nothing(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("a small disk of its own needs a root that may mount: " + mounted.stderr.decode().strip())
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=True)
        # small files are a page or two each; the sweep ends where all goes well. Snapshots take many pages
        pages, fewer = range(260), range(0, 260, 1 if os.environ.get("AUREOLE_LONG_TESTS") else 3)
        written_alone = set(KINDS) - {"log", "provenance", "snapshot", "tipsy"}
        for text, early, free, expected in ((EVERYTHING, 0.25, pages, written_alone),
                                            (SNAPSHOTS, 0.25, fewer, {"snapshot", "tipsy"}),
                                            (LOGS, 1, range(3), {"log"})):
            self.stopped_run(text, early)
            self.sweep(disk / "out", (Filled(disk, n * PAGE) for n in free), "No space left on device", expected)

    def test_a_limit_on_the_size_of_files_loses_nothing(self):
        limits = [1000 * 1.1 ** k for k in range(60)]
        for text, early, expected in ((EVERYTHING, 0.25, {"configuration", "provenance", "catalogue"}), (LOGS, 1, {"log"})):
            self.stopped_run(text, early)
            self.sweep(self.folder / "out", (Limited(int(limit)) for limit in limits), "File too large", expected)


class Filled:
    """A disk filled but for some bytes, for a while."""

    def __init__(self, disk, room):
        self.filler, self.disk, self.room = disk / "filler", disk, room

    def __enter__(self):
        state = os.statvfs(self.disk)
        self.filler.write_bytes(bytes(state.f_bavail * state.f_bsize - self.room))
        return {}

    def __exit__(self, *_):
        self.filler.unlink()


class Limited:
    """No file may grow beyond a size; the process is told so by its writes, not by a signal."""

    def __init__(self, largest):
        self.largest = largest

    def __enter__(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.largest, self.largest))
        return {"preexec_fn": limit, "restore_signals": False}

    def __exit__(self, *_):
        pass


if __name__ == "__main__":
    unittest.main()
