//! The table of the fields of a run. Text, flags, `jostle info`, ranges and remedies read and set a
//! field through its entry, so that a new field of [`Setup`] is one entry.
//!
//! As text, a set-up has one line per field, in the order of the table: people can read it, and every
//! bit comes back.

use std::str::FromStr;

use glam::Vec2;

use super::{Collisions, Scene, Setup, Solver};
use crate::{
    error::{Error, Fault, Field, Limit, Result, Value},
    geometry::Boundary,
    limits,
    snapshot::{Lines, NONE, Snapshot, Writer, unreadable, write_line},
};

/// The section of a set-up in a snapshot.
const TAG: &str = "setup";

/// A field of a run.
#[derive(Debug)]
pub(crate) struct RunField {
    /// Its name is the key in text and, behind two dashes, the flag.
    pub(crate) field: Field,
    /// The value that a set-up has.
    pub(crate) get: fn(&Setup) -> Value,
    /// Sets a value. A value of another kind changes nothing.
    pub(crate) set: fn(&mut Setup, Value),
    /// Sets the value that a text states, if it states one.
    read: fn(&mut Setup, &str) -> Option<()>,
    /// Its range, if that depends on no other field.
    limit: Option<Limit>,
    /// True if text of the first version lacks it, and then means the default of [`Scene::Gas`].
    is_later: bool,
}

/// A type that a field of [`Setup`] has.
pub(crate) trait FieldValue: Sized {
    fn to_value(self) -> Value;

    /// `None` for a value of another kind.
    fn from_value(value: Value) -> Option<Self>;

    fn read(text: &str) -> Option<Self>;
}

/// Makes the table. An entry names the field of [`Setup`] and the [`Field`].
macro_rules! fields {
    ($($name:ident: $field:ident $(.$with:ident($($limit:expr)?))*;)*) => {
        // Taken apart, so that no field is forgotten.
        const _: fn(Setup) = |Setup { $($name: _),* }| {};

        /// Every field, in the order of the text.
        pub(crate) static FIELDS: &[RunField] = &[$(RunField {
            field: Field::$field,
            get: |setup| setup.$name.to_value(),
            set: |setup, value| {
                if let Some(value) = FieldValue::from_value(value) {
                    setup.$name = value;
                }
            },
            read: |setup, text| FieldValue::read(text).map(|value| setup.$name = value),
            limit: None,
            is_later: false,
        }$(.$with($($limit)?))*),*];
    };
}

fields! {
    scene: Scene;
    agents: Agents.within(Limit::Counts(1..=limits::AGENTS_MAX as u64));
    spare_agents: SpareAgents;
    radius: Radius;
    density: Density;
    world: World;
    boundary: Boundary.later();
    speed: Speed.within(Limit::Numbers(0.0..=limits::MEAN_SPEED_MAX));
    restitution: Restitution.within(Limit::Numbers(0.0..=1.0));
    friction: Friction.within(Limit::Numbers(0.0..=limits::FRICTION_MAX)).later();
    rolling: Rolling.within(Limit::Numbers(0.0..=limits::FRICTION_MAX)).later();
    gravity: Gravity.within(Limit::Numbers(-limits::GRAVITY_MAX..=limits::GRAVITY_MAX));
    hz: Hz.within(Limit::Numbers(limits::HZ_MIN..=limits::HZ_MAX));
    substeps: Substeps.within(Limit::Counts(1..=limits::SUBSTEPS_MAX as u64));
    seed: Seed;
    cell: Cell;
    tight: Tight.within(Limit::Counts(1..=limits::CELLS_PER_SIDE_MAX as u64));
    solver: Solver;
    collisions: Collisions.later();
    sleep: Sleep;
    spare_statics: SpareStatics.within(Limit::Counts(0..=limits::STATICS_MAX as u64));
}

impl RunField {
    const fn within(self, limit: Limit) -> Self {
        Self { limit: Some(limit), ..self }
    }

    const fn later(self) -> Self {
        Self { is_later: true, ..self }
    }

    /// The entry of a field, if a set-up has it.
    pub(crate) fn find(field: Field) -> Option<&'static Self> {
        FIELDS.iter().find(|entry| entry.field == field)
    }

    /// Rejects a value out of the field's own range, and NaN.
    pub(super) fn check(&self, setup: &Setup) -> Result<()> {
        let value = (self.get)(setup);
        let is_inside = match (&self.limit, value) {
            (None, _) | (_, Value::Missing) => true,
            (Some(Limit::Counts(range)), Value::Count(count)) => range.contains(&count),
            (Some(Limit::Numbers(range)), Value::Number(number)) => range.contains(&number),
            // A limit of another kind than its field: no set-up is accepted, so no test passes.
            _ => false,
        };
        match &self.limit {
            Some(limit) if !is_inside => Err(Error::invalid(self.field, value, limit.clone())),
            _ => Ok(()),
        }
    }

    /// The error of a text that states no value.
    fn unread(&self, text: &str) -> Error {
        let reason = match self.field {
            Field::Scene => "names a scene that this version does not have",
            Field::Boundary => "names a boundary that this version does not have",
            Field::Solver => "names a solver that this version does not have",
            Field::Collisions => "names collisions that this version does not have",
            field => return unreadable(TAG, &format!("{} = {text}", field.name())),
        };
        Error::Snapshot(Fault::Content { part: TAG.to_owned(), reason })
    }
}

