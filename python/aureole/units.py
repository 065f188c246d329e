"""Units of arguments and results: quantities of astropy or unyt in, quantities out.

A call works in the units of its own arguments: the unit of ``pos`` is that of lengths, of ``mass`` that of masses, of
``vel`` that of velocities, and other arguments are converted to these once. Plain numbers stay plain. A call with some
quantities and some plain numbers is a TypeError that names the argument."""
import importlib
import sys

import numpy as np

__all__ = ["CallUnits"]

G_SI = 6.6743e-11  #: CODATA 2018, m^3 kg^-1 s^-2: astropy's and the program's


def _is_astropy(value):
    astropy = sys.modules.get("astropy.units")
    return astropy is not None and isinstance(value, astropy.Quantity)


def _is_unyt(value):
    unyt = sys.modules.get("unyt")
    return unyt is not None and isinstance(value, unyt.unyt_array)


def is_quantity(value):
    """Whether `value`, or each column of a tuple of three, is a quantity."""
    if isinstance(value, tuple) and len(value) == 3:
        return any(is_quantity(part) for part in value)
    return _is_astropy(value) or _is_unyt(value)


def unless(value, default):
    """None where `value` is the plain default, which needs no unit beside arguments with units."""
    return None if isinstance(value, (int, float)) and value == default else value


class _Astropy:
    def __init__(self):
        self.units = importlib.import_module("astropy.units")

    def named(self, name):
        return self.units.Unit(name)

    def unit_of(self, value):
        return value.unit

    def number(self, value, unit, name):
        try:
            return value.to_value(unit)
        except self.units.UnitConversionError as error:
            raise TypeError(f"{name}: {error}") from None

    def quantity(self, number, unit):
        return self.units.Quantity(np.asarray(number), unit, copy=False)

    def factor(self, unit, target):
        return unit.to(target)


class _Unyt:
    def __init__(self):
        self.unyt = importlib.import_module("unyt")

    def named(self, name):
        return self.unyt.Unit(name)

    def unit_of(self, value):
        return value.units

    def number(self, value, unit, name):
        try:
            return np.asarray(value.to_value(unit))
        except self.unyt.exceptions.UnitConversionError as error:
            raise TypeError(f"{name}: {error}") from None

    def quantity(self, number, unit):
        return self.unyt.unyt_array(number, unit)

    def factor(self, unit, target):
        return float(unit.get_conversion_factor(target)[0])


def _system_of(values):
    for value in values:
        one = next((part for part in value if is_quantity(part)), value) if isinstance(value, tuple) else value
        if _is_astropy(one):
            return _Astropy()
        if _is_unyt(one):
            return _Unyt()
    return None


_FORMS = {"length": (1, 0, 0), "mass": (0, 1, 0), "velocity": (0, 0, 1), "density": (-3, 1, 0), "time": (1, 0, -1)}


class CallUnits:
    """The units of one call.

    ``given`` is a dict from an argument's name to (value, dimension); arguments that are None are left out.
    """

    def __init__(self, given):
        self._given = {name: pair for name, pair in given.items() if pair[0] is not None}
        self.system = _system_of([value for value, _ in self._given.values()])
        self._unit = {}
        if self.system:
            self._settle()

    def __bool__(self):
        return self.system is not None

    def _settle(self):
        for name, (value, dimension) in self._given.items():
            if not is_quantity(value):
                raise TypeError(f"{name}: found a plain number or array beside arguments with units, expected a quantity of "
                                f"{dimension}")
            first = next(part for part in value if is_quantity(part)) if isinstance(value, tuple) else value
            if dimension in ("length", "mass", "velocity"):
                self._unit.setdefault(dimension, self.system.unit_of(first))
        self._expect_dimensions()

    def _expect_dimensions(self):
        for dimension, example in (("length", "m"), ("mass", "kg"), ("velocity", "m/s")):
            if dimension in self._unit:
                name = next(n for n, (_, of) in self._given.items() if of == dimension)
                self.system.number(self.system.quantity(1.0, self._unit[dimension]), self.system.named(example), name)

    def has(self, dimension):
        return dimension in self._unit

    def default(self, dimension, name):
        """Takes the named unit for a dimension that no argument has."""
        if self.system:
            self._unit.setdefault(dimension, self.system.named(name))

    def unit(self, length, mass, velocity):
        """The product of powers of the call's units, None where one of them is not known."""
        result = None
        for dimension, power in (("length", length), ("mass", mass), ("velocity", velocity)):
            if power == 0:
                continue
            if dimension not in self._unit:
                return None
            factor = self._unit[dimension] ** power
            result = factor if result is None else result * factor
        return result

    def strip(self, name):
        """The numbers of an argument in the units of the call; None when it was not given."""
        if name not in self._given:
            return None
        value, dimension = self._given[name]
        if not self.system:
            return value
        unit = self.unit(*_FORMS[dimension])
        if unit is None:
            raise TypeError(f"{name}: found a quantity of {dimension}, expected that its units follow from pos, mass and vel; "
                            "give these with units")
        if isinstance(value, tuple):
            return tuple(self.system.number(part, unit, f"{name}[{k}]") for k, part in enumerate(value))
        return self.system.number(value, unit, name)

    def attach(self, number, length=0, mass=0, velocity=0):
        """The result as a quantity; as it is without units, for pure numbers and where a unit is not known."""
        if not self.system:
            return number
        unit = self.unit(length, mass, velocity)
        return number if unit is None else self.system.quantity(number, unit)

    def gravitational_constant(self, given, name="G"):
        """`given` where it is a number; else Newton's constant where lengths, masses and velocities have units, else 1."""
        if given is not None:
            if is_quantity(given):
                unit = self.unit(1, -1, 2)
                if unit is None:
                    raise TypeError(f"{name}: found a quantity, expected plain numbers or pos, mass and vel with units")
                return float(self.system.number(given, unit, name))
            return float(given)
        unit = self.unit(1, -1, 2) if self.system else None
        if unit is None:
            return 1.0
        return G_SI * float(self.system.factor(self.system.named("m**3/(kg*s**2)"), unit))
