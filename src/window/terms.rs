//! Errors of the library in terms of the window: fields as the panel labels them, thousands apart.

use crate::{
    error::{Error, Field, Terms, Value},
    format,
};

/// An error as one sentence without flags.
pub(super) fn sentence(error: &Error) -> String {
    error.sentence(&Labels)
}

struct Labels;

impl Terms for Labels {
    fn given(&self, field: Field, value: Value) -> String {
        match (field, value) {
            (Field::Agents, Value::Count(agents)) => format!("{} agents", self.count(agents)),
            (_, Value::Count(count)) => format!("{} {}", self.name(field), self.count(count)),
            _ => format!("{} {value}", self.name(field)),
        }
    }

    fn count(&self, count: u64) -> String {
        format::grouped(count)
    }

    fn bytes(&self, bytes: u64) -> String {
        format::bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Limit, Purpose, Remedy};

    #[test]
    fn errors_name_labels_and_group_thousands() {
        let agents = |count| (Field::Agents, Value::Count(count));
        let (field, value) = agents(1_500_000_000);
        let range = Limit::Counts { min: 1, max: 1_000_000_000 };
        let error = Error::invalid(field, value, range);
        let expected = "1,500,000,000 agents is out of range: expected 1 to 1,000,000,000";
        assert_eq!(sentence(&error), expected);
        let (field, value) = agents(15_000_000);
        let memory = Error::Memory {
            purpose: Purpose::Run { agents: 20_000_000, scene: "gas" },
            needed: 3 << 30,
            available: Some(2 << 30),
            remedy: Remedy::set(field, value),
        };
        let expected = "20,000,000 agents of gas would take 3 GiB, and 2 GiB is available; \
                        try 15,000,000 agents";
        assert_eq!(sentence(&memory), expected);
        let limit = Limit::Numbers { min: -1e9, max: 1e9 };
        let error = Error::invalid(Field::Gravity, Value::Number(1e10), limit);
        assert_eq!(sentence(&error), "gravity 1e10 is out of range: expected -1e9 to 1e9");
    }
}
