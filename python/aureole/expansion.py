"""Expansions of a mass distribution in basis functions (self-consistent field)."""
from collections.abc import Sequence

import numpy as np

from . import _arrays, _call, _core
from ._errors import ArgumentError
from ._progress import part, reporting
from .units import CallUnits

__all__ = ["expand", "Expansion", "ExpansionSeries"]

FAMILIES = ("hernquist-ostriker", "clutton-brock")
SYMMETRIES = ("even-l", "even-m", "axisymmetric", "spherical")


def _slots(l_max):
    """(l, m, whether it is the sine) of every angular function, in the order of C++."""
    return [(l, m, sine) for l in range(l_max + 1) for m in range(l + 1) for sine in ((False,) if m == 0 else (False, True))]


def _to_cubes(flat, n_max, l_max):
    """S and T [n, l, m] from [slot, n]."""
    s, t = np.zeros((2, n_max + 1, l_max + 1, l_max + 1))
    for row, (l, m, sine) in zip(flat, _slots(l_max)):
        (t if sine else s)[:, l, m] = row
    return s, t


def _from_cubes(s, t, l_max):
    return np.array([(t if sine else s)[:, l, m] for l, m, sine in _slots(l_max)])


def expand(pos, mass, *, n_max=10, l_max=6, scale_radius, family="hernquist-ostriker", centre=None, samples=1, symmetry=(),
           precision="double", G=None, device="auto", progress=False) -> "Expansion":
    """Coefficients of the field of point masses in a biorthogonal basis.

    Parameters
    ----------
    pos : array (N, 3) or tuple of three arrays (N,), float32 or float64
    mass : array (N,) or one number for all
    n_max, l_max : int
        Largest radial and angular order, 0 to 64.
    scale_radius : float, in the unit of ``pos``
    family : "hernquist-ostriker" (Hernquist & Ostriker 1992) or "clutton-brock" (Clutton-Brock 1973)
    centre : three floats, "shrinking_sphere", or None for the origin
        "shrinking_sphere" follows the densest part (Power et al. 2003).
    samples : int
        Above 1: variances of the coefficients from so many sub-samples.
    symmetry : sequence of "even-l", "even-m", "axisymmetric", "spherical"
    precision : "double" or "mixed"
    G : float, optional
        Default 1; with units Newton's constant.
    device : "auto", "cpu", "cuda" or "cuda:N"
        "auto": where the arrays are. "cuda" brings arrays of the host to a GPU.
    progress : bool or callable(what, fraction)

    Returns
    -------
    Expansion
        Its coefficients are arrays of numpy, wherever ``pos`` is.

    Raises
    ------
    ArgumentError
        Orders out of range, no particles, numbers that are not finite (the particle's index is named).

    Notes
    -----
    S and T are those of Lowing et al. (2011), gala's own. Cost N n_max l_max^2. Equal input gives equal bits for any
    number of threads.
    """
    where = _call.place(device, pos=pos, mass=mass)
    place = None if isinstance(centre, str) else centre
    units = CallUnits({"pos": (pos, "length"), "mass": (mass, "mass"), "scale_radius": (scale_radius, "length"),
                       "centre": (place, "length")})
    units.default("velocity", "km/s")
    _call.choice(precision, "precision", ("double", "mixed"))
    particles = _call.particles(units.strip("pos"), mass=units.strip("mass"), where=where)
    if len(particles) == 0:
        raise ArgumentError("pos: found no particle, expected at least one")
    radius = _arrays.scalar(units.strip("scale_radius"), "scale_radius", above=0)
    if isinstance(centre, str):
        _call.choice(centre, "centre", ("shrinking_sphere",))
        at = np.array(_core.shrinking_sphere(particles))
    else:
        at = _centre(units.strip("centre"))
    basis = _basis(family, n_max, l_max, radius)
    options = (basis, _symmetry(symmetry), list(at), precision == "mixed")
    with reporting(progress) as report:
        values, parts = _coefficients(particles, options, _arrays.whole(samples, "samples", 1), where, report)
    return Expansion(*_to_cubes(values, n_max, l_max), scale_radius=radius, family=family, centre=at,
                     G=units.gravitational_constant(G), variances=_variances(parts, n_max, l_max), units=units)


