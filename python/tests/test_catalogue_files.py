"""Catalogues of halos as files: those of the program, and what other libraries make of them."""
import numpy as np
import pytest

import aureole

h5py = pytest.importorskip("h5py")


def arrays_of(file, group=""):
    """Every dataset of a group of an HDF5 file."""
    with h5py.File(file) as found:
        holder = found[group] if group else found
        return {name: values[:] for name, values in holder.items() if isinstance(values, h5py.Dataset)}


def text_of(group, name):
    value = group.attrs[name]
    return value.decode() if isinstance(value, bytes) else value


def expect_same(ours, theirs, rtol):
    """Equal names and, to `rtol`, numbers; equal bits of integers."""
    assert set(ours) == set(theirs)
    for name, values in theirs.items():
        assert ours[name].dtype == values.dtype and ours[name].shape == values.shape, name
        if values.dtype.kind == "f":
            assert np.allclose(ours[name], values, rtol=rtol, atol=0, equal_nan=True), name
        else:
            assert np.array_equal(ours[name], values), name


@pytest.fixture(scope="module")
def of_program(program, cosmological, tmp_path_factory):
    """What `aureole find` writes of the snapshot."""
    folder = tmp_path_factory.mktemp("of_program")
    program("find", cosmological, "-o", folder, "--linking-length", 0.2, "--substructure", "--yt-catalogue", "--csv",
            folder / "halos.csv")
    return folder


@pytest.fixture(scope="module")
def found(cosmological):
    return aureole.find_halos(aureole.load(cosmological), b=0.2, substructure=True)


# kpc and Msun of file and program agree to seven digits
def test_catalogue_of_a_snapshot_is_the_file_of_the_program(found, of_program, tmp_path):
    found.write(tmp_path / "c.hdf5")
    theirs = next(of_program.glob("fof_subhalo_tab_*.hdf5"))
    for group in ("Group", "Subhalo"):
        expect_same(arrays_of(tmp_path / "c.hdf5", group), arrays_of(theirs, group), 1e-6)
    with h5py.File(tmp_path / "c.hdf5") as ours, h5py.File(theirs) as other:
        for name, value in other["Header"].attrs.items():
            assert np.allclose(ours["Header"].attrs[name], value), name
        for name, values in other["Group"].items():
            for key, value in values.attrs.items():
                mine = ours["Group"][name].attrs[key]
                assert mine == value if isinstance(value, (str, bytes)) else np.allclose(mine, value, rtol=1e-6), (name, key)
        assert text_of(ours["Provenance"], "Version") == aureole.__version__


def test_catalogue_for_yt_is_the_file_of_the_program(found, of_program, tmp_path):
    found.write(tmp_path / "h.0.h5")
    theirs = next(of_program.glob("halos_*.0.h5"))
    expect_same(arrays_of(tmp_path / "h.0.h5"), arrays_of(theirs), 1e-6)
    with h5py.File(tmp_path / "h.0.h5") as ours, h5py.File(theirs) as other:
        for name in ("current_redshift", "hubble_constant", "omega_matter", "domain_right_edge", "cosmological_simulation"):
            assert np.allclose(ours.attrs[name], other.attrs[name], rtol=1e-6), name


def test_table_is_that_of_the_program(found, of_program, tmp_path):
    found.write(tmp_path / "h.csv")
    assert (tmp_path / "h.csv").read_text() == (of_program / "halos.csv").read_text()


def test_what_was_written_is_read_again_bit_for_bit(found, tmp_path):
    found.write(tmp_path / "first.hdf5")
    again = aureole.Catalogue.read(tmp_path / "first.hdf5")
    for ours, theirs in ((found.columns, again.columns), (found.subhalos, again.subhalos)):
        for name, values in ours.items():
            if name in theirs:
                stored = np.asarray(values).astype(np.asarray(theirs[name]).dtype)
                assert np.array_equal(stored, theirs[name], equal_nan=stored.dtype.kind == "f"), name
    again.write(tmp_path / "second.hdf5")
    for group in ("Group", "Subhalo"):
        expect_same(arrays_of(tmp_path / "second.hdf5", group), arrays_of(tmp_path / "first.hdf5", group), 0)


