//! Edits as data: the changes that a caller can make to a run between two steps.

use std::ops::Range;

use glam::Vec2;

use crate::{agents::Spawn, statics::Static};

/// A change of a run, for [`Sim::apply`](crate::Sim::apply). Each variant stands for the method of
/// [`Sim`](crate::Sim) that it names, with the values of its call.
///
/// The same edits between the same steps give the same bits, so a set-up and its edits are enough
/// to repeat a run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
// The methods of `Sim` do the same. Public for journals and their tests.
#[doc(hidden)]
pub enum Edit {
    /// [`set_restitution`](crate::Sim::set_restitution).
    Restitution(f32),
    /// [`set_friction`](crate::Sim::set_friction).
    Friction(f32),
    /// [`set_rolling`](crate::Sim::set_rolling).
    Rolling(f32),
    /// [`set_gravity`](crate::Sim::set_gravity).
    Gravity(f32),
    /// [`scale_speeds`](crate::Sim::scale_speeds).
    ScaleSpeeds(f32),
    /// [`steer`](crate::Sim::steer): center, radius and speed.
    Steer(Vec2, f32, f32),
    /// [`spawn`](crate::Sim::spawn).
    Spawn(Vec<Spawn>),
    /// [`remove`](crate::Sim::remove).
    Remove(Vec<u32>),
    /// [`add_statics`](crate::Sim::add_statics).
    AddStatics(Vec<Static>),
    /// [`remove_statics`](crate::Sim::remove_statics).
    RemoveStatics(Vec<u32>),
    /// [`set_position`](crate::Sim::set_position).
    Position(u32, Vec2),
    /// [`set_velocity`](crate::Sim::set_velocity).
    Velocity(u32, Vec2),
    /// [`apply_force`](crate::Sim::apply_force).
    Force(u32, Vec2),
    /// Params and cells of matrices of the world file get other values.
    #[cfg(feature = "cli")]
    Values(Vec<(String, f32)>),
    /// The run goes on with the rules of another text of its world file: name, text, and the values
    /// that were set beside it.
    #[cfg(feature = "cli")]
    World(String, String, Vec<(String, f32)>),
}

/// The result of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
// The methods of `Sim` do the same. Public for journals and their tests.
#[doc(hidden)]
pub enum Applied {
    /// A parameter of the run was set.
    Parameter,
    /// That many agents or statics were changed or removed.
    Count(usize),
    /// Agents or statics with these ids were added.
    Ids(Range<u32>),
}

impl Edit {
    /// Bytes of memory that it takes.
    #[cfg(feature = "window")]
    pub(crate) fn memory(&self) -> usize {
        let lists = match self {
            Self::Spawn(spawns) => size_of_val(&spawns[..]),
            Self::Remove(ids) | Self::RemoveStatics(ids) => size_of_val(&ids[..]),
            Self::AddStatics(shapes) => size_of_val(&shapes[..]),
            Self::Values(values) => of_values(values),
            Self::World(name, text, values) => name.len() + text.len() + of_values(values),
            _ => 0,
        };
        size_of::<Self>() + lists
    }
}

/// Bytes of named values.
#[cfg(feature = "window")]
fn of_values(values: &[(String, f32)]) -> usize {
    values.iter().map(|(name, _)| size_of::<(String, f32)>() + name.len()).sum()
}

impl Applied {
    /// True if the edit found nothing to change: the run is as it was.
    #[must_use]
    #[doc(hidden)]
    pub fn is_nothing(&self) -> bool {
        match self {
            Self::Parameter => false,
            Self::Count(count) => *count == 0,
            Self::Ids(ids) => ids.is_empty(),
        }
    }

    /// Number of agents or statics that the edit added, changed or removed; 0 for a parameter.
    #[must_use]
    #[doc(hidden)]
    pub fn count(&self) -> usize {
        match self {
            Self::Parameter => 0,
            Self::Count(count) => *count,
            Self::Ids(ids) => ids.len(),
        }
    }

    /// Ids of the agents or statics that the edit added; empty if it is not one that adds.
    #[must_use]
    #[doc(hidden)]
    pub fn ids(&self) -> Range<u32> {
        match self {
            Self::Ids(ids) => ids.clone(),
            _ => 0..0,
        }
    }
}
