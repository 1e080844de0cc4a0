//! What the rasterizer's tests share: pictures made by hand, and looks whose pixels can be computed.

use jostle::{
    Agent, Agents, Grid, GridConfig, Rect, Static, Statics, Vec2,
    raster::{Camera, ColorBy, Frame, Palette, Renderer, Style, View},
    rng::Rng,
};

/// Agents in cell order, and their grid.
pub(crate) struct Canvas {
    pub(crate) agents: Agents,
    pub(crate) grid: Grid,
    pub(crate) statics: Statics,
    pub(crate) world: Rect,
}

impl Canvas {
    /// The agents in a grid of square cells of that side.
    pub(crate) fn new(world: Rect, cell: f32, unsorted: &Agents) -> Self {
        let mut grid = Grid::new(GridConfig {
            tight_size: Vec2::splat(cell * 4.0),
            ..GridConfig::new(world, cell, unsorted.len())
        })
        .unwrap();
        let mut agents = Agents::with_capacity(unsorted.len());
        for &slot in grid.sort(unsorted).unwrap() {
            agents.push(unsorted.get(slot as usize));
        }
        grid.adopt(&agents).unwrap();
        Self { agents, grid, statics: Statics::none(), world }
    }

    /// The same with statics in it.
    pub(crate) fn with(mut self, statics: &[Static]) -> Self {
        self.statics = Statics::new(self.world, statics, 0).unwrap();
        self
    }

    /// The same so many seconds later, with everybody still homed where they were.
    pub(crate) fn later(mut self, seconds: f32) -> Self {
        let Rect { min, max } = self.world;
        for slot in 0..self.agents.len() {
            let Agent { position, velocity, .. } = self.agents.get(slot);
            let to = (position + velocity * seconds).clamp(min, max);
            (self.agents.x[slot], self.agents.y[slot]) = (to.x, to.y);
        }
        self.grid.refit(&self.agents).unwrap();
        self
    }

    pub(crate) fn picture(&self) -> View<'_> {
        let Self { agents, grid, statics, world } = self;
        View { agents, grid, statics, world: *world }
    }

    /// A frame of it, drawn by one thread.
    pub(crate) fn draw(&self, camera: &Camera, look: Style) -> Frame {
        let mut frame = Frame::new(camera.size.x as u32, camera.size.y as u32);
        let mut renderer = Renderer::new(frame.width, frame.height, look);
        renderer.record_starts(&self.picture());
        renderer.draw(&mut frame, camera, &self.picture());
        frame
    }
}

/// Discs by centre and radius, at rest.
pub(crate) fn discs(discs: &[(f32, f32, f32)]) -> Agents {
    let mut agents = Agents::default();
    for (id, &(x, y, radius)) in (0..).zip(discs) {
        agents.push(Agent { position: Vec2::new(x, y), velocity: Vec2::ZERO, radius, id });
    }
    agents
}

/// Discs all over the world, of any speed, by chance.
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

/// White-green on black, flat: the green of a pixel is its coverage in 255ths.
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

/// A camera that shows world units as pixels, with the origin in the frame's lower left corner.
pub(crate) fn pixelwise(width: u32, height: u32) -> Camera {
    let size = Vec2::new(width as f32, height as f32);
    Camera { center: size * 0.5, scale: 1.0, size }
}
