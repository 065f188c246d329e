"""Initial conditions: those of the program, and of the models' equations."""
import numpy as np
import pytest

import aureole

CASES = {
    "plummer": {"particles": 500, "mass": 2.0, "scale_radius": 0.5},
    "hernquist": {"particles": 500, "mass": 1.0, "scale_radius": 1.0, "anisotropy_radius": 3.0},
    "nfw": {"particles": 400, "mass": 1.0, "scale_radius": 1.0, "truncation_radius": 10.0},
    "uniform_sphere": {"particles": 300, "mass": 1.0, "scale_radius": 1.0, "velocities": "cold", "position": [1, 2, 3]},
    "lattice": {"particles": 512, "mass": 1.0, "lattice": {"box_side": 1.0, "growth_factor": 0.5, "wave_vectors": [[1, 0, 0]]}},
}


@pytest.mark.parametrize("units", ["nbody", "galactic"])
@pytest.mark.parametrize("model", CASES)
def test_models_are_those_of_the_program(model, units, program, tmp_path):
    made = aureole.initial_conditions(model, units=units, seed=5, **CASES[model])
    text = "\n".join(f"  {key}: {value}" for key, value in CASES[model].items()).replace("'", "")
    (tmp_path / "run.yaml").write_text(f"units: {units}\nseed: 5\ninitial_conditions:\n  model: {model}\n{text}\n")
    program("ics", tmp_path / "run.yaml", "-o", tmp_path / "start.hdf5")
    file = aureole.load(tmp_path / "start.hdf5")
    for name in ("pos", "vel", "mass"):
        assert np.allclose(getattr(made, name), getattr(file, name), rtol=4e-16, atol=0), name
    assert np.array_equal(made.ids, file.ids) and np.array_equal(made.types, file.types)
    assert made.box == file.box and (made.units is None) == (units == "nbody")
    same = aureole.initial_conditions(config=tmp_path / "run.yaml")
    assert np.array_equal(same.pos, made.pos) and np.array_equal(same.vel, made.vel)
    assert not np.array_equal(aureole.initial_conditions(config=tmp_path / "run.yaml", seed=6).pos, made.pos) or model == "lattice"


def test_a_plummer_sphere_has_its_mass_profile_and_is_in_equilibrium():
    made = aureole.initial_conditions("plummer", particles=20000, mass=1.0, scale_radius=1.0, seed=1)
    radius = np.linalg.norm(made.pos, axis=1)
    for r in (0.5, 1.0, 3.0):
        assert np.mean(radius < r) == pytest.approx((1 + r ** -2) ** -1.5, abs=5 * 0.5 / np.sqrt(20000))
    kinetic = 0.5 * (made.mass[:, None] * made.vel ** 2).sum()
    assert kinetic == pytest.approx(3 * np.pi / 64, rel=0.03)  # -E, by the virial theorem


def test_components_on_an_orbit_and_physical_units():
    pytest.importorskip("astropy")
    pair = [{"model": "plummer", "particles": 200, "mass": 10.0, "scale_radius": np.float64(2.0)},
            {"model": "plummer", "particles": 100, "mass": 5.0, "scale_radius": 1.0}]
    made = aureole.initial_conditions(pair, units=("kpc", "1e9 Msun", "km/s"), orbit={"separation": 40, "pericentre": 5, "eccentricity": 0.9}, seed=2)
    assert len(made) == 300 and made.mass.sum() == pytest.approx(15, rel=0.05)
    assert sorted(set(made.components)) == [0, 1]
    at = [made.pos[made.components == k].mean(axis=0) for k in (0, 1)]
    assert np.linalg.norm(at[0] - at[1]) == pytest.approx(40, rel=0.05)
    assert made.quantity("mass").to_value("Msun").sum() == pytest.approx(15e9, rel=0.05)


def test_a_snapshot_made_here_is_searched_and_simulated():
    made = aureole.initial_conditions("hernquist", particles=1000, mass=1.0, scale_radius=1.0, seed=3)
    assert aureole.find_halos(made, 0.5).lengths[0] > 300
    sim = aureole.Simulation(made.pos, made.vel, made.mass, softening=0.1, timestep=0.05)
    assert abs(sim.integrate(0.2).energy().relative_error) < 1e-3


@pytest.mark.parametrize("arguments, message", [
    ({"model": "plumer", "particles": 10, "mass": 1.0, "scale_radius": 1.0}, "plummer"),
    ({"model": "plummer", "particles": 10, "mass": 1.0, "radius": 1.0}, "radius"),
    ({"model": "plummer", "particles": -1, "mass": 1.0, "scale_radius": 1.0}, "particles"),
    ({"model": "plummer", "particles": 10, "mass": 1.0, "scale_radius": 1.0, "units": "parsec"}, "units"),
    ({}, "config"), ({"model": [{"model": "plummer"}], "mass": 1.0}, "mass")])
def test_what_does_not_work_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        aureole.initial_conditions(**arguments)


UNIVERSE = {"omega_m": 0.3, "omega_b": 0.045, "h": 0.7, "spectral_index": 0.96, "sigma_8": 0.8}


