//! The mini-map: the whole world in the lower right corner, with the border of the visible part.
//!
//! It shows the share of the ground that agents cover. A sample of the small agents is measured: they
//! are in cell order, so every k-th of them is spread like all of them. Each agent that is larger than a
//! field of the map is drawn. So the map costs little more than a pass over the radii, and is always
//! current.

use glam::Vec2;

use super::{DARK_BACKING, HudCanvas, PixelRect};
use crate::{
    geometry::Rect,
    raster::{OverlayCanvas, Stroke, View},
    statics::{Static, Statics},
};

/// Largest extent, and distance from the border of the frame, in points.
const SIDES: Vec2 = Vec2::new(200.0, 120.0);
const MARGIN: f32 = 8.0;

/// Largest share of a side of the frame: a small window has no map.
const SHARE: f32 = 0.34;

/// Side of a field in which cover is measured, pixels, and the largest number of small agents measured.
const FIELD: f32 = 2.0;
const SAMPLE: usize = 32_768;

/// Radii that are compared at once.
const CHUNK: usize = 64;

const AGENTS: [u8; 3] = [150, 172, 226];
const BORDER: Stroke = Stroke::new([88, 98, 130]);
const VIEW: Stroke = Stroke::new([255, 196, 64]);

/// Smallest side of the border of the visible part, pixels.
const VIEW_LEAST: f32 = 5.0;

/// Where the map is in the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::window) struct MapPlace {
    corner: Vec2,
    size: Vec2,
    world: Rect,
}

impl MapPlace {
    /// The place of the map in a frame; `None` if the frame is too small.
    pub(in crate::window) fn new(world: Rect, frame: Vec2, scale: f32) -> Option<Self> {
        let most = (SIDES * scale / world.size()).min_element();
        let size = (world.size() * most).round().max(Vec2::splat(8.0));
        let corner = frame - size - MARGIN * scale;
        size.cmple(frame * SHARE).all().then_some(Self { corner, size, world })
    }

    /// True for a pixel of the map.
    pub(in crate::window) fn contains(&self, pixel: Vec2) -> bool {
        Rect::new(self.corner, self.corner + self.size).contains(pixel)
    }

    /// The world point under a pixel.
    pub(in crate::window) fn to_world(self, pixel: Vec2) -> Vec2 {
        let share = (pixel - self.corner) / self.size;
        self.world.min + Vec2::new(share.x, 1.0 - share.y) * self.world.size()
    }

    fn to_pixel(self, point: Vec2) -> Vec2 {
        let share = (point - self.world.min) / self.world.size();
        self.corner + Vec2::new(share.x, 1.0 - share.y) * self.size
    }
}

/// Measures the cover of agents. It keeps its memory from frame to frame.
#[derive(Debug, Default)]
pub(in crate::window) struct Minimap {
    /// Share of each field that agents cover.
    cover: Vec<f32>,
}

impl Minimap {
    /// Draws the map, with the part of the world that is `seen`, and statics of color `fixed`.
    pub(in crate::window) fn draw(
        &mut self,
        canvas: &mut HudCanvas<'_>,
        place: MapPlace,
        seen: Rect,
        view: &View<'_>,
        fixed: [u8; 3],
    ) {
        let [x, y, width, height] =
            [place.corner.x, place.corner.y, place.size.x, place.size.y].map(|side| side as u32);
        canvas.begin_block("map", PixelRect { x, y, width, height }, DARK_BACKING);
        let shapes = &mut canvas.shapes;
        if let Some(statics) = view.statics {
            draw_statics(shapes, place, statics, Stroke::new(fixed));
        }
        let columns = (place.size.x / FIELD).ceil() as usize;
        let mean = self.measure(place, columns, view);
        for (field, &cover) in self.cover.iter().enumerate().filter(|(_, cover)| **cover > 0.0) {
            let at = Vec2::new((field % columns) as f32, (field / columns) as f32) * FIELD;
            let min = place.corner.floor() + at;
            let max = (min + FIELD).min(place.corner.floor() + place.size);
            let opacity = cover / (cover + 1.5 * mean);
            shapes.fill([min, max], Stroke { color: AGENTS, opacity });
        }
        let corner = place.corner.floor();
        shapes.outline([corner - 1.0, corner + place.size + 1.0], 1.0, BORDER);
        let (low, high) = (place.to_pixel(seen.min), place.to_pixel(seen.max));
        let middle = (low + high) * 0.5;
        let half = ((high - low).abs() * 0.5).max(Vec2::splat(VIEW_LEAST * 0.5));
        let inside = |corner: Vec2| corner.clamp(place.corner, place.corner + place.size).round();
        shapes.outline([inside(middle - half), inside(middle + half)], 1.0, VIEW);
    }

