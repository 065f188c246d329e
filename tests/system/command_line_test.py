"""Every command as a user meets it: help, refusals that say what to do, dry runs that are right, clean stops."""
import csv
import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

import h5py
import numpy as np

from aureole_program import PROGRAM, ProgramTest, real_data

SMALL = """
seed: 4
initial_conditions: {model: plummer, particles: 2000}
gravity: {softening: 0.05}
integrator: {timestep: 0.05}
run: {end_time: 0.5}
output: {snapshots: {every: 0.25}, halos: {every: 0.25}}
halos: {absolute_linking_length: 0.2}
"""


def read_rows(path):
    with open(path) as file:
        return list(csv.DictReader(file))


class Help(ProgramTest):
    def test_every_command_explains_itself_with_an_example(self):
        commands = re.findall(r"^  (\w+)  ", self.run_program("--help").split("Subcommands:")[1], re.M)
        self.assertLessEqual({"run", "density", "render", "diff", "config"}, set(commands))
        for command in commands:
            text = self.run_program(command, "--help")
            self.assertIn("Example: aureole " + command, text)

    def test_version_names_revision_compilers_and_backends(self):
        text = self.run_program("--version")
        for word in ("aureole", "git revision", "C++ compiler", "backends"):
            self.assertIn(word, text)

    def test_config_prints_every_key(self):
        text = self.run_program("config")
        for key in ("gravity.softening ", "halos.absolute_linking_length ", "initial_conditions.orbit.pericentre "):
            self.assertIn(key, text)

    def test_config_as_json_has_the_keys_of_the_text(self):
        rows = json.loads(self.run_program("config", "--json"))
        words = [line.split()[0] for line in self.run_program("config").splitlines() if line.strip()]
        self.assertEqual([row["key"] for row in rows], [word for word in words if word in {row["key"] for row in rows}])
        step = next(row for row in rows if row["key"] == "integrator.timestep")
        self.assertEqual(step["unit"], "977.8 Myr")

    def test_options_that_would_be_ignored_together_are_refused(self):
        for command, words in (("find x --members m.grp --method grid", "--method excludes --members"),
                               ("find x --labels l.grp -o out", "excludes --"),
                               ("evaluate c -o e.csv --grid 4 --extent 1 --direction 0,0,1", "--direction requires --radii")):
            self.assertIn(words, self.run_program(*command.split(), status=2))

    def test_usage_errors_have_status_2(self):
        self.run_program("fly", status=2)
        self.run_program("find", status=2)


class Json(ProgramTest):
    def test_info_find_and_cite_tell_what_the_text_tells(self):
        self.run_program("run", self.write("small.yaml", SMALL), "-o", "out")
        run = json.loads(self.run_program("info", "out", "--json"))
        self.assertEqual((run["kind"], len(run["snapshots"]), len(run["halos"])), ("run", 3, 3))
        self.assertLess(run["largest_energy_error"], 1)
        kinds = {"snapshot_000.hdf5": "snapshot", "fof_subhalo_tab_000.hdf5": "catalogue", "checkpoint.bin": "checkpoint"}
        for name, kind in kinds.items():
            found = json.loads(self.run_program("info", f"out/{name}", "--json"))
            self.assertEqual(found["kind"], kind)
        snapshot = json.loads(self.run_program("info", "out/snapshot_000.hdf5", "--json"))
        self.assertEqual(snapshot["particles"], sum(one["particles"] for one in snapshot["types"]))
        self.assertEqual(snapshot["units"], "nbody")
        self.assertIn("Configuration", snapshot["provenance"])
        find = [PROGRAM, "find", "out/snapshot_000.hdf5", "--absolute-linking-length", "0.2", "-o", "halos", "--json"]
        halos = json.loads(subprocess.run(find, cwd=self.folder, capture_output=True, check=True).stdout)
        with h5py.File(self.folder / "halos/fof_subhalo_tab_000.hdf5") as file:
            self.assertEqual(halos["groups"], file["Header"].attrs["Ngroups_Total"])
            self.assertEqual(halos["largest"][0]["GroupLen"], file["Group/GroupLen"][0])
        self.assertIn("devices", json.loads(self.run_program("info", "--json")))
        self.assertIn("@article{Plummer1911", self.run_program("cite", "out", "--bibtex"))
        self.assertEqual(self.run_program("cite", "out").split("\n\n")[1], self.run_program("cite", "small.yaml", "--bibtex"))

    def test_pictures_of_other_formats_are_refused(self):
        for words in (("plot", "a.hdf5"), ("render", "a.hdf5", "--volume")):
            self.assertIn("PNG", self.run_program(*words, "-o", "a.JPG", status=1))


