//! The sections `[[static]]`: discs, boxes, and polylines, which are built of both.
//!
//! ```text
//!  ╭──────────────╮
//!  │              │    a polyline: a box for each part, and a disc at each point: round caps, and
//!  ╰───────────╮  │    corners that are round outside, so that nothing catches on them
//!              │  │
//! ```

use glam::Vec2;

use super::reader::{Item, Reader, array};
use crate::{
    geometry::{Disc, Rect},
    statics::Static,
};

/// The keys of a static that are shapes.
const SHAPES: &str = "one of disc, box and polyline";

impl Reader<'_> {
    /// The obstacles.
    pub(super) fn statics(&mut self, item: &Item<'_>, world: Rect) -> Vec<Static> {
        let Some(items) = array(item) else {
            self.wrong(item, "static", "tables [[static]]");
            return Vec::new();
        };
        let mut statics = Vec::new();
        for item in items {
            let entries = self.known(item, "static", &["disc", "box", "polyline", "thickness"]);
            let shapes = entries.iter().filter(|entry| entry.key != "thickness").count();
            if shapes != 1 {
                self.wrong(item, "static", SHAPES);
                continue;
            }
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
                    "polyline" => {
                        let Some(thickness) = thickness else {
                            self.fault(entry.at, "a polyline has a thickness; add `thickness = 1`");
                            continue;
                        };
                        let Some(thickness) = self.thickness(thickness.value) else { continue };
                        statics.extend(self.polyline(entry.value, thickness, world));
                    }
                    _ => {}
                }
            }
            if let Some(entry) = thickness
                && !entries.iter().any(|entry| entry.key == "polyline")
            {
                self.fault(entry.at, "`thickness` belongs to polylines; remove it");
            }
        }
        statics
    }

    fn thickness(&mut self, item: &Item<'_>) -> Option<f32> {
        let thickness = self.number(item, "thickness")?;
        if thickness > 0.0 {
            return Some(thickness);
        }
        self.wrong(item, "thickness", "a number above 0");
        None
    }

    /// The boxes and discs of a polyline. At the border of the world it ends without a cap.
    fn polyline(&mut self, item: &Item<'_>, thickness: f32, world: Rect) -> Vec<Static> {
        const EXPECTED: &str = "two or more points [[x, y], [x, y]]";
        let Some(items) = array(item).filter(|items| items.len() > 1) else {
            self.wrong(item, "polyline", EXPECTED);
            return Vec::new();
        };
        let (mut statics, mut before) = (Vec::new(), None);
        let radius = 0.5 * thickness;
        for item in items {
            let Some(point) = self.numbers::<2>(item, "the point", "two numbers [x, y]") else {
                continue;
            };
            let point = Vec2::from(point);
            if !world.contains(point) {
                let Vec2 { x, y } = world.max;
                self.wrong(item, "the point", &format!("one in the world, 0 to {x} and 0 to {y}"));
                continue;
            }
            if let Some(from) = before.replace(point) {
                let along: Vec2 = point - from;
                let across = match (along.x == 0.0, along.y == 0.0) {
                    (true, false) => Vec2::new(radius, 0.0),
                    (false, true) => Vec2::new(0.0, radius),
                    (true, true) => {
                        self.wrong(
                            item,
                            "the point",
                            "another place than that of the point before",
                        );
                        continue;
                    }
                    (false, false) => {
                        self.wrong(item, "the point", "a part along x or along y");
                        continue;
                    }
                };
                statics.push(Static::Box(Rect::new(
                    (from.min(point) - across).max(world.min),
                    (from.max(point) + across).min(world.max),
                )));
            }
            // A polyline that ends where it begins has one disc there.
            let cap = Static::disc(point, radius);
            if statics.first() != Some(&cap) && world.contains_rect(&Rect::around(point, radius)) {
                statics.push(cap);
            }
        }
        statics
    }
}
