//! A gas of discs of several radii, as theory has it in equilibrium.

use std::f64::consts::PI;

use super::theory;

/// Classes of radii: few give the sums over all pairs as precisely as they are known.
const CLASSES: usize = 200;

/// A gas of discs with mass radius², in equilibrium and without losses. Equal discs have the
/// contact value of `theory::contact`, other discs the values of J. T. Jenkins and F. Mancini, J.
/// Appl. Mech. 54, 27 (1987).
#[derive(Clone, Debug)]
pub struct Mixture {
    classes: Vec<RadiusClass>,
    eta: f64,
    compressibility: f64,
    equal: bool,
}

/// Discs of nearly one radius.
#[derive(Clone, Copy, Debug)]
struct RadiusClass {
    /// Share of all discs.
    share: f64,
    radius: f64,
    /// Collisions of a disc per second at k·T = 1.
    rate: f64,
    /// How fast the mean of v(t)·v(0) falls at first, per second at k·T = 1, as a share of ⟨v²⟩.
    friction: f64,
}

impl RadiusClass {
    fn mass(&self) -> f64 {
        self.radius * self.radius
    }
}

impl Mixture {
    /// The mixture of discs with these radii in a world of that area.
    pub fn new(radii: &[f32], area: f64) -> Self {
        let mut sorted: Vec<f64> = radii.iter().map(|&radius| radius.into()).collect();
        sorted.sort_by(f64::total_cmp);
        let count = sorted.len() as f64;
        let size = sorted.len().div_ceil(CLASSES).max(1);
        let class = |class: &[f64]| RadiusClass {
            share: class.len() as f64 / count,
            radius: class.iter().sum::<f64>() / class.len() as f64,
            rate: 0.0,
            friction: 0.0,
        };
        let mut classes: Vec<RadiusClass> = sorted.chunks(size).map(class).collect();
        let mean = sorted.iter().sum::<f64>() / count * 2.0;
        let square = sorted.iter().map(|radius| 4.0 * radius * radius).sum::<f64>() / count;
        let (density, eta) = (count / area, count * PI / 4.0 * square / area);
        let equal = sorted.first() == sorted.last();
        let contact = |one: &RadiusClass, other: &RadiusClass| {
            if equal {
                return theory::contact(eta);
            }
            let part = 4.0 * one.radius * other.radius / (one.radius + other.radius);
            1.0 / (1.0 - eta) + 9.0 / 16.0 * eta / (1.0 - eta).powi(2) * part * mean / square
        };
        let mut virial = 0.0;
        let others = classes.clone();
        for one in &mut classes {
            for other in &others {
                let (apart, g) = (one.radius + other.radius, contact(one, other));
                let reduced = 1.0 / (1.0 / one.mass() + 1.0 / other.mass());
                // Half of the circle is approached, at the mean speed along the normal.
                let speed = 1.0 / (2.0 * PI * reduced).sqrt();
                let rate = other.share * density * 2.0 * PI * apart * g * speed;
                one.rate += rate;
                one.friction += rate * 2.0 * other.mass() / (one.mass() + other.mass());
                virial += one.share * other.share * density * apart * apart * g;
            }
        }
        Self { classes, eta, compressibility: 1.0 + 0.5 * PI * virial, equal }
    }

    /// The share of the area that discs cover.
    pub fn eta(&self) -> f64 {
        self.eta
    }

    /// True if all discs have one radius.
    #[doc(hidden)]
    pub fn is_of_equals(&self) -> bool {
        self.equal
    }

    /// Z = P/(ρ·kT) = 1 + (π/2)·ρ·Σ xᵢxⱼ·σᵢⱼ²·gᵢⱼ.
    pub fn compressibility(&self) -> f64 {
        self.compressibility
    }

    /// Collisions of a disc per second at that k·T.
    pub fn collision_rate(&self, temperature: f64) -> f64 {
        self.mean(|class| class.rate * temperature.sqrt())
    }

    /// The mean speed at that k·T, world units per second.
    pub fn mean_speed(&self, temperature: f64) -> f64 {
        self.mean(|class| (0.5 * PI * temperature / class.mass()).sqrt())
    }