class Run(ProgramTest):
    def test_outputs_are_numbered_by_one_counter_and_the_configuration_is_kept(self):
        config = self.write("small.yaml", SMALL)
        self.run_program("run", config, "-o", "out")
        names = sorted(path.name for path in (self.folder / "out").iterdir())
        self.assertEqual(names, ["checkpoint.bin", "checkpoint_previous.bin", "config.resolved.yaml", "csv-metadata.json", "energy.csv",
                                 "fof_subhalo_tab_000.hdf5", "fof_subhalo_tab_001.hdf5", "fof_subhalo_tab_002.hdf5",
                                 "halos.csv", "orbit.csv", "progress.json", "shapes.csv", "snapshot_000.hdf5", "snapshot_001.hdf5", "snapshot_002.hdf5", "timings.csv"])
        again = self.run_program("run", self.folder / "out/config.resolved.yaml", "-o", "again")
        with h5py.File(self.folder / "out/snapshot_002.hdf5") as a, \
                h5py.File(self.folder / "again/snapshot_002.hdf5") as b:
            self.assertTrue(np.array_equal(a["PartType1/Coordinates"][:], b["PartType1/Coordinates"][:]), again)

    def test_a_directory_with_something_in_it_is_refused_without_overwrite(self):
        config = self.write("small.yaml", SMALL)
        out = self.folder / "out"
        out.mkdir()
        (out / "precious.txt").write_text("mine")
        self.assertIn("--overwrite", self.refused("run", config, "-o", out))
        (out / "snapshot_077.hdf5").write_text("of an earlier run")
        self.run_program("run", config, "-o", out, "--overwrite")
        self.assertEqual((out / "precious.txt").read_text(), "mine")
        self.assertFalse((out / "snapshot_077.hdf5").exists())

    def test_dry_run_forecasts_memory_within_ten_percent_and_writes_nothing(self):
        # one group of nearly all, for which the forecast is made
        with_halos = (SMALL.replace("2000", "20000").replace("end_time: 0.5", "end_time: 0.05")
                      .replace("absolute_linking_length: 0.2", "absolute_linking_length: 2"))
        # without halos records take most beside particles and forces
        without = with_halos.replace("halos: {every: 0.25}}", "halos: {every: 0}, checkpoints: {minutes: 0}}")
        self.assertNotEqual(with_halos, without)
        for text in (with_halos, without):
            self.assert_forecast(self.write("small.yaml", text))

    def assert_forecast(self, config):
        devices = ["cpu"] + (["cuda"] if "cuda:0" in self.run_program("info") else [])
        for device in devices:
            shutil.rmtree(self.folder / device, ignore_errors=True)
            forecast = self.run_program("run", config, "-o", device, "--dry-run", "--device", device)
            self.assertFalse((self.folder / device).exists())
            self.assertIn("particles     20000", forecast)
            done = self.run_program("run", config, "-o", device, "--device", device)
            for memory in devices[:devices.index(device) + 1]:
                told = float(re.search(rf"memory {memory} +([\d.]+) MB", forecast)[1])
                peak = float(re.search(rf"peak memory .*{memory} ([\d.]+) MB", done)[1])
                self.assertLessEqual(abs(told - peak) / peak, 0.1, f"{device}: told {told} MB, took {peak} MB")

    def test_quiet_prints_nothing(self):
        config = self.write("small.yaml", SMALL)
        self.assertEqual(self.run_program("run", config, "-o", "out", "--quiet"), "")

    def test_a_signal_ends_the_run_with_whole_files(self):
        config = self.write("small.yaml", SMALL.replace("end_time: 0.5", "end_time: 5000"))
        out = self.folder / "out"
        process = subprocess.Popen([PROGRAM, "run", config, "-o", out], stdout=subprocess.PIPE, text=True,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        deadline = time.monotonic() + 300
        while not (out / "snapshot_001.hdf5").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        text, _ = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, text)
        self.assertIn("stopped by SIGINT at t = ", text)
        self.assertIn("to go on: aureole run --resume", text.splitlines()[-1])
        for file in out.glob("*.hdf5"):
            h5py.File(file).close()
        self.assertEqual([p.name for p in out.iterdir() if ".partial" in p.name or p.name == "run.lock"], [])

    def test_adaptive_steps_land_on_the_output_times(self):
        config = self.write("small.yaml", SMALL.replace("timestep: 0.05", "adaptive: {eta: 0.3}"))
        self.run_program("run", config, "-o", "out")
        rows = read_rows(self.folder / "out/halos.csv")
        self.assertEqual([float(row["time"]) for row in rows], [0.0, 0.25, 0.5])

    def test_every_particle_type_survives_and_tipsy_comes_on_request(self):
        config = self.write("types.yaml", SMALL.replace("{model: plummer, particles: 2000}", """
  - {model: plummer, particles: 300, type: 0}
  - {model: plummer, particles: 200, type: 1, position: [5, 0, 0]}
  - {model: hernquist, particles: 100, type: 4}
""").replace("snapshots: {every: 0.25}, ", "format: hdf5+tipsy, "))
        self.run_program("run", config, "-o", "out")
        for number in ("000", "002"):
            with h5py.File(self.folder / f"out/snapshot_{number}.hdf5") as file:
                self.assertEqual(list(file["Header"].attrs["NumPart_ThisFile"]), [300, 200, 0, 0, 100, 0])
                ids = np.concatenate([file[f"PartType{t}/ParticleIDs"][:] for t in (0, 1, 4)])
                self.assertEqual(sorted(ids), list(range(1, 601)))
            text = self.run_program("info", self.folder / f"out/snapshot_{number}.tipsy")
            for line in ("type 0 (gas)  300", "type 1 (halo)  200", "type 4 (stars)  100"):
                self.assertIn(line, text)
        # and a run from that file keeps them
        again = self.write("again.yaml", SMALL.replace("{model: plummer, particles: 2000}",
                                                       "{model: file, file: out/snapshot_002.hdf5}")
                           .replace("0.05}\nrun: {end_time: 0.5}", "1 kyr}\nrun: {end_time: 2.4 Myr}")
                           .replace("every: 0.25", "every: 1 Myr"))
        self.run_program("run", again, "-o", "again")
        with h5py.File(self.folder / "again/snapshot_000.hdf5") as file, \
                h5py.File(self.folder / "out/snapshot_002.hdf5") as before:
            self.assertEqual(list(file["Header"].attrs["NumPart_ThisFile"]), [300, 200, 0, 0, 100, 0])
            self.assertAlmostEqual(file["Header"].attrs["Time"], before["Header"].attrs["Time"], places=12)

    def test_comoving_files_are_refused_unless_taken_as_isolated(self):
        box = real_data("fof/psi_snapshot_010")
        config = self.write("box.yaml", SMALL.replace("{model: plummer, particles: 2000}",
                                                      f"{{model: file, file: {box.resolve()}}}"))
        self.assertIn("--as-isolated", self.refused("run", config, "-o", "out"))
        self.run_program("run", config, "-o", "out", "--as-isolated", "--dry-run")

    def test_a_run_with_more_particles_than_its_format_holds_does_not_begin(self):
        config = self.write("large.yaml", SMALL.replace("particles: 2000", "particles: 100000000"))
        for mode in ([], ["--dry-run"]):
            text = self.refused("run", config, "-o", "out", "--set", "output.format=gadget2", *mode)
            for words in ("gadget2", "89478485", "100000000", "hdf5"):
                self.assertIn(words, text)
        self.assertFalse((self.folder / "out").exists())

    def test_a_device_that_is_not_there_is_an_error(self):
        config = self.write("small.yaml", SMALL)
        self.assertIn("--device", self.refused("run", config, "-o", "out", "--device", "cuda:99"))
        self.assertIn("--device", self.refused("run", config, "-o", "out", "--device", "gpu"))


