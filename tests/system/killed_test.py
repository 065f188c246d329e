"""A run that is killed, at random moments and in the middle of its writes, ends with the files of the undisturbed
run: every solver, every output, bit for bit."""
import os
import random
import resource
import shutil
import signal
import subprocess
import time
import unittest

from interrupted_run import CASES, InterruptedRun, configuration

SEED = 20240607
KILLS_BY_TIME, KILLS_IN_A_WRITE = 4, 4  # of every case: 56 in all


class Killed(InterruptedRun):
    # The program ignores SIGXFSZ; preloaded, this leaves it at its default.
    KILLED_BY_SIZE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
typedef void (*handler)(int);
handler signal(int number, handler action)
{
    if (number == SIGXFSZ) return SIG_DFL;
    return ((handler (*)(int, handler)) dlsym(RTLD_NEXT, "signal"))(number, action);
}
"""

    def setUp(self):
        super().setUp()
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if not compiler:
            self.skipTest("killing in a write needs a C compiler")
        source = self.write("killed_by_size.c", self.KILLED_BY_SIZE)
        self.preloaded = self.folder / "killed_by_size.so"
        subprocess.run([compiler, "-shared", "-fPIC", "-o", self.preloaded, source, "-ldl"], check=True)

    def next_start(self, config, out):
        """The command that a user would give: to go on where there is anything, else to begin."""
        if (self.folder / out).exists():
            return "run", config, "-o", out, "--resume"
        return "run", config, "-o", out

    def killed_after(self, seconds, command):
        """Whether the run could be killed: it may have come to its end."""
        process = self.start(*command)
        time.sleep(seconds)
        process.kill()
        text, _ = process.communicate()
        self.assertNotIn("aureole: ", text)
        self.assertNotIn("warning", text)
        return process.returncode == -signal.SIGKILL

    def killed_in_a_write(self, byte, command):
        """The first write past that byte of any file ends the process then and there, as a kill would."""
        def limit():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (byte, byte))
        process = self.start(*command, preexec_fn=limit, env={**os.environ, "LD_PRELOAD": str(self.preloaded)})
        text, _ = process.communicate()
        self.assertIn(process.returncode, (0, -signal.SIGXFSZ), text)
        self.assertNotIn("warning", text)
        return process.returncode == -signal.SIGXFSZ

    def test_killed_at_random_moments_every_solver_ends_with_the_same_files(self):
        chance = random.Random(SEED)
        for case in CASES:
            with self.subTest(case=case, seed=SEED):
                config = self.write(f"{case}.yaml", configuration(case, scale=0.5))
                begun = time.monotonic()
                self.run_program("run", config, "-o", f"{case}_whole", "--quiet")
                duration = time.monotonic() - begun
                largest = (self.folder / f"{case}_whole/checkpoint.bin").stat().st_size
                out = f"{case}_killed"
                kinds = ["time"] * KILLS_BY_TIME + ["write"] * KILLS_IN_A_WRITE
                chance.shuffle(kinds)
                while kinds:
                    command = self.next_start(config, out)
                    if kinds[-1] == "time":
                        killed = self.killed_after(chance.uniform(0.02, 0.25) * duration, command)
                    else:
                        killed = self.killed_in_a_write(chance.randrange(8192, largest), command)
                    if killed:
                        kinds.pop()
                    else:  # it was faster than last time: from the beginning
                        shutil.rmtree(self.folder / out)
                self.run_program(*self.next_start(config, out))
                self.same(f"{case}_whole", out)
                self.assertEqual([p.name for p in (self.folder / out).iterdir()
                                  if p.name.endswith(".partial") or p.name == "run.lock"], [])


if __name__ == "__main__":
    unittest.main()
