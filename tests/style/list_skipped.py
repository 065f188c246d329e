"""Lists what the last run of ctest did not run, and why: skipped tests by reason, long cases, tests on a GPU.
usage: list_skipped.py LastTest.log"""
import collections
import os
import pathlib
import re
import sys

START = re.compile(r"^\d+/\d+ Test: (\S+).*$", re.M)
# a process may have run several tests: its output names the one after the reason
REASON = re.compile(r"^\S+:\d+: Skipped\n(.*)(?:\n(?!\[).*)*\n\[  SKIPPED \] ([^\s,]+)|"
                    r"^\S+:\d+: Skipped\n(.*)|\.\.\. skipped ['\"](.*)['\"]$", re.M)
BACKENDS = re.compile(r"^backends:(.*)$", re.M)


def skipped(log):
    """Reason -> names of the tests that gave it."""
    reasons = collections.defaultdict(list)
    parts = START.split(log)
    for name, text in zip(parts[1::2], parts[2::2]):
        for match in REASON.finditer(text):
            reasons[(match[1] or match[3] or match[4]).strip()].append(match[2] or name)
    return reasons


def report(log):
    reasons = skipped(log)
    lines = [f"skipped: {len(names)} test{'s'[:len(names) > 1]}, as {names[0]}: {reason}"
             for reason, names in sorted(reasons.items())]
    if not any("cuda" in found for found in BACKENDS.findall(log)):
        lines.append("not run: every test on a GPU, since no CUDA device answered (scripts/gpu_check runs them)")
    if not os.environ.get("AUREOLE_LONG_TESTS"):
        lines.append("not run: the long cases on the CPU (scripts/test --long and scripts/gpu_check run them)")
    return lines


if __name__ == "__main__":
    print("\n".join(report(pathlib.Path(sys.argv[1]).read_text(errors="replace"))))
