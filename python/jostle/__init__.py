"""Discs that bounce off each other, by the half million, and the grid that finds their pairs."""

from ._jostle import *
from ._sweep import sweep as sweep
