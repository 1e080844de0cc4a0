//! A world file, read: everything that a run begins with.

use glam::Vec2;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    fault::WorldFault,
    groups::WorldGroup,
    reader::{Reader, TomlEntry, array, entries},
    rules::AGENT_KEYS,
    tables::TableReader,
};
use crate::{
    error::{Error, Field, Value},
    geometry::{Boundary, Rect},
    names::unknown,
    rules::{Formulas, ObservedFormula, Rules},
    scene::{RunField, Scene, Setup},
    statics::Static,
};

/// How a world wants to be seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct WorldView {
    /// Names of a color mode and of a palette.
    pub(crate) color_by: Option<String>,
    pub(crate) palette: Option<String>,
}

/// The names that a view may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewNames<'a> {
    pub(crate) color_by: &'a [&'a str],
    pub(crate) palette: &'a [&'a str],
    /// Quantities that each run has.
    pub(crate) observed: &'a [&'a str],
    /// Reads the tables of groups; none if no agents are placed.
    pub(crate) tables: Option<TableReader<'a>>,
}

/// A world file, read and compiled.
#[derive(Clone, Debug)]
pub(crate) struct WorldPlan {
    pub(crate) setup: Setup,
    pub(crate) view: WorldView,
    pub(crate) formulas: Formulas,
    pub(crate) rules: Rules,
    pub(crate) observed: Vec<ObservedFormula>,
    /// The number of agents up to which others are born, if the file states it.
    pub(super) capacity: Option<u32>,
    /// The share of the agents that each species has.
    pub(super) shares: Vec<f32>,
    /// The value with which each own column begins.
    pub(super) initial: Vec<f32>,
    pub(super) groups: Vec<WorldGroup>,
    pub(super) statics: Vec<Static>,
}

/// Sections of a file, in the order in which they are read.
const SECTIONS: [&str; 12] = [
    "world", "species", "columns", "param", "matrix", "table", "group", "static", "pair", "agent",
    "observe", "view",
];

/// Keys of `[world]` that are fields of a run, with numbers.
const NUMBERS: [(&str, Field); 7] = [
    ("speed", Field::Speed),
    ("restitution", Field::Restitution),
    ("friction", Field::Friction),
    ("rolling", Field::Rolling),
    ("gravity", Field::Gravity),
    ("hz", Field::Hz),
    ("cell", Field::Cell),
];

const WORLD_KEYS: [&str; 14] = [
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
];

/// The section that a fault of a whole world is at.
const NO_WORLD: &str =
    "there is no [world]; begin with `world = { size = [400, 400], agents = 10_000 }`";

