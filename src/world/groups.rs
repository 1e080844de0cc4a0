//! The sections `[[group]]`: where agents are.

use std::sync::Arc;

use glam::Vec2;
use toml::de::DeValue;

use super::{
    reader::{Item, Reader, TomlEntry, array},
    tables::{TableKind, TableReader, TableRequest},
};
use crate::{
    geometry::Rect,
    limits::{RADIUS_MAX, RADIUS_MIN},
    rules::{Formulas, GroupTable, PlacedProgram},
};

/// Where the agents of a group are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum GroupShape {
    /// Anywhere in a rectangle.
    Rectangle(Rect),
    /// Anywhere in a ring; a disc has no inner radius.
    Ring { center: Vec2, inner: f32, outer: f32 },
    /// In rows and columns, evenly.
    Lattice(Rect),
    /// In a row from one point to the other.
    Line([Vec2; 2]),
    /// Where a table says.
    Table,
    /// In the dark pixels of a picture, which fits into a rectangle.
    Picture(Rect),
}

/// Agents that begin together.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WorldGroup {
    pub(super) agents: u32,
    pub(super) shape: GroupShape,
    /// The share of each species; none if the shares of all agents hold.
    pub(super) species: Option<Vec<f32>>,
    pub(super) radius: Option<[f32; 2]>,
    /// Velocities and own columns by formulas.
    pub(super) program: Option<Arc<PlacedProgram>>,
    pub(super) table: Option<Arc<GroupTable>>,
}

const GROUP_KEYS: [&str; 11] = [
    "agents",
    "from",
    "rectangle",
    "disc",
    "ring",
    "lattice",
    "line",
    "species",
    "velocity",
    "radius",
    "columns",
];

/// What a box is.
const BOX: &str = "[left, bottom, right, top]";

/// The keys among them that are shapes.
const SHAPES: &str = "one of rectangle, disc, ring, lattice, line and from";

