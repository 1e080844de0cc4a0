//! A step, a draw, and agents that come and go allocate nothing: a counting allocator proves it.
//!
//! One test in a program of its own and without a harness, so that nobody else allocates while it counts: a harness
//! does once a test has taken a minute.

use std::{
    alloc::System,
    sync::atomic::{AtomicBool, Ordering},
};

use jostle::{
    Scene, Setup, Sim, Spawn, Vec2,
    index::IndexKind,
    parallel,
    raster::{Camera, ColorBy, Frame, Overlay, Renderer, Style, View},
    rng::Rng,
};
use rayon::ThreadPoolBuilder;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static COUNTING: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    // For all scenes, since threads that end allocate, whenever they get to it.
    let pools = [1, 2]
        .map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"));
    for (scene, agents, room, index) in [
        (Scene::Gas, 10_000, 0, "double-grid"),
        (Scene::Mixed, 10_000, 0, "double-grid"),
        (Scene::Giants, 10_000, 0, "double-grid"),
        (Scene::Burst, 10_000, 0, "double-grid"),
        (Scene::Pile, 2_000, 0, "double-grid"),
        (Scene::Pegs, 500, 0, "double-grid"),
        (Scene::Cannon, 500, 0, "double-grid"),
        (Scene::Melee, 10_000, 0, "double-grid"),
        (Scene::Gas, 2_000, 0, "linked-double-grid"),
        (Scene::Pile, 500, 0, "loose-quadtree"),
        (Scene::Pegs, 200, 0, "spatial-hash"),
        (Scene::Cannon, 100, 0, "spatial-hash"),
        (Scene::Gas, 1_000, 100, "double-grid"),
        (Scene::Mixed, 10_000, 100, "double-grid"),
        (Scene::Burst, 1_000, 100, "double-grid"),
        (Scene::Pile, 500, 100, "double-grid"),
        (Scene::Gas, 2_000, 100, "unit-grid"),
        (Scene::Melee, 2_000, 100, "spatial-hash"),
    ] {
        for pool in &pools {
            let threads = pool.current_num_threads();
            let allocations = pool.install(|| {
                if threads > 1 {
                    both_steal();
                }
                steps_and_draws(scene, agents, room, index)
            });
            assert_eq!(allocations, 0, "{scene}, room {room}, {threads} threads, {index}");
        }
    }
    let region = Region::new(COUNTING);
    drop(vec![1_u8; 100]);
    assert_eq!(region.change().allocations, 1, "the allocator counts");
    println!("a step and a draw allocate nothing");
}

/// Has each of two threads take work from the other, which allocates the first time that it does: on a
/// busy machine that may be late.
fn both_steal() {
    let [outer, inner] = [const { AtomicBool::new(false) }; 2];
    let wait_for = |begun: &AtomicBool| {
        while !begun.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
    };
    let begin = |begun: &AtomicBool| begun.store(true, Ordering::Release);
    // The one waits until the other has taken the second half, and then has nothing to do but to take
    // half of that.
    parallel::join(
        || wait_for(&outer),
        || {
            begin(&outer);
            parallel::join(|| wait_for(&inner), || begin(&inner));
        },
    );
}

fn steps_and_draws(scene: Scene, agents: u32, room: u32, index: &str) -> usize {
    let setup = Setup { spare_agents: room, ..Setup::with_agents(scene, agents) };
    let mut sim = Sim::new(&setup).expect("the scene can be placed");
    let index = IndexKind::find(index).expect("the index is there");
    sim.set_index(index).expect("there is memory");
    let mut frame = Frame::new(320, 180).unwrap();
    // One of agents as they are, and one for each overlay, which ask the grid about them.
    let mut renderers = Overlay::ALL.map(|overlay| {
        let asks = overlay != Overlay::None;
        let color_by = if asks { ColorBy::Contacts } else { ColorBy::Speed };
        let look = Style { color_by, overlay, ..Style::from_setup(&setup) };
        let mut renderer = Renderer::new(frame.width, frame.height, look).unwrap();
        renderer.record_starts(&View::from_sim(&sim));
        renderer
    });
    let mut camera = Camera::fit(&sim.world(), frame.width, frame.height);
    let mut rng = Rng::new(0);
    // The first steps find out how many contacts and wide cells there are, when all room is used, too.
    for _ in 0..20 + room / 5 {
        come_and_go(&mut sim, &mut rng);
        sim.step().expect("there is memory");
    }
    renderers[0].draw(&mut frame, &camera, &View::from_sim(&sim));
    let region = Region::new(COUNTING);
    for round in 0..1_000 {
        come_and_go(&mut sim, &mut rng);
        sim.step().expect("there is memory");
        if round % 10 == 0 {
            camera.zoom_at(camera.size * 0.5, 1.02, &sim.world());
            renderers[round / 10 % renderers.len()].draw(
                &mut frame,
                &camera,
                &View::from_sim(&sim),
            );
        }
    }
    let change = region.change();
    change.allocations + change.reallocations
}

/// Some come as long as there is room, and then some leave, if room was asked for. Ids soon run over it.
fn come_and_go(sim: &mut Sim, rng: &mut Rng) {
    const SOME: usize = 10;
    if sim.setup().spare_agents == 0 {
        return;
    }
    if sim.room_left() >= SOME {
        let (world, [least, most]) = (sim.world(), sim.setup().radius);
        let spawns: [Spawn; SOME] = std::array::from_fn(|_| {
            let radius = rng.between(least, most.min(2.0 * least));
            let share = Vec2::new(rng.between(0.1, 0.9), rng.between(0.1, 0.9));
            Spawn::new(world.min + world.size() * share, rng.direction(), radius)
        });
        sim.spawn(&spawns).expect("there is room");
    } else {
        let alive = sim.agents().len() as u32;
        let ids: [u32; 3 * SOME] =
            std::array::from_fn(|_| sim.agents().id[rng.below(alive) as usize]);
        sim.remove(&ids).expect("there is memory");
    }
}
