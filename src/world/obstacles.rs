//! The sections `[[static]]`: discs, boxes, capsules, and polylines, which are built of other statics.
//!
//! ```text
//!  ╭──────────────╮
//!  │              │    a polyline: a box for each part along x or y, with a disc at its ends, and a
//!  ╰───────────╮  │    capsule for any other: round caps, and corners that are round outside, so that
//!              │  │    nothing catches on them
//! ```

use std::{ops::Range, sync::Arc};

use glam::Vec2;
use toml::de::DeValue;

use super::{
    reader::{Item, Reader, TomlEntry, array},
    tables::{TableKind, TableReader, TableRequest},
};
use crate::{
    geometry::{Disc, Rect},
    rules::GroupTable,
    statics::Static,
};

const KEYS: [&str; 7] = ["disc", "box", "capsule", "polyline", "from", "thickness", "rectangle"];

/// The keys of a static that are shapes, and a sentence of them.
const SHAPES: [&str; 5] = ["disc", "box", "capsule", "polyline", "from"];
const ONE_SHAPE: &str = "one of disc, box, capsule, polyline and from";

impl Reader<'_> {
    /// The obstacles, and the tables of their points.
    pub(super) fn statics(
        &mut self,
        section: &TomlEntry<'_>,
        world: Rect,
        reader: Option<TableReader<'_>>,
    ) -> (Vec<Static>, Vec<Arc<GroupTable>>) {
        let (mut statics, mut tables) = (Vec::new(), Vec::new());
        for item in self.tables_of(section.value, "static", section.at) {
            let before = self.count_faults();
            let entries = self.known(item, "static", &KEYS);
            let is_shape = |entry: &&TomlEntry<'_>| SHAPES.contains(&entry.key);
            if entries.iter().filter(is_shape).count() != 1 {
                if self.count_faults() == before {
                    self.wrong(item, "static", ONE_SHAPE);
                }
                continue;
            }
            let begin = statics.len();
            let thickness = entries.iter().find(|entry| entry.key == "thickness");
            for entry in &entries {
                match entry.key {
                    "disc" => {
                        let disc = self.numbers(entry.value, "disc", "[x, y, radius]");
                        statics.extend(disc.map(|[x, y, radius]| {
                            Static::Disc(Disc { center: Vec2::new(x, y), radius })
                        }));
                    }
                    "box" => {
                        let numbers =
                            self.numbers(entry.value, "box", "[left, bottom, right, top]");
                        statics.extend(numbers.map(|[left, bottom, right, top]| {
                            Static::Box(Rect::new(Vec2::new(left, bottom), Vec2::new(right, top)))
                        }));
                    }
                    "capsule" => {
                        let numbers = self.numbers(entry.value, "capsule", "[x, y, x, y, radius]");
                        statics.extend(numbers.map(|[left, bottom, right, top, radius]| {
                            Static::capsule(
                                [Vec2::new(left, bottom), Vec2::new(right, top)],
                                radius,
                            )
                        }));
                    }
                    "polyline" | "from" => {
                        let Some(thickness) = thickness else {
                            self.fault(entry.at, "a polyline has a thickness; add `thickness = 1`");
                            continue;
                        };
                        let Some(thickness) = self.thickness(thickness.value) else { continue };
                        let frame = self.frame(&entries, entry, world);
                        let (shapes, table) = self.part(entry, thickness, frame, world, reader);
                        statics.extend(shapes);
                        tables.extend(table);
                    }
                    _ => continue,
                }
                // Where a world is large, what is thin has no extent in its numbers.
                let error = statics[begin..].iter().find_map(|shape| shape.check(&world).err());
                if let Some(error) = error {
                    self.fault(entry.value.span().start, error.to_string());
                }
            }
            if let Some(entry) = entries.iter().find(|entry| entry.key == "rectangle")
                && !entries.iter().any(|entry| entry.key == "from" && is_drawing(entry.value))
            {
                self.fault(entry.at, "`rectangle` belongs to drawings; remove it");
            }
            if let Some(entry) = thickness
                && !entries.iter().any(|entry| matches!(entry.key, "polyline" | "from"))
            {
                self.fault(entry.at, "`thickness` belongs to polylines; remove it");
            }
        }
        (statics, tables)
    }

    /// The rectangle into which a drawing fits, if the file states one.
    fn frame(
        &mut self,
        entries: &[TomlEntry<'_>],
        from: &TomlEntry<'_>,
        world: Rect,
    ) -> Option<Rect> {
        let entry = entries.iter().find(|entry| entry.key == "rectangle")?;
        if !is_drawing(from.value) {
            return None;
        }
        let numbers = self.numbers(entry.value, "rectangle", "[left, bottom, right, top]")?;
        let [left, bottom, right, top] = numbers;
        let frame = Rect::new(Vec2::new(left, bottom), Vec2::new(right, top));
        if left < right && bottom < top && world.contains_rect(&frame) {
            return Some(frame);
        }
        let Vec2 { x, y } = world.max;
        let expected = format!(
            "[left, bottom, right, top] in the world, 0 to {x} and 0 to {y}, with an extent"
        );
        self.wrong(entry.value, "rectangle", &expected);
        None
    }

    fn thickness(&mut self, item: &Item<'_>) -> Option<f32> {
        let thickness = self.number(item, "thickness")?;
        if 0.5 * thickness > 0.0 {
            return Some(thickness);
        }
        self.wrong(item, "thickness", "a number above 0");
        None
    }

    /// The statics of a polyline, and the table that its points are in.
    fn part(
        &mut self,
        entry: &TomlEntry<'_>,
        thickness: f32,
        frame: Option<Rect>,
        world: Rect,
        reader: Option<TableReader<'_>>,
    ) -> (Vec<Static>, Option<Arc<GroupTable>>) {
        let TomlEntry { key, value, at, .. } = *entry;
        if key == "polyline" {
            let points = self.points(value).unwrap_or_default();
            let statics = polyline(&points, thickness, world).unwrap_or_else(|faults| {
                for (number, expected) in faults {
                    if let Some(item) = array(value).and_then(|items| items.get(number)) {
                        self.wrong(item, "the point", &expected);
                    }
                }
                Vec::new()
            });
            return (statics, None);
        }
        let Some(table) = self.points_of_table(value, world, reader) else {
            return (Vec::new(), None);
        };
        let frame = frame.unwrap_or_else(|| world.expanded(-0.5 * thickness));
        let (mut statics, mut wrong) = (Vec::new(), Vec::new());
        for rows in table.lines() {
            let (rows, points) = placed(&table, rows, thickness, &frame);
            match polyline(&points, thickness, world) {
                Ok(line) => statics.extend(line),
                Err(faults) => wrong.extend(
                    faults.into_iter().map(|(at, expected)| (rows[at], points[at], expected)),
                ),
            }
        }
        if let Some((row, Vec2 { x, y }, expected)) = wrong.first() {
            let what = format!("point {} of {}, [{x}, {y}], can't be used", row + 1, table.file);
            let more = wrong.len() - 1;
            let more = if more > 0 { format!(" ({more} more can't be)") } else { String::new() };
            self.fault(at, format!("{what}: expected {expected}{more}"));
        }
        (statics, Some(table))
    }

    /// The points of a polyline that the file has; none if one is wrong.
    fn points(&mut self, item: &Item<'_>) -> Option<Vec<Vec2>> {
        let Some(items) = array(item).filter(|items| items.len() > 1) else {
            self.wrong(item, "polyline", "two or more points [[x, y], [x, y]]");
            return None;
        };
        let all = items.iter().map(|item| self.numbers(item, "the point", "two numbers [x, y]"));
        let all: Vec<Option<[f32; 2]>> = all.collect();
        all.into_iter().map(|point| point.map(Vec2::from)).collect()
    }

    /// The points of a polyline in another file; none if it is not read.
    fn points_of_table(
        &mut self,
        item: &Item<'_>,
        world: Rect,
        tables: Option<TableReader<'_>>,
    ) -> Option<Arc<GroupTable>> {
        let (file, kind) = self.file(item)?;
        if kind == TableKind::Picture {
            let expected = "a table of points, or a drawing in SVG";
            self.wrong(item, "from", expected);
            return None;
        }
        let size = world.size().to_array();
        match tables?.0(TableRequest { file, kind, size, species: &[], columns: &[] }) {
            Ok(table) if table.x.len() > 1 => Some(Arc::new(table)),
            Ok(_) => {
                self.wrong(item, "from", "a file of two or more points");
                None
            }
            Err(why) => {
                self.fault(item.span().start, why);
                None
            }
        }
    }
}

