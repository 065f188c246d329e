"""Simulation: orbits, energies, bits of resumed runs, callbacks."""
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from conftest import clumps, plummer, text_table
from device_emulation import OnGpu, on_host

import aureole


def two_bodies():
    """A circular orbit of unit separation and period 2 pi, G = 1, masses 1/2."""
    return np.array([[-0.5, 0, 0], [0.5, 0, 0]]), np.array([[0, -0.5, 0], [0, 0.5, 0]]), np.array([0.5, 0.5])


@pytest.fixture(scope="module")
def sphere():
    pos = plummer(3, 400)
    return pos, 0.3 * np.random.default_rng(3).normal(size=pos.shape), np.full(400, 1 / 400)


def state(sim):
    return np.concatenate((sim.pos.ravel(), sim.vel.ravel(), sim.acceleration.ravel(), sim.potential, [sim.time]))


def test_circular_orbit_closes():
    sim = aureole.Simulation(*two_bodies(), solver="direct", precision="double", timestep=2 * np.pi / 1000)
    assert sim.integrate(2 * np.pi) is sim
    assert np.allclose(sim.pos, two_bodies()[0], atol=1e-4) and sim.n_steps == 1000  # leapfrog: (2 pi / 1000)^2 of phase
    assert sim.time == pytest.approx(2 * np.pi, rel=1e-12)


def test_energy_is_that_of_the_particles_and_kept(sphere):
    sim = aureole.Simulation(*sphere, softening=0.1, solver="direct", precision="double", timestep=0.01)
    first = sim.energy()
    pos, vel, mass = sphere
    d = np.linalg.norm(pos[:, None] - pos[None], axis=2)
    potential = -0.5 * ((mass[:, None] * mass / np.sqrt(d ** 2 + 0.01)).sum() - (mass ** 2).sum() / 0.1)
    assert first.kinetic == pytest.approx(0.5 * (mass[:, None] * vel ** 2).sum(), rel=1e-12)
    assert first.potential == pytest.approx(potential, rel=1e-10)
    assert first.total == first.kinetic + first.potential and first.relative_error == 0
    assert np.allclose(first.momentum, (mass[:, None] * vel).sum(axis=0), rtol=1e-9, atol=1e-15)
    last = sim.integrate(1.0).energy()
    assert 0 < abs(last.relative_error) < 1e-3
    assert last.relative_error == pytest.approx((last.total - first.total) / abs(first.total), rel=1e-6)


@pytest.mark.parametrize("settings", [{"timestep": 0.01}, {"eta": 0.05}, {"timestep": 0.02, "solver": "direct"},
                                      {"timestep": 0.02, "solver": "scf", "precision": "double"}])
def test_resumed_simulation_continues_bit_for_bit(sphere, settings, tmp_path):
    def new():
        return aureole.Simulation(*sphere, softening=0.1, **settings)
    undisturbed = new().integrate(0.3).integrate(0.6)
    stopped = new().integrate(0.3)
    stopped.save(tmp_path / "state.bin")
    resumed = aureole.Simulation.resume(tmp_path / "state.bin")
    assert np.array_equal(state(resumed), state(stopped))
    resumed.integrate(0.6)
    assert np.array_equal(state(resumed), state(undisturbed)) and resumed.n_steps == undisturbed.n_steps
    assert resumed.energy().relative_error == undisturbed.energy().relative_error


def test_stops_between_fixed_steps_change_no_bit(sphere):
    whole = aureole.Simulation(*sphere, softening=0.1, timestep=0.01).integrate(0.5)
    parts = aureole.Simulation(*sphere, softening=0.1, timestep=0.01)
    for time in (0.1, 0.13, 0.4, 0.5):
        parts.integrate(time)
    assert np.array_equal(state(whole), state(parts))


def test_another_end_is_reached_by_a_shorter_step():
    sim = aureole.Simulation(*two_bodies(), timestep=0.1)
    assert sim.integrate(0.25).time == 0.25 and sim.n_steps == 3


def test_simulation_has_the_bits_of_a_run(sphere, program, tmp_path):
    h5py = pytest.importorskip("h5py")
    pos, vel, mass = sphere
    table = text_table(tmp_path / "points.txt", pos, mass, vel)
    config = tmp_path / "run.yaml"
    config.write_text(textwrap.dedent(f"""
        units: nbody
        initial_conditions: {{components: [{{model: file, file: {table}}}]}}
        gravity: {{solver: tree, softening: 0.1}}
        integrator: {{timestep: 0.01}}
        run: {{end_time: 0.2}}
        output: {{directory: {tmp_path / "run"}, units: run}}
    """))
    program("run", config)
    with h5py.File(sorted((tmp_path / "run").glob("snapshot_*.hdf5"))[-1]) as file:
        theirs = file["PartType1/Coordinates"][:], file["PartType1/Velocities"][:]
    of_arrays = aureole.Simulation(pos, vel, mass, softening=0.1, timestep=0.01).integrate(0.2)
    of_file = aureole.Simulation.from_config(config).integrate(0.2)
    for sim in (of_arrays, of_file):
        assert np.array_equal(sim.pos.astype(theirs[0].dtype), theirs[0])
        assert np.array_equal(sim.vel.astype(theirs[1].dtype), theirs[1])


