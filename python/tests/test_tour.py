"""The tour of the examples runs, finds what theory says, and is the same as a notebook."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import pytest

from jostle import theory

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_the_tour_runs_and_agrees_with_theory(monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib.use("Agg")
    figures = []

    def show() -> None:
        plt.gcf().canvas.draw()
        figures.append(plt.gcf())
        plt.close()

    monkeypatch.setattr(plt, "show", show)
    tour: dict[str, Any] = runpy.run_path(str(EXAMPLES / "tour.py"))
    assert len(figures) == 3
    assert tour["film"].getvalue()[:6] == b"GIF89a"
    assert max(abs(share - 1) for share in tour["energy"][1.0]) < 1e-3
    # At 0.8 the gas begins to clump before the end, and then loses its energy later than Haff's law says.
    for e, rel in [(0.9, 0.1), (0.8, 0.15)]:
        expected = theory.haff(e, tour["rate"], tour["times"])
        assert tour["energy"][e] == pytest.approx(expected, rel=rel)
    for eta, measured in tour["contact"].items():
        assert measured == pytest.approx(theory.contact_value(eta), rel=0.06)
    z = tour["z"]["mean"]
    assert z.to_numpy() == pytest.approx(theory.compressibility(z.index.to_numpy()), rel=0.02)
    assert tour["start"] == pytest.approx(1, abs=0.15)


def test_the_notebook_is_the_script() -> None:
    script = (EXAMPLES / "tour.py").read_text()
    cells = re.split(r"^# %%(.*)\n", script, flags=re.MULTILINE)[1:]
    expected = []
    for kind, text in zip(cells[::2], cells[1::2]):
        text = text.strip("\n")
        if "markdown" in kind:
            text = re.sub(r"^# ?", "", text, flags=re.MULTILINE)
        expected.append(("markdown" if "markdown" in kind else "code", text))
    notebook = json.loads((EXAMPLES / "tour.ipynb").read_text())
    found = [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]
    assert found == expected
    assert all(not cell.get("outputs") for cell in notebook["cells"])
