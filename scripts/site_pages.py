"""Pages of the site that other texts make: every command's --help, and the list of the modules' pages.

usage: site_pages.py PROGRAM CHECKOUT"""
import pathlib
import re
import subprocess
import sys

program, root = sys.argv[1], pathlib.Path(sys.argv[2])
folder = root / "docs/generated"
folder.mkdir(exist_ok=True)


def help_of(*words):
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout


general = help_of()
commands = re.findall(r"^  (\w+)  ", general.split("Subcommands:")[1], re.M)
page = ["# Command line", "", "What `aureole COMMAND --help` prints. Examples stand in [commands](../commands.md).", ""]
for name, text in [("aureole", general), *((one, help_of(one)) for one in commands)]:
    page += [f"## {name}", "", "```text", text.strip(), "```", ""]
(folder / "commands.md").write_text("\n".join(page))

listed = set(re.findall(r"^\.\./(\S+)$", (root / "docs/index.md").read_text(), re.M))
tracked = subprocess.run(["git", "ls-files", "*README.md"], cwd=root, capture_output=True, text=True, check=True).stdout.split()
others = [path[:-3] for path in tracked if path[:-3] not in listed and not path.startswith("third_party")]
page = ["# Pages of the other modules", "", "```{toctree}", *(f"../../{path}" for path in others), "```", ""]
(folder / "modules.md").write_text("\n".join(page))
