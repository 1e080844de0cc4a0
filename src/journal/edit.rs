//! Edits: the changes that a user can make to a run between two steps, as data and as lines.

use std::{
    fmt::{self, Display},
    str::{FromStr, SplitAsciiWhitespace},
};

use glam::Vec2;

use crate::{
    agents::Spawn,
    error::Result,
    geometry::{Disc, Rect},
    sim::Sim,
    statics::Static,
};

/// A change of a run. Each is a function of [`Sim`] with the values of its call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Edit {
    /// [`Sim::set_restitution`].
    Restitution(f32),
    /// [`Sim::set_gravity`].
    Gravity(f32),
    /// [`Sim::scale_speeds`].
    ScaleSpeeds(f32),
    /// [`Sim::steer`]: center, radius and speed.
    Steer(Vec2, f32, f32),
    /// [`Sim::spawn`].
    Spawn(Vec<Spawn>),
    /// [`Sim::remove`].
    Remove(Vec<u32>),
    /// [`Sim::add_statics`].
    AddStatics(Vec<Static>),
    /// [`Sim::remove_statics`].
    RemoveStatics(Vec<u32>),
}

impl Edit {
    /// Makes the change.
    ///
    /// # Errors
    /// As the function of [`Sim`].
    pub(crate) fn apply(&self, sim: &mut Sim) -> Result<()> {
        match self {
            &Self::Restitution(restitution) => sim.set_restitution(restitution),
            &Self::Gravity(gravity) => sim.set_gravity(gravity),
            &Self::ScaleSpeeds(factor) => sim.scale_speeds(factor),
            &Self::Steer(center, radius, speed) => sim.steer(center, radius, speed).map(drop),
            Self::Spawn(spawns) => sim.spawn(spawns).map(drop),
            Self::Remove(ids) => sim.remove(ids).map(drop),
            Self::AddStatics(shapes) => sim.add_statics(shapes).map(drop),
            Self::RemoveStatics(ids) => {
                sim.remove_statics(ids);
                Ok(())
            }
        }
    }

    /// Bytes of memory that it takes.
    #[cfg(feature = "window")]
    pub(crate) fn memory(&self) -> usize {
        let lists = match self {
            Self::Spawn(spawns) => size_of_val(&spawns[..]),
            Self::Remove(ids) | Self::RemoveStatics(ids) => size_of_val(&ids[..]),
            Self::AddStatics(shapes) => size_of_val(&shapes[..]),
            _ => 0,
        };
        size_of::<Self>() + lists
    }

    /// The edit of a line, after its step; `None` if it is none.
    pub(super) fn parse(name: &str, words: &mut Words<'_>) -> Option<Self> {
        Some(match name {
            "restitution" => Self::Restitution(words.value()?),
            "gravity" => Self::Gravity(words.value()?),
            "scale_speeds" => Self::ScaleSpeeds(words.value()?),
            "steer" => Self::Steer(words.point()?, words.value()?, words.value()?),
            "spawn" => Self::Spawn(words.list(Words::spawn)?),
            "remove" => Self::Remove(words.list(Words::value)?),
            "add_statics" => Self::AddStatics(words.list(Words::shape)?),
            "remove_statics" => Self::RemoveStatics(words.list(Words::value)?),
            _ => return None,
        })
    }
}

impl Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Restitution(restitution) => write!(f, "restitution {restitution}"),
            Self::Gravity(gravity) => write!(f, "gravity {gravity}"),
            Self::ScaleSpeeds(factor) => write!(f, "scale_speeds {factor}"),
            Self::Steer(center, radius, speed) => {
                write!(f, "steer {} {} {radius} {speed}", center.x, center.y)
            }
            Self::Spawn(spawns) => {
                f.write_str("spawn")?;
                spawns.iter().try_for_each(|spawn| {
                    let Spawn { position, velocity, radius, faction, health } = spawn;
                    let (Vec2 { x, y }, Vec2 { x: vx, y: vy }) = (position, velocity);
                    write!(f, " {x} {y} {vx} {vy} {radius} {faction} {health}")
                })
            }
            Self::Remove(ids) => ids_line(f, "remove", ids),
            Self::AddStatics(shapes) => {
                f.write_str("add_statics")?;
                shapes.iter().try_for_each(|shape| match shape {
                    Static::Disc(Disc { center, radius }) => {
                        write!(f, " disc {} {} {radius}", center.x, center.y)
                    }
                    Static::Box(Rect { min, max }) => {
                        write!(f, " box {} {} {} {}", min.x, min.y, max.x, max.y)
                    }
                })
            }
            Self::RemoveStatics(ids) => ids_line(f, "remove_statics", ids),
        }
    }
}

fn ids_line(f: &mut fmt::Formatter<'_>, name: &str, ids: &[u32]) -> fmt::Result {
    f.write_str(name)?;
    ids.iter().try_for_each(|id| write!(f, " {id}"))
}

/// The words of a line that are not read yet.
#[derive(Clone, Debug)]
pub(super) struct Words<'a>(SplitAsciiWhitespace<'a>);

impl<'a> Words<'a> {
    /// The words of a line.
    pub(super) fn new(line: &'a str) -> Self {
        Self(line.split_ascii_whitespace())
    }

    /// The next word.
    pub(super) fn word(&mut self) -> Option<&'a str> {
        self.0.next()
    }

    /// The value of the next word.
    pub(super) fn value<T: FromStr>(&mut self) -> Option<T> {
        self.word()?.parse().ok()
    }

    fn point(&mut self) -> Option<Vec2> {
        Some(Vec2::new(self.value()?, self.value()?))
    }

    fn spawn(&mut self) -> Option<Spawn> {
        let (position, velocity, radius) = (self.point()?, self.point()?, self.value()?);
        let (faction, health) = (self.value()?, self.value()?);
        Some(Spawn { position, velocity, radius, faction, health })
    }

    fn shape(&mut self) -> Option<Static> {
        match self.word()? {
            "disc" => Some(Static::disc(self.point()?, self.value()?)),
            "box" => Some(Static::Box(Rect { min: self.point()?, max: self.point()? })),
            _ => None,
        }
    }

    /// All that is left, each by `read`.
    fn list<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut list = Vec::new();
        while !self.is_empty() {
            list.push(read(self)?);
        }
        Some(list)
    }

    /// True if no word is left.
    pub(super) fn is_empty(&self) -> bool {
        self.0.clone().next().is_none()
    }
}
