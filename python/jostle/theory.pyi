"""What theory expects of a gas of equal hard discs in two dimensions."""

from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

__all__ = [
    "barometric",
    "collision_rate",
    "compressibility",
    "contact_value",
    "haff",
    "maxwell_speed",
    "mean_free_path",
]

# A number for numbers, an array for arrays.
_Number: TypeAlias = float | np.integer[Any] | np.floating[Any]

@overload
def compressibility(eta: _Number, /) -> float: ...
@overload
def compressibility(eta: ArrayLike, /) -> Any: ...
@overload
def contact_value(eta: _Number, /) -> float: ...
@overload
def contact_value(eta: ArrayLike, /) -> Any: ...
@overload
def collision_rate(
    eta: _Number, diameter: _Number | None = None, thermal_speed: _Number | None = None
) -> float: ...
@overload
def collision_rate(
    eta: ArrayLike, diameter: ArrayLike | None = None, thermal_speed: ArrayLike | None = None
) -> Any: ...
@overload
def mean_free_path(eta: _Number, diameter: _Number | None = None) -> float: ...
@overload
def mean_free_path(eta: ArrayLike, diameter: ArrayLike | None = None) -> Any: ...
@overload
def haff(restitution: _Number, rate: _Number, time: _Number) -> float: ...
@overload
def haff(restitution: ArrayLike, rate: ArrayLike, time: ArrayLike) -> Any: ...
@overload
def maxwell_speed(speed: _Number, thermal_speed: _Number) -> float: ...
@overload
def maxwell_speed(speed: ArrayLike, thermal_speed: ArrayLike) -> Any: ...
@overload
def barometric(height: _Number, gravity: _Number, thermal_speed: _Number) -> float: ...
@overload
def barometric(
    height: ArrayLike, gravity: ArrayLike, thermal_speed: ArrayLike
) -> Any: ...
