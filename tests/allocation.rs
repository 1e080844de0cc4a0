//! A step, a draw, and adding and removing agents allocate nothing, as a counting allocator shows.
//!
//! The test is a program of its own, without a harness, because a harness allocates once a test has
//! taken a minute.

use std::{
    alloc::System,
    sync::atomic::{AtomicBool, Ordering},
};

use jostle::{
    Boundary, OwnColumn, OwnColumns, Scene, Setup, Sim, Spawn, Vec2,
    index::IndexKind,
    raster::{Camera, ColorBy, Frame, Overlay, Renderer, Style, View},
    rng::Rng,
    rules::{
        AgentFormulas, BirthFormulas, Formulas, PairRule, RuleColumn, RulePair, RuledAgent, Rules,
    },
    scene::{self, Collisions},
};
use rayon::ThreadPoolBuilder;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static COUNTING: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    // One pool for all scenes: threads that end allocate at some later time.
    let pools = [1, 2]
        .map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"));
    let mut failed = Vec::new();
    let walls = [
        (Scene::Gas, 10_000, 0, "double-grid"),
        (Scene::Mixed, 10_000, 0, "double-grid"),
        (Scene::Giants, 10_000, 0, "double-grid"),
        (Scene::Burst, 10_000, 0, "double-grid"),
        (Scene::Pile, 2_000, 0, "double-grid"),
        (Scene::Pegs, 500, 0, "double-grid"),
        (Scene::Cannon, 500, 0, "double-grid"),
        (Scene::Dam, 500, 0, "double-grid"),
        (Scene::Melee, 10_000, 0, "double-grid"),
        (Scene::Gas, 2_000, 0, "linked-double-grid"),
        (Scene::Pile, 500, 0, "loose-quadtree"),
        (Scene::Gas, 200, 0, "spatial-hash"),
        (Scene::Burst, 200, 0, "spatial-hash"),
        (Scene::Gas, 1_000, 100, "double-grid"),
        (Scene::Mixed, 10_000, 100, "double-grid"),
        (Scene::Burst, 1_000, 100, "double-grid"),
        (Scene::Pile, 500, 100, "double-grid"),
        (Scene::Gas, 2_000, 100, "unit-grid"),
        (Scene::Melee, 2_000, 100, "spatial-hash"),
        (Scene::Shock, 10_000, 0, "double-grid"),
        (Scene::Shock, 500, 0, "spatial-hash"),
    ];
    let periodic = [
        (Scene::Gas, 10_000, 0, "double-grid"),
        (Scene::Mixed, 10_000, 100, "double-grid"),
        (Scene::Giants, 10_000, 0, "double-grid"),
        (Scene::Gas, 2_000, 100, "unit-grid"),
        (Scene::Crystal, 10_000, 0, "double-grid"),
        (Scene::Cooling, 10_000, 0, "double-grid"),
    ];
    let streams = [(Scene::Shear, 10_000, 0, "double-grid"), (Scene::Shear, 2_000, 0, "unit-grid")];
    let swept = [(Scene::Gas, 10_000, 0, "double-grid"), (Scene::Mixed, 2_000, 100, "unit-grid")];
    let of = |boundary, collisions| move |case| (case, boundary, collisions);
    let overlap = Collisions::Overlap;
    let cases = walls.map(of(Boundary::Walls, overlap)).into_iter();
    let cases = cases.chain(periodic.map(of(Boundary::Periodic, overlap)));
    let cases = cases.chain(streams.map(of(Boundary::PeriodicX, overlap)));
    let cases = cases.chain(swept.map(of(Boundary::Walls, Collisions::Swept)));
    let cases = cases.chain(swept.map(of(Boundary::Periodic, Collisions::Swept)));
    for ((scene, agents, room, index), boundary, collisions) in cases {
        for pool in &pools {
            let threads = pool.current_num_threads();
            let allocations = pool.install(|| {
                if threads > 1 {
                    both_steal();
                }
                let setup = Setup { boundary, collisions, ..Setup::with_agents(scene, agents) };
                steps_and_draws(&Setup { spare_agents: room, ..setup }, index)
            });
            if allocations != 0 {
                failed.push(format!(
                    "{scene} {boundary:?} {collisions:?}, room {room}, {threads} threads, {index}: \
                     {allocations}"
                ));
            }
        }
    }
    let cases = [
        (Boundary::Walls, true, false),
        (Boundary::Periodic, false, false),
        (Boundary::Walls, false, true),
        (Boundary::Periodic, true, true),
    ];
    for (boundary, collides, born) in cases {
        for pool in &pools {
            let allocations = pool.install(|| {
                if pool.current_num_threads() > 1 {
                    both_steal();
                }
                steps_with_rules(boundary, collides, born)
            });
            if allocations != 0 {
                failed.push(format!(
                    "rules, {boundary:?}, collisions {collides}, births {born}: {allocations}"
                ));
            }
        }
    }
    assert!(failed.is_empty(), "steps and draws that allocate: {failed:#?}");
    let region = Region::new(COUNTING);
    drop(vec![1_u8; 100]);
    assert_eq!(region.change().allocations, 1, "the allocator counts");
    println!("a step and a draw allocate nothing");
}