@pytest.mark.parametrize("field", [{"grid": 8}, {"grid": 6, "load": "bcc", "order": 1}, {"grid": 8, "fixed": True, "paired": True},
                                   {"grid": 8, "phases": "ngenic"}])
def test_a_young_universe_is_that_of_the_program(field, program, tmp_path):
    pytest.importorskip("astropy")
    made = aureole.initial_conditions("cosmological", box=40.0, cosmology=UNIVERSE, redshift=24, field=field, seed=1)
    text = ", ".join(f"{key}: {str(value).lower()}" for key, value in field.items())
    (tmp_path / "run.yaml").write_text("seed: 1\nbox: 40\nrun: {start_time: z=24}\n"
                                       "cosmology: " + str(UNIVERSE).replace("'", "") + "\n"
                                       f"initial_conditions: {{model: cosmological, field: {{{text}}}}}\n")
    program("ics", tmp_path / "run.yaml", "-o", tmp_path / "start.hdf5")
    file = aureole.load(tmp_path / "start.hdf5")
    assert made.header["comoving"] and made.header["redshift"] == pytest.approx(24, rel=1e-12) and made.header["omega0"] == 0.3
    for name in ("pos", "mass"):  # the file may count in other powers of h
        ratio = getattr(made, name).sum() / getattr(file, name).sum()
        assert np.allclose(getattr(made, name), ratio * getattr(file, name), rtol=1e-12, atol=0), name
    assert np.allclose(made.quantity("pos").to_value("kpc"), file.quantity("pos").to_value("kpc"), rtol=1e-9)
    assert np.allclose(made.quantity("vel").to_value("km/s"), file.quantity("vel").to_value("km/s"), rtol=1e-9, atol=1e-9)
    assert np.array_equal(made.ids, file.ids)
    same = aureole.initial_conditions(config=tmp_path / "run.yaml")
    assert np.array_equal(same.pos, made.pos) and np.array_equal(same.vel, made.vel) and same.box == made.box == 40.0


def test_fixed_modes_have_the_spectrum_and_move_as_growth_says():
    n, side, index = 16, 100.0, -1.5
    universe = {"omega_m": 1.0, "h": 0.7, "spectrum": "power_law", "spectral_index": index, "sigma_8": 0.8}
    made = aureole.initial_conditions("cosmological", box=side, cosmology=universe, redshift=49, seed=3,
                                      field={"grid": n, "order": 1, "fixed": True})
    sites = side / n * np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    moved = (made.pos - sites + side / 2) % side - side / 2
    # matter alone: D = a, and the peculiar velocity of a displacement is a H psi, with H = 100 h a^(-3/2) km/s/Mpc
    a = 1 / 50
    assert np.allclose(made.vel, a * 100 * a ** -1.5 * moved, rtol=1e-6, atol=1e-9)
    waves = 2 * np.pi * np.fft.fftfreq(n, side / n)
    k = np.stack(np.meshgrid(waves, waves, waves, indexing="ij"), axis=-1)
    length = np.linalg.norm(k, axis=-1)
    mode = np.fft.fftn(moved.reshape(n, n, n, 3), axes=(0, 1, 2)) / n ** 3
    density = -1j * (k * mode).sum(axis=-1)
    inside = (length > 0) & np.all(np.abs(k) < np.pi * n / side * 0.99, axis=-1)
    power = side ** 3 * np.abs(density[inside]) ** 2
    amplitude = power / length[inside] ** index
    assert np.allclose(amplitude, amplitude[0], rtol=1e-6)
    # sigma_8 by the integral of the power law over the filter of a sphere
    from scipy.integrate import quad
    window = quad(lambda x: x ** (index - 4) * 9 * (np.sin(x) - x * np.cos(x)) ** 2, 0, 400, limit=2000)[0]
    variance = amplitude[0] / a ** 2 * 8 ** -(index + 3) * window / (2 * np.pi ** 2)
    assert np.sqrt(variance) == pytest.approx(0.8, rel=2e-3)


@pytest.mark.parametrize("arguments, message", [
    ({"box": None}, "box"), ({"cosmology": None}, "cosmology"), ({"redshift": -2}, "redshift"), ({"redshift": None}, "start_time"),
    ({"cosmology": {"omega_m": 0.3, "h": 0.7, "sigma8": 0.8}}, "sigma_8"), ({"field": {"grid": 8, "lod": "bcc"}}, "load")])
def test_what_a_young_universe_lacks_is_named(arguments, message):
    given = {"box": 40.0, "cosmology": UNIVERSE, "redshift": 24, "field": {"grid": 8}} | arguments
    with pytest.raises(ValueError, match=message):
        aureole.initial_conditions("cosmological", **given)


def test_what_a_configuration_says_is_not_said_twice(tmp_path):
    (tmp_path / "run.yaml").write_text("initial_conditions: {model: plummer, particles: 10}\n")
    with pytest.raises(aureole.ArgumentError, match="box: found it and config"):
        aureole.initial_conditions(config=tmp_path / "run.yaml", box=1.0)
