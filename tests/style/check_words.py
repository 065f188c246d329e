"""Plain words: no private vocabulary in comments, strings (messages, help texts, docstrings) and pages; some words
neither in names of files, types, functions and variables. CONTRIBUTING.md says why; a word that has a literal use stands
here only in the combination that is private.
usage: check_words.py ROOT"""
import io
import pathlib
import re
import sys
import tokenize

CODE = {".hpp", ".cuh", ".cpp", ".cu", ".cmake", ".py"}
OUTSIDE = ("build", "demo_output", ".", "tests/style/check_words.py", "tests/fuzz/corpus")
WORDS = {
    r"nobody|whoever|somebody|everybody": "name the component that acts",
    r"twins?": "CPU and GPU implementation",
    r"the house|(public|one|single) doors?|(x|cpp|a) (is a )?door\b|\w+'s doors?": "the code base; an entry point",
    r"each room|other rooms|rooms of|per room|aureole_room": "module",
    r"resident": "on the device",
    r"cadences?": "output schedule",
    r"same bits": "bit for bit",
    r"numbers that cannot be true": "unphysical values",
    r"how wrong (they|it|forces)": "the error of",
    r"largest pull|pull of": "acceleration",
    r"(come|comes|came) home": "are copied to the host",
    r"puts? (every|the|each) question": "query",
}
# nor in any name: ranks that serve forces, candidates that compete for points, mergers of comparable halos
NAMES = re.compile(r"(?<![A-Za-z])(?:crew|contest|rival)|Crew|Contest|Rival")
PATTERN = {re.compile(rf"\b(?:{word})\b", re.I): instead for word, instead in WORDS.items()}
# a comment of C++ up to the end of its line, or a string
SPOKEN = re.compile(r'//.*|"(?:[^"\\\n]|\\.)*"')
INCLUDE = re.compile(r"^\s*#\s*include\b")


def prose_of_python(text):
    """Comments and strings, docstrings among them, line by line."""
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in kinds:
            yield from enumerate(token.string.splitlines(), token.start[0])


def prose_of(file):
    text = file.read_text(errors="replace")
    if file.suffix == ".md":
        yield from enumerate(text.splitlines(), 1)
    elif file.suffix == ".py":
        yield from prose_of_python(text)
    elif file.suffix == ".cmake":
        yield from ((number, line[line.index("#"):]) for number, line in enumerate(text.splitlines(), 1) if "#" in line)
    else:
        for number, line in enumerate(text.splitlines(), 1):
            if not INCLUDE.match(line):
                yield from ((number, found) for found in SPOKEN.findall(line))


def faults_in(root):
    for file in sorted(root.rglob("*")):
        name = file.relative_to(root).as_posix()
        if name.startswith(OUTSIDE) or file.suffix not in CODE | {".md"}:
            continue
        private = NAMES.search(name)
        if private:
            yield f"{name}: '{private[0]}' in a name, expected the field's word"
        for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
            for private in NAMES.finditer(line):
                yield f"{name}:{number}: '{private[0]}', expected the field's word"
        for number, line in prose_of(file):
            for pattern, instead in PATTERN.items():
                found = pattern.search(line)
                if found:
                    yield f"{name}:{number}: '{found[0]}', expected plain words ({instead})"


if __name__ == "__main__":
    faults = list(faults_in(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(faults) or "words hold")
    sys.exit(bool(faults))
