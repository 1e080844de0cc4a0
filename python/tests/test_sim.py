"""Views, changes, threads and refusals of Sim."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jostle

Program = Callable[..., subprocess.CompletedProcess[str]]

COLUMNS = ("x", "y", "vx", "vy", "radius", "id")


def test_columns_view_the_memory_of_the_run() -> None:
    sim = jostle.Sim("gas", agents=5000)
    for name in COLUMNS:
        one, other = getattr(sim, name), sim.column(name)
        assert one.shape == (5000,) and not one.flags.owndata
        assert one.ctypes.data == other.ctypes.data
        assert one.dtype == (np.uint32 if name == "id" else np.float32)
        with pytest.raises(ValueError):
            one[0] = 1
        with pytest.raises(ValueError):
            one.flags.writeable = True
    assert sim.columns == ["id", "x", "y", "vx", "vy", "radius"]
    assert sorted(sim.id) == list(range(5000))


def test_a_view_of_half_a_million_copies_nothing() -> None:
    import tracemalloc

    sim = jostle.Sim("gas", agents=500_000)
    sim.x  # The first array of all allocates for itself.
    tracemalloc.start()
    views = [getattr(sim, name) for name in COLUMNS]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000 and all(len(view) == 500_000 for view in views)


def test_what_would_change_a_view_is_refused() -> None:
    sim = jostle.Sim("gas", agents=300, spare_agents=5, friction=0.1)
    views: tuple[Callable[[], Any], ...] = (
        lambda: sim.vy,
        lambda: sim.vy[10:20],
        lambda: sim.vy.reshape(10, 30)[::2],
        lambda: sim.spin,
    )
    for see in views:
        view = see()
        before, steps, state = view.copy(), sim.steps, sim.hash()
        changes: tuple[Callable[[], object], ...] = (
            sim.step,
            lambda: sim.set_position(3, 5, 5),
            lambda: sim.set_velocity(3, 5, 5),
            lambda: sim.apply_force(3, 5, 5),
            lambda: sim.spawn(5, 5, 0.5),
            lambda: sim.remove(7),
            lambda: sim.steer(5, 5, 5, 5),
            lambda: sim.scale_speeds(2),
            lambda: setattr(sim, "friction", 0.3),
        )
        for change in changes:
            with pytest.raises(BufferError, match=r"still views the column (vy|spin).*sim\.\w+\.copy\(\)"):
                change()
        sim.observe(), sim.frame(32, 18), sim.contacts(), sim.in_disc(5, 5, 5), sim.table()
        np.testing.assert_array_equal(view, before)
        assert (sim.steps, sim.hash()) == (steps, state)
        del view, before
        sim.step()


def test_a_view_keeps_its_run() -> None:
    sim = jostle.Sim("gas", agents=1000)
    sim.step(5)
    x, expected = sim.x, sim.x.copy()
    del sim
    gc.collect()
    others = [jostle.Sim("gas", agents=1000, seed=seed) for seed in range(20)]
    np.testing.assert_array_equal(x, expected)
    del others


@pytest.mark.filterwarnings("ignore:.* of all moves")
def test_copies_are_in_the_order_of_the_ids() -> None:
    sim = jostle.Sim("gas", agents=800, boundary="periodic", speed=30)
    sim.step(100)
    order = np.argsort(sim.id)
    table = sim.table()
    assert list(table) == sim.columns and list(table["id"]) == list(range(800))
    for name in ("vx", "radius"):
        np.testing.assert_array_equal(table[name], getattr(sim, name)[order])
        np.testing.assert_array_equal(table[name], sim.by_id(name))
    width, height = sim.size
    assert (0 <= table["x"]).all() and (table["x"] < width).all()
    np.testing.assert_allclose(table["x"], sim.x[order] % width, rtol=1e-5, atol=1e-3)
    assert sim.repeats == (True, True)
    sim.step()


def test_agents_are_changed_by_their_ids() -> None:
    sim = jostle.Sim("gas", agents=100, world=(60, 40), spare_agents=10)
    sim.step(10)
    sim.set_velocity([7, 3, 5], [1, 2, 3], 0.5)
    assert sim.by_id("vx")[[7, 3, 5]].tolist() == [1, 2, 3]
    assert sim.by_id("vy")[[7, 3, 5]].tolist() == [0.5] * 3
    sim.set_position(np.array([0, 1], np.uint8), np.array([10.0, 20.0]), 30)
    assert sim.by_id("x")[:2].tolist() == [10, 20] and sim.by_id("y")[:2].tolist() == [30, 30]
    sim.set_velocity(0, 0, 0)
    mass = sim.by_id("radius")[0] ** 2
    sim.remove(np.arange(1, 100))
    sim.apply_force(0, mass * 6, 0)
    sim.step()
    assert sim.by_id("vx")[0] == pytest.approx(6 / sim.hz, rel=1e-5)
    ids = sim.spawn(x=[5, 15, 25], y=5, radius=1, vx=[0, 1, 2])
    assert ids.tolist() == [100, 101, 102] and len(sim) == 4
    assert sim.by_id("vx")[1:].tolist() == [0, 1, 2]
    assert sim.in_disc(15, 5, 0.5).tolist() == [101]
    assert sim.spawn([], [], 1).tolist() == []


def test_one_wrong_agent_changes_none() -> None:
    sim = jostle.Sim("gas", agents=100)
    state = sim.hash()
    changes: tuple[Callable[[], object], ...] = (
        lambda: sim.set_velocity([1, 2, 100], 5, 5),
        lambda: sim.set_velocity([1, 2], [5, np.nan], 5),
        lambda: sim.set_position([1, 2], [5, 1e9], 5),
        lambda: sim.set_position([1, 2, 4_000_000_000], 5, 5),
        lambda: sim.apply_force([1, 2], [5, np.inf], 5),
    )
    for change in changes:
        with pytest.raises(ValueError):
            change()
    assert sim.hash() == state
    sim.step()


def test_walls_and_parameters_change_on_the_way() -> None:
    sim = jostle.Sim("gas", agents=200, spare_statics=3)
    width, height = sim.size
    ids = [
        sim.add_disc(width / 2, height / 2, 1),
        sim.add_box(1, 1, 2, 3),
        sim.add_capsule(5, 5, 8, 6, 0.3),
    ]
    assert ids == [0, 1, 2]
    with pytest.raises(ValueError, match="no capacity for 1 more statics.*with more spare_statics"):
        sim.add_disc(4, 4, 1)
    assert sim.remove_statics([0, 2, 77]) == 2
    for name, value in [("gravity", 3), ("restitution", 0.5), ("friction", 0.25), ("rolling", 0.125)]:
        setattr(sim, name, value)
        assert getattr(sim, name) == value
    with pytest.raises(ValueError, match="restitution 2 is out of range: expected 0 to 1"):
        sim.restitution = 2
    assert sim.steer(width / 2, height / 2, 5, 3) > 0
    assert len(sim.spin) == len(sim.angle) == 200
    sim.step(10)


def test_new_agents_have_the_species_that_there_are() -> None:
    world = "world = { size = [60, 40], agents = 20 }\n[species]\nred = 1\nblue = 1\n"
    sim = jostle.Sim(world=world, spare_agents=20)
    mixed: Any = ["blue", 0, 1]
    ids = sim.spawn([5, 9, 13], 5, 0.5, species=mixed)
    ids = np.append(ids, sim.spawn([5, 9], 9, 0.5, species=np.array([1, 0])))
    ids = np.append(ids, sim.spawn(5, 13, 0.5, species="blue"))
    assert sim.by_id("species")[ids].tolist() == [1, 0, 1, 1, 0, 1]
    wrong: tuple[tuple[Any, type[Exception], str], ...] = (
        (7, ValueError, "species 7 is out of range: expected 0 to 1"),
        ([0, 2], ValueError, "species 2 is out of range: expected 0 to 1"),
        ("green", ValueError, 'species "green" is unknown: expected one of red, blue'),
        ([0, 1, 0], ValueError, "species has 3 values for 2 agents"),
        (1.5, TypeError, "species is of type float: expected a whole number"),
    )
    for species, error, sentence in wrong:
        with pytest.raises(error, match=sentence):
            sim.spawn([5, 9], 17, 0.5, species=species)
    with pytest.raises(ValueError, match="faction can't be used: only agents of the scene melee"):
        sim.spawn(5, 17, 0.5, faction=1)
    gas = jostle.Sim("gas", agents=10, spare_agents=2)
    with pytest.raises(ValueError, match="species can't be used: only world files"):
        gas.spawn(5, 5, 0.5, species=0)
    melee = jostle.Sim("melee", agents=100, spare_agents=2)
    ids = melee.spawn([5, 9], 5, 0.5, faction=[1, 0], health=[3, 4])
    assert melee.by_id("faction")[ids].tolist() == [1, 0]
    assert melee.by_id("health")[ids].tolist() == [3, 4]
    with pytest.raises(ValueError, match="faction 2 is out of range: expected 0 to 1"):
        melee.spawn(5, 5, 0.5, faction=2)


def test_calls_without_work_are_made_beside_a_view() -> None:
    sim = jostle.Sim("gas", agents=10)
    x = sim.x
    sim.step(0)
    assert sim.remove([]) == 0 and len(x) == 10


@pytest.mark.parametrize(
    "flags,sentence",
    [
        ({"agents": 0}, "agents 0 is out of range: expected 1 to 1,000,000,000"),
        ({"agents": 1.5}, "agents 1.5 is not a whole number"),
        ({"frction": 1}, "frction is no known argument; did you mean friction"),
        ({"threads": 2}, "threads belong to the process; call set_threads"),
        ({"steps": 2}, "steps is no argument; call step"),
        ({"export": "a.csv"}, "export belongs to the command jostle run"),
        ({"scene": "gsa"}, "gsa is no known scene; did you mean gas"),
        ({"radius": (1, 2, 3)}, "radius has 3 numbers: expected 2"),
        ({"friction": (1, 2)}, "friction is no list"),
        ({"friction": {"a": 1}}, "friction has no names"),
        ({"friction": float("nan")}, "friction NaN is not a finite number"),
        ({"glow": 3}, "glow is a switch"),
        ({"set": {"a": 1}}, "set a belongs to a world file"),
        ({"set": 3}, "set needs names with numbers"),
        ({"density": 0.1, "world": (9, 9)}, "'density <F>' cannot be used with 'world <WxH>'"),
        ({"world": "[agents]\nnone = 1"}, "(?s)world has 2 faults.*world:1:2: `agents` is no known"),
        ({"world": "a.toml", "scene": "gas"}, "scene and world both say"),
        ({"world": "a = 1", "load": "b.jostle"}, "world and load both say"),
        ({"world": "out/beta=0.3.toml"}, "there is no such file"),
        ({"world": "hello"}, 'world "hello" can.t be used: expected a path that ends in .toml, the text'),
        ({"world": ""}, 'world "" can.t be used: expected a path'),
        ({"world": "0x9"}, "world"),
        ({"spare_agents": -1}, "spare_agents -1 is out of range"),
        ({"spare_agents": 10**30}, "spare_agents 10000"),
        ({"spare_agents": 2**32 - 1}, "spare_agents"),
        ({"color_by": "faction"}, "color_by faction needs factions"),
        ({"agents": 10**9, "density": 0.9, "radius": (0.01, 100)}, "."),
    ],
)
def test_arguments_that_cannot_be_used_end_in_a_sentence(
    flags: dict[str, object], sentence: str
) -> None:
    with pytest.raises((ValueError, MemoryError, OSError), match=sentence) as error:
        jostle.Sim(**flags)  # type: ignore[arg-type]
    assert "--" not in str(error.value)


def test_missing_things_are_named() -> None:
    sim = jostle.Sim("gas", agents=10)
    with pytest.raises(AttributeError, match="no column spin; only runs with friction"):
        sim.spin
    with pytest.raises(AttributeError, match="there are id, x, y, vx, vy, radius"):
        sim.column("nope")
    with pytest.raises(ValueError, match="temprature is no known observable; did you mean temperature"):
        sim.observe("temprature")
    with pytest.raises(ValueError, match="no capacity for 1 more agents.*with more spare_agents"):
        sim.spawn(5, 5, 0.5)
    with pytest.raises(OSError, match="there is no such file"):
        jostle.Sim.load("none.jostle")
    with pytest.raises(ValueError, match="no world file"):
        sim.set_params(a=1)
    with pytest.raises(ValueError, match="both, or none"):
        sim.frame(100)
    with pytest.raises(ValueError, match="pixels; try 1280x720"):
        sim.frame(100, 10**6)
    with pytest.raises(ValueError, match="belongs to a run, not to a frame"):
        sim.frame(10, 10, friction=1)


def test_files_are_whole_or_absent(tmp_path: Path) -> None:
    sim = jostle.Sim("gas", agents=10)
    for name, error, sentence in [
        (Path("a.txt"), ValueError, "ends in .jostle"),
        (Path("-"), ValueError, "no extension"),
        (tmp_path / "no/a.jostle", OSError, "its folder doesn't exist; create it"),
        (tmp_path, ValueError, "no extension"),
    ]:
        with pytest.raises(error, match=sentence):
            sim.save(name)
    target, link = tmp_path / "b.jostle", tmp_path / "a.jostle"
    target.write_text("before")
    target.chmod(0o640)
    link.symlink_to(target)
    sim.save(link)
    assert link.is_symlink() and target.stat().st_mode & 0o777 == 0o640
    assert jostle.Sim.load(link).hash() == sim.hash()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jostle", "b.jostle"]
    target.write_bytes(target.read_bytes()[:-7])
    with pytest.raises(ValueError, match="can't be loaded: the snapshot is cut off"):
        jostle.Sim.load(target)
    sim.save(target)
    with pytest.raises(ValueError, match="keeps the room that it has"):
        jostle.Sim.load(target, spare_agents=3)


def test_notes_are_warnings(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.warns(UserWarning, match="agents lose energy.*restitution 1; try solver impulse"):
        jostle.Sim("gas", agents=100, solver="contact")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning):
            jostle.Sim("gas", agents=100, solver="contact")
        jostle.Sim("gas", agents=100)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "flags,steps,kinds",
    [
        ({"scene": "gas", "agents": 500, "speed": 1e6}, 100, 1),
        ({"scene": "pile", "agents": 2000, "gravity": 1000, "hz": 60, "substeps": 1}, 60, 2),
    ],
)
def test_the_notes_at_the_end_of_a_run_are_warnings_once(
    flags: dict[str, Any], steps: int, kinds: int, program: Program
) -> None:
    words = [word for name, value in flags.items() for word in (f"--{name}", value)]
    told = program("run", *words, "--steps", steps).stderr.splitlines()
    sim = jostle.Sim(**flags)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sim.step(steps)
    assert [f"jostle: {it.message}" for it in caught] == [line.replace("--", "") for line in told]
    assert len(told) == kinds
    sim.step(40)


def test_values_that_are_not_written_are_a_warning_once() -> None:
    agent = "[agent]\nacceleration = ['1e30 * x * 1e30', '0']\n"
    sim = jostle.Sim(world="world = { size = [60, 40], agents = 50 }\n" + agent)
    with pytest.warns(UserWarning, match="the formula in line 3, .* were not written"):
        sim.step()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.step(5)
        jostle.Sim("gas", agents=500).step(50)
        jostle.Sim("pile", agents=500).step(50)


def test_what_shows_a_warning_may_look_at_the_run() -> None:
    code = """
