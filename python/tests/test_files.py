"""Snapshots, catalogues and coefficients by the program's readers, beside other libraries."""
import numpy as np
import pytest
from conftest import DATA, clumps

import aureole

h5py = pytest.importorskip("h5py")


def test_columns_are_those_of_the_file(cosmological):
    s = aureole.load(cosmological)
    with h5py.File(cosmological) as file:
        part = file["PartType1"]
        for ours, theirs in ((s.pos, "Coordinates"), (s.vel, "Velocities"), (s.mass, "Masses"), (s.ids, "ParticleIDs")):
            assert np.array_equal(ours, part[theirs][:])
    assert s.pos.flags.f_contiguous and not s.pos.flags.writeable and len(s) == 4096 and s.box == 1000.0
    assert s.header["omega0"] == 0.3 and s.header["comoving"] and set(s.types) == {1}
    assert "4096 of type 1" in repr(s) and np.array_equal(s["dark"].pos, s.pos) and len(s["gas"]) == 0


def test_halos_of_a_snapshot_have_the_bits_of_the_program(program, cosmological, tmp_path):
    program("find", cosmological, "-o", tmp_path, "--linking-length", 0.2)
    ours = aureole.find_halos(aureole.load(cosmological), b=0.2)
    with h5py.File(next(tmp_path.glob("fof_subhalo_tab_*.hdf5"))) as file:
        theirs = {name: values[:] for name, values in file["Group"].items()}
    assert len(ours) > 3 and "Group_M_Crit200" in ours.columns
    compared = 0
    for name, values in ours.columns.items():
        if name in theirs:
            scale = 1 + 1e-7 * (values.dtype.kind == "f")  # kpc and Msun of both agree to seven digits; masses are written in 1e10 Msun
            assert np.allclose(values, theirs[name], rtol=scale - 1, atol=0, equal_nan=True), name
            compared += 1
    assert compared > 15
    catalogue = aureole.Catalogue.read(next(tmp_path.glob("fof_subhalo_tab_*.hdf5")))
    assert np.array_equal(catalogue["GroupLen"], ours["GroupLen"]) and len(catalogue) == len(ours)
    assert catalogue.header["box"] == 1000.0
    with pytest.raises(ValueError, match="read from a file"):
        catalogue.members(0)


def test_quantities_are_physical(cosmological):
    units = pytest.importorskip("astropy.units")
    s = aureole.load(cosmological)
    assert np.allclose(s.quantity("pos").to_value(units.kpc), s.pos * 0.5 / 0.7, rtol=1e-6, atol=0)
    assert np.allclose(s.quantity("vel").to_value(units.km / units.s), s.vel * np.sqrt(0.5), rtol=1e-12, atol=0)


@pytest.mark.parametrize("name", ["fof/psi_snapshot_010", "tipsy/tiny.000832", "gadget/glass_32.hdf5", "galaxy/galaxy_bigendian.dat",
                                  "plummer1k.in"])
def test_real_files_are_read(name):
    if not (DATA / name).exists():
        pytest.skip(f"{name} is not here (AUREOLE_TEST_DATA)")
    s = aureole.load(DATA / name)
    assert len(s) > 0 and np.all(np.isfinite(s.pos)) and np.all(s.mass > 0)


def test_reader_agrees_with_pynbody(cosmological):
    pytest.importorskip("pynbody")
    ours = aureole.load(cosmological)
    theirs = ours.to_pynbody()
    for name, values in (("pos", ours.pos), ("vel", ours.vel), ("mass", ours.mass), ("iord", ours.ids)):
        assert np.array_equal(np.asarray(theirs.dm[name]), values.astype(theirs.dm[name].dtype)), name


def test_reader_agrees_with_yt(cosmological):
    yt = pytest.importorskip("yt")
    yt.set_log_level("error")
    ours, theirs = aureole.load(cosmological), yt.load(str(cosmological)).all_data()
    order, same = np.argsort(ours.ids), np.argsort(np.asarray(theirs["PartType1", "ParticleIDs"]))
    for column, unit, values in (("Coordinates", "code_length", ours.pos), ("Velocities", "code_velocity", ours.vel),
                                 ("Masses", "code_mass", ours.mass), ("ParticleIDs", "", ours.ids)):
        assert np.allclose(np.asarray(theirs["PartType1", column].to(unit))[same], values[order], rtol=1e-12, atol=0), column
    data = ours.to_yt().all_data()
    assert np.array_equal(np.sort(np.asarray(data["io", "particle_index"])), np.sort(ours.ids.astype(np.int64)))


def test_damaged_and_absent_files_are_file_errors_with_their_path(cosmological, tmp_path):
    for path, reader in ((tmp_path / "absent", aureole.load), (tmp_path / "absent", aureole.Catalogue.read),
                         (tmp_path / "absent", aureole.Expansion.read)):
        with pytest.raises(aureole.FileError) as found:
            reader(path)
        assert found.value.path == str(path) and isinstance(found.value, OSError)
    short = tmp_path / "short.hdf5"
    short.write_bytes(cosmological.read_bytes()[:5000])
    with pytest.raises(OSError, match="short.hdf5"):
        aureole.load(short)
    with pytest.raises(TypeError, match="path: found int"):
        aureole.load(3)
    with pytest.raises(ValueError, match="parsecs|units"):
        aureole.load(cosmological, units="{length: parsecs, mass: Msun, velocity: km/s}")


