"""python -m aureole.bench [--points N] [--repeat K]: this package beside its peers, one thread each.

Times are processor seconds, the smallest of the repeats, on the same input; a peer that is not installed is named. The
checks are those of the tests: the same clusters, errors against the direct sum, the same coefficients."""
import argparse
import importlib
import os
import sys
import time

for _name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402

import aureole  # noqa: E402


def seconds(work, repeat):
    """The smallest processor time, and the last result."""
    best = np.inf
    for _ in range(repeat):
        begin = time.process_time()
        result = work()
        best = min(best, time.process_time() - begin)
    return best, result


def clumps(n, widest=0.01, background=0.5):
    """Clumps of several densities in an even background, in the unit cube."""
    random = np.random.default_rng(1)
    middle, spread = random.random((200, 3)), random.uniform(0.002, widest, 200)
    n_clumped = n - int(background * n)
    which = random.integers(200, size=n_clumped)
    clumped = middle[which] + spread[which][:, None] * random.normal(size=(n_clumped, 3))
    return random.permutation(np.concatenate((clumped, random.random((n - n_clumped, 3)))))


def plummer(n):
    random = np.random.default_rng(2)
    radius = 1 / np.sqrt(random.uniform(0.001, 0.99, n) ** (-2 / 3) - 1)
    direction = random.normal(size=(n, 3))
    return radius[:, None] * direction / np.linalg.norm(direction, axis=1)[:, None]


def row(name, peer, theirs, ours, check):
    print(f"| {name} | {peer} | {theirs:.3g} s | {ours:.3g} s | {theirs / ours:.3g} | {check} |", flush=True)


def absent(name, peer):
    print(f"| {name} | {peer} | not installed | | | |", flush=True)


def peer(module):
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def dbscan(n, repeat):
    from aureole.cluster import DBSCAN

    cluster = peer("sklearn.cluster")
    for scale, widest, background in ((1.0, 0.0025, 0.1), (0.3, 0.0025, 0.1), (1.0, 0.01, 0.5), (0.3, 0.01, 0.5)):
        points = clumps(n, widest, background)
        eps = scale * 0.005 * (3e5 / n) ** (1 / 3)
        name = f"DBSCAN, {n} points, {100 * background:.0f} % of them even, eps {eps:.3g}, min_samples 10"
        ours, a = seconds(lambda: DBSCAN(eps, min_samples=10).fit(points), repeat)
        theirs, b = seconds(lambda: cluster.DBSCAN(eps, min_samples=10).fit(points), 1)
        same = np.array_equal(a.core_sample_indices_, b.core_sample_indices_) and np.array_equal(a.labels_ == -1, b.labels_ == -1)
        border = np.mean(a.labels_ != b.labels_)
        row(name, "scikit-learn", theirs, ours, f"{a.labels_.max() + 1} = {b.labels_.max() + 1} clusters, core and noise "
            f"{'identical' if same else 'DIFFER'}, {100 * border:.2g} % at borders")


def single_linkage(n, repeat):
    name, points = f"single-linkage tree, {n} points", clumps(n)
    hdbscan = peer("hdbscan")
    if hdbscan is None:
        return absent(name, "hdbscan")
    ours, z = seconds(lambda: aureole.linkage(points), repeat)
    model = hdbscan.HDBSCAN(min_samples=1, algorithm="boruvka_kdtree", approx_min_span_tree=False, core_dist_n_jobs=1)
    theirs, b = seconds(lambda: model.fit(points), 1)
    length = np.sort(b.single_linkage_tree_.to_numpy()[:, 2]).sum()
    row(name, "hdbscan (boruvka, condensing included)", theirs, ours, f"lengths of the trees differ by {abs(z[:, 2].sum() / length - 1):.1g}")


def density_tree(n, repeat):
    from aureole.cluster import HDBSCAN

    name, points = f"HDBSCAN, {n} points, min_cluster_size 20, min_samples 10", clumps(n)
    hdbscan = peer("hdbscan")
    if hdbscan is None:
        return absent(name, "hdbscan")
    ours, a = seconds(lambda: HDBSCAN(20, 10).fit(points), repeat)
    model = hdbscan.HDBSCAN(20, 9, algorithm="boruvka_kdtree", approx_min_span_tree=False, core_dist_n_jobs=1)
    theirs, b = seconds(lambda: model.fit(points), 1)
    noise = np.mean((a.labels_ == -1) != (b.labels_ == -1))
    row(name, "hdbscan (boruvka)", theirs, ours, f"{a.labels_.max() + 1}, {b.labels_.max() + 1} clusters (ties), "
        f"{100 * noise:.2g} % differ as noise")