import jostle, warnings
sim = jostle.Sim("gas", agents=500, speed=1e6)
warnings.showwarning = lambda *_: print(sim.steps)
sim.step(3)
"""
    assert run_alone(code).stdout == "3\n"


def test_notes_belong_to_the_thread_that_calls() -> None:
    begun, ended = threading.Event(), threading.Event()

    def note() -> None:
        while not ended.is_set():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                jostle.Sim("gas", agents=100, solver="contact")
            begun.set()

    thread = threading.Thread(target=note)
    thread.start()
    begun.wait()
    messages = set()
    for _ in range(300):
        with pytest.raises(ValueError) as error:
            jostle.Sim(world="[agents]\nnone = 1")
        messages.add(str(error.value))
    ended.set()
    thread.join()
    assert len(messages) == 1 and "lose energy" not in messages.pop()


def test_a_step_lets_other_threads_work() -> None:
    sim, done = jostle.Sim("gas", agents=100_000), threading.Event()
    ticks, refused = 0, 0

    def step() -> None:
        sim.step(40)
        done.set()

    thread = threading.Thread(target=step)
    thread.start()
    while not done.is_set():
        ticks += 1
        try:
            len(sim)
        except RuntimeError as error:
            assert "another thread uses this run" in str(error)
            refused += 1
        time.sleep(0.001)
    thread.join()
    assert ticks > 20 and refused > 10 and sim.steps == 40


def test_runs_in_two_threads_have_their_own_bits() -> None:
    alone = jostle.Sim("mixed", agents=4000)
    alone.step(60)
    sims = [jostle.Sim("mixed", agents=4000) for _ in range(4)]
    threads = [threading.Thread(target=sim.step, args=(60,)) for sim in sims]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {sim.hash() for sim in sims} == {alone.hash()}


def test_threads_belong_to_the_process() -> None:
    hashes = set()
    for count in (1, 2, 5):
        jostle.set_threads(count)
        assert jostle.threads() == count
        sim = jostle.Sim("gas", agents=5000)
        sim.step(20)
        hashes.add(sim.hash())
    assert len(hashes) == 1
    for wrong in (0, 1025, -1, 10**20):
        with pytest.raises(ValueError, match="threads .*: expected"):
            jostle.set_threads(wrong)
    strange: list[Any] = ["2", 1.5, None]
    for other in strange:
        with pytest.raises(TypeError, match="expected a whole number"):
            jostle.set_threads(other)
    jostle.set_threads(2)


def run_alone(code: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-c", code]
    return subprocess.run(line, text=True, capture_output=True, timeout=120)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_has_threads_of_its_own() -> None:
    code = """
