"""The modules of the package aureole that need none of its compiled code, for those who have not installed it."""
import importlib.util
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "python/aureole/interop"


def packaged(name):
    """The module aureole.interop.NAME from the sources beside this folder."""
    spec = importlib.util.spec_from_file_location("aureole_" + name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
