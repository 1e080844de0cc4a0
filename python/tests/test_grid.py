"""Grid against SciPy's cKDTree and against the naive search: the same results, to the last pair."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.spatial import cKDTree  # type: ignore[import-untyped]

import jostle

WORLD = (160.0, 90.0)

# For calls that the stubs refuse.
any_grid: Any = jostle.Grid
# NumPy has no types for it.
ma: Any = np.ma


def even(rng: Any, n: Any) -> Any:
    return rng.uniform((0, 0), WORLD, (n, 2))


def clusters(rng: Any, n: Any) -> Any:
    return even(rng, 10)[rng.integers(0, 10, n)] + rng.normal(0, 0.3, (n, 2))


def lattice(rng: Any, n: Any) -> Any:
    """Distances that equal the limit, several points per place, and steps that f64 rounds."""
    return np.floor(rng.uniform(0, np.sqrt(n / 2), (n, 2))) * 0.1


def heavy_tail(rng: Any, n: Any) -> Any:
    return rng.standard_cauchy((n, 2))


def far_origin(rng: Any, n: Any) -> Any:
    """As in a national grid of meters: f32 has no more than a quarter of a meter there."""
    return even(rng, n) + (4_500_000.25, 5_400_000.75)


def line(rng: Any, n: Any) -> Any:
    return np.stack([rng.uniform(0, 1000, n), np.full(n, 7.0)], axis=1)


def one_place(rng: Any, n: Any) -> Any:
    return np.full((n, 2), 3.7)


def small(rng: Any, n: Any) -> Any:
    return even(rng, n) * 1e-9


SHAPES = [even, clusters, lattice, heavy_tail, far_origin, line, one_place, small]


def spacing(points: Any) -> Any:
    size = np.ptp(points, axis=0).max()
    return size / np.sqrt(len(points)) if size > 0 else 1.0


def rows(pairs: Any) -> Any:
    pairs = np.asarray(pairs)
    return pairs[np.lexsort(pairs.T[::-1])]


def split(result: Any) -> Any:
    indices, offsets = result
    return np.split(indices, offsets[1:-1])


def gaps(points: Any, radius: Any) -> Any:
    """The gap between each two discs, by SciPy's formula."""
    delta = points[:, None, :] - points[None, :, :]
    square = delta[..., 0] ** 2 + delta[..., 1] ** 2
    return square, radius[:, None] + radius[None, :]


@pytest.fixture(params=[1, 2])
def threads(request: Any) -> Iterator[int]:
    before = jostle.threads()
    jostle.set_threads(request.param)
    yield request.param
    jostle.set_threads(before)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pairs_are_those_of_scipy(shape: Any, dtype: Any, threads: Any) -> None:
    for n, seed in [(0, 0), (1, 1), (2, 2), (300, 3), (5000, 4)]:
        points = shape(np.random.default_rng(seed), n).astype(dtype)
        grid, tree = jostle.Grid(points), cKDTree(points.reshape(-1, 2))
        step = spacing(points) if n else 1.0
        limit = 400_000 / max(n, 1) ** 2  # Share of all pairs that a test lists.
        for within in [0.0, 0.1, 0.2, 0.1 * step, step, 4 * step, 0.1 * np.sqrt(2)]:
            if n > 300 and len(points) and tree.count_neighbors(tree, within) > limit * n * n:
                continue
            found = grid.pairs(within)
            assert found.dtype == np.int64 and found.shape[1:] == (2,)
            expected = tree.query_pairs(within, output_type="ndarray") if n else np.empty((0, 2))
            assert np.array_equal(rows(found), rows(expected)), (n, within)