def _coefficients(particles, options, samples, where, report):
    """Those of all particles, and those of every sample or None."""
    if where is not None:  # on a GPU nothing is told before the end
        if report:
            report(0.0, "coefficients on the GPU")
        return _core.expand(particles, *options, 1)[0], _core.expand(particles, *options, samples) if samples > 1 else None
    if samples == 1:
        return _core.expand(particles, *options, 1, report)[0], None
    return (_core.expand(particles, *options, 1, part(report, 0, 0.5))[0],
            _core.expand(particles, *options, samples, part(report, 0.5, 1)))


def _variances(parts, n_max, l_max):
    """Of the sums over all samples, each of which has a part of the particles."""
    if parts is None:
        return None
    return _to_cubes(len(parts) * parts.var(axis=0, ddof=1), n_max, l_max)


def _centre(given):
    if given is None:
        return np.zeros(3)
    at = np.asarray(given, dtype=np.float64)
    if at.shape != (3,) or not np.all(np.isfinite(at)):
        raise ArgumentError(f"centre: found {given!r}, expected three finite numbers or 'shrinking_sphere'")
    return at


def _basis(family, n_max, l_max, scale_radius):
    _call.choice(family, "family", FAMILIES)
    for value, name in ((n_max, "n_max"), (l_max, "l_max")):
        _arrays.whole(value, name, 0)
    return _core.Basis(family == "clutton-brock", n_max, l_max, scale_radius)


def _symmetry(words):
    words = (words,) if isinstance(words, str) else tuple(words)
    for word in words:
        _call.choice(word, "symmetry", SYMMETRIES)
    return _core.Symmetry(*(word in words for word in SYMMETRIES))


class Expansion:
    """The field of coefficients S and T about a centre.

    Phi = (G / a) sum_nlm Phi_nl(r / a) Ybar_lm(theta) (S_nlm cos m phi + T_nlm sin m phi) (Lowing et al. 2011)

    Attributes
    ----------
    S, T : float64 arrays (n_max + 1, l_max + 1, l_max + 1), in units of mass
    variances : (of S, of T) or None
    scale_radius, centre (3,), time, G, family
        Plain numbers; ``units`` says what they are in where the expansion was made with units.
    """

    def __init__(self, S, T, *, scale_radius, family="hernquist-ostriker", centre=(0, 0, 0), time=0.0, G=1.0, variances=None,
                 units=None):
        self.S, self.T = (np.array(values, dtype=np.float64) for values in (S, T))
        if self.S.ndim != 3 or self.S.shape != self.T.shape or self.S.shape[1] != self.S.shape[2] or 0 in self.S.shape:
            raise ArgumentError(f"S and T: found the shapes {self.S.shape} and {self.T.shape}, expected both "
                                "(n_max + 1, l_max + 1, l_max + 1)")
        for values, name in ((self.S, "S"), (self.T, "T")):
            if not np.all(np.isfinite(values)):
                raise ArgumentError(f"{name}: found numbers that are not finite, expected finite ones")
        self.scale_radius = _arrays.scalar(scale_radius, "scale_radius", above=0)
        self.centre, self.time, self.G, self.variances = _centre(centre), float(time), float(G), variances
        self.family, self.units = family, units or CallUnits({})
        #: (cm, g, cm/s) of a file's numbers, None for G = 1 and where nothing says it
        self.cgs = None
        self._basis = _basis(family, self.n_max, self.l_max, self.scale_radius)
        self._flat = np.ascontiguousarray(_from_cubes(self.S, self.T, self.l_max)).ravel()

    @property
    def n_max(self):
        return self.S.shape[0] - 1

    @property
    def l_max(self):
        return self.S.shape[1] - 1

    def _at(self, x, precision):
        """(density, potential, acceleration) at places in the expansion's units; one place may be (3,)."""
        if self.units:
            unit = self.units.unit(1, 0, 0)
            if not hasattr(x, "to_value"):
                raise TypeError("x: found plain numbers, expected a quantity of length: the expansion has units")
            x = self.units.system.number(x, unit, "x")
        one = not isinstance(x, tuple) and np.ndim(x) == 1
        columns = _arrays.vectors(_arrays.to_numpy(x, "x")[None] if one else x, "x")
        found = _core.expansion_field(_core.Particles(*columns), self._basis, self._flat, list(self.centre),
                                      _call.choice(precision, "precision", ("double", "mixed")) == "mixed")
        return [values[0] if one else values for values in found]

    def density(self, x, *, precision="double"):
        """Mass per volume at places (M, 3) or (3,): (M,) float64. Infinite at the centre of a cusp."""
        return self.units.attach(self._at(x, precision)[0], length=-3, mass=1)

    def potential(self, x, *, precision="double"):
        """Potential per unit mass, with G, at places (M, 3) or (3,): (M,) float64, finite everywhere."""
        return self.units.attach(self.G * self._at(x, precision)[1], velocity=2)

    def acceleration(self, x, *, precision="double"):
        """Acceleration, with G, at places (M, 3) or (3,): (M, 3) float64, finite on the polar axis and at the centre."""
        return self.units.attach(self.G * self._at(x, precision)[2], length=-1, velocity=2)

    def energy_by_l(self):
        """Potential energy of the mass in its own expanded field, of the coefficients of each l: (l_max + 1,) float64."""
        return self.units.attach(self.G * _core.energy_by_l(self._basis, self._flat), mass=1, velocity=2)

    def __repr__(self):
        return (f"<Expansion {self.family}, n_max {self.n_max}, l_max {self.l_max}, scale radius {self.scale_radius:.6g}, "
                f"centre {self.centre}, time {self.time:.6g}>")

    def to_gala(self):
        """gala.potential.SCFPotential with these coefficients (Hernquist-Ostriker basis only)."""
        from .interop import gala

        return gala.potential_of(self)

    def to_galpy(self):
        """galpy.potential.SCFPotential, in the frame of the expansion: subtract ``centre`` from positions."""
        from .interop import galpy

        return galpy.potential_of(self)

    def to_agama(self):
        """agama.Potential of the expanded density, resampled by agama as a multipole expansion."""
        from .interop import agama

        return agama.potential_of(self)

    @classmethod
    def from_gala(cls, potential):
        """The expansion of a gala.potential.SCFPotential: its coefficients, scale radius and origin, as plain numbers."""
        from .interop import gala

        return gala.expansion_of(potential)

    def write(self, path):
        """Writes a coefficient file: HDF5 as EXP lays it out, or text where the name ends in .txt."""
        ExpansionSeries([self]).write(path)

    to_exp = write

    @classmethod
    def read(cls, path, moment=-1):
        """One moment of a coefficient file, the last by default."""
        return ExpansionSeries.read(path)[moment]