/// Makes each of two threads steal work from the other: the first time allocates, and on a busy
/// machine it may come late.
fn both_steal() {
    let [outer, inner] = [const { AtomicBool::new(false) }; 2];
    let wait_for = |begun: &AtomicBool| {
        while !begun.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
    };
    let begin = |begun: &AtomicBool| begun.store(true, Ordering::Release);
    // The first thread waits until the other has taken the second half. Then it can only steal from
    // the other.
    rayon::join(
        || wait_for(&outer),
        || {
            begin(&outer);
            rayon::join(|| wait_for(&inner), || begin(&inner));
        },
    );
}

fn steps_and_draws(setup: &Setup, index: &str) -> usize {
    let mut sim = Sim::new(setup).expect("the scene can be placed");
    let index = IndexKind::find(index).expect("the index is there");
    sim.set_index(index).expect("there is memory");
    let mut frame = Frame::new(320, 180).unwrap();
    // One renderer without an overlay, and one for each overlay. Overlays and these colors read the
    // grid.
    let mut colors = [
        ColorBy::Speed,
        ColorBy::Contacts,
        ColorBy::Flow,
        ColorBy::Temperature,
        ColorBy::Density,
        ColorBy::Order,
    ]
    .into_iter();
    let mut renderers = Overlay::ALL.map(|overlay| {
        let color_by = colors.next().unwrap();
        let look = Style { color_by, overlay, ..Style::from_setup(setup) };
        let mut renderer = Renderer::new(frame.width, frame.height, look).unwrap();
        renderer.record_starts(&View::from_sim(&sim));
        renderer
    });
    let mut camera = Camera::fit(&sim.world(), frame.width, frame.height);
    let mut rng = Rng::new(0);
    // The first steps grow the lists of contacts and outlier cells, also while all capacity is
    // used.
    for _ in 0..20 + setup.spare_agents / 5 {
        add_and_remove(&mut sim, &mut rng);
        sim.step().expect("there is memory");
    }
    renderers[0].draw(&mut frame, &camera, &View::from_sim(&sim));
    let region = Region::new(COUNTING);
    for round in 0..1_000 {
        add_and_remove(&mut sim, &mut rng);
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

/// Neighbors, and the agents' own numbers.
struct Mean;

impl PairRule<2, 2> for Mean {
    fn range(&self) -> f32 {
        3.0
    }
    fn reads(&self) -> [RuleColumn; 2] {
        [RuleColumn::Species, RuleColumn::Own("heat".to_owned())]
    }
    #[inline(always)]
    fn pair(&self, pair: &RulePair<2>) -> [f32; 2] {
        [1.0, pair.j[1] + pair.dx]
    }
}

/// Rules by which agents die and are born.
fn births() -> Rules {
    let mut agents = AgentFormulas::new();
    agents.dies = Some("random(1) < 0.02".into());
    agents.births = vec![BirthFormulas::new(1, "0.025".into())];
    agents.births[0].velocity = Some(["vy".into(), "-vx".into()]);
    let names = ["few".to_owned(), "some".to_owned()];
    let formulas = Formulas {
        species: names.to_vec(),
        columns: vec!["heat".to_owned()],
        agents: vec![agents],
        ..Formulas::new()
    };
    formulas.compile().expect("they are formulas")
}

fn steps_with_rules(boundary: Boundary, collides: bool, born: bool) -> usize {
    let setup = Setup { boundary, spare_agents: 100, ..Setup::with_agents(Scene::Gas, 5_000) };
    let mut start = scene::place(&setup).expect("a gas can be placed");
    let own = OwnColumns::new().with_species(vec![1; 5_000]);
    let heat = OwnColumn::new("heat", 1.0, vec![0.5; 5_000]);
    start.agents.own = Some(Box::new(own.with_numbers(heat)));
    let mut sim = Sim::from_start(&setup, start).expect("it can begin");
    let rules = Rules::new().with_pairs(Mean).with_agents(|agent: &mut RuledAgent<'_>| {
        let [count, sum] = agent.sums(0);
        agent.own[0] = (sum / (count + 1.0)).clamp(-1.0, 1.0);
        agent.velocity.x += agent.moment.dt * agent.own[0];
    });
    let rules = if born { births() } else { rules };
    sim.set_rules(if collides { rules } else { rules.without_collisions() }).expect("they fit");
    let mut rng = Rng::new(0);
    let mut steps = |sim: &mut Sim, count| {
        for _ in 0..count {
            add_and_remove(sim, &mut rng);
            sim.step().expect("there is memory");
        }
    };
    steps(&mut sim, 40);
    let region = Region::new(COUNTING);
    steps(&mut sim, 300);
    let change = region.change();
    change.allocations + change.reallocations
}

/// Adds agents while there is capacity, and removes some then. Ids soon exceed the capacity.
fn add_and_remove(sim: &mut Sim, rng: &mut Rng) {
    const SOME: usize = 10;
    if sim.setup().spare_agents == 0 {
        return;
    }
    if sim.capacity_left() >= SOME {
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