def test_a_distance_that_equals_the_limit_is_within_it() -> None:
    points = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
    assert rows(jostle.Grid(points).pairs(5.0)).tolist() == [[0, 1], [1, 2]]
    assert len(jostle.Grid(points).pairs(np.nextafter(5.0, 0))) == 0
    # Discs that touch have a gap of 0.
    assert len(jostle.Grid(points, 2.5).pairs()) == 2
    assert len(jostle.Grid(points, np.nextafter(2.5, 0)).pairs()) == 0
    # In f64, 0.1 + 0.2 is more than 0.3; in f32 it is not.
    points = np.array([[0.1, 0.0], [0.30000000000000004 + 0.1, 0.0]])
    assert len(jostle.Grid(points).pairs(0.3)) == 0
    assert len(jostle.Grid(points.astype(np.float32)).pairs(0.3)) == len(
        cKDTree(points.astype(np.float32)).query_pairs(0.3)
    )


@pytest.mark.parametrize("seed", range(12))
def test_discs_of_all_sizes_against_the_naive_search(seed: Any, threads: Any) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 700))
    points = SHAPES[seed % len(SHAPES)](rng, n)
    step = spacing(points)
    radius = rng.uniform(0, step, n) * rng.choice([0, 0.3, 1, 30], n, p=[0.2, 0.5, 0.28, 0.02])
    if seed % 3 == 0:
        radius = radius.astype(np.float32)
    grid = jostle.Grid(points, radius, world=WORLD if seed % 2 else None)
    radius = radius.astype(float)
    square, reach = gaps(points, radius)
    for within in [0.0, 0.5 * step, 3 * step]:
        i, j = np.nonzero(np.triu(square <= (reach + within) ** 2, 1))
        assert np.array_equal(rows(grid.pairs(within)), np.stack([i, j], axis=1))

    queries = np.concatenate([points[:50] + rng.normal(0, step, (len(points[:50]), 2)),
                              points[:50] + rng.normal(0, 100 * step, (len(points[:50]), 2))])
    delta = points - queries[:, None]
    square = delta[..., 0] ** 2 + delta[..., 1] ** 2
    for search in [0.0, step, np.inf, rng.uniform(0, 3 * step, len(queries))]:
        near = square <= (np.reshape(search, (-1, 1)) + radius) ** 2
        found = split(grid.query_disc(queries, search))
        assert all(np.array_equal(one, np.nonzero(row)[0]) for one, row in zip(found, near))
        first = np.ravel(search)[0]
        assert np.array_equal(grid.query_disc(tuple(queries[0]), first), found[0])

    corner = queries + rng.uniform(0, 5 * step, queries.shape)
    rects = np.concatenate([queries, corner], axis=1)
    outside = np.maximum(np.maximum(rects[:, None, :2] - points, points - rects[:, None, 2:]), 0)
    inside = (outside**2).sum(axis=2) <= radius**2
    found = split(grid.query_rect(rects))
    assert all(np.array_equal(one, np.nonzero(row)[0]) for one, row in zip(found, inside))
    assert np.array_equal(grid.query_rect(rects[0]), found[0])

    distance = np.maximum(np.sqrt(square) - radius, 0)
    for k in [1, 3, n + 2]:
        order = np.lexsort((np.broadcast_to(np.arange(n), distance.shape), distance))[:, :k]
        d, i = grid.nearest(queries, k)
        assert d.shape == i.shape == ((len(queries),) if k == 1 else (len(queries), k))
        d, i = d.reshape(len(queries), k), i.reshape(len(queries), k)
        have = min(k, n)
        assert np.array_equal(i[:, :have], order)
        assert np.array_equal(d[:, :have], np.take_along_axis(distance, order, 1))
        assert np.all(i[:, have:] == n) and np.all(np.isinf(d[:, have:]))

    directions = rng.normal(0, 1, queries.shape) * 10.0 ** rng.integers(-3, 4, (len(queries), 1))
    expected = first_hits(points, radius, queries, directions)
    d, i = grid.raycast(queries, directions)
    assert np.allclose(d, expected.min(axis=1, initial=np.inf), rtol=1e-7, atol=1e-9 * step)
    hit = np.isfinite(d)
    assert np.allclose(expected[hit, i[hit]], d[hit], rtol=1e-7, atol=1e-9 * step)
    assert np.all(i[~hit] == n)
    assert grid.raycast(queries[0], directions[0]) == (d[0], i[0])
    d, i = grid.raycast(queries, directions, max=2 * step)
    assert np.array_equal(np.isfinite(d), expected.min(axis=1, initial=np.inf) <= 2 * step)


