"""N-body simulations in memory, with the solvers and integrators of `aureole run`."""
from typing import Any, NamedTuple

import numpy as np

from . import _arrays, _call, _core, _device, _device_input, _run
from ._errors import ArgumentError
from ._progress import reporting
from ._settings import as_yaml, overrides, units_text
from .io import _called

__all__ = ["Simulation", "Energy", "cite"]


class Energy(NamedTuple):
    """Conserved quantities of a state, in the units of the simulation. ``relative_error`` is that of the total energy since the
    beginning."""

    kinetic: float
    potential: float
    relative_error: float
    mass: float
    momentum: Any
    angular_momentum: Any
    centre_of_mass: Any

    @property
    def total(self):
        return self.kinetic + self.potential


def _version():
    from . import __version__

    return __version__


def cite(path, bibtex=False) -> str:
    """What to cite for a run of the program: its methods, their papers, and BibTeX, as `aureole cite`.

    Parameters
    ----------
    path : the output directory of a run, or a configuration
    bibtex : bool
        The BibTeX alone.
    """
    return _called(_run.citation_of_run, path, _version(), bool(bibtex))


class Simulation:
    """Particles that attract each other, in open space or in a box of an expanding universe.

    Parameters
    ----------
    pos, vel : array (N, 3) or tuple of three arrays (N,), float32 or float64
    mass : array (N,) or one number for all
    softening : float, or six floats, one for each of ``types``
    solver : "tree", "direct" or "scf"; in a box "treepm" or "direct". Default: "tree", "treepm"
    timestep : float, optional
        A fixed step; with a cosmology the longest one in ln a. Exactly one of ``timestep`` and ``eta`` is given.
    eta : float, optional
        Adaptive steps, the same for all particles: ``eta sqrt(softening / |a|)``, the smallest (Power et al. 2003).
    integrator : str, "leapfrog" or another of the program's
    units : "nbody" (G = 1), "galactic" (kpc, 1e10 Msun, km/s), or (length, mass, velocity) as ("kpc", "1e10 Msun", "km/s")
        Default: "nbody"; with a cosmology ("Mpc/h", "1e10 Msun/h", "km/s").
    time : float, of the state that is given; with a cosmology the scale factor
    box : float, optional
        Side of the periodic cube; needs ``cosmology``. Positions are then comoving, velocities peculiar.
    cosmology : dict, optional
        omega_m, h and others (docs/cosmology.md); the particles are all matter of the box.
    ids, types : integer arrays (N,), optional
    precision : "mixed" or "double"
    settings : dict, optional
        Further keys of the configuration, as {"gravity.tree.opening_angle": 0.5}.
    device : "auto", "cpu", "cuda" or "cuda:N"
        "auto": where the arrays are. "cuda" brings arrays of the host to a GPU, which integrates; attributes are numpy's then.

    Attributes
    ----------
    pos, vel, acceleration : float64 (N, 3);  mass, potential : float64 (N,)
        Of the present state, read-only copies in the simulation's units; ``potential`` is per unit mass. In a box they are the
        comoving sums over the images, without factors of the scale factor. Of arrays on a GPU: copies in their library there.
    ids : uint64 (N,), of arrays on a GPU int64;  types : uint8 (N,)
    time : float;  n_steps : int;  G : float;  box : float or None;  device : "cpu" or "cuda:N"

    Raises
    ------
    ArgumentError, ConfigError, TypeError
        As the functions of the package; a key that is unknown names the nearest known one.
    DeviceError
        A GPU that does not answer.

    Notes
    -----
    The order of the particles stays. Arrays on a GPU go through the memory of the host once, at the start. Equal input gives
    equal bits on one device for any number of threads; where a call of integrate() or
    a save() comes between steps changes no bit of what follows. In an expanding universe (Quinn et al. 1997) steps are even in
    ln a from the beginning to the end of a call, as those of `aureole run` between outputs; there a save() changes no bit, and
    the end of a call does.

    Examples
    --------
    >>> sim = aureole.Simulation(pos, vel, mass, softening=0.05, timestep=0.01)
    >>> sim.integrate(until=10.0).energy().relative_error
    """

    def __init__(self, pos, vel, mass, *, softening=0.0, solver=None, timestep=None, eta=None, integrator="leapfrog", units=None,
                 time=0.0, box=None, cosmology=None, ids=None, types=None, precision="mixed", settings=None, device="auto"):
        where = _call.place(device, pos=pos, vel=vel, mass=mass, ids=ids, types=types)
        _device.expect_doubles(pos, "pos")
        if (timestep is None) == (eta is None):
            raise ArgumentError("timestep: expected it or eta, and not both")
        there = where is not None and where.has_arrays
        particles = _call.particles(pos, vel=vel, mass=mass, ids=ids, types=types, where=where if there else None)
        if len(particles) == 0:
            raise ArgumentError("pos: found no particle, expected at least one")
        solver = solver or ("tree" if box is None else "treepm")
        keys = {"gravity.solver": solver, "integrator.method": integrator, "precision": precision}
        if timestep is not None:
            keys["integrator.timestep"] = _arrays.scalar(timestep, "timestep", above=0)
        else:
            keys["integrator.adaptive.eta"] = _arrays.scalar(eta, "eta", above=0)
        keys |= self._softening(softening, types)
        keys |= settings or {}
        text = [f"{key}: {as_yaml(value)}" for key, value in (("box", box), ("cosmology", cosmology)) if value is not None]
        if units is not None or cosmology is None:
            text.append("units: " + units_text(units or "nbody"))
        if there:
            particles.complete()
        start = particles, _arrays.scalar(time, "time"), "\n".join(text), overrides(keys)
        self._live = _run.simulation_of_particles(*start, *(() if there else (_call.number(where),)))
        self._start()
        if there:
            self._to_library = _device.into_library_of(pos)

    @staticmethod
    def _softening(softening, types):
        lengths = np.atleast_1d(np.asarray(softening, dtype=np.float64))
        if lengths.shape == (1,):
            return {"gravity.softening": _arrays.scalar(lengths[0], "softening", least=0)}
        if lengths.shape != (6,) or types is None:
            raise ArgumentError(f"softening: found {lengths.size} lengths, expected one, or six with types")
        return {f"gravity.softening_type{t}": _arrays.scalar(x, "softening", least=0) for t, x in enumerate(lengths)}

    def _start(self):
        self._callbacks = []
        self._widgets = []
        self._to_library = None  # of arrays on a GPU: makes one of theirs
        self.notes = list(self._live.notes)

    @classmethod
    def _of(cls, live):
        made = cls.__new__(cls)
        made._live = live
        made._start()
        return made

    @classmethod
    def from_config(cls, path, *, as_isolated=False, device="auto", **settings):
        """The simulation of a configuration file: the same keys and refusals as `aureole run`.

        ``settings`` replace keys: ``Simulation.from_config("run.yaml", **{"gravity.solver": "direct"})``. Its outputs and
        ``run.end_time`` are not used: integrate() says how far.
        """
        where = _call.asked_place(device)
        return cls._of(_called(_run.simulation_of_configuration, path, overrides(settings), bool(as_isolated), _call.number(where)))

    @classmethod
    def resume(cls, path, device="auto"):
        """The simulation of a checkpoint of save(): it continues bit for bit.

        "auto": on the CPU or on a GPU, as it was saved; ``device`` may name another one ("cpu", "cuda", "cuda:N"), on which it
        continues with other last bits. Attributes are numpy's.
        """
        return cls._of(_called(_run.resume_simulation, path, None if device == "auto" else _call.number(_call.asked_place(device))))

    time = property(lambda self: self._live.time)
    n_steps = property(lambda self: self._live.steps)
    G = property(lambda self: self._live.G)
    box = property(lambda self: self._live.box or None)
    device = property(lambda self: "cpu" if self._live.device < 0 else f"cuda:{self._live.device}")
    configuration = property(lambda self: self._live.configuration, doc="The resolved configuration as YAML.")

    def cite(self, bibtex=False):
        """The methods of this simulation and the papers to cite for them, with their BibTeX, or the BibTeX alone."""
        return _run.citation(self.configuration, _version(), bool(bibtex))

    def __len__(self):
        return len(self._live)

    def _column(self, name):
        if self._to_library is not None:
            return self._to_library(self._device_column(name))
        values = getattr(self._live, name)()
        values = values.T if values.ndim == 2 else values
        values.flags.writeable = False
        return values

    def _device_column(self, name):
        shape = [len(self), 3] if name in ("position", "velocity", "acceleration") else [len(self)]
        values = _core.empty_device_array(self._live.device, {"ids": "int64", "types": "uint8"}.get(name, "float64"), shape)
        self._live.copy_column(name, values)
        return values

    pos = property(lambda self: self._column("position"))
    vel = property(lambda self: self._column("velocity"))
    acceleration = property(lambda self: self._column("acceleration"))
    potential = property(lambda self: self._column("potential"))
    mass = property(lambda self: self._column("mass"))
    ids = property(lambda self: self._column("ids"))
    types = property(lambda self: self._column("types"))

    def integrate(self, until, *, progress=False):
        """Steps until a time, and calls the callbacks of on() on the way. Returns the simulation.

        Fixed steps end on multiples of the step after the start; another time is reached by a shorter last step. Ctrl-C,
        and what a callback raises, end it between two steps: the simulation can go on.
        """
        until = _arrays.scalar(until, "until")
        if until < self.time:
            raise ArgumentError(f"until: found {until}, expected a time of at least the present one, {self.time}")
        self._span = self.time, until
        try:
            with reporting(progress) as report:
                self._integrate(until, report)
        finally:
            for widget in self._widgets:
                widget.show(self, self._done(), False)
        return self

    def _integrate(self, until, report):
        start = self.time
        while True:
            due = [one for one in self._callbacks if one["next"] <= until]
            stop = min([until] + [one["next"] for one in due])
            self._live.integrate(max(stop, self.time), _part(report, start, self.time, stop, until))
            for one in due:
                if one["next"] <= stop:
                    one["count"] += 1
                    one["next"] = one["from"] + one["count"] * one["every"]
                    one["call"](self)
            if stop >= until:
                return

    def _done(self):
        start, until = self._span
        return (self.time - start) / (until - start) if until > start else 1.0

    def widget(self, every):
        """A page below the cell of a notebook: pictures, energies and progress, renewed at multiples of ``every`` after now.

        integrate() renews it, at its end too. As with on(), in an expanding universe steps end at these times, which changes
        bits; elsewhere none are changed. Needs anywidget (pip install aureole[notebook]).
        """
        from .widget import SimulationWidget

        widget = SimulationWidget(self)
        self.on(every)(lambda sim: widget.show(sim, sim._done(), True))
        self._widgets.append(widget)
        return widget

    def steps(self, every, until=None):
        """A generator: integrates by ``every`` and yields the time, without end or until a time."""
        every = _arrays.scalar(every, "every", above=0)
        start, count = self.time, 0
        while True:
            count += 1
            time = start + count * every
            if until is not None and time > until + 1e-9 * every:
                return
            self.integrate(time)
            yield self.time

    def on(self, every):
        """A decorator: the function is called with the simulation at multiples of ``every`` after now, by integrate()."""
        every = _arrays.scalar(every, "every", above=0)

        def register(function):
            self._callbacks.append({"call": function, "every": every, "from": self.time, "count": 1, "next": self.time + every})
            return function
        return register

    def energy(self):
        """The Energy of the present state."""
        kinetic, potential, error, mass, *vectors = self._live.energy()
        return Energy(kinetic, potential, error, mass, *(np.array(v) for v in vectors))

    def halos(self, linking_length=None, **arguments):
        """find_halos() of the present state."""
        from .halos import find_halos

        given = {"mass": self.mass, "vel": self.vel, "ids": self.ids, "types": self.types, "G": self.G,
                 "softening": max(self._live.softening)}
        if self.box:
            density = float(self.mass.sum()) / self.box ** 3
            hubble = np.sqrt(8 * np.pi / 3 * self.G * density / self._live.omega_m)
            given |= {"box": self.box, "G": self.G / self.time,
                      "cosmology": {"omega_m": self._live.omega_m, "omega_lambda": self._live.omega_lambda, "hubble": hubble,
                                    "scale_factor": self.time, "comoving": True}}
        if self._to_library is None and self._live.device >= 0:
            given["device"] = self.device
        given |= arguments
        found = find_halos(self.pos, linking_length, **given)
        if self.box:
            found._origin = None  # its files would have to tell of an expanding universe
        return found

    def set(self, pos=None, vel=None):
        """Replaces positions, velocities or both (N, 3), and evaluates the forces anew. The energy error begins anew.

        Arrays are where those of the simulation were.
        """
        if self._to_library is not None:
            self._live.set(self._device_state(pos, vel), vel is not None)
            return
        positions = _arrays.vectors(self.pos if pos is None else pos, "pos", len(self), of="the particles")
        velocities = (None,) * 3 if vel is None else _arrays.vectors(vel, "vel", len(self), of="the particles")
        self._live.set(_core.Particles(*positions, *velocities), vel is not None)

    def _device_state(self, pos, vel):
        for name, value in (("pos", pos), ("vel", vel)):
            place = None if value is None else _call.place("auto", **{name: value})
            if value is not None and (place is None or place.number != self._live.device):
                raise ArgumentError(f"{name}: found an array {_device.text(_device.number_of_argument(value, name))}, expected one "
                                    f"on {self.device}, where the simulation is")
        at = self._device_column("position") if pos is None else pos
        state, n = _device_input.particles(self._live.device, at, vel=vel)
        _arrays.expect_as_many(n, len(self), "pos", "the particles")
        return state

    def save(self, path):
        """Writes a checkpoint, from which resume() continues bit for bit. Callbacks are not in it."""
        _called(self._live.save, path)

    def snapshot(self, path):
        """Writes the present state as a snapshot: Gadget HDF5, which yt and pynbody open."""
        _called(self._live.write_snapshot, path)

    def __repr__(self):
        return f"<Simulation of {len(self)} particles, time {self.time:.6g}, {self.n_steps} steps>"


def _part(report, start, now, stop, until):
    """The fraction of all of integrate(), from that of one part."""
    if report is None or until <= start:
        return None
    return lambda fraction, what: report((now - start + fraction * (stop - now)) / (until - start), what)
