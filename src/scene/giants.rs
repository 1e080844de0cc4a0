//! Giants that would be too large: they weigh as much as all the dust, and grow with it.

use std::{fmt::Write, iter};

use super::{
    Setup,
    radii::Radii,
    validate::{about, below, number},
};
use crate::{
    count::short,
    error::{Error, Result},
    limits::{RADIUS_MAX, RADIUS_MIN},
};

/// The smallest radius as shares of the largest that are tried, if those that were asked for are too far apart.
const SPREADS: [f64; 3] = [0.1, 0.5, 1.0];

/// From one size that is tried to the next. No power of two: in f32, what is half as large is as fine.
const SMALLER: f64 = 0.7;

impl Setup {
    /// Whether giants, if there are any, are no larger than a disc may be.
    pub(super) fn giants(&self) -> Result<()> {
        let largest = Radii::of(self).largest();
        if largest <= RADIUS_MAX {
            return Ok(());
        }
        // Where no radii would do, it is the world that is wrong, or that there are so many.
        let density = Self::new(self.scene).density;
        let fewer = iter::successors(Some(self.agents), |agents| Some(agents / 10));
        let elsewhere = fewer.take_while(|&agents| agents > 0).map(|agents| Self {
            agents,
            density,
            world: None,
            cell: None,
            ..self.clone()
        });
        let smaller =
            iter::once(self.clone()).chain(elsewhere).find_map(|setup| setup.with_smaller_giants());
        let remedy = smaller.map_or("fewer agents".to_owned(), |setup| self.until(&setup));
        Err(Error::invalid(format!(
            "{} makes giants of radius {} out of {} agents, {} at the most; {remedy} would do",
            self.range(),
            about(largest),
            short(self.agents),
            number(RADIUS_MAX),
        )))
    }

    fn range(&self) -> String {
        format!("--radius {}..{}", number(self.radius[0]), number(self.radius[1]))
    }

    /// What makes another set-up of this one.
    fn until(&self, other: &Self) -> String {
        let mut flags = String::new();
        if other.agents != self.agents {
            let _ = write!(flags, "--agents {} ", short(other.agents));
        }
        if other.density != self.density || other.world != self.world {
            let _ = write!(flags, "--density {} ", number(other.density));
        }
        flags += &other.range();
        if other.world != self.world {
            flags += " instead of --world";
        }
        if other.cell != self.cell {
            flags += " without --cell";
        }
        flags
    }

    /// The same with the largest radii that would do: as far apart as those that were asked for if such do, and all
    /// the same at the end.
    fn with_smaller_giants(&self) -> Option<Self> {
        let asked = f64::from(self.radius[0]) / f64::from(self.radius[1]);
        let spreads = SPREADS.into_iter().filter(|&spread| spread > asked);
        let mut largest =
            iter::once(asked).chain(spreads).filter_map(|spread| self.largest(spread));
        largest.find(Self::has_room)
    }

    /// This set-up with the largest radii that are so far apart and fit, as far as areas and widths tell.
    fn largest(&self, spread: f64) -> Option<Self> {
        let high = f64::from(self.radius[1]);
        let with = |radius: [f64; 2]| Self { radius: radius.map(below), ..self.clone() };
        let giant = Radii::of(&with([high * spread, high])).largest();
        let most = high * f64::from(RADIUS_MAX) / f64::from(giant);
        iter::successors(Some(most), |&high| Some(high * SMALLER))
            .take_while(|&high| high * spread >= f64::from(RADIUS_MIN))
            .map(|high| with([high * spread, high]))
            .find(|setup| {
                setup.radius[0] >= RADIUS_MIN
                    && Radii::of(setup).largest() <= RADIUS_MAX
                    && setup.coordinates().is_ok()
                    && setup.crowded().is_none()
                    && setup.cells(setup.world().size()).is_ok()
            })
    }
}
