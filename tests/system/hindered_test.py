"""What a run does when its directory is taken from it, when another run holds it already, when Ctrl-C comes twice, when
memory ends, and what it holds after many steps."""
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import time
import types
import unittest

from aureole_program import PROGRAM, ProgramTest
from interrupted_run import PATIENCE, InterruptedRun, configuration

NOBODY = 65534


class Directory(InterruptedRun):
    GONE = "^aureole: out.*(no longer this run's: its lock, out/run.lock, is gone|there is no folder|No such file)"

    def ends_with_an_error(self, process):
        text, status = self.end_of(process)
        self.assertEqual(status, 1, text)
        return text.splitlines()[-1]

    def test_a_directory_that_is_removed_ends_the_run_and_does_not_come_back(self):
        process = self.start(*self.long_run())
        self.wait_for(process, "out/checkpoint.bin")
        (self.folder / "out").rename(self.folder / "gone")  # at once; its files go one by one
        shutil.rmtree(self.folder / "gone")
        self.assertRegex(self.ends_with_an_error(process), self.GONE)
        self.assertFalse((self.folder / "out").exists())

    def test_a_directory_that_another_run_has_taken_is_left_to_it(self):
        first = self.start(*self.long_run())
        self.wait_for(first, "out/checkpoint.bin")
        (self.folder / "out").rename(self.folder / "moved")
        second = self.start(*self.long_run())
        error = self.ends_with_an_error(first)
        self.assertRegex(error, self.GONE)
        self.wait_for(second, "out/checkpoint.bin")
        self.assertTrue((self.folder / "out/run.lock").exists(), "the first run must not take the second one's lock")
        second.send_signal(signal.SIGTERM)
        text, status = self.end_of(second)
        self.assertEqual(status, 0, text)
        self.run_program("run", "--resume", "moved", "--max-wall", "00:00:01")

    def test_a_directory_that_becomes_read_only_loses_nothing(self):
        config = self.write("run.yaml", configuration("tree"))
        how = {}
        if os.geteuid() == 0:  # whom permissions do not stop
            how = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
            os.chown(self.folder, NOBODY, NOBODY)
        try:
            process = self.start(*self.endless(config, "out"), **how)
        except PermissionError:
            self.skipTest(f"{PROGRAM} cannot be run by another user than root")
        self.wait_for(process, "out/checkpoint.bin")
        (self.folder / "out").chmod(0o555)
        self.assertRegex(self.ends_with_an_error(process),
                         r"^aureole: out/\S+ .*Permission denied.*; once that is mended: aureole run --resume out$")
        checkpoint = (self.folder / "out/checkpoint.bin").read_bytes()
        (self.folder / "out").chmod(0o755)
        self.assertEqual((self.folder / "out/checkpoint.bin").read_bytes(), checkpoint)
        self.resume_to_the_next_end(config, "out", "whole")

    def test_two_runs_do_not_share_a_directory(self):
        for begin in (self.long_run(), ("run", "--resume", "out")):  # a new run, and one that goes on
            newest = self.folder / "out/checkpoint.bin"
            newest.unlink(missing_ok=True)  # the next one tells that the run is under way
            process = self.start(*begin)
            self.wait_for(process, "out/checkpoint.bin")
            self.assertIn("another run is writing to it", self.refused("run", "--resume", "out"))
            self.assertIn("another run is writing to it", self.refused(*self.long_run(), "--overwrite"))
            process.kill()
            process.communicate()
            self.assertTrue((self.folder / "out/run.lock").exists(), "a killed run leaves its lock's file behind")
        self.run_program("run", "--resume", "out", "--max-wall", "00:00:01")
        self.assertFalse((self.folder / "out/run.lock").exists())


