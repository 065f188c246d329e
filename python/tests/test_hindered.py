"""Threads, forks, signals, callbacks: a right result or a named error, never a crash."""
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from conftest import clumps

import aureole


@pytest.mark.parametrize("work", [aureole.linkage, lambda pos: aureole.group_labels(pos, 0.05),
                                  lambda pos: aureole.forces(pos, 1.0, accuracy=1e-5),
                                  lambda pos: aureole.expand(pos, 1.0, n_max=20, l_max=12, scale_radius=1.0)])
def test_other_threads_run_while_a_call_works(work):
    pos, counted, done = clumps(1, 100000), [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.0005)
    switch = sys.getswitchinterval()
    other = threading.Thread(target=count)
    other.start()
    try:
        sys.setswitchinterval(1e-6)
        before = counted[0]
        for _ in range(3):
            work(pos)
        after = counted[0]
    finally:
        sys.setswitchinterval(switch)
        done.set()
        other.join()
    assert after > before + 10  # without the lock: once in a call, where numpy gives it away


def labels_of(pos):
    return aureole.group_labels(pos, 0.02)


def test_forked_child_works_after_the_parent_did():
    pos = clumps(3, 20000)
    expected = aureole.group_labels(pos, 0.02)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for labels in pool.map_async(labels_of, [pos, pos]).get(timeout=120):
            assert np.array_equal(labels, expected)


def end_of_simulation(pos):
    return aureole.Simulation(pos, 0 * pos, 1.0, softening=0.1, timestep=0.01).integrate(0.02).pos


def test_forked_child_integrates_after_the_parent_grouped():
    """Files and simulations are a module of their own, and share the threads with the other."""
    pos = clumps(3, 5000)
    aureole.group_labels(pos, 0.02)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        found = pool.map_async(end_of_simulation, [pos]).get(timeout=120)[0]
    assert np.array_equal(found, end_of_simulation(pos))


def test_threads_are_chosen_for_simulations_too():
    before = aureole.num_threads()
    try:
        aureole.set_num_threads(before + 1)
        assert aureole._run.num_threads() == before + 1
    finally:
        aureole.set_num_threads(before)


@pytest.mark.parametrize("call", ["aureole.group_labels(pos, 0.002, progress=stop)", "aureole.linkage(pos, progress=stop)",
                                  "aureole.find_halos(pos, 0.002, progress=stop)",
                                  "aureole.forces(pos, 1.0, progress=stop)",
                                  "aureole.forces(pos, 1.0, solver='direct', progress=stop)",
                                  "aureole.expand(pos, 1.0, scale_radius=1.0, progress=stop)",
                                  "aureole.overdensity_spheres(pos, 1.0, pos[:9], thresholds=[1e5], progress=stop)",
                                  "aureole.subhalos(pos, pos, 1.0, np.zeros(50000, int), progress=stop)",
                                  "aureole.density_octree(lattice, box=1.0, progress=stop)",
                                  "aureole.sheet_at(pos, lattice, box=1.0, progress=stop)",
                                  "aureole.power_spectrum(pos, box=1.0, progress=stop)",
                                  "aureole.density_grid(pos, cells=16, box=1.0, method='cic', progress=stop)",
                                  "aureole.Simulation(pos, 0 * pos, 1.0, softening=0.1, timestep=1.0).integrate(9.0, progress=stop)"])
