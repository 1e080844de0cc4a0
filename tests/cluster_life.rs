//! Agents that are born, die and pick others on several ranks: the bits of one process.

use jostle::{
    Boundary, OwnColumn, OwnColumns, Rect, Scene, Setup, Sim, Static,
    cluster::{Rank, in_threads},
    rules::{AgentFormulas, BirthFormulas, Formula, Formulas, PairFormulas},
    scene::{self, Collisions},
    sim::Counters,
};

/// What agents of three species do, all of them alike.
struct Life {
    name: &'static str,
    setup: Setup,
    births: Vec<BirthFormulas>,
    dies: &'static str,
    collide: bool,
}

fn births(species: u8, number: &str) -> BirthFormulas {
    BirthFormulas::new(species, number.into())
}

/// Births anywhere in the world, also on other ranks than those of the parents.
fn far(number: &str) -> BirthFormulas {
    let mut far = births(1, number);
    far.at = Some(["width * (random(8) - 0.5)".into(), "height * (random(9) - 0.5)".into()]);
    far.velocity = Some(["vy".into(), "select(random(7) < 0.2, exp(1000), -vx)".into()]);
    far.set = vec![("food".into(), "food + 1".into())];
    far
}

/// Each agent picks a neighbor and counts by how many it was picked; two that have picked each other
/// attract each other.
fn picks(range: f32) -> Vec<PairFormulas> {
    let rule = |name: &str| {
        let mut rule = PairFormulas::new(name, range);
        rule.between = None;
        rule
    };
    let mut first = rule("first");
    first.pick = Some(("chosen".into(), "j.vx < i.vx".into()));
    let mut second = rule("second");
    second.pick = Some(("friend".into(), "j.chosen == i or r < 0.6".into()));
    let mut third = rule("third");
    let sum = |name: &str, text: &str| (name.to_owned(), Formula::from(text));
    third.sums = vec![
        sum("votes", "select(j.chosen == i, 1, 0)"),
        sum("pull", "select(i.friend == j or j.friend == i, dx, 0)"),
    ];
    vec![first, second, third]
}

fn begin(life: &Life) -> Sim {
    let Life { setup, births, dies, collide, .. } = life;
    let mut start = scene::place(setup).unwrap();
    let count = start.agents.len();
    let species = start.agents.id.iter().map(|&id| (id % 3) as u8).collect();
    let food = OwnColumn::new("food", 7.0, vec![0.0; count]);
    start.agents.own = Some(Box::new(OwnColumns::new().with_species(species).with_numbers(food)));
    let mut agents = AgentFormulas::new();
    agents.births.clone_from(births);
    agents.dies = Some((*dies).into());
    agents.acceleration = Some(["pull".into(), "votes".into()]);
    agents.set = vec![("food".into(), "votes + 0.5*food".into())];
    agents.becomes = vec![(2, "votes > 3".into())];
    let rules = Formulas {
        species: ["red", "green", "blue"].map(Into::into).into(),
        columns: vec!["food".into()],
        pairs: picks(2.5),
        agents: vec![agents],
        without_collisions: !collide,
        ..Formulas::new()
    };
    let mut sim = Sim::from_start(setup, start).unwrap();
    sim.set_rules(rules.compile().unwrap()).unwrap();
    let Rect { min, max } = sim.world();
    let [low, high] = [0.2, 0.8].map(|share| min + (max - min) * share);
    sim.add_statics(&[Static::disc(low, 2.0), Static::capsule([low, high], 0.5)]).unwrap();
    sim
}

/// What the run and its rules have counted; how often a list has grown is none of it.
fn counts(sim: &Sim) -> (Counters, u64, u64) {
    let counters = Counters { contact_growths: 0, ..sim.counters() };
    (counters, sim.unwritten(), sim.refused_births())
}