def first_hits(points: Any, radius: Any, origins: Any, directions: Any) -> Any:
    """The distance of each ray to each disc, infinite if it misses."""
    length: Any = np.linalg.norm(directions, axis=1, keepdims=True)
    dx, dy = np.moveaxis(points - origins[:, None], 2, 0)
    ax, ay = directions[:, :1], directions[:, 1:]
    along, aside = (dx * ax + dy * ay), (dx * ay - dy * ax)
    half = radius**2 * length**2 - aside**2
    inside = dx**2 + dy**2 <= radius**2
    with np.errstate(invalid="ignore"):
        entry = np.maximum((along - np.sqrt(half)) / length, 0)
    return np.where(inside, 0, np.where((half >= 0) & (along >= 0), entry, np.inf))


def test_a_ray_through_points_hits_the_first_of_them() -> None:
    x = np.arange(10.0)
    grid = jostle.Grid(np.stack([x, x], axis=1))
    for direction, hit in [(1.0, 1), (-1.0, 0)]:
        distance, index = grid.raycast((0.5, 0.5), (direction, direction))
        assert index == hit and distance == pytest.approx(np.sqrt(0.5))
    assert grid.raycast((0.5, 0.5), (1, 0)) == (np.inf, 10)
    assert grid.raycast((-1e6, -1e6), (2, 2))[1] == 0


@pytest.mark.parametrize("shape", SHAPES)
def test_batches_are_those_of_scipy(shape: Any, threads: Any) -> None:
    rng = np.random.default_rng(7)
    points = shape(rng, 20_000) if shape is not one_place else shape(rng, 300)
    step = spacing(points) / 4
    queries = points + rng.normal(0, step, points.shape)
    grid, tree = jostle.Grid(points), cKDTree(points)
    within = min(step, np.median(tree.query(points[:500], 4)[0][:, 3]) or step)
    found = split(grid.query_disc(queries, within))
    expected: Any = tree.query_ball_point(queries, within)
    assert all(np.array_equal(one, other) for one, other in zip(found, expected))
    for k in [1, 5]:
        assert np.array_equal(grid.nearest(queries, k)[0], tree.query(queries, k)[0])


def test_half_a_million_points(threads: Any) -> None:
    rng = np.random.default_rng(1)
    points = rng.uniform((0, 0), (1600, 900), (500_000, 2))
    grid, tree = jostle.Grid(points), cKDTree(points)
    expected: Any = tree.query_pairs(1.0, output_type="ndarray")
    assert np.array_equal(rows(grid.pairs(1.0)), rows(expected))
    queries = rng.uniform((0, 0), (1600, 900), (500_000, 2))
    indices, offsets = grid.query_disc(queries, 1.0)
    expected = tree.query_ball_point(queries, 1.0)
    assert np.array_equal(np.diff(offsets), [len(one) for one in expected])
    assert np.array_equal(indices, np.concatenate(expected).astype(int))


def test_threads_change_nothing() -> None:
    rng = np.random.default_rng(3)
    points, queries = even(rng, 30_000), even(rng, 5_000)
    before, results = jostle.threads(), []
    for threads in [1, 2, 3]:
        jostle.set_threads(threads)
        grid = jostle.Grid(points, 0.1)
        results.append([grid.pairs(0.3), *grid.query_disc(queries, 1), *grid.nearest(queries, 3)])
    jostle.set_threads(before)
    for other in results[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(results[0], other))


