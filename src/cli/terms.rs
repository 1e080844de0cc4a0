//! Errors of the library in terms of the command line: fields as flags, counts and sizes as people
//! type them.

use crate::{
    error::{Error, Field, Terms, Value},
    format,
};

/// An error as one sentence that names flags.
pub(super) fn sentence(error: &Error) -> String {
    error.sentence(&Flags)
}

struct Flags;

impl Terms for Flags {
    fn name(&self, field: Field) -> String {
        match field {
            Field::Agents
            | Field::Radius
            | Field::Density
            | Field::World
            | Field::Speed
            | Field::Restitution
            | Field::Gravity
            | Field::Hz
            | Field::Substeps
            | Field::Cell
            | Field::Tight
            | Field::Threads => format!("--{}", field.name()),
            Field::FrameSize => "--size".to_owned(),
            _ => field.name().to_owned(),
        }
    }

    fn suggested(&self, field: Field, value: Value) -> String {
        match value {
            Value::Count(count) => format!("{} {}", self.name(field), format::short(count as u32)),
            _ => self.given(field, value),
        }
    }

    fn bytes(&self, bytes: u64) -> String {
        format::bytes(bytes)
    }
}
