"""Plain words: no private vocabulary in comments, pages and help texts. CONTRIBUTING.md says why; a word that has a
literal use stands here only in the combination that is private.
usage: check_words.py ROOT"""
import pathlib
import re
import sys

CODE = {".hpp", ".cuh", ".cpp", ".cu", ".cmake", ".py"}
OUTSIDE = ("build", "demo_output", ".", "tests/style/check_words.py", "tests/fuzz/corpus")
WORDS = {
    r"nobody|whoever|somebody": "name the component that acts",
    r"twins?": "CPU and GPU implementation",
    r"the house|(public|one|single) doors?|(x|cpp|a) (is a )?door\b": "the code base; an entry point",
    r"each room|other rooms|rooms of|per room|aureole_room": "module",
    r"resident": "on the device",
    r"cadences?": "output schedule",
    r"same bits": "bit for bit",
    r"numbers that cannot be true": "unphysical values",
    r"how wrong (they|it|forces)": "the error of",
    r"largest pull|pull of": "acceleration",
    r"puts? (every|the|each) question": "query",
}
PATTERN = {re.compile(rf"\b(?:{word})\b", re.I): instead for word, instead in WORDS.items()}
COMMENT = {"//": re.compile(r"//.*"), "#": re.compile(r'#.*|""".*')}


def prose_of(file):
    text = file.read_text(errors="replace")
    if file.suffix == ".md":
        yield from enumerate(text.splitlines(), 1)
        return
    comment = COMMENT["#" if file.suffix in {".py", ".cmake"} else "//"]
    for number, line in enumerate(text.splitlines(), 1):
        found = comment.search(line)
        if found:
            yield number, found[0]


def faults_in(root):
    for file in sorted(root.rglob("*")):
        name = file.relative_to(root).as_posix()
        if name.startswith(OUTSIDE) or file.suffix not in CODE | {".md"}:
            continue
        for number, line in prose_of(file):
            for pattern, instead in PATTERN.items():
                found = pattern.search(line)
                if found:
                    yield f"{name}:{number}: '{found[0]}', expected plain words ({instead})"


if __name__ == "__main__":
    faults = list(faults_in(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(faults) or "words hold")
    sys.exit(bool(faults))
