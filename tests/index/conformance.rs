//! The suite: what any index must find, on any scene and at any edge.

use jostle::{Rect, Scene, Setup, Sim, Vec2, index::IndexKind, rng::Rng};

use crate::crowd::{Crowd, build, check, config, pairs};

fn kind(name: &str) -> IndexKind {
    IndexKind::find(name).expect("the index is there")
}

/// Places all over a world and a little beyond.
fn probes(world: Rect, rng: &mut Rng, count: usize) -> Vec<(Vec2, f32)> {
    let size = world.size();
    (0..count)
        .map(|_| {
            let share = Vec2::new(rng.between(-0.1, 1.1), rng.between(-0.1, 1.1));
            (world.min + size * share, size.min_element() * rng.between(0.0, 0.2))
        })
        .collect()
}

/// The pairs of the oracle on every scene, one update after the other.
pub(crate) fn every_scene(name: &str) {
    let (kind, mut rng) = (kind(name), Rng::new(1));
    for scene in Scene::ALL {
        let setup = Setup::with_agents(scene, 2_000);
        let mut sim = Sim::new(&setup).expect("the scene can be placed");
        let grid = *sim.grid().config();
        let crowd = Crowd::of_agents(sim.agents(), sim.setup().agents);
        let mut index = build(kind, &config(&crowd, sim.world(), grid.loose_size.x));
        let mut met = 0;
        for steps in [0, 1, 2, 20, 100] {
            while sim.steps() < steps {
                sim.step().expect("there is memory");
            }
            let crowd = Crowd::of_agents(sim.agents(), sim.setup().agents);
            index.update(&crowd.discs()).expect("there is memory");
            let probes = probes(sim.world(), &mut rng, 4);
            met += check(&mut *index, &crowd, &probes, &format!("{scene}, {steps} steps")).len();
        }
        assert!(met > 0, "{scene}: agents meet");
    }
}

/// Nobody, one, many in one place, some outside the world, some larger than it, a row that grazes.
pub(crate) fn edges(name: &str) {
    let kind = kind(name);
    let world = Rect::from_size(40.0, 30.0);
    let everywhere = [
        (Vec2::new(20.0, 15.0), 1e6),
        (Vec2::new(20.0, 15.0), 0.0),
        (Vec2::new(-50.0, 80.0), 70.0),
        (Vec2::new(5.0, 5.0), 3.0),
    ];
    let one_place = |count| Crowd::of(vec![(5.0, 20.0, 0.25); count]);
    let outside = [(-300.0, 15.0, 2.0), (-301.0, 15.5, 1.0), (20.0, 1e5, 3.0), (21.0, 1e5, 3.0)];
    let larger = [(20.0, 15.0, 60.0), (1.0, 1.0, 0.5), (39.0, 29.0, 0.5), (-20.0, 15.0, 30.0)];
    let touching = (0..8).map(|i| (4.0 * i as f32, 10.0, 2.0));
    let grazing = (0..8).map(|i| (3.999_999 * i as f32, 10.0, 2.0));
    let corners = [(0.0, 0.0, 1.0), (40.0, 0.0, 1.0), (40.0, 30.0, 1.0), (0.0, 30.0, 1.0)];
    let points = [(3.0, 3.0, 0.0), (3.0, 3.0, 0.0), (3.5, 3.0, 1.0)];
    for (what, crowd) in [
        ("nobody", Crowd::default()),
        ("one", Crowd::of([(3.0, 4.0, 1.0)])),
        ("two in one place", one_place(2)),
        ("300 in one place", one_place(300)),
        ("some outside", Crowd::of(outside.into_iter().chain([(0.0, 15.0, 1.0)]))),
        ("some larger than the world", Crowd::of(larger)),
        ("a row that touches", Crowd::of(touching)),
        ("a row that grazes", Crowd::of(grazing)),
        ("corners", Crowd::of(corners)),
        ("points", Crowd::of(points)),
    ] {
        for cell in [0.7, 5.0, 100.0] {
            let mut index = build(kind, &config(&crowd, world, cell));
            check(&mut *index, &Crowd::default(), &everywhere, "before the first update");
            index.update(&crowd.discs()).expect("there is memory");
            check(&mut *index, &crowd, &everywhere, what);
            let mut gone = crowd.clone();
            gone.alive.fill(false);
            index.update(&gone.discs()).expect("there is memory");
            check(&mut *index, &gone, &everywhere, &format!("{what}, all gone"));
            index.update(&crowd.discs()).expect("there is memory");
            check(&mut *index, &crowd, &everywhere, &format!("{what}, back again"));
        }
    }
}

