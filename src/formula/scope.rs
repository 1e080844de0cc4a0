//! The names that a formula may use.

use super::graph::NodeId;

/// Functions, with the number of values that they take.
pub(super) const FUNCTIONS: [(&str, usize); 14] = [
    ("select", 3),
    ("min", 2),
    ("max", 2),
    ("abs", 1),
    ("sqrt", 1),
    ("floor", 1),
    ("clamp", 3),
    ("exp", 1),
    ("log", 1),
    ("sin", 1),
    ("cos", 1),
    ("atan2", 2),
    ("random", 1),
    ("normal", 1),
];

/// True for the name of a function, and for `and`, `or` and `not`.
pub(crate) fn is_function(name: &str) -> bool {
    matches!(name, "and" | "or" | "not") || FUNCTIONS.iter().any(|(known, _)| *known == name)
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    Number,
    Condition,
    /// The bits of an id.
    Agent,
    /// The number of a species.
    Species,
    /// Of a value whose formula is wrong: it fits everywhere, so that it is one fault.
    Unknown,
}

/// A value with what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TypedValue {
    pub(crate) id: NodeId,
    pub(crate) kind: ValueKind,
}

impl TypedValue {
    pub(crate) fn number(id: NodeId) -> Self {
        Self { id, kind: ValueKind::Number }
    }

    pub(crate) fn agent(id: NodeId) -> Self {
        Self { id, kind: ValueKind::Agent }
    }

    pub(crate) fn species(id: NodeId) -> Self {
        Self { id, kind: ValueKind::Species }
    }
}

impl ValueKind {
    pub(crate) fn shown(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Condition => "a condition",
            Self::Agent => "an agent",
            Self::Species => "a species",
            Self::Unknown => "a value",
        }
    }

    /// True if a value of this kind can stand where another one is expected.
    pub(crate) fn fits(self, expected: Self) -> bool {
        self == expected || self == Self::Unknown
    }

    /// True for what can be compared by `==` and `!=` alone.
    pub(super) fn is_nominal(self) -> bool {
        matches!(self, Self::Agent | Self::Species)
    }

    /// What there is of it, behind a fault.
    pub(super) fn examples(self) -> &'static str {
        match self {
            Self::Agent => "; agents are `none`, what a pair has picked, and in pairs `i` and `j`",
            Self::Species => {
                "; write the name of a species, and compare it with `species`, in pairs `i.species` \
                 and `j.species`"
            }
            Self::Number | Self::Condition | Self::Unknown => "",
        }
    }

    /// How a formula makes a number of it.
    pub(crate) fn as_number(self) -> &'static str {
        match self {
            Self::Number | Self::Unknown => "x",
            Self::Condition => "select(condition, 1, 0)",
            Self::Agent => "select(j.prey == i, 1, 0)",
            Self::Species => "select(species == red, 1, 0)",
        }
    }
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Meaning {
    Value(TypedValue),
    /// A matrix, by its index.
    Matrix(u8),
    /// A table, by its index.
    Table(u8),
    /// Several values, which these longer names tell apart.
    Several(Vec<String>),
}

/// The names of a formula.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// The latest last, which hides others of the same name.
    pub(crate) names: Vec<(String, Meaning)>,
    /// The species of `i` and of `j`, for matrices.
    pub(crate) species: Option<[NodeId; 2]>,
    /// The bits of the ids of `i` and of `j`, for random numbers; of an agent, only that of `i`.
    pub(crate) ids: Option<[Option<NodeId>; 2]>,
    /// What `i.` and `j.` mean, where they mean nothing.
    pub(crate) is_of_agents: bool,
}

impl Scope {
    pub(crate) fn add(&mut self, name: impl Into<String>, meaning: Meaning) {
        self.names.push((name.into(), meaning));
    }

    /// Adds what `i` and `j` have of a name.
    pub(crate) fn add_both(&mut self, name: &str, values: [TypedValue; 2]) {
        for (side, value) in ["i", "j"].into_iter().zip(values) {
            self.add(format!("{side}.{name}"), Meaning::Value(value));
        }
    }

    pub(super) fn find(&self, name: &str) -> Option<&Meaning> {
        self.names.iter().rev().find(|(known, _)| known == name).map(|(_, meaning)| meaning)
    }
}
