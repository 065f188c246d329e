"""What the program does with what its parent process hands it: closed descriptors, a standard output that takes nothing,
limits on the size of files, pipes and links in the place of files."""
import os
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest

from aureole_program import PROGRAM, ProgramTest

SMALL = """
seed: 4
initial_conditions: {model: plummer, particles: 400}
gravity: {softening: 0.05}
integrator: {timestep: 0.05}
run: {end_time: 0.5}
output: {snapshots: {every: 0.25}, halos: {every: 0.25}}
halos: {absolute_linking_length: 0.2}
"""


class StreamsTest(ProgramTest):
    def started(self, *arguments, closed=(), limit=None, **how):
        """The program below a parent that closes descriptors and limits files, with every signal as it is by default."""
        def prepare():
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            if limit:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            for descriptor in closed:
                os.close(descriptor)
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, text=True, timeout=300, preexec_fn=prepare, **how)


class Descriptors(StreamsTest):
    def test_a_run_without_the_standard_descriptors_writes_the_same_files_and_can_be_resumed(self):
        config = self.write("run.yaml", SMALL)
        self.run_program("run", config, "-o", "whole", "--quiet")
        longer = ("--set", "run.end_time=1")
        self.run_program("run", config, "-o", "longer", "--quiet", *longer)
        for number, closed in enumerate(((0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2))):
            out = f"out{number}"
            done = self.started("run", config, "-o", out, closed=closed,
                                **{name: subprocess.PIPE for name, number in (("stdout", 1), ("stderr", 2)) if number not in closed})
            self.assertEqual(done.returncode, 0, (closed, done.stderr))
            self.assertIn("no difference", self.run_program("diff", "--exact", "whole", out), closed)
            self.run_program("run", "--resume", out, "--quiet", *longer)
            self.assertIn("no difference", self.run_program("diff", "--exact", "longer", out), closed)


