//! A world file, read: everything that a run begins with.

use std::{path::Path, sync::Arc};

use glam::Vec2;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    fault::WorldFault,
    groups::{GroupShape, WorldGroup},
    range::RangeMax,
    reader::{Reader, TomlEntry, array, entries, parsed},
    shares::SpeciesStart,
    start_keys::START,
    view::{ViewNames, WorldView},
};
use crate::{
    error::{Field, Value},
    formula::NameKind,
    geometry::{Boundary, Rect},
    names::may_mean,
    rules::{Formulas, GroupTable, ObservedFormula, RuleSource, Rules, WorldValues},
    scene::{Collisions, RunField, Scene, Setup, Solver},
    statics::Static,
};

/// A world file, read and compiled.
#[derive(Clone, Debug)]
pub(crate) struct WorldPlan {
    pub(crate) setup: Setup,
    /// True if the agents begin as those of the scene of the set-up do.
    pub(super) has_scene: bool,
    /// The radii that `[world]` states.
    pub(super) radius: Option<[f32; 2]>,
    /// The mean speed that `[world]` states, for species that have none.
    pub(super) speed: f32,
    pub(crate) view: WorldView,
    pub(crate) formulas: Formulas,
    pub(crate) rules: Rules,
    pub(crate) observed: Vec<ObservedFormula>,
    /// The number of agents up to which others are born, if the file states it.
    pub(super) capacity: Option<u32>,
    /// What may change during a run.
    pub(super) values: WorldValues,
    pub(super) species: Vec<SpeciesStart>,
    /// The value with which each own column begins.
    pub(super) initial: Vec<f32>,
    pub(super) groups: Vec<WorldGroup>,
    pub(super) statics: Vec<Static>,
    /// The tables that they are in.
    tables: Vec<Arc<GroupTable>>,
}

/// Longest name of a world, characters.
const NAME_MAX: usize = 100;

/// Sections of a file, in the order in which they are read.
const SECTIONS: [&str; 12] = [
    "world", "species", "columns", "param", "matrix", "table", "group", "static", "pair", "agent",
    "observe", "view",
];

/// Keys of `[world]` that are fields of a run, with numbers.
const NUMBERS: [(&str, Field); 8] = [
    ("density", Field::Density),
    ("speed", Field::Speed),
    ("restitution", Field::Restitution),
    ("friction", Field::Friction),
    ("rolling", Field::Rolling),
    ("gravity", Field::Gravity),
    ("hz", Field::Hz),
    ("cell", Field::Cell),
];

const WORLD_KEYS: [&str; 21] = [
    START[0],
    START[1],
    "density",
    "size",
    "boundary",
    "agents",
    "capacity",
    "seed",
    "collisions",
    "radius",
    "speed",
    "restitution",
    "friction",
    "rolling",
    "gravity",
    "hz",
    "cell",
    "substeps",
    "tight",
    "solver",
    "sleep",
];

/// The section that a fault of a whole world is at.
const NO_WORLD: &str =
    "there is no [world]; begin with `world = { size = [400, 400], agents = 10_000 }`";