class NothingLost(ProgramTest):
    def test_the_resolved_configuration_of_a_run_from_a_file_runs_again(self):
        self.write("pair.txt", "1 1 1 0 0 0 0.3 0\n2 1 -1 0 0 0 -0.3 0\n")
        config = self.write("a.yaml", SMALL.replace("{model: plummer, particles: 2000}",
                                                    "{model: file, file: pair.txt}"))
        self.run_program("run", config, "-o", "out/deep")
        self.run_program("run", "out/deep/config.resolved.yaml", "-o", "again")

    def test_a_run_that_cannot_work_removes_nothing(self):
        config = self.write("small.yaml", SMALL)
        self.run_program("run", config, "-o", "out")
        before = sorted(path.name for path in (self.folder / "out").iterdir())
        for change in ("halos={linking_length: 0.2}", "integrator={adaptive: {eta: 0.1}}"):
            extra = ["--set", "gravity.softening=0"] if "adaptive" in change else []
            for mode in (["--overwrite"], ["--dry-run", "--overwrite"]):
                self.refused("run", config, "-o", "out", *mode, "--set", change, *extra)
        self.assertEqual(sorted(path.name for path in (self.folder / "out").iterdir()), before)

    def test_no_command_replaces_its_input(self):
        config = self.write("small.yaml", SMALL)
        self.run_program("run", config, "-o", "out")
        snapshot = self.folder / "out/snapshot_001.hdf5"
        before = snapshot.read_bytes()
        onward = self.write("onward.yaml", SMALL.replace("{model: plummer, particles: 2000}",
                                                         "{model: file, file: out/snapshot_001.hdf5}"))
        self.assertIn("input", self.refused("run", onward, "-o", "out", "--overwrite"))
        self.assertIn("input", self.refused("forces", snapshot, "-o", snapshot))
        self.assertIn("input", self.refused("find", snapshot, "--labels", snapshot))
        self.assertIn("input", self.refused("plot", snapshot, "-o", snapshot))
        self.assertEqual(snapshot.read_bytes(), before)

    def test_info_reads_the_directory_of_a_find_too(self):
        self.run_program("ics", self.write("small.yaml", SMALL), "-o", "start.hdf5")
        self.run_program("find", "--types", "1", "start.hdf5", "--absolute-linking-length", "0.2", "-o", "found")
        self.assertIn("halos", self.run_program("info", "found"))