def errors(found, exact):
    return np.percentile(np.linalg.norm(found - exact, axis=1) / np.linalg.norm(exact, axis=1), 99)


def tree(n, repeat):
    pytreegrav = peer("pytreegrav")
    pos, mass = plummer(n), np.full(n, 1 / n)
    name = f"tree gravity, {n} of a Plummer sphere"
    if pytreegrav is None:
        return absent(name, "pytreegrav")
    sample = np.random.default_rng(3).choice(n, min(n, 2000), replace=False)
    eps = 0.01
    exact = aureole.forces(pos, mass, softening=eps, solver="direct", precision="double", targets=pos[sample]).acceleration
    soft = np.full(n, 2.8 * eps)
    warm = plummer(500)
    pytreegrav.Accel(warm, np.full(500, 1e-3), np.full(500, 0.01), method="tree", quadrupole=True)
    pytreegrav.Accel(warm, np.full(500, 1e-3), np.full(500, 0.01), method="tree")
    spline = aureole.forces(pos, mass, softening=eps, kernel="spline", solver="direct", precision="double",
                            targets=pos[sample]).acceleration
    for theta, quadrupole, accuracy in ((0.5, True, 9e-4), (0.7, True, 4.5e-3), (0.7, False, 8e-3)):
        ours, a = seconds(lambda: aureole.forces(pos, mass, softening=eps, accuracy=accuracy).acceleration, repeat)
        theirs, b = seconds(lambda: pytreegrav.Accel(pos, mass, soft, theta=theta, method="tree", quadrupole=quadrupole), 1)
        row(f"{name}, their theta {theta}", f"pytreegrav {'quadrupole' if quadrupole else 'monopole'}", theirs, ours,
            f"99 % error {errors(a[sample], exact):.2g} (ours), {errors(b[sample], spline):.2g} (theirs)")


def expansion(n, repeat):
    pos, mass = plummer(n), np.full(n, 1 / n)
    ours, a = seconds(lambda: aureole.expand(pos, mass, n_max=10, l_max=6, scale_radius=1.0), repeat)
    name = f"expansion (10, 6), {n} particles, double"
    if peer("gala"):
        from gala.potential.scf import compute_coeffs_discrete

        theirs, b = seconds(lambda: compute_coeffs_discrete(pos, mass=mass, nmax=10, lmax=6, r_s=1.0), 1)
        row(name, "gala", theirs, ours, f"largest difference {np.abs(a.S - b[0]).max() / np.abs(b[0]).max():.1g} of the largest")
    else:
        absent(name, "gala")
    if peer("galpy"):
        from galpy.potential import scf_compute_coeffs_nbody

        theirs, b = seconds(lambda: scf_compute_coeffs_nbody(pos.T, 11, 7, mass=mass, a=1.0), 1)
        cosine = a.S.copy()
        cosine[:, :, 0] *= 2
        row(name, "galpy", theirs, ours, f"largest difference {np.abs(cosine - b[0]).max() / np.abs(b[0]).max():.1g} of the largest")
    else:
        absent(name, "galpy")


def groups(n, repeat):
    points, length = np.random.default_rng(4).random((n, 3)), 0.2 / n ** (1 / 3)
    for dtype in (np.float64, np.float32):
        array = points.astype(dtype)
        ours, _ = seconds(lambda: aureole.group_labels(array, length, box=1.0 + 1e-6), repeat)
        print(f"| FoF b = 0.2, {n} even points, periodic, {np.dtype(dtype)} | - | | {ours:.3g} s | | |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=100000, help="of most jobs (default 100000)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of this package, of which the fastest counts")
    options = parser.parse_args()
    aureole.set_num_threads(1)
    versions = [f"Python {sys.version.split()[0]}", f"numpy {np.__version__}"]
    versions += [f"{name} {found.__version__}" for name in ("sklearn", "hdbscan", "pytreegrav", "gala", "galpy")
                 if (found := peer(name)) is not None and hasattr(found, "__version__")]
    print(", ".join(versions) + "; one thread, processor seconds\n")
    print("| job | peer | peer's time | aureole | ratio | the same answer? |\n|---|---|---|---|---|---|")
    n = options.points
    for job, points in ((dbscan, 3 * n), (single_linkage, n), (density_tree, n), (tree, n), (expansion, n), (groups, 10 * n)):
        if job in (dbscan, density_tree) and peer("sklearn.cluster") is None:
            absent(job.__name__, "scikit-learn")
        else:
            job(points, options.repeat)


if __name__ == "__main__":
    main()
