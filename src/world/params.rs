//! The section `[param]`, and the values that are set beside the file.

use toml::de::DeValue;

use super::{
    plan::WorldPlan,
    reader::{Reader, TomlEntry},
};
use crate::{
    formula::NameKind,
    names::unknown,
    rules::{WorldParam, WorldValues},
};

/// Params that a file may have.
const PARAMS_MAX: usize = 256;

impl WorldPlan {
    /// The params, with the values that flags set.
    pub(super) fn params(
        &mut self,
        reader: &mut Reader<'_>,
        section: Option<&TomlEntry<'_>>,
        settings: &[(String, f32)],
    ) {
        let params =
            section.map(|section| reader.entries(section.value, "param")).unwrap_or_default();
        let set = |name: &str| {
            settings.iter().rev().find(|(known, _)| known == name).map(|(_, value)| *value)
        };
        if params.len() > PARAMS_MAX {
            let message =
                format!("there are {} params: expected at most {PARAMS_MAX}", params.len());
            reader.fault(section.map_or(0, |section| section.at), message);
        }
        for param in params.iter().take(PARAMS_MAX) {
            reader.name(param, NameKind::Param);
            let (mut value, mut range, mut step) = (None, [None; 2], None);
            let mut place = param.value.span();
            let mut has_value = true;
            if matches!(param.value.get_ref(), DeValue::Table(_)) {
                has_value = false;
                for part in reader.known(param.value, "a param", &["value", "min", "max", "step"]) {
                    let number = reader.number(part.value, part.key);
                    match part.key {
                        "value" => (has_value, value, place) = (true, number, part.value.span()),
                        "min" => range[0] = number,
                        "max" => range[1] = number,
                        _ if number.is_some_and(|step| step <= 0.0) => {
                            reader.wrong(part.value, "step", "a number above 0");
                        }
                        _ => step = number,
                    }
                }
            } else {
                value = reader.number(param.value, param.key);
            }
            if !has_value {
                reader.fault(
                    param.at,
                    format!("the param `{}` has no value; add `value = 1`", param.key),
                );
            }
            let own = set(param.key);
            let value = own.or(value);
            let [low, high] = [range[0].unwrap_or(f32::MIN), range[1].unwrap_or(f32::MAX)];
            if low > high {
                let name = param.key;
                let message =
                    format!("the param `{name}` has min {low} above max {high}; swap them");
                reader.fault(param.at, message);
            } else if value.is_some_and(|value| !(low..=high).contains(&value)) {
                let name = param.key;
                let expected = between(range);
                if let Some(value) = own {
                    reader.fault_of_setting(format!(
                        "{name}={value} is out of range: expected {expected}, as the file says of the \
                         param `{name}`"
                    ));
                } else {
                    let value = value.unwrap_or(0.0);
                    let message = format!("the param `{name}` is {value}: expected {expected}");
                    reader.fault(param.at, message);
                }
            }
            let (name, value) = (param.key.to_owned(), value.unwrap_or(0.0));
            self.formulas.params.push((name.clone(), value));
            self.values.params.push(WorldParam { name, value, range, step, place });
        }
    }

    /// Settings of what the file does not have.
    pub(super) fn unknown_settings(&self, reader: &mut Reader<'_>, settings: &[(String, f32)]) {
        if reader.is_torn() {
            return;
        }
        let WorldValues { params, matrices } = &self.values;
        let known: Vec<&str> = params.iter().map(|param| param.name.as_str()).collect();
        for (name, _) in settings {
            let of_matrix = name.split_once('[');
            let is_cell = of_matrix.is_some_and(|(matrix, cell)| {
                let is_pair = |feels: &String| {
                    let felt = cell.strip_prefix(feels.as_str());
                    let felt = felt.and_then(|rest| rest.strip_prefix(',')?.strip_suffix(']'));
                    felt.is_some_and(|felt| self.formulas.species.iter().any(|name| name == felt))
                };
                matrices.iter().any(|one| one.name == matrix)
                    && self.formulas.species.iter().any(is_pair)
            });
            if is_cell || known.contains(&name.as_str()) {
                continue;
            }
            let why = if of_matrix.is_some() {
                let all: Vec<&str> = matrices.iter().map(|one| one.name.as_str()).collect();
                let all =
                    if all.is_empty() { "the file has none".to_owned() } else { all.join(", ") };
                format!("is no cell of a matrix; write MATRIX[FEELS,FELT]; matrices: {all}")
            } else if known.is_empty() {
                "is no param: the file has none".to_owned()
            } else {
                unknown(name, "param", &known)
            };
            reader.fault_of_setting(format!("{name} {why}"));
        }
    }
}

/// The values between the smallest and the largest, of which one may be missing.
fn between(range: [Option<f32>; 2]) -> String {
    match range {
        [Some(low), Some(high)] => format!("{low} to {high}"),
        [Some(low), None] => format!("at least {low}"),
        [None, Some(high)] => format!("at most {high}"),
        [None, None] => "a finite number".to_owned(),
    }
}
