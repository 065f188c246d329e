"""The lines of Python that pages show, typed by a new user: the first screen of the site, and those of docs/python.md."""
import contextlib
import io
import pathlib
import re

import numpy as np
import pytest
from conftest import clumps

import aureole

DOCS = pathlib.Path(__file__).parents[2] / "docs"
pytestmark = pytest.mark.skipif(not (DOCS / "index.md").exists(), reason="the pages are not here")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the snapshot that pages name: clumps in a periodic box."""
    h5py = pytest.importorskip("h5py")
    pos, random = 100 * (clumps(5, 4096, spread=0.01) % 1.0), np.random.default_rng(5)
    with h5py.File(tmp_path / "snapshot_010.hdf5", "w") as file:
        header = file.create_group("Header").attrs
        header["NumPart_ThisFile"] = header["NumPart_Total"] = np.array([0, 4096, 0, 0, 0, 0], np.uint32)
        header["NumPart_Total_HighWord"] = np.zeros(6, np.uint32)
        header["MassTable"] = np.zeros(6)
        header.update({"Time": 1.0, "Redshift": 0.0, "BoxSize": 100.0, "NumFilesPerSnapshot": 1, "Omega0": 0.3, "OmegaLambda": 0.7,
                       "HubbleParam": 0.7})
        file.create_group("Parameters").attrs.update({"UnitLength_in_cm": 3.085678e24, "UnitMass_in_g": 1.989e43,
                                                      "UnitVelocity_in_cm_per_s": 1e5})
        part = file.create_group("PartType1")
        part["Coordinates"], part["Velocities"] = pos, 50 * random.normal(size=pos.shape)
        part["ParticleIDs"] = np.arange(1, 4097, dtype=np.uint32)
        part["Masses"] = np.full(4096, 27.7536627 * 0.3 * 1e6 / 4096)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_first_screen_of_the_site_leads_to_halos_in_five_lines(folder):
    block = re.search("^```console\n(.*?)^```", (DOCS / "index.md").read_text(), re.M | re.S)[1].splitlines()
    assert block[0].startswith("$ pip install") and len(block) == 5
    lines = [line.removeprefix(">>> ") for line in block[1:]]
    printed, names = io.StringIO(), {}
    with contextlib.redirect_stdout(printed):
        exec("\n".join(lines), names)
    assert len(names["halos"]) >= 5 and "GroupMass" in printed.getvalue()


def test_command_of_the_first_screen_finds_the_same_halos(folder, program):
    block = re.search(r"^\$ (aureole find .*?)^```", (DOCS / "index.md").read_text(), re.M | re.S)[1]
    program(*block.replace("\\\n", "").split()[1:])
    found = aureole.Catalogue.read(next((folder / "halos").glob("fof_subhalo_tab_*.hdf5")))
    assert np.array_equal(found["GroupLen"], aureole.find_halos(aureole.load("snapshot_010.hdf5"), b=0.2)["GroupLen"])


def test_lines_of_the_page_on_python_run(folder):
    """All indented blocks, in order, in one session; lines that leave something out (...), and pip, are not typed."""
    pytest.importorskip("astropy"), pytest.importorskip("sklearn")
    pos = 100 * (clumps(3, 800) % 1.0)
    names = {"pos": pos, "vel": np.random.default_rng(1).normal(size=pos.shape), "mass": np.full(800, 1.0), "aureole": aureole,
             "X": clumps(1, 300, 2)}
    (folder / "run.yaml").write_text("initial_conditions: {model: plummer, particles: 50, mass: 1, scale_radius: 1}\n"
                                     "integrator: {timestep: 0.1}\nrun: {end_time: 1}\n")
    names["x"] = np.array([[1.0, 2.0, 3.0]])
    typed = 0
    for block in re.findall(r"(?:^    .*\n(?:^\n(?=    ))?)+", (DOCS / "python.md").read_text(), re.M):
        code = re.sub("^    ", "", block, flags=re.M)
        lines = [line for line in code.splitlines() if not line.startswith(("pip ", "field.to_")) and "{...}" not in line
                 and '"model": "nfw", ...' not in line]
        code = "\n".join(lines).replace("scale_radius=3.5", "scale_radius=30.0").replace("timestep=0.01", "timestep=1.0")
        with contextlib.redirect_stdout(io.StringIO()):
            exec(code, names)
        typed += len(lines)
    assert typed > 20


def test_reference_of_headers_tells_what_is_public_and_leaves_out_the_rest(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS.parent / "scripts"))
    pages = pytest.importorskip("cpp_pages")
    lines = pages.header_section("sample.hpp", """\
// What the file
// is about.
#pragma once
#define TWO(a) \\
    a
namespace some {
class Later;
namespace detail { int hidden(); }
namespace { int secret(); }
/// Adds. [0, n) <b>.
template <class T>
inline T sum(const std::vector<T>& of, T start = {}) { return go(of, [&] { return '}'; }); }
class Finder : public Base {
    int private_too_;
public:
    explicit Finder(int a) : a_{a}, b_("};") {}
    /// Looks.
    virtual int find(int at,
                     int more) const = 0;  ///< quickly
private:
    int a_ = 0;
};
enum class Kind { one, two };  ///< kinds
inline constexpr double parts[] = {1, 2};
using Index = unsigned;
}  // namespace some
""")
    text = "\n".join(lines)
    assert lines[2] == "What the file is about."
    assert [line[4:] for line in lines if line.startswith("### ")] == ["sum", "Finder", "Kind", "parts", "Index"]
    assert "// Adds. [0, n) <b>.\ntemplate <class T>\ninline T sum(const std::vector<T>& of, T start = {});" in text
    assert "explicit Finder(int a);" in text and "// Looks." in text and "const = 0;  // quickly" in text
    for left_out in ("private", "a_", "hidden", "secret", "Later", "TWO", "return"):
        assert left_out not in text, left_out
    pages.write_pages(DOCS.parent, tmp_path)
    assert "virtual std::size_t scratch_bytes(Backend where" in (tmp_path / "cpp_halo.md").read_text()