import os, jostle
sim = jostle.Sim("gas", agents=5000); sim.step(5)
child = os.fork()
sim.step(5)
if child == 0:
    os._exit(0 if sim.steps == 10 else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), sim.steps)
"""
    assert run_alone(code).stdout == "0 10\n"


def test_too_much_memory_is_refused_before_it_is_taken() -> None:
    code = """
import resource, jostle
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
try:
    jostle.Sim("gas", agents=100_000_000)
except MemoryError as error:
    print(error)
print(len(jostle.Sim("gas", agents=1000)))
"""
    told, count = run_alone(code).stdout.splitlines()
    assert "would take" in told and "is available; try agents " in told and count == "1000"


def test_ctrl_c_ends_a_step() -> None:
    code = """
import jostle, os, signal, threading, time
sim = jostle.Sim("gas", agents=2000)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begun = time.monotonic()
try:
    sim.step(4_000_000_000)
except KeyboardInterrupt:
    sim.step()
    print(0 < sim.steps < 4_000_000_000, time.monotonic() - begun < 20)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    jostle.sweep({"run": {"agents": 500, "steps": 10_000_000}, "sweep": {"seed": "1..4"}})
except KeyboardInterrupt:
    print("stopped")
"""
    assert run_alone(code).stdout == "True True\nstopped\n"


def test_ctrl_c_ends_a_sweep_of_short_runs() -> None:
    code = """
import jostle, os, signal, threading, time
threading.Timer(2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begun = time.monotonic()
try:
    jostle.sweep({"run": {"agents": 200, "steps": 50}, "sweep": {"seed": "1..20000"}})
except KeyboardInterrupt:
    print("stopped", time.monotonic() - begun < 30)
"""
    assert run_alone(code).stdout == "stopped True\n"


def test_subclasses_and_names() -> None:
    class Own(jostle.Sim):
        pass

    sim = Own("gas", agents=10)
    assert repr(sim) == "<jostle.Sim gas: 10 agents, step 0>" and len(sim) == 10
    assert sim.scene == "gas" and sim.params == {} and sim.time == 0
    assert isinstance(Own.load, object) and jostle.Sim.__doc__ and jostle.sweep.__doc__
    for name in dir(jostle.Sim):
        if not name.startswith("_"):
            assert getattr(jostle.Sim, name).__doc__, name
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="write it with save, and read it with Own.load"):
            copied(sim)
    nothing: Any = None
    with pytest.raises(TypeError, match="path"):
        jostle.Sim.load(nothing)