    /// Measures the share of each field that agents cover; returns the mean share.
    fn measure(&mut self, place: MapPlace, columns: usize, view: &View<'_>) -> f32 {
        let View { agents, space, .. } = view;
        let rows = (place.size.y / FIELD).ceil() as usize;
        self.cover.clear();
        self.cover.resize(columns * rows, 0.0);
        let fields_per_unit = place.size.x / place.world.width() / FIELD;
        let large = 0.5 / fields_per_unit;
        let center = |slot: usize| space.wrapped(Vec2::new(agents.x[slot], agents.y[slot]));
        let field = |center: Vec2| (place.to_pixel(center) - place.corner) / FIELD;
        let stride = agents.len() / SAMPLE + 1;
        let share = std::f32::consts::PI * fields_per_unit * fields_per_unit * stride as f32;
        for slot in (0..agents.len()).step_by(stride) {
            let radius = agents.radius[slot];
            if radius <= large {
                let [column, row] = field(center(slot)).to_array().map(|at| at as usize);
                let at = row.min(rows - 1) * columns + column.min(columns - 1);
                self.cover[at] += radius * radius * share;
            }
        }
        for (chunk, radii) in agents.radius.chunks(CHUNK).enumerate() {
            if radii.iter().fold(0.0, |most: f32, radius| most.max(*radius)) > large {
                for (slot, &radius) in (chunk * CHUNK..).zip(radii).filter(|(_, r)| **r > large) {
                    let center = center(slot);
                    for shift in space.copies(Rect::around(center, radius), place.world) {
                        self.add_disc(field(center + shift), radius * fields_per_unit, columns);
                    }
                }
            }
        }
        self.cover.iter().sum::<f32>() / self.cover.len() as f32
    }

    /// Adds the share of each field that a disc covers; lengths are in fields.
    fn add_disc(&mut self, center: Vec2, radius: f32, columns: usize) {
        let rows = self.cover.len() / columns;
        let range = |middle: f32, end: usize| {
            let [first, last] = [middle - radius - 0.5, middle + radius + 0.5];
            first.max(0.0) as usize..(last.max(0.0) as usize).min(end)
        };
        for row in range(center.y, rows) {
            for column in range(center.x, columns) {
                let off = Vec2::new(column as f32 + 0.5, row as f32 + 0.5).distance(center);
                self.cover[row * columns + column] += (radius - off + 0.5).clamp(0.0, 1.0);
            }
        }
    }
}

