"""Compares jostle.Grid with scipy.spatial.cKDTree: how many times as fast, by the median of turns.

    python python/benches/peers.py                  # 500,000 even points, one thread
    python python/benches/peers.py --threads 2
    python python/benches/peers.py --sweep          # other numbers of points, and uneven ones

Both get the same points and distances, in turns, and must find the same. Times are CPU times of the
process on one thread, and elapsed times on several.
"""

import argparse
import platform
import statistics
import time

import numpy as np
import scipy
from scipy.spatial import cKDTree

import jostle

WORLD = (1600.0, 900.0)


def even(rng, n):
    return rng.uniform((0, 0), WORLD, (n, 2))


def clusters(rng, n):
    """Tight clusters of a hundredth of the world, of very different sizes."""
    weights = rng.pareto(1.0, 50)
    centers = even(rng, 50)[rng.choice(50, n, p=weights / weights.sum())]
    return centers + rng.normal(0, 5, (n, 2))


def line(rng, n):
    along = rng.uniform(0, 1, (n, 1))
    return along * WORLD + rng.normal(0, 0.5, (n, 2))


def far(rng, n):
    """A heavy tail: half of the points within 1 of the center, some a million away."""
    return rng.standard_cauchy((n, 2))


def lattice(rng, n):
    """Points that share few places."""
    return np.floor(rng.uniform((0, 0), np.sqrt(n / 8), (n, 2)))


def spacing(tree, rng):
    """The median distance to the nearest other point, or 1 where points coincide."""
    sample = tree.data[rng.integers(0, tree.n, 1000)]
    return float(np.median(tree.query(sample, 2)[0][:, 1])) or 1.0


def alternate(functions, turns, clock):
    """The median time of each function in seconds, called in turns, and their last results."""
    times, results = [[] for _ in functions], [None] * len(functions)
    for _ in range(turns):
        for i, function in enumerate(functions):
            start = clock()
            results[i] = function()
            times[i].append(clock() - start)
    return [statistics.median(one) for one in times], results


def sorted_rows(pairs):
    return pairs[np.lexsort(pairs.T[::-1])]


def compare(points, rng, threads, turns):
    """Rows of (operation, seconds of SciPy, seconds of jostle)."""
    clock = time.process_time if threads == 1 else time.perf_counter
    tree, grid = cKDTree(points), jostle.Grid(points)
    within = spacing(tree, rng) * 1.2
    n = len(points)
    queries = points[rng.permutation(n)] + rng.normal(0, within, (n, 2))
    empty = [None, None]

    def build_and_pairs(build, pairs):
        return lambda: pairs(build(points))

    tests = [
        ("build", lambda: cKDTree(points), lambda: jostle.Grid(points), None),
        (
            "build and pairs",
            build_and_pairs(cKDTree, lambda tree: tree.query_pairs(within, output_type="ndarray")),
            build_and_pairs(jostle.Grid, lambda grid: grid.pairs(within)),
            None,
        ),
        (
            "pairs",
            lambda: tree.query_pairs(within, output_type="ndarray"),
            lambda: grid.pairs(within),
            lambda one, other: np.array_equal(sorted_rows(one), sorted_rows(other)),
        ),
        (
            f"{n:,} discs",
            lambda: tree.query_ball_point(queries, within, workers=threads),
            lambda: grid.query_disc(queries, within),
            lambda one, other: np.array_equal(np.concatenate(one).astype(int), other[0]),
        ),
        (
            f"{n:,} nearest",
            lambda: tree.query(queries, workers=threads),
            lambda: grid.nearest(queries),
            lambda one, other: np.array_equal(one[0], other[0]),
        ),
        (
            f"{n:,} nearest 8",
            lambda: tree.query(queries, 8, workers=threads),
            lambda: grid.nearest(queries, 8),
            lambda one, other: np.array_equal(one[0], other[0]),
        ),
    ]
    for name, scipy_way, jostle_way, same in tests:
        times, results = alternate([scipy_way, jostle_way], turns, clock)
        if same is not None and not same(*results):
            raise SystemExit(f"{name}: the results differ")
        results[:] = empty
        yield name, *times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--points", type=int, default=500_000)
    parser.add_argument("--sweep", action="store_true")
    flags = parser.parse_args()
    jostle.set_threads(flags.threads)
    print(f"{platform.processor() or platform.machine()}, {flags.threads} thread(s), "
          f"SciPy {scipy.__version__}, NumPy {np.__version__}")
    numbers = [1_000, 30_000, flags.points] if flags.sweep else [flags.points]
    shapes = [even, clusters, line, far, lattice] if flags.sweep else [even]
    for shape in shapes:
        for n in numbers:
            rng = np.random.default_rng(1)
            print(f"\n{n:,} points, {shape.__name__}")
            for name, theirs, ours in compare(shape(rng, n), rng, flags.threads, flags.turns):
                print(f"  {name:20} {theirs * 1e3:9.1f} ms {ours * 1e3:9.1f} ms "
                      f"{theirs / ours:6.1f} x", flush=True)


if __name__ == "__main__":
    main()
