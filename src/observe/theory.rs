//! The predictions of theory for gases of hard discs. `eta` is the share of the area that discs
//! cover; lengths are in diameters, velocities in √(kT/m).

use std::{f64::consts::PI, sync::LazyLock};

/// Bₙ₊₁/B₂ⁿ for n = 0, 1, …: the virial coefficients of hard discs, the third exact, the others
/// of N. Clisby and B. M. `McCoy`, J. Stat. Phys. 122, 15 (2006).
const VIRIAL: [f64; 10] = [
    1.0,
    1.0,
    0.782_004_4,
    0.532_231_8,
    0.333_556_04,
    0.198_842_5,
    0.114_872_8,
    0.064_993_0,
    0.036_219_3,
    0.019_953_7,
];

/// The compressibility factor Z = P/(ρ·kT): the \[5/4\] Padé approximant of the virial series. At
/// η = 0.5 it differs from the \[4/5\] approximant by less than 1e-4, at 0.6 by 3e-4.
pub fn compressibility(eta: f64) -> f64 {
    // The series is one in B₂·ρ = 2η.
    let x = 2.0 * eta;
    let (upper, lower) = &*APPROXIMANT;
    let sum = |terms: &[f64]| terms.iter().rev().fold(0.0, |sum, term| sum * x + term);
    sum(upper) / sum(lower)
}

static APPROXIMANT: LazyLock<([f64; 6], [f64; 5])> = LazyLock::new(pade);

/// The approximant: numerator of degree 5, denominator of degree 4.
fn pade() -> ([f64; 6], [f64; 5]) {
    // Coefficients of x⁶ … x⁹ of the product of series and denominator vanish.
    let mut matrix = [[0.0; 5]; 4];
    for (row, line) in matrix.iter_mut().enumerate() {
        for (col, value) in line.iter_mut().enumerate() {
            *value = if col < 4 { VIRIAL[row + 5 - col] } else { -VIRIAL[row + 6] };
        }
    }
    let [q1, q2, q3, q4] = super::radial::solve(matrix);
    let lower = [1.0, q1, q2, q3, q4];
    let upper = std::array::from_fn(|power| {
        (0..=power.min(4)).map(|term| lower[term] * VIRIAL[power - term]).sum()
    });
    (upper, lower)
}

/// g(d⁺), the radial distribution where two discs touch: Z = 1 + 2η·g(d⁺).
pub fn contact(eta: f64) -> f64 {
    (compressibility(eta) - 1.0) / (2.0 * eta)
}

/// Collisions of a disc per time: ν = 8·η·g(d⁺)/√π.
pub fn collision_rate(eta: f64) -> f64 {
    8.0 * eta * contact(eta) / PI.sqrt()
}

/// The temperature of a gas that loses energy in collisions, relative to that at the start (P. K.
/// Haff, J. Fluid Mech. 134, 401 (1983)): while it stays uniform,
/// T/T₀ = \[1 + (1 − e²)·ν₀·t/4\]⁻², with the collision rate ν₀ at the start.
pub fn haff(restitution: f64, rate: f64, time: f64) -> f64 {
    (1.0 + (1.0 - restitution * restitution) * rate * time / 4.0).powi(-2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_approximant_gives_the_table() {
        for (eta, z, g, rate) in [
            (0.05, 1.1084, 1.0839, 0.2446),
            (0.10, 1.2361, 1.1807, 0.5329),
            (0.20, 1.5704, 1.4259, 1.2872),
            (0.30, 2.0633, 1.7721, 2.3995),
            (0.40, 2.829, 2.287, 4.128),
            (0.50, 4.106, 3.106, 7.010),
            (0.60, 6.458, 4.548, 12.317),
        ] {
            let near = |one: f64, other: f64| (one / other - 1.0).abs() < 2e-4;
            let all = [compressibility(eta), contact(eta), collision_rate(eta)];
            assert!(near(all[0], z) && near(all[1], g) && near(all[2], rate), "{eta}: {all:?}");
        }
    }

    #[test]
    fn a_gas_without_losses_stays_warm() {
        assert_eq!(haff(1.0, 5.0, 100.0), 1.0);
        assert!((haff(0.5, 4.0, 2.0) - 0.16).abs() < 1e-12);
    }
}
