"""load_trees() of a run, against its catalogues and the rules of its trees."""
import pathlib
import re
import shutil

import numpy as np
import pytest

import aureole

h5py = pytest.importorskip("h5py")
PAGE = pathlib.Path(__file__).parents[2] / "docs/merger_trees.md"


@pytest.fixture(scope="module")
def encounter(program, tmp_path_factory):
    """The example of the page, two galaxies that merge and a third one that passes by; and one far away, a tree of its own."""
    folder = tmp_path_factory.mktemp("trees")
    text = re.search(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL).group(1)
    alone = "    - {model: hernquist, particles: 300, mass: 0.3, scale_radius: 0.5, truncation_radius: 5, position: [400, 0, 0]}\n"
    (folder / "encounter.yaml").write_text(text.replace("gravity:", alone + "gravity:", 1))
    program("run", folder / "encounter.yaml", "-o", folder / "encounter")
    return folder / "encounter"


@pytest.fixture(scope="module")
def trees(encounter):
    return aureole.load_trees(encounter)


def test_halos_are_those_of_the_catalogues(encounter, trees):
    numbers = {int(file.stem[-3:]): aureole.Catalogue.read(file) for file in encounter.glob("fof_subhalo_tab_*.hdf5")}
    assert trees.halos.rows == sum(len(one.subhalos["SubhaloMass"]) for one in numbers.values()) > 50
    for row in range(trees.halos.rows):
        table = numbers[trees["SnapNum"][row]].subhalos
        assert trees["SubhaloLen"][row] == table["SubhaloLen"][trees["SubhaloNr"][row]]
    assert np.array_equal(trees.time_of(trees.roots), trees.times[trees["SnapNum"][trees.roots]])


def test_branches_are_tracks_and_lead_back_and_forth(trees):
    for root in trees.roots:
        branch = trees.main_branch(root)
        assert np.all(trees["TrackId"][branch] == trees["TrackId"][root]) and np.all(np.diff(trees.time_of(branch)) < 0)
        assert np.array_equal(trees.future(branch[-1]), branch[::-1])
        assert np.array_equal(trees.track(trees["TrackId"][root]), branch[::-1])
    for row in range(trees.halos.rows):
        before = trees.progenitors(row)
        assert np.array_equal(np.sort(before), np.flatnonzero(trees.descendant == row))
        assert trees.main_progenitor[row] in (-1, *before[:1])
        assert np.all(trees.tree[before] == trees.tree[row])


def test_mergers_are_what_the_tracks_say(trees):
    merged = [(track, into) for track, into in zip(trees.tracks["TrackId"], trees.tracks["MergedInto"]) if into >= 0]
    assert merged
    for track, into in merged:
        last = trees.track(into)[-1]
        assert trees.track(track)[-1] in trees.mergers(last)
    assert sum(len(trees.mergers(root)) for root in trees.roots) == len(merged)
    assert trees.tracks.to_pandas().shape[0] == trees.tracks.rows and len(trees) == trees.start.size - 1
    assert len(trees) > 1 and trees.start[-1] == trees.halos.rows
    assert repr(trees).startswith(f"<MergerTrees: {len(trees)} trees, {trees.halos.rows} halos")


def test_rows_and_tracks_that_are_not_there_are_refused(trees):
    for row in (-1, trees.halos.rows):
        with pytest.raises(aureole.ArgumentError, match=f"row: found {row}, expected one of the {trees.halos.rows} halos"):
            trees.main_branch(row)
    with pytest.raises(aureole.ArgumentError, match="track_id: found 99999"):
        trees.track(99999)


BAD = {"pointer": ("TreeHalos/TreeDescendant", 3, 10 ** 6, "/TreeHalos/TreeDescendant of row 3 is 1000000, expected -1 or less"),
       "length": ("TreeTable/Length", 0, 10 ** 6, "tree 0 has 1000000 halos from 0"),
       "start": ("TreeTable/StartOffset", 0, 5, "from 5, expected them from 0 on")}


@pytest.mark.parametrize("case", BAD)
def test_damaged_trees_are_refused_by_name(encounter, tmp_path, case):
    name, at, value, message = BAD[case]
    shutil.copy(encounter / "trees.hdf5", tmp_path)
    with h5py.File(tmp_path / "trees.hdf5", "r+") as file:
        file[name][at] = value
    with pytest.raises(aureole.FileError, match=re.escape(message)) as refused:
        aureole.load_trees(tmp_path)
    assert refused.value.path == str(tmp_path / "trees.hdf5")


def test_files_without_trees_are_refused(encounter, tmp_path):
    with pytest.raises(aureole.FileError, match="holds no trees of halos"):
        aureole.load_trees(next(encounter.glob("fof_subhalo_tab_*.hdf5")))
    with pytest.raises(aureole.FileError, match="trees.hdf5"):
        aureole.load_trees(tmp_path)


def test_branches_that_return_to_themselves_end(encounter, tmp_path):
    shutil.copy(encounter / "trees.hdf5", tmp_path)
    with h5py.File(tmp_path / "trees.hdf5", "r+") as file:
        file["TreeHalos/TreeMainProgenitor"][0] = 0
    with pytest.raises(aureole.ArgumentError, match="whose branch returns to itself"):
        aureole.load_trees(tmp_path / "trees.hdf5").main_branch(0)