def test_callbacks_come_at_their_times_and_may_end_it(sphere):
    sim = aureole.Simulation(*sphere, softening=0.1, timestep=0.01)
    times = []

    @sim.on(every=0.1)
    def note(one):
        assert one is sim
        times.append(round(one.time, 9))
    sim.integrate(0.35)
    assert times == [0.1, 0.2, 0.3]

    @sim.on(every=0.05)
    def fail(one):
        raise ZeroDivisionError("enough")
    with pytest.raises(ZeroDivisionError, match="enough"):
        sim.integrate(1.0)
    assert sim.time == pytest.approx(0.4, rel=1e-12)


def test_generator_gives_times(sphere):
    sim = aureole.Simulation(*sphere, softening=0.1, timestep=0.05)
    assert [round(t, 9) for t in sim.steps(every=0.1, until=0.3)] == [0.1, 0.2, 0.3]


def test_interrupt_leaves_a_simulation_that_goes_on():
    script = textwrap.dedent("""
        import os, signal
        import numpy as np, aureole
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
        pos = np.random.default_rng(1).normal(size=(200, 3))
        sim = aureole.Simulation(pos, 0 * pos, 1 / 200, softening=0.1, timestep=0.01)
        seen = []
        def stop(what, fraction):
            seen.append(fraction)
            if len(seen) == 5:
                os.kill(os.getpid(), signal.SIGINT)
        try:
            sim.integrate(1.0, progress=stop)
        except KeyboardInterrupt:
            print("interrupted", sim.n_steps)
        whole = aureole.Simulation(pos, 0 * pos, 1 / 200, softening=0.1, timestep=0.01).integrate(1.0)
        print(np.array_equal(sim.integrate(1.0).pos, whole.pos))
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines() == ["interrupted 4", "True"], done.stdout + done.stderr


def test_snapshot_is_read_back(sphere, tmp_path):
    sim = aureole.Simulation(*sphere, softening=0.1, timestep=0.01, units="galactic").integrate(0.01)
    sim.snapshot(tmp_path / "s.hdf5")
    again = aureole.load(tmp_path / "s.hdf5")
    assert np.allclose(again.pos, sim.pos, rtol=1e-12, atol=1e-15) and np.allclose(again.mass, sim.mass, rtol=1e-12, atol=0)
    assert again.header["time"] == pytest.approx(sim.time, rel=1e-12)


def test_units_change_the_numbers_and_nothing_else(sphere):
    pos, vel, mass = sphere
    g = 43021.93  # kpc, 1e10 Msun, km/s to six digits
    physical = aureole.Simulation(pos, np.sqrt(g) * vel, mass, softening=0.1, timestep=0.01 / np.sqrt(g), units="galactic")
    plain = aureole.Simulation(pos, vel, mass, softening=0.1, timestep=0.01)
    assert physical.G == pytest.approx(g, rel=1e-4)
    physical.integrate(0.1 / np.sqrt(g))
    assert np.allclose(physical.pos, plain.integrate(0.1).pos, rtol=0, atol=1e-4)


def test_set_replaces_and_evaluates(sphere):
    pos, vel, mass = sphere
    sim = aureole.Simulation(pos, vel, mass, softening=0.1, timestep=0.01, solver="direct")
    sim.set(pos=2 * pos)
    fresh = aureole.Simulation(2 * pos, vel, mass, softening=0.1, timestep=0.01, solver="direct")
    assert np.array_equal(state(sim), state(fresh))
    sim.set(vel=0 * vel)
    assert not sim.vel.any() and np.array_equal(sim.pos, fresh.pos)
    with pytest.raises(ValueError, match="vel: found 399"):
        sim.set(vel=vel[1:])


def test_halos_of_the_present_state(sphere):
    sim = aureole.Simulation(*sphere, softening=0.1, timestep=0.01).integrate(0.05)
    found = sim.halos(0.5)
    assert np.array_equal(found.labels, aureole.group_labels(sim.pos, 0.5, min_members=20))
    assert "GroupVel" in found.columns


@pytest.mark.parametrize("arguments, error, message", [
    ({}, ValueError, "timestep"), ({"timestep": 0.1, "eta": 0.1}, ValueError, "not both"), ({"timestep": -1.0}, ValueError, "timestep"),
    ({"timestep": 0.1, "softening": [1, 2]}, ValueError, "found 2 lengths"),
    ({"timestep": 0.1, "settings": {"gravity.solvr": "tree"}}, aureole.ConfigError, "gravity.solver"),
    ({"timestep": 0.1, "solver": "fmm"}, aureole.ConfigError, "fmm"), ({"timestep": 0.1, "units": ("kpc",)}, ValueError, "three units"),
    ({"timestep": 0.1, "integrator": "rk4"}, aureole.ConfigError, "rk4"), ({"timestep": 0.1, "device": "cuda:99"}, aureole.DeviceError, "cuda:99")])
def test_settings_that_do_not_work_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        aureole.Simulation(*two_bodies(), **arguments)


def test_particles_that_do_not_work_are_refused(tmp_path):
    pos, vel, mass = two_bodies()
    with pytest.raises(ValueError, match="particle 1"):
        aureole.Simulation(pos, np.array([[0, 0, 0], [np.nan, 0, 0]]), mass, timestep=0.1)
    with pytest.raises(ValueError, match="no particle"):
        aureole.Simulation(np.empty((0, 3)), np.empty((0, 3)), 1.0, timestep=0.1)
    sim = aureole.Simulation(pos, vel, mass, timestep=0.1).integrate(1.0)
    with pytest.raises(ValueError, match="until"):
        sim.integrate(0.5)
    damaged = tmp_path / "damaged.bin"
    sim.save(damaged)
    damaged.write_bytes(damaged.read_bytes()[:-7])
    with pytest.raises(aureole.FileError, match="damaged.bin"):
        aureole.Simulation.resume(damaged)


def test_citations_are_those_of_the_program(program, sphere, tmp_path):
    sim = aureole.Simulation(*sphere, softening=0.1, solver="tree", timestep=0.01)
    text = sim.cite()
    assert "octree with quadrupoles (Barnes & Hut 1986)" in text and "@article{BarnesHut1986," in text
    assert text.endswith(sim.cite(bibtex=True)) and sim.cite(bibtex=True).startswith("@software{Aureole,")
    file = tmp_path / "run.yaml"
    file.write_text("initial_conditions: {model: plummer, particles: 10, mass: 1, scale_radius: 1}\nrun: {end_time: 1}\n"
                    "integrator: {timestep: 0.1}\n")
    assert aureole.cite(file, bibtex=True).count("@") == program("cite", file, "--bibtex").count("@") == 4
    with pytest.raises(aureole.FileError, match="config.resolved.yaml"):
        aureole.cite(tmp_path)


STATE = ("pos", "vel", "acceleration", "potential", "mass", "ids", "types")


@pytest.mark.parametrize("settings", [{"timestep": 0.01}, {"eta": 0.05, "units": "galactic"}, {"timestep": 0.02, "solver": "scf"}],
                         ids=str)
def test_simulations_are_those_of_numpy(emulated, settings, tmp_path):
    place, random = plummer(1, 500), np.random.default_rng(2)
    more = {"mass": random.random(500) / 500, "ids": random.permutation(500), "types": np.arange(500) % 6}
    vel = 0.3 * random.normal(size=place.shape)
    expected = aureole.Simulation(place, vel, softening=0.1, **more, **settings)
    found = aureole.Simulation(OnGpu(place), OnGpu(vel), softening=0.1, **{name: OnGpu(x) for name, x in more.items()}, **settings)
    brought = aureole.Simulation(place, vel, softening=0.1, device="cuda", **more, **settings)

    def expect_equal():
        for name in STATE:
            column = getattr(expected, name)
            assert on_host(getattr(found, name)).tolist() == column.tolist(), name
            assert isinstance(getattr(brought, name), np.ndarray) and np.array_equal(getattr(brought, name), column), name
        assert all(np.array_equal(one, other) for one, other in zip(found.energy(), expected.energy(), strict=True))
    expect_equal()
    for sim in (expected, found, brought):
        sim.integrate(0.1)
    expect_equal()
    for sim in (expected, brought):
        sim.set(vel=-vel)
    found.set(vel=OnGpu(-vel))
    expect_equal()
    for sim in (expected, brought):
        sim.set(pos=1.1 * place)
    found.set(pos=OnGpu(1.1 * place))
    expect_equal()
    found.save(tmp_path / "state.bin")
    assert np.array_equal(aureole.Simulation.resume(tmp_path / "state.bin").integrate(0.2).pos, expected.integrate(0.2).pos)


def test_halos_of_a_simulation_are_those_of_its_arrays(emulated):
    pos = clumps(1, 5000)
    there = aureole.Simulation(OnGpu(pos), OnGpu(0 * pos), 1.0, softening=0.1, timestep=0.01)
    here = aureole.Simulation(pos, 0 * pos, 1.0, softening=0.1, timestep=0.01)
    expected = here.halos(0.02)
    assert np.array_equal(np.asarray(there.halos(0.02).labels), expected.labels) and len(expected) > 1
    brought = aureole.Simulation(pos, 0 * pos, 1.0, softening=0.1, timestep=0.01, device="cuda:0")
    assert np.array_equal(brought.halos(0.02).labels, expected.labels)


def test_state_of_a_simulation_on_a_device_is_replaced_by_arrays_there(emulated):
    place = plummer(1, 50)
    sim = aureole.Simulation(OnGpu(place), OnGpu(place), 1.0, timestep=0.01)
    with pytest.raises(aureole.ArgumentError, match="pos: found an array in host memory"):
        sim.set(pos=place)
    with pytest.raises(aureole.ArgumentError, match="pos: found 49 entries, expected 50"):
        sim.set(pos=OnGpu(place[1:]))
    with pytest.raises(aureole.ArgumentError, match="vel: found 49 entries, expected 50"):
        sim.set(vel=OnGpu(place[1:]))
