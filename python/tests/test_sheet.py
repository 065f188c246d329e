"""density_octree and sheet_at: the numbers of the program, uniform grids, and sheets whose streams are known."""
import numpy as np
import pytest
from conftest import text_table

import aureole

SIDE = 8


def wave(n=SIDE, amplitude=0.35, box=1.0):
    """A plane wave on a lattice: positions, and velocities that are the displacements; it folds above 1 / (2 pi)."""
    sites = np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), axis=-1).reshape(-1, 3) / n
    shift = np.zeros_like(sites)
    shift[:, 0] = amplitude * np.sin(2 * np.pi * sites[:, 0])
    shift[:, 1] = 0.05 * np.sin(2 * np.pi * (sites[:, 1] + sites[:, 0]))
    return box * ((sites + shift) % 1.0), shift


@pytest.fixture(scope="module")
def sheet():
    pos, vel = wave()
    return {"pos": pos, "vel": vel, "mass": np.full(len(pos), 1 / len(pos)), "box": 1.0}


@pytest.fixture(scope="module")
def file(sheet, tmp_path_factory):
    return text_table(tmp_path_factory.mktemp("sheet") / "points.txt", sheet["pos"], sheet["mass"], sheet["vel"])


ALL = ("density", "mass", "velocity", "dispersion", "streams")


@pytest.mark.parametrize("options, arguments", [
    ([], {}), (["--patch", 4, "--refine-above", 20, "--levels", 2], {"patch": 4, "refine_above": 20, "levels": 2}),
    (["--patch", 4, "--smallest-cell", 0.03, "--region", "0.25:0.75", "--every", 2],
     {"patch": 4, "smallest_cell": 0.03, "region": ((0.25, 0.75),) * 3, "every": 2})])
def test_octree_has_the_bits_of_the_program(program, sheet, file, tmp_path, options, arguments):
    h5py = pytest.importorskip("h5py")
    program("density", file, "--units", "nbody", "--box", 1, "--octree", "-o", tmp_path / "o.hdf5", "--fields",
            "mass,velocity,dispersion,streams", *options)
    ours = aureole.density_octree(**sheet, fields=ALL, **arguments)
    with h5py.File(tmp_path / "o.hdf5") as found:
        assert (len(ours.level) > 1) == bool(options) and ours.signed_volume == found.attrs["SignedVolume"]
        assert ours.total_mass == found.attrs["TotalMass"]
        for name, mine in (("Level", ours.level), ("Low", ours.low), ("Size", ours.size), ("FirstChild", ours.first_child),
                           ("Parent", ours.parent)):
            assert np.array_equal(mine, found["Nodes"][name][:]), name
        for name, mine in (("Density", "density"), ("Velocity", "velocity"), ("VelocityDispersion", "dispersion"),
                           ("NumberOfStreams", "streams")):
            theirs = found[name][:].swapaxes(1, 3)  # the file is x fastest
            assert np.array_equal(ours[mine].astype(theirs.dtype), theirs, equal_nan=True), name


def test_leaves_are_uniform_grids_of_their_size(sheet):
    tree = aureole.density_octree(**sheet, patch=4, refine_above=20, levels=2, fields=("mass", "density", "streams"))
    assert tree["mass"][tree.leaves].sum() == pytest.approx(1.0, rel=1e-12) and tree["mass"][0].sum() == pytest.approx(1, rel=1e-12)
    for level in range(int(tree.level.max()) + 1):
        grid = aureole.density_grid(**sheet, cells=4 * 2 ** level, fields=("mass", "density", "streams"))
        for node in np.flatnonzero((tree.level == level) & (tree.first_child < 0)):
            i, j, k = np.round(np.asarray(tree.low[node]) * 4 * 2 ** level).astype(int)
            window = (slice(i, i + 4), slice(j, j + 4), slice(k, k + 4))
            for name in ("mass", "density", "streams"):
                assert np.allclose(tree[name][node], grid[name][window], rtol=1e-13, atol=0), (level, name)
    assert 0 in tree.level[tree.leaves] or 1 in tree.level[tree.leaves] or 2 in tree.level[tree.leaves]


