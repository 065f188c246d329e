"""Simulations of boxes in an expanding universe: those of the program, growth, halos, refusals."""
import numpy as np
import pytest

import aureole

UNIVERSE = {"omega_m": 0.3, "omega_b": 0.045, "h": 0.7, "spectral_index": 0.96, "sigma_8": 0.8}
SETTINGS = {"gravity.softening_kernel": "spline"}


@pytest.fixture(scope="module")
def young():
    return aureole.initial_conditions("cosmological", box=20.0, cosmology=UNIVERSE, redshift=24, field={"grid": 8}, seed=2)


def simulation(young, **arguments):
    given = {"softening": 0.3, "timestep": 0.05, "box": young.box, "cosmology": UNIVERSE, "time": young.header["time"],
             "settings": SETTINGS} | arguments
    return aureole.Simulation(young.pos, young.vel, young.mass, **given)


def state(sim):
    return np.concatenate((sim.pos.ravel(), sim.vel.ravel(), sim.potential, [sim.time]))


def test_it_is_the_run_of_the_program(young, program, tmp_path):
    config = tmp_path / "run.yaml"
    config.write_text("seed: 2\nbox: 20\ncosmology: " + str(UNIVERSE).replace("'", "") + "\n"
                      "initial_conditions: {model: cosmological, field: {grid: 8}}\n"
                      "gravity: {solver: treepm, softening: 0.3, softening_kernel: spline}\nintegrator: {timestep: 0.05}\n"
                      "run: {start_time: z=24, end_time: 0.2}\n"
                      f"output: {{directory: {tmp_path / 'run'}, units: run, snapshots: {{times: [0.2]}}}}\n")
    program("run", config)
    theirs = aureole.load(sorted((tmp_path / "run").glob("snapshot_*.hdf5"))[-1])
    of_file = aureole.Simulation.from_config(config).integrate(0.2)
    of_file.snapshot(tmp_path / "ours.hdf5")
    ours = aureole.load(tmp_path / "ours.hdf5")
    for name in ("pos", "vel", "mass", "ids"):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
    assert ours.header["redshift"] == pytest.approx(4.0, rel=1e-12) and ours.box == theirs.box
    of_arrays = simulation(young).integrate(0.2)
    assert of_arrays.n_steps == of_file.n_steps and of_arrays.box == 20.0
    assert np.allclose(of_arrays.pos, of_file.pos, rtol=0, atol=1e-6) and np.allclose(of_arrays.vel, of_file.vel, rtol=0, atol=1e-3)
    assert abs(of_arrays.energy().relative_error) < 0.01


def test_saved_simulation_continues_bit_for_bit(young, tmp_path):
    sim = simulation(young).integrate(0.06)
    sim.save(tmp_path / "state.bin")
    resumed = aureole.Simulation.resume(tmp_path / "state.bin")
    assert np.array_equal(state(resumed), state(sim)) and resumed.box == 20.0
    assert np.array_equal(state(resumed.integrate(0.09)), state(sim.integrate(0.09)))


def test_small_waves_grow_as_the_scale_factor():
    universe = {"omega_m": 1.0, "h": 0.7, "spectrum": "power_law", "spectral_index": -2.0, "sigma_8": 0.05}
    young = aureole.initial_conditions("cosmological", box=100.0, cosmology=universe, redshift=49, seed=3,
                                       field={"grid": 8, "order": 1})
    sites = 100 / 8 * np.stack(np.meshgrid(*[np.arange(8)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    moved = [(pos - sites + 50) % 100 - 50 for pos in (young.pos, simulation(young, cosmology=universe).integrate(0.08).pos)]
    growth = (moved[0] * moved[1]).sum() / (moved[0] ** 2).sum()
    assert growth == pytest.approx(4, rel=0.05)  # waves of a few sites of the lattice grow a little slower


def test_halos_are_those_of_its_snapshot(young, tmp_path):
    sim = simulation(young, timestep=0.1).integrate(1.0)
    sim.snapshot(tmp_path / "s.hdf5")
    ours = sim.halos(b=0.2, min_members=8, overdensities=["200c"])
    theirs = aureole.find_halos(aureole.load(tmp_path / "s.hdf5"), b=0.2, min_members=8, overdensities=["200c"])
    assert len(ours) == len(theirs) > 2 and np.array_equal(ours["GroupLen"], theirs["GroupLen"])
    for name in ("Group_M_Crit200", "Group_R_Crit200", "GroupVelDisp"):
        ratio = ours[name] / theirs[name]
        assert np.allclose(ratio[np.isfinite(ratio)], ratio[0], rtol=1e-5), name  # other units of length and mass
    assert np.allclose(ours["GroupVelDisp"], theirs["GroupVelDisp"], rtol=1e-5)


@pytest.mark.parametrize("arguments, message", [
    ({"cosmology": None}, "box and cosmology, or neither"), ({"box": None}, "box and cosmology, or neither"), ({"time": 0.0}, "scale factor"),
    ({"solver": "tree"}, "open space only"), ({"cosmology": UNIVERSE | {"omega_m": 0.35}}, "mass"), ({"box": 30.0}, "mass"),
    ({"cosmology": {"omega_m": 0.3}}, "cosmology.h")])
def test_what_does_not_work_is_named(young, arguments, message):
    with pytest.raises(ValueError, match=message):
        simulation(young, **arguments)
