//! Properties of every start, checked without a grid.

use jostle::{Agent, Agents, Rect, Scene, Setup, Statics, grid::Disc, scene, scene::Start};

/// A scene's own set-up with another number of agents.
pub(crate) fn setup(scene: Scene, agents: u32) -> Setup {
    Setup::with_agents(scene, agents)
}

pub(crate) fn start(setup: &Setup) -> Start {
    scene::place(setup).unwrap_or_else(|error| panic!("{setup:?}: {error}"))
}

/// True if two discs overlap, by the definition of the crate.
fn overlap(agents: &Agents, i: usize, j: usize) -> bool {
    let (dx, dy) = (agents.x[i] - agents.x[j], agents.y[i] - agents.y[j]);
    let sum = agents.radius[i] + agents.radius[j];
    dx * dx + dy * dy < sum * sum
}

/// The number of overlaps, by testing every pair.
fn overlaps_naive(agents: &Agents) -> usize {
    let pairs = (0..agents.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.filter(|&(i, j)| overlap(agents, i, j)).count()
}

/// A sweep along the longer side over the discs of about one size, so that giants don't make every
/// window wide: each class with itself and with all larger ones.
fn overlaps_sorted(agents: &Agents, world: &Rect) -> usize {
    let along = if world.width() > world.height() { &agents.x } else { &agents.y };
    let mut slots: Vec<usize> = (0..agents.len()).collect();
    slots.sort_unstable_by(|&i, &j| agents.radius[j].total_cmp(&agents.radius[i]));
    let mut classes: Vec<(f32, Vec<usize>)> = Vec::new();
    for slot in slots {
        match classes.last_mut() {
            Some((widest, class)) if agents.radius[slot] * 2.0 > *widest => class.push(slot),
            _ => classes.push((agents.radius[slot], vec![slot])),
        }
    }
    for (_, class) in &mut classes {
        class.sort_unstable_by(|&i, &j| along[i].total_cmp(&along[j]));
    }
    let mut count = 0;
    for (n, (widest, larger)) in classes.iter().enumerate() {
        for (m, (_, smaller)) in classes.iter().enumerate().skip(n) {
            for &i in smaller {
                // A little more than the sum of the radii, because the bound is rounded.
                let reach = (agents.radius[i] + widest) * 1.02;
                let first = larger.partition_point(|&j| along[j] < along[i] - reach);
                count += larger[first..]
                    .iter()
                    .take_while(|&&j| along[j] <= along[i] + reach)
                    .filter(|&&j| (n != m || j < i) && overlap(agents, i, j))
                    .count();
            }
        }
    }
    count
}

/// Checks all properties of every start.
pub(crate) fn check(setup: &Setup, start: &Start) {
    let Start { world, agents, .. } = start;
    let about = format!("{} of {}", setup.agents, setup.scene);
    assert_eq!(agents.len(), setup.agents as usize, "{about}");
    assert!(agents.id.iter().copied().eq(0..setup.agents), "{about}");
    assert_eq!(*world, setup.world(), "{about}");
    let [low, high] = setup.radius;
    let largest = if setup.scene == Scene::Giants { f32::INFINITY } else { high };
    for slot in 0..agents.len() {
        let agent = agents.get(slot);
        let around = Rect::around(agent.position, agent.radius);
        assert!(world.contains_rect(&around), "{about}: {agent:?} is not in {world:?}");
        assert!(world.expanded(-agent.radius).contains(agent.position), "{about}: {agent:?}");
        assert!((low..=largest).contains(&agent.radius), "{about}: {agent:?}");
        let speed = agent.velocity.length() / setup.speed;
        let speeds = if setup.scene == Scene::Cannon { 0.0..=0.0 } else { 0.4999..=1.5001 };
        assert!(speeds.contains(&speed), "{about}: {agent:?}");
    }
    assert_eq!(overlaps_sorted(agents, world), 0, "{about}");
    if agents.len() <= 2_000 {
        assert_eq!(overlaps_naive(agents), 0, "{about}");
    }
    // The discs cover the requested share of the populated area.
    let covered = covered(agents);
    let area = f64::from(world.width()) * f64::from(world.height());
    let clustered = matches!(setup.scene, Scene::Burst | Scene::Sparse);
    if clustered || setup.world.is_none() {
        let of = if clustered { start.populated } else { area };
        assert!((covered / of / f64::from(setup.density) - 1.0).abs() < 1e-3, "{about}");
    }
    if !clustered && !matches!(setup.scene, Scene::Pegs | Scene::Cannon | Scene::Dam | Scene::Shock)
    {
        assert!((start.populated / area - 1.0).abs() < 1e-3, "{about}");
    }
    // No agent starts in a static.
    let statics = Statics::new(*world, &start.statics, 0).expect("they lie in the world");
    for slot in 0..agents.len() {
        let Agent { position: center, radius, .. } = agents.get(slot);
        // Less than it is: the wall of a hopper is where agents may be.
        let disc = Disc { center, radius: radius * 0.999 };
        statics.visit_near(&Rect::around(center, radius), |place| {
            assert!(!statics.get(place).intersects_disc(&disc), "{about}: {disc:?} in a static");
        });
    }
}

fn covered(agents: &Agents) -> f64 {
    let squares = agents.radius.iter().map(|&r| f64::from(r) * f64::from(r));
    squares.sum::<f64>() * std::f64::consts::PI
}
