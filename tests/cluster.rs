//! Runs on several ranks: the bits of one process.

use jostle::{
    Boundary, Scene, Setup, Sim,
    cluster::{Rank, in_threads},
    scene::Collisions,
};

/// State hashes after each of some steps.
fn alone(setup: &Setup, steps: usize) -> Vec<u64> {
    let mut sim = Sim::new(setup).unwrap();
    let mut hashes = vec![sim.state_hash()];
    for _ in 0..steps {
        sim.step().unwrap();
        hashes.push(sim.state_hash());
    }
    hashes
}

/// The same on several ranks.
fn split(setup: &Setup, steps: usize, ranks: usize) -> Vec<u64> {
    let of_ranks = in_threads(ranks, |link| {
        let mut rank = Rank::new(setup, link).unwrap();
        let mut hashes = vec![rank.state_hash()];
        for _ in 0..steps {
            rank.step().unwrap();
            hashes.push(rank.state_hash());
        }
        hashes
    });
    assert!(of_ranks.iter().all(|hashes| *hashes == of_ranks[0]), "all ranks have one hash");
    of_ranks.into_iter().next().unwrap()
}

fn same(setup: &Setup, steps: usize, ranks: impl IntoIterator<Item = usize>) {
    let expected = alone(setup, steps);
    for ranks in ranks {
        let hashes = split(setup, steps, ranks);
        let first = expected.iter().zip(&hashes).position(|(one, other)| one != other);
        assert_eq!(first, None, "{:?} on {ranks} ranks differs after that step", setup.scene);
    }
}

#[test]
fn scenes_have_the_bits_of_one_process() {
    for scene in [Scene::Gas, Scene::Mixed, Scene::Giants, Scene::Burst, Scene::Sparse] {
        let setup = Setup { agents: 20_000, ..Setup::new(scene) };
        same(&setup, 60, [1, 2, 3, 7]);
    }
}

#[test]
fn fast_agents_are_sorted_by_all_ranks() {
    let gas = Setup::new(Scene::Gas);
    for factor in [10.0, 100.0] {
        let setup = Setup { agents: 20_000, speed: factor * gas.speed, ..gas.clone() };
        same(&setup, 30, [2, 4]);
    }
}

#[test]
fn crowded_worlds_and_slow_walls_make_no_difference() {
    let dense = Setup { agents: 20_000, density: 0.5, ..Setup::new(Scene::Mixed) };
    let lossy = Setup { restitution: 0.7, ..dense.clone() };
    let fine = Setup { substeps: Some(3), agents: 5_000, ..Setup::new(Scene::Gas) };
    for setup in [dense, lossy, fine] {
        same(&setup, 40, [2, 5]);
    }
}

#[test]
fn more_ranks_than_bands_are_refused() {
    let setup = Setup { agents: 500, ..Setup::new(Scene::Gas) };
    let refused = in_threads(8, |link| Rank::new(&setup, link).map(drop).unwrap_err());
    for error in refused {
        let sentence = error.to_string();
        assert!(sentence.contains('8') && sentence.contains("ranks"), "{sentence}");
    }
}

#[test]
fn what_ranks_cannot_do_is_refused_in_a_sentence() {
    let swept = Setup { collisions: Collisions::Swept, ..Setup::new(Scene::Gas) };
    let periodic = Setup { boundary: Boundary::Periodic, ..Setup::new(Scene::Gas) };
    for setup in [swept, periodic, Setup::new(Scene::Pile), Setup::new(Scene::Melee)] {
        let setup = Setup { agents: 1_000, ..setup };
        let refused = in_threads(2, |link| Rank::new(&setup, link).map(drop).unwrap_err());
        assert!(refused.iter().all(|error| error.to_string().contains("ranks")), "{refused:?}");
    }
}
