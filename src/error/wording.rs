//! One sentence per error: the value, the limit, the remedy.
//!
//! The sentences exist once. What differs between the library and its front ends is how a field and
//! its value are named, which [`Terms`] decide: `agents 0`, `--agents 0`, "0 agents".

use std::fmt;

use super::{
    kinds::{Error, Fault, Invalid, Purpose, Stored},
    value::{Adjust, Field, Limit, Remedy, Value, about, number},
};

/// How an error names fields and values.
pub(crate) trait Terms {
    /// A field.
    fn name(&self, field: Field) -> String {
        match field {
            Field::ElementCenter(element) | Field::ElementRadius(element) => {
                format!("{} of element {element}", field.name())
            }
            _ => field.name().to_owned(),
        }
    }

    /// A field and the value that it has.
    fn given(&self, field: Field, value: Value) -> String {
        format!("{} {value}", self.name(field))
    }

    /// A field and the value that it should get.
    fn suggested(&self, field: Field, value: Value) -> String {
        self.given(field, value)
    }

    /// A count.
    fn count(&self, count: u64) -> String {
        count.to_string()
    }

    /// A number of bytes.
    fn bytes(&self, bytes: u64) -> String {
        format!("{:.1} MB", bytes as f64 / 1e6)
    }
}

/// The library's own terms: the names of fields.
pub(crate) struct FieldNames;

impl Terms for FieldNames {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence(&FieldNames))
    }
}

impl Error {
    /// The error as one sentence in these terms.
    pub(crate) fn sentence(&self, terms: &dyn Terms) -> String {
        let count = |count: u64| terms.count(count);
        match self {
            Self::Invalid(invalid) => {
                let Invalid { field, value, limit, remedy } = &**invalid;
                broken(*field, *value, limit, terms) + &advice(remedy, terms)
            }
            Self::UnknownIndex { name, known } => {
                format!("unknown index {name:?}: expected one of {}", known.join(", "))
            }
            Self::Full { stored: Stored::LooseCells, capacity, .. } => {
                format!(
                    "more than {} loose cells hold elements; try larger cells",
                    count(*capacity)
                )
            }
            Self::Full { stored: Stored::Elements, more, len, capacity } => format!(
                "{} elements exceed the capacity of {}; reserve more first",
                count(len + more),
                count(*capacity)
            ),
            Self::Full { stored, more, len, capacity } if len == capacity => format!(
                "no capacity for {} more {}: {} of {} are in use; remove some first",
                count(*more),
                plural(*stored),
                count(*len),
                count(*capacity),
            ),
            Self::Full { stored, more, len, capacity } => format!(
                "no capacity for {} more {}: {} of {} are in use; add at most {}, or remove some \
                 first",
                count(*more),
                plural(*stored),
                count(*len),
                count(*capacity),
                count(capacity - len),
            ),
            Self::IdsUsedUp { stored, more, used, ids } => format!(
                "no ids for {} more {}: {} of {} are used, each at most once; start a new run",
                count(*more),
                plural(*stored),
                count(u64::from(*used)),
                count(u64::from(*ids)),
            ),
            Self::Memory { purpose, needed, available, remedy } => {
                let purpose = match purpose {
                    Purpose::Part(part) => (*part).to_owned(),
                    Purpose::Run { agents, scene } => {
                        let agents = Value::Count(u64::from(*agents));
                        format!("{} of {scene}", terms.suggested(Field::Agents, agents))
                    }
                };
                let available = available.map_or("less".to_owned(), |bytes| terms.bytes(bytes));
                let needed = terms.bytes(*needed);
                let advice = advice(remedy, terms);
                format!("{purpose} would take {needed}, and {available} is available{advice}")
            }
            Self::Threads { threads, reason } => {
                let given = terms.given(Field::Threads, Value::Count(*threads as u64));
                let advice = match threads {
                    0 | 1 => "; close other programs, or allow more processes".to_owned(),
                    _ => advice(&Remedy::set(Field::Threads, Value::Count(1)), terms),
                };
                format!("{given} can't be started ({reason}){advice}")
            }
            Self::Snapshot(fault) => fault.sentence("snapshot", terms),
            Self::Canceled => "canceled before the agents were placed".to_owned(),
            Self::World { line: 0, message, .. } => message.clone(),
            Self::World { line, column, message } => format!("{line}:{column}: {message}"),
            Self::Invariant(sentence) => sentence.clone(),
        }
    }
}