def test_rebuilds_follow_the_points() -> None:
    rng = np.random.default_rng(5)
    grid = jostle.Grid(even(rng, 10), 0.5, world=WORLD)
    for n in [1000, 1000, 20, 0, 3000]:
        points = even(rng, n) if n % 3 else even(rng, n) - 100
        grid.rebuild(points)
        assert len(grid) == n
        expected: Any = cKDTree(points).query_pairs(2.0, output_type="ndarray") if n else []
        # The radius of all stays.
        assert len(grid.pairs(1.0)) == len(expected)
    grid.rebuild(even(rng, 50), np.full(50, 0.25))
    with pytest.raises(ValueError, match="give the new ones"):
        grid.rebuild(even(rng, 50))
    assert len(grid) == 50


def test_the_grid_copies_the_positions() -> None:
    points = even(np.random.default_rng(1), 100)
    grid = jostle.Grid(points)
    before = grid.pairs(5.0)
    points[:] = 0
    assert np.array_equal(grid.pairs(5.0), before)


@pytest.mark.parametrize("change", [
    lambda points: np.asfortranarray(points),
    lambda points: np.repeat(points, 2, axis=0)[::2],
    lambda points: np.repeat(points, 3, axis=1)[:, ::3],
    lambda points: points[::-1][::-1],
    lambda points: points.astype(">f8"),
    lambda points: points.astype(">f4").astype("<f4"),
    lambda points: points.astype(np.longdouble),
    lambda points: points.tolist(),
    lambda points: [tuple(point) for point in points],
    lambda points: np.array(points, order="F")[:, :],
])
def test_arrays_of_any_layout(change: Any) -> None:
    points = np.round(even(np.random.default_rng(2), 500), 1).astype(np.float32).astype(float)
    expected = jostle.Grid(points).pairs(3.0)
    assert len(expected) > 100
    assert np.array_equal(jostle.Grid(change(points)).pairs(3.0), expected)
    assert np.array_equal(jostle.Grid(points).nearest(change(points))[0], np.zeros(500))


@pytest.mark.parametrize("dtype", [
    np.dtype([("xy", "f8", (2,)), ("id", "i4")]),
    np.dtype([("id", "i4"), ("xy", "f8", (2,))]),
    np.dtype([("id", "i1"), ("xy", "f4", (2,))]),
    np.dtype([("id", "i4"), ("xy", ">f8", (2,))]),
])
def test_fields_of_packed_records(dtype: Any) -> None:
    """Their strides are no multiples of the size of a number, or they are not aligned."""
    rng = np.random.default_rng(2)
    points = np.round(rng.uniform(0, 50, (200, 2))).astype(np.float32).astype(float)
    records = np.zeros(200, dtype)
    records["xy"] = points
    packed, radius = records["xy"], records["xy"][:, 0]
    grid = jostle.Grid(points)
    assert np.array_equal(jostle.Grid(packed).pairs(3.0), grid.pairs(3.0))
    discs = jostle.Grid(packed, radius).pairs()
    assert np.array_equal(discs, jostle.Grid(points, points[:, 0]).pairs())
    for one, other in zip(grid.query_disc(packed, radius), grid.query_disc(points, points[:, 0])):
        assert np.array_equal(one, other)
    assert np.array_equal(grid.nearest(packed)[0], np.zeros(200))
    assert grid.nearest(packed[7])[0] == 0


def test_a_masked_array_is_refused() -> None:
    points: Any = ma.masked_greater(even(np.random.default_rng(1), 20), 80.0)
    grid = any_grid(points.data)
    calls: list[Any] = [
        lambda: any_grid(points), lambda: grid.nearest(points), lambda: grid.nearest(points[0])
    ]
    for call in calls:
        with pytest.raises(TypeError, match=r"masked array.*\.compressed\(\)"):
            call()
    assert len(jostle.Grid(ma.compress_rows(points))) < 20


