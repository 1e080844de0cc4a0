"""Calls of Grid as a program may make them: any arguments, from several threads, many times."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest

import jostle



def arguments(rng: Any) -> Any:
    """A random argument, of which few make sense."""
    n = int(rng.integers(0, 6))
    makers = [
        lambda: rng.normal(0, 1, (n, 2)),
        lambda: rng.normal(0, 1, (n, 2)).astype(np.float32),
        lambda: rng.normal(0, 1, (n, 4)),
        lambda: rng.normal(0, 1, 2),
        lambda: tuple(rng.normal(0, 1, 2)),
        lambda: tuple(rng.normal(0, 1, 4)),
        lambda: float(rng.normal(0, 1)),
        lambda: int(rng.integers(-3, 10)),
        lambda: float(rng.choice([0, 1e-300, 1e17, 1e18, 1e300, np.inf, -np.inf, np.nan])),
        lambda: rng.choice([0, 1, 1e17, -1e17, 1e300, np.inf, np.nan], (n, 2)),
        lambda: rng.integers(0, 9, (n, 2)).astype(rng.choice(["i1", ">i4", "u8", "f2", ">f8", "g"])),
        lambda: rng.normal(0, 1, rng.integers(0, 4, int(rng.integers(0, 5)))),
        lambda: rng.normal(0, 1, (2 * n, 6))[::2, ::3],
        lambda: np.broadcast_to(rng.normal(0, 1), (n, 2)),
        lambda: None,
        lambda: "abc",
        lambda: b"\0\1",
        lambda: {},
        lambda: object(),
        lambda: [[0, 0], [1]],
        lambda: np.array([[None, "x"]], dtype=object),
        lambda: np.zeros((n, 2), complex),
        lambda: np.zeros((n, 2), "datetime64[s]"),
        lambda: 10**400,
        lambda: True,
    ]
    return makers[rng.integers(len(makers))]()


def test_ten_thousand_random_calls_end_in_a_result_or_an_exception() -> None:
    rng = np.random.default_rng(11)
    names = ["rebuild", "pairs", "query_disc", "query_rect", "nearest", "raycast", "__init__"]
    grid, results, errors = jostle.Grid(rng.normal(0, 1, (50, 2))), 0, 0
    for _ in range(10_000):
        name = names[rng.integers(len(names))]
        values = [arguments(rng) for _ in range(rng.integers(0, 4))]
        if name == "nearest" and len(values) > 1 and isinstance(values[1], int):
            values[1] = min(values[1], 100)
        try:
            if name == "__init__":
                jostle.Grid(*values)
            else:
                getattr(grid, name)(*values)
            results += 1
        # NumPy warns of arrays that stand for one number.
        except (ValueError, TypeError, OverflowError, DeprecationWarning) as error:
            assert "panic" not in str(error).lower()
            errors += 1
        if len(grid) == 0:
            grid.rebuild(rng.normal(0, 1, (50, 2)), 0.1)
    assert results > 500 and errors > 2000, (results, errors)


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_calls_leak_nothing() -> None:
    rng = np.random.default_rng(2)
    points, queries = rng.uniform(0, 100, (20_000, 2)), rng.uniform(0, 100, (5_000, 2))
    grid = jostle.Grid(points)

    def all_calls() -> None:
        grid.rebuild(points)
        grid.pairs(1.0)
        grid.pairs(5.0)
        grid.query_disc(queries, 1.0)
        grid.query_rect(np.concatenate([queries, queries + 1], axis=1))
        grid.nearest(queries, 3)
        grid.raycast(queries, queries + 1)
        jostle.Grid(points, np.full(20_000, 0.1)).pairs()
        for bad in [points[:, :1], "x", -points[0] * np.nan]:
            with pytest.raises((ValueError, TypeError)):
                grid.rebuild(bad)

    # Each thread has a heap of its own, whose size depends on which thread did what.
    threads = jostle.threads()
    jostle.set_threads(1)
    for _ in range(10):
        all_calls()
    gc.collect()
    before = resident()
    for _ in range(40):
        all_calls()
    gc.collect()
    jostle.set_threads(threads)
    # One result that stayed per turn would take 40 times 100 kB or more.
    assert resident() - before < 4_000_000


def test_a_grid_in_use_by_another_thread_says_so() -> None:
    rng = np.random.default_rng(3)
    points = rng.uniform(0, 300, (300_000, 2))
    grid, refused, stop = jostle.Grid(points), [], threading.Event()

    def rebuild() -> None:
        while not stop.is_set():
            try:
                grid.rebuild(points)
            except RuntimeError as error:
                refused.append(str(error))

    other = threading.Thread(target=rebuild)
    other.start()
    try:
        ended = time.monotonic() + 20
        while not refused and time.monotonic() < ended:
            try:
                grid.pairs(0.5)
            except RuntimeError as error:
                refused.append(str(error))
    finally:
        stop.set()
        other.join()
    assert refused and "another thread" in refused[0]
    assert len(grid.pairs(0.5)) > 0


def test_other_threads_run_meanwhile() -> None:
    """The GIL is released: this thread counts while another one searches."""
    rng = np.random.default_rng(4)
    grid = jostle.Grid(rng.uniform(0, 1000, (500_000, 2)))
    queries = rng.uniform(0, 1000, (500_000, 2))
    search = threading.Thread(target=grid.query_disc, args=(queries, 3.0))
    search.start()
    ticks = 0
    while search.is_alive():
        ticks += 1
        time.sleep(0.001)
    assert ticks > 10


def test_queries_that_another_thread_changes_after_the_check() -> None:
    """A NaN among them would keep `nearest` from ending."""
    rng = np.random.default_rng(4)
    grid = jostle.Grid(rng.uniform(0, 100, (1_000, 2)))
    queries = rng.uniform(0, 100, (300_000, 2))
    search = threading.Thread(target=grid.nearest, args=(queries,), daemon=True)
    search.start()
    time.sleep(0.05)
    queries[:] = np.nan
    search.join(60)
    assert not search.is_alive()


def test_threads_are_set_and_refused() -> None:
    before = jostle.threads()
    try:
        jostle.set_threads(3)
        assert jostle.threads() == 3
        for wrong in [0, -1, 1025]:
            with pytest.raises(ValueError, match=f"threads {wrong} is out of range"):
                jostle.set_threads(wrong)
        with pytest.raises(TypeError):
            any_threads: Any = 1.5
            jostle.set_threads(any_threads)
        assert jostle.threads() == 3
    finally:
        jostle.set_threads(before)


def test_a_signal_interrupts_a_batch() -> None:
    rng = np.random.default_rng(7)
    # Clusters far smaller than the smallest cell: the searches take many seconds.
    points = rng.uniform(0, 1000, (4, 2)).repeat(40_000, axis=0) + rng.normal(0, 1e-4, (160_000, 2))
    grid = jostle.Grid(points)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    start = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        grid.query_disc(points, 1e-9)
    assert time.monotonic() - start < 3
    assert len(grid) == 160_000


REFUSED = """
import resource, sys
import numpy as np, jostle
jostle.set_threads(2)
rng = np.random.default_rng(1)
points, queries = rng.uniform(0, 1000, (400_000, 2)), rng.uniform(0, 1000, (100_000, 2))
radius = np.full(400_000, 0.1)
jostle.Grid(points[:2_000]).pairs(1.0)
grid = jostle.Grid(points)
with open("/proc/self/statm") as file:
    held = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + int(sys.argv[1]) * 2**20,) * 2)
