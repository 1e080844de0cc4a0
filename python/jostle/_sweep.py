"""Sweeps: all combinations of some values, as a dict of columns."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, Union

import numpy as np

from ._jostle import _sweep

#: Columns that are names, even where all their characters are digits.
_NAMES = ("state_hash", "sweep")

Columns = dict[str, np.ndarray[Any, np.dtype[Any]]]


def sweep(source: Union[str, os.PathLike[str], Mapping[str, Any]]) -> Columns:
    """Run every combination of some values, side by side on the threads of the process.

    ``source`` is the path of a file of ``jostle sweep``, or the same as a mapping:
    ``{"run": {"scene": "gas", "agents": 500}, "sweep": {"density": [0.1, 0.2], "seed": "1..4"}}``.
    Returns the columns of the table by name, each of shape (runs,), as ``pandas.DataFrame`` takes
    them: numbers where all cells are numbers, NaN where one is empty, and text elsewhere. The rows
    are those of the command. A run that fails is a warning and has no row.
    """
    if isinstance(source, Mapping):
        text = json.dumps(dict(source), default=_plain, allow_nan=False)
        header, rows = _sweep(json=text)
    else:
        header, rows = _sweep(file=os.fspath(source))
    cells = zip(*rows) if rows else ([] for _ in header)
    return {name: _column(name, list(column)) for name, column in zip(header, cells)}


def _plain(value: Any) -> Any:
    """Values of NumPy and ranges as lists and numbers, mappings as dicts."""
    if isinstance(value, range):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a sweep has a value of type {type(value).__name__}: expected a number, a text or a list")


def _column(name: str, cells: list[str]) -> np.ndarray[Any, np.dtype[Any]]:
    if name in _NAMES:
        return np.array(cells, dtype=str)
    try:
        return np.array([int(cell) for cell in cells], dtype=np.int64)
    except (ValueError, OverflowError):
        pass
    try:
        return np.array([float(cell) if cell else np.nan for cell in cells])
    except ValueError:
        return np.array(cells, dtype=str)
