//! What helps against an error.

use super::value::{Field, Value};

/// What helps.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Remedy {
    /// Nothing beyond keeping to the limit.
    #[default]
    None,
    /// Give these fields these values, all of them together. Scenes suggest only what they accept.
    Set(Vec<Setting>),
    /// Change one of these, by how much is not known.
    Adjust(&'static [Adjust]),
}

impl Remedy {
    /// One field and the value to give it.
    pub(crate) fn set(field: Field, value: Value) -> Self {
        Self::Set(vec![Setting { field, value }])
    }
}

/// A field and the value to give it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// The field.
    pub field: Field,
    /// The value; [`Value::Missing`] means to leave the field unset.
    pub value: Value,
}

/// A direction in which a change helps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Adjust {
    /// A smaller or lower value, or fewer of them.
    Lower(Field),
    /// A larger or higher value.
    Raise(Field),
    /// Values that differ less.
    Narrow(Field),
    /// Agents that lie farther apart.
    SpreadAgents,
}