def test_interrupt_ends_the_work_and_leaves_a_working_package(call):
    script = textwrap.dedent(f"""
        import os, signal
        import numpy as np, aureole
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
        pos = np.random.default_rng(1).random((50000, 3))
        lattice = np.stack(np.meshgrid(*[np.arange(8) / 8] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
        calls = []
        def stop(what, fraction):
            calls.append(what)
            os.kill(os.getpid(), signal.SIGINT)
        try:
            {call}
            print("not interrupted")
        except KeyboardInterrupt:
            print("interrupted after", len(calls))
        print(len(aureole.group_labels(pos[:100], 0.1)))
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout.splitlines() == ["interrupted after 1", "100"], done.stdout + done.stderr


def test_callback_is_told_the_fraction_and_what_it_raises_is_passed_on():
    seen = []
    aureole.group_labels(clumps(1, 5000), 0.02, progress=lambda what, fraction: seen.append((what, fraction)))
    fractions = [fraction for _, fraction in seen]
    assert fractions == sorted(fractions) and 0 <= fractions[0] and fractions[-1] <= 1 and all(what for what, _ in seen)

    def fail(what, fraction):
        raise ZeroDivisionError("from the callback")
    with pytest.raises(ZeroDivisionError, match="from the callback"):
        aureole.group_labels(clumps(1, 5000), 0.02, progress=fail)


def flat(found):
    """The arrays of a result, one after another."""
    if isinstance(found, np.ndarray):
        return [found]
    return [array for one in found if one is not None for array in flat(one)]


def coefficients(pos, samples, **how):
    found = aureole.expand(pos, 1.0, scale_radius=0.5, centre=(0.5, 0.5, 0.5), samples=samples, **how)
    return found.S, found.T, found.variances


@pytest.mark.parametrize("work", [lambda pos, **how: aureole.forces(pos, 1.0, potential=True, **how),
                                  lambda pos, **how: aureole.forces(pos, 1.0, targets=pos[::7], opening_angle=0.9, accuracy=0, **how),
                                  lambda pos, **how: aureole.forces(pos, 1.0, precision="double", solver="direct", **how),
                                  lambda pos, **how: aureole.forces(pos, 1.0, solver="direct", targets=pos[:5000], **how),
                                  lambda pos, **how: coefficients(pos, 1, **how),
                                  lambda pos, **how: coefficients(pos, 4, **how),
                                  lambda pos, **how: aureole.overdensity_spheres(pos, 1.0, pos[:2000], thresholds=[1e5], **how)],
                         ids=["tree", "tree by angle", "direct", "direct at targets", "coefficients", "samples", "spheres"])
def test_work_that_tells_its_fraction_has_the_bits_of_work_that_does_not(work):
    pos, seen = clumps(1, 20000), []
    told = flat(work(pos, progress=lambda what, fraction: seen.append(fraction)))
    assert seen and seen == sorted(seen) and 0 <= seen[0] and seen[-1] < 1
    for one, other in zip(told, flat(work(pos)), strict=True):
        assert np.array_equal(one, other)


def test_long_work_is_interrupted_within_a_second_without_a_callback():
    script = textwrap.dedent("""
        import signal, threading, time, os
        import numpy as np, aureole
        signal.signal(signal.SIGINT, signal.default_int_handler)
        pos = np.random.default_rng(1).random((300000, 3))
        aureole.set_num_threads(1)
        works = [lambda: aureole.forces(pos, 1.0, solver="direct", precision="double"), lambda: aureole.forces(pos, 1.0, accuracy=1e-6),
                 lambda: aureole.expand(pos, 1.0, n_max=40, l_max=30, scale_radius=1.0),
                 lambda: aureole.expand(pos[:1000], 1.0, n_max=40, l_max=30, scale_radius=1.0).potential(np.tile(pos, (5, 1)))]
        for work in works:
            at = []
            timer = threading.Timer(0.5, lambda: (at.append(time.monotonic()), os.kill(os.getpid(), signal.SIGINT)))
            timer.start()
            try:
                work()
                print("not interrupted")
            except KeyboardInterrupt:
                print(time.monotonic() - at[0])
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    waits = [float(word) for word in done.stdout.split()]
    # About a second of one thread, on a machine that is busy; a sanitizer slows its loops ten to twenty times.
    longest = 60 if "libasan" in os.environ.get("LD_PRELOAD", "") else 5
    assert len(waits) == 4 and max(waits) < longest, done.stdout


def test_progress_bar_is_written_to_the_terminal(capsys):
    aureole.group_labels(clumps(1, 5000), 0.02, progress=True)
    assert "%" in capsys.readouterr().err


def test_too_little_memory_is_a_memory_error(monkeypatch):
    monkeypatch.setenv("AUREOLE_CPU_MEMORY_MB", "1")
    with pytest.raises(MemoryError, match="MB wanted") as found:
        aureole.linkage(np.random.default_rng(1).random((100000, 3)))
    assert isinstance(found.value, aureole.MemoryError)
    assert found.value.wanted > 1e5 and found.value.held >= 0 and found.value.available <= 1e6


def test_numbers_of_threads_below_one_are_refused():
    with pytest.raises(aureole.ArgumentError, match="at least 1"):
        aureole.set_num_threads(0)


def run(*words):
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=120)


def test_console_program_comes_with_the_package():
    assert run("-m", "aureole._program", "--version").stdout.startswith("aureole ")
    assert run("-m", "aureole._program", "find", "/nothing").returncode != 0


def test_script_runs_with_the_accelerated_dbscan(tmp_path):
    pytest.importorskip("sklearn")
    script = tmp_path / "script.py"
    script.write_text("import sys\nfrom sklearn.cluster import DBSCAN\nprint(DBSCAN.__module__, sys.argv[1:])\n")
    assert run("-m", "aureole.accel", str(script), "word").stdout.split() == ["aureole.cluster", "['word']"]


def test_import_costs_numpy_alone():
    script = "import sys, aureole; print([m for m in ('scipy', 'sklearn', 'pandas', 'astropy', 'yt', 'h5py', 'tqdm') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout.strip() == "[]"


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="needs /proc")
@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="with sanitizers sources are compiled in batches, which "
                    "bring HDF5 along")
def test_arrays_alone_load_no_hdf5():
    script = ("import numpy as np, aureole; aureole.find_halos(np.random.default_rng(0).random((100, 3)), 0.3); "
              "print('libhdf5' in open('/proc/self/maps').read())")
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout.strip() == "False"


def peak_memory(work, n):
    """Bytes a point of `work` above the interpreter with its imports and input."""
    script = textwrap.dedent(f"""
        import numpy as np, aureole
        from aureole.cluster import DBSCAN
        def bytes_of(name):
            return 1024 * int(open("/proc/self/status").read().split(name + ":")[1].split()[0])
        pos = np.random.default_rng(1).random(({n}, 3))
        aureole.group_labels(pos[:100], 0.1); DBSCAN(0.1).fit(pos[:100])
        before = bytes_of("VmRSS")
        {work}
        print((bytes_of("VmHWM") - before) / {n})
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return float(done.stdout)


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")
def test_memory_a_point_is_bounded():
    assert peak_memory("aureole.group_labels(pos, 0.002, min_members=20)", 1000000) < 100
    assert peak_memory("aureole.group_labels(pos, 0.002)", 1000000) < 100  # a million groups of one point or two
    assert peak_memory("DBSCAN(0.005, min_samples=5).fit(pos)", 1000000) < 300