def test_whole_numbers_and_halves_are_numbers() -> None:
    assert jostle.Grid([[0, 0], [1, 1]]).pairs(1.5).tolist() == [[0, 1]]
    assert jostle.Grid(np.array([[0, 0], [1, 1]], dtype=np.uint8)).nearest((0, 1)) == (1.0, 0)
    assert len(jostle.Grid(np.zeros((3, 2), dtype=np.float16)).pairs()) == 3
    assert jostle.Grid([]).pairs().shape == (0, 2)
    assert jostle.Grid([]).nearest((0, 0)) == (np.inf, 0)
    assert jostle.Grid(np.empty((0, 2))).query_disc((0, 0), 1).tolist() == []
    indices, offsets = jostle.Grid([[0, 0]]).query_disc(np.empty((0, 2)), 1)
    assert indices.tolist() == [] and offsets.tolist() == [0]


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize("call, error, words", [
    (lambda: any_grid([[0, NAN]]), ValueError, "position 0 (0, NaN) is out of range"),
    (lambda: any_grid([[0, 0], [INF, 1]]), ValueError, "position 1 (inf, 1)"),
    (lambda: any_grid([[0, 2e17]]), ValueError, "from -1e17 to 1e17"),
    (lambda: any_grid([1, 2, 3]), ValueError, "(3,): expected (n, 2)"),
    (lambda: any_grid(np.zeros((3, 3))), ValueError, "(3, 3): expected (n, 2)"),
    (lambda: any_grid(np.zeros((3, 2, 1))), ValueError, "(3, 2, 1): expected (n, 2)"),
    (lambda: any_grid(7), ValueError, "expected (n, 2)"),
    (lambda: any_grid("abc"), TypeError, "real numbers"),
    (lambda: any_grid(None), TypeError, "real numbers"),
    (lambda: any_grid(np.zeros((3, 2), complex)), TypeError, "complex128"),
    (lambda: any_grid(np.zeros((3, 2), bool)), TypeError, "dtype bool"),
    (lambda: any_grid([[0, 0], [1]]), ValueError, ""),
    (lambda: any_grid([[0, 0]], -1), ValueError, "radius -1 is out of range: expected 0 to 1e17"),
    (lambda: any_grid([[0, 0]], NAN), ValueError, "radius NaN"),
    (lambda: any_grid([[0, 0]], INF), ValueError, "radius inf"),
    (lambda: any_grid([[0, 0]] * 2, [1, -2]), ValueError, "radius 1 -2 is out of range"),
    (lambda: any_grid([[0, 0]] * 2, [1, 2, 3]), ValueError, "expected one number, or (2,)"),
    (lambda: any_grid([[0, 0]], "big"), TypeError, "real numbers"),
    (lambda: any_grid([[0, 0]], 0, (0, 1)), ValueError, "world (0, 1) is out of range"),
    (lambda: any_grid([[0, 0]], 0, (1, NAN)), ValueError, "world (1, NaN)"),
    (lambda: any_grid([[0, 0]], 0, 5), TypeError, ""),
    (lambda: any_grid([[0, 0]]).pairs(-1), ValueError, "within -1 is out of range"),
    (lambda: any_grid([[0, 0]]).pairs(NAN), ValueError, "within NaN"),
    (lambda: any_grid([[0, 0]]).pairs("x"), TypeError, "real number"),
    (lambda: any_grid([[0, 0]]).query_disc((NAN, 0), 1), ValueError, "center (NaN, 0)"),
    (lambda: any_grid([[0, 0]]).query_disc((0, 0), -1), ValueError, "radius -1"),
    (lambda: any_grid([[0, 0]]).query_disc((0, 0, 0), 1), ValueError, "(3,): expected (n, 2)"),
    (lambda: any_grid([[0, 0]]).query_disc(np.zeros((2, 1)), 1), ValueError, "(2, 1): expected"),
    (lambda: any_grid([[0, 0]]).query_disc([[0, 0], [0, INF]], 1), ValueError, "center 1 (0, inf)"),
    (lambda: any_grid([[0, 0]]).query_disc([[0, 0]], [1, 2]), ValueError, "or (1,)"),
    (lambda: any_grid([[0, 0]]).query_rect((0, 0, 1)), ValueError, "expected (n, 4)"),
    (lambda: any_grid([[0, 0]]).query_rect((0, 0, 1, NAN)), ValueError, "rect (0, 0, 1, NaN)"),
    (lambda: any_grid([[0, 0]]).nearest((0, 0), 0), ValueError, "k 0 is out of range"),
    (lambda: any_grid([[0, 0]]).nearest((0, 0), 1.5), TypeError, "integer"),
    (lambda: any_grid([[0, 0]]).raycast((0, 0), (0, 0)), ValueError, "has no length"),
    (lambda: any_grid([[0, 0]]).raycast((0, 0), [[0, 0]]), ValueError, "differ in shape"),
    (lambda: any_grid([[0, 0]]).raycast([[0, 0]], [[1, 0]] * 2), ValueError, "1 origins and 2"),
    (lambda: any_grid([[0, 0]]).raycast((0, 0), (1, 0), -1), ValueError, "max -1"),
    (lambda: any_grid(), TypeError, "positions"),
])
def test_bad_input_is_an_exception_of_one_sentence(call: Any, error: Any, words: Any) -> None:
    with pytest.raises(error) as raised:
        call()
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