    /// ⟨v(t)·v(0)⟩/⟨v(0)²⟩ at that k·T after some seconds, if each class forgets its velocity at
    /// the initial rate: Enskog's theory, without the eddies that a disc leaves behind.
    pub fn velocity_correlation(&self, temperature: f64, time: f64) -> f64 {
        let weight = |class: &RadiusClass| 1.0 / class.mass();
        let left = |class: &RadiusClass| (-class.friction * temperature.sqrt() * time).exp();
        self.mean(|class| weight(class) * left(class)) / self.mean(weight)
    }

    /// ⟨|r(t) − r(0)|²⟩ at that k·T after some seconds, with that correlation.
    pub fn square_displacement(&self, temperature: f64, time: f64) -> f64 {
        self.mean(|class| {
            let friction = class.friction * temperature.sqrt();
            let (square, lost) = (2.0 * temperature / class.mass(), friction * time);
            // Twice the integral of (t − s)·exp(−γs), which is t² for little friction.
            if lost < 1e-4 {
                square * time * time
            } else {
                2.0 * square / (friction * friction) * (lost - 1.0 + (-lost).exp())
            }
        })
    }

    fn mean(&self, value: impl Fn(&RadiusClass) -> f64) -> f64 {
        self.classes.iter().map(|class| class.share * value(class)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mixture_of_equal_discs_is_no_mixture() {
        let mixture = Mixture::new(&[0.5; 1_000], 1_000.0 * PI / 4.0 / 0.3);
        assert!(mixture.is_of_equals() && (mixture.eta() - 0.3).abs() < 1e-12);
        assert!((mixture.compressibility() - theory::compressibility(0.3)).abs() < 1e-9);
        // The mass is radius²: √(kT/m) is 1 at a temperature of 0.25.
        let rate = theory::collision_rate(0.3);
        assert!((mixture.collision_rate(0.25) - rate).abs() < 1e-9);
        assert!((mixture.mean_speed(0.25) - (PI / 2.0).sqrt()).abs() < 1e-9);
        for time in [0.1, 1.0, 3.0] {
            let left = mixture.velocity_correlation(0.25, time);
            assert!((left - (-rate * time).exp()).abs() < 1e-9, "{left}");
            // The second derivative of the displacement is twice ⟨v(t)·v(0)⟩.
            let at = |time| mixture.square_displacement(0.25, time);
            let second = (at(time + 1e-3) - 2.0 * at(time) + at(time - 1e-3)) / 1e-6;
            assert!((second - 2.0 * 2.0 * left).abs() < 1e-4, "{second} {left}");
        }
        let short = mixture.square_displacement(0.25, 1e-6);
        assert!((short / 2e-12 - 1.0).abs() < 1e-4, "twice kT/m times t²: {short}");
    }

    #[test]
    fn nearly_equal_discs_are_nearly_equal() {
        let radii: Vec<f32> = (0..1_000).map(|n| 0.5 + 1e-4 * (n % 2) as f32).collect();
        let mixture = Mixture::new(&radii, 1_000.0 * PI / 4.0 / 0.3);
        // Henderson's approximation for g is 0.4 % from the best known value here.
        let g = (1.0 - 7.0 / 16.0 * 0.3) / (0.7_f64 * 0.7);
        let rate = mixture.collision_rate(0.25) / (8.0 * 0.3 * g / PI.sqrt());
        assert!((rate - 1.0).abs() < 5e-4, "{rate}");
        let z = (mixture.compressibility() - 1.0) / (2.0 * 0.3 * g);
        assert!((z - 1.0).abs() < 5e-4, "{z}");
    }

    /// A hundred times as heavy, a disc hardly feels the light ones, and they are thrown back by it.
    #[test]
    fn light_discs_forget_their_velocity_first() {
        let radii: Vec<f32> = (0..1_000).map(|n| if n % 10 == 0 { 2.0 } else { 0.2 }).collect();
        let [light, .., heavy] = &Mixture::new(&radii, 3_000.0).classes[..] else { panic!() };
        let [light, heavy] = [light, heavy].map(|class| class.friction / class.rate);
        assert!((1.1..2.0).contains(&light) && heavy < 0.1, "{light} {heavy}");
    }
}
