//! The section `[species]`: shares and colors.

use toml::de::DeValue;

use super::{
    plan::WorldPlan,
    reader::{Reader, TomlEntry},
    rules::AGENT_KEYS,
    view::ViewNames,
};

impl WorldPlan {
    pub(super) fn species(
        &mut self,
        reader: &mut Reader<'_>,
        section: &TomlEntry<'_>,
        names: Option<ViewNames<'_>>,
        has_matrices: bool,
    ) {
        for entry in reader.entries(section.value, "species") {
            if AGENT_KEYS.contains(&entry.key) {
                reader.fault(
                    entry.at,
                    format!("`{}` can't be a species: agents have a key of that name", entry.key),
                );
            }
            if names.is_some_and(|names| names.observed.contains(&entry.key)) {
                reader.fault(
                    entry.at,
                    format!(
                        "`{}` can't be a species: each run has a quantity of that name",
                        entry.key
                    ),
                );
            }
            // Cells of matrices are named as in `pull[red,blue]`.
            let is_odd =
                |letter: char| letter.is_control() || (has_matrices && ",=[]".contains(letter));
            if let Some(odd) = entry.key.chars().find(|&letter| is_odd(letter)) {
                let message = format!("the name of a species has {odd:?} in it; leave it out");
                reader.fault(entry.at, message);
            }
            self.formulas.species.push(entry.key.to_owned());
            let (mut share, mut color) = (None, None);
            if matches!(entry.value.get_ref(), DeValue::Table(_)) {
                for part in reader.known(entry.value, "a species", &["share", "color"]) {
                    match part.key {
                        "share" => share = reader.share(part.value),
                        _ => color = reader.color(part.value),
                    }
                }
            } else {
                share = reader.share(entry.value);
            }
            self.shares.push(share.unwrap_or(1.0));
            self.view.colors.push(color);
        }
        let count = self.shares.len();
        if !matches!(section.value.get_ref(), DeValue::Table(_)) {
            return;
        }
        if !(1..=16).contains(&count) {
            reader.fault(section.at, format!("there are {count} species: expected 1 to 16"));
            self.shares.truncate(16);
            self.formulas.species.truncate(16);
        }
        if count > 0 && self.shares.iter().sum::<f32>() <= 0.0 {
            reader.fault(section.at, "all species have share 0; give one of them a share above 0");
        }
    }
}