impl Reader<'_> {
    /// The groups of agents.
    pub(super) fn groups(
        &mut self,
        section: &TomlEntry<'_>,
        formulas: &Formulas,
        world: Rect,
        tables: Option<TableReader<'_>>,
    ) -> Vec<WorldGroup> {
        let items = self.tables_of(section.value, "group", section.at);
        items.iter().filter_map(|item| self.group(item, formulas, world, tables)).collect()
    }

    fn group(
        &mut self,
        item: &Item<'_>,
        formulas: &Formulas,
        world: Rect,
        tables: Option<TableReader<'_>>,
    ) -> Option<WorldGroup> {
        let (mut agents, mut shape, mut species) = (None, None, None);
        let (mut velocity, mut radius, mut columns) = (None, None, Vec::new());
        let (mut table, mut from, at) = (None, None, item.span().start);
        for entry in self.known(item, "group", &GROUP_KEYS) {
            let value = entry.value;
            match entry.key {
                "agents" => agents = self.count(value, "agents", 1..1_000_000_001),
                "species" => species = self.shares(value, formulas),
                "velocity" => velocity = self.formula_pair(value, "velocity"),
                "from" => {
                    match self.file(value) {
                        Some((_, kind)) => from = Some((kind, entry.at)),
                        None => shape = Some(None),
                    }
                    table = self.table(value, formulas, world, tables);
                }
                "radius" => radius = self.radius(value),
                "columns" => {
                    for part in self.entries(value, "columns") {
                        let known: Vec<&str> =
                            formulas.columns.iter().map(String::as_str).collect();
                        match known.iter().position(|name| *name == part.key) {
                            Some(column) => {
                                let formula = self.formula(part.value, part.key);
                                columns.extend(formula.map(|formula| (column, formula)));
                            }
                            None => self.unknown(&part, "column", &known),
                        }
                    }
                }
                key if GROUP_KEYS.contains(&key) => {
                    let found = self.shape(key, value);
                    if found.is_some_and(|found| !world.contains_rect(&found.bounds())) {
                        let size = world.size();
                        let expected =
                            format!("a place in the world, 0 to {} and 0 to {}", size.x, size.y);
                        self.wrong(value, key, &expected);
                    }
                    if shape.replace(found).is_some() {
                        self.fault(entry.at, format!("a group has two places: expected {SHAPES}"));
                    }
                }
                _ => {}
            }
        }
        if let Some(from) = from {
            shape = Some(self.shape_of_file(from, shape.is_some(), shape.flatten(), world));
        }
        if shape == Some(Some(GroupShape::Table)) {
            self.stated_twice(item, table.as_deref());
            agents = Some(table.as_ref().map_or(1, |table| table.x.len() as u64));
        }
        if agents.is_none() && !self.has_faults() {
            self.fault(at, "a group has no number of agents; add `agents = 1000`");
        }
        if shape.is_none() {
            self.fault(at, format!("a group has no place: expected {SHAPES}"));
        }
        let mut program = None;
        if velocity.is_some() || !columns.is_empty() {
            match formulas.placed(velocity.as_ref(), &columns) {
                Ok(compiled) => program = Some(Arc::new(compiled)),
                Err(faults) => self.formulas(faults),
            }
        }
        if let Some(radii) = table.as_ref().and_then(|table| table.radius.as_ref()) {
            let least = radii.iter().copied().fold(f32::MAX, f32::min);
            radius = Some([least, radii.iter().copied().fold(least, f32::max)]);
        }
        let (agents, shape) = (agents? as u32, shape??);
        Some(WorldGroup { agents, shape, species, radius, program, table })
    }

    /// Where the agents of a file are; a group may have a place beside it, which may be wrong.
    fn shape_of_file(
        &mut self,
        (kind, at): (TableKind, usize),
        has_place: bool,
        place: Option<GroupShape>,
        world: Rect,
    ) -> Option<GroupShape> {
        match (kind, place) {
            (_, None) if has_place => {}
            (TableKind::Table, None) => return Some(GroupShape::Table),
            (TableKind::Picture, None) => return Some(GroupShape::Picture(world)),
            (TableKind::Picture, Some(GroupShape::Rectangle(frame))) => {
                return Some(GroupShape::Picture(frame));
            }
            (TableKind::Drawing, _) => {
                let expected = "expected a table with a row for each agent, or a picture in PNG";
                self.fault(at, format!("a drawing has lines, and no agents: {expected}"));
            }
            (TableKind::Picture, _) => {
                self.fault(at, "a picture lies in a `rectangle`; remove the other place");
            }
            (TableKind::Table, _) => {
                self.fault(at, format!("a group has two places: expected {SHAPES}"));
            }
        }
        None
    }

    /// The name of another file, and what it is.
    pub(super) fn file<'t>(&mut self, item: &'t Item<'t>) -> Option<(&'t str, TableKind)> {
        let file = self.string(item, "from", "the name of a file in quotes")?;
        Some((file, TableKind::of(file)))
    }

    /// The agents of a table, if it is read.
    fn table(
        &mut self,
        item: &Item<'_>,
        formulas: &Formulas,
        world: Rect,
        tables: Option<TableReader<'_>>,
    ) -> Option<Arc<GroupTable>> {
        let DeValue::String(file) = item.get_ref() else { return None };
        let kind = TableKind::of(file);
        if kind == TableKind::Drawing {
            return None;
        }
        let Formulas { species, columns, .. } = formulas;
        let size = world.size().to_array();
        match tables?.0(TableRequest { file, kind, size, species, columns }) {
            Ok(table) => Some(Arc::new(table)),
            Err(why) => {
                self.fault(item.span().start, why);
                None
            }
        }
    }

    /// Adds a fault for each key that says what a table says already.
    fn stated_twice(&mut self, item: &Item<'_>, table: Option<&GroupTable>) {
        let Some(table) = table else { return };
        for entry in self.entries(item, "group") {
            let column = match entry.key {
                "agents" => Some("a row for each agent"),
                "velocity" => table.velocity.as_ref().map(|_| "vx and vy"),
                "radius" => table.radius.as_ref().map(|_| "radius"),
                "species" => table.species.as_ref().map(|_| "species"),
                _ => None,
            };
            if let Some(column) = column {
                let message = format!("`{}` has no effect, as the file has {column}", entry.key);
                self.fault(entry.at, format!("{message}; remove one of them"));
            }
        }
    }

    fn shape(&mut self, key: &str, item: &Item<'_>) -> Option<GroupShape> {
        let rect = |[left, bottom, right, top]: [f32; 4]| {
            let rect = Rect::new(Vec2::new(left, bottom), Vec2::new(right, top));
            (right >= left && top >= bottom).then_some(rect)
        };
        let shape = match key {
            "rectangle" => rect(self.numbers(item, key, BOX)?).map(GroupShape::Rectangle),
            "lattice" => rect(self.numbers(item, key, BOX)?).map(GroupShape::Lattice),
            "disc" => {
                let [x, y, outer] = self.numbers(item, key, "[x, y, radius]")?;
                (outer > 0.0).then_some(GroupShape::Ring {
                    center: Vec2::new(x, y),
                    inner: 0.0,
                    outer,
                })
            }
            "ring" => {
                let [x, y, inner, outer] =
                    self.numbers(item, key, "[x, y, inner radius, outer radius]")?;
                let center = Vec2::new(x, y);
                (inner >= 0.0 && outer > inner).then_some(GroupShape::Ring { center, inner, outer })
            }
            _ => {
                let [x, y, to_x, to_y] = self.numbers(item, key, "[x, y, to x, to y]")?;
                Some(GroupShape::Line([Vec2::new(x, y), Vec2::new(to_x, to_y)]))
            }
        };
        if shape.is_none() {
            self.wrong(item, key, "a size of more than 0");
        }
        shape
    }

    /// One species, or shares of several.
    fn shares(&mut self, item: &Item<'_>, formulas: &Formulas) -> Option<Vec<f32>> {
        let mut shares = vec![0.0; formulas.species.len()];
        if array(item).is_none() && matches!(item.get_ref(), DeValue::String(_)) {
            shares[usize::from(self.species(item, formulas)?)] = 1.0;
            return Some(shares);
        }
        for entry in self.entries(item, "species") {
            let known: Vec<&str> = formulas.species.iter().map(String::as_str).collect();
            match known.iter().position(|name| *name == entry.key) {
                Some(of) => shares[of] = self.share(entry.value)?,
                None => self.unknown(&entry, "species", &known),
            }
        }
        if shares.iter().sum::<f32>() > 0.0 {
            return Some(shares);
        }
        self.wrong(item, "species", "shares of which one is above 0");
        None
    }

    /// A share of the agents.
    pub(super) fn share(&mut self, item: &Item<'_>) -> Option<f32> {
        let share = self.number(item, "share")?;
        if (0.0..=1e9).contains(&share) {
            return Some(share);
        }
        self.wrong(item, "share", "0 to 1e9");
        None
    }

    /// A radius, or the smallest and the largest.
    pub(super) fn radius(&mut self, item: &Item<'_>) -> Option<[f32; 2]> {
        const EXPECTED: &str = "a number above 0, or two that ascend [0.5, 1]";
        let radii = if array(item).is_some() {
            self.numbers::<2>(item, "radius", EXPECTED)?
        } else {
            [self.number(item, "radius")?; 2]
        };
        if !(radii[0] > 0.0 && radii[0] <= radii[1]) {
            self.wrong(item, "radius", EXPECTED);
            return None;
        }
        if radii[0] < RADIUS_MIN || radii[1] > RADIUS_MAX {
            let expected = format!("{RADIUS_MIN:e} to {RADIUS_MAX:e}");
            self.wrong(item, "radius", &expected);
            return None;
        }
        Some(radii)
    }
}

impl GroupShape {
    /// What people call it.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Rectangle(_) => "rectangle",
            Self::Ring { inner: 0.0, .. } => "disc",
            Self::Ring { .. } => "ring",
            Self::Lattice(_) => "lattice",
            Self::Line(_) => "line",
            Self::Table => "table",
            Self::Picture(_) => "picture",
        }
    }

    /// The rectangle around it.
    pub(super) fn bounds(&self) -> Rect {
        match *self {
            Self::Rectangle(rect) | Self::Lattice(rect) | Self::Picture(rect) => rect,
            Self::Ring { center, outer, .. } => Rect::around(center, outer),
            Self::Line([from, to]) => Rect::new(from.min(to), from.max(to)),
            Self::Table => Rect::new(Vec2::ZERO, Vec2::ZERO),
        }
    }
}
