//! Suggestions for set-ups that can't be used: the nearest ones that can.
//!
//! Each is tried by [`Setup::is_accepted`] before it is named, so that a set-up that follows a
//! suggestion is valid and its agents can be placed.

use std::iter;

use glam::Vec2;

use super::{Setup, extent::farthest, fields::RunField, radii::Radii};
use crate::{
    error::{Adjust, Error, Field, Remedy, Value},
    geometry::{Boundary, Space},
    limits::{COORDINATE_STEP_MAX, RADIUS_MAX, RADIUS_MIN},
};

/// Densities that are tried. 0.6 is left out, since it is at the border of what random placement
/// finds.
const SHARES: [f32; 11] = [0.8, 0.7, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001];

/// The smallest radius as shares of the largest that are tried for giants, if the given ones are
/// too far apart.
const SPREADS: [f64; 3] = [0.1, 0.5, 1.0];

/// Factor from one size of giants to the next. Not a power of two: in f32, half the size is as fine
/// as the whole.
const SMALLER: f64 = 0.7;

/// Fields that a remedy sets.
const SUGGESTED: [Field; 8] = [
    Field::Agents,
    Field::Density,
    Field::Radius,
    Field::World,
    Field::Cell,
    Field::Gravity,
    Field::Boundary,
    Field::Solver,
];

/// The remedy that gives the agents room.
pub(super) fn more_room(setup: &Setup) -> Remedy {
    if let Some(size) = setup.world
        && let Some(world) = roomier_worlds(setup, size)
            .find(|&world| (Setup { world: Some(world), ..setup.clone() }).is_accepted())
    {
        return Remedy::set(Field::World, Value::Size(world));
    }
    if setup.world.is_none() || setup.is_clustered() {
        let mut lower = SHARES.into_iter().filter(|&share| share < setup.density);
        let works = |&density: &f32| Setup { density, world: None, ..setup.clone() }.is_accepted();
        if let Some(density) = lower.find(works) {
            return until(setup, &Setup { density, world: None, ..setup.clone() });
        }
    }
    // A given world doesn't shrink with the agents in it.
    let too_wide = Radii::new(setup).largest() * 2.0 > setup.ground().size().min_element();
    Remedy::Adjust(match setup.world {
        None => &[Adjust::Lower(Field::Agents), Adjust::Narrow(Field::Radius)],
        Some(_) if too_wide => &[Adjust::Lower(Field::Radius)],
        Some(_) => &[Adjust::Lower(Field::Agents), Adjust::Lower(Field::Radius)],
    })
}

/// A remedy, and what this set-up needs beside it.
pub(super) fn complete(setup: &Setup, remedy: Remedy) -> Remedy {
    let Remedy::Set(settings) = &remedy else { return remedy };
    let mended = setup.with(settings);
    let Err(Error::Invalid(refused)) = mended.validate() else { return remedy };
    match refused.remedy {
        Remedy::Set(more) => {
            let mut all = changes(setup, &mended.with(&more));
            // A value that has to be left out is the same in both set-ups.
            let left_out = settings.iter().filter(|(_, value)| *value == Value::Missing);
            all.extend(left_out);
            Remedy::Set(all)
        }
        Remedy::Adjust(_) if settings.iter().any(|(field, _)| *field == refused.field) => {
            refused.remedy
        }
        Remedy::None | Remedy::Adjust(_) => remedy,
    }
}

/// The remedy for giants that are too large: smaller dust.
pub(super) fn smaller_giants(setup: &Setup) -> Remedy {
    // Where no radii help, the world or the number of agents must change. Few discs need a
    // lower density than many, to be placed for certain.
    let densities = [Setup::new(setup.scene).density, 0.1];
    let fewer = iter::successors(Some(setup.agents), |agents| Some(agents / 10));
    let elsewhere = fewer.take_while(|&agents| agents > 0).flat_map(|agents| {
        densities.map(|density| Setup { agents, density, world: None, cell: None, ..setup.clone() })
    });
    iter::once(setup.clone())
        .chain(elsewhere)
        .flat_map(with_smaller_radii)
        .find(Setup::is_accepted)
        .map_or(Remedy::Adjust(&[Adjust::Lower(Field::Agents)]), |found| until(setup, &found))
}

