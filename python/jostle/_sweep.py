"""Sweeps: all combinations of some values, as a dict of columns."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, Union

import numpy as np

from ._jostle import _run_sweep

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
        header, rows = _run_sweep(text=_toml(source))
    else:
        header, rows = _run_sweep(file=os.fspath(source))
    cells = zip(*rows) if rows else ([] for _ in header)
    return {name: _column(name, list(column)) for name, column in zip(header, cells)}


def _toml(source: Mapping[str, Any]) -> str:
    """The text of a file of ``jostle sweep``, with the keys in their order."""
    keys = [(key, value) for key, value in source.items() if not isinstance(value, Mapping)]
    tables = [(key, value) for key, value in source.items() if isinstance(value, Mapping)]
    lines = [f"{_string(key)} = {_value(value)}" for key, value in keys]
    for name, table in tables:
        lines.append(f"[{_string(name)}]")
        lines.extend(f"{_string(key)} = {_value(value)}" for key, value in table.items())
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    """A value as TOML has it. Numbers and arrays of NumPy are numbers and lists."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (str, os.PathLike)):
        return _string(os.fspath(value))
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{_string(key)} = {_value(item)}" for key, item in value.items())
        return f"{{ {pairs} }}"
    if isinstance(value, (list, tuple, range)):
        return f"[{', '.join(map(_value, value))}]"
    kind = type(value).__name__
    raise TypeError(f"a sweep has a value of type {kind}: expected a number, a text or a list")


def _string(text: Any) -> str:
    if not isinstance(text, str):
        kind = type(text).__name__
        raise TypeError(f"a sweep has a name of type {kind}: expected a text")
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


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