/// A value as the text of a field, from which every bit comes back.
pub(crate) fn exact(value: Value) -> String {
    match value {
        Value::Missing => NONE.to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Span([low, high]) => format!("{low} {high}"),
        Value::Size(size) => format!("{} {}", size.x, size.y),
        Value::Switch(on) => on.to_string(),
        other => other.to_string(),
    }
}

/// Types that are one variant of [`Value`], and what reads them.
macro_rules! values {
    ($($type:ty: $variant:ident $read:ident;)*) => {$(
        impl FieldValue for $type {
            fn to_value(self) -> Value {
                Value::$variant(self.into())
            }

            fn from_value(value: Value) -> Option<Self> {
                if let Value::$variant(value) = value { value.try_into().ok() } else { None }
            }

            fn read(text: &str) -> Option<Self> {
                $read(text)
            }
        }
    )*};
}

values! {
    u32: Count parse;
    u64: Count parse;
    f32: Number parse;
    bool: Switch parse;
    [f32; 2]: Span pair;
    Vec2: Size pair;
}

fn parse<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

fn pair<T: From<[f32; 2]>>(text: &str) -> Option<T> {
    let (first, second) = text.split_once(' ')?;
    Some([parse(first)?, parse(second)?].into())
}

/// Types with names.
macro_rules! choices {
    ($($type:ty)*) => {$(
        impl FieldValue for $type {
            fn to_value(self) -> Value {
                Value::Name(self.name())
            }

            fn from_value(value: Value) -> Option<Self> {
                if let Value::Name(name) = value { Self::read(name) } else { None }
            }

            fn read(text: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|choice| choice.name() == text)
            }
        }
    )*};
}

choices! { Scene Boundary Solver Collisions }

impl<T: FieldValue> FieldValue for Option<T> {
    fn to_value(self) -> Value {
        self.map_or(Value::Missing, T::to_value)
    }

    fn from_value(value: Value) -> Option<Self> {
        if value == Value::Missing { Some(None) } else { T::from_value(value).map(Some) }
    }

    fn read(text: &str) -> Option<Self> {
        if text == NONE { Some(None) } else { T::read(text).map(Some) }
    }
}

impl Setup {
    /// Writes all fields.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn save(&self, to: &mut Writer) -> Result<()> {
        to.text(TAG, &self.to_text())
    }

    /// Every field as a line `name = value`.
    #[must_use]
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        for entry in FIELDS {
            write_line(&mut text, entry.field.name(), exact((entry.get)(self)));
        }
        text
    }

    /// The set-up of a saved run, with the changes made during the run. Each value may be out of
    /// its range.
    ///
    /// # Errors
    /// If a field is missing or can't be read.
    pub(crate) fn load(from: &Snapshot) -> Result<Self> {
        Self::from_text(from.text(TAG)?)
    }

    /// The set-up of what [`Self::to_text`] returns. Each value may be out of its range.
    ///
    /// # Errors
    /// If a field is missing or can't be read.
    pub(crate) fn from_text(text: &str) -> Result<Self> {
        let mut lines = Lines::new(TAG, text)?;
        let mut setup = Self::new(Scene::Gas);
        for entry in FIELDS {
            let text = match lines.text(entry.field.name()) {
                Err(_) if entry.is_later => continue,
                text => text?,
            };
            (entry.read)(&mut setup, text).ok_or_else(|| entry.unread(text))?;
        }
        lines.end()?;
        Ok(setup)
    }

    /// The set-up with these values; values of other fields are left out.
    pub(crate) fn with(&self, settings: &[(Field, Value)]) -> Self {
        let mut setup = self.clone();
        for &(field, value) in settings {
            if let Some(entry) = RunField::find(field) {
                (entry.set)(&mut setup, value);
            }
        }
        setup
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_of_a_setup_comes_back() {
        let odd = Setup {
            agents: 7,
            spare_agents: 3,
            radius: [1.0e-6, 0.1 + 0.2],
            world: Some(Vec2::new(1e10, 1.0 / 3.0)),
            boundary: Boundary::PeriodicX,
            gravity: -0.0,
            substeps: Some(4),
            seed: u64::MAX,
            cell: Some(f32::MIN_POSITIVE),
            tight: Some(9),
            solver: Solver::Impulse,
            collisions: Collisions::Swept,
            sleep: false,
            spare_statics: 5,
            ..Setup::new(Scene::Dam)
        };
        for setup in Scene::ALL.map(Setup::new).into_iter().chain([odd]) {
            let mut to = Writer::new(Vec::new(), 0).expect("memory");
            setup.save(&mut to).expect("memory");
            let read = Setup::load(&to.finish()).expect("a set-up");
            assert_eq!(read, setup);
            assert_eq!(read.gravity.to_bits(), setup.gravity.to_bits());
        }
    }
}