@pytest.fixture(scope="module")
def series():
    moments = []
    for k in range(3):
        pos = np.random.default_rng(k).normal(size=(200, 3))
        one = aureole.expand(pos, 1 / 200, n_max=4, l_max=3, scale_radius=0.7, samples=4 if k == 0 else 4, centre=[0.1, 0, k])
        one.time = float(k)
        moments.append(one)
    return aureole.ExpansionSeries(moments)


@pytest.mark.parametrize("name, exact", [("c.hdf5", True), ("c.txt", True)])
def test_coefficients_come_back_from_their_file(series, tmp_path, name, exact):
    series.write(tmp_path / name)
    again = aureole.ExpansionSeries.read(tmp_path / name)
    assert np.array_equal(again.times, series.times)
    for a, b in zip(again, series):
        assert np.array_equal(a.S, b.S) and np.array_equal(a.T, b.T) and np.array_equal(a.centre, b.centre)
        assert a.scale_radius == b.scale_radius and a.family == b.family and np.array_equal(a.variances[0], b.variances[0])
    assert aureole.Expansion.read(tmp_path / name, 1).time == 1.0


def test_coefficients_are_those_of_gala(series):
    pytest.importorskip("gala")
    import astropy.units as u
    from gala.potential.scf import compute_coeffs_discrete

    pos, mass = np.random.default_rng(0).normal(size=(300, 3)), np.full(300, 1 / 300)
    s, t = compute_coeffs_discrete(pos, mass=mass, nmax=6, lmax=4, r_s=0.8)[:2]
    ours = aureole.expand(pos, mass, n_max=6, l_max=4, scale_radius=0.8)
    largest = np.abs(s).max()
    assert np.max(np.abs(ours.S - s)) < 1e-13 * largest and np.max(np.abs(ours.T - t)) < 1e-13 * largest
    at = np.random.default_rng(1).normal(size=(50, 3))
    assert u is not None
    theirs = ours.to_gala()
    assert np.allclose(theirs.energy(at.T).value, ours.potential(at), rtol=1e-10, atol=0)
    assert np.allclose(theirs.acceleration(at.T).value.T, ours.acceleration(at), rtol=1e-8, atol=1e-10)
    back = aureole.Expansion.from_gala(theirs)
    assert np.allclose(back.potential(at), ours.potential(at), rtol=1e-13, atol=0)


def test_potential_of_gala_has_the_units_of_the_particles():
    pytest.importorskip("gala")
    u = pytest.importorskip("astropy.units")
    pos, at = np.random.default_rng(0).normal(size=(300, 3)), np.array([[0.3, 0.4, 0.5]])
    ours = aureole.expand(pos * u.kpc, np.full(300, 1e7) * u.Msun, n_max=6, l_max=4, scale_radius=800 * u.pc)
    theirs = ours.to_gala().energy(at.T * u.kpc)
    assert np.allclose(theirs.to_value("km2/s2"), ours.potential(at * u.kpc).to_value("km2/s2"), rtol=1e-6, atol=0)  # G of both


def test_potential_of_galpy_is_the_same(series):
    pytest.importorskip("galpy")
    ours = aureole.Expansion(series[0].S, series[0].T, scale_radius=0.7)
    theirs = ours.to_galpy()
    for x, y, z in ((0.5, 0.3, 0.2), (-1.0, 2.0, 0.7)):
        r, phi = np.hypot(x, y), np.arctan2(y, x)
        assert theirs(r, z, phi=phi, use_physical=False) == pytest.approx(ours.potential([x, y, z]), rel=1e-9)


def test_potential_of_galpy_follows_the_series_in_time(series):
    potential = pytest.importorskip("galpy.potential")
    import inspect
    plain = aureole.ExpansionSeries([aureole.Expansion(one.S, one.T, scale_radius=0.7, time=one.time) for one in series])
    if "tgrid" not in inspect.signature(potential.SCFPotential.__init__).parameters:
        with pytest.raises(aureole.ArgumentError, match="tgrid"):
            plain.to_galpy()
        pytest.skip("this galpy has no SCFPotential(tgrid=...)")
    theirs, (x, y, z) = plain.to_galpy(), (0.5, 0.3, 0.2)
    for time in (0.0, 1.0, 2.0):
        found = theirs(np.hypot(x, y), z, phi=np.arctan2(y, x), t=time, use_physical=False)
        assert found == pytest.approx(plain.at(time).potential([x, y, z]), rel=1e-9)


def test_potential_of_agama_is_made_of_the_density_about_the_centre(monkeypatch):
    """agama itself cannot be had from PyPI alone; this takes what it would be given."""
    import sys
    import types

    given = {}
    monkeypatch.setitem(sys.modules, "agama", types.SimpleNamespace(Potential=lambda **settings: given.update(settings)))
    pos = np.random.default_rng(0).normal(size=(300, 3))
    ours = aureole.expand(pos, 1 / 300, n_max=4, l_max=2, scale_radius=0.8, centre=[1.0, 2.0, 3.0])
    ours.to_agama()
    at = np.array([[0.5, 0.1, -0.3], [0.0, 0.0, 0.0]])
    assert given["density"](at)[0] == ours.density(at[0] + [1.0, 2.0, 3.0]) and np.isfinite(given["density"](at)).all()
    assert given["type"] == "Multipole" and given["lmax"] == 2 and given["center"] == [1.0, 2.0, 3.0]


def test_field_opens_in_yt():
    yt = pytest.importorskip("yt")
    yt.set_log_level("error")
    field = aureole.density_grid(clumps(1, 500) % 1.0, cells=8, box=1.0, method="cic", fields=("density", "mass"))
    data = field.to_yt().all_data()
    assert float(data["stream", "mass"].sum()) == pytest.approx(500, rel=1e-12)
