"""Runs and simulations as a page below a cell of a notebook; anywidget shows it in Jupyter, VS Code, Colab and marimo."""
import json
import pathlib
import threading
import time

from . import _run
from ._errors import ArgumentError
from .io import _called

try:
    import anywidget
    import traitlets
except ImportError as error:
    raise ImportError("widgets need anywidget: pip install aureole[notebook]") from error

__all__ = ["watch", "RunWidget", "SimulationWidget"]

_PAGE = pathlib.Path(__file__).parent / "page"
_LONGEST_LOG = 2000  # rows of a simulation in memory; beyond it every second one goes


def _part(*names):
    return "".join((_PAGE / name).read_text() for name in names)


class _Page(anywidget.AnyWidget):
    """What both kinds share: the page, and its state as JSON."""

    _esm = _part("charts.js", "player.js", "view.js", "widget.js")
    _css = _part("page.css")
    state = traitlets.Unicode("").tag(sync=True)
    logs = traitlets.Dict().tag(sync=True)
    frame = traitlets.Tuple(traitlets.Int(), traitlets.Bytes(), traitlets.Unicode(), default_value=(0, b"", "")).tag(sync=True)
    axis = traitlets.Unicode("z").tag(sync=True)
    colour = traitlets.Unicode("density").tag(sync=True)


class RunWidget(_Page):
    """The directory of a run: what `aureole watch` shows. close() ends it; nothing is written and no run waits."""

    def __init__(self, path, interval=1.0):
        self._ended = threading.Event()  # before what may fail: closing needs it
        self._view = _called(_run.view_run, path)
        super().__init__(state=self._view.state())
        self.on_msg(self._answer)
        self._interval = interval
        threading.Thread(target=self._look, daemon=True, name="aureole-watch").start()

    def _look(self):
        while not self._ended.wait(self._interval):
            state = self._view.state()
            if state != self.state and not self._ended.is_set():
                self.state = state

    def _answer(self, _, request, __):
        answer, buffers = {"id": request.get("id")}, []
        try:
            if request.get("what") == "log":
                rows = self._view.rows(str(request["name"]), int(request["from"]), int(request["most"]))
                answer["rows"] = rows and {"text": rows[0], "next": rows[1]}
            elif request.get("what") == "picture":
                picture = self._view.picture(int(request["number"]))
                answer["found"] = picture is not None
                if picture:
                    answer["time"], buffers = picture[1], [picture[0]]
        except Exception as error:  # the page tells of it
            answer["error"] = f"{type(error).__name__}: {error}"
        self.send(answer, buffers)

    def close(self):
        self._ended.set()
        super().close()


class SimulationWidget(_Page):
    """A simulation in memory: pictures, energies and progress, renewed by integrate(). Made by Simulation.widget()."""

    def __init__(self, simulation, pixels=600):
        self._simulation = simulation
        self._rows, self._pixels = [], pixels
        self._began = self._begun_step = None
        super().__init__()
        self.observe(lambda _: self._draw(), ["axis", "colour"])
        self.show(simulation, 0.0, False)

    def _draw(self):
        live = self._simulation._live
        unit = live.unit_names[3]
        self.frame = (self.frame[0] + 1, live.picture(self.axis, self.colour, self._pixels),
                      f"{'a' if live.box else 't'} = {live.time:.6g}{' ' if unit else ''}{unit}")

    def show(self, simulation, fraction, running):
        """Renews all; `fraction` of the present integrate(), which is under way or not."""
        now, live = time.monotonic(), simulation._live
        if self._began is None or not running:
            self._began, self._begun_step = now, live.steps
        energy = simulation.energy()
        if not self._rows or self._rows[-1][0] != live.time:
            self._rows.append((live.time, energy.kinetic, energy.potential, energy.total, energy.relative_error))
        if len(self._rows) > _LONGEST_LOG:
            del self._rows[1:-1:2]
        text = "time,kinetic,potential,total,relative_error\n" + "".join(",".join(map(repr, row)) + "\n" for row in self._rows)
        self.logs = {"energy.csv": text}
        self._draw()
        seconds = now - self._began
        names = dict(zip(("length", "mass", "velocity", "time"), live.unit_names))
        progress = {"status": "running" if running else "idle", "message": "", "step": live.steps, "time": live.time,
                    "fraction": fraction, "energy_error": energy.relative_error, "seconds": seconds,
                    "steps_per_second": (live.steps - self._begun_step) / seconds if seconds > 0 else 0,
                    "seconds_left": seconds * (1 - fraction) / fraction if fraction > 0 else None,
                    "particles": len(simulation), "device": simulation.device, "began": str(id(self))}
        self.state = json.dumps({"name": "Simulation", "progress": json.dumps(progress), "live": True, "pictures": [], "snapshots": [],
                                 "logs": {"energy.csv": len(text)}, "configuration": names | {"comoving": bool(live.box), "end_time": None}})


def watch(path, interval=1.0) -> RunWidget:
    """A page below the cell that shows a run, past or under way, as `aureole watch` does in the browser.

    Parameters
    ----------
    path : the output directory of a run
    interval : float
        Seconds between two looks at it.

    Raises
    ------
    FileError
        For a directory that holds no outputs of a run.
    ImportError
        Where anywidget is not installed (pip install aureole[notebook]).

    Notes
    -----
    Pictures and curves come from the kernel when it is not busy with a cell. ``close()`` of the result ends it.
    """
    if not interval > 0:
        raise ArgumentError(f"interval: found {interval}, expected a number above 0")
    return RunWidget(path, interval)