refused = 0
for call in [
    lambda: jostle.Grid(points, radius),
    lambda: grid.query_disc(queries, 6.0),
    lambda: grid.query_disc((500, 500), 1e4),
    lambda: grid.query_rect(np.concatenate([queries, queries + 9], axis=1)),
    lambda: grid.nearest(queries, 40),
    lambda: grid.nearest((0, 0), 400_000),
    lambda: grid.raycast(queries, queries),
    lambda: grid.pairs(4.0),
    lambda: grid.rebuild(points, radius),
]:
    try:
        call()
    except MemoryError as error:
        assert str(error)
        refused += 1
print(refused)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
@pytest.mark.parametrize("megabytes", [0, 2, 8, 20, 45])
def test_refused_memory_is_an_exception(megabytes: int) -> None:
    pytest.importorskip("resource")
    child = subprocess.run(
        [sys.executable, "-c", REFUSED, str(megabytes)], capture_output=True, text=True, timeout=120
    )
    assert child.returncode == 0, child.stderr
    assert int(child.stdout) >= 1


def test_a_forked_process_has_threads_of_its_own() -> None:
    rng = np.random.default_rng(5)
    points = rng.uniform(0, 100, (10_000, 2))
    expected = len(jostle.Grid(points).pairs(1.0))
    child = os.fork()
    if child == 0:
        os._exit(0 if len(jostle.Grid(points).pairs(1.0)) == expected else 1)
    ended = time.monotonic() + 30
    while time.monotonic() < ended:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert status == 0
            return
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    pytest.fail("the forked process waits for threads that it does not have")