/// Sizes over three decades, in worlds that are not square and begin anywhere, with cells far too small and
/// far too large.
pub(crate) fn any_world(name: &str) {
    let (kind, mut rng) = (kind(name), Rng::new(2));
    for (origin, size) in [
        (Vec2::ZERO, Vec2::new(160.0, 90.0)),
        (Vec2::new(-731.5, 1_212.25), Vec2::new(400.0, 7.0)),
        (Vec2::new(60_000.0, -30_000.0), Vec2::new(30.0, 300.0)),
    ] {
        let world = Rect::new(origin, origin + size);
        let mut discs = Vec::new();
        for i in 0..600 {
            let share = Vec2::new(rng.between(-0.05, 1.05), rng.between(-0.05, 1.05));
            let at = origin + size * share;
            let radius = if i % 100 == 0 { 20.0 } else { rng.between(0.02, 1.5) };
            discs.push((at.x, at.y, radius));
            // And one that grazes it.
            let (other, apart) = (rng.between(0.1, 0.5), rng.between(0.999_9, 1.000_01));
            let direction = [rng.direction(), Vec2::X, Vec2::Y][rng.below(3) as usize];
            let beside = at + direction * (radius + other) * apart;
            discs.push((beside.x, beside.y, other));
        }
        let mut crowd = Crowd::of(discs);
        for cell in [0.5, 4.0, 70.0] {
            let mut index = build(kind, &config(&crowd, world, cell));
            for round in 0..3 {
                index.update(&crowd.discs()).expect("there is memory");
                let probes = probes(world, &mut rng, 6);
                check(&mut *index, &crowd, &probes, &format!("{world:?}, round {round}"));
                crowd.x.iter_mut().for_each(|x| *x += rng.between(-2.0, 2.0));
                crowd.y.reverse();
            }
        }
    }
}

/// Two discs that overlap by a hair or miss each other by one, of any two sizes and anywhere: what a box and a
/// distance round differently is found all the same.
pub(crate) fn grazing(name: &str) {
    let (kind, mut rng) = (kind(name), Rng::new(3));
    let world = Rect::new(Vec2::splat(-100.0), Vec2::splat(60_000.0));
    let sizes = Crowd::of([(0.0, 0.0, 1_000.0), (0.0, 0.0, 0.001)]);
    let mut index = build(kind, &config(&sizes, world, 30.0));
    let mut met = 0;
    for round in 0..3_000 {
        let decades = [0.001, 0.01, 0.1, 1.0, 10.0, 100.0];
        let [one, other] =
            [5, 6].map(|most| decades[rng.below(most) as usize] * rng.between(1.0, 10.0));
        let far = [1.0, 50.0, 50_000.0][rng.below(3) as usize];
        let at = Vec2::new(rng.between(-1.0, 1.0), rng.between(0.0, 1.0)) * far;
        let direction = [rng.direction(), Vec2::X, -Vec2::Y][rng.below(3) as usize];
        let beside = at + direction * (one + other);
        let hair = |value: f32| f32::from_bits(value.to_bits() ^ (round & 3));
        let beside = Vec2::new(hair(beside.x), hair(beside.y));
        let crowd = Crowd::of([(at.x, at.y, one), (beside.x, beside.y, other)]);
        index.update(&crowd.discs()).expect("there is memory");
        met += check(&mut *index, &crowd, &[(beside, other)], &format!("{crowd:?}")).len();
    }
    assert!((500..2_500).contains(&met), "{met} of 3,000 overlap");
}

/// What has held a crowd once holds it again with no more memory.
pub(crate) fn steady(name: &str) {
    let kind = kind(name);
    let mut sim = Sim::new(&Setup { agents: 2_000, ..Setup::new(Scene::Gas) }).expect("it fits");
    let loose = sim.grid().config().loose_size.x;
    let start = Crowd::of_agents(sim.agents(), sim.setup().agents);
    let mut index = build(kind, &config(&start, sim.world(), loose));
    for _ in 0..5 {
        sim.step().expect("there is memory");
    }
    let crowds = [start, Crowd::of_agents(sim.agents(), sim.setup().agents)];
    let mut held = Vec::new();
    for _ in 0..4 {
        for crowd in &crowds {
            index.update(&crowd.discs()).expect("there is memory");
            pairs(&mut *index, crowd);
        }
        held.push((index.memory(), index.growths()));
    }
    assert!(held[1..].iter().all(|&now| now == held[1]), "{held:?}");
}