fn plural(stored: Stored) -> &'static str {
    match stored {
        Stored::Agents => "agents",
        Stored::Statics => "statics",
        Stored::Elements => "elements",
        Stored::LooseCells => "loose cells",
    }
}

/// The value, and the limit that it breaks.
fn broken(field: Field, value: Value, limit: &Limit, terms: &dyn Terms) -> String {
    let given = terms.given(field, value);
    let agents = |agents: u32| match agents {
        1 => "1 agent".to_owned(),
        many => format!("{} agents", terms.count(u64::from(many))),
    };
    // The world that is given, or follows from what is given.
    let given_world = |world| match value {
        Value::Size(_) => format!("{given} is"),
        _ => format!("{given} makes a world of {}, which is", rounded(world)),
    };
    match *limit {
        Limit::Counts(ref range) => {
            let [min, max] = [range.start(), range.end()].map(|&count| terms.count(count));
            format!("{given} is out of range: expected {min} to {max}")
        }
        Limit::Numbers(ref range) => {
            let [min, max] = [range.start(), range.end()].map(|&end| number(end));
            format!("{given} is out of range: expected {min} to {max}")
        }
        Limit::Above0(max) => {
            format!("{given} is out of range: expected more than 0, at most {}", number(max))
        }
        Limit::Finite => format!("{given} is invalid: expected finite numbers"),
        Limit::Extent => format!("{given} has no extent: expected finite lengths above 0"),
        Limit::Ascending => format!("{given} runs from large to small"),
        Limit::Inside(corners) => {
            let [min, max] = corners.map(Value::Point);
            format!("{given} is out of range: expected positions from {min} to {max}")
        }
        Limit::Packing(n) => {
            format!("{given} is too high to place {} without overlap", agents(n))
        }
        Limit::Agents { agents: n, widest, share } => format!(
            "{given} is too small for {} up to {} wide, which cover {} of it",
            agents(n),
            about(widest),
            number(share)
        ),
        Limit::Clusters { clusters: 1, width } => {
            format!("{given} is too small for a cluster {} wide", number(width))
        }
        Limit::Clusters { clusters, width } => {
            format!("{given} is too small for {clusters} clusters {} wide", number(width))
        }
        Limit::Precision { world, radius } => {
            let at_fault = given_world(world);
            format!(
                "{at_fault} too large for agents of radius {}: positions at its far end would be \
                 rounded by more than 1 % of that",
                number(radius)
            )
        }
        Limit::Cells { world, max } => format!(
            "{given} can't divide a world of {} into at most {} cells per side",
            rounded(world),
            terms.count(u64::from(max))
        ),
        Limit::Giants { agents: n, radius, max } => format!(
            "{given} makes giants of radius {} with {}: expected at most {}",
            about(radius),
            agents(n),
            number(max)
        ),
        Limit::OwnWorld { scene, world } => format!(
            "{given} can't be used with {scene}: its world is always {}",
            Value::Size(world)
        ),
        Limit::NeedsWalls(scene) => {
            format!("{given} can't be used with {scene}, where agents need walls")
        }
        Limit::Endless => {
            format!("{given} can't be used in a world that repeats from top to bottom")
        }
        Limit::ImpulseSolver => {
            format!("{given} can't be used with the contact solver, which needs walls")
        }
        Limit::OneRank => format!("{given} can't be split over ranks; run it in one process"),
        Limit::Friction => format!("{given} needs friction: without it, nothing rolls"),
        Limit::Impulses => format!("{given} needs the impulse solver"),
        Limit::Period { world, radius, least } => {
            let at_fault = given_world(world);
            format!(
                "{at_fault} too narrow to repeat: agents of radius {} need sides of at least {}, \
                 or one may touch another on both sides",
                about(radius),
                number(least)
            )
        }
        Limit::Required(scene) => {
            format!("{scene} needs {}, which the start lacks", terms.name(field))
        }
        Limit::Length(_) | Limit::RuleColumn | Limit::ColumnName => {
            no_column(field, &given, limit, terms)
        }
        Limit::Unique => format!("{given} is not unique: expected one agent per id"),
        Limit::Alive => format!("{given} is unknown: expected the id of an agent alive"),
        Limit::Reaches { value, max } => {
            format!("{given} leads to {}: expected at most {}", number(value), number(max))
        }
    }
}

