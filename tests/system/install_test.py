"""What `cmake --install` leaves: a program with its pages, and a library that other projects find, link and use."""
import pathlib
import re
import shutil
import subprocess
import unittest

from aureole_program import PROGRAM, SOURCE, ProgramTest

GROUPS = "2 groups: 27 27; the lone point has label -1\n"


def done(*command, **options):
    """Output of a command that must succeed."""
    run = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, **options)
    if run.returncode != 0:
        raise AssertionError(f"{command}\n{run.stdout}{run.stderr}")
    return run.stdout


class Installed(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.build = pathlib.Path(PROGRAM).resolve().parent
        if not (cls.build / "cmake_install.cmake").exists():
            raise unittest.SkipTest(f"{PROGRAM} does not lie in the folder of a build")

    def setUp(self):
        super().setUp()
        self.prefix = self.folder / "prefix"
        done("cmake", "--install", self.build, "--prefix", self.prefix)

    def library_folder(self):
        return next(self.prefix.glob("lib*/**/libaureole_halo.a")).parent

    def test_a_project_finds_the_package_and_links_it(self):
        done("cmake", "-S", SOURCE / "tests/consumer", "-B", self.folder / "build",
             f"-DCMAKE_PREFIX_PATH={self.prefix}")
        done("cmake", "--build", self.folder / "build")
        self.assertEqual(done(self.folder / "build/consumer"), GROUPS)

    def test_a_compiler_links_it_by_pkg_config(self):
        if not shutil.which("pkg-config"):
            self.skipTest("pkg-config is not installed")
        settings = self.library_folder() / "pkgconfig"
        text = (settings / "aureole.pc").read_text()
        (settings / "aureole.pc").write_text(re.sub("^prefix=.*", f"prefix={self.prefix}", text))
        flags = done("pkg-config", "--cflags", "--libs", settings / "aureole.pc").split()
        done("c++", SOURCE / "tests/consumer/main.cpp", "-o", self.folder / "consumer", *flags)
        self.assertEqual(done(self.folder / "consumer"), GROUPS)

    def test_a_project_without_c_is_told_what_is_missing(self):
        project = self.folder / "project"
        project.mkdir()
        (project / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.24)\nproject(x LANGUAGES CXX)\n"
                                                "find_package(aureole REQUIRED)\n")
        run = subprocess.run(["cmake", "-S", project, "-B", self.folder / "build",
                              f"-DCMAKE_PREFIX_PATH={self.prefix}"], capture_output=True, text=True)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("LANGUAGES C CXX", run.stderr)

    def test_no_header_needs_one_that_was_not_installed(self):
        include = next(self.prefix.glob("include/aureole"))
        for header in include.rglob("*.hpp"):
            for name in re.findall(r'^#include "(.*)"', header.read_text(), re.M):
                self.assertTrue((include / name).exists(), f"{header.name} includes {name}")

    def test_the_program_and_its_pages_are_there(self):
        program = self.prefix / "bin/aureole"
        commands = re.findall(r"^  (\w+)  ", done(program, "--help").split("Subcommands:")[1], re.M)
        page = (self.prefix / "share/man/man1/aureole.1").read_text()
        for command in commands:
            self.assertIn(f".SS aureole {command}", page)
        for name in ("bash-completion/completions/aureole", "zsh/site-functions/_aureole",
                     "fish/vendor_completions.d/aureole.fish"):
            self.assertIn("--linking-length" if "fish" not in name else "-l linking-length",
                          (self.prefix / "share" / name).read_text())


class Completion(ProgramTest):
    def completed(self, *words):
        """What bash offers for the last word."""
        script = self.write("completion", self.run_program("completion", "bash"))
        listed = " ".join(f"'{word}'" for word in words)
        return done("bash", "-c", f"source '{script}'; COMP_WORDS=({listed}); COMP_CWORD={len(words) - 1}; "
                                  "_aureole; printf '%s\\n' \"${COMPREPLY[@]}\"").split()

    def test_bash_completes_commands_options_and_words(self):
        self.assertEqual(self.completed("aureole", "fi"), ["find"])
        self.assertEqual(self.completed("aureole", "find", "--linking-l"), ["--linking-length"])
        self.assertEqual(self.completed("aureole", "find", "--border", ""), ["none", "nearest"])
        self.assertEqual(self.completed("aureole", "completion", ""), ["bash", "zsh", "fish"])
        self.assertEqual(self.completed("aureole", "find", "snapshot"), [])  # a file: bash's own completion

    def test_other_shells_accept_their_scripts(self):
        for shell in ("zsh", "fish"):
            script = self.write(shell, self.run_program("completion", shell))
            if shutil.which(shell):
                done(shell, "-n", script)
        self.assertIn("bash, zsh or fish", self.refused("completion", "tcsh"))

    def test_the_manual_page_has_no_line_that_man_takes_for_an_unknown_macro(self):
        for line in self.run_program("manual").splitlines():
            if line.startswith((".", "'")):
                self.assertRegex(line, r"^\.(TH|SH|SS|TP|PP|B|nf|fi)\b")

    def test_near_names_are_suggested(self):
        for words, suggestion in ((("fnd", "x"), "did you mean find?"), (("rnu", "x"), "did you mean run?"),
                                  (("find", "x", "--linkinglength", "3"), "did you mean --linking-length?"),
                                  (("run", "x", "--outptu=y"), "did you mean --output?")):
            self.assertIn(suggestion, self.run_program(*words, status=2))
        self.assertNotIn("did you mean", self.run_program("frobnicate", status=2))


if __name__ == "__main__":
    unittest.main()
