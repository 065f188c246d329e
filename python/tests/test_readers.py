"""Files that other codes wrote (AUREOLE_TEST_DATA): load() beside pynbody, yt and h5py, column by column."""
import numpy as np
import pytest
from conftest import DATA

import aureole

TIPSY = ["tipsy/uniform32_z99.tipsy", "tipsy/tiny.000832", "tipsy/cube300/cube300.tbin"]
BINARY = ["gadget/lcdm_gas_littleendian.dat", "gadget/uniform32_z99.gadget", "fof/psi_snapshot_010", "galaxy/galaxy_bigendian.dat",
          "galaxy/galaxy_littleendian.dat"]
HDF5 = ["gadget/glass_32.hdf5", "cosmology/2lpt_32_z50.hdf5", "cosmology/cube300_z0.hdf5"]
#: files that these peers do not open themselves: without a box, or with other attributes than they expect
NOT_PYNBODY = {"cosmology/2lpt_32_z50.hdf5"}
NOT_YT = {"gadget/lcdm_gas_littleendian.dat", "galaxy/galaxy_bigendian.dat", "galaxy/galaxy_littleendian.dat"}
#: ids of 64 bits in the binary format, which yt takes for twice as many of 32
WIDE_IDS = {"gadget/uniform32_z99.gadget"}
#: a box in a tipsy file that says nothing of its units, which has to be told
NO_UNITS = {"tipsy/uniform32_z99.tipsy"}
#: particle types by the names of the peers
PYNBODY_TYPES = {"gas": (0,), "dm": (1,), "star": (2, 3, 4, 5)}
YT_TYPES = {"Gas": 0, "Halo": 1, "DarkMatter": 1, "Disk": 2, "Bulge": 3, "Stars": 4, "Bndry": 5} | {f"PartType{t}": t for t in range(6)}


def loaded(name):
    if not (DATA / name).exists():
        pytest.skip(f"{name} is not here (AUREOLE_TEST_DATA)")
    return aureole.load(DATA / name, units="nbody" if name in NO_UNITS else "")


def in_space(pos):
    """An order that does not depend on that of a reader."""
    return np.lexsort(np.asarray(pos, np.float32).T)


def expect_equal(ours, theirs, what):
    """To the bit, in the kind of number that the peer keeps."""
    theirs = np.asarray(theirs)
    assert ours.shape == theirs.shape, what
    assert np.array_equal(ours.astype(theirs.dtype), theirs), what


@pytest.mark.parametrize("name", TIPSY + BINARY + HDF5)
def test_columns_are_those_of_pynbody(name):
    pynbody = pytest.importorskip("pynbody")
    ours = loaded(name)
    if name in NOT_PYNBODY:
        with pytest.raises((TypeError, IndexError)):
            pynbody.load(str(DATA / name))
        pytest.skip(f"pynbody {pynbody.__version__} does not open {name}")
    theirs = pynbody.load(str(DATA / name))
    assert len(ours) == len(theirs)
    for family in theirs.families():
        chosen = np.isin(ours.types, PYNBODY_TYPES[family.name])
        part = theirs[family]
        expect_equal(ours.pos[chosen], part["pos"], (family, "pos"))
        expect_equal(ours.vel[chosen], part["vel"], (family, "vel"))
        expect_equal(ours.mass[chosen], part["mass"], (family, "mass"))
        if "iord" in theirs.loadable_keys():
            expect_equal(ours.ids[chosen], part["iord"], (family, "iord"))
    if ours.header["comoving"] and "boxsize" in theirs.properties:
        assert theirs.properties["a"] == pytest.approx(1 / (1 + ours.header["redshift"]), rel=1e-6)


@pytest.mark.parametrize("name", TIPSY + BINARY + HDF5)
def test_columns_are_those_of_yt(name):
    yt = pytest.importorskip("yt")
    yt.set_log_level("error")
    ours = loaded(name)
    if name in NOT_YT:
        with pytest.raises(TypeError):
            yt.load(str(DATA / name)).all_data()
        pytest.skip(f"yt {yt.__version__} does not open {name}")
    data = yt.load(str(DATA / name)).all_data()
    seen = 0
    for kind in data.ds.particle_types:
        if kind not in YT_TYPES:
            continue
        chosen = ours.types == YT_TYPES[kind]
        seen += chosen.sum()
        names = {field for of, field in data.ds.field_list if of == kind}
        mass = next(field for field in ("Masses", "Mass") if field in names)
        pos = ours.pos
        if name in TIPSY:  # yt moves what lies outside of the box to its faces
            pos = np.clip(pos, *(np.asarray(edge.to("code_length")) for edge in (data.ds.domain_left_edge, data.ds.domain_right_edge)))
        columns = [("Coordinates", "code_length", pos), ("Velocities", "code_velocity", ours.vel), (mass, "code_mass", ours.mass)]
        order = same = slice(None)
        if name not in TIPSY:
            order, same = in_space(ours.pos[chosen]), in_space(np.asarray(data[kind, "Coordinates"].to("code_length")))
        if name not in WIDE_IDS and "ParticleIDs" in names:
            assert np.array_equal(ours.ids[chosen][order], np.asarray(data[kind, "ParticleIDs"])[same].astype(np.uint64))
        for column, unit, values in columns:
            theirs = np.asarray(data[kind, column].to(unit))[same]
            assert np.allclose(theirs, values[chosen][order], rtol=1e-6, atol=0), (kind, column)  # yt multiplies in float
    assert seen == len(ours)


@pytest.mark.parametrize("name", HDF5)
def test_columns_are_those_of_the_file(name):
    h5py = pytest.importorskip("h5py")
    ours = loaded(name)
    with h5py.File(DATA / name) as file:
        for kind in range(6):
            if f"PartType{kind}" not in file or not (ours.types == kind).any():
                continue
            part, chosen = file[f"PartType{kind}"], ours.types == kind
            for column, values in (("Coordinates", ours.pos), ("Velocities", ours.vel), ("ParticleIDs", ours.ids), ("Masses", ours.mass)):
                if column in part:
                    expect_equal(values[chosen], part[column][:], (kind, column))
                else:
                    assert column == "Masses" and set(values[chosen]) == {file["Header"].attrs["MassTable"][kind]}