class BadInput(ProgramTest):
    def test_configurations_are_refused_with_file_line_and_key(self):
        for text, words in (("sed: 1\n", ("bad.yaml:1", "seed")),
                            (SMALL + "seed: 5\n", ("given twice",)),
                            (SMALL.replace("0.05}\nint", "-1}\nint"), ("bad.yaml:4", "gravity.softening")),
                            (SMALL.replace("run: {end_time: 0.5}", ""), ("run.end_time",)),
                            (SMALL.replace("particles: 2000", "particles: 0"), ("particles",)),
                            (SMALL.replace("plummer, particles: 2000", "file, file: gone.dat"), ("gone.dat",))):
            line = self.refused("run", self.write("bad.yaml", text), "-o", "out")
            for word in words:
                self.assertIn(word, line)
            self.assertFalse((self.folder / "out").exists(), "refused before anything is written")

    def test_files_that_are_no_snapshots(self):
        self.assertIn("gone.hdf5", self.refused("find", "gone.hdf5"))
        self.assertIn("empty", self.refused("info", self.write("nothing.dat", "")))
        noise = self.folder / "noise.bin"
        noise.write_bytes(os.urandom(5000))
        self.assertIn("noise.bin", self.refused("find", noise))
        self.refused("plot", self.folder, "-o", "picture.png")

    def test_not_a_number_in_a_table_names_the_particle(self):
        table = self.write("table.txt", "1 1 0 0 0 0 0 0\n2 1 nan 0 0 0 0 0\n")
        line = self.refused("info", table)
        self.assertIn("table.txt", line)
        self.assertIn("nan", line.lower())


