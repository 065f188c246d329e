"""`aureole forces --compare direct`: the table it prints, what has no relative error, and what it refuses."""
import math
import re
import unittest

import h5py
import numpy as np

from aureole_program import ProgramTest, real_data


class Numbers(ProgramTest):
    """Numbers that leave the range: an error that names the particle, and no file; in tables nan."""

    def test_forces_are_checked_as_those_of_a_run(self):
        pair = "1 1 0 0 0 0 0 0\n2 1 {} 0 0 0 0 0\n"
        for x, words, options in (("1e-200", "expected finite numbers", ("--softening", "0")),
                                  ("1e300", "expected positions within 1e+100", ("--softening", "0")),
                                  ("1e300", "expected positions within 4.5e+14", ("--softening", "0.1")),
                                  ("1e15", "expected positions within 4.5e+14", ("--softening", "0.1")),
                                  ("1e300", "expected positions within 1e+100", ())):
            table = self.write("pair.txt", pair.format(x))
            for solver in ("direct", "tree"):
                line = self.refused("forces", table, "--solver", solver, "-o", "f.hdf5", "--device", "cpu", *options)
                self.assertIn("(id ", line)
                self.assertIn(words, line)
                self.assertFalse((self.folder / "f.hdf5").exists())
        self.run_program("forces", table, "--compare", "direct", status=1)
        self.run_program("forces", self.write("pair.txt", pair.format("1e90")), "-o", "f.hdf5", "--softening", "0")

    def test_an_expansion_of_numbers_without_range_ends_with_an_error(self):
        far = "".join(f"{k + 1} {{m}} {math.cos(2.4 * k)}{{e}} {math.sin(2.4 * k)}{{e}} 0 0 0 0\n" for k in range(60))
        for mass, power in (("1", "e160"), ("1e300", "e-300"), ("1e308", "")):
            table = self.write("far.txt", far.format(m=mass, e=power))
            for options in ((), ("--centre-on", "shrinking_sphere")):
                text = self.run_program("expand", table, "-o", "c.hdf5", *options, status=1, timeout=60)
                self.assertIn("aureole: ", text)
                self.assertNotIn("nan", text)
                self.assertFalse((self.folder / "c.hdf5").exists())
        table = self.write("far.txt", far.format(m="5e-324", e=""))
        for options in ((), ("--centre-on", "shrinking_sphere")):
            text = self.run_program("expand", table, "-o", "c.hdf5", *options, timeout=60)
            self.assertNotIn("nan", text)

    def test_tables_hold_no_infinity(self):
        rows = "".join(f"{k + 1} 1e300 {0.1 * k} {0.01 * k} 0 {k % 3}e160 0 0\n" for k in range(40))
        table = self.write("hot.txt", rows)
        for command, name in ((("profile", table, "--centre", "0,0,0", "-o", "p.csv"), "p.csv"),
                              (("find", table, "--absolute-linking-length", "0.3", "-o", "out", "--csv", "g.csv"),
                               "g.csv")):
            text = self.run_program(*command)
            self.assertRegex(text, "note: infinite values of .* are written as nan")
            self.assertNotRegex((self.folder / name).read_text().split("\n", 1)[1], "inf|-nan")