/// Draws each static, at least one pixel wide.
fn draw_statics(shapes: &mut OverlayCanvas<'_>, place: MapPlace, statics: &Statics, ink: Stroke) {
    let pixels_per_unit = place.size.x / place.world.width();
    for (_, shape) in statics.iter() {
        match shape {
            Static::Disc(disc) => {
                let radius = (disc.radius * pixels_per_unit).max(0.5);
                shapes.disc(place.to_pixel(disc.center), radius, ink);
            }
            Static::Capsule { ends, radius } => {
                let width = (2.0 * radius * pixels_per_unit).max(1.0);
                shapes.line(ends.map(|end| place.to_pixel(end)), width, ink);
            }
            Static::Box(Rect { min, max }) => {
                let (low, high) = (place.to_pixel(min), place.to_pixel(max));
                let corner = Vec2::new(low.x, high.y);
                let end = Vec2::new(high.x, low.y).max(corner + 1.0);
                shapes.fill([corner, end], ink);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        raster::Style,
        scene::{Scene, Setup},
        sim::Sim,
        window::hud::HudText,
    };

    #[test]
    fn statics_have_the_color_of_the_main_view() {
        let setup =
            Setup { agents: 1, spare_agents: 0, spare_statics: 2, ..Setup::new(Scene::Gas) };
        let mut sim = Sim::new(&Setup { density: 1e-4, ..setup }).unwrap();
        let Rect { min, max } = sim.world();
        let [low, high] = [0.25, 0.75].map(|share| min + (max - min) * share);
        let place = MapPlace::new(sim.world(), Vec2::new(800.0, 600.0), 1.0).unwrap();
        let drawn = |sim: &Sim| {
            let mut bytes = vec![0; 800 * 600 * 4];
            let mut text = HudText::new();
            let canvas = &mut HudCanvas::new([800, 600], 1.0, &mut text, &mut bytes);
            let fixed = Style::default().statics;
            Minimap::default().draw(canvas, place, sim.world(), &View::from_sim(sim), fixed);
            [low, high].map(|point| {
                let [x, y] = place.to_pixel(point).to_array().map(|at| at as usize);
                let pixel = (y * 800 + x) * 4;
                [bytes[pixel], bytes[pixel + 1], bytes[pixel + 2]]
            })
        };
        assert_eq!(drawn(&sim), [[0; 3]; 2]);
        let half = (max - min) * 0.1;
        let shapes = [Static::disc(low, half.x), Static::Box(Rect::new(high - half, high + half))];
        let ids = sim.add_statics(&shapes).unwrap();
        assert_eq!(drawn(&sim), [Style::default().statics; 2]);
        sim.remove_statics(&[ids.start, ids.start + 1]);
        sim.add_statics(&[Static::capsule([low, high], 1.0)]).unwrap();
        assert_eq!(drawn(&sim), [Style::default().statics; 2]);
    }

    /// Giants are few: no sample of the agents has them.
    #[test]
    fn the_cover_of_giants_is_exact() {
        let setup = Setup { agents: 50_000, ..Setup::new(Scene::Giants) };
        let sim = Sim::new(&setup).unwrap();
        let place = MapPlace::new(sim.world(), Vec2::new(800.0, 600.0), 1.0).unwrap();
        let columns = (place.size.x / FIELD).ceil() as usize;
        let mut map = Minimap::default();
        let mean = map.measure(place, columns, &View::from_sim(&sim));
        let agents = sim.agents();
        let areas = agents.radius.iter().map(|radius| radius * radius * std::f32::consts::PI);
        let covered = areas.sum::<f32>() / (sim.world().width() * sim.world().height());
        assert!((mean - covered).abs() < 0.03 * covered, "{mean}, not {covered}");
        let giants = (0..agents.len()).filter(|&slot| agents.radius[slot] > 20.0);
        let covers: Vec<f32> = giants
            .map(|slot| {
                let at = place.to_pixel(Vec2::new(agents.x[slot], agents.y[slot])) - place.corner;
                let [column, row] = (at / FIELD).to_array().map(|at| at as usize);
                map.cover[row * columns + column]
            })
            .collect();
        assert!(covers.len() > 5 && covers.iter().all(|&cover| cover > 0.9), "{covers:?}");
    }

    const WORLD: Rect = Rect::new(Vec2::new(-100.0, 0.0), Vec2::new(60.0, 90.0));

    #[test]
    fn map_points_correspond_to_world_points_and_a_small_window_has_no_map() {
        let place = MapPlace::new(WORLD, Vec2::new(1280.0, 720.0), 1.0).unwrap();
        for point in [WORLD.min, WORLD.max, WORLD.center()] {
            let pixel = place.to_pixel(point);
            assert!(place.contains(pixel), "{pixel}");
            assert!(place.to_world(pixel).distance(point) < 0.01, "{point}");
        }
        assert!(!place.contains(Vec2::ZERO));
        assert_eq!(MapPlace::new(WORLD, Vec2::new(300.0, 200.0), 1.0), None);
        assert_eq!(MapPlace::new(WORLD, Vec2::new(800.0, 600.0), 4.0), None);
    }
}
