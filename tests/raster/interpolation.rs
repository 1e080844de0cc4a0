//! Interpolation: frames between two steps.

use jostle::{
    Agents, Scene, Setup, Sim, Vec2,
    raster::{Camera, ColorBy, Frame, Interpolation, Renderer, Style, View},
};

const SIZE: [u32; 2] = [320, 180];

/// Practically the present, but agents are searched for beyond the border of the frame.
const HARDLY_EARLIER: f32 = 1e-30;

fn drawn(sim: &Sim, agents: &Agents, camera: &Camera, interpolation: Interpolation) -> Frame {
    let mut frame = Frame::new(SIZE[0], SIZE[1]).unwrap();
    let style = Style { color_by: ColorBy::Size, ..Style::from_setup(sim.setup()) };
    let mut renderer = Renderer::new(SIZE[0], SIZE[1], style).unwrap();
    renderer.set_interpolation(interpolation);
    let view = View { agents, ..View::from_sim(sim) };
    renderer.draw(&mut frame, camera, &view);
    frame
}

/// The agents, moved back by hand.
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

/// A run after some steps, and an interpolation over so long a time that many agents come into view
/// from beyond the border of the frame.
fn moving(setup: &Setup) -> (Sim, Interpolation) {
    let mut sim = Sim::new(setup).unwrap();
    (0..20).for_each(|_| sim.step().unwrap());
    let speeds = sim.agents().vx.iter().chain(&sim.agents().vy);
    let seconds = 0.4;
    let farthest = seconds * speeds.fold(0.0, |most: f32, speed| most.max(speed.abs()));
    (sim, Interpolation { seconds, farthest })
}

/// The whole world, its middle, and a corner.
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
fn agents_are_drawn_at_their_earlier_positions() {
    for scene in [Scene::Gas, Scene::Mixed] {
        let (sim, interpolation) = moving(&Setup { agents: 2_000, ..Setup::new(scene) });
        for camera in cameras(&sim) {
            // The search is as wide, so that overlapping agents are drawn in the same order.
            let here = Interpolation { seconds: HARDLY_EARLIER, ..interpolation };
            let expected = drawn(&sim, &moved(&sim, interpolation.seconds), &camera, here);
            let shown = drawn(&sim, sim.agents(), &camera, interpolation);
            assert_eq!(differing(&shown, &expected), 0, "{scene:?} {camera:?}");
            let now = drawn(&sim, sim.agents(), &camera, Interpolation::default());
            assert!(differing(&now, &expected) > 0, "the agents did not move");
        }
    }
}

/// There are so few agents that none overlap, so their order does not matter.
#[test]
fn agents_from_beyond_the_border_are_drawn() {
    for seed in 0..8 {
        let setup = Setup { agents: 60, density: 0.01, seed, ..Setup::new(Scene::Gas) };
        let (sim, interpolation) = moving(&setup);
        for camera in cameras(&sim) {
            let anywhere = Interpolation { seconds: HARDLY_EARLIER, farthest: 1e4 };
            let expected = drawn(&sim, &moved(&sim, interpolation.seconds), &camera, anywhere);
            let shown = drawn(&sim, sim.agents(), &camera, interpolation);
            assert_eq!(differing(&shown, &expected), 0, "{seed} {camera:?}");
        }
    }
}

#[test]
fn no_agent_is_moved_beyond_the_search_distance() {
    let sim = Sim::new(&Setup { agents: 500, ..Setup::new(Scene::Gas) }).unwrap();
    let camera = Camera::fit(&sim.world(), SIZE[0], SIZE[1]);
    let now = drawn(&sim, sim.agents(), &camera, Interpolation::default());
    let limited = drawn(&sim, sim.agents(), &camera, Interpolation { seconds: 1.0, farthest: 0.0 });
    assert!(now.pixels == limited.pixels);
}
