//! Refusals: every value of a set-up that can't work, as one sentence with the value, the limit and
//! the remedy, in terms of the flags that people type.
//!
//! What is found out here costs nothing; whether the agents fit is only known once they are placed.

use std::ops::RangeInclusive;

use glam::Vec2;

use super::{Scene, Setup, range, room::by};
use crate::{
    count::{round_down, short},
    error::{Error, Result},
    geometry::Rect,
    limits, statics,
};

impl Setup {
    /// Whether every value can be used, alone and with the others. Places nothing, except to find a
    /// remedy.
    ///
    /// # Errors
    /// At the first value that can't, with a sentence that names value, limit and remedy.
    pub fn validate(&self) -> Result<()> {
        self.numbers()?;
        self.sizes()?;
        self.own_world()?;
        self.giants()?;
        self.coordinates()?;
        self.crowded().map_or(Ok(()), |crowded| Err(self.refusal(crowded)))?;
        self.cells(self.world().size())
    }

    /// Each number in its own range.
    pub(crate) fn numbers(&self) -> Result<()> {
        whole("--agents", self.agents, 1..=limits::AGENTS_MAX)?;
        self.room_beside(self.agents as usize)?;
        statics::check_room(self.spare_statics as usize)?;
        whole("--substeps", self.substeps, 1..=limits::SUBSTEPS_MAX)?;
        if let Some(tight) = self.tight {
            whole("--tight", tight, 1..=limits::CELLS_PER_SIDE_MAX)?;
        }
        within("--speed", self.speed, 0.0..=limits::MEAN_SPEED_MAX)?;
        within("--restitution", self.restitution, 0.0..=1.0)?;
        within("--gravity", self.gravity, -limits::GRAVITY_MAX..=limits::GRAVITY_MAX)?;
        within("--hz", self.hz, limits::HZ_MIN..=limits::HZ_MAX)?;
        self.radii()
    }

    /// Whether there is room for so many agents and those that may come.
    pub(crate) fn room_beside(&self, agents: usize) -> Result<()> {
        if agents.saturating_add(self.spare_agents as usize) <= limits::AGENTS_MAX as usize {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "room for {} agents more than {agents} is too much; {} in all are the most",
            self.spare_agents,
            limits::AGENTS_MAX
        )))
    }

    fn radii(&self) -> Result<()> {
        let [low, high] = self.radius;
        for radius in self.radius {
            within("--radius", radius, limits::RADIUS_MIN..=limits::RADIUS_MAX)?;
        }
        if low > high {
            return Err(Error::invalid(format!(
                "--radius {}..{} runs backwards; the smaller comes first: --radius {}..{}",
                number(low),
                number(high),
                number(high),
                number(low)
            )));
        }
        Ok(())
    }

    /// Whether the world has a size, given or by the density.
    fn sizes(&self) -> Result<()> {
        if let Some(size) = self.world
            && !(size.is_finite() && size.min_element() > 0.0)
        {
            return Err(Error::invalid(format!(
                "--world {} is no size; width and height must be numbers above 0, as in \
                 --world 1600x900",
                by(size)
            )));
        }
        if self.world.is_some() && !self.is_clumped() {
            return Ok(());
        }
        if self.density.is_nan() || self.density <= 0.0 {
            return Err(Error::invalid(format!(
                "--density {} leaves no agents in the world; it must be above 0, and {} would do",
                number(self.density),
                number(Self::new(self.scene).density)
            )));
        }
        if self.density > limits::DENSITY_MAX {
            return Err(Error::invalid(format!(
                "--density {} is more than can be placed without overlap, {} at the most; {}",
                number(self.density),
                number(limits::DENSITY_MAX),
                self.remedy()
            )));
        }
        Ok(())
    }

    /// Whether the world is the scene's own, where there is no other.
    pub(super) fn own_world(&self) -> Result<()> {
        if self.scene != Scene::Cannon || self.world == Some(range::WORLD) {
            return Ok(());
        }
        let flag = match self.world {
            Some(size) => format!("--world {}", by(size)),
            None => format!("--density {}", number(self.density)),
        };
        Err(Error::invalid(format!(
            "{flag} can't be used with {}, whose world is always {}; leave it out",
            self.scene,
            by(range::WORLD)
        )))
    }

    /// Whether f32 is fine enough for positions everywhere in the world.
    pub(super) fn coordinates(&self) -> Result<()> {
        let world = self.world();
        let finest = self.radius[0] * limits::COORDINATE_STEP_MAX;
        if coordinate_step(&world) <= finest {
            return Ok(());
        }
        // Steps double at each power of two: the largest that will do begins 24 bits further up.
        let reach = f32::from_bits(finest.to_bits() & 0x7f80_0000) * 16_777_216.0;
        let size = world.size();
        let share = f64::from(reach) / f64::from(farthest(&world));
        let density = f64::from(self.density) / (share * share);
        let agents = f64::from(self.agents) * share * share * 0.99;
        let remedy = if self.world.is_some() {
            let side = if self.scene == Scene::Sparse { reach * 2.0 } else { reach };
            format!("--world may be {} a side at the most", number(side))
        } else if density < 0.5 {
            format!("--density {} would do", number(round_up(density)))
        } else if agents >= 1.0 {
            let fewer = short(round_down(agents as u32));
            format!("--agents {fewer} instead of {} would do", short(self.agents))
        } else {
            "radii that differ less would do".to_owned()
        };
        Err(Error::invalid(format!(
            "a world of {} x {} is too large for agents of radius {}: at its far end positions would \
             be rounded by more than {} % of that; {remedy}",
            about(size.x),
            about(size.y),
            number(self.radius[0]),
            number(limits::COORDINATE_STEP_MAX * 100.0),
        )))
    }

    /// Whether a cell's side that is given makes a grid over a world of that size which can be indexed.
    pub(crate) fn cells(&self, size: Vec2) -> Result<()> {
        let Some(cell) = self.cell else { return Ok(()) };
        let least = f64::from(size.max_element()) / f64::from(limits::CELLS_PER_SIDE_MAX);
        if cell.is_finite() && cell > 0.0 && f64::from(cell) >= least {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "--cell {} can't cut a world of {} x {} into cells, {} a side at the most; --cell {} \
             would do",
            number(cell),
            about(size.x),
            about(size.y),
            limits::CELLS_PER_SIDE_MAX,
            number(round_up(least.max(f64::from(self.radius[0] * 4.0))))
        )))
    }
}