class StandardOutput(StreamsTest):
    def test_a_full_disk_behind_the_standard_output_is_told_with_status_1(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        config = self.write("run.yaml", SMALL)
        self.run_program("ics", config, "-o", "s.hdf5")
        for command in (("info", "s.hdf5"), ("run", config, "-o", "out"), ("find", "s.hdf5", "--absolute-linking-length", "0.2"),
                        ("--help",), ("config",)):
            with open("/dev/full", "w") as full:
                done = self.started(*command, stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 1, command)
            self.assertRegex(done.stderr, r"^aureole: .*No space left on device.*\n$", command)
        self.run_program("run", config, "-o", "whole", "--quiet")
        self.assertIn("no difference", self.run_program("diff", "--exact", "whole", "out"), "the run itself goes on to its end")


class Pipes(StreamsTest):
    def test_a_pipe_in_the_place_of_an_input_is_refused_and_waited_for_by_no_command(self):
        config = self.write("run.yaml", SMALL)
        self.run_program("ics", config, "-o", "s.hdf5")
        self.run_program("run", config, "-o", "out", "--quiet")
        self.run_program("density", "s.hdf5", "-o", "d.hdf5", "--method", "cic", "--grid", "8", "--region", "-1:1,-1:1,-1:1")
        self.run_program("expand", "s.hdf5", "-o", "c.hdf5", "--n-max", "1", "--l-max", "1")
        os.mkfifo(self.folder / "p")
        os.mkfifo(self.folder / "s.tipsy")
        self.write("table.yaml", SMALL.replace("model: plummer", "model: table, file: p"))
        os.mkfifo(self.folder / "set.1")
        for command in (("run", "p", "-o", "o"), ("run", "--resume", "p"), ("ics", "p", "-o", "o.hdf5"), ("ics", "table.yaml", "-o", "o.hdf5"),
                        ("info", "p"), ("find", "p"), ("find", "s.tipsy"), ("find", "s.hdf5", "--members", "p"), ("forces", "p", "-o", "o"),
                        ("expand", "p", "-o", "o"), ("evaluate", "p", "--radii", "1:2:3", "-o", "o.csv"),
                        ("evaluate", "c.hdf5", "--points", "p", "-o", "o.csv"), ("density", "p", "-o", "o.hdf5"),
                        ("density", "s.hdf5", "--points", "p", "-o", "o.hdf5"), ("profile", "p", "--centre", "0,0,0", "-o", "o.csv"),
                        ("profile", "s.hdf5", "--halos", "p", "-o", "o.csv"), ("plot", "p", "-o", "o.png"),
                        ("plot", "s.hdf5", "--halos", "p", "-o", "o.png"), ("render", "p", "--slice", "z", "-o", "o.png"),
                        ("render", "d.hdf5", "--volume", "--path", "p", "-o", "o.png"), ("diff", "p", "s.hdf5"),
                        ("diff", "--exact", "s.hdf5", "p")):
            done = self.started(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 1, (command, done.stdout))
            self.assertRegex(done.stderr, r"^aureole: .*(pipe|cannot be read|no HDF5)", command)

    def test_a_configuration_through_a_pipe_that_the_shell_has_opened_is_read(self):
        config = self.write("run.yaml", SMALL)
        with open(config) as text, subprocess.Popen(["cat"], stdin=text, stdout=subprocess.PIPE) as cat:
            done = self.started("run", "/dev/stdin", "-o", "out", stdin=cat.stdout, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_pipes_among_the_files_of_a_run_are_refused(self):
        config = self.write("run.yaml", SMALL)
        self.run_program("run", config, "-o", "whole", "--quiet")
        for name in ("checkpoint.bin", "energy.csv", "config.resolved.yaml"):
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            shutil.copytree(self.folder / "whole", self.folder / "out")
            (self.folder / "out" / name).unlink()
            if name == "config.resolved.yaml":
                for checkpoint in (self.folder / "out").glob("checkpoint*"):
                    checkpoint.unlink()
            os.mkfifo(self.folder / "out" / name)
            for command in (("run", "--resume", "out", "--set", "run.end_time=1"), ("info", "out"), ("info", f"out/{name}")):
                done = self.started(*command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                self.assertIn("pipe", done.stdout, (name, command)) if done.returncode else None
        self.run_program("run", config, "-o", "out", "--overwrite", "--quiet")
        self.assertIn("no difference", self.run_program("diff", "--exact", "whole", "out"))


class SecondNames(StreamsTest):
    def test_a_backup_by_hard_links_stays_as_it_is_while_the_run_goes_on(self):
        config = self.write("run.yaml", SMALL)
        longer = ("--set", "run.end_time=1")
        self.run_program("run", config, "-o", "whole", "--quiet", *longer)
        self.run_program("run", config, "-o", "out", "--quiet")
        shutil.copytree(self.folder / "out", self.folder / "backup", copy_function=os.link)
        before = {path.name: path.read_bytes() for path in (self.folder / "backup").iterdir()}
        self.run_program("run", "--resume", "out", "--quiet", *longer)
        self.assertEqual({path.name: path.read_bytes() for path in (self.folder / "backup").iterdir()}, before)
        self.assertIn("no difference", self.run_program("diff", "--exact", "whole", "out"))


class Stops(StreamsTest):
    def stopped(self, *command):
        """Sends Ctrl-C once the command catches it; the work ends soon, with an error and without a file."""
        process = subprocess.Popen([PROGRAM, *map(str, command)], cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        mask = 1 << (signal.SIGINT - 1)
        while process.poll() is None:
            with open(f"/proc/{process.pid}/status") as file:
                status = file.read()
            if int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16) & mask:
                process.send_signal(signal.SIGINT)
                break
            time.sleep(0.002)
        text, _ = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 1, (command, text))
        self.assertRegex(text, r"aureole: stopped on request at \d+ %")
        self.assertEqual(list(self.folder.glob("*.partial")), [])

    def test_a_first_signal_ends_densities_films_and_planes_between_two_blocks(self):
        self.write("box.yaml", "initial_conditions: {model: lattice, particles: 32768, lattice: {box_side: 1, growth_factor: 1.2, "
                   "wave_vectors: [1, 0, 0]}}\n")
        self.run_program("ics", "box.yaml", "-o", "s.hdf5")
        self.run_program("density", "s.hdf5", "-o", "d.hdf5", "--grid", "64", "--device", "cpu")
        self.stopped("density", "s.hdf5", "-o", "big.hdf5", "--grid", "256", "--device", "cpu")
        self.stopped("density", "s.hdf5", "-o", "tree.hdf5", "--octree", "--device", "cpu")
        self.stopped("render", "d.hdf5", "-o", "film.png", "--volume", "--turn", "90", "--zoom-to", "0.5,0.5,0.5", "--frames", "500",
                     "--device", "cpu")
        for plane in ("--projection", "--slice"):
            self.stopped("render", "d.hdf5", "-o", "plane.png", plane, "z", "--size", "6000x6000", "--raw", "raw.hdf5")
        for name in ("big.hdf5", "tree.hdf5", "film_0499.png", "plane.png", "raw.hdf5"):
            self.assertFalse((self.folder / name).exists(), name)


class SizeLimits(StreamsTest):
    def test_a_limit_on_the_size_of_files_is_told_and_kills_nothing(self):
        config = self.write("run.yaml", SMALL)
        told = 0
        for limit in (1 << 10, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 3 << 14, 1 << 16, 1 << 20):
            done = self.started("run", config, "-o", f"out{limit}", limit=limit, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            if done.returncode == 0:
                continue
            self.assertEqual(done.returncode, 1, f"limit {limit}: ended by {done.returncode}: {done.stderr}")
            self.assertRegex(done.stderr, r"^aureole: .*File too large.*\n$")
            told += 1
        self.assertGreater(told, 4)


if __name__ == "__main__":
    unittest.main()
