"""subhalos(): the numbers of the program and of find_halos, members of planted clumps, boundness by slow sums."""
import numpy as np
import pytest
from conftest import direct_forces, plummer, text_table

import aureole

h5py = pytest.importorskip("h5py")


def bound_sphere(seed, n, radius, mass, at, moving):
    """Plummer's sphere with the isotropic velocities of its own potential, about half of the escape speed."""
    pos = plummer(seed, n)
    random = np.random.default_rng(seed + 100)
    speed = random.uniform(0, 0.7, n) * np.sqrt(2 * mass / radius) * (1 + (pos ** 2).sum(axis=1)) ** -0.25
    direction = random.normal(size=(n, 3))
    vel = speed[:, None] * direction / np.linalg.norm(direction, axis=1)[:, None]
    return radius * pos + at, vel + moving, np.full(n, mass / n)


@pytest.fixture(scope="module")
def merger():
    """A sphere with a smaller one in it, and a third far away."""
    parts = [bound_sphere(1, 1500, 1.0, 1.0, [0, 0, 0], [0, 0, 0]), bound_sphere(2, 300, 0.08, 0.1, [1.2, 0, 0], [0, 0.9, 0]),
             bound_sphere(3, 400, 0.3, 0.2, [40, 0, 0], [0.5, 0, 0])]
    pos, vel, mass = (np.concatenate(columns) for columns in zip(*parts))
    return {"pos": pos, "vel": vel, "mass": mass, "labels": np.repeat([0, 0, 1], [1500, 300, 400])}


@pytest.mark.parametrize("box", [None, 1.0])
def test_table_has_the_bits_of_the_program(program, points, tmp_path, box):
    file = text_table(tmp_path / "points.txt", **points)
    program("find", file, "-o", tmp_path, "--units", "nbody", "--set", "output.units=run", "--absolute-linking-length", "0.03",
            "--substructure", "--softening", "0.001", "--reference-density", "200", *(["--box", "1"] if box else ["--open"]))
    labels = aureole.group_labels(points["pos"], 0.03, box=box, min_members=20)
    ours = aureole.subhalos(**points, labels=labels, softening=0.001, reference_density=200.0, box=box)
    with h5py.File(next(tmp_path.glob("fof_subhalo_tab_*.hdf5"))) as found:
        theirs = {name: found["Subhalo"][name][:] for name in found["Subhalo"]}
    assert len(ours) > 3
    compared = 0
    for name, values in ours.columns.items():
        if name in theirs:
            stored = values if theirs[name].dtype.kind in "iu" else values.astype(theirs[name].dtype)
            assert np.array_equal(stored, theirs[name], equal_nan=values.dtype.kind == "f"), name
            compared += 1
    assert compared > 15


def test_subhalos_are_those_of_find_halos(points):
    halos = aureole.find_halos(**points, linking_length=0.03, substructure=True)
    ours = aureole.subhalos(**points, labels=halos.labels)
    for name, values in halos.subhalos.items():
        assert np.array_equal(ours[name], values, equal_nan=values.dtype.kind == "f"), name
    begin = 0
    for row in np.flatnonzero(ours.groups == 0):
        assert np.array_equal(ours.members(row), halos.order[begin:begin + ours.lengths[row]])
        begin += ours.lengths[row]


def test_labels_members_and_table_describe_the_same_particles(points):
    labels = aureole.group_labels(points["pos"], 0.03, min_members=20)
    found = aureole.subhalos(**points, labels=labels)
    assert found.labels.dtype == np.int32 and len(found) > 3
    for row in range(len(found)):
        members = found.members(row)
        assert np.array_equal(np.sort(members), np.flatnonzero(found.labels == row))
        assert len(members) == found["SubhaloLen"][row] and set(labels[members]) == {found.groups[row]}
        assert found["SubhaloIDMostbound"][row] == members[0]
        assert found["SubhaloMass"][row] == pytest.approx(points["mass"][members].sum(), rel=1e-12)
    assert np.all(np.diff(found.groups) >= 0) and np.all(found.ranks[np.unique(found.groups, return_index=True)[1]] == 0)


def test_clump_in_a_sphere_is_a_subhalo_whose_parent_is_the_sphere(merger):
    found = aureole.subhalos(**merger, softening=0.01)
    main, clump, other = (np.bincount(found.labels[part]).argmax() for part in (slice(1500), slice(1500, 1800), slice(1800, 2200)))
    assert (found.groups[main], found.groups[clump], found.ranks[other]) == (0, 0, 0)
    assert (found.parents[main], found.parents[clump], found.parents[other]) == (-1, main, -1)
    planted = np.repeat([main, clump, other], [1500, 300, 400])
    for row in (main, clump, other):
        members = found.labels == row
        assert np.mean(planted[members] == row) > 0.95 and np.mean(members[planted == row]) > 0.8