impl WorldPlan {
    /// Reads a file of that name, with other values for some of its params and cells. Without names
    /// of views, its view is not read.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub(crate) fn read(
        name: &str,
        text: &str,
        settings: &[(String, f32)],
        names: Option<ViewNames<'_>>,
    ) -> Result<Self, Vec<WorldFault>> {
        let table = parsed(text)?;
        let mut reader = Reader::new(text);
        let mut plan = Self {
            setup: Setup { speed: 0.0, ..Setup::new(Scene::Gas) },
            has_scene: false,
            radius: None,
            speed: 0.0,
            view: WorldView::default(),
            formulas: Formulas::new(),
            rules: Rules::new(),
            observed: Vec::new(),
            capacity: None,
            values: WorldValues::default(),
            species: Vec::new(),
            initial: Vec::new(),
            groups: Vec::new(),
            statics: Vec::new(),
            tables: Vec::new(),
        };
        plan.sections(&mut reader, &table, settings, names);
        let is_sound = !reader.has_faults();
        // Also where other parts are wrong, so that all faults are named at once.
        let compiled = plan.formulas.compile();
        match (compiled, plan.formulas.observed(&plan.observed)) {
            (Ok(rules), Ok(observed)) => {
                let source = RuleSource {
                    name: cleaned(name),
                    text: text.to_owned(),
                    settings: settings.to_vec(),
                    species: plan.formulas.species.clone(),
                    values: std::mem::take(&mut plan.values),
                    tables: (plan.groups.iter())
                        .filter_map(|group| group.table.clone())
                        .chain(plan.tables.drain(..))
                        .collect(),
                };
                plan.rules = rules.with_source(source).with_observed(observed);
            }
            (rules, observed) => {
                reader.formulas(rules.err().unwrap_or_default());
                reader.formulas(observed.err().unwrap_or_default());
            }
        }
        plan.claim_births();
        if is_sound {
            plan.check_room(&mut reader, table.get_ref());
        }
        if reader.has_faults() { Err(reader.into_faults()) } else { Ok(plan) }
    }

    fn sections(
        &mut self,
        reader: &mut Reader<'_>,
        table: &Spanned<DeTable<'_>>,
        settings: &[(String, f32)],
        names: Option<ViewNames<'_>>,
    ) {
        let all = entries(table.get_ref());
        for entry in all.iter().filter(|entry| !SECTIONS.contains(&entry.key)) {
            reader.unknown(entry, "section", &SECTIONS);
            reader.tear();
        }
        let find = |name: &str| all.iter().find(|entry| entry.key == name);
        let Some(world) = find("world") else {
            // One that is misspelled is a fault already.
            if !all.iter().any(|entry| may_mean(entry.key, "world")) {
                reader.fault(0, NO_WORLD);
            }
            return;
        };
        if let Some(section) = find("species") {
            self.species(reader, section, names, find("matrix").is_some());
        }
        if let Some(section) = find("columns") {
            for column in reader.entries(section.value, "columns") {
                reader.name(&column, NameKind::Column);
                let initial = reader.initial(&column).unwrap_or(0.0);
                self.formulas.columns.push(column.key.to_owned());
                self.initial.push(initial);
            }
        }
        let params = find("param");
        self.params(reader, params, settings);
        if let Some(section) = find("matrix") {
            self.values.matrices = reader.matrices(section.value, &mut self.formulas, settings);
        }
        self.unknown_settings(reader, settings);
        if let Some(section) = find("table") {
            reader.tables(section.value, &mut self.formulas);
        }
        let is_group =
            |section: &TomlEntry<'_>| array(section.value).is_none_or(|all| !all.is_empty());
        let has_groups = find("group").is_some_and(is_group);
        self.world(reader, world, has_groups);
        // Where its size is wrong, no place is out of the world.
        let is_known = self.has_scene || self.setup.world.is_some();
        let all = Rect::new(Vec2::ZERO, Vec2::splat(f32::MAX));
        let bounds = if is_known { self.setup.world() } else { all };
        if let Some(section) = find("group").filter(|section| is_group(section)) {
            let tables = names.and_then(|names| names.tables);
            self.groups = reader.groups(section, &self.formulas, bounds, tables);
            self.setup.agents = self
                .groups
                .iter()
                .fold(0_u32, |all, group| all.saturating_add(group.agents))
                .max(1);
        }
        if let Some(section) = find("static") {
            let tables = names.and_then(|names| names.tables);
            (self.statics, self.tables) = reader.statics(section, bounds, tables);
        }
        if let Some(section) = find("species") {
            self.check_species(reader, section);
        }
        self.speed = self.setup.speed;
        self.settle();
        self.check(reader, world);
        if let Some(section) = find("pair") {
            let most = RangeMax::of(bounds, self.setup.boundary);
            reader.pairs(section.value, &mut self.formulas, most);
        }
        if let Some(section) = find("agent") {
            reader.agents(section.value, &mut self.formulas);
        }
        let taken = names.map_or(&[][..], |names| names.observed);
        self.observed = reader.observed(find("observe"), &self.formulas, taken);
        if let (Some(section), Some(names)) = (find("view"), names) {
            let colors = std::mem::take(&mut self.view.colors);
            self.view = WorldView { colors, ..reader.view(section, names, &self.setup) };
        }
    }

    fn world(&mut self, reader: &mut Reader<'_>, section: &TomlEntry<'_>, has_groups: bool) {
        let entries = reader.known(section.value, "world", &WORLD_KEYS);
        let agents = entries.iter().find(|entry| entry.key == "agents");
        let agents = agents.and_then(|entry| reader.agent_count(entry.value, "agents"));
        let agents = agents.or(self.counted().filter(|_| !has_groups));
        if let Some(scene) = reader.scene(section) {
            let own = Setup::new(scene).agents;
            self.setup = Setup::with_agents(scene, agents.unwrap_or(own));
            self.has_scene = true;
        }
        let mut has_hz = false;
        for entry in entries {
            let value = entry.value;
            match entry.key {
                "size" => self.setup.world = reader.size(value),
                "boundary" => {
                    let names = Boundary::ALL.map(Boundary::name);
                    let name = reader.choice(value, "boundary", &names);
                    let found =
                        Boundary::ALL.into_iter().find(|one| name.as_deref() == Some(one.name()));
                    self.setup.boundary = found.unwrap_or(self.setup.boundary);
                }
                "capacity" => self.capacity = reader.agent_count(value, "capacity"),
                "solver" => {
                    let name = reader.choice(value, "solver", &Solver::ALL.map(Solver::name));
                    let mut all = Solver::ALL.into_iter();
                    let found = all.find(|it| name.as_deref() == Some(it.name()));
                    self.setup.solver = found.unwrap_or(self.setup.solver);
                }
                "sleep" => self.setup.sleep = reader.switch(value, "sleep") != Some(false),
                "substeps" | "tight" => {
                    let count = reader.count(value, entry.key, 1..32_768).map(|count| count as u32);
                    if entry.key == "tight" {
                        self.setup.tight = count;
                    } else {
                        self.setup.substeps = count;
                    }
                }
                "density" if !self.has_scene => {
                    let message = "`density` is for worlds that begin as a scene does; leave it out, or \
                                   add `start = \"gas\"`";
                    reader.fault(entry.at, message);
                }
                "seed" => {
                    self.setup.seed = reader.count(value, "seed", 0..u64::MAX).unwrap_or(0);
                }
                "collisions" if matches!(value.get_ref(), DeValue::String(_)) => {
                    let names = Collisions::ALL.map(Collisions::name);
                    let name = reader.choice(value, "way to collide", &names);
                    let mut all = Collisions::ALL.into_iter();
                    let found = all.find(|it| name.as_deref() == Some(it.name()));
                    self.setup.collisions = found.unwrap_or_default();
                }
                "collisions" => {
                    self.formulas.without_collisions =
                        reader.switch(value, "collisions") == Some(false);
                }
                "radius" => {
                    self.radius = reader.radius(value);
                    self.setup.radius = self.radius.unwrap_or(self.setup.radius);
                }
                key => {
                    has_hz |= key == "hz";
                    if let Some((_, field)) = NUMBERS.iter().find(|(name, _)| *name == key)
                        && let (Some(entry), Some(number)) =
                            (RunField::find(*field), reader.number(value, key))
                    {
                        (entry.set)(&mut self.setup, Value::Number(number));
                    }
                }
            }
        }
        if self.has_scene {
            if has_groups {
                let message =
                    "[world] says how its agents begin, and so do groups; remove one of them";
                reader.fault(section.at, message);
            }
            if !has_hz {
                self.setup.hz = self.setup.courant_hz();
            }
            return;
        }
        if self.setup.world.is_none() && !reader.has_faults() {
            reader.fault(section.at, "[world] has no size; add `size = [400, 400]`");
        }
        match (agents, has_groups) {
            (Some(agents), false) => self.setup.agents = agents,
            (Some(_), true) => {
                let message =
                    "[world] has a number of agents, which the groups say; remove one of them";
                reader.fault(section.at, message);
            }
            (None, true) => {}
            (None, false) if reader.has_faults() => {}
            (None, false) => {
                reader.fault(section.at, "[world] has no agents; add `agents = 10_000`");
            }
        }
    }

    /// True if runs of both begin with the same agents, columns and statics.
    #[cfg(feature = "window")]
    pub(crate) fn begins_as(&self, other: &Self) -> bool {
        let own = |plan: &Self| {
            let Formulas { species, columns, without_collisions, .. } = &plan.formulas;
            (species.clone(), columns.clone(), *without_collisions)
        };
        (&self.setup, &self.species, &self.initial)
            == (&other.setup, &other.species, &other.initial)
            && (self.radius, self.speed) == (other.radius, other.speed)
            && (&self.groups, &self.statics) == (&other.groups, &other.statics)
            && own(self) == own(other)
    }

    /// The scene as which its agents begin, if the file names one.
    pub(crate) fn scene(&self) -> Option<Scene> {
        self.has_scene.then_some(self.setup.scene)
    }

    /// True if the file has obstacles.
    pub(crate) fn has_statics(&self) -> bool {
        !self.statics.is_empty()
    }

    /// The obstacles, beside those of the scene.
    #[cfg(feature = "window")]
    pub(crate) fn statics(&self) -> &[Static] {
        &self.statics
    }

    /// True if the file says where its agents are.
    pub(crate) fn has_groups(&self) -> bool {
        !self.groups.is_empty()
    }

    /// What the file has and no formula reads, as sentences.
    pub(crate) fn unused(&self) -> Vec<String> {
        let placed = self.groups.iter().filter_map(|group| group.program.as_ref());
        let placed: Vec<_> = placed.flat_map(|program| program.texts()).collect();
        let observed = self.observed.iter().filter_map(|quantity| quantity.formula.as_ref());
        let observed = observed.map(|formula| formula.text.as_str());
        let beside: Vec<&str> = placed.iter().map(|&(_, text)| text).chain(observed).collect();
        let of_tables = self.groups.iter().filter_map(|group| group.table.as_ref());
        let of_tables = of_tables.flat_map(|table| &table.columns).map(|(column, _)| *column);
        let filled = placed.iter().filter_map(|&(column, _)| column).chain(of_tables);
        self.formulas.unused(&beside, &filled.collect::<Vec<_>>())
    }

    /// The tables of agents that don't say of which species these are, where nothing else says it.
    pub(crate) fn tables_without_species(&self) -> impl Iterator<Item = &str> {
        let groups = self.groups.iter().filter(|_| self.species.len() > 1);
        groups.filter(|group| group.species.is_none()).filter_map(|group| {
            let table = group.table.as_ref().filter(|table| table.species.is_none())?;
            (group.shape == GroupShape::Table).then_some(table.file.as_str())
        })
    }

    /// The bounds of the world.
    pub(super) fn bounds(&self) -> Rect {
        self.setup.world()
    }
}

/// What people call the world of a file: its name without the ending.
pub(crate) fn title_of(path: &Path) -> String {
    cleaned(&path.file_stem().unwrap_or_default().to_string_lossy())
}

/// A name as one line of a window's title; a snapshot may have any, or none.
pub(crate) fn cleaned(name: &str) -> String {
    let name: String = name.chars().filter(|it| !it.is_control()).take(NAME_MAX).collect();
    if name.is_empty() { "world".to_owned() } else { name }
}
