"""`mpirun -n P aureole run`: the bits of one process for every P, and what becomes of a job whose ranks are stopped or
misled."""
import csv
import os
import pathlib
import re
import signal
import subprocess
import sys
import unittest

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "system"))
from aureole_program import PROGRAM  # noqa: E402
from interrupted_run import ADAPTIVE, FIXED, configuration  # noqa: E402
from on_ranks import DOMAINS, KILLED, MPIEXEC, OnRanks, over_domains  # noqa: E402


class RunOnRanks(OnRanks):
    def tables(self, name):
        return {path.name: path.read_bytes() for path in (self.folder / name).glob("*.csv") if path.name != "timings.csv"}

    def state_hash(self, text):
        return re.search(r"state hash (\w+)", text)[1]

    def expect_loads_of(self, ranks, name):
        """The columns of timings.csv that tell what the ranks had to do."""
        with open(self.folder / name / "timings.csv") as file:
            rows = [row for row in csv.DictReader(line for line in file if not line.startswith("#"))]
        before = 0
        for row in rows:
            value = {key: float(row[key]) for key in row if key.endswith("_of_ranks") or key == "number_of_ranks"}
            self.assertEqual(value["number_of_ranks"], ranks)
            mean, largest = value["mean_forces_seconds_of_ranks"], value["largest_forces_seconds_of_ranks"]
            self.assertGreater(mean, 0)
            self.assertTrue(mean <= largest * (1 + 1e-12) <= ranks * mean * (1 + 1e-9), row)
            self.assertAlmostEqual(value["forces_imbalance_of_ranks"], largest / mean)
            moved = value["mean_moved_bytes_of_ranks"]
            self.assertTrue(moved == 0 if ranks == 1 else moved > before, row)
            before = moved

    def same_for_every_number_of_ranks(self, case, scale=0.5, numbers=(1, 2, 3, 4), change=lambda text: text):
        config = self.write("run.yaml", change(configuration(case, scale)).replace("end_time: 1.5", "end_time: 0.75"))
        one = f"{case}_alone"
        alone = self.run_program("run", config, "-o", one)
        self.expect_loads_of(1, one)
        for n in numbers:
            with self.subTest(case=case, ranks=n):
                text = self.run_on(n, "run", config, "-o", f"{case}_{n}")
                self.assertEqual(self.state_hash(text), self.state_hash(alone))
                self.same(one, f"{case}_{n}")
                self.expect_loads_of(n, f"{case}_{n}")
                self.assertEqual(self.tables(f"{case}_{n}"), self.tables(one))
                self.assertIn("energy.csv", self.tables(one))

    def test_the_direct_sum_has_the_same_bits_on_every_number_of_ranks(self):
        self.same_for_every_number_of_ranks("direct")

    def test_the_tree_with_adaptive_steps_has_the_same_bits_on_every_number_of_ranks(self):
        self.same_for_every_number_of_ranks("tree", scale=1)

    def test_the_tree_over_domains_has_the_same_bits_on_every_number_of_ranks(self):
        self.same_for_every_number_of_ranks("tree", scale=1, change=over_domains)

    def test_expansions_have_the_same_bits_on_every_number_of_ranks(self):
        self.same_for_every_number_of_ranks("scf", numbers=(2,))
        self.same_for_every_number_of_ranks("scf_most_bound", numbers=(4,))

    def test_expansions_with_adaptive_steps_and_in_a_field_have_the_same_bits(self):
        field = ", external: {fields: [{nfw: {mass: 3, scale_radius: 2}}]}"
        steps = ADAPTIVE.replace("eta: 0.1", "eta: 0.05")  # so that accelerations, of all ranks, decide
        self.same_for_every_number_of_ranks("scf", numbers=(3,), change=lambda text: text.replace(FIXED, steps).replace(
            "shrinking_sphere}", "shrinking_sphere}" + field))

    def test_steps_that_the_accelerations_of_all_ranks_decide_have_the_same_bits(self):
        # rows of the logs, for which the particles come to the first rank, are rare
        config = self.write("run.yaml", KILLED.replace("timestep: 0.015625", "adaptive: {eta: 0.05, maximum_timestep: 1}")
                            .replace("solver: scf", "softening: 0.05, solver: scf").replace("steps: 9", "steps: 1000"))
        alone = self.run_program("run", config, "-o", "alone", "--set", "run.end_time=0.5")
        text = self.run_on(3, "run", config, "-o", "out", "--set", "run.end_time=0.5")
        self.assertEqual(self.state_hash(text), self.state_hash(alone))
        self.same("alone", "out")

    def test_particles_of_files_are_read_by_rows_with_the_same_bits(self):
        self.run_program("ics", self.write("start.yaml", configuration("direct", 0.5)), "-o", "start.hdf5")
        config = self.write("run.yaml", """
initial_conditions: {components: [{model: file, file: start.hdf5}, {model: plummer, particles: 70, position: [9, 0, 0]}]}
gravity: {solver: tree, softening: 0.02}
integrator: {timestep: 0.0625}
run: {end_time: 0.25}
""")
        alone = self.run_program("run", config, "-o", "alone")
        for n in (2, 3):
            text = self.run_on(n, "run", config, "-o", f"out{n}")
            self.assertEqual(self.state_hash(text), self.state_hash(alone))
            self.same("alone", f"out{n}")
        (self.folder / "start.hdf5").write_bytes((self.folder / "start.hdf5").read_bytes()[:3000])
        text = self.run_on(2, "run", config, "-o", "none", status=1)
        self.assertEqual(text.count("aureole: "), 1, text)
        self.assertIn("start.hdf5", text)
        self.assertFalse((self.folder / "none").exists())

    def same_forces(self, snapshot, solver, softening):
        """Those that one process and three ranks write."""
        arguments = "forces", snapshot, "--solver", solver, "--softening", softening
        self.run_program(*arguments, "-o", "alone.hdf5")
        text = self.run_on(3, *arguments, "-o", "shared.hdf5")
        self.assertEqual(text.count("accelerations and potentials of"), 1, text)
        with h5py.File(self.folder / "alone.hdf5") as alone, h5py.File(self.folder / "shared.hdf5") as shared:
            names = []
            alone.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
            self.assertGreater(len(names), 1)
            for name in names:
                self.assertEqual(alone[name][()].tobytes(), shared[name][()].tobytes(), f"{solver}: {name}")

    def test_forces_of_a_snapshot_are_those_of_one_process(self):
        self.run_program("ics", self.write("run.yaml", configuration("direct", 0.5)), "-o", "start.hdf5")
        for solver in ("tree", "scf", "direct"):
            self.same_forces("start.hdf5", solver, "0.02")
        text = self.run_on(2, "forces", "start.hdf5", "--solver", "components", "--softening", "0.02", "--set",
                           "gravity.components.solvers=[direct, direct]", "-o", "other.hdf5", status=1)
        self.assertIn("or one rank", text)
        self.assertFalse((self.folder / "other.hdf5").exists())

    def test_external_fields_and_frozen_components_have_the_same_bits(self):
        self.same_for_every_number_of_ranks("tree_with_perturber", numbers=(3,))
        self.same_for_every_number_of_ranks("scf_frozen", numbers=(2,))

    def test_units_and_boxes_are_those_of_one_rank(self):
        config = self.write("box.yaml", """
units: {length: Mpc/h, mass: 1e10 Msun/h, velocity: km/s}
seed: 3
cosmology: {omega_m: 0.3, omega_b: 0.045, h: 0.7, spectral_index: 0.96, sigma_8: 0.8}
box: 40
initial_conditions: {model: cosmological, field: {grid: 8, fixed: true}}
gravity: {solver: treepm, softening: 0.5, softening_kernel: spline}
integrator: {timestep: 0.1}
run: {start_time: z=24, end_time: z=4}
halos: {linking_length: 0.3, min_members: 8}
output: {snapshots: {redshifts: [9, 4]}, power: {redshifts: [24, 4]}, halos: {redshifts: [4]}, checkpoints: {steps: 5}}
""")
        self.run_program("run", config, "-o", "alone", "--quiet")
        self.run_on(3, "run", config, "-o", "out", "--quiet")
        self.same("alone", "out")
        self.same_forces("alone/snapshot_002.hdf5", "treepm", "0.02")

    def expect_stopped(self, process, reason):
        text, status = self.end_of(process)
        self.assertEqual(status, 0, text)
        self.assertIn(f"stopped by {reason}", text)
        self.assertEqual(text.count("to go on: aureole run --resume out"), 1, text)

    def test_a_stopped_run_goes_on_with_another_number_of_ranks(self):
        config = self.write("run.yaml", configuration("tree"))
        process = self.start(*self.endless(config, "out"))
        self.wait_for(process, "out/snapshot_001.hdf5")
        (self.folder / "out/stop").touch()
        self.expect_stopped(process, "the file stop")
        self.expect_stopped(self.start("run", "--resume", "out", "--max-wall", "00:00:02", through=self.on(3)),
                            "--max-wall")
        written = len(list((self.folder / "out").glob("snapshot_*.hdf5")))
        process = self.start("run", "--resume", "out", through=self.on(2))
        self.wait_for(process, f"out/snapshot_{written + 1:03}.hdf5")
        process.send_signal(signal.SIGUSR1)
        self.expect_stopped(process, "SIGUSR1")
        found = re.search(r"time +t = ([-+.e\d]+)", self.run_program("info", "out/checkpoint.bin"))
        end = f"run.end_time={int(2 * float(found[1])) / 2 + 0.5}"
        self.run_on(4, "run", "--resume", "out", "--set", end)
        self.run_program("run", config, "-o", "whole", "--set", end, "--quiet")
        self.same("whole", "out")

    def test_the_first_rank_writes_whole_checkpoints_where_others_do_not_see_the_directory(self):
        config, out = self.write("run.yaml", KILLED), "/proc/self/cwd/out"  # of each rank another
        self.run_program("run", config, "-o", "alone", "--quiet")
        for name, directories in (("none", ()), ("another", ("out",))):
            with self.subTest(name):
                first, second = self.folder / f"{name}_0", self.folder / f"{name}_1"
                for folder in (first, second, *(second / directory for directory in directories)):
                    folder.mkdir()
                others = {second / directory / file: b"of another run" for directory in directories
                          for file in ("run.lock", "checkpoint_9.1.bin")}
                for file, content in others.items():
                    file.write_bytes(content)
                def command(folder):
                    return ["-n", "1", "-wdir", str(folder), PROGRAM, "run", str(config), "-o", out]
                done = subprocess.run([MPIEXEC, *command(first), ":", *command(second)], capture_output=True, text=True,
                                      timeout=60, cwd=self.folder)
                text = done.stdout + done.stderr
                self.assertEqual(done.returncode, 0, text)
                self.assertEqual(text.count("do not all see the directory"), 1, text)
                self.same("alone", f"{name}_0/out")
                self.assertEqual(list(first.glob("out/checkpoint_*.*.bin")), [])
                self.assertEqual({file: file.read_bytes() for file in second.glob("*/*")}, others)
                self.run_on(2, "run", "--resume", f"{name}_0/out", "--set", "run.end_time=1.75")

    def test_what_is_wrong_with_a_run_is_said_once(self):
        config = self.write("run.yaml", configuration("tree"))
        for arguments, message in ((("run", config, "--set", "gravity.tree.opening_angle=-1"), "opening_angle"),
                                   (("run", "no_such.yaml"), "no_such.yaml"),
                                   (("run", config, "--device", "abacus"), "--device: found 'abacus'"),
                                   (("run", config, "--set", "gravity.solver=components", "--set",
                                     "gravity.components.solvers=[tree, direct]"), "one rank alone, and there are 3"),
                                   (("run", "--resume", "nowhere"), "nowhere")):
            with self.subTest(arguments=arguments):
                text = self.run_on(3, *arguments, status=1)
                lines = [line for line in text.splitlines() if line.startswith("aureole: ")]
                self.assertEqual(len(lines), 1, text)
                self.assertIn(message, lines[0])

    def test_ranks_of_different_runs_are_refused(self):
        config = self.write("run.yaml", configuration("tree"))
        def command(seed):
            return ["-n", "1", PROGRAM, "run", str(config), "-o", "out", "--set", f"seed={seed}"]
        done = subprocess.run([MPIEXEC, *command(1), ":", *command(2)], capture_output=True, text=True, timeout=60,
                              cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("aureole: "), 1, done.stderr)
        self.assertIn("expected one program with one command line", done.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_ranks_of_different_instruction_sets_are_refused(self):
        config = self.write("run.yaml", configuration("tree"))
        command = ["-n", "1", PROGRAM, "run", str(config), "-o", "out"]
        done = subprocess.run([MPIEXEC, *command, ":", "-x", "AUREOLE_SIMD=baseline", *command], capture_output=True,
                              text=True, timeout=60, cwd=self.folder)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("set AUREOLE_SIMD for all", done.stderr)

    def test_a_dry_run_tells_its_plan_once_and_the_log_and_the_files_name_the_ranks(self):
        config = self.write("run.yaml", configuration("direct", scale=0.1))
        text = self.run_on(3, "run", config, "-o", "out", "--dry-run")
        self.assertEqual(text.count("3 ranks on 1 host, "), 1, text)
        self.assertRegex(text, r"rank 0 +\S+: cpu [\d.]+ MB\nranks 1-2 +\S+: cpu [\d.]+ MB each\ntightest +rank \d, ")
        self.assertFalse((self.folder / "out").exists())
        text = self.run_on(2, "run", config, "-o", "out", "--set", "run.end_time=0.25")
        self.assertRegex(text, r"2 ranks on 1 host, 1 thread each, mpi \(Open MPI")
        self.assertEqual(text.count("finished at t = 0.25"), 1)
        with h5py.File(self.folder / "out/snapshot_000.hdf5") as file:
            provenance = file["Provenance"].attrs
            self.assertEqual(provenance["Ranks"], b"2")
            self.assertIn(b"Open MPI", provenance["Mpi"])
            self.assertEqual(provenance["Hosts"], os.uname().nodename.encode())

    def test_what_a_dry_run_forecasts_for_another_rank_is_enough_and_not_much_more(self):
        # of domains a part lies in messages, which the limit does not count
        for gravity, is_counted in (("solver: tree", True), (DOMAINS, False), ("solver: scf", True)):
            with self.subTest(gravity):
                config = KILLED.replace("3000", "60000").replace("solver: scf", "softening: 0.05, " + gravity)
                command = ["-n", "1", PROGRAM, "run", str(self.write("run.yaml", config)), "--overwrite", "--set",
                           "run.end_time=0.03125", "-o", "out"]
                text = self.run_on(2, *command[3:], "--dry-run")
                forecast = float(re.search(r"rank 1 .*: cpu ([\d.]+) MB\n", text)[1])
                for limit, status in ((int(forecast) + 1, 0), (int(0.75 * forecast), 1))[:1 + is_counted]:
                    limited = ["-x", f"AUREOLE_CPU_MEMORY_MB={limit}", *command]
                    done = subprocess.run([MPIEXEC, *command, ":", *limited], capture_output=True, text=True, timeout=60,
                                          cwd=self.folder)
                    self.assertEqual(done.returncode, status, f"{limit} of {forecast} MB: {done.stdout + done.stderr}")

    def test_a_failed_check_ends_all_ranks_with_one_message(self):
        config = self.write("run.yaml", configuration("direct", scale=0.3))
        text = self.run_on(2, "run", config, "-o", "out", "--set", "run.checks.energy_error=1e-14", status=1)
        self.assertEqual(text.count("aureole: step "), 1, text)
        self.assertEqual(text.count("aureole: "), 1, text)


if __name__ == "__main__":
    unittest.main()