def test_places_have_the_values_of_their_smallest_cells(sheet):
    tree = aureole.density_octree(**sheet, patch=4, refine_above=20, levels=2, fields=("density", "velocity"))
    for node in tree.leaves:
        cell = np.array([1, 2, 3])
        x = tree.low[node] + (cell + 0.5) * tree.size[node] / 4
        assert tree.at(x[None], "density")[0] == tree["density"][node, 1, 2, 3]
        assert np.array_equal(tree.at(x[None] - 1.0, "velocity")[0], tree["velocity"][node, 1, 2, 3], equal_nan=True)
    part = aureole.density_octree(**sheet, patch=4, levels=0, region=((0, 0.5),) * 3)
    assert np.isnan(part.at(np.array([[0.7, 0.1, 0.1]]), "density")[0])
    assert part.at(np.array([[0.3, 0.1, 0.1]]), "density")[0] == part["density"][0, 2, 0, 0]


def test_octree_opens_in_yt(sheet):
    pytest.importorskip("yt")
    tree = aureole.density_octree(**sheet, patch=4, refine_above=20, levels=2, fields=("density", "velocity"))
    data = tree.to_yt().all_data()
    leaf = np.concatenate([tree["density"][node].ravel() for node in tree.leaves])
    assert np.allclose(np.sort(np.asarray(data["stream", "density"])), np.sort(leaf), rtol=1e-12, atol=0)
    assert ("stream", "velocity_y") in data.ds.field_list


def test_points_have_the_bits_of_the_program(program, sheet, file, tmp_path):
    h5py = pytest.importorskip("h5py")
    points = np.random.default_rng(1).random((400, 3))
    (tmp_path / "at.txt").write_text("".join(" ".join(repr(float(x)) for x in row) + "\n" for row in points))
    program("density", file, "--units", "nbody", "--box", 1, "--points", tmp_path / "at.txt", "--each-stream", "-o",
            tmp_path / "p.hdf5", "--fields", "mass,velocity,dispersion,streams")
    ours = aureole.sheet_at(points, **sheet, each_stream=True)
    with h5py.File(tmp_path / "p.hdf5") as found:
        for name, mine in (("Density", ours.density), ("Velocity", ours.velocity), ("VelocityDispersion", ours.dispersion),
                           ("NumberOfStreams", ours.streams), ("StreamDensity", ours.stream_density),
                           ("StreamVelocity", ours.stream_velocity), ("StreamOrientation", ours.stream_orientation),
                           ("StreamTetrahedron", ours.stream_tetrahedron)):
            assert np.array_equal(mine, found[name][:], equal_nan=mine.dtype.kind == "f"), name
        assert np.array_equal(ours.first[:-1], found["FirstStream"][:])
    assert set(np.unique(ours.streams)) == {1, 3}


