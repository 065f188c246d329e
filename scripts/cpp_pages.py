"""Pages of the C++ reference: the declarations of public headers with what their comments say, one page for each module.

A header is read as text: what stands in `namespace detail` or in no name, private members, bodies and preprocessor lines are
left out. `write_pages(ROOT, FOLDER)` writes cpp_MODULE.md for each module, and cpp.md, which lists them."""
import re
from typing import NamedTuple

#: the headers that users of the installed library begin with; what they include tells the rest
HEADERS = {
    "core": ["backend", "vec3", "particles_view", "particles", "buffer", "progress", "error", "units", "random", "spatial/box",
             "settings", "registry"],
    "halo": ["finder", "groups", "groups_view", "fof/friends_of_friends", "spanning_tree/spanning_tree",
             "spanning_tree/dendrogram", "spanning_tree/condensed_tree", "overdensity/overdensity", "centres/centres",
             "substructure/substructure", "catalogue/group_catalogue"],
    "gravity": ["solver", "force_request", "energy_terms", "softening", "solver_config", "solver_registry", "scf/expansion"],
    "integrators": ["integrator", "leapfrog", "clock"],
    "ics": ["make_initial_conditions", "component", "model"],
    "cosmology": ["background", "growth", "linear_spectrum", "mass_function"],
    "density": ["grid", "deposit/deposit", "octree/octree", "points/sheet_points"],
    "io": ["snapshots/snapshot", "snapshots/snapshot_writer", "halos/catalogue_file", "fields/grid_file"],
    "run": ["simulation", "runner"],
}
FOLDERS = {name: f"sim/{name}" for name in ("core", "io", "run")}


class Declaration(NamedTuple):
    kind: str  # "scope", "access", "type", "enum", "function" or "value"
    name: str
    comment: list  # lines before it, without slashes
    head: str      # up to its body, or the whole
    body: str      # of a namespace, type or enum
    behind: list   # lines of the comment behind it


def closing(text, at):
    """Behind the bracket that closes the one at text[at]."""
    depth = 0
    for found in re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|[{}()\[\]]').finditer(text, at):
        depth += {"{": 1, "(": 1, "[": 1, "}": -1, ")": -1, "]": -1}.get(found[0], 0)
        if depth == 0:
            return found.end()
    raise ValueError(f"no bracket closes that of: {text[at:at + 60]!r}")


def declarations(text):
    """Those of one scope, in order. `text`: the inside of a file, namespace or type."""
    found, comment, at = [], [], 0
    while at < len(text):
        line_end = text.find("\n", at)
        line = text[at:line_end if line_end >= 0 else len(text)]
        if text[at] in " \t\n;}":
            at += 1
        elif line.startswith("///<"):
            if found:
                found[-1].behind.append(line[4:].strip())
            at += len(line)
        elif line.startswith("//"):
            comment = [*comment, line[3:].strip()] if line.startswith("///") else []
            at += len(line)
        elif line.startswith("#"):
            at += len(re.match(r"#(?:[^\n\\]|\\.|\\\n)*", text[at:])[0])
            comment = []
        elif access := re.match(r"(public|protected|private)\s*:", line):
            found.append(Declaration("access", access[1], [], "", "", []))
            at += access.end()
        else:
            one, at = declaration(text, at, comment)
            found.append(one)
            comment = []
    return found


SCOPE = re.compile(r"(?:inline )?namespace\b\s*([\w:]*)")
TYPE = re.compile(r"(?:template\s*<.*?>\s*)?(class|struct|union|enum(?: class)?)\s+(?:alignas\([^)]*\)\s*)?([\w:]+)[^()=;]*$", re.S)