/// True if a value names a drawing.
fn is_drawing(item: &Item<'_>) -> bool {
    matches!(item.get_ref(), DeValue::String(file) if TableKind::of(file) == TableKind::Drawing)
}

/// The points of a line of a table in the world, and their rows. Those of a drawing that are closer
/// to each other than a wall needs are one.
fn placed(
    table: &GroupTable,
    rows: Range<usize>,
    thickness: f32,
    frame: &Rect,
) -> (Vec<usize>, Vec<Vec2>) {
    let near = if table.size.is_some() { 0.01 * thickness } else { -1.0 };
    let (mut kept, mut points) = (Vec::new(), Vec::<Vec2>::new());
    for row in rows.clone() {
        let point = table.place(row, frame);
        // The last one closes the line where it is the first.
        if points.last().is_some_and(|last| last.distance(point) <= near) {
            if row + 1 < rows.end || points.len() < 2 {
                continue;
            }
            kept.pop();
            points.pop();
        }
        kept.push(row);
        points.push(point);
    }
    (kept, points)
}

/// The statics of a polyline. At the border of the world, a part along x or y ends without a cap.
///
/// # Errors
/// The points that can't be used: their numbers, and what is expected in their place.
fn polyline(
    points: &[Vec2],
    thickness: f32,
    world: Rect,
) -> Result<Vec<Static>, Vec<(usize, String)>> {
    let (mut statics, mut faults) = (Vec::new(), Vec::new());
    let radius = 0.5 * thickness;
    let is_slanted = |one: Vec2, other: Vec2| one.x != other.x && one.y != other.y;
    let is_closed = points.first() == points.last();
    let part = |number: usize| points.get(number).zip(points.get(number + 1));
    let last = points.len().saturating_sub(2);
    for (number, &point) in points.iter().enumerate() {
        if !world.contains(point) {
            let Vec2 { x, y } = world.max;
            faults.push((number, format!("one in the world, 0 to {x} and 0 to {y}")));
            continue;
        }
        let before = number.checked_sub(1).and_then(part);
        if let Some((&from, _)) = before {
            let along = point - from;
            if along == Vec2::ZERO {
                let expected = "another place than that of the point before";
                faults.push((number, expected.to_owned()));
                continue;
            }
            if is_slanted(from, point) {
                let leaves = |&at: &usize| {
                    !world.contains_rect(&Rect::around(points[at], radius))
                        && faults.last().is_none_or(|&(last, _)| last != at)
                };
                let outside: Vec<usize> = [number - 1, number].into_iter().filter(leaves).collect();
                for at in outside {
                    let far = "at the ends of a slanted part, one at least half of the thickness \
                               away from the border";
                    let first = "a part along x or y may reach it";
                    faults.push((at, format!("{far}, {radius}; {first}")));
                }
                statics.push(Static::capsule([from, point], radius));
            } else {
                let across = if along.x == 0.0 { Vec2::X } else { Vec2::Y } * radius;
                statics.push(Static::Box(Rect::new(
                    (from.min(point) - across).max(world.min),
                    (from.max(point) + across).min(world.max),
                )));
            }
        }
        // The ends of slanted parts are round themselves, and a polyline that ends where it begins
        // has one disc there.
        let at_end = is_closed && (number == 0 || number == last + 1);
        let near =
            [before, part(number), part(0).filter(|_| at_end), part(last).filter(|_| at_end)];
        let is_round = near.into_iter().flatten().any(|(&one, &other)| is_slanted(one, other));
        let cap = Static::disc(point, radius);
        if !is_round
            && statics.first() != Some(&cap)
            && world.contains_rect(&Rect::around(point, radius))
        {
            statics.push(cap);
        }
    }
    if faults.is_empty() { Ok(statics) } else { Err(faults) }
}
