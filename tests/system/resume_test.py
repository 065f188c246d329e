"""What a run promises when it is stopped or killed: a run that resumes from its checkpoint
writes the same files, bit for bit, and what is damaged or does not fit is refused or replaced by what is whole."""
import re
import shutil
import signal
import unittest

import h5py
import numpy as np
from aureole_program import SANITIZED, ProgramTest
from interrupted_run import CASES, InterruptedRun, configuration


class Resume(InterruptedRun):
    def expect_stopped(self, process, reason):
        text, status = self.end_of(process)
        self.assertEqual(status, 0, text)
        self.assertIn(f"stopped by {reason}", text)
        self.assertEqual(text.splitlines()[-1], "to go on: aureole run --resume out")
        self.assertTrue((self.folder / "out/checkpoint.bin").exists())
        return text

    CADENCES = {"steps": "steps: 64, minutes: 0", "more_steps_than_there_are": "steps: 1000, minutes: 0",
                "times": "every: 1, minutes: 0", "minutes": "minutes: 30", "none_said": ""}

    def contents(self, name):
        return {path.name: path.read_bytes() for path in (self.folder / name).iterdir()}

    def short_run(self, checkpoints):
        """64 steps of a power of two to the time 1, at which every output is due."""
        return self.write("short.yaml", """
seed: 4
initial_conditions: {model: plummer, particles: 100}
gravity: {softening: 0.05, solver: tree}
integrator: {timestep: 0.015625}
run: {end_time: 1}
halos: {absolute_linking_length: 0.2}
output:
  snapshots: {every: 0.5}
  halos: {every: 0.5}
  diagnostics: {every: 0.25}
  checkpoints: {CHECKPOINTS}
""".replace("CHECKPOINTS", checkpoints))

    def test_a_run_at_its_end_goes_on_when_the_end_is_moved(self):
        for name, checkpoints in self.CADENCES.items():
            with self.subTest(checkpoints=name):
                config = self.short_run(checkpoints)
                self.run_program("run", config, "-o", f"{name}_whole", "--quiet", "--set", "run.end_time=2")
                self.run_program("run", config, "-o", name, "--quiet")
                self.assertIn("step      64\n", self.run_program("info", f"{name}/checkpoint.bin"))
                self.run_program("run", "--resume", name, "--set", "run.end_time=2")
                # the first end is a step and a time of all outputs: the bits of the run that was made in one go
                self.same(f"{name}_whole", name)
                self.assertIn("step      128\n", self.run_program("info", f"{name}/checkpoint.bin"))

    def test_every_solver_goes_on_from_an_end_as_if_there_had_been_none(self):
        for case in CASES:
            with self.subTest(case=case):
                config = self.write(f"{case}.yaml", configuration(case, scale=0.3))
                self.run_program("run", config, "-o", f"{case}_whole", "--quiet")
                self.run_program("run", config, "-o", case, "--quiet", "--set", "run.end_time=0.5")
                for end in (1, 1.5):
                    self.run_program("run", "--resume", case, "--quiet", "--set", f"run.end_time={end}")
                self.same(f"{case}_whole", case)

    def test_a_run_at_its_end_says_so_and_changes_nothing(self):
        config = self.short_run("steps: 64, minutes: 0")
        text = self.run_program("run", config, "-o", "out")
        state = [line for line in text.splitlines() if line.startswith("state hash")]
        before = self.contents("out")
        for moved in ((), ("--set", "run.end_time=0.5"), ("--set", "output.snapshots.every=0.1")):
            text = self.run_program("run", "--resume", "out", *moved)
            self.assertRegex(text, r"the run is at its end, t = 1, step 64")
            self.assertEqual(text.splitlines()[-1:], state)
            self.assertEqual(self.contents("out"), before)

    def test_without_checkpoints_a_run_leaves_none_unless_it_was_stopped(self):
        config = self.short_run("minutes: 0")
        self.run_program("run", config, "-o", "out", "--quiet")
        self.assertEqual(list((self.folder / "out").glob("checkpoint*")), [])
        before = self.contents("out")
        self.assertIn("the run is at its end, t = 1; ", self.run_program("run", "--resume", "out"))
        self.assertEqual(self.contents("out"), before)
        self.run_program("run", config, "-o", "whole", "--quiet", "--set", "run.end_time=2")
        self.assertIn(self.BEGINS, self.run_program("run", "--resume", "out", "--set", "run.end_time=2"))
        self.same("whole", "out")
        process = self.start("run", config, "-o", "stopped", "--set", "run.end_time=5000")
        self.wait_for(process, "stopped/snapshot_001.hdf5")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(self.end_of(process)[1], 0)
        found = re.search(r"step +(\d+)\ntime +t = ([\d.]+)", self.run_program("info", "stopped/checkpoint.bin"))
        end = int(float(found[2])) + 1
        self.run_program("run", "--resume", "stopped", "--set", f"run.end_time={end}")
        # the checkpoint of the stop would begin the last steps again
        self.assertIn(f"step      {64 * end}\n", self.run_program("info", "stopped/checkpoint.bin"))

    BEGINS = "out: holds no checkpoint: the run begins at step 0, and what it wrote is written anew"

    def test_the_initial_state_is_a_checkpoint_from_which_every_solver_goes_on(self):
        for case in CASES:
            with self.subTest(case=case):
                config = self.write(f"{case}.yaml", configuration(case, scale=0.3))
                self.run_program("run", config, "-o", f"{case}_whole", "--quiet")
                self.run_program("run", config, "-o", case, "--quiet", "--set", "output.checkpoints.steps=0", "--set",
                                 "output.checkpoints.every=0")  # leaves the default: every half an hour
                self.assertEqual(len(list((self.folder / case).glob("checkpoint*"))), 2, "of the first and the last state")
                (self.folder / case / "checkpoint_previous.bin").rename(self.folder / case / "checkpoint.bin")
                self.assertIn("step      0\n", self.run_program("info", f"{case}/checkpoint.bin"))
                self.assertIn(", step 0 in", self.run_program("run", "--resume", case))
                self.same(f"{case}_whole", case)

    def test_a_directory_without_a_checkpoint_begins_at_step_0(self):
        config = self.write("run.yaml", configuration("tree"))
        self.run_program("run", config, "-o", "whole", "--quiet")
        begun = self.folder / "out"
        for given in (("out",), (config, "-o", "out")):
            for left in ("config.resolved.yaml", "snapshot_003.hdf5"):  # a run that was killed at once, and later
                shutil.rmtree(begun, ignore_errors=True)
                begun.mkdir()
                shutil.copy(self.folder / "whole/config.resolved.yaml", begun)
                shutil.copy(self.folder / "whole" / left, begun / left)
                (begun / "snapshot_900.hdf5").touch()
                self.assertIn("note: " + self.BEGINS, self.run_program("run", "--resume", *given))
                self.same("whole", "out")
        for checkpoint in begun.glob("checkpoint*"):
            checkpoint.unlink()
        changed = self.run_program("run", "--resume", config, "-o", "out", "--set", "seed=5", status=1)
        self.assertIn("key 'seed': found 5, expected 4", changed)

    def test_a_directory_that_says_nothing_of_a_run_is_left_alone(self):
        config = self.write("run.yaml", configuration("tree"))
        (self.folder / "out").mkdir()
        self.assertRegex(self.refused("run", "--resume", "out"), "found neither checkpoint.bin nor config.resolved.yaml")
        (self.folder / "out/energy.csv").write_text("mine")
        for given in (("out",), (config, "-o", "out")):
            self.refused("run", "--resume", *given)
            self.assertEqual((self.folder / "out/energy.csv").read_text(), "mine")
        (self.folder / "out/energy.csv").unlink()
        (self.folder / "out/config.resolved.yaml.partial").touch()  # killed while it was written
        self.assertIn(self.BEGINS, self.run_program("run", "--resume", config, "-o", "out"))

    def test_an_end_between_two_steps_is_one_more_time_to_land_on(self):
        config = self.write("run.yaml", configuration("tree"))
        self.run_program("run", config, "-o", "whole", "--quiet")
        self.run_program("run", config, "-o", "out", "--set", "run.end_time=0.3")
        self.run_program("run", "--resume", "out", "--set", "run.end_time=1.5")
        # with adaptive steps: the same system, not bit for bit
        self.run_program("diff", "--tolerance", "1e-2", "whole/snapshot_001.hdf5", "out/snapshot_001.hdf5")
        self.assertTrue((self.folder / "out/snapshot_007.hdf5").exists())

    def test_a_stop_right_after_a_checkpoint_keeps_the_one_before(self):
        # with a checkpoint after every step the stop finds its own written already
        config = self.short_run("steps: 1, minutes: 0")
        process = self.start("run", config, "-o", "out", "--set", "run.end_time=5000")
        self.wait_for(process, "out/checkpoint_previous.bin")
        process.send_signal(signal.SIGTERM)
        self.expect_stopped(process, "SIGTERM")
        newest, previous = (int(re.search(r"step +(\d+)", self.run_program("info", f"out/{name}"))[1])
                            for name in ("checkpoint.bin", "checkpoint_previous.bin"))
        self.assertEqual(previous, newest - 1)

    def test_pictures_keep_their_frame(self):
        config = self.write("run.yaml", configuration("direct") + "  pictures: {every: 0.5}\n"
                            "pictures: {pixels: 100, colour_by: velocity}\n")
        self.run_program("run", config, "-o", "whole", "--quiet")
        process = self.start("run", config, "-o", "out")
        self.wait_for(process, "out/checkpoint_previous.bin")
        process.kill()
        process.communicate()
        self.run_program("run", config, "-o", "out", "--resume")
        self.same("whole", "out")

    def test_signals_stop_with_a_checkpoint(self):
        for name in ("SIGINT", "SIGTERM", "SIGUSR1"):
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            process = self.start(*self.long_run())
            self.wait_for(process, "out/snapshot_001.hdf5")
            process.send_signal(getattr(signal, name))
            self.expect_stopped(process, name)

    def rows(self, name):
        path = self.folder / name
        return len(path.read_text().splitlines()) - 1 if path.exists() else -1

    def stopped_in_the_search(self, config, rows, number):
        """A run that holds still in the search of that output, which takes a second and more behind the row of the logs.
        Where the machine was busy with others for so long, it begins once more."""
        for _ in range(20):
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            process = self.start("run", config, "-o", "out")
            self.wait_until(lambda: self.rows("out/energy.csv") >= rows, f"row {rows} of energy.csv")
            process.send_signal(signal.SIGSTOP)
            if not (self.folder / f"out/fof_subhalo_tab_{number}.hdf5").exists():
                return process
            process.kill()
            process.wait()
        self.fail("the search was over each time")

    def test_a_signal_in_a_halo_search_ends_it_and_the_resumed_run_makes_the_output_once(self):
        config = self.write("search.yaml", """
initial_conditions: {model: plummer, particles: 20000}
gravity: {softening: 0.05, solver: tree}
integrator: {timestep: 0.125}
run: {end_time: 0.25}
halos: {absolute_linking_length: 0.5, substructure: true}
output: {snapshots: {every: 0.25}, halos: {every: 0.25, csv: true}, diagnostics: {every: 0.125}, pictures: {every: 0.25}}
""")
        for rows, number in ((1, "000"), (3, "001")):  # the search at the start, and that at the end
            with self.subTest(rows=rows):
                process = self.stopped_in_the_search(config, rows, number)
                process.send_signal(signal.SIGTERM)
                process.send_signal(signal.SIGCONT)
                text = self.expect_stopped(process, "SIGTERM")
                self.assertIn("not made yet, and first of all when the run goes on: snapshot, halos, picture", text)
                self.assertEqual([path.name for path in (self.folder / "out").iterdir() if number in path.name], [])
                self.assertEqual(self.rows("out/energy.csv"), rows)
                self.assertIn("due       snapshot, halos, picture", self.run_program("info", "out/checkpoint.bin"))
                self.run_program("run", "--resume", "out")
                if rows == 1:
                    self.run_program("run", config, "-o", "whole", "--quiet")
                self.same("whole", "out")
                names = [set(self.contents(folder)) - {"checkpoint_previous.bin"} for folder in ("whole", "out")]
                self.assertEqual(*names)

    def test_a_signal_during_a_write_waits_for_it(self):
        config = self.write("run.yaml", configuration("tree", scale=4 if SANITIZED else 10))
        process = self.start(*self.endless(config, "out"))
        self.wait_for(process, "out/snapshot_000.hdf5")
        # written beside the steps; it may be complete before the signal has come
        self.wait_until(lambda: list((self.folder / "out").glob("snapshot_*.hdf5.partial")), "a snapshot on its way")
        process.send_signal(signal.SIGINT)
        self.expect_stopped(process, "SIGINT")
        self.assertEqual(list((self.folder / "out").glob("*.partial")), [])
        self.resume_to_the_next_end(config, "out", "whole")

    def test_a_file_stop_and_a_time_limit_stop_with_a_checkpoint(self):
        process = self.start(*self.long_run())
        self.wait_for(process, "out/snapshot_001.hdf5")
        (self.folder / "out/stop").touch()
        self.expect_stopped(process, "the file stop")
        self.assertFalse((self.folder / "out/stop").exists())
        process = self.start("run", "--resume", "out", "--max-wall", "00:00:01")
        self.assertIn("going on from t = ", self.expect_stopped(process, "--max-wall"))
        self.assertIn("found '50', expected HH:MM:SS", self.refused("run", "--resume", "out", "--max-wall", "50"))

    def test_a_snapshot_on_demand_leaves_no_trace(self):
        config = self.write("run.yaml", configuration("tree"))
        process = self.start(*self.endless(config, "out"))
        self.wait_for(process, "out/snapshot_001.hdf5")

        def extra():
            return sorted((self.folder / "out").glob("extra_*.hdf5"))
        process.send_signal(signal.SIGHUP)
        self.wait_until(extra, "the snapshot that SIGHUP asks for")
        (self.folder / "out/dump").touch()
        self.wait_until(lambda: len(extra()) == 2, "the snapshot that a file asks for")
        self.assertFalse((self.folder / "out/dump").exists())
        process.send_signal(signal.SIGTERM)
        text = self.expect_stopped(process, "SIGTERM")
        for file in extra():
            self.assertIn(file.name, text)
            with h5py.File(file) as snapshot:
                self.assertEqual(snapshot["PartType1/Potential"].shape, (600,))
                self.assertLess(snapshot["PartType1/Potential"][:].max(), 0)
        self.resume_to_the_next_end(config, "out", "whole")

    def test_a_damaged_checkpoint_is_replaced_by_the_previous_one(self):
        config = self.write("run.yaml", configuration("direct"))
        self.run_program("run", config, "-o", "whole", "--quiet")
        process = self.start("run", config, "-o", "out")
        self.wait_for(process, "out/checkpoint_previous.bin")
        process.kill()
        process.communicate()
        newest = self.folder / "out/checkpoint.bin"
        content = bytearray(newest.read_bytes())
        content[len(content) // 2] ^= 0x10
        newest.write_bytes(content)
        (self.folder / "out/snapshot_900.hdf5").touch()  # as if written after the checkpoint
        text = self.run_program("run", "--resume", "out")
        self.assertRegex(text, r"warning: .*checkpoint.bin: section '\w+' is damaged: checksum .*; the run goes on from "
                               r"out/checkpoint_previous.bin")
        self.assertEqual((self.folder / "out/checkpoint_damaged.bin").read_bytes(), content)
        self.same("whole", "out")

    def test_without_a_whole_checkpoint_every_file_is_named_with_its_fault(self):
        (self.folder / "out").mkdir()
        (self.folder / "out/checkpoint.bin").write_bytes(b"AUREOLE-CHECKPT\n")
        line = self.refused("run", "--resume", "out")
        for words in ("out/checkpoint.bin: is cut off: 16 bytes", "out/checkpoint_previous.bin: no such file",
                      "no checkpoint to go on from"):
            self.assertIn(words, line)

    def test_a_changed_configuration_is_refused_key_by_key(self):
        config = self.write("run.yaml", configuration("tree"))
        self.run_program("run", config, "-o", "out", "--set", "run.end_time=0.2", "--set",
                         "output.checkpoints.steps=5")
        text = self.run_program("run", config, "-o", "out", "--resume", "--set", "gravity.softening=0.1",
                                "--set", "seed=5", "--set", "initial_conditions.0.particles=601", status=1)
        for words in ("key 'gravity.softening': found 0.1, expected 0.05", "key 'seed': found 5, expected 4",
                      "key 'initial_conditions.components.0.particles': found 601, expected 600"):
            self.assertIn(words, text)
        self.assertNotIn("run.end_time'", text)
        self.run_program("run", config, "-o", "out", "--resume", "--set", "run.end_time=0.3",
                         "--set", "output.snapshots.every=0.05")
        self.assertTrue((self.folder / "out/snapshot_003.hdf5").exists())

    def test_fields_of_files_are_in_the_checkpoint(self):
        config = self.write("run.yaml", configuration("scf"))
        self.run_program("run", config, "-o", "live", "--quiet")
        settings = ["--set", "gravity.scf={n_max: 3, l_max: 2}"]
        for k in range(2):
            settings += ["--set", f"initial_conditions.{k}.scf.mode=playback",
                         "--set", f"initial_conditions.{k}.scf.coefficients=live/coefficients_{k}.hdf5"]
        self.run_program("run", config, "-o", "whole", *settings, "--quiet")
        process = self.start("run", config, "-o", "out", *settings)
        self.wait_for(process, "out/checkpoint.bin")
        process.kill()
        process.communicate()
        (self.folder / "live").rename(self.folder / "elsewhere")
        self.run_program("run", "--resume", "out")
        self.same("whole", "out")


class Diff(ProgramTest):
    def test_snapshots_are_compared_by_id_and_catalogues_by_place(self):
        config = self.write("run.yaml", configuration("direct"))
        for name in ("a", "b"):
            self.run_program("run", config, "-o", name, "--quiet", "--set", "run.end_time=0.25", "--set",
                             "halos.min_members=5")
        self.assertIn("900 in both", self.run_program("diff", "a/snapshot_001.hdf5", "b/snapshot_001.hdf5"))
        self.run_program("diff", "a/fof_subhalo_tab_001.hdf5", "b/fof_subhalo_tab_001.hdf5")
        with h5py.File(self.folder / "b/fof_subhalo_tab_001.hdf5", "r+") as file:
            self.assertGreaterEqual(file["Group/GroupPos"].shape[0], 2)
            for column in file["Group"].values():
                column[:2] = column[:2][::-1]
        text = self.run_program("diff", "a/fof_subhalo_tab_001.hdf5", "b/fof_subhalo_tab_001.hdf5")
        self.assertIn("  2 have another number in the second\n", text)
        self.assertRegex(text, r"GroupMass +equal\n")
        with h5py.File(self.folder / "b/fof_subhalo_tab_001.hdf5", "r+") as file:
            file["Group/GroupMass"][0] *= 1.5
        text = self.run_program("diff", "a/fof_subhalo_tab_001.hdf5", "b/fof_subhalo_tab_001.hdf5", status=1)
        self.assertRegex(text, r"GroupMass +1 differ, by up to .* at row 1\n")
        with h5py.File(self.folder / "b/snapshot_001.hdf5", "r+") as file:
            ids, x = file["PartType1/ParticleIDs"], file["PartType1/Coordinates"]
            moved = int(ids[17])
            x[17, 1] += 1e-6
        text = self.run_program("diff", "a/snapshot_001.hdf5", "b/snapshot_001.hdf5", status=1)
        self.assertRegex(text, rf"position +1 differ, by up to 1e-06 \(.* of the rms\) at id {moved}\n")
        self.run_program("diff", "--tolerance", "1e-5", "a/snapshot_001.hdf5", "b/snapshot_001.hdf5")
        text = self.run_program("diff", "--exact", "a", "b", status=1)
        self.assertIn("b/snapshot_001.hdf5: /PartType1/Coordinates: first in row 17", text)

    def test_exact_sees_every_bit_but_provenance_and_seconds(self):
        for name, value in (("a", 1.0), ("b", 1.0)):
            with h5py.File(self.folder / f"{name}.hdf5", "w") as file:
                file["g/x"] = [0.0, value]
                file["g/wall_seconds"] = [ord(name)]
                file["g"].attrs["n"] = 3
                file.create_group("Provenance").attrs["Host"] = name
        self.run_program("diff", "--exact", "a.hdf5", "b.hdf5")
        for change, words in ((lambda f: f["g/x"].write_direct(np.array([-0.0, 1.0])), "/g/x: first in row 0"),
                              (lambda f: f["g"].attrs.modify("n", 4), "attribute n of /g: first in value 0"),
                              (lambda f: f.create_dataset("g/more", data=1), "/g/more: only in the second file")):
            with h5py.File(self.folder / "b.hdf5", "r+") as file:
                change(file)
            self.assertIn(words, self.run_program("diff", "--exact", "a.hdf5", "b.hdf5", status=1))
        self.write("a.csv", "t,x,wall_seconds\n0,1,5\n1,2,6\n")
        self.write("b.csv", "t,x,wall_seconds\n0,1,7\n1,2,8\n")
        self.run_program("diff", "--exact", "a.csv", "b.csv")
        self.write("b.csv", "t,x,wall_seconds\n0,1,7\n1,3,8\n2,4,9\n")
        text = self.run_program("diff", "--exact", "a.csv", "b.csv", status=1)
        self.assertIn("column x: first in row 1, 2 and 3", text)
        self.assertIn("rows: 2 in both", text)
        self.assertIn("aureole: gone: no such file or directory", self.refused("diff", "--exact", ".", "gone"))
        self.assertIn(". and a.csv: one is a directory and the other is not", self.refused("diff", "--exact", ".", "a.csv"))


if __name__ == "__main__":
    unittest.main()