def declaration(text, at, comment):
    """The declaration that begins at text[at], and where the next one does."""
    begin, head = at, ""
    stop = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|[;{(\[]')
    while True:
        met = stop.search(text, at)
        if met is None:
            raise ValueError(f"no end of the declaration: {text[begin:begin + 80]!r}")
        if met[0] in "([":
            at = closing(text, met.start())
        elif met[0] == ";":
            head = text[begin:met.start()]
            return of_head(head, comment), met.end()
        elif met[0] == "{":
            head, end = text[begin:met.start()].strip(), closing(text, met.start())
            body = text[met.start() + 1:end - 1]
            if scope := SCOPE.match(head):
                return Declaration("scope", scope[1], [], head, body, []), end
            if kind := TYPE.match(head):
                end = text.index(";", end) + 1
                return Declaration("enum" if kind[1].startswith("enum") else "type", kind[2], comment, head, body, []), end
            if is_function(head):
                return of_head(re.sub(r"\)([\w\s]*):(?!:).*", r")\1", head, count=1, flags=re.S), comment), end
            at = end  # the value of a variable
        else:
            at = met.end()


def is_function(head):
    return "(" in head and "=" not in re.sub(r"operator\s*\W+\(|<[^()]*>|\([^()]*\)", "", head).split("(")[0]


def of_head(head, comment):
    head = head.strip()
    if is_function(head) and not head.startswith("using "):
        name = re.search(r"(operator\s*\W+?|~?\w+)\s*\(", re.sub(r"^template\s*<.*?>\s*(?=\w)", "", head, flags=re.S))
        return Declaration("function", name[1] if name else "", comment, head, "", [])
    name = re.search(r"(\w+)\s*(?:\[[^\]]*\])?\s*(?:[={].*)?$", head, re.S)
    if head.startswith("using "):
        name = re.match(r"using\s+([\w:]+)", head)
    return Declaration("value", name[1] if name else "", comment, head, "", [])


def lines_of(one, indent=""):
    """A declaration as code, its comments as they stand there."""
    lines = [f"{indent}// {line}".rstrip() for line in one.comment]
    head = [indent + part for part in dedent(one.head)]
    if one.kind in ("function", "value"):
        head[-1] += ";"
        if len(one.behind) == 1 and len(head[-1]) + len(one.behind[0]) < 110:
            head[-1] += f"  // {one.behind[0]}"
        else:
            lines += [f"{indent}// {line}" for line in one.behind]
        return lines + head
    if one.kind == "enum":
        inside = [indent + "    " + part.replace("///<", "//") for part in dedent(one.body)]
    else:
        inside = members(one, indent + "    ")
    return [*lines, *head, indent + "{", *inside, indent + "};"]


def members(one, indent):
    """The public ones, and those that a derived class may use."""
    lines, access = [], "private" if TYPE.match(one.head)[1] == "class" else "public"
    for member in declarations(one.body):
        if member.kind == "access":
            access = member.name
        elif access != "private" and not member.head.startswith("friend "):
            if lines and (member.comment or member.kind == "type"):
                lines.append("")
            lines += lines_of(member, indent)
    return lines


def dedent(text):
    """Its lines; those that go on where the first of a declaration broke off stand a step further in."""
    lines = [line.strip() for line in text.strip().split("\n") if line.strip()]
    opened = [0]
    for line in lines:
        opened.append(opened[-1] + sum(line.count(one) for one in "(<") - sum(line.count(one) for one in ")>"))
    return [line if depth <= 0 else "    " + line for line, depth in zip(lines, opened)]


def public(found):
    """Declarations outside of `detail` and of namespaces without a name."""
    for one in found:
        if one.kind != "scope":
            yield one
        elif one.name and not one.name.endswith("detail"):
            yield from public(declarations(one.body))


def plain(text):
    """Text that Markdown leaves as it is."""
    return re.sub(r"([\\`*_\[\]<>{}$#|])", r"\\\1", text)


def header_section(path, text):
    about = " ".join(line.lstrip("/ ") for line in re.match(r"(?:[ \t]*//.*\n)*", text)[0].splitlines())
    lines, named = [f"## {path}", "", plain(about), ""], {}
    for one in public(declarations(text)):
        if one.kind != "access" and "::" not in one.name and one.name != "PrintTo" and (one.body.strip() or not re.match(r"(class|struct) \w+$", one.head)):
            named.setdefault(one.name, []).append(one)
    if not named:
        raise ValueError(f"{path}: found no declaration, expected some in a public header")
    for name, same in named.items():
        code = "\n\n".join("\n".join(lines_of(one)) for one in same)
        lines += [f"### {plain(name)}", "", "```cpp", code, "```", ""]
    return lines


def write_pages(root, folder):
    for module, names in HEADERS.items():
        place = FOLDERS.get(module, module)
        page = [f"# {module}", "", f"`#include \"{place}/...\"`, target `aureole::{place.replace('/', '_')}`.", ""]
        for name in names:
            page += header_section(f"{place}/{name}.hpp", (root / place / f"{name}.hpp").read_text())
        (folder / f"cpp_{module}.md").write_text("\n".join(page) + "\n")
    page = ["# C++ reference", "", "The headers with which users of the installed library begin "
            "([installing](../installing.md) tells how to link it), module by module, as their comments tell. What is private, and "
            "bodies, are left out; `AUREOLE_HD` marks what kernels of a GPU may call, too. The interfaces may change between "
            "versions 0.x.", "",
            "```{toctree}", *(f"cpp_{module}" for module in HEADERS), "```"]
    (folder / "cpp.md").write_text("\n".join(page) + "\n")
