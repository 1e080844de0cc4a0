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

#: Flags of two numbers, with what stands between them.
_PAIRS = {"world": "x", "radius": ".."}

#: Runs of a sweep at most.
_RUNS_MAX = 100_000

Columns = dict[str, np.ndarray[Any, np.dtype[Any]]]


def sweep(source: Union[str, os.PathLike[str], Mapping[str, Any]]) -> Columns:
    """Run every combination of some values, side by side on the threads of the process.

    ``source`` is the path of a file of ``jostle sweep``, or the same as a mapping:
    ``{"run": {"scene": "gas", "agents": 500}, "sweep": {"density": [0.1, 0.2], "seed": "1..4"}}``.
    Values are written as for ``Sim``, such as ``sleep=False`` or ``world=(90, 60)``, and a list, a
    range or an array in ``"sweep"`` is several of them; a param of a world file is ``"set.NAME"``.
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
        lines.extend(f"{_key(key)} = {_flag(name, key, value)}" for key, value in table.items())
    return "\n".join(lines) + "\n"


def _key(key: Any) -> str:
    """A key as TOML has it; ``set.NAME`` is the name in the table ``set``."""
    if isinstance(key, str) and key.startswith("set."):
        return f"set.{_string(key[4:])}"
    return _string(key)


def _flag(section: str, key: Any, value: Any) -> str:
    """The value of a flag, or those that runs differ in, as TOML has it."""
    _check_length(key, value)
    if key not in _PAIRS:
        return _value(value)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if section == "run":
        return _single(key, value)
    # In a list, since the text of a tuple by itself would be a range.
    values = [value] if isinstance(value, tuple) else value
    if isinstance(values, list):
        return f"[{', '.join(_single(key, item) for item in values)}]"
    return _value(values)


def _single(key: str, value: Any) -> str:
    """One value of a flag that takes two numbers."""
    if isinstance(value, (list, tuple)):
        return _string(_PAIRS[key].join(map(_value, value)))
    return _value(value)


def _check_length(name: Any, value: Any) -> None:
    """Refuses more values than a sweep has runs before they are written."""
    is_list = isinstance(value, (list, tuple, range)) or getattr(value, "ndim", 0) > 0
    if is_list and len(value[: _RUNS_MAX + 1]) > _RUNS_MAX:
        raise ValueError(f"{name} has more than {_RUNS_MAX:,} values: leave out some of them")


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
        for key, item in value.items():
            _check_length(key, item)
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
