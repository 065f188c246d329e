"""What an expansion says of a Hernquist sphere of N equal particles: the exact curve, and how far chance takes it.

The field at x is a sum over particles, m sum_k K(x, x_k) with K = sum_nlm Phi_nlm(x) Phi_nlm(x_k) / I_nl, so its mean
and variance are averages of K and K^2 over the sphere: over directions by hand (the (2l+1) functions of one l share
alike), over radii by a sum over equal parts of the mass. Hernquist & Ostriker (1992), eqs. 2.20 to 2.35. G = M = a = 1.
"""
import math

import numpy as np


def exact(r):
    """Density and potential of the endless sphere."""
    return 1 / (2 * np.pi * r * (1 + r)**3), -1 / (1 + r)


def radial_functions(n_max, l, r):
    """rho_nl(r), Phi_nl(r) as rows n = 0 .. n_max, and I_nl."""
    w, xi = 2 * l + 1.5, (r - 1) / (r + 1)
    gegenbauer = [np.ones_like(r), 2 * w * xi]
    for n in range(1, n_max):
        gegenbauer.append((2 * (n + w) * xi * gegenbauer[n] - (n + 2 * w - 1) * gegenbauer[n - 1]) / (n + 1))
    gegenbauer = np.array(gegenbauer[:n_max + 1])
    n = np.arange(n_max + 1)
    k = n * (n + 4 * l + 3) / 2 + (l + 1) * (2 * l + 1)
    log_norm = np.array([math.lgamma(j + 4 * l + 3) - math.lgamma(j + 1) - 2 * math.lgamma(w) for j in n])
    norm = -k * 4 * np.pi / 2**(8 * l + 6) * np.exp(log_norm) / (n + w)
    shape = math.sqrt(4 * np.pi) * r**l / (1 + r)**(2 * l + 1) * gegenbauer
    return k[:, None] / (2 * np.pi) * shape / (r * (1 + r)**2), -shape, norm


def mean_and_deviation(r, n_particles, n_max, l_max, cut):
    """Of density and potential at radii r, [2, len(r)] each: of the expansion of n_particles inside radius `cut`."""
    mass = (cut / (1 + cut))**2
    root = np.sqrt(mass * (np.arange(20000) + 0.5) / 20000)
    sampled = root / (1 - root)
    mean, square = np.zeros((2, len(r))), np.zeros((2, len(r)))
    for l in range(l_max + 1):
        *here, norm = radial_functions(n_max, l, r)
        _, there, _ = radial_functions(n_max, l, sampled)
        for k, functions in enumerate(here):
            kernel = functions.T @ (there / norm[:, None])
            if l == 0:
                mean[k] = mass * kernel.mean(axis=1) / (4 * np.pi)
            square[k] += (2 * l + 1) * (mass / (4 * np.pi))**2 * (kernel**2).mean(axis=1)
    return mean, np.sqrt((square - mean**2) / n_particles)
