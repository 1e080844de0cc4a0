//! Pictures of all scenes and worlds for the menu: each is the end of a short run of few agents.

use std::{thread, time::Instant};

use super::{
    starts::{bundled, with_room_in_world},
    tour::TourStop,
    world::{color, look},
};
use crate::{
    program::ProgramResult as Result,
    raster::{Frame, Renderer, Style, View},
    scene::{PlacementProgress, Setup},
    sim::Sim,
    window::view_control::ViewControl,
    world::WORLDS,
};

/// Width and height of a picture, pixels.
pub(super) const SIZE: [u32; 2] = [320, 180];

/// How a run becomes a picture: its name, its number of agents, and steps until something is to be
/// seen. A world has a part of its ground for that number; with 0 it has its own number of agents.
const RUNS: [(&str, u32, u32); 28] = [
    ("gas", 2_000, 300),
    ("mixed", 2_000, 300),
    ("giants", 4_000, 300),
    ("burst", 4_000, 300),
    ("sparse", 2_000, 300),
    ("pile", 1_000, 230),
    ("pegs", 1_000, 2_000),
    ("cannon", 100, 400),
    ("melee", 2_000, 300),
    ("dam", 2_000, 750),
    ("shear", 4_000, 400),
    ("shock", 4_000, 200),
    ("crystal", 2_000, 600),
    ("cooling", 4_000, 1_200),
    ("particle-life", 3_000, 300),
    ("boids", 0, 60),
    ("vicsek", 5_000, 300),
    ("active", 5_000, 500),
    ("droplets", 5_000, 300),
    ("bacteria", 0, 200),
    ("epidemic", 0, 300),
    ("predators", 0, 60),
    ("mill", 0, 300),
    ("hourglass", 0, 250),
    ("cone", 0, 500),
    ("avalanche", 0, 500),
    ("galton", 0, 1_500),
    ("door", 0, 500),
];

/// A picture of a run.
#[derive(Clone, Debug)]
pub(super) struct ScenePicture {
    /// RGBA8 of [`SIZE`], top row first.
    pub(super) pixels: Vec<[u8; 4]>,
}

impl ScenePicture {
    /// Runs a scene or a world on the calling thread, which rests for as long as it works: frames of
    /// the window come first.
    ///
    /// # Errors
    /// As [`Sim::step`] and [`Renderer::new`].
    pub(super) fn of(stop: TourStop) -> Result<Self> {
        let run = RUNS.iter().find(|(name, ..)| *name == stop.name());
        let &(_, agents, steps) = run.unwrap_or(&("", 2_000, 300));
        let mut sim = begun(stop, agents)?;
        let [width, height] = SIZE;
        let mut renderer = Renderer::new(width, height, Style::from_setup(sim.setup()))?;
        renderer.record_starts(&View::from_sim(&sim));
        for _ in 0..steps {
            let begin = Instant::now();
            sim.step()?;
            thread::sleep(begin.elapsed());
        }
        let mut view = ViewControl::new(sim.world(), SIZE, [0; 4]);
        if let Some(look) = sim.rule_source().and_then(|source| look(source)) {
            let mut style = Style::from_setup(sim.setup());
            color(&mut style, &look, sim.agents());
            renderer.set_style(style);
            if let Some((center, width)) = look.camera {
                view.show_part(center, width);
            }
        }
        let mut frame = Frame::new(width, height)?;
        renderer.draw(&mut frame, view.camera(), &View::from_sim(&sim));
        Ok(Self { pixels: frame.pixels })
    }

    /// The picture in a size that is a whole number of times smaller.
    pub(super) fn shrunk(&self, by: u32) -> Vec<[u8; 4]> {
        let [width, height] = SIZE.map(|side| side / by);
        let pixel = |x: u32, y: u32| {
            let block = (0..by * by).map(|at| [x * by + at % by, y * by + at / by]);
            let sums = block.fold([0; 4], |mut sums: [u32; 4], [x, y]| {
                let pixel = self.pixels[(y * SIZE[0] + x) as usize];
                sums.iter_mut().zip(pixel).for_each(|(sum, part)| *sum += u32::from(part));
                sums
            });
            sums.map(|sum| (sum / (by * by)) as u8)
        };
        (0..height).flat_map(|y| (0..width).map(move |x| pixel(x, y))).collect()
    }
}

/// A run with that many agents.
fn begun(stop: TourStop, agents: u32) -> Result<Sim> {
    match stop {
        TourStop::Scene(scene) => Ok(Sim::new(&Setup::with_agents(scene, agents))?),
        TourStop::World(index) => {
            let mut plan = bundled(WORLDS[index])?;
            if agents > 0 {
                let share = f64::from(agents) / f64::from(plan.setup.agents);
                let world = plan.setup.world().size() * share.sqrt() as f32;
                plan.setup = Setup { agents, world: Some(world), ..plan.setup };
            }
            plan.setup = with_room_in_world(&plan, &plan.setup);
            Ok(Sim::of_world(&plan, &PlacementProgress::new())?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_and_world_has_its_run() {
        let names: Vec<_> = TourStop::all().map(TourStop::name).collect();
        assert_eq!(RUNS.map(|(name, ..)| name).to_vec(), names);
    }

    #[test]
    fn pictures_show_agents_and_shrink_to_means() {
        for stop in TourStop::all() {
            let picture = ScenePicture::of(stop).unwrap();
            assert!(stop.sentence().contains(' '), "{}: {}", stop.name(), stop.sentence());
            let bright = |pixel: &&[u8; 4]| pixel[..3].iter().any(|part| *part > 100);
            let share = picture.pixels.iter().filter(bright).count();
            assert!(share > 200, "{}: {share} pixels", stop.name());
            let small = picture.shrunk(4);
            assert_eq!(small.len(), 80 * 45);
            let corner = [0, 1, 2, 3].map(|x| (0..4).map(move |y| y * 320 + x));
            let sum: usize =
                corner.into_iter().flatten().map(|at| picture.pixels[at][2] as usize).sum();
            assert_eq!(usize::from(small[0][2]), sum / 16);
        }
    }
}