#[test]
fn lives_have_the_bits_of_one_process() {
    use Scene::{Burst, Gas, Mixed, Sparse};
    let setup =
        |scene| Setup { agents: 6_000, spare_agents: 4_000, spare_statics: 2, ..Setup::new(scene) };
    let (periodic, walls) = (Boundary::Periodic, Boundary::Walls);
    let life = |name, setup, births, dies, collide| Life { name, setup, births, dies, collide };
    let few = || vec![births(1, "random(1) < 0.01"), births(0, "id < 40")];
    let full = Setup { spare_agents: 900, boundary: walls, ..setup(Gas) };
    let swept = Setup { collisions: Collisions::Swept, density: 0.3, ..setup(Mixed) };
    let swept = Setup { speed: 60.0, boundary: periodic, ..swept };
    let rough = Setup { friction: 0.4, substeps: Some(2), ..setup(Mixed) };
    // Some ranks come to have no agents, while few enough go for the others to keep their order.
    let lower = "y < 0.6*height and (random(2) < 0.1 or step > 24)";
    let lives = [
        life("few", Setup { boundary: walls, ..setup(Gas) }, few(), "random(2) < 0.01", true),
        life("many", setup(Gas), vec![births(1, "random(1) < 0.3")], "random(2) < 0.2", true),
        life("no room", full.clone(), vec![births(1, "0.4")], "random(2) < 0.05", false),
        life("full", Setup { spare_agents: 0, ..full }, few(), "id < 0", false),
        life("far", Setup { boundary: periodic, ..setup(Gas) }, vec![far("0.01")], "id < 9", true),
        life("rare", setup(Sparse), vec![far("0.02")], "random(2) < 0.02", false),
        life("burst", setup(Burst), few(), "random(2) < 0.05 and x < 0.5*width", true),
        // Large ones are outliers in any cell, so that the time of the next sort follows them.
        life("large", setup(Mixed), few(), "random(2) < select(radius > 1, 0.1, 0.01)", true),
        // The largest of those left say how long a path a disc may cover.
        life("swept", swept, few(), "radius > 3 - 0.2*step", true),
        life("rough", rough, few(), "random(2) < 0.01", true),
        life("upper", setup(Gas), vec![], lower, true),
        life("gone", setup(Gas), vec![], "step > 3 and random(2) < 0.5", true),
    ];
    for life in lives {
        let name = life.name;
        let begin = begin(&life);
        let mut one = begin.clone();
        let steps = 30;
        let expected: Vec<_> = (0..steps)
            .map(|_| {
                one.step().unwrap();
                one.state_hash()
            })
            .collect();
        let on_ranks = |begin: &Sim, ranks, steps| {
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
            (hashes.into_iter().next().unwrap(), gathered.into_iter().flatten().next().unwrap())
        };
        let mut gathered = None;
        for ranks in [1, 2, 3, 4] {
            let (hashes, whole) = on_ranks(&begin, ranks, steps);
            let first = expected.iter().zip(&hashes).position(|(one, other)| one != other);
            assert_eq!(first, None, "{name} on {ranks} ranks differs after that step");
            assert_eq!(counts(&whole), counts(&one), "{name} on {ranks} ranks");
            assert_eq!(whole.agents().id, one.agents().id, "{name}");
            gathered = Some(whole);
        }
        // Another number of ranks goes on with what was gathered.
        let whole = gathered.unwrap();
        let (hashes, end) = on_ranks(&whole, 2, 8);
        for hash in hashes {
            one.step().unwrap();
            assert_eq!(hash, one.state_hash(), "{name} goes on");
        }
        assert_eq!(counts(&end), counts(&one), "{name} goes on");
        let (counters, unwritten, refused) = counts(&one);
        assert_eq!(refused > 0, ["many", "no room", "full"].contains(&name), "{name}: {refused}");
        assert_eq!(counters.spawned > 0, !["full", "upper", "gone"].contains(&name), "{name}");
        assert_eq!(counters.removed > 0, name != "full", "{name}: {counters:?}");
        assert!((unwritten > 0) == (name == "far" || name == "rare"), "{name}: {unwritten}");
    }
}
