"""The pages as a new user types them: every command of the README's "First run" and of pages in docs/ that make the
files which they use, in order, each page in a fresh folder; and scripts/demo, with the program that is tested here."""
import os
import re
import shutil
import subprocess
import unittest

from aureole_program import PROGRAM, SOURCE, ProgramTest

# The merger of the README takes minutes on two cores; here it has fewer particles and no pictures, and ends early. With
# AUREOLE_LONG_TESTS it is the one of the README.
WHOLE = bool(os.environ.get("AUREOLE_LONG_TESTS"))
FEW = ("--set initial_conditions.components.0.particles=1000 --set initial_conditions.components.1.particles=1000"
       " --set output.pictures.every=0 --set integrator.timestep=0.2")
SHORT = [*FEW.split(), "--set", "run.end_time=2", "--set", "halos.absolute_linking_length=0.4"]
SMALLER = {} if WHOLE else {
    "-o merger --set seed=7": f"-o merger --set seed=7 {FEW} --set run.end_time=21",
    "run.end_time=62": "run.end_time=22",
}


def indented_blocks(text):
    return [re.sub("^    ", "", block, flags=re.M) for block in re.findall(r"^((?:    .*\n)+)", text, re.M)]


class Pages(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "build").mkdir()
        (self.folder / "build/aureole").symlink_to(os.path.realpath(PROGRAM))
        (self.folder / "scripts").symlink_to((SOURCE / "scripts").resolve())

    def type(self, commands):
        """Runs them in bash; 1 is the status of a `diff` that finds differences."""
        path = f"{self.folder}/build:{os.environ['PATH']}"
        done = subprocess.run(["bash", "-ec", commands], cwd=self.folder, capture_output=True, text=True, timeout=600,
                              env={**os.environ, "PATH": path})
        self.assertEqual(done.returncode, int(commands.startswith("aureole diff") and "--exact" not in commands),
                         f"{commands}\n{done.stdout}{done.stderr}")

    def test_every_line_of_the_first_run_works_in_the_order_in_which_it_stands(self):
        page = (SOURCE / "README.md").read_text()
        lines = indented_blocks(page[page.index("## First run"):])[0]
        commands = lines
        for words, small in SMALLER.items():
            self.assertEqual(commands.count(words), 1, words)
            commands = commands.replace(words, small)
        for command in commands.splitlines():
            self.type(command)
        outputs = re.findall(r" -o (\S+)", lines)
        self.assertGreaterEqual(len(outputs), 8)
        for name in outputs:
            self.assertTrue((self.folder / name).exists(), name)

    def test_the_demonstration(self):
        (self.folder / "scripts").unlink()  # its scripts/build has nothing to build
        (self.folder / "scripts").mkdir()
        for name in ("demo", "experiments"):
            (self.folder / "scripts" / name).symlink_to((SOURCE / "scripts" / name).resolve())
        self.write("scripts/build", "#!/bin/sh\n").chmod(0o755)
        done = subprocess.run(["scripts/demo", "--device", "cpu", *([] if WHOLE else SHORT)],
                              cwd=self.folder, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        told = re.search("`(halos  .*)`", (SOURCE / "README.md").read_text())[1]
        self.assertIn(told if WHOLE else "halos         2\n", done.stdout)

    def test_the_configuration_of_the_readme_is_one(self):
        page = (SOURCE / "README.md").read_text()
        config = self.write("galaxy.yaml", indented_blocks(page[page.index("A configuration is YAML"):])[0])
        self.assertIn("particles     100000", self.run_program("run", config, "--dry-run"))

    def test_the_page_of_commands(self):
        page = (SOURCE / "docs/commands.md").read_text()
        for name in ("pair.yaml", "box.yaml"):
            self.write(name, re.search(f"^```yaml\n(# {name}.*?)^```", page, re.M | re.S)[1])
        blocks = re.findall("^```bash\n(.*?)^```", page, re.M | re.S)
        self.assertGreaterEqual(len(blocks), 8)
        for command in "".join(blocks).splitlines():
            self.type(command)

    def test_the_pages_of_densities_pictures_and_gravity(self):
        for page in ("densities", "pictures", "gravity"):
            text = (SOURCE / f"docs/{page}.md").read_text()
            for block in indented_blocks(text):
                if not re.match("aureole |cat |printf ", block):
                    continue  # what a command prints, or a piece of a configuration
                if not shutil.which("ffmpeg"):
                    block = re.sub("^scripts/movie .*\n", "", block, flags=re.M)
                self.type(block)


if __name__ == "__main__":
    unittest.main()