def test_streams_of_a_wave_are_those_of_its_crossings():
    n = 64
    pos, vel = wave(n, 0.35)
    pos[:, 1] = (np.arange(n ** 3) // n % n) / n  # a wave along x alone
    vel[:, 1:] = 0
    x = np.linspace(0.003, 0.997, 200)
    found = aureole.sheet_at(np.column_stack((x, np.full(200, 0.5), np.full(200, 0.5))), pos, 1 / n ** 3, box=1.0, vel=vel)
    nodes = np.arange(-2 * n, 3 * n + 1) / n  # the sheet is linear between sites: crossings are changes of sign
    place = nodes + 0.35 * np.sin(2 * np.pi * nodes)
    for row, at in enumerate(x):
        side = place > at
        begin = np.flatnonzero(side[1:] != side[:-1])
        assert found.streams[row] == len(begin)
        slope = np.abs(np.diff(place)[begin]) * n
        share = (at - place[begin]) / np.diff(place)[begin]
        speed = (place - nodes)[begin] + share * np.diff(place - nodes)[begin]
        assert found.density[row] == pytest.approx((1 / slope).sum(), rel=1e-9)
        mean = (speed / slope).sum() / (1 / slope).sum()
        assert found.velocity[row, 0] == pytest.approx(mean, abs=1e-9)
        spread = (speed ** 2 / slope).sum() / (1 / slope).sum() - mean ** 2
        assert found.dispersion[row] == pytest.approx(np.sqrt(max(spread, 0) / 3), abs=1e-7)


def test_without_velocities_there_are_none(sheet):
    still = {name: values for name, values in sheet.items() if name != "vel"}
    found = aureole.sheet_at(np.full((1, 3), 0.3), **still, each_stream=True)
    assert found.velocity is None and found.dispersion is None and found.stream_velocity is None
    assert found.stream_density.sum() == pytest.approx(found.density[0], rel=1e-15) and found.stream_orientation.sum() == 1
    assert aureole.sheet_at(np.empty((0, 3)), **still).density.shape == (0,)
    with pytest.raises(aureole.ArgumentError, match="vel: found none"):
        aureole.density_octree(**still, fields="dispersion")


def test_order_threads_layout_and_single_precision_change_nothing(sheet):
    points = np.random.default_rng(2).random((50, 3))
    expected = aureole.sheet_at(points, **sheet), aureole.density_octree(**sheet, patch=4, levels=1)
    order = np.random.default_rng(3).permutation(SIDE ** 3)
    mixed = {name: np.asfortranarray(sheet[name][order]) for name in ("pos", "vel", "mass")}
    for values in mixed.values():
        values.flags.writeable = False
    before = aureole.num_threads()
    aureole.set_num_threads(3)
    found = (aureole.sheet_at(points, **mixed, box=1.0, ids=order),
             aureole.density_octree(**mixed, box=1.0, ids=order, patch=4, levels=1))
    aureole.set_num_threads(before)
    assert np.array_equal(found[0].density, expected[0].density) and np.array_equal(found[0].velocity, expected[0].velocity)
    assert np.array_equal(found[1]["density"], expected[1]["density"])
    repeated = np.repeat(sheet["pos"], 2, axis=0)[::2]
    assert np.array_equal(aureole.sheet_at(points, **sheet | {"pos": repeated}).density, expected[0].density)
    single = sheet["pos"].astype(np.float32)
    assert np.array_equal(aureole.sheet_at(points, single, box=1.0).streams,
                          aureole.sheet_at(points, single.astype(float), box=1.0).streams)


def test_lattices_may_be_told_and_begin_at_one(sheet):
    points = np.random.default_rng(4).random((50, 3))
    expected = aureole.sheet_at(points, **sheet).density
    assert np.array_equal(aureole.sheet_at(points, **sheet, ids=np.arange(1, SIDE ** 3 + 1), first_id=1, axes="xyz").density, expected)
    with pytest.raises(aureole.AureoleError, match="id"):
        aureole.sheet_at(points, **sheet, ids=np.arange(1, SIDE ** 3 + 1), first_id=0)


def test_units_come_back(sheet):
    units = pytest.importorskip("astropy.units")
    given = {"pos": sheet["pos"] * units.Mpc, "vel": sheet["vel"] * units.km / units.s, "mass": sheet["mass"] * units.Msun,
             "box": 1000 * units.kpc}
    plain, points = aureole.sheet_at(np.full((1, 3), 0.3), **sheet), np.full((1, 3), 300.0) * units.kpc
    found = aureole.sheet_at(points, **given)
    assert found.density.to_value("Msun/Mpc**3") == pytest.approx(plain.density, rel=1e-12)
    assert found.velocity.to_value("m/s") == pytest.approx(1000 * plain.velocity, rel=1e-12)
    tree = aureole.density_octree(**given, patch=4, levels=1, smallest_cell=None, fields=("density", "velocity"))
    other = aureole.density_octree(**sheet, patch=4, levels=1)
    assert np.allclose(tree["density"].to_value("Msun/Mpc**3"), other["density"], rtol=1e-12, atol=0)
    assert tree.total_mass.to_value("Msun") == pytest.approx(1, rel=1e-12) and tree.size.unit == units.Mpc
    there = other.at(np.full((1, 3), 0.3), "density")
    assert tree.at(points, "density").to_value("Msun/Mpc**3") == pytest.approx(there, rel=1e-12)
    with pytest.raises(TypeError, match="points: found a plain"):
        tree.at(np.full((1, 3), 0.3), "density")
    with pytest.raises(TypeError, match="points: found a plain"):
        aureole.sheet_at(np.full((1, 3), 0.3), **given)


@pytest.mark.parametrize("changed, error, message", [
    ({"box": None}, ValueError, "box"), ({"box": 0.0}, ValueError, "box"), ({"patch": 5}, ValueError, "even number"),
    ({"patch": 1}, ValueError, "patch"), ({"patch": 2000}, ValueError, "even number"), ({"levels": -1}, ValueError, "levels"),
    ({"levels": 1, "smallest_cell": 0.1}, ValueError, "levels: found it"), ({"smallest_cell": 0.0}, ValueError, "smallest_cell"),
    ({"smallest_cell": 1e-300}, ValueError, "smallest cell"), ({"levels": 60}, ValueError, "too fine"),
    ({"region": ((0, 1), (0, 1), (0, 0.5))}, ValueError, "expected a cube"), ({"fields": "heat"}, ValueError, "fields"),
    ({"region": ((0, 1.5),) * 3}, ValueError, "larger than the box"), ({"every": 0}, ValueError, "every"),
    ({"every": 3}, RuntimeError, "3"), ({"axes": "xyy"}, ValueError, "axes"), ({"first_id": -1}, ValueError, "first_id"),
    ({"mass": np.linspace(1, 2, SIDE ** 3)}, RuntimeError, "mass"), ({"refine_above": 2.5}, TypeError, "refine_above"),
    ({"device": "cuda:99"}, RuntimeError, "device"), ({"ids": np.zeros(SIDE ** 3, int)}, RuntimeError, "id")])
def test_bad_arguments_are_named(sheet, changed, error, message):
    with pytest.raises(error, match=message):
        aureole.density_octree(**sheet | changed)
    ours = {"box", "every", "axes", "first_id", "mass", "device", "ids"} & set(changed)
    if ours:
        with pytest.raises(error, match=message):
            aureole.sheet_at(np.full((1, 3), 0.5), **sheet | changed)


def test_particles_that_are_no_lattice_and_points_out_of_reach_are_refused(sheet):
    for n in (0, 1, 100):
        with pytest.raises(aureole.AureoleError, match="lattice|cube"):
            aureole.density_octree(np.full((n, 3), 0.5), box=1.0)
        with pytest.raises(aureole.AureoleError, match="lattice|cube"):
            aureole.sheet_at(np.full((1, 3), 0.5), np.full((n, 3), 0.5), box=1.0)
    for value, message in ((np.nan, "points: particle 1 has"), (np.inf, "points: particle 1 has"), (7.0, "point 1")):
        points = np.full((2, 3), 0.5)
        points[1, 2] = value
        with pytest.raises(aureole.AureoleError, match=message):
            aureole.sheet_at(points, **sheet)
    broken = sheet["pos"].copy()
    broken[9, 0] = np.nan
    for call in (lambda: aureole.sheet_at(points[:1], **sheet | {"pos": broken}),
                 lambda: aureole.density_octree(**sheet | {"pos": broken})):
        with pytest.raises(aureole.ArgumentError, match="particle 9 has x"):
            call()
    with pytest.raises(TypeError, match="points: found int64"):
        aureole.sheet_at(np.zeros((1, 3), int), **sheet)
    with pytest.raises(aureole.ArgumentError, match="points: found the shape"):
        aureole.sheet_at(np.zeros(3), **sheet)


def test_trees_that_do_not_fit_are_a_memory_error(sheet, monkeypatch):
    monkeypatch.setenv("AUREOLE_CPU_MEMORY_MB", "3")
    with pytest.raises(aureole.MemoryError, match="nodes of 32\\^3 cells") as found:
        aureole.density_octree(**sheet, patch=32, refine_above=0, levels=3)
    assert found.value.wanted > 3e6
