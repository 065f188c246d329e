"""Quantities in, quantities out; never a mixture."""
import numpy as np
import pytest
from conftest import clumps

import aureole

POS = clumps(1, 1500) % 1.0
VEL = np.random.default_rng(1).normal(size=POS.shape)


@pytest.fixture(params=["astropy", "unyt"])
def of(request):
    """number, unit name -> quantity"""
    if request.param == "astropy":
        units = pytest.importorskip("astropy.units")
        return lambda number, unit: units.Quantity(number, unit)
    unyt = pytest.importorskip("unyt")
    return lambda number, unit: unyt.unyt_array(number, unit)


def test_lengths_are_converted_to_the_unit_of_pos(of):
    expected = aureole.group_labels(POS, 0.02)
    assert np.array_equal(aureole.group_labels(of(POS, "Mpc"), of(20.0, "kpc")), expected)
    assert np.array_equal(aureole.linkage(of(POS, "kpc"))[:, 2], aureole.linkage(POS)[:, 2])


def test_catalogue_has_units_and_newtons_constant(of):
    mass = np.full(len(POS), 2.0)
    found = aureole.find_halos(of(POS, "kpc"), of(20.0, "pc"), mass=of(mass, "Msun"), vel=of(VEL, "km/s"))
    g = 6.6743e-11 * 1.988409870698051e30 / (3.085677581491367e19 * 1e6)  # SI: the same of any library to 1e-4
    plain = aureole.find_halos(POS, 0.02, mass=mass, vel=VEL, G=g)
    assert np.array_equal(found.labels, plain.labels)
    for name, unit in (("GroupMass", "Msun"), ("GroupPos", "kpc"), ("GroupVel", "km/s"), ("GroupVmax", "km/s")):
        assert np.allclose(found[name].to_value(unit), plain[name], rtol=1e-4, atol=1e-12), name
    assert not hasattr(found["GroupLen"], "to_value")
    assert found[0].mass.to_value("Msun") == plain[0].mass


def test_softening_of_halos_has_the_unit_of_lengths(of):
    mass = np.ones(len(POS))
    found = aureole.find_halos(of(POS, "kpc"), of(20.0, "pc"), mass=of(mass, "Msun"), vel=of(VEL, "km/s"), softening=of(5.0, "pc"))
    plain = aureole.find_halos(POS, 0.02, mass=mass, vel=VEL, softening=0.005, G=4.300917e-6)
    assert np.allclose(found["GroupPotentialEnergy"].to_value("Msun*km**2/s**2"), plain["GroupPotentialEnergy"], rtol=1e-4, atol=0)


def test_forces_and_expansions_have_units(of):
    pos, mass = POS[:50], np.full(50, 1e10)
    found = aureole.forces(of(pos, "kpc"), of(mass, "Msun"), softening=of(10.0, "pc"), potential=True)
    g = 4.30091e-6
    plain = aureole.forces(pos, mass, softening=0.01, potential=True, G=g)
    assert np.allclose(found.acceleration.to_value("km**2/(s**2*kpc)"), plain.acceleration, rtol=1e-4, atol=0)
    assert np.allclose(found.potential.to_value("km**2/s**2"), plain.potential, rtol=1e-4, atol=0)
    one = aureole.expand(of(pos, "kpc"), of(mass, "Msun"), scale_radius=of(500.0, "pc"))
    two = aureole.expand(pos, mass, scale_radius=0.5, G=g)
    assert np.allclose(one.S, two.S, rtol=1e-12, atol=0)
    at = np.array([[0.3, 0.1, 0.2]])
    assert np.allclose(one.potential(of(300 * at, "pc")).to_value("km**2/s**2"), two.potential(0.3 * at), rtol=1e-4, atol=0)
    with pytest.raises(TypeError, match="x: found plain"):
        one.potential(at)


def test_fields_and_spheres_have_units(of):
    field = aureole.density_grid(of(POS, "Mpc"), of(np.ones(1500), "Msun"), cells=4, box=of(1.0, "Mpc"), method="cic")
    assert field["density"].to_value("Msun/Mpc**3").mean() == pytest.approx(1500, rel=1e-12)
    m, r = aureole.overdensity_spheres(of(POS, "kpc"), of(np.ones(1500), "Msun"), of(1000 * POS[:3], "pc"),
                                       thresholds=of([1e4], "Msun/kpc**3"))
    plain = aureole.overdensity_spheres(POS, 1.0, POS[:3], thresholds=[1e4])
    assert np.array_equal(m.to_value("Msun"), plain[0]) and np.array_equal(r.to_value("kpc"), plain[1])


@pytest.mark.parametrize("call, name", [
    (lambda q: aureole.group_labels(q(POS, "kpc"), 0.02), "linking_length"),
    (lambda q: aureole.group_labels(POS, q(0.02, "kpc")), "pos"),
    (lambda q: aureole.find_halos(q(POS, "kpc"), q(0.02, "kpc"), vel=VEL), "vel"),
    (lambda q: aureole.find_halos(q(POS, "kpc"), q(0.02, "kpc"), box=1.0), "box"),
    (lambda q: aureole.forces(q(POS, "kpc"), np.ones(1500)), "mass"),
    (lambda q: aureole.forces(q(POS, "kpc"), q(np.ones(1500), "Msun"), softening=0.1), "softening"),
    (lambda q: aureole.expand(q(POS, "kpc"), q(np.ones(1500), "Msun"), scale_radius=1.0), "scale_radius")])
def test_mixture_is_a_type_error_that_names_the_argument(of, call, name):
    with pytest.raises(TypeError, match=f"^{name}: found a plain number"):
        call(of)


def test_wrong_dimension_is_a_type_error_that_names_the_argument(of):
    with pytest.raises(TypeError, match="linking_length"):
        aureole.group_labels(of(POS, "kpc"), of(0.02, "s"))
    with pytest.raises(TypeError, match="pos"):
        aureole.group_labels(of(POS, "km/s"), of(0.02, "km/s"))


def test_cosmology_of_astropy_gives_overdensities():
    units, cosmology = pytest.importorskip("astropy.units"), pytest.importorskip("astropy.cosmology")
    q = units.Quantity
    flrw = cosmology.FlatLambdaCDM(H0=70, Om0=0.3)
    mass = q(np.full(len(POS), 1e10), "Msun")
    found = aureole.find_halos(q(POS, "Mpc"), q(0.02, "Mpc"), mass=mass, vel=q(VEL, "km/s"), cosmology=flrw,
                               overdensities=["200c"])
    critical = flrw.critical_density0.to("Msun/Mpc**3")
    row = int(np.argmax(found["Group_M_Crit200"]))
    density = found["Group_M_Crit200"][row] / (4 / 3 * np.pi * found["Group_R_Crit200"][row] ** 3)
    assert (density / critical).to_value("") == pytest.approx(200, rel=1e-4)