class ForcesComparison(ProgramTest):
    def sphere(self):
        config = self.write("sphere.yaml", "initial_conditions: {model: plummer, particles: 500}\n")
        self.run_program("ics", config, "-o", "start.hdf5")
        return "start.hdf5"

    def errors(self, text):
        """The table: {quantity: [median, 90 %, 99 %, 99.9 %, largest]}."""
        rows = re.findall(r"^(acceleration|potential) +(.*)$", text, re.M)
        return {name: [float(number) for number in numbers.split()] for name, numbers in rows}

    def test_it_prints_percentiles_and_writes_nothing_unless_asked(self):
        text = self.run_program("forces", self.sphere(), "--softening", "0.05", "--compare", "direct",
                                "--sample", "200")
        self.assertRegex(text, r"(?m)^particles +N = 500, sampled K = 200, seed 1$")
        self.assertRegex(text, r"(?m)^softening +0.05 \(plummer\)$")
        self.assertRegex(text, r"(?m)^seconds +direct [\d.e-]+ for all( \(at first [\d.e-]+\))?, "
                               r"direct sum [\d.e-]+ for the sampled$")
        self.assertRegex(text, r"(?m)^error +median +90 % +99 % +99.9 % +largest$")
        for errors in self.errors(text).values():
            self.assertEqual(errors, sorted(errors))
            self.assertEqual(len(errors), 5)
            self.assertTrue(0 < errors[0] and errors[4] < 1e-5, text)
        self.assertEqual(len(self.errors(text)), 2)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["sphere.yaml", "start.hdf5"])

    def test_it_repeats_its_errors_and_another_seed_samples_others(self):
        start = self.sphere()
        of_seed = [self.errors(self.run_program("forces", start, "--softening", "0.05", "--compare", "direct",
                                                "--sample", "50", "--set", f"seed={seed}")) for seed in (1, 1, 2)]
        self.assertEqual(of_seed[0], of_seed[1])
        self.assertNotEqual(of_seed[0], of_seed[2])

    def test_of_the_expansion_it_is_that_of_the_forces_it_writes(self):
        start = self.sphere()
        text = self.run_program("forces", start, "--solver", "scf", "--softening", "0.05", "-o", "scf.hdf5",
                                "--compare", "direct", "--sample", "100000")
        self.assertIn("sampled K = 500,", text)
        self.assertIn("of the direct sum; scf has none", text)
        self.assertRegex(text, r"(?m)^seconds +scf [\d.e-]+ for all \(at first [\d.e-]+\)")
        self.run_program("forces", start, "--softening", "0.05", "-o", "direct.hdf5", "--set", "precision=double")
        with h5py.File(self.folder / "scf.hdf5") as a, h5py.File(self.folder / "direct.hdf5") as b:
            exact = b["Accelerations"][:]
            errors = np.linalg.norm(a["Accelerations"][:] - exact, axis=1) / np.linalg.norm(exact, axis=1)
        ranks = [250, 450, 495, 500, 500]
        np.testing.assert_allclose(self.errors(text)["acceleration"], np.sort(errors)[np.array(ranks) - 1], rtol=1e-3)

    def test_it_tells_targets_without_pull_apart(self):
        table = self.write("row.txt", "1 1 -1 0 0 0 0 0\n2 1 0 0 0 0 0 0\n3 1 1 0 0 0 0 0\n")
        text = self.run_program("forces", table, "--compare", "direct", "--set", "precision=double")
        self.assertRegex(text, r"(?m)^left out +1 target\(s\) where the direct acceleration is exactly zero; "
                               r"the solver's largest there is 0.000e\+00$")
        self.assertEqual(self.errors(text)["acceleration"], [0] * 5)

    def test_of_what_is_not_finite_it_fails_and_names_the_first_particle(self):
        table = self.write("heavy.txt", "5 1 9 9 9 0 0 0\n6 1e200 1e-100 0 0 0 0 0\n7 1e200 0 0 0 0 0 0\n")
        text = self.run_program("forces", table, "--compare", "direct", "--set", "precision=double",
                                "--device", "cpu", status=1)
        self.assertRegex(text, r"(?m)^not finite +2 target\(s\)")
        self.assertEqual(self.errors(text)["acceleration"][4], float("inf"))
        self.assertIn("particle 1 (id 6)", text)

    def test_forces_of_a_box_are_those_of_all_images(self):
        box = real_data("fof/psi_snapshot_010")
        options = ("--softening", "0.01", "--device", "cpu")
        text = self.run_program("forces", box, "--solver", "treepm", "--compare", "direct", "--sample", "20", *options)
        self.assertRegex(text, r"(?m)^box +40, periodic$")
        self.assertLess(self.errors(text)["acceleration"][4], 1e-3)
        self.assertLess(self.errors(text)["potential"][4], 1e-3)
        self.assertIn("the box is periodic with side 40", self.refused("forces", box, "-o", "f.hdf5", "--solver", "tree"))
        self.assertIn("32768 particles (treepm,", self.run_program("forces", box, "-o", "f.hdf5", "--solver", "auto", *options))
        self.run_program("forces", box, "-o", "f.hdf5", "--solver", "tree", "--as-isolated", *options)

    def test_periodic_and_comoving_files_are_refused_unless_taken_as_isolated(self):
        box = real_data("fof/psi_snapshot_010")
        line = self.refused("expand", box, "-o", "c.hdf5")
        self.assertIn("--as-isolated", line)
        self.assertIn("comoving", line)
        self.run_program("expand", box, "-o", "c.hdf5", "--as-isolated")

    def test_a_file_with_particles_outside_its_box_is_refused(self):
        config = self.write("ball.yaml", "initial_conditions: {model: plummer, particles: 50}\n")
        self.run_program("ics", config, "-o", "box.hdf5")
        with h5py.File(self.folder / "box.hdf5", "a") as file:
            file["Header"].attrs["BoxSize"] = 0.1
        self.assertIn("has position", self.refused("forces", "box.hdf5", "--compare", "direct"))

    def test_the_softening_that_a_file_states_is_used_unless_another_is_given(self):
        start = self.sphere()
        with h5py.File(self.folder / start, "a") as file:
            file["Parameters"].attrs["SofteningComovingClass0"] = 0.25
        text = self.run_program("forces", start, "--compare", "direct")
        self.assertRegex(text, r"(?m)^softening +0.25 \(plummer\)$")
        self.assertIn("/Parameters/SofteningComovingClass0", text)
        text = self.run_program("forces", start, "--compare", "direct", "--softening", "0.05")
        self.assertRegex(text, r"(?m)^softening +0.05 \(plummer\)$")

    def test_comparisons_that_make_no_sense_are_refused(self):
        table = self.write("pair.txt", "7 2 0 0 0 0 0 0\n9 3 2 0 0 0 0 0\n")
        line = self.refused("forces", table, "--compare", "scf")
        self.assertIn("'scf', expected direct", line)
        for sample in ("0", "-3"):
            self.assertIn(f"found {sample}, expected at least 1",
                          self.refused("forces", table, "--compare", "direct", "--sample", sample))
        self.run_program("forces", table, "--compare", "direct", "--sample", "many", status=2)
        self.assertIn("--compare", self.run_program("forces", table, "-o", "out.hdf5", "--sample", "9", status=2))
        self.assertIn("--output or --compare", self.run_program("forces", table, status=2))

    def test_the_help_says_what_is_compared_and_timed(self):
        text = " ".join(self.run_program("forces", "--help").split())
        for words in ("--compare", "double precision", "--sample INT", "1000", "scf has none of its own", "wall-clock",
                      "second evaluation"):
            self.assertIn(words, text)


if __name__ == "__main__":
    unittest.main()
