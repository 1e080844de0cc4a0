"""Random calls with wrong values, types and shapes: exceptions, and no crash; and no leak."""

from __future__ import annotations

import gc
import os
import random
import resource
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import jostle

#: Exceptions that a call may end in.
EXPECTED = (ValueError, TypeError, OSError, MemoryError, AttributeError, BufferError, RuntimeError, OverflowError)

CALLS = int(os.environ.get("JOSTLE_SOAK_CALLS", "10000"))

STRANGE: list[Any] = [
    None, True, -1, 0, 1, 3, 99, 2**31, 2**32, 2**64, -(10**40), 0.5, -0.0, 1e-30, 1e38, 1e300,
    float("nan"), float("inf"), -float("inf"), "", "gas", "pile", "nan", "a.toml", "\0", "é" * 50, "--help",
    "-1", b"x", [], [1], [1, 2], [[1, 2], [3]], [None], ["a"], (0.5, 1), {}, {"a": 1}, {1: 2}, {"a": None},
    object(), int, np.float32(0.5), np.int64(-3), np.uint8(4), np.nan, np.array(3), np.array([1, 2, 3]),
    np.array([0.5, np.nan]), np.zeros((2, 2)), np.zeros(0), np.array(["a"]), np.array([1 + 2j]),
    np.arange(10)[::-3], np.array([1], dtype=">i4"), np.array([2.0], dtype=np.float16), range(3), 1 + 2j,
]

FLAGS = [
    "agents", "seed", "friction", "restitution", "density", "world", "radius", "boundary", "set", "hz", "substeps",
    "sleep", "index", "simd", "solver", "cell", "tight", "start", "walls", "load", "color_by", "view", "glow", "size",
    "spare_agents", "spare_statics", "scene", "threads", "nonsense", "exposure", "speed", "gravity",
]

METHODS = [
    "step", "hash", "observe", "contacts", "in_disc", "frame", "set_position", "set_velocity", "apply_force",
    "spawn", "remove", "steer", "add_disc", "add_box", "add_capsule", "remove_statics", "set_params",
    "scale_speeds", "by_id", "column", "table", "save", "_repr_png_",
]

ATTRIBUTES = [
    "x", "y", "vx", "vy", "radius", "id", "species", "spin", "angle", "columns", "observables", "steps", "time",
    "params", "size", "repeats", "scene", "restitution", "friction", "rolling", "gravity", "hz",
]


def test_random_calls(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    draw = random.Random(7)
    sim, views, refused = jostle.Sim("gas", agents=50, spare_agents=20), [], 0

    def value(name: str) -> Any:
        # Runs and lengths stay small, so that the calls are many.
        if name in ("agents", "n", "spare_agents", "spare_statics") and draw.random() < 0.8:
            return draw.randrange(60)
        return draw.choice(STRANGE)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(CALLS):
            kind = draw.random()
            try:
                if kind < 0.15:
                    names = draw.sample(FLAGS, draw.randrange(4))
                    flags = {name: value(name) for name in names}
                    if draw.random() < 0.9 or flags.get("agents") is None:
                        flags["agents"] = draw.choice([1, 7, 60, "60"])
                    new = jostle.Sim(**flags)
                    assert len(new) <= 100
                    sim = new
                elif kind < 0.25:
                    views.append(getattr(sim, draw.choice(ATTRIBUTES)))
                elif kind < 0.35:
                    views.clear()
                elif kind < 0.4:
                    setattr(sim, draw.choice(ATTRIBUTES[-5:]), value(""))
                elif kind < 0.42:
                    del sim
                    gc.collect()
                    sim = jostle.Sim("pile", agents=30, friction=0.5, spare_statics=3)
                elif kind < 0.43:
                    jostle.sweep(value("sweep"))
                else:
                    method = draw.choice(METHODS)
                    if method == "step" and draw.random() < 0.9:
                        sim.step(draw.randrange(4))
                        continue
                    if method == "step":
                        wrong = value("n")
                        sim.step(wrong if not isinstance(wrong, int) or wrong < 100 or wrong >= 2**32 else 1)
                        continue
                    count = draw.choice([0, 1, 2, 3, 3, 3, 4, 5])
                    getattr(sim, method)(*[value("") for _ in range(count)])
            except EXPECTED as error:
                assert str(error), type(error)
                refused += 1
            if views:
                for view in views:
                    np.size(view)
    views.clear()
    sim.step()
    assert CALLS / 5 < refused < CALLS


def resident() -> int:
    """Bytes of memory of this process now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_a_thousand_runs_leak_nothing(tmp_path: Path) -> None:
    def use(times: int) -> None:
        for seed in range(times):
            sim = jostle.Sim("gas", agents=2000, seed=seed, spare_agents=10, friction=0.2)
            sim.step(2)
            view = sim.x
            try:
                sim.step()
            except BufferError:
                pass
            del view
            sim.observe(), sim.frame(64, 36), sim.table(), sim.contacts(), sim.spawn(5, 5, 0.5)
            try:
                jostle.Sim(agents=0)
            except ValueError:
                pass
        gc.collect()

    use(200)
    before = resident()
    use(1000)
    # A run of this size takes some 400 KB.
    assert resident() - before < 8e6


def test_calls_cost_little() -> None:
    sim = jostle.Sim("gas", agents=1, world=(1000, 1000))

    def micros(call: Any) -> float:
        best = float("inf")
        for _ in range(20):
            begun = time.perf_counter()
            for _ in range(1000):
                call()
            best = min(best, (time.perf_counter() - begun) * 1e3)
        return best

    # Limits for a test build on a busy machine; docs/measurements.md has the figures of a release.
    for call in (lambda: sim.steps, lambda: sim.step(0), lambda: sim.x, lambda: sim.set_velocity(0, 1, 1)):
        assert micros(call) < 40
