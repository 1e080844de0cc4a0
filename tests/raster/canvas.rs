//! Helpers of the rasterizer's tests: views made by hand, and styles with computable pixels.

use jostle::{
    Agent, Agents, Grid, GridConfig, OwnColumn, OwnColumns, Rect, Static, Statics, Vec2,
    raster::{Camera, ColorBy, Frame, Palette, Renderer, Style, View},
    rng::Rng,
};

/// Agents in cell order, their grid and their surroundings.
pub(crate) struct Canvas {
    pub(crate) agents: Agents,
    pub(crate) grid: Grid,
    pub(crate) statics: Statics,
    pub(crate) world: Rect,
}

impl Canvas {
    /// The agents in a grid of square cells of side `cell`.
    pub(crate) fn new(world: Rect, cell: f32, unsorted: &Agents) -> Self {
        let config =
            GridConfig::new(world, cell, unsorted.len()).with_tight_size(Vec2::splat(cell * 4.0));
        let mut grid = Grid::new(config).unwrap();
        let mut agents = Agents::with_capacity(unsorted.len());
        for &slot in grid.sort(unsorted).unwrap() {
            agents.push(unsorted.get(slot as usize));
        }
        grid.set_sorted(&agents).unwrap();
        Self { agents, grid, statics: Statics::default(), world }
    }

    /// The same with statics.
    pub(crate) fn with(mut self, statics: &[Static]) -> Self {
        self.statics = Statics::new(self.world, statics, 0).unwrap();
        self
    }

    /// The same with a column of numbers, by id.
    pub(crate) fn with_numbers(mut self, name: &str, numbers: &[f32]) -> Self {
        let values = self.agents.id.iter().map(|&id| numbers[id as usize]).collect();
        let own = self.agents.own.take().map_or_else(OwnColumns::new, |own| *own);
        self.agents.own = Some(Box::new(own.with_numbers(OwnColumn::new(name, 0.0, values))));
        self
    }

    /// The same after that many seconds of motion, with all agents still in their old home cells.
    pub(crate) fn later(mut self, seconds: f32) -> Self {
        let Rect { min, max } = self.world;
        for slot in 0..self.agents.len() {
            let Agent { position, velocity, .. } = self.agents.get(slot);
            let to = (position + velocity * seconds).clamp(min, max);
            (self.agents.x[slot], self.agents.y[slot]) = (to.x, to.y);
        }
        self.grid.update(&self.agents).unwrap();
        self
    }

    pub(crate) fn view(&self) -> View<'_> {
        let view = View::new(&self.agents, &self.grid, self.world);
        View { statics: Some(&self.statics), ..view }
    }

    /// A frame of the view, drawn by one thread.
    pub(crate) fn draw(&self, camera: &Camera, style: Style) -> Frame {
        let mut frame = Frame::new(camera.size.x as u32, camera.size.y as u32).unwrap();
        let mut renderer = Renderer::new(frame.width, frame.height, style).unwrap();
        renderer.record_starts(&self.view());
        renderer.draw(&mut frame, camera, &self.view());
        frame
    }
}

/// Discs by center and radius, at rest.
pub(crate) fn discs(discs: &[(f32, f32, f32)]) -> Agents {
    let mut agents = Agents::default();
    for (id, &(x, y, radius)) in (0..).zip(discs) {
        agents.push(Agent { position: Vec2::new(x, y), velocity: Vec2::ZERO, radius, id });
    }
    agents
}

/// Random discs all over the world, at random speeds.
pub(crate) fn crowd(world: &Rect, count: u32, radius: [f32; 2], seed: u64) -> Agents {
    let mut rng = Rng::new(seed);
    let mut agents = Agents::default();
    for id in 0..count {
        let x = rng.between(world.min.x, world.max.x);
        let y = rng.between(world.min.y, world.max.y);
        let share = rng.unit();
        agents.push(Agent {
            position: Vec2::new(x, y),
            velocity: rng.direction() * rng.between(0.0, 12.0),
            radius: radius[0] + (radius[1] - radius[0]) * share * share * share,
            id,
        });
    }
    agents
}

/// A flat style of one bright color on black, in which the green of a pixel is its coverage in
/// 255ths.
pub(crate) fn measuring() -> Style {
    Style {
        color_by: ColorBy::Size,
        palette: Palette::Inferno,
        radius: [1e-6, 1e-5],
        ground: [0; 3],
        outside: [0; 3],
        border: [0; 3],
        shading: 0.0,
        ..Style::default()
    }
}

/// A camera with one pixel per world unit and the origin in the lower left corner of the frame.
pub(crate) fn pixelwise(width: u32, height: u32) -> Camera {
    let size = Vec2::new(width as f32, height as f32);
    Camera { center: size * 0.5, scale: 1.0, size }
}
