//! How large agents are where a file does not say it, and the check of all values of `[world]`.

use std::f64::consts::PI;

use super::{
    groups::WorldGroup,
    plan::WorldPlan,
    reader::{Reader, TomlEntry},
    shares::numbers,
};
use crate::{
    error::{Error, Field},
    limits::DENSITY_MAX,
};

/// Agents of the start that have radii between the same two, evenly spread.
struct SizeClass {
    agents: usize,
    radius: [f32; 2],
}

impl SizeClass {
    /// The area of all discs.
    fn area(&self) -> f64 {
        let [low, high] = self.radius.map(f64::from);
        PI * (low * low + low * high + high * high) / 3.0 * self.agents as f64
    }

    /// The number of discs of at least that radius.
    fn at_least(&self, radius: f32) -> f64 {
        let [low, high] = self.radius.map(f64::from);
        let share = (high - f64::from(radius)) / (high - low);
        // Of one size, all or none.
        let share = if share.is_nan() { 1.0 } else { share.clamp(0.0, 1.0) };
        self.agents as f64 * share
    }
}

impl WorldPlan {
    /// Sets the radii and the speed of the set-up to those of all agents. Radii that the file does not
    /// state leave most of the world free, for as many agents as there are.
    pub(crate) fn settle(&mut self) {
        if self.has_scene {
            return;
        }
        let area = self.setup.world.map_or(1.0, |size| size.x * size.y);
        self.setup.radius = self.common_radius();
        if self.has_own_radii() {
            let radii = self.size_classes().into_iter().map(|class| class.radius);
            let both = |[a, b]: [f32; 2], [c, d]: [f32; 2]| [a.min(c), b.max(d)];
            self.setup.radius = radii.reduce(both).unwrap_or(self.setup.radius);
        }
        let squares = self.setup.radius.map(|radius| radius * radius);
        let mut covered =
            std::f32::consts::PI * 0.5 * (squares[0] + squares[1]) * self.setup.agents as f32;
        if self.has_own_starts() {
            covered = self.covered() as f32;
        }
        if self.has_own_speeds() {
            let speeds = self.species.iter().map(|it| it.speed.unwrap_or(self.speed));
            self.setup.speed = speeds.fold(0.0, f32::max);
        }
        self.setup.density = (covered / area).clamp(f32::MIN_POSITIVE, DENSITY_MAX);
    }

    /// The radii of agents for which neither their group nor their species states any.
    pub(super) fn common_radius(&self) -> [f32; 2] {
        self.radius.unwrap_or_else(|| {
            let area = self.setup.world.map_or(1.0, |size| size.x * size.y);
            // As much as scenes cover.
            let of_pi = std::f32::consts::PI * 0.58;
            let most = (0.3 * area / (of_pi * self.setup.agents as f32)).sqrt();
            [0.5, 1.0].map(|radius| radius * most.min(1.0))
        })
    }

    /// True if a species says how large or how fast its agents are.
    pub(crate) fn has_own_starts(&self) -> bool {
        self.has_own_speeds() || self.species.iter().any(|it| it.radius.is_some())
    }

    /// True if a species says how fast its agents are.
    pub(crate) fn has_own_speeds(&self) -> bool {
        self.species.iter().any(|it| it.speed.is_some())
    }

    /// True if a group or a species says how large its agents are.
    pub(super) fn has_own_radii(&self) -> bool {
        let of_groups = self.groups.iter().any(|group| group.radius.is_some());
        of_groups || self.species.iter().any(|it| it.radius.is_some())
    }

    /// The area of all discs at the start.
    pub(crate) fn covered(&self) -> f64 {
        let exact = |group: &WorldGroup| {
            let radii = group.table.as_ref()?.radius.as_ref()?;
            Some(PI * radii.iter().map(|&radius| f64::from(radius).powi(2)).sum::<f64>())
        };
        if self.groups.is_empty() {
            return self.size_classes().iter().map(SizeClass::area).sum();
        }
        let of_group = |group: &WorldGroup| {
            exact(group).unwrap_or_else(|| self.classes_of(group).iter().map(SizeClass::area).sum())
        };
        self.groups.iter().map(of_group).sum()
    }

    /// All agents of the start by their radii.
    fn size_classes(&self) -> Vec<SizeClass> {
        if self.groups.is_empty() {
            let agents = self.setup.agents as usize;
            return self.classes_by_species(&numbers(&self.species, agents), agents);
        }
        self.groups.iter().flat_map(|group| self.classes_of(group)).collect()
    }

    fn classes_of(&self, group: &WorldGroup) -> Vec<SizeClass> {
        let agents = group.agents as usize;
        match group.radius {
            Some(radius) => vec![SizeClass { agents, radius }],
            None => self.classes_by_species(&self.numbers_in(group), agents),
        }
    }

    /// Agents by the radii of their species; without species, all of them have the same.
    fn classes_by_species(&self, numbers: &[usize], agents: usize) -> Vec<SizeClass> {
        let common = self.common_radius();
        if numbers.is_empty() {
            return vec![SizeClass { agents, radius: common }];
        }
        let classes = numbers.iter().zip(&self.species).map(|(&agents, species)| SizeClass {
            agents,
            radius: species.radius.unwrap_or(common),
        });
        classes.filter(|class| class.agents > 0).collect()
    }

    /// The median radius, and the radius that one agent in 32 has or exceeds, if species have radii of
    /// their own: the set-up has the smallest and the largest alone.
    pub(crate) fn typical_radii(&self) -> Option<[f32; 2]> {
        if self.species.iter().all(|it| it.radius.is_none()) {
            return None;
        }
        let classes = self.size_classes();
        let all: usize = classes.iter().map(|class| class.agents).sum();
        Some([2, 32].map(|of| {
            let [mut low, mut high] = self.setup.radius;
            // Halved until it is as exact as a cell needs.
            for _ in 0..24 {
                let middle = 0.5 * (low + high);
                let larger: f64 = classes.iter().map(|class| class.at_least(middle)).sum();
                if larger * f64::from(of) >= all as f64 {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            high
        }))
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
        // The radii of groups and of species are not those of a scene: their room is checked apart.
        let is_placed = self.has_groups() || self.has_own_starts();
        if is_placed && !self.has_scene {
            self.setup.validate_placed()
        } else {
            self.setup.validate()
        }
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