def test_members_are_bound_by_the_gravity_of_the_members(merger):
    found = aureole.subhalos(**merger, softening=0.01)
    for row in range(len(found)):
        members = found.members(row)
        pos, vel, mass = (merger[name][members] for name in ("pos", "vel", "mass"))
        _, potential = direct_forces(pos, mass, 0.01)
        energy = 0.5 * ((vel - np.average(vel[:len(vel) // 10], axis=0)) ** 2).sum(axis=1) + potential
        assert np.mean(energy < 0) > 0.98  # the last round's members and centre are those before its unbinding
        assert np.mean(energy[:20]) < np.mean(energy[-20:])  # the most bound come first


def test_groups_may_have_any_numbers(merger):
    expected = aureole.subhalos(**merger, softening=0.01)
    for dtype, numbers in ((np.int64, [7_000_000_000, -3]), (np.uint8, [9, 200]), (np.int16, [900, 4])):
        labels = np.array(numbers, dtype=np.int64)[merger["labels"]].astype(dtype)
        found = aureole.subhalos(**merger | {"labels": labels}, softening=0.01)
        assert set(found.groups) == {n for n in numbers if n >= 0}
        for number, group in zip(numbers, (0, 1)):
            rows, old = np.flatnonzero(found.groups == number), np.flatnonzero(expected.groups == group)
            if number < 0:
                assert np.all(found.labels[merger["labels"] == group] == -1)
                continue
            assert np.array_equal(found["SubhaloMass"][rows], expected["SubhaloMass"][old])
            for a, b in zip(rows, old):
                assert np.array_equal(found.members(a), expected.members(b))


def test_small_subhalos_are_none(merger):
    assert aureole.subhalos(**merger, softening=0.01).lengths.min() < 310
    assert aureole.subhalos(**merger, softening=0.01, min_members=310).lengths.min() >= 310
    assert len(aureole.subhalos(**merger, softening=0.01, min_members=1501)) == 0


def test_units_come_back(merger):
    units = pytest.importorskip("astropy.units")
    found = aureole.subhalos(merger["pos"] * units.kpc, merger["vel"] * units.km / units.s, merger["mass"] * 2.3e5 * units.Msun,
                             merger["labels"], softening=10 * units.pc)
    plain = aureole.subhalos(**merger | {"mass": merger["mass"] * 2.3e5}, softening=0.01, G=4.300917e-6)
    assert np.array_equal(found.labels, plain.labels)
    assert np.allclose(found["SubhaloMass"].to_value("Msun"), plain["SubhaloMass"], rtol=1e-12, atol=0)
    assert np.allclose(found["SubhaloVmax"].to_value("km/s"), plain["SubhaloVmax"], rtol=1e-4, atol=0)
    with pytest.raises(TypeError, match="softening: found plain|softening: found a plain"):
        aureole.subhalos(merger["pos"] * units.kpc, merger["vel"] * units.km / units.s, merger["mass"] * units.Msun,
                         merger["labels"], softening=0.01)


def test_order_threads_and_layout_change_nothing(merger):
    expected = aureole.subhalos(**merger, softening=0.01)
    before = aureole.num_threads()
    aureole.set_num_threads(3)
    inputs = {name: np.asfortranarray(values) for name, values in merger.items()}
    for values in inputs.values():
        values.flags.writeable = False
    again = aureole.subhalos(**inputs, softening=0.01)
    aureole.set_num_threads(before)
    assert np.array_equal(again.labels, expected.labels) and np.array_equal(again["SubhaloPos"], expected["SubhaloPos"])
    strided = {name: np.repeat(values, 2, axis=0)[::2] for name, values in merger.items()}
    assert np.array_equal(aureole.subhalos(**strided, softening=0.01).labels, expected.labels)
    single = {name: values.astype(np.float32) if values.dtype == float else values for name, values in merger.items()}
    assert len(aureole.subhalos(**single, softening=0.01)) == len(expected)


def test_no_particles_one_particle_and_no_groups_have_no_subhalos(merger):
    nothing = aureole.subhalos(np.empty((0, 3)), np.empty((0, 3)), np.empty(0), np.empty(0, int))
    assert len(nothing) == 0 and nothing.labels.shape == (0,) and nothing.parents.shape == (0,)
    one = aureole.subhalos(np.zeros((1, 3)), np.zeros((1, 3)), 1.0, np.zeros(1, int))
    assert len(one) == 0 and one.labels.tolist() == [-1]
    none = aureole.subhalos(**merger | {"labels": np.full(2200, -1)})
    assert len(none) == 0 and np.all(none.labels == -1) and "0 subhalos of 0 groups" in repr(none)


@pytest.mark.parametrize("changed, error, message", [
    ({"vel": None}, ValueError, "vel: found none"), ({"labels": np.zeros(2199, int)}, ValueError, "labels: found 2199"),
    ({"labels": np.zeros(2200)}, TypeError, "labels: found float64"), ({"labels": np.zeros((2200, 1), int)}, ValueError, "labels"),
    ({"softening": -1.0}, ValueError, "softening"), ({"min_members": 0}, ValueError, "min_members"),
    ({"box": np.nan}, ValueError, "box"), ({"mass": -1.0}, ValueError, "mass"), ({"overdensities": ["200c"]}, ValueError, "density"),
    ({"ids": np.zeros(2200, int)}, ValueError, "ids: found 0 2200 times"), ({"crossing": "first"}, ValueError, "crossing"),
    ({"device": "cuda:99"}, RuntimeError, "device")])
def test_bad_arguments_are_named(merger, changed, error, message):
    with pytest.raises(error, match=message):
        aureole.subhalos(**merger | changed)


@pytest.mark.parametrize("name", ["pos", "vel"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_named(merger, name, value):
    broken = merger[name].copy()
    broken[12, 1] = value
    with pytest.raises(aureole.ArgumentError, match=f"{name}: particle 12"):
        aureole.subhalos(**merger | {name: broken})