/// The limit of a column that an agent can't have.
fn no_column(field: Field, given: &str, limit: &Limit, terms: &dyn Terms) -> String {
    match limit {
        Limit::Length(ids) => {
            format!("column {given} long is not one value per id: expected {}", terms.count(*ids))
        }
        Limit::RuleColumn => format!("a rule reads {}, which the agents lack", terms.name(field)),
        _ => format!(
            "{given} is no new name: expected 1 to 32 letters, digits and _, not beginning with a \
             digit"
        ),
    }
}

impl Fault {
    /// The reason why no run can be restored from the bytes of a `what`, and what helps.
    pub(crate) fn sentence(&self, what: &str, terms: &dyn Terms) -> String {
        let count = |count: u64| terms.count(count);
        let own = env!("CARGO_PKG_VERSION");
        let fault = match self {
            Fault::Foreign => format!("it does not begin as a {what} of jostle does"),
            Fault::Format { format, newest, reader } => {
                return format!(
                    "the {what} has format {format}, and jostle {own} reads up to {newest}; load it \
                     with jostle {reader} or later"
                );
            }
            &Fault::Length { found, expected } => {
                let lacks = if found < expected { "is cut off" } else { "goes on behind its end" };
                format!("the {what} {lacks}: {} of {} bytes", count(found), count(expected))
            }
            Fault::Damaged(part) => format!("the {what} is damaged: checksum of {part}"),
            Fault::Missing(part) => format!("the {what} has no {part}"),
            Fault::Count { part, found, expected } => format!(
                "the {what} has {} values of {part}: expected {}",
                count(*found),
                count(*expected)
            ),
            Fault::Line { part, line } => {
                format!("the {what} has a line in {part} that can't be used: {line:?}")
            }
            Fault::Content { part, reason } => format!("the {what}'s {part} {reason}"),
        };
        fault + "; load another file"
    }
}

/// Width and height, to five digits.
fn rounded(size: glam::Vec2) -> String {
    format!("{}x{}", about(size.x), about(size.y))
}

/// The remedy as the end of a sentence; empty if there is none.
fn advice(remedy: &Remedy, terms: &dyn Terms) -> String {
    match remedy {
        Remedy::None => String::new(),
        Remedy::Set(settings) => {
            let (unset, given): (Vec<_>, Vec<_>) =
                settings.iter().copied().partition(|&(_, value)| value == Value::Missing);
            let given: Vec<_> =
                given.into_iter().map(|(field, value)| terms.suggested(field, value)).collect();
            let unset: Vec<_> = unset.into_iter().map(|(field, _)| terms.name(field)).collect();
            match (given.is_empty(), unset.is_empty()) {
                (true, true) => String::new(),
                (true, false) => format!("; leave out {}", unset.join(" and ")),
                (false, true) => format!("; try {}", given.join(" ")),
                (false, false) => {
                    format!("; try {} without {}", given.join(" "), unset.join(" and "))
                }
            }
        }
        Remedy::Adjust(adjusts) => {
            let adjusts: Vec<_> = adjusts.iter().map(|&adjust| direction(adjust, terms)).collect();
            format!("; try {}", adjusts.join(" or "))
        }
    }
}

fn direction(adjust: Adjust, terms: &dyn Terms) -> String {
    match adjust {
        Adjust::Lower(
            field @ (Field::Agents | Field::Statics | Field::Removals | Field::Threads),
        ) => format!("fewer {}", terms.name(field)),
        Adjust::Lower(field) => format!("a smaller {}", terms.name(field)),
        Adjust::Raise(field) => format!("a larger {}", terms.name(field)),
        Adjust::Narrow(field) => format!("a narrower range of {}", terms.name(field)),
        Adjust::SpreadAgents => "agents that lie farther apart".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "--threads 1 can't be started; try --threads 1" helps nobody.
    #[test]
    fn a_refused_thread_is_not_the_remedy_of_one() {
        let sentence =
            |threads| Error::Threads { threads, reason: "no room".into() }.sentence(&FieldNames);
        assert!(
            sentence(4).ends_with("can't be started (no room); try threads 1"),
            "{}",
            sentence(4)
        );
        assert!(sentence(1).ends_with("(no room); close other programs, or allow more processes"));
    }
}