class ExpansionSeries(Sequence):
    """Expansions of one basis at rising times."""

    def __init__(self, expansions):
        self._moments = list(expansions)
        if not self._moments:
            raise ArgumentError("expansions: found none, expected at least one")
        first = self._moments[0]
        for one in self._moments:
            if (one.S.shape, one.family, one.scale_radius, one.G) != (first.S.shape, first.family, first.scale_radius, first.G):
                raise ArgumentError("expansions: found different bases, expected one family, orders, scale radius and G")
        self.times = np.array([one.time for one in self._moments])
        if np.any(np.diff(self.times) <= 0):
            raise ArgumentError("expansions: found times that do not rise, expected them in order")

    def __len__(self):
        return len(self._moments)

    def __getitem__(self, key):
        if isinstance(key, slice):
            return ExpansionSeries(self._moments[key])
        return self._moments[key]

    def __repr__(self):
        return f"<ExpansionSeries of {len(self)}, times {self.times[0]:.6g} to {self.times[-1]:.6g}>"

    def at(self, time):
        """The expansion at a time: linear between two moments, constant before the first and after the last."""
        time = _arrays.scalar(time, "time")
        k = int(np.clip(np.searchsorted(self.times, time) - 1, 0, max(len(self) - 2, 0)))
        a, b = self._moments[k], self._moments[min(k + 1, len(self) - 1)]
        w = float(np.clip((time - a.time) / (b.time - a.time), 0, 1)) if b.time > a.time else 0.0
        mixed = [(1 - w) * getattr(a, name) + w * getattr(b, name) for name in ("S", "T", "centre")]
        return Expansion(mixed[0], mixed[1], centre=mixed[2], scale_radius=a.scale_radius, family=a.family, time=time, G=a.G,
                         units=a.units)

    def to_galpy(self, tgrid=None):
        """galpy.potential.SCFPotential that changes with time (galpy with ``tgrid``), in the frame of the expansion."""
        from .interop import galpy

        return galpy.series_potential(self, tgrid)

    def write(self, path):
        """Writes all moments to a coefficient file, see Expansion.write()."""
        from .io import write_coefficients

        write_coefficients(path, self)

    @classmethod
    def read(cls, path):
        """All moments of a coefficient file of `aureole expand`, of a run, or of EXP."""
        from .io import read_coefficients

        return read_coefficients(cls, path)
