"""The console program `aureole`, which the package brings: the same command line as of a build from source."""
import os
import pathlib
import sys


def main():
    """Becomes the program, with the words of the command line."""
    program = pathlib.Path(__file__).parent / "bin" / "aureole"
    if not program.exists():
        sys.exit(f"{program}: the package was installed without the program; build from source gives it")
    os.execv(program, [str(program), *sys.argv[1:]])


if __name__ == "__main__":
    main()
