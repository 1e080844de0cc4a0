"""The blocks of docs/python.md and docs/python-grid.md run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGES = [Path(__file__).parents[2] / "docs" / page for page in ("python.md", "python-grid.md")]
BLOCKS = [
    block
    for page in PAGES
    for block in re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: re.sub(r"\W+", "-", block[-40:]))
def test_a_block_runs(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "page", "exec"), {"__name__": "page"})


def test_there_are_blocks() -> None:
    assert len(BLOCKS) >= 11
