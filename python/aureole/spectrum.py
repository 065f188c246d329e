"""Power spectra of particles in periodic boxes."""
from typing import Any, NamedTuple

from . import _arrays, _call, _core
from ._errors import ArgumentError
from ._progress import reporting
from .units import CallUnits, unless

__all__ = ["power_spectrum", "PowerSpectrum"]


class PowerSpectrum(NamedTuple):
    """Shells of wave numbers, rising in k; with quantities ``k`` is per length, ``power`` and ``shot_noise`` are volumes."""

    k: Any  #: float64 (S,), mean wave number of the modes of a shell
    power: Any  #: float64 (S,), shot noise is not subtracted
    modes: Any  #: int64 (S,), how many were averaged, each with its conjugate
    shot_noise: Any  #: V sum m^2 / (sum m)^2: V / N for equal masses
    mesh: int  #: points along an axis

    @property
    def error(self):
        """The scatter of ``power`` of a Gaussian field, power sqrt(2 / modes)."""
        return self.power * (2 / self.modes) ** 0.5


def power_spectrum(pos, mass=1.0, *, box=None, mesh=None, folds=2, device="auto", progress=False) -> PowerSpectrum:
    """The power spectrum of particles in a periodic cube, ``P(k) = V <|delta_k|^2>``.

    Parameters
    ----------
    pos : array (N, 3), tuple of three arrays (N,), float32 or float64, or a Snapshot of ``aureole.load``
        Positions, anywhere: they count modulo the box. A snapshot brings mass and box with it.
    mass : array (N,) or one number for all
    box : float
        Side of the periodic cube.
    mesh : int, optional
        Points along an axis, 8 to 2048; default some two for each particle along an axis. Shells reach to half as many waves,
        as wide as the fundamental mode.
    folds : int, 0 to 20
        Each doubles the largest wave number: the box is folded onto itself. Eight shells each.
    device : "auto", "cpu", "cuda" or "cuda:N"
        "auto": where the arrays are. "cuda" brings arrays of the host to a GPU, and the results back.
    progress : bool or callable(what, fraction)

    Returns
    -------
    PowerSpectrum
        Arrays of numpy. Equal input gives equal bits on a GPU, and on the CPU for any number of threads; the two differ by the
        rounding of their transforms.

    Raises
    ------
    ArgumentError
        No box, no particles, settings out of range, masses that are all zero, numbers that are not finite, with the particle's
        index.

    Notes
    -----
    Two interlaced meshes with assignment of the fourth order, whose window is divided out (Hockney & Eastwood 1981, section
    7-7; Sefusatti et al. 2016), folded boxes beyond (Jenkins et al. 1998). Of many particles within 1e-4 of exact sums up to
    half of the mesh's Nyquist frequency, and 5e-4 up to all of it. Cost: N and two transforms of the mesh, for each fold.
    """
    if hasattr(pos, "_find_halos"):
        box = pos.box if box is None else box
        mass = pos.mass if unless(mass, 1.0) is None else mass
        pos = pos.pos
    where = _call.place(device, pos=pos, mass=mass)
    units = CallUnits({"pos": (pos, "length"), "mass": (unless(mass, 1.0), "mass"), "box": (box, "length")})
    if box is None:
        raise ArgumentError("box: found None, expected the side of a periodic cube")
    points = 0 if mesh is None else _arrays.whole(mesh, "mesh", 8)
    numbers = 1.0 if unless(mass, 1.0) is None else units.strip("mass")
    particles = _call.particles(units.strip("pos"), mass=numbers, where=where)
    side = _call.box_side(units.strip("box"))
    with reporting(progress) as report:
        k, power, modes, noise, points = _core.power_spectrum(particles, side, points, _arrays.whole(folds, "folds", 0), report)
    return PowerSpectrum(units.attach(k, length=-1), units.attach(power, length=3), modes, units.attach(noise, length=3), points)