/// The remedy for imprecise positions at the far end of the world.
pub(super) fn smaller_world(setup: &Setup) -> Remedy {
    // Steps double at each power of two: the largest that will do begins 24 bits further up.
    let finest = setup.radius[0] * COORDINATE_STEP_MAX;
    let precise_up_to = f32::from_bits(finest.to_bits() & 0x7f80_0000) * 16_777_216.0;
    let now = farthest(&setup.world());
    let share = f64::from(precise_up_to) / f64::from(now);
    let scaled = if let Some(size) = setup.world {
        // In `sparse`, the origin is in the middle.
        let side = Vec2::splat(precise_up_to * (size.max_element() / now));
        vec![Setup { world: Some(size.min(side)), ..setup.clone() }]
    } else {
        let density = round_up(f64::from(setup.density) / (share * share));
        let agents = round_down((f64::from(setup.agents) * share * share * 0.99) as u32);
        vec![Setup { density, ..setup.clone() }, Setup { agents, ..setup.clone() }]
    };
    match scaled.into_iter().find(|setup| setup.agents > 0 && setup.is_accepted()) {
        Some(found) => until(setup, &found),
        None if setup.world.is_some() => Remedy::Adjust(&[Adjust::Lower(Field::World)]),
        None => Remedy::Adjust(&[Adjust::Narrow(Field::Radius)]),
    }
}

/// The remedy that makes another set-up of this one.
fn until(setup: &Setup, other: &Setup) -> Remedy {
    Remedy::Set(changes(setup, other))
}

/// The settings that make another set-up of this one, in the order in which they are named.
fn changes(setup: &Setup, other: &Setup) -> Vec<(Field, Value)> {
    let frees_world = setup.world.is_some() && other.world.is_none();
    let entries = SUGGESTED.into_iter().filter_map(RunField::find);
    let changed = entries.filter(|entry| {
        (entry.get)(other) != (entry.get)(setup) || (entry.field == Field::Density && frees_world)
    });
    changed.map(|entry| (entry.field, (entry.get)(other))).collect()
}

/// Worlds at least as large as this one, of about the same shape, from the smallest that may
/// help.
fn roomier_worlds(setup: &Setup, size: Vec2) -> impl Iterator<Item = Vec2> {
    let (area, least) = if setup.is_clustered() {
        (setup.populated(), setup.cluster_width())
    } else {
        // Two armies stand side by side, with a little between them.
        let abreast = if setup.scene.has_factions() { 2.1 } else { 1.0 };
        (setup.covered(), f64::from(Radii::new(setup).largest()) * 2.0 * abreast)
    };
    // No agent may touch another on both sides of a world that repeats.
    let least = if setup.boundary == Boundary::Walls {
        least
    } else {
        least.max(f64::from(Radii::new(setup).largest() / Space::RADIUS_MAX))
    };
    // Agents start in the same part of every world.
    let part = (setup.ground().size() / size).as_dvec2();
    let share = area / (f64::from(size.x) * f64::from(size.y) * part.x * part.y);
    SHARES.into_iter().map(move |other| {
        let factor = (share / f64::from(other)).sqrt().max(1.0);
        let side = |side: f32, part: f64| match (f64::from(side) * factor).max(least / part) {
            more if more > f64::from(side) => round_up(more),
            _ => side,
        };
        Vec2::new(side(size.x, part.x), side(size.y, part.y))
    })
}

/// This set-up with radii so small that giants are no larger than a disc may be: as far apart
/// as the given ones at first, then closer together; the largest first.
fn with_smaller_radii(setup: Setup) -> impl Iterator<Item = Setup> {
    let [low, high] = setup.radius.map(f64::from);
    let given = low / high;
    let spreads = SPREADS.into_iter().filter(move |&spread| spread > given);
    iter::once(given).chain(spreads).flat_map(move |spread| {
        let setup = setup.clone();
        let with = move |radius: [f64; 2]| Setup {
            radius: radius.map(|r| two_digits(r, f64::floor)),
            ..setup.clone()
        };
        let giant = Radii::new(&with([high * spread, high])).largest();
        let most = high * f64::from(RADIUS_MAX) / f64::from(giant);
        iter::successors(Some(most), |&high| Some(high * SMALLER))
            .take_while(move |&high| high * spread >= f64::from(RADIUS_MIN))
            .map(move |high| with([high * spread, high]))
    })
}

/// The next number with two digits, for what must not be smaller.
pub(super) fn round_up(value: f64) -> f32 {
    two_digits(value, f64::ceil)
}

/// The count with all but its first two digits zero.
pub(crate) fn round_down(count: u32) -> u32 {
    let unit = 10_u32.pow(count.checked_ilog10().unwrap_or(0).saturating_sub(1));
    count - count % unit
}

fn two_digits(value: f64, round: fn(f64) -> f64) -> f32 {
    let mut unit = 1.0;
    while value / unit >= 100.0 {
        unit *= 10.0;
    }
    while value / unit < 10.0 {
        unit /= 10.0;
    }
    // The division gives the decimal that was meant, where a product would miss it by a bit.
    let digits = round(value / unit);
    (if unit < 1.0 { digits / (1.0 / unit).round() } else { digits * unit }) as f32
}