class Signals(InterruptedRun):
    ONE_REQUEST = 0.25  # seconds, within which the same again is no second signal (stop_signal.hpp)

    def test_a_second_interrupt_or_termination_ends_the_program_at_once(self):
        # one evaluation of the forces takes half a minute: the first signal has to wait for it, the second does not
        config = self.write("run.yaml", configuration("direct", scale=300))
        for first, second in ((signal.SIGINT, signal.SIGINT), (signal.SIGINT, signal.SIGTERM),
                              (signal.SIGTERM, signal.SIGINT), (signal.SIGUSR1, signal.SIGTERM)):
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            process = self.start("run", config, "-o", "out", "--device", "cpu")
            self.wait_for(process, "out/energy.csv")
            process.send_signal(first)
            time.sleep(1.5 * self.ONE_REQUEST)
            self.assertIsNone(process.poll(), "the step in hand is not over")
            process.send_signal(second)
            if first == signal.SIGUSR1:  # a queue's warning is no first Ctrl-C
                time.sleep(1.5 * self.ONE_REQUEST)
                self.assertIsNone(process.poll())
                process.send_signal(second)
            self.assertEqual(self.end_of(process)[1], -second, "the step over, it would have ended well")
            self.assertEqual(list((self.folder / "out").glob("*.partial")), [])

    def test_a_time_limit_of_the_shell_ends_a_run_with_a_checkpoint(self):
        # timeout(1) gives its signal twice at once: to the program, and to the group it is in
        if not shutil.which("timeout"):
            self.skipTest("there is no timeout(1)")
        for number in (signal.SIGTERM, signal.SIGINT):
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            process = self.start(*self.long_run(), through=("timeout", "-s", str(int(number)), "300"))
            self.wait_for(process, "out/snapshot_001.hdf5")
            process.send_signal(number)  # which it passes on as it does when the time is over
            text, _ = self.end_of(process)
            self.assertIn(f"stopped by {number.name}", text)
            self.assertTrue((self.folder / "out/checkpoint.bin").exists())

    def test_a_signal_that_the_parent_ignored_stays_ignored(self):
        # as `nohup aureole ...` does with SIGHUP, and `aureole ... &` in a script with SIGINT
        ignored = (signal.SIGHUP, signal.SIGINT, signal.SIGUSR1)
        process = self.start(*self.long_run(), ignored=ignored)
        self.wait_for(process, "out/snapshot_001.hdf5")
        for number in ignored:
            process.send_signal(number)
        later = int(max((self.folder / "out").glob("snapshot_*.hdf5")).stem[-3:]) + 2
        self.wait_for(process, f"out/snapshot_{later:03}.hdf5")
        self.assertEqual(list((self.folder / "out").glob("extra_*.hdf5")), [])
        (self.folder / "out/dump").touch()
        self.wait_until(lambda: list((self.folder / "out").glob("extra_*.hdf5")), "the snapshot that a file asks for")
        process.send_signal(signal.SIGTERM)
        text, status = self.end_of(process)
        self.assertEqual(status, 0, text)
        self.assertIn("stopped by SIGTERM", text)


class Listeners(InterruptedRun):
    def in_a_terminal(self, hangup):
        """Begins a run in a terminal of its own, closes that, and returns the snapshots written because of it once the
        run has gone on for long."""
        command = [PROGRAM, *map(str, self.long_run()), "--set", "output.snapshots.every=0.05"]
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            signal.signal(signal.SIGHUP, hangup)
            os.execv(PROGRAM, command)
        self.addCleanup(os.waitpid, child, 0)
        self.addCleanup(os.kill, child, signal.SIGKILL)
        process = types.SimpleNamespace(poll=lambda: None)
        self.wait_for(process, "out/checkpoint.bin")
        os.close(terminal)

        def gone_on():  # past more lines than fit into the terminal's buffer
            self.assertEqual(os.waitpid(child, os.WNOHANG), (0, 0), "it has ended")
            return (self.folder / "out/snapshot_060.hdf5").exists()
        self.wait_until(gone_on, "the 60th snapshot")
        return list((self.folder / "out").glob("extra_*.hdf5"))

    def test_a_terminal_that_is_closed_asks_for_a_snapshot_and_ends_nothing(self):
        self.assertEqual(len(self.in_a_terminal(signal.SIG_DFL)), 1)

    def test_a_terminal_that_is_closed_is_nothing_to_a_run_below_nohup(self):
        self.assertEqual(self.in_a_terminal(signal.SIG_IGN), [])

    def test_a_log_that_nobody_reads_any_more_does_not_keep_a_run_from_its_checkpoint(self):
        process = self.start(*self.long_run())
        self.wait_for(process, "out/snapshot_001.hdf5")
        process.stdout.close()  # as Ctrl-C ends a tee before the run
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertFalse((self.folder / "out/run.lock").exists())


