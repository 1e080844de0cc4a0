//! Pictures between two steps.

use jostle::{
    Agents, Scene, Setup, Sim, Vec2,
    raster::{Camera, ColorBy, Frame, Interpolation, Renderer, Style, View},
};

const SIZE: [u32; 2] = [320, 180];

/// As good as now, but a lag: agents are looked for beyond the border.
const NOTHING: f32 = 1e-30;

fn drawn(sim: &Sim, agents: &Agents, camera: &Camera, lag: Interpolation) -> Frame {
    let mut frame = Frame::new(SIZE[0], SIZE[1]);
    let look = Style { color_by: ColorBy::Size, ..Style::from_setup(sim.setup()) };
    let mut renderer = Renderer::new(SIZE[0], SIZE[1], look);
    renderer.set_interpolation(lag);
    let picture = View { agents, ..View::from_sim(sim) };
    renderer.draw(&mut frame, camera, &picture);
    frame
}

/// The same agents, moved by hand.
fn moved(sim: &Sim, seconds: f32) -> Agents {
    let mut agents = sim.agents().clone();
    for slot in 0..agents.len() {
        let agent = agents.get(slot);
        let (low, high) = (sim.world().min + agent.radius, sim.world().max - agent.radius);
        let position = (agent.position - agent.velocity * seconds).max(low).min(high);
        [agents.x[slot], agents.y[slot]] = position.to_array();
    }
    agents
}

/// A run that has gone on for a while, and a long while back, in which many come into a picture from beyond
/// its border.
fn moving(setup: &Setup) -> (Sim, Interpolation) {
    let mut sim = Sim::new(setup).unwrap();
    (0..20).for_each(|_| sim.step().unwrap());
    let speeds = sim.agents().vx.iter().chain(&sim.agents().vy);
    let seconds = 0.4;
    let farthest = seconds * speeds.fold(0.0, |most: f32, speed| most.max(speed.abs()));
    (sim, Interpolation { seconds, farthest })
}

/// All of the world, its middle, and a corner of it.
fn cameras(sim: &Sim) -> [Camera; 3] {
    let fit = Camera::fit(&sim.world(), SIZE[0], SIZE[1]);
    let near = Camera { scale: fit.scale * 3.0, center: sim.world().center(), ..fit };
    let corner = Camera { scale: fit.scale * 3.0, center: sim.world().min + Vec2::ONE, ..fit };
    [fit, near, corner]
}

fn differing(one: &Frame, other: &Frame) -> usize {
    one.pixels.iter().zip(&other.pixels).filter(|(one, other)| one != other).count()
}

#[test]
fn agents_are_drawn_where_they_were() {
    for scene in [Scene::Gas, Scene::Mixed] {
        let (sim, lag) = moving(&Setup { agents: 2_000, ..Setup::new(scene) });
        for camera in cameras(&sim) {
            // Looked for as far, so that those who overlap are drawn in the same order.
            let here = Interpolation { seconds: NOTHING, ..lag };
            let expected = drawn(&sim, &moved(&sim, lag.seconds), &camera, here);
            let shown = drawn(&sim, sim.agents(), &camera, lag);
            assert_eq!(differing(&shown, &expected), 0, "{scene:?} {camera:?}");
            let now = drawn(&sim, sim.agents(), &camera, Interpolation::default());
            assert!(differing(&now, &expected) > 0, "it shows that they moved");
        }
    }
}

/// So few that none overlap, and so they may be drawn in any order.
#[test]
fn whoever_comes_from_beyond_the_border_is_drawn() {
    for seed in 0..8 {
        let setup = Setup { agents: 60, density: 0.01, seed, ..Setup::new(Scene::Gas) };
        let (sim, lag) = moving(&setup);
        for camera in cameras(&sim) {
            let anywhere = Interpolation { seconds: NOTHING, farthest: 1e4 };
            let expected = drawn(&sim, &moved(&sim, lag.seconds), &camera, anywhere);
            let shown = drawn(&sim, sim.agents(), &camera, lag);
            assert_eq!(differing(&shown, &expected), 0, "{seed} {camera:?}");
        }
    }
}

#[test]
fn nobody_is_moved_farther_than_is_looked() {
    let sim = Sim::new(&Setup { agents: 500, ..Setup::new(Scene::Gas) }).unwrap();
    let camera = Camera::fit(&sim.world(), SIZE[0], SIZE[1]);
    let now = drawn(&sim, sim.agents(), &camera, Interpolation::default());
    let held = drawn(&sim, sim.agents(), &camera, Interpolation { seconds: 1.0, farthest: 0.0 });
    assert!(now.pixels == held.pixels);
}
