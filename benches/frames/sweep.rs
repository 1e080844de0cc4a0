//! The sweep of a scene: every zoom in every size.

use std::{hint::black_box, time::Duration};

use jostle::{
    Scene, Sim, Vec2,
    raster::{Camera, Frame, Renderer, Style, View},
};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{
    Flags, Outcome,
    cpu_time::Took,
    drawn::{self, Evictor, Size},
};

/// Agents shown, as the share `1 / 2^k` of all; the first zoom shows the whole world.
const SHARES: [u32; 7] = [0, 1, 2, 3, 4, 6, 10];

/// Agents shown by the last zoom.
const FEWEST: u32 = 10;

/// The time of a cell before its first turn.
const UNMEASURED: Took = Took { wall: Duration::MAX, cpu: Duration::MAX };

/// Filling and copying a frame of 1920×1080.
pub(crate) struct Floor {
    frames: [Frame; 2],
    fill: Duration,
    copy: Duration,
}

impl Floor {
    pub(crate) fn new() -> Self {
        let frames = [0; 2].map(|_| Frame::new(1920, 1080).expect("the size is valid"));
        Self { frames, fill: Duration::MAX, copy: Duration::MAX }
    }

    fn turn(&mut self) {
        let [from, to] = &mut self.frames;
        // The last draw has evicted the frame from the caches.
        from.pixels.fill([0; 4]);
        let fill = Took::by(|| from.pixels.fill(black_box([11, 13, 20, 255])));
        let copy = Took::by(|| to.pixels.copy_from_slice(black_box(&from.pixels)));
        black_box(to);
        (self.fill, self.copy) = (self.fill.min(fill.cpu), self.copy.min(copy.cpu));
    }

    pub(crate) fn milliseconds(&self) -> f64 {
        (self.fill + self.copy).as_secs_f64() * 1e3
    }
}

/// A frame of one size and zoom.
pub(crate) struct Cell {
    pub(crate) size: Size,
    /// The zoom, as agents that are shown.
    pub(crate) shown: u32,
    /// By one thread.
    pub(crate) one: Took,
    /// By several threads; not measured if there is one.
    pub(crate) several: Took,
    camera: Camera,
}

impl Cell {
    /// Milliseconds of one thread.
    pub(crate) fn milliseconds(&self) -> f64 {
        self.one.cpu.as_secs_f64() * 1e3
    }
}

/// The cells of a scene.
pub(crate) struct Sweep {
    pub(crate) scene: Scene,
    pub(crate) agents: u32,
    /// From zoom to zoom, each in all sizes.
    pub(crate) cells: Vec<Cell>,
}

impl Sweep {
    /// Measures a scene.
    pub(crate) fn run(
        scene: Scene,
        agents: u32,
        flags: &Flags,
        floor: &mut Floor,
    ) -> Outcome<Self> {
        let sim = drawn::warm(scene, agents)?;
        let mut cells = cells(&sim, &flags.sizes);
        let pools = [1, flags.threads as usize]
            .map(|threads| ThreadPoolBuilder::new().num_threads(threads).build());
        let [one, several] = pools;
        let (one, several) = (one?, several?);
        let mut cache = Evictor::new();
        for size in &flags.sizes {
            let mut canvas = Canvas::new(*size, &sim)?;
            for _ in 0..flags.turns {
                floor.turn();
                for cell in cells.iter_mut().filter(|cell| cell.size == *size) {
                    cache.evict();
                    cell.one = least(cell.one, canvas.draw(&one, &cell.camera, &sim));
                    if flags.threads > 1 {
                        cache.evict();
                        let took = canvas.draw(&several, &cell.camera, &sim);
                        cell.several = least(cell.several, took);
                    }
                    canvas.check(cell, scene);
                }
            }
        }
        Ok(Self { scene, agents, cells })
    }
}

/// The lesser wall time and the lesser processor time.
fn least(one: Took, other: Took) -> Took {
    Took { wall: one.wall.min(other.wall), cpu: one.cpu.min(other.cpu) }
}

/// The renderer and the buffers for frames of one size.
struct Canvas {
    renderer: Renderer,
    frame: Frame,
}

impl Canvas {
    fn new(size: Size, sim: &Sim) -> Outcome<Self> {
        let Size { width, height } = size;
        let renderer = Renderer::new(width, height, Style::from_setup(sim.setup()))?;
        Ok(Self { renderer, frame: Frame::new(width, height)? })
    }

    fn draw(&mut self, pool: &ThreadPool, camera: &Camera, sim: &Sim) -> Took {
        let Self { renderer, frame } = self;
        pool.install(|| Took::by(|| renderer.draw(frame, camera, &View::from_sim(sim))))
    }

    /// Checks that some pixels differ from their neighbors: a benchmark that draws nothing is fast.
    fn check(&self, cell: &Cell, scene: Scene) {
        let row = self.frame.pixels.chunks(self.frame.width as usize);
        let edges = row.flat_map(|row| row.windows(2)).filter(|pair| pair[0] != pair[1]).count();
        let (name, shown, Size { width, height }) = (scene.name(), cell.shown, cell.size);
        assert!(edges > 100, "{edges} edges in {name}, {shown} agents shown, {width}x{height}");
    }
}

/// Every zoom in every size, not measured yet.
fn cells(sim: &Sim, sizes: &[Size]) -> Vec<Cell> {
    let all = sim.agents().len() as u32;
    let shown = SHARES.map(|share| all >> share).into_iter().filter(|&shown| shown > FEWEST);
    let center = crowd_center(sim);
    let mut cells = Vec::new();
    for shown in shown.chain([FEWEST]) {
        let height = 2.0 * distance(sim, center, shown);
        for &size in sizes {
            let Size { width, height: rows } = size;
            let camera = if shown == all {
                Camera::fit(&sim.world(), width, rows)
            } else {
                Camera::new(center, height * width as f32 / rows as f32, width, rows)
            };
            cells.push(Cell { size, shown, one: UNMEASURED, several: UNMEASURED, camera });
        }
    }
    cells
}

/// An agent in the middle of the crowd: agents lie in memory row by row.
fn crowd_center(sim: &Sim) -> Vec2 {
    sim.agents().get(sim.agents().len() / 2).position
}

/// The radius of the disc around `center` that contains the centers of `count` agents.
fn distance(sim: &Sim, center: Vec2, count: u32) -> f32 {
    let agents = sim.agents();
    let position = |slot| Vec2::new(agents.x[slot], agents.y[slot]);
    let mut distances: Vec<f32> =
        (0..agents.len()).map(|slot| position(slot).distance(center)).collect();
    *distances.select_nth_unstable_by(count as usize - 1, f32::total_cmp).1
}