class Forces(ProgramTest):
    def test_two_bodies_in_nbody_and_in_galactic_units(self):
        table = self.write("pair.txt", "7 2 0 0 0 0 0 0\n9 3 2 0 0 0 0 0\n")
        self.run_program("forces", table, "-o", "forces.hdf5", "--set", "precision=double")
        with h5py.File(self.folder / "forces.hdf5") as file:
            np.testing.assert_allclose(file["Accelerations"][:], [[0.75, 0, 0], [-0.5, 0, 0]], rtol=1e-14)
            np.testing.assert_allclose(file["Potentials"][:], [-1.5, -1.0], rtol=1e-14)
            self.assertEqual(list(file["ParticleIDs"][:]), [7, 9])
            self.assertEqual(file.attrs["G"], 1.0)
        self.run_program("forces", table, "-o", "forces.hdf5", "--units", "galactic")
        with h5py.File(self.folder / "forces.hdf5") as file:
            g = file.attrs["G"]
            self.assertAlmostEqual(g, 43021.93, places=1)
            np.testing.assert_allclose(file["Accelerations"][0], [0.75 * g, 0, 0], rtol=1e-6)


class Plot(ProgramTest):
    def test_a_picture_of_initial_conditions(self):
        config = self.write("small.yaml", SMALL)
        self.run_program("ics", config, "-o", "start.hdf5")
        self.run_program("plot", "start.hdf5", "-o", "picture.png", "--pixels", "300", "--axis", "x")
        self.run_program("plot", "start.hdf5", "-o", "by_velocity.png", "--colour-by", "velocity")
        self.assertIn("--members", self.refused("plot", "start.hdf5", "-o", "by_halo.png", "--colour-by", "halo"))
        data = (self.folder / "picture.png").read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(int.from_bytes(data[16:20], "big"), 300)


class PrintedText(ProgramTest):
    """What files and configurations hold may be anything: a terminal is shown it and does not obey it."""

    escape = "\x1b]0;owned\x07\x9b2J"

    def expect_harmless(self, text):
        self.assertNotRegex(text, "[\x00-\x09\x0b-\x1f\x7f-\x9f]")
        self.assertNotRegex(text, "(?m)^forged")
        self.assertIn("\\x1b]0;owned\\x07", text)

    def test_names_and_provenance_of_files_cannot_command_a_terminal(self):
        self.run_program("ics", self.write("a.yaml", "initial_conditions: {model: plummer, particles: 100}"), "-o",
                         "s_000.hdf5")
        with h5py.File(self.folder / "s_000.hdf5", "r+") as file:
            file["PartType1/x" + self.escape + "\nforged"] = np.zeros(100)
            file["Provenance"].attrs["Host"] = self.escape + "\nforged: yes"
            file["Provenance"].attrs["Configuration"] = "a: 1\n" + self.escape
        self.expect_harmless(self.run_program("info", "s_000.hdf5"))
        self.run_program("ics", self.write("b.yaml", "initial_conditions: {model: plummer, particles: 100}"), "-o",
                         "t_000.hdf5")
        with h5py.File(self.folder / "t_000.hdf5", "r+") as file:
            file["g" + self.escape + "\nforged"] = np.zeros(3)
        self.expect_harmless(self.run_program("diff", "--exact", "t_000.hdf5", "s_000.hdf5", status=1))

    def test_messages_about_yaml_stay_on_one_line(self):
        for text in ('"a\\e]0;owned\\a\\u009b\\nforged": 1', 'gravity: {solver: "\\e]0;owned\\a\\u009b\\nforged"}'):
            self.expect_harmless(self.refused("run", self.write("a.yaml", text), "-o", "out"))

    def test_a_directory_that_could_not_be_resumed_is_refused_at_the_start(self):
        config = self.write("a.yaml", SMALL)
        self.assertIn("control character (0x0a)", self.refused("run", config, "-o", "two\nlines"))
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["a.yaml"])


if __name__ == "__main__":
    unittest.main()
