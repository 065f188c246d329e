"""Pages below the cells of a notebook: what the kernel tells them, and what it answers."""
import json
import pathlib
import subprocess
import time

import numpy as np
import pytest

import aureole

pytest.importorskip("anywidget")
PROGRAM = pathlib.Path(aureole.__file__).parent / "bin" / "aureole"


def simulation():
    rng = np.random.default_rng(5)
    return aureole.Simulation(rng.normal(size=(300, 3)), 0.3 * rng.normal(size=(300, 3)), 1 / 300, softening=0.1, solver="direct",
                              timestep=0.05)


def test_a_simulation_tells_what_integrate_does():
    sim = simulation()
    widget = sim.widget(every=0.1)
    told = []
    widget.observe(lambda change: told.append(json.loads(change["new"])), "state")
    first = widget.frame
    sim.integrate(0.4)
    progress = [json.loads(state["progress"]) for state in told]
    assert [p["status"] for p in progress] == ["running"] * 4 + ["idle"]
    assert [p["time"] for p in progress] == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.4])
    assert [p["fraction"] for p in progress] == pytest.approx([0.25, 0.5, 0.75, 1, 1])
    assert widget.frame[0] > first[0] and widget.frame[1] != first[1]
    assert widget.frame[1].startswith(b"\x89PNG") and widget.frame[2] == "t = 0.4"
    names, *rows = widget.logs["energy.csv"].splitlines()
    assert names.split(",") == ["time", "kinetic", "potential", "total", "relative_error"]
    assert [float(row.split(",")[0]) for row in rows] == pytest.approx([0, 0.1, 0.2, 0.3, 0.4])
    assert float(rows[-1].split(",")[3]) == sim.energy().total
    assert told[-1]["logs"]["energy.csv"] == len(widget.logs["energy.csv"])


def test_the_device_of_the_simulation_is_told(monkeypatch):
    sim = simulation()
    told = [json.loads(json.loads(sim.widget(every=1).state)["progress"])["device"]]
    monkeypatch.setattr(aureole.Simulation, "device", property(lambda self: "cuda:1"))
    told.append(json.loads(json.loads(sim.widget(every=1).state)["progress"])["device"])
    assert told == ["cpu", "cuda:1"]


def test_another_line_of_sight_is_drawn_at_once():
    widget = simulation().widget(every=1)
    before = widget.frame
    widget.axis = "x"
    assert widget.frame[0] == before[0] + 1 and widget.frame[1] != before[1]


def test_a_widget_changes_no_bit():
    plain, watched = simulation(), simulation()
    watched.widget(every=0.1)
    plain.integrate(0.4)
    watched.integrate(0.4)
    assert np.array_equal(plain.pos, watched.pos) and np.array_equal(plain.vel, watched.vel)


def test_what_a_callback_raises_leaves_the_widget_idle():
    sim = simulation()
    widget = sim.widget(every=0.1)

    @sim.on(every=0.2)
    def fails(_):
        raise KeyError("of the user")
    with pytest.raises(KeyError):
        sim.integrate(0.4)
    assert json.loads(json.loads(widget.state)["progress"])["status"] == "idle"


def test_a_long_log_is_thinned():
    from aureole.widget import SimulationWidget

    sim = simulation()
    widget = SimulationWidget(sim)
    widget._rows = [(float(k), 0.0, 0.0, 0.0, 0.0) for k in range(-5000, 0)]
    widget.show(sim, 0, False)
    rows = widget.logs["energy.csv"].splitlines()[1:]
    assert len(rows) < 2600 and rows[0].startswith("-5000.0,") and rows[-1].startswith("0.0,")


def test_a_run_is_told_and_its_files_are_answered(finished_run):
    widget = aureole.watch(finished_run)
    state = json.loads(widget.state)
    assert (state["name"], state["pictures"]) == ("made", [[0, 2]])
    answers = []
    widget.send = lambda answer, buffers=None: answers.append((answer, buffers))
    widget._answer(widget, {"id": 1, "what": "log", "name": "energy.csv", "from": 0, "most": 4000}, [])
    widget._answer(widget, {"id": 2, "what": "picture", "number": 1}, [])
    widget._answer(widget, {"id": 3, "what": "picture", "number": 9}, [])
    widget._answer(widget, {"id": 4, "what": "log", "name": "../run.yaml", "from": 0, "most": 9}, [])
    widget._answer(widget, {"id": 5, "what": "picture", "number": "none"}, [])
    energies = finished_run / "energy.csv"
    assert answers[0][0] == {"id": 1, "rows": {"text": energies.read_text(), "next": energies.stat().st_size}}
    assert answers[1] == ({"id": 2, "found": True, "time": "t = 0.1"}, [(finished_run / "projection_001.png").read_bytes()])
    assert answers[2][0] == {"id": 3, "found": False}
    assert answers[3][0] == {"id": 4, "rows": None}
    assert "ValueError" in answers[4][0]["error"]
    widget.close()


def test_a_run_that_goes_on_is_followed(finished_run):
    widget = aureole.watch(finished_run, interval=0.05)
    subprocess.run([PROGRAM, "run", "--resume", "made", "--set", "run.end_time=0.4", "--quiet"], cwd=finished_run.parent, check=True)
    end = time.monotonic() + 60
    while json.loads(widget.state)["pictures"] != [[0, 4]] and time.monotonic() < end:
        time.sleep(0.05)
    assert json.loads(widget.state)["pictures"] == [[0, 4]]
    widget.close()


def test_what_is_no_run_is_refused(tmp_path):
    with pytest.raises(aureole.FileError, match="no outputs of a run"):
        aureole.watch(tmp_path)
    with pytest.raises(aureole.ArgumentError, match="interval"):
        aureole.watch(tmp_path, interval=0)


def test_a_box_in_an_expanding_universe_is_told_by_its_scale_factor():
    universe = {"omega_m": 0.3, "omega_b": 0.045, "h": 0.7, "spectral_index": 0.96, "sigma_8": 0.8}
    young = aureole.initial_conditions("cosmological", box=20.0, cosmology=universe, redshift=24, field={"grid": 8}, seed=2)
    sim = aureole.Simulation(young.pos, young.vel, young.mass, softening=0.3, timestep=0.05, box=young.box, cosmology=universe,
                             time=young.header["time"], settings={"gravity.softening_kernel": "spline"})
    widget = sim.widget(every=0.01)
    assert widget.frame[2].startswith("a = 0.04")
    sim.integrate(0.05)
    assert json.loads(widget.state)["configuration"]["comoving"] is True
    assert json.loads(json.loads(widget.state)["progress"])["time"] == pytest.approx(0.05)
