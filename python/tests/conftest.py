"""What all tests share: the program, whose results the package must repeat."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

# A shell starts what runs in its background with Ctrl-C ignored, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def program() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the program that was built beside the package, in a folder, with arguments."""
    path = Path(os.environ.get("JOSTLE_PROGRAM", ROOT / "target/debug/jostle"))
    assert path.is_file(), f"{path} is missing: scripts/python.sh builds it"

    def run(*arguments: object, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
        line = [str(path), *map(str, arguments)]
        return subprocess.run(line, cwd=folder, text=True, capture_output=True, check=True)

    return run


@pytest.fixture(scope="session")
def state_hash(program: Callable[..., subprocess.CompletedProcess[str]]) -> Callable[..., str]:
    """The hash of the state after some steps of the program."""

    def hash_of(steps: int, *arguments: object, folder: Path = ROOT) -> str:
        done = program("run", "--steps", steps, "--json", *arguments, folder=folder)
        report: dict[str, Any] = json.loads(done.stdout)
        return str(report["state_hash"])

    return hash_of
