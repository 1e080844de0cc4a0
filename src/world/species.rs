//! The section `[species]`: how many agents of each species there are, how large and how fast, and their
//! colors.

use toml::de::DeValue;

use super::{
    plan::WorldPlan,
    reader::{Item, Reader, TomlEntry},
    rules::AGENT_KEYS,
    shares::{SpeciesNumber, SpeciesStart},
    view::ViewNames,
};
use crate::{
    formula::{NameKind, NameUse},
    limits::MEAN_SPEED_MAX,
    rules::meaning_fault,
};

const SPECIES_KEYS: [&str; 5] = ["share", "count", "radius", "speed", "color"];

impl WorldPlan {
    pub(super) fn species(
        &mut self,
        reader: &mut Reader<'_>,
        section: &TomlEntry<'_>,
        names: Option<ViewNames<'_>>,
        has_matrices: bool,
    ) {
        for entry in reader.entries(section.value, "species") {
            let (name, kind, at) = (entry.key.to_owned(), NameKind::Species, entry.at);
            reader.named.push(NameUse { name, kind, at });
            if let Some(why) = meaning_fault(entry.key) {
                reader.fault(entry.at, format!("`{}` can't be a species: {why}", entry.key));
            }
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
            let (start, color) = reader.one_species(&entry);
            self.species.push(start);
            self.view.colors.push(color);
        }
        let count = self.species.len();
        if !matches!(section.value.get_ref(), DeValue::Table(_)) {
            return;
        }
        if !(1..=16).contains(&count) {
            reader.fault(section.at, format!("there are {count} species: expected 1 to 16"));
            self.species.truncate(16);
            self.formulas.species.truncate(16);
        }
        let has_agents = |it: &SpeciesStart| it.share() > 0.0 || it.count() > 0;
        if count > 0 && !self.species.iter().any(has_agents) {
            let message = "all species have share 0; give one of them a share above 0, or a count";
            reader.fault(section.at, message);
        }
    }

    /// The number of all agents where no species has a share of the others.
    pub(super) fn counted(&self) -> Option<u32> {
        let all = self.count_of_species();
        let shares = self.species.iter().any(|it| it.share() > 0.0);
        (all > 0 && !shares).then(|| u32::try_from(all).unwrap_or(u32::MAX))
    }

    fn count_of_species(&self) -> u64 {
        self.species.iter().map(|it| u64::from(it.count())).sum()
    }

    /// Why the species can't have as many agents as they say.
    pub(crate) fn counts_fault(&self) -> Option<String> {
        let (all, agents) = (self.count_of_species(), self.setup.agents);
        if all > 0 && self.has_groups() {
            let message = "`count` has no effect, as groups say how many agents there are; give a group \
                           of the species that number, or the species a share";
            return Some(message.to_owned());
        }
        let shares = self.species.iter().any(|it| it.share() > 0.0);
        let (agents, remedy) = match u64::from(agents) {
            agents if all > agents => (agents, "take more agents, or lower the counts"),
            agents if 0 < all && all < agents && !shares => {
                (agents, "take as many, or give a species a share in place of a count")
            }
            _ => return None,
        };
        Some(format!("the species count {all} agents, and there are {agents}; {remedy}"))
    }

    /// The sizes and speeds that a species states, in words behind its number.
    pub(crate) fn species_shown(&self, of: usize) -> String {
        let Some(SpeciesStart { radius, speed, .. }) = self.species.get(of) else {
            return String::new();
        };
        let radius = radius.map(|[low, high]| {
            if low == high {
                format!(", radius {low}")
            } else {
                format!(", radius {low} to {high}")
            }
        });
        let speed = speed.map(|speed| format!(", speed {speed}"));
        radius.into_iter().chain(speed).collect()
    }

    /// Adds the fault of counts that can't be, at the first of them, and of sizes and speeds that scenes
    /// have themselves.
    pub(super) fn check_species(&self, reader: &mut Reader<'_>, section: &TomlEntry<'_>) {
        if reader.has_faults() {
            return;
        }
        let mut parts = Vec::new();
        for entry in reader.entries(section.value, "species") {
            if matches!(entry.value.get_ref(), DeValue::Table(_)) {
                parts.extend(reader.entries(entry.value, "species"));
            }
        }
        if let (Some(why), Some(count)) =
            (self.counts_fault(), parts.iter().find(|part| part.key == "count"))
        {
            reader.fault(count.at, why);
        }
        for part in parts.iter().filter(|_| self.scene().is_some()) {
            if matches!(part.key, "radius" | "speed") {
                let message = format!(
                    "`{}` has no effect, as agents begin as those of a scene do; remove it, or the \
                     scene from [world]",
                    part.key
                );
                reader.fault(part.at, message);
            }
        }
    }
}

impl Reader<'_> {
    /// What the file says of a species, and its color.
    fn one_species(&mut self, entry: &TomlEntry<'_>) -> (SpeciesStart, Option<[u8; 3]>) {
        let (mut share, mut count, mut color) = (None, None, None);
        let (mut radius, mut speed) = (None, None);
        if matches!(entry.value.get_ref(), DeValue::Table(_)) {
            for part in self.entries(entry.value, "a species") {
                match part.key {
                    "share" | "count" if share.is_some() || count.is_some() => {
                        let message = "a species has a share and a count; remove one of them";
                        self.fault(part.at, message);
                    }
                    "share" => share = self.share(part.value),
                    "count" => count = self.count(part.value, "count", 0..1_000_000_001),
                    "radius" => radius = self.radius(part.value),
                    "speed" => speed = self.speed(part.value),
                    "color" => color = self.color(part.value),
                    "mass" => {
                        let message = "`mass` can't be set, as the mass of a disc is its radius squared; \
                                       set `radius`, and divide an `acceleration` by what else should \
                                       weigh";
                        self.fault(part.at, message);
                    }
                    _ => self.unknown(&part, "key", &SPECIES_KEYS),
                }
            }
        } else {
            share = self.share(entry.value);
        }
        let number = match count {
            Some(count) => SpeciesNumber::Count(count as u32),
            None => SpeciesNumber::Share(share.unwrap_or(1.0)),
        };
        (SpeciesStart { number, radius, speed }, color)
    }

    /// A mean speed.
    fn speed(&mut self, item: &Item<'_>) -> Option<f32> {
        let speed = self.number(item, "speed")?;
        if (0.0..=MEAN_SPEED_MAX).contains(&speed) {
            return Some(speed);
        }
        self.wrong(item, "speed", &format!("0 to {MEAN_SPEED_MAX:e}"));
        None
    }
}
