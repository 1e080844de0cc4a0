"""The run of a Sim is that of the command line with the same flags: hash, series, frames, files."""

from __future__ import annotations

import csv
import io
import subprocess
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jostle

ROOT = Path(__file__).parents[2]
Program = Callable[..., subprocess.CompletedProcess[str]]

#: Scenes, each with flags and steps.
RUNS = [
    ("gas", {"agents": 700, "seed": 3}, 50),
    ("gas", {"agents": 700, "boundary": "periodic", "collisions": "swept"}, 50),
    ("mixed", {"agents": 3000, "radius": (0.2, 4), "density": 0.25, "restitution": 0.9}, 40),
    ("pile", {"agents": 500, "friction": 0.5, "sleep": False}, 60),
    ("melee", {"agents": 800, "seed": 2**63}, 80),
    ("shear", {"agents": 1000, "world": (90, 60), "speed": np.float32(3.5), "index": "naive"}, 30),
    ("cannon", {"agents": 100, "hz": 120}, 100),
]


def test_the_versions_agree(program: Program) -> None:
    assert program("--version").stdout.split()[1] == jostle.__version__


def line(scene: str, flags: dict[str, object]) -> list[str]:
    words = ["--scene", scene]
    for name, value in flags.items():
        if isinstance(value, tuple):
            text = ("x" if name == "world" else "..").join(map(str, value))
        else:
            text = "off" if value is False else str(value)
        words += [f"--{name}", text]
    return words


