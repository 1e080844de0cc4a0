"""The functions of theory: values of tables, limits, identities between them, and shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad  # type: ignore[import-untyped]

import jostle
from jostle import theory

# For calls that the stubs refuse.
any_theory: Any = theory


def test_values_of_a_table() -> None:
    """J. J. Erpenbeck and M. Luban, Phys. Rev. A 32, 2920 (1985), by the virial series."""
    eta = np.array([0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    z = [1.1084, 1.2361, 1.5704, 2.0633, 2.829, 4.106, 6.458]
    assert theory.compressibility(eta) == pytest.approx(z, rel=2e-4)


def test_the_first_virial_coefficients() -> None:
    eta = 1e-4
    expected = 1 + 2 * eta + (2 * eta) ** 2 * 0.7820044
    assert theory.compressibility(eta) == pytest.approx(expected, abs=1e-11)
    assert theory.compressibility(0.0) == 1.0
    assert theory.contact_value(0.0) == 1.0


def test_identities() -> None:
    eta = np.linspace(0, 0.7, 29)
    g = theory.contact_value(eta)
    assert theory.compressibility(eta) == pytest.approx(1 + 2 * eta * g, rel=1e-12)
    assert np.all(np.diff(g) > 0)
    diameter, thermal = 0.6, 3.5
    rate = theory.collision_rate(eta[1:], diameter, thermal)
    mean_speed = thermal * np.sqrt(np.pi / 2)
    path = theory.mean_free_path(eta[1:], diameter)
    assert path == pytest.approx(mean_speed / rate, rel=1e-12)
    assert theory.collision_rate(0.3) == pytest.approx(
        theory.collision_rate(0.3, diameter, thermal) * diameter / thermal
    )


def test_contact_value_has_no_step_where_the_series_takes_over() -> None:
    around = theory.contact_value(np.array([0.99e-6, 1.01e-6]))
    assert around == pytest.approx([1.0, 1.0], abs=3e-6)


def test_distributions_are_distributions() -> None:
    thermal = 2.5

    def density(speed: float) -> float:
        return theory.maxwell_speed(speed, thermal)

    assert quad(density, 0, np.inf)[0] == pytest.approx(1)
    square = quad(lambda speed: speed**2 * density(speed), 0, np.inf)[0]
    assert square == pytest.approx(2 * thermal**2)
    # The weight of a column of gas is the pressure at its foot: rho g h dh = rho kT / m.
    column = quad(lambda height: theory.barometric(height, 9.81, thermal), 0, np.inf)[0]
    assert 9.81 * column == pytest.approx(thermal**2)
    assert theory.barometric(1.0, 0.0, thermal) == 1.0


def test_a_gas_cools_as_haff_says() -> None:
    time = np.linspace(0, 50, 100_001)
    restitution, rate = 0.8, 1.7
    t = theory.haff(restitution, rate, time)
    assert t[0] == 1.0
    # The collision rate falls with the root of the temperature, and each loses its share.
    loss = -(1 - restitution**2) / 2 * rate * t**1.5
    assert np.gradient(t, time)[1:-1] == pytest.approx(loss[1:-1], rel=1e-4)
    assert theory.haff(1.0, 5.0, 100.0) == 1.0


def test_shapes() -> None:
    assert isinstance(theory.compressibility(0.3), float)
    assert isinstance(theory.compressibility(np.float32(0.25)), float)
    assert theory.compressibility([0.1, 0.2]).shape == (2,)
    assert theory.compressibility(np.zeros((2, 0, 3))).shape == (2, 0, 3)
    assert theory.compressibility(np.zeros((4, 6), np.float32)[::2, ::3]).shape == (2, 2)
    assert theory.haff(np.array([[0.5], [0.9]]), 1.0, np.arange(5)).shape == (2, 5)
    assert np.isnan(theory.compressibility([np.nan, 0.1])).tolist() == [True, False]
    column = np.linspace(0, 0.5, 6)[:, None]
    assert theory.compressibility(column)[3, 0] == theory.compressibility(column[3, 0])


@pytest.mark.parametrize("call, error, words", [
    (lambda: any_theory.compressibility(-0.1), ValueError, "eta -0.1 is out of range: expected 0 to 0.9069"),
    (lambda: any_theory.compressibility([0.1, 0.95]), ValueError, "eta 0.95"),
    (lambda: any_theory.haff(1.5, 1, 1), ValueError, "restitution 1.5"),
    (lambda: any_theory.haff(0.5, -1, 1), ValueError, "rate -1 is out of range: expected at least 0"),
    (lambda: any_theory.haff(0.5, [1, 2], [1, 2, 3]), ValueError, "broadcast"),
    (lambda: any_theory.maxwell_speed(1, 0), ValueError, "thermal_speed 0 is out of range"),
    (lambda: any_theory.compressibility("x"), TypeError, "eta must be a real number"),
    (lambda: any_theory.compressibility(1j), TypeError, "eta must be a real number"),
    (lambda: any_theory.compressibility(None), TypeError, "eta must be a real number"),
    (lambda: any_theory.compressibility(), TypeError, "eta"),
])
def test_bad_input_is_an_exception_of_one_sentence(call: Any, error: Any, words: Any) -> None:
    with pytest.raises(error) as raised:
        call()
    assert words in str(raised.value)


def test_it_is_a_module() -> None:
    import jostle.theory

    assert jostle.theory is theory
    assert "eta" in theory.__doc__
    for name in ["compressibility", "contact_value", "collision_rate", "mean_free_path", "haff",
                 "maxwell_speed", "barometric"]:
        assert len(getattr(theory, name).__doc__) > 50