/// Refuses a count out of its range.
fn whole(flag: &str, value: u32, range: RangeInclusive<u32>) -> Result<()> {
    let (least, most) = (*range.start(), *range.end());
    if value < least {
        return Err(Error::invalid(format!("{flag} {value} is too few; the least is {least}")));
    }
    if value > most {
        return Err(Error::invalid(format!("{flag} {value} is too many; the most is {most}")));
    }
    Ok(())
}

/// Refuses a number out of its range, and what is no number.
fn within(flag: &str, value: f32, range: RangeInclusive<f32>) -> Result<()> {
    if range.contains(&value) {
        return Ok(());
    }
    let (least, most) = (number(*range.start()), number(*range.end()));
    Err(Error::invalid(format!(
        "{flag} {} can't be; it goes from {least} to {most}",
        number(value)
    )))
}

/// The distance from zero to the far end of a world.
fn farthest(world: &Rect) -> f32 {
    world.min.abs().max(world.max.abs()).max_element()
}

/// How far apart two numbers are at the far end of a world: no position is finer there.
pub(crate) fn coordinate_step(world: &Rect) -> f32 {
    let farthest = farthest(world);
    farthest - farthest.next_down()
}

/// As people write it: no row of zeros for what is very large or very small.
pub(super) fn number(value: f32) -> String {
    let size = value.abs();
    if value.is_finite() && size != 0.0 && !(1e-4..1e7).contains(&size) {
        format!("{value:e}")
    } else {
        format!("{value}")
    }
}

/// To five digits, for what was computed and nobody typed.
pub(super) fn about(value: f32) -> String {
    number(format!("{value:.4e}").parse().unwrap_or(value))
}

/// The next number with two digits, so that what is suggested is enough and reads well.
pub(super) fn round_up(value: f64) -> f32 {
    two_digits(value, f64::ceil)
}

/// The same the other way, where less is enough.
pub(super) fn below(value: f64) -> f32 {
    two_digits(value, f64::floor)
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
