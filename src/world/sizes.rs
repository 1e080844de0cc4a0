//! How large agents are where a file does not say it, and the check of all values of `[world]`.

use std::f32::consts::PI;

use super::{
    plan::WorldPlan,
    reader::{Reader, TomlEntry},
};
use crate::{
    error::{Error, Field},
    limits::DENSITY_MAX,
};

impl WorldPlan {
    /// Radii that the file does not state leave most of the world free, for as many agents as there
    /// are.
    pub(crate) fn settle_radii(&mut self) {
        if self.has_scene {
            return;
        }
        let area = self.setup.world.map_or(1.0, |size| size.x * size.y);
        if !self.has_radius {
            // As much as scenes cover.
            let most = (0.3 * area / (PI * 0.58 * self.setup.agents as f32)).sqrt();
            self.setup.radius = [0.5, 1.0].map(|radius| radius * most.min(1.0));
        }
        let of_groups = self.groups.iter().filter_map(|group| group.radius);
        let all = of_groups.fold(None, |all: Option<[f32; 2]>, [low, high]| {
            Some(all.map_or([low, high], |[least, most]| [least.min(low), most.max(high)]))
        });
        let every = self.groups.iter().all(|group| group.radius.is_some());
        if let Some([low, high]) = all {
            let [least, most] = self.setup.radius;
            self.setup.radius = if every { [low, high] } else { [least.min(low), most.max(high)] };
        }
        let squares = self.setup.radius.map(|radius| radius * radius);
        let covered = PI * 0.5 * (squares[0] + squares[1]) * self.setup.agents as f32;
        self.setup.density = (covered / area).clamp(f32::MIN_POSITIVE, DENSITY_MAX);
    }

    /// Checks the values of the world.
    pub(super) fn check(&self, reader: &mut Reader<'_>, section: &TomlEntry<'_>) {
        if reader.has_faults() {
            return;
        }
        if let Err(error) = self.check_setup() {
            let at = place_of(reader, section, &error);
            reader.fault(at, error.to_string());
        }
    }

    /// Checks the set-up, with the values of flags too.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn check_setup(&self) -> crate::Result<()> {
        if self.groups.is_empty() { self.setup.validate() } else { self.setup.validate_placed() }
    }
}

/// Where the value is that an error rejects.
fn place_of(reader: &mut Reader<'_>, section: &TomlEntry<'_>, error: &Error) -> usize {
    let Error::Invalid(invalid) = error else { return section.at };
    let key = match invalid.field {
        Field::World | Field::Density => "size",
        field => field.name(),
    };
    let entries = reader.entries(section.value, "world");
    entries.iter().find(|entry| entry.key == key).map_or(section.at, |entry| entry.at)
}
