//! The contact solver on several ranks: the bits of one process.

use jostle::{
    Error, Rect, Scene, Setup, Sim, Static, Vec2,
    cluster::{Rank, in_threads},
    scene::{self, Solver, Start},
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

const SHAFT: Option<Vec2> = Some(Vec2::new(40.0, 400.0));

#[test]
fn piles_have_the_bits_of_one_process() {
    let pile = Setup { world: SHAFT, ..Setup::with_agents(Scene::Pile, 2_000) };
    let fewest = placed("pile", &pile, 600, &[1, 2, 3, 4, 7, 8]);
    assert!(fewest < 1_000, "most sleep: {fewest}");
    let rough = Setup { friction: 0.5, rolling: 0.1, ..pile.clone() };
    let fewest = placed("rough pile", &rough, 600, &[2, 3, 7]);
    assert!(fewest < 1_000, "most sleep: {fewest}");
    placed("awake pile", &Setup { sleep: false, ..pile }, 200, &[2, 5]);
}