class Memory(ProgramTest):
    RUN = """
initial_conditions: {model: plummer, particles: 20000}
gravity: {softening: 0.05, solver: tree}
integrator: {timestep: 0.01}
run: {end_time: 0.02}
halos: {absolute_linking_length: 2}
output: {halos: {every: 1}, checkpoints: {steps: 1}}
"""

    def devices(self):
        return ["cpu"] + (["cuda"] if "cuda:0" in self.run_program("info") else [])

    def limited(self, device, megabytes, *arguments):
        name = f"AUREOLE_{device.upper()}_MEMORY_MB"
        done = subprocess.run([PROGRAM, *map(str, arguments), "--device", device], capture_output=True, text=True,
                              cwd=self.folder, env={**os.environ, name: str(megabytes)}, timeout=300)
        return done.returncode, done.stdout + done.stderr

    def test_a_run_that_will_not_fit_is_refused_before_it_writes(self):
        config = self.write("run.yaml", self.RUN)
        for device in self.devices():
            forecast = self.run_program("run", config, "--dry-run", "--device", device)
            needed = float(re.search(rf"memory {device} +([\d.]+) MB", forecast)[1])
            status, text = self.limited(device, int(0.9 * needed), "run", config, "-o", device)
            self.assertEqual(status, 1, text)
            self.assertRegex(text, rf"aureole: out of memory: the run needs {needed:.1f} MB on {device} "
                             r"\([\d.]+ MB particles, [\d.]+ MB gravity.solver: tree, ([\d.]+ MB diagnostics, )?"
                             r"([\d.]+ MB checkpoints, )?[\d.]+ MB halos\), "
                             r"[\d.]+ MB held, "
                             rf"[\d.]+ MB available \(AUREOLE_{device.upper()}_MEMORY_MB = \d+\); less is taken by fewer "
                             r"particles, another gravity.solver, output.halos.every: 0")
            self.assertFalse((self.folder / device).exists())
            status, text = self.limited(device, int(1.15 * needed) + 1, "run", config, "-o", device)
            self.assertEqual(status, 0, text)
            # going on is refused in the same way, and leaves what is there
            before = sorted((p.name, p.stat().st_mtime_ns) for p in (self.folder / device).iterdir())
            again = ("run", "--resume", device, "--set", "run.end_time=0.03")
            status, text = self.limited(device, int(0.9 * needed), *again)
            self.assertEqual(status, 1, text)
            self.assertIn("out of memory", text)
            self.assertEqual(before, sorted((p.name, p.stat().st_mtime_ns) for p in (self.folder / device).iterdir()))
            self.run_program(*again, "--device", device)
            status, text = self.limited("cpu", 1, "run", "--resume", device)
            self.assertRegex(text, r"^aureole: out of memory: [\d.]+ MB wanted on cpu")  # and no advice to begin anew
            self.assertNotIn("anew", text)

    def test_memory_that_ends_on_the_way_leaves_no_half_written_file(self):
        config = self.write("run.yaml", self.RUN)
        self.run_program("ics", config, "-o", "ics.hdf5", "--set", "initial_conditions.particles=50000")
        for device in self.devices():
            for command in (("find", "ics.hdf5", "--absolute-linking-length", "0.2", "-o", "groups.hdf5"),
                            ("forces", "ics.hdf5", "-o", "forces.hdf5", "--solver", "tree", "--softening", "0.1")):
                for megabytes in (1, 2, 3):
                    status, text = self.limited(device, megabytes, *command)
                    self.assertEqual(status, 1, text)
                    self.assertRegex(text, rf"aureole: out of memory: [\d.]+ MB wanted on {device}, [\d.]+ MB held, "
                                           rf"[\d.]+ MB available \(AUREOLE_{device.upper()}_MEMORY_MB = {megabytes}\); "
                                           "fewer particles take less")
                    self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["ics.hdf5", "run.yaml"])

    def test_every_forecast_sees_the_limit(self):
        config = self.write("run.yaml", self.RUN)
        status, text = self.limited("cpu", 70, "run", config, "--dry-run")
        self.assertEqual(status, 0, text)
        self.assertRegex(text, r"memory cpu +[\d.]+ MB, \d+ bytes a particle; 70\.0 MB available "
                               r"\(AUREOLE_CPU_MEMORY_MB = 70\)\n")
        self.assertNotIn("too little", text)
        status, text = self.limited("cpu", 1, "run", config, "--dry-run")
        self.assertEqual(status, 0, text)
        missing = (r"the run needs [\d.]+ MB on cpu \(([\d.]+ MB [^,)]+, )+[\d.]+ MB halos\), 0\.0 MB held, 1\.0 MB available "
                   r"\(AUREOLE_CPU_MEMORY_MB = 1\); less is taken by fewer particles, ")
        self.assertRegex(text, r"1\.0 MB available \(AUREOLE_CPU_MEMORY_MB = 1\): too little\n")
        self.assertRegex(text, "warning: too little memory: " + missing)
        status, text = self.limited("cpu", 1, "run", config, "-o", "none")
        self.assertEqual(status, 1, text)
        self.assertRegex(text, "aureole: out of memory: " + missing)
        self.run_program("ics", self.write("l.yaml", "initial_conditions: {model: lattice, particles: 4096, mass: 1, "
                                           "lattice: {box_side: 1, wave_vectors: [1, 0, 0]}}"), "-o", "l.hdf5")
        grid = ("density", "l.hdf5", "-o", "d.hdf5", "--grid", "100")
        status, text = self.limited("cpu", 10, *grid)
        self.assertEqual(status, 1, text)
        self.assertRegex(text, r"--grid: 100 x 100 x 100 cells take 16\.0 MB on cpu, 9\.\d MB available "
                               r"\(AUREOLE_CPU_MEMORY_MB = 10\); fewer cells")
        status, text = self.limited("cpu", 10, *grid, "--dry-run")
        self.assertEqual(status, 0, text)
        self.assertRegex(text, r"available +9\.\d MB on cpu beside what is held \(AUREOLE_CPU_MEMORY_MB = 10\): too little")
        status, text = self.limited("cpu", 20, *grid)
        self.assertEqual(status, 0, text)

    def test_a_run_that_cannot_fit_is_refused_before_its_particles_are_made(self):
        config = self.write("run.yaml", self.RUN)
        many = ("--set", "initial_conditions.particles=2000000000")
        for arguments in (("run", config, "-o", "none", *many), ("run", config, "--dry-run", *many)):
            status, text = self.limited("cpu", 1000, *arguments)
            self.assertEqual(status, 0 if "--dry-run" in arguments else 1, text)
            self.assertRegex(text, r"the run needs \d+\.\d MB on cpu .* 0\.0 MB held, 1000\.0 MB available")
        self.assertFalse((self.folder / "none").exists())

    def test_a_limit_that_is_no_number_is_refused(self):
        config = self.write("run.yaml", self.RUN)
        status, text = self.limited("cpu", "4GB", "run", config, "-o", "out")
        self.assertEqual(status, 1)
        self.assertIn("AUREOLE_CPU_MEMORY_MB: found '4GB', expected a whole number of 10^6 bytes", text)


