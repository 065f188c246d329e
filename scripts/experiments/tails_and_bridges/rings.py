#!/usr/bin/env python3
"""Rings of massless stars in the field of two equal points on a parabola (Toomre & Toomre 1972), G = M = q = 1: writes what
`aureole run rings.yaml` begins with, and follows the same stars by Kepler's parabola and a Runge-Kutta integration of its own.
Stars feel points as Plummer spheres of 0.05. Time 0 is 3 before the pericentre. usage: rings.py DIR direct|retrograde"""
import pathlib
import sys

import numpy as np

RINGS = [(0.2, 12), (0.3, 18), (0.4, 24), (0.5, 30), (0.6, 36)]
SOFTENING, START = 0.05, -3.0


def parabola(time):
    """Place and velocity of the second point relative to the first, `time` after the pericentre: Barker's equation for q = 1,
    G (M1 + M2) = 2, where t = D + D^3 / 3."""
    half = 1.5 * time
    root = np.cbrt(half + np.sqrt(half * half + 1))
    d = root - 1 / root
    x = np.array([1 - d * d, 2 * d, 0])
    return x, np.array([-2 * d, 2, 0]) / (1 + d * d)


def stars(retrograde):
    """Places and velocities of the rings about the first point, on circular orbits of the softened field."""
    x, v = [], []
    for radius, number in RINGS:
        phi = 2 * np.pi * np.arange(number) / number
        speed = radius / (radius**2 + SOFTENING**2)**0.75 * (-1 if retrograde else 1)
        x.append(radius * np.column_stack([np.cos(phi), np.sin(phi), 0 * phi]))
        v.append(speed * np.column_stack([-np.sin(phi), np.cos(phi), 0 * phi]))
    return np.concatenate(x), np.concatenate(v)


def acceleration(x, time):
    relative, _ = parabola(time)
    result = np.zeros_like(x)
    for centre in (-relative / 2, relative / 2):
        d = centre - x
        result += d / ((d * d).sum(axis=1) + SOFTENING**2)[:, None]**1.5
    return result


def start(retrograde):
    x, v = stars(retrograde)
    relative, velocity = parabola(START)
    return x - relative / 2, v - velocity / 2


def follow(retrograde, times, step=0.002):
    """Places of the stars at the times (of the run, from its 0 on), by the classical Runge-Kutta method of fourth order."""
    x, v = start(retrograde)
    now, places = 0.0, []
    for end in times:
        steps = max(1, round((end - now) / step))
        h = (end - now) / steps
        for k in range(steps):
            t = START + now + k * h
            a1 = acceleration(x, t)
            v2 = v + h / 2 * a1
            a2 = acceleration(x + h / 2 * v, t + h / 2)
            v3 = v + h / 2 * a2
            a3 = acceleration(x + h / 2 * v2, t + h / 2)
            v4 = v + h * a3
            a4 = acceleration(x + h * v3, t + h)
            x, v = x + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        now = end
        places.append(x)
    return places


def write(folder, retrograde):
    relative, velocity = parabola(START)
    masses = [(1, 1.0, -relative / 2, -velocity / 2), (2, 1.0, relative / 2, velocity / 2)]
    rows = [(k + 3, 1e-30, *one) for k, one in enumerate(zip(*start(retrograde)))]
    for name, table in (("masses.txt", masses), ("stars.txt", rows)):
        (folder / name).write_text("".join(f"{k} {m!r} {' '.join(repr(float(c)) for c in (*x, *v))}\n" for k, m, x, v in table))


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[2] not in ("direct", "retrograde"):
        sys.exit(__doc__.splitlines()[-1].partition("usage: ")[2])
    write(pathlib.Path(sys.argv[1]), sys.argv[2] == "retrograde")
