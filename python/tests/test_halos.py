"""find_halos: the same numbers as the program's, and what the catalogue offers."""
import numpy as np
import pytest
from conftest import partition, text_table

import aureole

h5py = pytest.importorskip("h5py")


@pytest.fixture(scope="module")
def text_file(points, tmp_path_factory):
    return text_table(tmp_path_factory.mktemp("points") / "points.txt", **points)


def program_tables(program, file, folder, *options):
    """The catalogue that the program writes, in the run's own units (G = 1)."""
    program("find", file, "-o", folder, "--units", "nbody", "--set", "output.units=run", *options)
    with h5py.File(next(folder.glob("fof_subhalo_tab_*.hdf5"))) as found:
        return {name: found[kind][name][:] for kind in ("Group", "Subhalo") if kind in found for name in found[kind]}


@pytest.mark.parametrize("options, arguments", [
    (["--absolute-linking-length", "0.02", "--open"], {"linking_length": 0.02}),
    (["--linking-length", "0.3", "--box", "1", "--min-members", "10", "--centre", "mass"],
     {"b": 0.3, "box": 1.0, "min_members": 10, "centre": "mass"}),
    (["--absolute-linking-length", "0.02", "--open", "--reference-density", "200", "--overdensities", "200c,vir"],
     {"linking_length": 0.02, "reference_density": 200.0, "overdensities": ["200c", "vir"]}),
    (["--absolute-linking-length", "0.03", "--open", "--substructure", "--softening", "0.001"],
     {"linking_length": 0.03, "substructure": True, "softening": 0.001}),
    (["--absolute-linking-length", "0.03", "--open", "--linking-velocity", "2"],
     {"linking_length": 0.03, "linking_velocity": 2.0}),
])
def test_catalogue_has_the_bits_of_the_program(program, points, text_file, tmp_path, options, arguments):
    theirs = program_tables(program, text_file, tmp_path, *options)
    ours = aureole.find_halos(**points, **arguments, ids=np.arange(len(points["pos"])))
    tables = [ours.columns] + ([ours.subhalos] if ours.subhalos is not None else [])
    assert len(ours) > 3
    compared = 0
    for table in tables:
        for name, values in table.items():
            if name in theirs and not name.endswith(("FirstSub", "Nsubs")):
                stored = values if theirs[name].dtype.kind in "iu" else values.astype(theirs[name].dtype)
                assert np.array_equal(stored, theirs[name], equal_nan=values.dtype.kind == "f"), name
                compared += 1
    assert compared > 15


def test_labels_are_those_of_the_program(program, points, text_file, tmp_path):
    program("find", text_file, "--absolute-linking-length", "0.02", "--labels", tmp_path / "labels.hdf5", "--units", "nbody")
    with h5py.File(tmp_path / "labels.hdf5") as found:
        assert np.array_equal(aureole.find_halos(points["pos"], 0.02).labels, found["GroupIDs"][:])


def test_members_and_columns_describe_the_same_particles(points):
    found = aureole.find_halos(**points, linking_length=0.02, substructure=True)
    for row, halo in enumerate(found):
        assert np.array_equal(halo.particles, np.flatnonzero(found.labels == row))
        assert halo.mass == pytest.approx(points["mass"][halo.particles].sum(), rel=1e-12)
        mean = np.average(points["vel"][halo.particles], axis=0, weights=points["mass"][halo.particles])
        assert np.allclose(halo.velocity, mean, rtol=1e-9, atol=1e-12)
        assert set(halo.subhalos) == set(np.flatnonzero(found.subhalos["SubhaloGroupNr"] == row))
    assert sorted(found.order) == list(range(len(points["pos"])))
    assert partition(found.labels) == partition(aureole.group_labels(points["pos"], 0.02, min_members=20))


def test_gravitational_constant_enters_velocities_and_energies(points):
    one, four = (aureole.find_halos(**points, linking_length=0.02, G=g) for g in (1.0, 4.0))
    assert np.allclose(four["GroupVmax"], 2 * one["GroupVmax"], rtol=1e-12, atol=0)
    assert np.allclose(four["GroupPotentialEnergy"], 4 * one["GroupPotentialEnergy"], rtol=1e-12, atol=0)
    assert np.array_equal(four["GroupKineticEnergy"], one["GroupKineticEnergy"])


def test_columns_of_motion_need_velocities(points):
    still = aureole.find_halos(points["pos"], 0.02)
    assert "GroupVel" not in still.columns and "GroupMass" in still.columns
    with pytest.raises(aureole.ArgumentError, match="substructure"):
        aureole.find_halos(points["pos"], 0.02, substructure=True)


def test_tables_convert(points):
    found = aureole.find_halos(**points, linking_length=0.02)
    pandas = pytest.importorskip("pandas")
    frame = found.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == len(found)
    assert np.array_equal(frame["GroupPos_1"], found["GroupPos"][:, 1])
    pytest.importorskip("astropy")
    table = found.to_astropy()
    assert len(table) == len(found) and table["GroupMass"].info.description


def test_summary_and_html_list_ten_halos(points):
    found = aureole.find_halos(**points, linking_length=0.04, min_members=2)
    assert len(found) > 10
    assert len(found.summary().splitlines()) == 12 and f"{len(found)} halos" in repr(found)
    assert found._repr_html_().count("<tr>") == 11


def test_names_and_rows_that_are_not_there_say_what_is(points):
    found = aureole.find_halos(**points, linking_length=0.02)
    with pytest.raises(KeyError, match="GroupMass"):
        found["Mass"]
    with pytest.raises(AttributeError, match="GroupMass"):
        found[0].R200c
    with pytest.raises(IndexError, match=f"there are {len(found)}"):
        found[len(found)]


def test_bounding_box_in_place_of_a_box_is_warned_of(points):
    with pytest.warns(UserWarning, match="bounding box"):
        aureole.find_halos(points["pos"], b=0.2)


@pytest.mark.parametrize("arguments, message", [
    ({}, "neither it nor b"), ({"linking_length": 1.0, "b": 0.2}, "it and b"), ({"linking_length": -1.0}, "above 0"),
    ({"b": 0.2, "box": 0.0}, "box: found 0.0"), ({"linking_length": 0.1, "min_members": 0}, "min_members"),
    ({"linking_length": 0.1, "centre": "middle"}, "centre: found 'middle'"),
    ({"linking_length": 0.1, "overdensities": ["200c"]}, "expected a density"),
    ({"linking_length": 0.1, "overdensities": ["20x"], "reference_density": 1.0}, "20x"),
    ({"linking_length": 0.1, "linking_velocity": 1.0}, "vel: found none"),
    ({"linking_length": 0.1, "linking_types": [1]}, "linking_types"), ({"linking_length": 0.6, "box": 1.0}, "two linking"),
    ({"linking_length": 0.1, "method": "fast"}, "method: found 'fast'"),
    ({"linking_length": 0.1, "cosmology": {"omega": 1}}, "omega_m"),
])
def test_settings_that_do_not_work_are_a_value_error(points, arguments, message):
    with pytest.raises(ValueError, match=message):
        aureole.find_halos(points["pos"], **arguments)