impl WorldPlan {
    /// Reads a file, with other values for some of its params. Without names, its view is not read.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub(crate) fn read(
        text: &str,
        settings: &[(String, f32)],
        names: Option<ViewNames<'_>>,
    ) -> Result<Self, Vec<WorldFault>> {
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let message = error.message().lines().next().unwrap_or("it is no TOML").to_owned();
            vec![WorldFault::at(text, at, message)]
        })?;
        let mut reader = Reader::new(text);
        let mut plan = Self {
            setup: Setup { speed: 0.0, ..Setup::new(Scene::Gas) },
            view: WorldView::default(),
            formulas: Formulas::new(),
            rules: Rules::new(),
            observed: Vec::new(),
            capacity: None,
            shares: Vec::new(),
            initial: Vec::new(),
            groups: Vec::new(),
            statics: Vec::new(),
        };
        plan.sections(&mut reader, &table, settings, names);
        // Also where other parts are wrong, so that all faults are named at once.
        let compiled = plan.formulas.compile();
        match (compiled, plan.formulas.observed(&plan.observed)) {
            (Ok(rules), Ok(observed)) => {
                plan.rules = rules.with_source(text, settings).with_observed(observed);
            }
            (rules, observed) => {
                reader.formulas(rules.err().unwrap_or_default());
                reader.formulas(observed.err().unwrap_or_default());
            }
        }
        plan.claim_room(&mut reader, table.get_ref());
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
        }
        let find = |name: &str| all.iter().find(|entry| entry.key == name);
        let Some(world) = find("world") else {
            reader.fault(0, NO_WORLD);
            return;
        };
        if let Some(section) = find("species") {
            self.species(reader, section, names);
        }
        if let Some(section) = find("columns") {
            for column in reader.entries(section.value, "columns") {
                reader.name(&column);
                let initial = reader.number(column.value, column.key).unwrap_or(0.0);
                self.formulas.columns.push(column.key.to_owned());
                self.initial.push(initial);
            }
        }
        let params = find("param");
        self.params(reader, params, settings);
        if let Some(section) = find("matrix") {
            reader.matrices(section.value, &mut self.formulas);
        }
        if let Some(section) = find("table") {
            reader.tables(section.value, &mut self.formulas);
        }
        let is_group =
            |section: &TomlEntry<'_>| array(section.value).is_none_or(|all| !all.is_empty());
        let has_groups = find("group").is_some_and(is_group);
        self.world(reader, world, has_groups);
        let bounds = self.setup.world();
        if let Some(section) = find("group").filter(|section| is_group(section)) {
            let tables = names.and_then(|names| names.tables);
            self.groups = reader.groups(section.value, &self.formulas, bounds, tables);
            self.setup.agents = self
                .groups
                .iter()
                .fold(0_u32, |all, group| all.saturating_add(group.agents))
                .max(1);
        }
        if let Some(section) = find("static") {
            self.statics = reader.statics(section.value);
        }
        self.radii(reader, world);
        if let Some(section) = find("pair") {
            let repeats = self.setup.boundary.repeats();
            let sides = bounds.size().to_array().into_iter().zip(repeats);
            let reach = sides.fold(
                1e9,
                |reach: f32, (side, is)| if is { reach.min(0.25 * side) } else { reach },
            );
            reader.pairs(section.value, &mut self.formulas, reach);
        }
        if let Some(section) = find("agent") {
            reader.agents(section.value, &mut self.formulas);
        }
        let taken = names.map_or(&[][..], |names| names.observed);
        self.observed = reader.observed(find("observe"), &self.formulas, taken);
        if let (Some(section), Some(names)) = (find("view"), names) {
            self.view(reader, section, names);
        }
    }

    fn species(
        &mut self,
        reader: &mut Reader<'_>,
        section: &TomlEntry<'_>,
        names: Option<ViewNames<'_>>,
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
            self.formulas.species.push(entry.key.to_owned());
            self.shares.push(reader.share(entry.value).unwrap_or(1.0));
        }
        let count = self.shares.len();
        if !(1..=16).contains(&count) {
            reader.fault(section.at, format!("there are {count} species: expected 1 to 16"));
            self.shares.truncate(16);
            self.formulas.species.truncate(16);
        }
        if self.shares.iter().sum::<f32>() <= 0.0 {
            reader.fault(section.at, "all species have share 0; give one of them a share above 0");
        }
    }

    /// The params, with the values that flags set.
    fn params(
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
        for param in &params {
            reader.name(param);
            let (mut value, mut range) = (None, [f32::MIN, f32::MAX]);
            if matches!(param.value.get_ref(), DeValue::Table(_)) {
                for part in reader.known(param.value, "a param", &["value", "min", "max"]) {
                    let number = reader.number(part.value, part.key);
                    match part.key {
                        "value" => value = number,
                        "min" => range[0] = number.unwrap_or(range[0]),
                        _ => range[1] = number.unwrap_or(range[1]),
                    }
                }
            } else {
                value = reader.number(param.value, param.key);
            }
            let value = set(param.key).or(value);
            if value.is_some_and(|value| !(range[0]..=range[1]).contains(&value)) {
                let (name, [low, high]) = (param.key, range);
                let value = value.unwrap_or(0.0);
                let message = format!("the param `{name}` is {value}: expected {low} to {high}");
                reader.fault(param.at, message);
            }
            if value.is_none() {
                reader.fault(
                    param.at,
                    format!("the param `{}` has no value; add `value = 1`", param.key),
                );
            }
            self.formulas.params.push((param.key.to_owned(), value.unwrap_or(0.0)));
        }
        for (name, _) in settings {
            if !params.iter().any(|param| param.key == name) {
                let known: Vec<&str> = params.iter().map(|param| param.key).collect();
                let why = if known.is_empty() {
                    "is no param: the file has none".to_owned()
                } else {
                    unknown(name, "param", &known)
                };
                reader
                    .fault(section.map_or(0, |section| section.at), format!("--set {name} {why}"));
            }
        }
    }

    fn world(&mut self, reader: &mut Reader<'_>, section: &TomlEntry<'_>, has_groups: bool) {
        let mut agents = None;
        for entry in reader.known(section.value, "world", &WORLD_KEYS) {
            let value = entry.value;
            match entry.key {
                "size" => {
                    let size = reader.numbers::<2>(value, "size", "two numbers [width, height]");
                    self.setup.world = size.map(Vec2::from);
                }
                "boundary" => {
                    let names = Boundary::ALL.map(Boundary::name);
                    let name = reader.choice(value, "boundary", &names);
                    let found =
                        Boundary::ALL.into_iter().find(|one| name.as_deref() == Some(one.name()));
                    self.setup.boundary = found.unwrap_or(self.setup.boundary);
                }
                "agents" => agents = reader.count(value, "agents", 1..1_000_000_001),
                "capacity" => {
                    let capacity = reader.count(value, "capacity", 1..1_000_000_001);
                    self.capacity = capacity.map(|capacity| capacity as u32);
                }
                "seed" => {
                    let seed = reader.count(value, "seed", 0..u64::MAX);
                    self.setup.seed = seed.unwrap_or(0);
                }
                "collisions" => {
                    self.formulas.without_collisions =
                        reader.switch(value, "collisions") == Some(false);
                }
                "radius" => self.setup.radius = reader.radius(value).unwrap_or(self.setup.radius),
                key => {
                    if let Some((_, field)) = NUMBERS.iter().find(|(name, _)| *name == key)
                        && let (Some(entry), Some(number)) =
                            (RunField::find(*field), reader.number(value, key))
                    {
                        (entry.set)(&mut self.setup, Value::Number(number));
                    }
                }
            }
        }
        if self.setup.world.is_none() && !reader.has_faults() {
            reader.fault(section.at, "[world] has no size; add `size = [400, 400]`");
        }
        match (agents, has_groups) {
            (Some(agents), false) => self.setup.agents = agents as u32,
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

    /// Radii that the file does not state leave most of the world free. Then all values of the world
    /// are checked.
    fn radii(&mut self, reader: &mut Reader<'_>, section: &TomlEntry<'_>) {
        let stated =
            reader.entries(section.value, "world").iter().any(|entry| entry.key == "radius");
        let area = self.setup.world.map_or(1.0, |size| size.x * size.y);
        if !stated {
            // As much as scenes cover.
            let most =
                (0.3 * area / (std::f32::consts::PI * 0.58 * self.setup.agents as f32)).sqrt();
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
        let covered =
            std::f32::consts::PI * 0.5 * (squares[0] + squares[1]) * self.setup.agents as f32;
        self.setup.density = (covered / area).clamp(f32::MIN_POSITIVE, crate::limits::DENSITY_MAX);
        if !reader.has_faults() {
            let checked = self.setup.check_rolling().and_then(|()| {
                if self.groups.is_empty() { self.setup.validate() } else { self.setup.numbers() }
            });
            if let Err(error) = checked {
                let at = place_of(reader, section, &error);
                reader.fault(at, error.to_string());
            }
        }
    }

    fn view(&mut self, reader: &mut Reader<'_>, section: &TomlEntry<'_>, names: ViewNames<'_>) {
        for entry in reader.known(section.value, "view", &["color_by", "palette"]) {
            match entry.key {
                "color_by" => {
                    self.view.color_by = reader.choice(entry.value, "color mode", names.color_by);
                }
                "palette" => {
                    self.view.palette = reader.choice(entry.value, "palette", names.palette);
                }
                _ => {}
            }
        }
    }

    /// True if the file says where its agents are.
    pub(crate) fn has_groups(&self) -> bool {
        !self.groups.is_empty()
    }

    /// The bounds of the world.
    pub(super) fn bounds(&self) -> Rect {
        self.setup.world()
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
