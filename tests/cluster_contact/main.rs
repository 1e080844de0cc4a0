//! Agents that press on each other, come and go on several ranks: the bits of one process.

mod gathered;
mod heaps;
mod scene_rules;

use jostle::{
    Error, Scene, Setup, Sim, Vec2,
    cluster::{Rank, in_threads},
    rules::{AgentFormulas, BirthFormulas, Formulas, Rules},
    scene::{self, Start},
    sim::Counters,
};

/// State hashes after each of some steps, and the fewest agents that were awake.
fn alone(setup: &Setup, start: &Start, steps: usize) -> (Vec<u64>, usize) {
    let mut sim = Sim::from_start(setup, start.clone()).unwrap();
    let mut fewest = sim.agents().len();
    let hashes = (0..steps).map(|_| {
        sim.step().unwrap();
        fewest = fewest.min(sim.awake());
        sim.state_hash()
    });
    (hashes.collect(), fewest)
}

/// The same hashes on several ranks; `None` if there are too few bands for these.
fn split(setup: &Setup, start: &Start, steps: usize, ranks: usize) -> Option<Vec<u64>> {
    let of_ranks: Result<Vec<_>, Error> = in_threads(ranks, |link| {
        let mut rank = Rank::from_start(setup, start.clone(), link)?;
        let step = |_| {
            rank.step().unwrap();
            rank.state_hash()
        };
        Ok((0..steps).map(step).collect::<Vec<_>>())
    })
    .into_iter()
    .collect();
    match of_ranks {
        Ok(hashes) => {
            assert!(hashes.iter().all(|of_rank| *of_rank == hashes[0]), "all ranks have one hash");
            hashes.into_iter().next()
        }
        Err(error) => {
            assert!(error.to_string().starts_with("ranks"), "{error}");
            None
        }
    }
}

/// Compares a run on some ranks with one process. Returns the fewest agents that were awake.
fn same(name: &str, setup: &Setup, start: &Start, steps: usize, ranks: &[usize]) -> usize {
    let (expected, fewest) = alone(setup, start, steps);
    for &ranks in ranks {
        let hashes = split(setup, start, steps, ranks);
        let hashes = hashes.unwrap_or_else(|| panic!("{name} has too few bands for {ranks} ranks"));
        let first = expected.iter().zip(&hashes).position(|(one, other)| one != other);
        assert_eq!(first, None, "{name} on {ranks} ranks differs after that step");
    }
    fewest
}

fn placed(name: &str, setup: &Setup, steps: usize, ranks: &[usize]) -> usize {
    same(name, setup, &scene::place(setup).unwrap(), steps, ranks)
}

/// A narrow world has many bands for few agents.
const fn shaft(width: f32, height: f32) -> Vec2 {
    Vec2::new(width, height)
}

/// 1,000 agents that fall and come to rest.
fn pile() -> Setup {
    Setup { world: Some(shaft(21.0, 250.0)), ..Setup::with_agents(Scene::Pile, 1_000) }
}

/// A pile at rest.
fn resting(setup: &Setup, steps: usize) -> Sim {
    let mut sim = Sim::new(setup).unwrap();
    for _ in 0..steps {
        sim.step().unwrap();
    }
    sim
}

/// Continues a run on some ranks, gathers it, and continues it in one process and on other ranks.
fn continued(name: &str, begin: &Sim, steps: usize, is_ruled: bool) {
    let on_ranks = |begin: &Sim, ranks: usize| {
        let (hashes, gathered): (Vec<_>, Vec<_>) = in_threads(ranks, |link| {
            let mut rank = Rank::from_sim(begin.clone(), link).unwrap();
            let step = |_| {
                rank.step().unwrap();
                rank.state_hash()
            };
            let hashes: Vec<_> = (0..steps).map(step).collect();
            (hashes, rank.gather().unwrap())
        })
        .into_iter()
        .unzip();
        assert!(hashes.iter().all(|of_rank| *of_rank == hashes[0]), "{name}: one hash");
        let gathered = gathered.into_iter().flatten().next().unwrap();
        (hashes.into_iter().next().unwrap(), gathered)
    };
    let mut one = begin.clone();
    let mut alone = |steps: usize| -> (Vec<u64>, Sim) {
        let hashes = (0..steps).map(|_| {
            one.step().unwrap();
            one.state_hash()
        });
        (hashes.collect(), one.clone())
    };
    let (first, middle) = alone(steps);
    let (second, end) = alone(steps);
    for ranks in [1, 2, 3, 5] {
        let (hashes, whole) = on_ranks(begin, ranks);
        let differs = first.iter().zip(&hashes).position(|(one, other)| one != other);
        assert_eq!(differs, None, "{name} on {ranks} ranks differs after that step");
        assert_eq!(counts(&whole), counts(&middle), "{name} on {ranks} ranks");
        assert_eq!(whole.agents().id, middle.agents().id, "{name} on {ranks} ranks");
        assert_eq!(whole.awake(), middle.awake(), "{name} on {ranks} ranks");
        let (hashes, gathered) = on_ranks(&whole, 6 - ranks);
        let differs = second.iter().zip(&hashes).position(|(one, other)| one != other);
        assert_eq!(differs, None, "{name} goes on from {ranks} ranks on others");
        assert_eq!(counts(&gathered), counts(&end), "{name} from {ranks} ranks");
        // A snapshot has no rules but those of a world file.
        let saved = (!is_ruled).then(|| Sim::restore(&whole.snapshot().unwrap()).unwrap());
        for mut goes_on in [whole].into_iter().chain(saved) {
            for (step, expected) in second.iter().enumerate() {
                goes_on.step().unwrap();
                assert_eq!(goes_on.state_hash(), *expected, "{name}: {ranks} ranks, step {step}");
            }
        }
    }
}

/// What the run has counted; how often a list has grown is none of it.
fn counts(sim: &Sim) -> Counters {
    Counters { contact_growths: 0, ..sim.counters() }
}

/// Rules by which agents are born, die and are pushed to and fro.
fn lives(born: &str, dies: &str) -> Rules {
    let mut agents = AgentFormulas::new();
    agents.births = vec![BirthFormulas::new(0, born.into())];
    agents.dies = Some(dies.into());
    agents.acceleration = Some(["sin(time + y)".into(), "0".into()]);
    let species = vec!["all".into()];
    let formulas = Formulas { species, agents: vec![agents], ..Formulas::new() };
    formulas.compile().unwrap()
}