@pytest.mark.filterwarnings("ignore:.* of all moves")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("scene,flags,steps", RUNS)
def test_the_hash_is_that_of_the_command_line(
    scene: str, flags: dict[str, object], steps: int, threads: int, state_hash: Callable[..., str]
) -> None:
    before = jostle.threads()
    jostle.set_threads(threads)
    try:
        sim = jostle.Sim(scene, **flags)  # type: ignore[arg-type]
        sim.step(steps // 2)
        sim.step(steps - steps // 2)
    finally:
        jostle.set_threads(before)
    assert sim.hash() == state_hash(steps, *line(scene, flags))


def test_a_world_file_has_the_same_run_as_path_and_as_text(state_hash: Callable[..., str]) -> None:
    path = ROOT / "worlds/vicsek.toml"
    expected = state_hash(40, "--scene", path, "--agents", 600)
    changed = state_hash(40, "--scene", path, "--agents", 600, "--set", "noise=5")
    assert expected != changed
    for world in (path, str(path), path.read_text()):
        sim = jostle.Sim(world=world, agents=600)
        sim.step(40)
        assert sim.hash() == expected
        sim = jostle.Sim(world=world, agents=600, set={"noise": 5})
        assert sim.params["noise"] == 5
        sim.step(40)
        assert sim.hash() == changed
    sim = jostle.Sim(path, agents=600)
    sim.set_params(noise=5)
    sim.step(40)
    assert sim.hash() == changed


def test_a_snapshot_goes_on_in_both(
    tmp_path: Path, program: Program, state_hash: Callable[..., str]
) -> None:
    expected = state_hash(50, "--scene", "pile", "--agents", 400)
    sim = jostle.Sim("pile", agents=400)
    sim.step(20)
    sim.save(tmp_path / "own.jostle")
    assert state_hash(30, "--load", tmp_path / "own.jostle") == expected
    program("run", "--scene", "pile", "--agents", 400, "--steps", 20, "--save", tmp_path / "cli.jostle")
    assert (tmp_path / "own.jostle").read_bytes() == (tmp_path / "cli.jostle").read_bytes()
    loaded = jostle.Sim.load(tmp_path / "cli.jostle")
    assert loaded.steps == 20
    loaded.step(30)
    assert loaded.hash() == expected


def test_observables_are_the_rows_of_a_series(program: Program) -> None:
    flags = ["--scene", "gas", "--agents", 500, "--boundary", "periodic", "--friction", "0.2"]
    curves = ["--series-columns", "g,density_x,velocity_y"]
    done = program("run", *flags, "--steps", 30, "--series", "-", "--series-every", 10, *curves)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    sim = jostle.Sim("gas", agents=500, boundary="periodic", friction=0.2)
    for row in rows:
        if float(row["step"]) > 0:
            sim.step(10)
        seen = sim.observe()
        assert list(seen) == list(row)[: len(seen)]
        for name, value in seen.items():
            assert row[name] == "" and not np.isfinite(value) or float(row[name]) == value, name
            again = sim.observe(name)
            assert again == value or np.isnan(again), name
        numbers = [float(cell or "nan") for cell in list(row.values())[len(seen) :]]
        curve = np.concatenate([np.ravel(sim.observe(name)) for name in ("g", "density_x", "velocity_y")])
        np.testing.assert_array_equal(curve, numbers)


def test_a_world_file_observes_its_own(program: Program) -> None:
    sim = jostle.Sim(world=ROOT / "worlds/epidemic.toml")
    done = program("run", "--scene", ROOT / "worlds/epidemic.toml", "--steps", 0, "--series", "-")
    header = next(csv.reader(io.StringIO(done.stdout)))
    assert sim.observables == header
    own = sim.observables[-1]
    assert sim.observe(own) == sim.observe()[own]


def read_png(path: Path) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The pixels of a PNG of RGBA without interlacing."""
    data, at, parts = path.read_bytes(), 8, []
    while at < len(data):
        length, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        if kind == b"IHDR":
            width, height = (int.from_bytes(data[at + 8 + 4 * i : at + 12 + 4 * i], "big") for i in (0, 1))
        elif kind == b"IDAT":
            parts.append(data[at + 8 : at + 8 + length])
        at += 12 + length
    lines = np.frombuffer(zlib.decompress(b"".join(parts)), np.uint8).reshape(height, 1 + 4 * width)
    frame = np.zeros((height + 1, width + 1, 4), np.int64)
    for row, (kind, pixels) in enumerate(zip(lines[:, 0], lines[:, 1:].reshape(height, width, 4)), 1):
        for column in range(1, width + 1):
            left, up, corner = frame[row, column - 1], frame[row - 1, column], frame[row - 1, column - 1]
            guess = left + up - corner
            off = [abs(guess - it) for it in (left, up, corner)]
            paeth = np.where((off[0] <= off[1]) & (off[0] <= off[2]), left, np.where(off[1] <= off[2], up, corner))
            filters = (0 * left, left, up, (left + up) // 2, paeth)
            frame[row, column] = (pixels[column - 1] + filters[kind]) % 256
    return frame[1:, 1:].astype(np.uint8)


@pytest.mark.parametrize(
    "flags,look",
    [
        (["--scene", "shear"], {}),
        (["--scene", "melee"], {"glow": True, "palette": "viridis"}),
        (["--scene", ROOT / "worlds/vicsek.toml"], {"view": (30, 30, 40), "overlay": "velocities"}),
    ],
)
def test_a_frame_has_the_pixels_of_the_command_line(
    flags: list[Any], look: dict[str, Any], tmp_path: Path, program: Program
) -> None:
    words = ["--agents", 600, "--steps", 30, "--frame", tmp_path / "a.png", "--size", "96x54"]
    for name, value in look.items():
        text = ",".join(map(str, value)) if isinstance(value, tuple) else value
        words += [f"--{name}"] if value is True else [f"--{name}", text]
    program("run", *flags, *words)
    sim = jostle.Sim(flags[1], agents=600)
    sim.step(30)
    frame = sim.frame(96, 54, **look)
    assert frame.shape == (54, 96, 4) and frame.dtype == np.uint8 and frame.flags.writeable
    np.testing.assert_array_equal(frame, read_png(tmp_path / "a.png"))
    # The look may belong to the run instead, and a frame may have another.
    dressed = jostle.Sim(flags[1], agents=600, **look)
    dressed.step(30)
    np.testing.assert_array_equal(dressed.frame(96, 54), frame)
    assert (dressed.frame(96, 54, color_by="size", palette="cividis") != frame).any()


def test_a_notebook_gets_a_png(tmp_path: Path) -> None:
    sim = jostle.Sim("gas", agents=300, world=(40, 30))
    (tmp_path / "a.png").write_bytes(sim._repr_png_())
    data = (tmp_path / "a.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert [int.from_bytes(data[at : at + 4], "big") for at in (16, 20)] == [640, 480]


SWEEP = """
[run]
scene = "gas"
agents = 200
steps = 60

[sweep]
density = [0.1, 0.2]
boundary = ["walls", "periodic"]
seed = "1..2"
"""


def test_a_sweep_has_the_rows_of_the_command(tmp_path: Path, program: Program) -> None:
    (tmp_path / "s.toml").write_text(SWEEP)
    program("sweep", tmp_path / "s.toml", "--out", tmp_path / "s.csv")
    with open(tmp_path / "s.csv") as file:
        rows = list(csv.DictReader(file))
    mapping = {
        "run": {"scene": "gas", "agents": 200, "steps": 60},
        "sweep": {"density": np.array([0.1, 0.2]), "boundary": ["walls", "periodic"], "seed": range(1, 3)},
    }
    for source in (tmp_path / "s.toml", str(tmp_path / "s.toml"), mapping):
        table = jostle.sweep(source)
        assert list(table) == list(rows[0]) and len(rows) == 8
        for name, column in table.items():
            for row, value in zip(rows, column):
                if name == "seconds":
                    assert value >= 0
                elif column.dtype.kind == "f":
                    assert np.isnan(value) if row[name] == "" else float(row[name]) == value
                else:
                    assert row[name] == str(value)
    assert table["seed"].dtype.kind == "i" and table["density"].dtype.kind == "f"


def test_a_sweep_that_is_wrong_says_all_its_faults(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="(?s)sweep has 2 faults.*sweep:4:.*density 7 is out of range.*density 8"):
        jostle.sweep({"run": {"agents": 100}, "sweep": {"density": [7, 8]}})
    with pytest.raises(ValueError, match="`frcition` is no known flag; did you mean friction"):
        jostle.sweep({"run": {"frcition": 1}, "sweep": {"seed": "1..2"}})
    with pytest.raises(OSError, match="there is no such file"):
        jostle.sweep(tmp_path / "none.toml")
    with pytest.raises(TypeError, match="of type object"):
        jostle.sweep({"run": {"agents": object()}, "sweep": {"seed": "1..2"}})


def test_values_of_a_sweep_are_those_of_a_run() -> None:
    def hashes(run: dict[str, Any], sweep: dict[str, Any]) -> list[str]:
        fixed = {"scene": "pile", "agents": 100, "steps": 20}
        return [str(it) for it in jostle.sweep({"run": fixed | run, "sweep": sweep})["state_hash"]]

    def alone(**flags: Any) -> str:
        sim = jostle.Sim("pile", agents=100, **flags)
        sim.step(20)
        return sim.hash()

    both = {"world": (60, 40), "radius": (0.4, 0.8), "sleep": False}
    one = alone(**both)
    assert hashes(both, {"seed": [1]}) == [alone(seed=1, **both)]
    assert hashes({"world": [60, 40]}, {"sleep": [True, False], "radius": (0.4, 0.8)}) == [
        alone(world=(60, 40), radius=(0.4, 0.8)),
        one,
    ]
    swept = hashes({"radius": np.array([0.4, 0.8]), "sleep": False}, {"world": [(60, 40), (80, 50)]})
    assert swept == [one, alone(world=(80, 50), radius=(0.4, 0.8), sleep=False)]
    assert len(hashes({}, {"radius": [0.5, 1]})) == 2


def test_a_sweep_takes_params_with_a_dot() -> None:
    world = ROOT / "worlds/vicsek.toml"
    for params in ({"set.noise": [1, 5]}, {"set": {"noise": [1, 5]}}):
        table = jostle.sweep({"run": {"scene": world, "agents": 300, "steps": 20}, "sweep": params})
        assert table["noise"].tolist() == [1, 5]
        for noise, state in zip(table["noise"], table["state_hash"]):
            sim = jostle.Sim(world, agents=300, set={"noise": noise})
            sim.step(20)
            assert sim.hash() == state
    fixed = {"scene": world, "agents": 300, "steps": 20, "set.noise": 5}
    assert jostle.sweep({"run": fixed, "sweep": {"seed": [1]}})["state_hash"].size == 1


@pytest.mark.parametrize("values", [range(10**7), range(10**30), np.arange(10**7), [0] * 10**6])
def test_a_sweep_of_too_many_values_is_refused_at_once(values: Any) -> None:
    begun = time.monotonic()
    with pytest.raises(ValueError, match="seed has more than 100,000 values"):
        jostle.sweep({"run": {"agents": 10}, "sweep": {"seed": values}})
    with pytest.raises(ValueError, match="pull has more than 100,000 values"):
        jostle.sweep({"run": {"agents": 10}, "sweep": {"set": {"pull": values}}})
    assert time.monotonic() - begun < 1
