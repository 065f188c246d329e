"""Power spectra against sums over all particles for every wave."""
import numpy as np
import pytest
from conftest import clumps

import aureole

SIDE = 3.0


@pytest.fixture(scope="module")
def pos():
    return SIDE * (clumps(11, 3000, spread=0.03) % 1.0)


def exact(pos, mass, last):
    """{whole wave number: (mean k, P, modes)} of the shells [i - 1/2, i + 1/2) up to `last`, by sums over particles."""
    n = np.arange(-last - 1, last + 2)
    waves = np.stack(np.meshgrid(n, n, n, indexing="ij"), axis=-1).reshape(-1, 3)
    length = np.linalg.norm(waves, axis=1)
    waves = waves[(length >= 0.5) & (length < last + 0.5)]
    k = 2 * np.pi / SIDE * np.linalg.norm(waves, axis=1)
    mode = np.concatenate([np.exp(-2j * np.pi / SIDE * (part @ pos.T)) @ mass for part in np.array_split(waves, 20)])
    power = SIDE ** 3 * np.abs(mode / mass.sum()) ** 2
    shell = np.floor(np.linalg.norm(waves, axis=1) + 0.5).astype(int)
    return {i: (k[shell == i].mean(), power[shell == i].mean(), int((shell == i).sum())) for i in range(1, last + 1)}


@pytest.mark.parametrize("equal", [True, False])
def test_shells_are_the_means_of_exact_modes(pos, equal):
    mass = np.ones(len(pos)) if equal else np.random.default_rng(1).uniform(0.5, 2, len(pos))
    found = aureole.power_spectrum(pos, mass, box=SIDE, mesh=32, folds=0)
    reference = exact(pos, mass, 8)
    assert found.mesh == 32 and len(found.k) == 15 and np.all(np.diff(found.k) > 0)
    for i, (k, power, modes) in reference.items():
        assert found.modes[i - 1] == modes
        assert found.k[i - 1] == pytest.approx(k, rel=1e-12)
        assert found.power[i - 1] == pytest.approx(power, rel=2e-4)  # what the mesh promises up to half of its Nyquist frequency
    assert found.shot_noise == pytest.approx(SIDE ** 3 * (mass ** 2).sum() / mass.sum() ** 2, rel=1e-12)
    assert np.allclose(found.error, found.power * np.sqrt(2 / found.modes))


def test_folds_reach_twice_as_far_each(pos):
    plain, folded = (aureole.power_spectrum(pos, box=SIDE, mesh=16, folds=folds) for folds in (0, 2))
    assert np.array_equal(folded.k[:len(plain.k)], plain.k) and np.array_equal(folded.power[:len(plain.k)], plain.power)
    assert len(folded.k) - len(plain.k) <= 16 and 3.5 < folded.k[-1] / plain.k[-1] < 4.5
    one = np.array([[0.1, 0.2, 0.3]])
    assert np.allclose(aureole.power_spectrum(one, box=SIDE, mesh=16, folds=3).power, SIDE ** 3, rtol=0.02)  # noise alone


def test_random_points_have_shot_noise():
    pos = np.random.default_rng(3).random((20000, 3))
    found = aureole.power_spectrum(pos, box=1.0, mesh=32)
    assert found.shot_noise == pytest.approx(1 / 20000, rel=1e-12)
    assert np.all(np.abs(found.power - found.shot_noise) < 6 * found.shot_noise * np.sqrt(2 / found.modes))


def test_images_layouts_and_threads_change_nothing(pos):
    expected = aureole.power_spectrum(pos, box=SIDE)
    before = aureole.num_threads()
    try:
        aureole.set_num_threads(1)
        assert np.array_equal(aureole.power_spectrum(tuple(pos.T), box=SIDE).power, expected.power)
    finally:
        aureole.set_num_threads(before)
    moved = pos + SIDE * np.random.default_rng(2).integers(-2, 3, pos.shape)
    assert np.allclose(aureole.power_spectrum(moved, box=SIDE).power, expected.power, rtol=1e-9, atol=0)
    assert np.array_equal(aureole.power_spectrum(pos[::-1], box=SIDE).power, expected.power)  # equal masses: any order


def test_a_snapshot_brings_its_box_and_units_are_kept(pos):
    lattice = {"box_side": 2.0, "growth_factor": 0.2, "wave_vectors": [[3, 0, 0]]}
    snapshot = aureole.initial_conditions("lattice", particles=16 ** 3, mass=1.0, lattice=lattice)
    found = aureole.power_spectrum(snapshot, folds=0)
    coarse = found.k < 8 * np.pi  # the lattice itself has waves from 16 along its side on
    assert found.k[coarse][np.argmax((found.power * found.modes)[coarse])] == pytest.approx(3 * np.pi, rel=0.1)
    assert np.array_equal(found.power, aureole.power_spectrum(snapshot.pos, snapshot.mass, box=2.0, folds=0).power)
    units = pytest.importorskip("astropy.units")
    plain = aureole.power_spectrum(pos, box=SIDE)
    of = aureole.power_spectrum(pos * units.Mpc, box=1000 * SIDE * units.kpc)
    assert np.allclose(of.k.to_value("1/Mpc"), plain.k, rtol=1e-12) and np.allclose(of.power.to_value("Mpc3"), plain.power, rtol=1e-9)
    assert of.shot_noise.to_value("Mpc3") == pytest.approx(plain.shot_noise)
    with pytest.raises(TypeError, match="box: found a plain number"):
        aureole.power_spectrum(pos * units.Mpc, box=SIDE)


@pytest.mark.parametrize("settings, message", [({}, "box: found None"), ({"box": 0.0}, "box"), ({"box": SIDE, "mesh": 4}, "mesh"),
                                               ({"box": SIDE, "mesh": 4096}, "mesh"), ({"box": SIDE, "folds": 21}, "fold"),
                                               ({"box": SIDE, "folds": -1}, "folds"), ({"box": SIDE, "mass": 0.0}, "mass"),
                                               ({"box": SIDE, "mass": -1.0}, "mass"), ({"box": np.nan}, "box")])
def test_what_does_not_work_is_named(pos, settings, message):
    with pytest.raises(aureole.ArgumentError, match=message):
        aureole.power_spectrum(pos, **settings)


def test_no_particles_are_an_argument_error():
    with pytest.raises(aureole.ArgumentError, match="particle"):
        aureole.power_spectrum(np.empty((0, 3)), box=1.0)
    with pytest.raises(ValueError, match="particle 1 has y"):
        aureole.power_spectrum(np.array([[0.1, 0, 0], [0, np.inf, 0]]), box=1.0)
