"""The stubs of the compiled modules name what these hold, and every public function tells about itself."""
import ast
import importlib
import inspect
import pathlib
import re
import subprocess
import sys

import pytest

import aureole


def stub_names(nodes):
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {node.name: node for node in nodes if isinstance(node, kinds) and not node.name.startswith("_")}


def public(holder):
    return {name for name in vars(holder) if not name.startswith("_")}


@pytest.mark.parametrize("name", ["_core", "_run"])
def test_stub_names_what_the_module_holds(name):
    module = importlib.import_module("aureole." + name)
    stub = stub_names(ast.parse((pathlib.Path(aureole.__file__).parent / f"{name}.pyi").read_text()).body)
    assert set(stub) == public(module)
    for one, node in stub.items():
        if isinstance(node, ast.ClassDef):
            assert set(stub_names(node.body)) == public(getattr(module, one)), one


@pytest.mark.parametrize("name", ["_core", "_run"])
def test_stub_is_what_nanobind_writes(name, tmp_path):
    pytest.importorskip("nanobind.stubgen")
    made = tmp_path / f"{name}.pyi"
    subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "aureole." + name, "-o", str(made)], check=True)
    assert made.read_text() == (pathlib.Path(aureole.__file__).parent / f"{name}.pyi").read_text()


#: what stubtest says of functions and classes that nanobind made, whatever the stub says; Python 3.13 takes the signature of each
#: of its functions for (*args, **kwargs)
OF_NANOBIND = re.compile(r"is not a function$|is a disjoint base at runtime|is inconsistent, metaclass differs$|"
                         + ("" if sys.version_info >= (3, 13) else "__init__ ") + r"is inconsistent, stub does not have \*args")


def test_stubtest_of_mypy_finds_no_other_fault(tmp_path):
    pytest.importorskip("mypy.stubtest")
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "aureole._core", "aureole._run"], capture_output=True, text=True,
                          cwd=tmp_path)
    errors = [line for line in done.stdout.splitlines() if line.startswith("error: ")]
    assert "checked 2 modules" in done.stdout, done.stdout + done.stderr
    assert [line for line in errors if not OF_NANOBIND.search(line)] == []


def test_package_is_marked_as_typed():
    assert (pathlib.Path(aureole.__file__).parent / "py.typed").exists()


@pytest.mark.parametrize("name", sorted(set(aureole.__all__) - {"num_threads", "set_num_threads"}))
def test_public_names_are_documented(name):
    if name in ("DBSCAN", "FriendsOfFriends", "HDBSCAN", "SingleLinkage", "patch_sklearn", "unpatch_sklearn"):
        pytest.importorskip("sklearn")
    if name == "watch":
        pytest.importorskip("anywidget")
    found = getattr(aureole, name)
    assert inspect.getdoc(found)
    if inspect.isfunction(found):  # every argument is told, by its own line or with others
        text = inspect.getdoc(found)
        missing = [one for one in inspect.signature(found).parameters if one not in text]
        assert not missing