class LongRuns(InterruptedRun):
    RUN = """
initial_conditions: {model: plummer, particles: 16}
gravity: {softening: 0.1, SOLVER}
integrator: {timestep: 0.001}
run: {end_time: 1000}
halos: {absolute_linking_length: 1, min_members: 2}
pictures: {pixels: 100}
output:
  snapshots: {every: 0.05}
  halos: {every: 0.05}
  pictures: {every: 0.5}
  diagnostics: {every: 0.01}
  checkpoints: {steps: 40}
"""

    def test_many_steps_and_outputs_hold_no_more_than_few(self):
        def held(process):
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]), len(os.listdir(f"/proc/{process.pid}/fd"))
        for solver in ("solver: direct", "solver: tree", "solver: scf"):
            config = self.write("run.yaml", self.RUN.replace("SOLVER", solver))
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            # without pools of memory for each thread that writes, which come one by one
            process = self.start("run", config, "-o", "out", "--quiet", env={**os.environ, "MALLOC_ARENA_MAX": "1"})
            measured = []
            for number in (10, 60):  # snapshots of every 50 steps
                self.wait_for(process, f"out/snapshot_{number:03}.hdf5")
                process.send_signal(signal.SIGSTOP)  # whatever is open in this moment
                measured.append(held(process))
                process.send_signal(signal.SIGCONT)
            process.send_signal(signal.SIGTERM)
            text, status = self.end_of(process)
            self.assertEqual(status, 0, text)
            (memory, handles), (memory_later, handles_later) = measured
            self.assertLessEqual(memory_later, memory + 1024, f"{solver}: kB after 500 and 3000 steps")
            self.assertLessEqual(abs(handles_later - handles), 5, f"{solver}: a snapshot, a picture, a checkpoint, the folder "
                                                                  "and a file that it syncs may be open")


if __name__ == "__main__":
    unittest.main()
