"""Another process takes the memory of the GPU: what does not fit is refused or ends with bytes needed, bytes available and
the knob to turn; no file is half written, and runs go on where they were when the memory is back."""
import ctypes
import re
import subprocess
import sys
import time
import unittest

from aureole_program import PROGRAM, ProgramTest

MB = 1000000


def hold_memory(megabytes_left):
    """Allocates what the first GPU has free but for that, in pieces, says so, and keeps it until its input ends."""
    cuda = ctypes.CDLL("libcuda.so.1")

    def asked(name, *arguments):
        status = getattr(cuda, name)(*arguments)
        if status != 0:
            sys.exit(f"{name}: status {status}")

    device, context = ctypes.c_int(), ctypes.c_void_p()
    free, total, address = ctypes.c_size_t(), ctypes.c_size_t(), ctypes.c_uint64()
    asked("cuInit", 0)
    asked("cuDeviceGet", ctypes.byref(device), 0)
    asked("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    asked("cuCtxSetCurrent", context)
    asked("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    left = piece = max(free.value - megabytes_left * MB, 0)
    while piece >= MB:
        if cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(piece)) == 0:
            left -= piece
            piece = left
        else:
            piece //= 2
    print("held", flush=True)
    sys.stdin.read()


class DeviceMemory(ProgramTest):
    def setUp(self):
        super().setUp()
        if "cuda:0" not in self.run_program("info"):
            self.skipTest("there is no GPU")

    def take_all_but(self, megabytes):
        holder = subprocess.Popen([sys.executable, __file__, "hold", str(megabytes)], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.give_back, holder)
        line = holder.stdout.readline()
        self.assertEqual(line, "held\n", holder.stderr.read() if line == "" else line)
        return holder

    @staticmethod
    def give_back(holder):
        if holder.poll() is None:
            holder.communicate()

    def files(self):
        return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*"))

    def test_a_run_that_another_process_leaves_no_room_for_is_refused_before_it_writes(self):
        config = self.write("run.yaml", "initial_conditions: {model: plummer, particles: 8000000}\nrun: {end_time: 1}\n"
                            "gravity: {solver: tree, softening: 0.01}\nintegrator: {timestep: 0.5}\n")
        holder = self.take_all_but(1000)
        line = self.refused("run", config, "-o", "out", "--device", "cuda")
        form = (r"out of memory: the run needs ([\d.]+) MB on cuda \(.*\), [\d.]+ MB held, ([\d.]+) MB available; "
                "less is taken by fewer particles, another gravity.solver")
        self.assertRegex(line, form)
        needed, available = map(float, re.search(form, line).groups())
        self.assertGreater(needed, available)
        self.assertLess(available, 1000)
        self.assertEqual(self.files(), ["run.yaml"])
        self.give_back(holder)
        self.assertRegex(self.run_program("run", config, "-o", "out", "--device", "cuda", "--dry-run"), "memory cuda")

    def test_spectra_whose_mesh_does_not_fit_are_made_on_the_host(self):
        config = self.write("box.yaml", "box: 50\nunits: {length: Mpc/h, mass: 1e10 Msun/h, velocity: km/s}\n"
                            "cosmology: {omega_m: 0.3, omega_b: 0.045, h: 0.7, spectral_index: 0.96, sigma_8: 0.8}\n"
                            "initial_conditions: {model: cosmological, field: {grid: 16}}\n"
                            "gravity: {solver: treepm, softening: 0.1}\nintegrator: {timestep: 0.1}\n"
                            "run: {start_time: z=9, end_time: z=8}\noutput: {power: {redshifts: [9]}}\n"
                            "power: {mesh: 256, folds: 1}\n")
        there = self.run_program("run", config, "-o", "there", "--device", "cuda")
        self.assertNotIn("made on the host", there)
        short = {"AUREOLE_CUDA_MEMORY_MB": "300"}  # the mesh takes 400
        self.assertIn("memory cuda", self.run_program("run", config, "-o", "here", "--device", "cuda", "--dry-run", env=short))
        self.assertIn("power_000.csv (made on the host)",
                      self.run_program("run", config, "-o", "here", "--device", "cuda", env=short))
        rows = [[[float(x) for x in line.split(",")] for line in (self.folder / at / "power_000.csv").read_text().splitlines()
                 if line[0].isdigit()] for at in ("there", "here")]
        self.assertEqual(len(rows[0]), len(rows[1]))
        for one, other in zip(*rows):
            for a, b in zip(one, other):
                self.assertAlmostEqual(a, b, delta=1e-9 * abs(a))

    def test_spectra_are_made_on_the_host_where_another_process_has_the_memory(self):
        config = self.write("box.yaml", "box: 50\nunits: {length: Mpc/h, mass: 1e10 Msun/h, velocity: km/s}\n"
                            "cosmology: {omega_m: 0.3, omega_b: 0.045, h: 0.7, spectral_index: 0.96, sigma_8: 0.8}\n"
                            "initial_conditions: {model: cosmological, field: {grid: 16}}\n"
                            "gravity: {solver: treepm, softening: 0.1}\nintegrator: {timestep: 0.1}\n"
                            "run: {start_time: z=9, end_time: z=8}\noutput: {power: {redshifts: [9]}}\n"
                            "power: {mesh: 480, folds: 0}\n")
        holder = self.take_all_but(1500)  # the mesh takes 2700
        text = self.run_program("run", config, "-o", "out", "--device", "cuda")
        self.give_back(holder)
        self.assertIn("power_000.csv (made on the host: too little memory was free on the GPU", text)

    def test_memory_that_ends_on_the_way_leaves_no_half_written_file(self):
        self.run_program("ics", self.write("ics.yaml", "initial_conditions: {model: plummer, particles: 8000000}\n"), "-o",
                         "ics.hdf5")
        before = self.files()
        holder = self.take_all_but(1000)
        for command in (("find", "ics.hdf5", "--absolute-linking-length", "0.01", "-o", "groups.hdf5"),
                        ("forces", "ics.hdf5", "-o", "forces.hdf5", "--solver", "tree", "--softening", "0.1")):
            self.assertRegex(self.refused(*command, "--device", "cuda"),
                             r"out of memory: [\d.]+ MB wanted on cuda, [\d.]+ MB held, [\d.]+ MB available; fewer particles "
                             "take less, and --device cpu none of the device")
            self.assertEqual(self.files(), before)
        self.give_back(holder)

    def test_no_room_for_the_program_itself_is_told(self):
        self.run_program("ics", self.write("ics.yaml", "initial_conditions: {model: plummer, particles: 100}\n"), "-o",
                         "ics.hdf5")
        self.take_all_but(20)
        line = self.refused("forces", "ics.hdf5", "-o", "forces.hdf5", "--solver", "direct", "--softening", "0.1", "--device",
                            "cuda")
        self.assertIn("out of memory", line)
        self.assertFalse((self.folder / "forces.hdf5").exists())

    def test_a_run_whose_memory_is_taken_ends_well_or_goes_on_later(self):
        config = self.write("run.yaml", """
seed: 3
initial_conditions: {model: plummer, particles: 200000}
gravity: {softening: 0.05, solver: tree}
integrator: {timestep: 0.01}
run: {end_time: 3}
halos: {absolute_linking_length: 0.1}
output: {snapshots: {every: 1.5}, halos: {every: 0.5}, checkpoints: {steps: 20}}
""")
        self.run_program("run", config, "-o", "whole", "--device", "cuda", "--quiet")
        run = subprocess.Popen([PROGRAM, "run", config, "-o", "out", "--device", "cuda", "--quiet"], cwd=self.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        limit = time.monotonic() + 120
        while not (self.folder / "out" / "checkpoint.bin").exists() and run.poll() is None:
            self.assertLess(time.monotonic(), limit, "no checkpoint in two minutes")
            time.sleep(0.01)
        holder = self.take_all_but(0)
        text = run.communicate(timeout=300)[0]
        self.assertIn(run.returncode, (0, 1), text)
        if run.returncode == 1:
            self.assertIn("out of memory", text)
        print("the run ended with", run.returncode, text, file=sys.stderr)
        self.give_back(holder)
        self.run_program("run", "--resume", "out", "--device", "cuda", "--quiet")
        for name in (p.name for p in (self.folder / "whole").glob("*.hdf5")):
            self.run_program("diff", "--exact", f"whole/{name}", f"out/{name}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["hold"]:
        hold_memory(int(sys.argv[2]))
    else:
        unittest.main()
