//! The sections `[[group]]` and `[[static]]`: where agents and obstacles are.

use glam::Vec2;

use super::reader::{Item, Reader, array};
use crate::{
    geometry::{Disc, Rect},
    rules::Formulas,
    statics::Static,
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
}

/// Agents that begin together.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WorldGroup {
    pub(super) agents: u32,
    pub(super) shape: GroupShape,
    /// The share of each species; none if the shares of all agents hold.
    pub(super) species: Option<Vec<f32>>,
    pub(super) velocity: Option<Vec2>,
    pub(super) radius: Option<[f32; 2]>,
    /// Values of own columns, by their index.
    pub(super) columns: Vec<(usize, f32)>,
}

const GROUP_KEYS: [&str; 10] = [
    "agents",
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
const SHAPES: &str = "one of rectangle, disc, ring, lattice and line";

impl Reader<'_> {
    /// The groups of agents.
    pub(super) fn groups(
        &mut self,
        item: &Item<'_>,
        formulas: &Formulas,
        world: Rect,
    ) -> Vec<WorldGroup> {
        let Some(items) = array(item) else {
            self.wrong(item, "group", "tables [[group]]");
            return Vec::new();
        };
        items.iter().filter_map(|item| self.group(item, formulas, world)).collect()
    }

    fn group(&mut self, item: &Item<'_>, formulas: &Formulas, world: Rect) -> Option<WorldGroup> {
        let (mut agents, mut shape, mut species) = (None, None, None);
        let (mut velocity, mut radius, mut columns) = (None, None, Vec::new());
        let at = item.span().start;
        for entry in self.known(item, "group", &GROUP_KEYS) {
            let value = entry.value;
            match entry.key {
                "agents" => agents = self.count(value, "agents", 1..1_000_000_001),
                "species" => species = self.shares(value, formulas),
                "velocity" => {
                    velocity = self
                        .numbers::<2>(value, "velocity", "two numbers [vx, vy]")
                        .map(Vec2::from);
                }
                "radius" => radius = self.radius(value),
                "columns" => {
                    for part in self.entries(value, "columns") {
                        let known: Vec<&str> =
                            formulas.columns.iter().map(String::as_str).collect();
                        match known.iter().position(|name| *name == part.key) {
                            Some(column) => {
                                columns
                                    .extend(self.number(part.value, part.key).map(|n| (column, n)));
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
        if agents.is_none() && !self.has_faults() {
            self.fault(at, "a group has no number of agents; add `agents = 1000`");
        }
        if shape.is_none() {
            self.fault(at, format!("a group has no place: expected {SHAPES}"));
        }
        let (agents, shape) = (agents? as u32, shape??);
        Some(WorldGroup { agents, shape, species, velocity, radius, columns })
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
        if array(item).is_none() && matches!(item.get_ref(), toml::de::DeValue::String(_)) {
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
        if radii[0] > 0.0 && radii[0] <= radii[1] {
            return Some(radii);
        }
        self.wrong(item, "radius", EXPECTED);
        None
    }

    /// The obstacles.
    pub(super) fn statics(&mut self, item: &Item<'_>) -> Vec<Static> {
        let Some(items) = array(item) else {
            self.wrong(item, "static", "tables [[static]]");
            return Vec::new();
        };
        let mut statics = Vec::new();
        for item in items {
            let entries = self.known(item, "static", &["disc", "box"]);
            if entries.len() != 1 {
                self.wrong(item, "static", "one of disc and box");
            }
            for entry in entries {
                let found = match entry.key {
                    "disc" => {
                        let disc = self.numbers(entry.value, "disc", "[x, y, radius]");
                        disc.map(|[x, y, radius]| {
                            Static::Disc(Disc { center: Vec2::new(x, y), radius })
                        })
                    }
                    "box" => {
                        let numbers =
                            self.numbers(entry.value, "box", "[left, bottom, right, top]");
                        numbers.map(|[left, bottom, right, top]| {
                            Static::Box(Rect::new(Vec2::new(left, bottom), Vec2::new(right, top)))
                        })
                    }
                    _ => None,
                };
                statics.extend(found);
            }
        }
        statics
    }
}

impl GroupShape {
    /// The rectangle around it.
    fn bounds(&self) -> Rect {
        match *self {
            Self::Rectangle(rect) | Self::Lattice(rect) => rect,
            Self::Ring { center, outer, .. } => Rect::around(center, outer),
            Self::Line([from, to]) => Rect::new(from.min(to), from.max(to)),
        }
    }
}