def test_help_shows_the_defaults() -> None:
    assert str(inspect.signature(jostle.Grid.raycast)) == "(self, /, origins, directions, max=inf)"
    assert str(inspect.signature(jostle.Grid.pairs)) == "(self, /, within=0.0)"


def test_a_list_of_pairs_that_fits_no_memory_is_refused() -> None:
    # 10¹² pairs of 34 bytes, and 2⁵¹ neighbors: no machine has so much memory.
    points = np.random.default_rng(1).uniform(0, 1000, (1_500_000, 2))
    grid = jostle.Grid(points)
    with pytest.raises(MemoryError, match="would take"):
        grid.pairs(3000.0)
    assert len(grid.pairs(1e-3)) > 0
    with pytest.raises(MemoryError, match="would take"):
        grid.nearest(np.zeros((2**20, 2)), 2**31)


def test_pairs_of_points_at_one_place_are_refused() -> None:
    points = np.random.default_rng(1).uniform(0, 1000, (2_000_000, 2))
    points[:1_500_000] = 500.0
    with pytest.raises(MemoryError, match="would take"):
        jostle.Grid(points).pairs(1e-3)


def test_the_order_of_pairs_is_that_of_a_fresh_grid() -> None:
    points = even(np.random.default_rng(3), 20_000)
    used = jostle.Grid(points)
    for within in [2.0, 1.2, 0.1, 1.5, 1.0, 1.2]:
        assert np.array_equal(used.pairs(within), jostle.Grid(points).pairs(within))
    used.rebuild(points)
    assert np.array_equal(used.pairs(1.2), jostle.Grid(points).pairs(1.2))


def test_many_neighbors_are_selected() -> None:
    rng = np.random.default_rng(6)
    points = lattice(rng, 5000)
    grid, center = jostle.Grid(points), np.array([1.0, 1.3])
    distance = np.sqrt(((points - center) ** 2).sum(axis=1))
    order = np.lexsort((np.arange(5000), distance))
    for k in [1, 64, 65, 300, 2500, 2501, 4999, 5000]:
        for d, i in [grid.nearest(center, k), [part[0] for part in grid.nearest([center], k)]]:
            assert np.array_equal(np.ravel(i), order[:k])
            assert np.array_equal(np.ravel(d), distance[order[:k]])


def test_rebuild_refuses_and_keeps_the_points() -> None:
    grid = jostle.Grid([[0, 0], [1, 0]])
    with pytest.raises(ValueError):
        grid.rebuild([[0, NAN]])
    assert grid.pairs(1).tolist() == [[0, 1]]
