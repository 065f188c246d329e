"""`mpirun -n P aureole run`: what becomes of a job whose ranks stand still, die, end, starve or cannot write, and of its run."""
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "system"))
import killed_test  # noqa: E402
from aureole_program import PROGRAM  # noqa: E402
from interrupted_run import configuration  # noqa: E402
from on_ranks import KILLED, MPIEXEC, OnRanks, over_domains  # noqa: E402

SOON = 10  # seconds in which a job has ended after the death of a rank
STALL_LIMIT = 5
SEED = 20261129
LEAVES = """
#include <signal.h>
#include <unistd.h>
static void leave(int number)
{
    _exit(number == SIGRTMIN ? 0 : 1);
}
__attribute__((constructor)) static void prepare(void)
{
    signal(SIGRTMIN, leave);
}
"""
MOMENTS = 20 if os.environ.get("AUREOLE_LONG_TESTS") else 4  # of a kill, half of them inside a write


class FaultsOfRanks(OnRanks):
    def ends_soon(self, process, within):
        """What the job has printed, and that it has failed in time."""
        begun = time.monotonic()
        text, status = self.end_of(process)
        self.assertLess(time.monotonic() - begun, within, text)
        self.assertNotEqual(status, 0, text)
        return text

    def preloaded(self, name, code):
        """A library that is loaded before others."""
        source, library = self.write(f"{name}.c", code), self.folder / f"{name}.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        return library

    def killed_by_size(self):
        """Lets the signal of a file that grows too large end the process."""
        return self.preloaded("killed_by_size", killed_test.Killed.KILLED_BY_SIZE)

    def goes_on(self, config, out, others):
        """The run of a job that has ended goes on, with others, as if nothing had been."""
        self.wait_until(lambda: not self.is_locked(out), "the end of the ranks")
        found = re.search(r"time +t = ([-+.e\d]+)", self.run_program("info", f"{out}/checkpoint.bin"))
        end = f"run.end_time={int(2 * float(found[1])) / 2 + 0.5}"
        self.run_on(others, "run", "--resume", out, "--set", end)
        self.run_program("run", config, "-o", f"{out}_whole", "--set", end, "--quiet")
        self.same(f"{out}_whole", out)
        self.assertEqual(list((self.folder / out).glob("*.partial")), [])

    def is_locked(self, out):
        done = subprocess.run([PROGRAM, "run", "--resume", out, "--set", "run.end_time=0.1", "--quiet"], cwd=self.folder,
                              capture_output=True, text=True)
        return "another" in done.stderr

    def test_the_death_of_a_rank_ends_the_job_and_the_run_goes_on_with_others(self):
        self.die_and_go_on(self.write("run.yaml", configuration("scf")), ((1, 2), (0, 1), (2, 4)))

    def test_the_death_of_a_rank_with_domains_ends_the_job_and_the_run_goes_on_with_others(self):
        self.die_and_go_on(self.write("run.yaml", over_domains(configuration("tree", 0.5))), ((2, 4),))

    def die_and_go_on(self, config, cases):
        """Jobs of three ranks; a case is the rank that dies, and the number of ranks that go on."""
        for victim, others in cases:
            with self.subTest(victim=victim):
                out = f"out{victim}"
                process = self.start(*self.endless(config, out), through=self.on(3))
                self.wait_for(process, f"{out}/checkpoint_previous.bin")
                os.kill(self.rank(process, victim), signal.SIGKILL)
                self.ends_soon(process, SOON)
                self.goes_on(config, out, others)

    def test_a_kill_inside_a_checkpoint_leaves_a_run_that_goes_on_with_others(self):
        config, library = self.write("kill.yaml", KILLED), self.killed_by_size()
        for victim, fraction, others in ((1, 0.05, 1), (2, 0.97, 2), (0, None, 3)):
            with self.subTest(victim=victim, fraction=fraction, others=others):
                out = f"out{others}"
                process = self.start(*self.endless(config, out), through=(*self.on(4), "-x", f"LD_PRELOAD={library}"))
                piece, whole = self.sizes_of_a_checkpoint(process, out, victim)
                self.assertGreater(whole, piece)
                # in the only file of the victim, or in that which names all pieces, longer than others of the first rank
                byte = int(fraction * piece) if fraction else (piece + whole) // 2
                resource.prlimit(self.rank(process, victim), resource.RLIMIT_FSIZE, (byte, byte))
                self.ends_soon(process, SOON)
                begun = f"checkpoint_*.{victim}.bin.partial" if fraction else "checkpoint.bin.partial"
                self.assertEqual([path.stat().st_size for path in (self.folder / out).glob(begun)], [byte])
                self.goes_on(config, out, others)
                generations = {path.name.split(".")[0] for path in (self.folder / out).glob("checkpoint_*.*.bin")}
                self.assertLessEqual(len(generations), 2, generations)

    def sizes_of_a_checkpoint(self, process, out, rank):
        """Of a rank's piece, and of the file that names the pieces, of a run whose ranks have written several."""
        self.wait_until(lambda: len(list((self.folder / out).glob(f"checkpoint_*.{rank}.bin"))) > 1, "two pieces")
        self.assertIsNone(process.poll())
        while True:
            try:
                piece, = {path.stat().st_size for path in (self.folder / out).glob(f"checkpoint_*.{rank}.bin")}
                return piece, (self.folder / out / "checkpoint.bin").stat().st_size
            except (OSError, ValueError):
                continue

    def test_a_rank_that_stands_still_ends_the_job_within_the_stall_limit(self):
        config = self.write("run.yaml", configuration("direct"))
        process = self.start(*self.endless(config, "out"), "--set", f"run.stall_limit={STALL_LIMIT}", through=self.on(2))
        self.wait_for(process, "out/snapshot_001.hdf5")
        os.kill(self.rank(process, 1), signal.SIGSTOP)
        text = self.ends_soon(process, STALL_LIMIT + SOON)
        self.assertRegex(text, r"aureole: rank 0 of 2: waited \d+ s for the other ranks \(run.stall_limit\)")
        self.assertEqual(list((self.folder / "out").glob("*.partial")), [])

    def memory_of_rank_1(self):
        """KB of addresses that a rank takes without particles to speak of."""
        config = self.write("small.yaml", configuration("direct", scale=0.1))
        process = self.start(*self.endless(config, "small"), through=self.on(2))
        self.wait_for(process, "small/snapshot_001.hdf5")
        status = pathlib.Path(f"/proc/{self.rank(process, 1)}/status").read_text()
        process.send_signal(signal.SIGUSR1)
        self.end_of(process)
        return int(re.search(r"VmPeak:\s+(\d+)", status)[1])

    def test_a_rank_without_memory_ends_the_job_and_is_named(self):
        limit = self.memory_of_rank_1() + 30000
        config = self.write("run.yaml", configuration("tree", scale=1000))
        command = [PROGRAM, *map(str, self.endless(config, "out"))]
        starving = ["sh", "-c", f'ulimit -v {limit}; exec "$@"', "sh", *command]
        process = subprocess.Popen([MPIEXEC, "-n", "1", *command, ":", "-n", "1", *starving], stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, cwd=self.folder)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        self.wait_for(process, "out/config.resolved.yaml")  # 900 000 particles are there, and go to the other now
        text = self.ends_soon(process, SOON)
        self.assertEqual(len(re.findall(r"^aureole: rank 1 of 2: .*memory", text, re.M)), 1, text)


    def test_a_rank_that_ends_as_if_all_were_done_ends_the_job_and_the_run_goes_on(self):
        config, library = self.write("run.yaml", KILLED), self.preloaded("leaves", LEAVES)
        process = self.start(*self.endless(config, "out"), through=(*self.on(3), "-x", f"LD_PRELOAD={library}"))
        self.wait_for(process, "out/checkpoint_previous.bin")
        os.kill(self.rank(process, 1), signal.SIGRTMIN)
        self.ends_soon(process, SOON)
        self.goes_on(config, "out", 2)

    def test_a_rank_whose_disk_is_full_ends_the_job_and_is_named(self):
        config = self.write("run.yaml", KILLED)
        for victim, message in ((0, r"/out0/checkpoint\S*\.bin: "), (2, r"rank 2 of 3: .*/checkpoint_\d+\.2\.bin: ")):
            with self.subTest(victim=victim):
                out = f"out{victim}"
                process = self.start(*self.endless(config, out), through=self.on(3))
                piece, whole = self.sizes_of_a_checkpoint(process, out, victim)
                most = min(piece, whole) - 1000  # no other file is as long
                resource.prlimit(self.rank(process, victim), resource.RLIMIT_FSIZE, (most, most))
                text = self.ends_soon(process, SOON)
                self.assertEqual(len(re.findall(rf"^aureole: .*{message}.*File too large", text, re.M)), 1, text)
                self.assertEqual(text.count("aureole: "), 1, text)
                self.assertEqual(list((self.folder / out).glob("*.partial")), [])
                self.goes_on(config, out, 2)

    def time_of(self, file):
        """When it was written; None where there is none."""
        try:
            return file.stat().st_mtime_ns
        except FileNotFoundError:
            return None

    def test_killed_at_many_moments_a_run_on_changing_numbers_of_ranks_ends_with_its_files(self):
        config, library, chance = self.write("run.yaml", KILLED), self.killed_by_size(), random.Random(SEED)
        newest = self.folder / "out/checkpoint.bin"
        for k in range(MOMENTS):
            ranks, before = 2 + k % 3, self.time_of(newest)
            victim = chance.randrange(ranks)
            with self.subTest(moment=k, ranks=ranks, victim=victim):
                command = ("run", "--resume", "out") if before else self.endless(config, "out")
                process = self.start(*command, through=(*self.on(ranks), "-x", f"LD_PRELOAD={library}"))
                self.wait_until(lambda: process.poll() is not None or self.time_of(newest) not in (None, before), newest)
                self.assertIsNone(process.poll())
                pid = self.rank(process, victim)
                if k % 2:  # in the next file that becomes as long, which is one of a checkpoint
                    most = chance.randrange(8192, newest.stat().st_size if victim == 0 else 180000 // ranks)
                    resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))
                else:
                    time.sleep(chance.uniform(0, 0.1))
                    os.kill(pid, signal.SIGKILL)
                self.ends_soon(process, SOON)
                self.wait_until(lambda: not self.is_locked("out"), "the end of the ranks")
        self.goes_on(config, "out", 3)


if __name__ == "__main__":
    unittest.main()