def test_numbers_without_units_are_kept(points, tmp_path):
    found = aureole.find_halos(**points, linking_length=0.02, box=1.0)
    found.write(tmp_path / "c.hdf5")
    again = aureole.Catalogue.read(tmp_path / "c.hdf5")
    assert again.header["box"] == 1.0 and np.array_equal(again["GroupPos"], found["GroupPos"])
    assert np.array_equal(again["GroupLen"], found["GroupLen"])
    with h5py.File(tmp_path / "c.hdf5") as file:
        assert text_of(file["Provenance"], "Units") == "nbody (G = 1)"


def test_units_of_the_caller_stand_in_the_file(points, tmp_path):
    found = aureole.find_halos(**points, linking_length=0.02, G=43007.1)
    with pytest.raises(aureole.ArgumentError, match="units: found none for numbers with G = 43007"):
        found.write(tmp_path / "c.hdf5")
    found.write(tmp_path / "c.hdf5", units="{length: Mpc, mass: 1e10 Msun, velocity: km/s}")
    with h5py.File(tmp_path / "c.hdf5") as file:
        assert file["Group"]["GroupPos"].attrs["to_cgs"] == pytest.approx(3.085678e24, rel=1e-6)
        assert "Units" not in file["Provenance"].attrs
    with pytest.raises(aureole.ConfigError):
        found.write(tmp_path / "c.hdf5", units="{length: parsnip}")


def test_quantities_are_written_in_their_units(points, tmp_path):
    u = pytest.importorskip("astropy.units")
    given = {"pos": points["pos"] * u.Mpc, "vel": points["vel"] * u.km / u.s, "mass": points["mass"] * 1e12 * u.Msun}
    found = aureole.find_halos(**given, linking_length=0.02 * u.Mpc)
    found.write(tmp_path / "c.hdf5")
    with h5py.File(tmp_path / "c.hdf5") as file:
        mass = file["Group"]["GroupMass"]
        assert np.allclose(mass[:] * mass.attrs["to_cgs"], found["GroupMass"].to_value(u.g), rtol=1e-12)
    found.write(tmp_path / "h.0.h5")
    assert np.allclose(arrays_of(tmp_path / "h.0.h5")["particle_position_x"], found["GroupPos"][:, 0].to_value(u.cm), rtol=1e-12)
    found.write(tmp_path / "h.csv")
    assert "GroupMass [solMass]" in (tmp_path / "h.csv").read_text().splitlines()[0]
    with pytest.raises(aureole.ArgumentError, match="the halos have units"):
        found.write(tmp_path / "c.hdf5", units="galactic")


def test_yt_opens_the_halos(found):
    yt = pytest.importorskip("yt")
    yt.set_log_level("error")
    data = found.to_yt().all_data()
    h, a = 0.7, 0.5
    assert np.allclose(np.sort(data["halos", "particle_mass"].to("Msun").d),
                       np.sort(np.asarray(found["GroupMass"])) * 1e10 / h, rtol=1e-3)  # Msun of yt has other digits
    assert np.allclose(np.sort(data["halos", "particle_position_x"].to("kpc").d),
                       np.sort(np.asarray(found["GroupPos"])[:, 0]) * a / h, rtol=1e-5)


@pytest.mark.parametrize("name, how, message", [("c.fits", {}, "expected a name that ends in .hdf5"),
                                                ("c.hdf5", {"format": "ahf"}, "format: found 'ahf'")])
def test_names_and_formats_that_are_not_known_are_refused(points, tmp_path, name, how, message):
    found = aureole.find_halos(**points, linking_length=0.02)
    with pytest.raises(aureole.ArgumentError, match=message):
        found.write(tmp_path / name, **how)
    assert not list(tmp_path.iterdir())


def test_halos_without_velocities_are_no_catalogue_for_yt(points, tmp_path):
    found = aureole.find_halos(points["pos"], 0.02)
    found.write(tmp_path / "c.hdf5")
    with pytest.raises(aureole.ArgumentError, match="GroupVel"):
        found.write(tmp_path / "h.0.h5")
    with pytest.raises(aureole.FileError) as error:
        found.write(tmp_path / "absent" / "c.hdf5")
    assert error.value.path.endswith("c.hdf5")


def test_a_catalogue_without_halos_is_written(tmp_path):
    aureole.find_halos(np.empty((0, 3)), 0.1).write(tmp_path / "c.hdf5")
    assert len(aureole.Catalogue.read(tmp_path / "c.hdf5")) == 0
    aureole.find_halos(np.random.default_rng(1).random((50, 3)), 1e-6).write(tmp_path / "d.hdf5")
    assert len(aureole.Catalogue.read(tmp_path / "d.hdf5")) == 0
