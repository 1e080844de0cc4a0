//! Rules of a caller's own: nanoseconds of the phase `forces` per agent and neighbor.
//!
//! `cargo bench --bench rules` prints a table: half a million agents, uniform, without collisions, on
//! one thread, in processor time, the least of some steps; and with two threads in wall time. `life`
//! is particle life of six species, whose forces come from a matrix; `text` is the same rule as formulas;
//! `boids` has six sums and a count; `count` only counts. Agents lie in a world with walls, and in one that
//! repeats; `clumps` have a hundred times the density in a hundredth of the world. Lines below have
//! milliseconds of whole steps of `text`, or of a drag, without and with births and deaths of 1 % of
//! the agents, each the mean of 40 steps; `cargo bench --bench rules -- births` prints these alone. Where
//! LAMMPS is installed (`lmp`), a last line has the time of its pairs of Lennard and Jones at 20 neighbors,
//! without the building of its lists. Without `--bench`, as in the tests, it runs small and once.

use std::{
    io::Write,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use jostle::{
    Boundary, OwnColumns, Scene, Setup, Sim, Vec2,
    rng::Rng,
    rules::{
        AgentFormulas, BirthFormulas, Formulas, PairFormulas, PairRule, RuleColumn, RulePair,
        Rules, SpeciesMatrix,
    },
    scene,
    step::{Phase, Probe},
};
use rayon::ThreadPoolBuilder;

/// Species of `life`.
const SPECIES: u32 = 6;

struct Life {
    range: f32,
    /// The range below which all repel each other.
    core: f32,
    pull: SpeciesMatrix,
}

impl PairRule<1, 2> for Life {
    fn range(&self) -> f32 {
        self.range
    }
    fn reads(&self) -> [RuleColumn; 1] {
        [RuleColumn::Species]
    }
    #[inline(always)]
    fn pair(&self, pair: &RulePair<1>) -> [f32; 2] {
        let Self { range, core, pull } = self;
        let r = pair.r2.sqrt();
        let pull = pull.get(pair.i[0], pair.j[0]);
        let repelled = r / core - 1.0;
        let felt = pull * (1.0 - (2.0 * r - range - core).abs() / (range - core));
        let force = if r < *core { repelled } else { felt };
        let share = if r > 0.0 { force / r } else { 0.0 };
        [share * pair.dx, share * pair.dy]
    }
}

/// The same as formulas.
fn life_as_text(range: f32) -> Formulas {
    let mut life = PairFormulas::new("life", range);
    let felt = "pull[i,j] * (1 - abs(2*r - range - core) / (range - core))";
    let texts = |name: &str, text: String| (name.to_owned(), text.as_str().into());
    life.lets = vec![texts("f", format!("select(r < core, r/core - 1, {felt})"))];
    life.sums = vec![texts("fx", "f/r * dx".to_owned()), texts("fy", "f/r * dy".to_owned())];
    Formulas {
        species: (0..SPECIES).map(|of| format!("s{of}")).collect(),
        params: vec![("range".to_owned(), range), ("core".to_owned(), 0.3 * range)],
        matrices: vec![("pull".to_owned(), pull())],
        pairs: vec![life],
        ..Formulas::new()
    }
}

struct Boids {
    range: f32,
}

impl PairRule<2, 7> for Boids {
    fn range(&self) -> f32 {
        self.range
    }
    fn reads(&self) -> [RuleColumn; 2] {
        [RuleColumn::Vx, RuleColumn::Vy]
    }
    #[inline(always)]
    fn pair(&self, pair: &RulePair<2>) -> [f32; 7] {
        let [vx, vy] = pair.j;
        let near = 0.15 * self.range * self.range;
        let q = if pair.r2 < near { 1.0 / (pair.r2 + 0.01) } else { 0.0 };
        [1.0, vx, vy, pair.dx, pair.dy, q * pair.dx, q * pair.dy]
    }
}

struct Count {
    range: f32,
}

impl PairRule<0, 1> for Count {
    fn range(&self) -> f32 {
        self.range
    }
    fn reads(&self) -> [RuleColumn; 0] {
        []
    }
    #[inline(always)]
    fn pair(&self, _: &RulePair<0>) -> [f32; 1] {
        [1.0]
    }
}

/// The time of the rules of a step: since when they run, and how long they took.
#[derive(Default)]
struct Forces {
    since: Option<(Duration, Instant)>,
    /// Processor time of all threads, and wall time.
    took: [Duration; 2],
}

fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.try_into().expect("a time since the start")
}

impl Probe for Forces {
    fn begin(&mut self, phase: Phase) {
        self.end();
        if phase == Phase::Forces {
            self.since = Some((processor_time(), Instant::now()));
        }
    }
    fn end(&mut self) {
        if let Some((processor, wall)) = self.since.take() {
            self.took = [processor_time().saturating_sub(processor), wall.elapsed()];
        }
    }
}

/// Runs without collisions; half of the clumps' agents lie in a hundredth of the world.
fn run(agents: u32, spare_agents: u32, boundary: Boundary, clumps: bool) -> Sim {
    let setup =
        Setup { boundary, spare_agents, speed: 1.0, ..Setup::with_agents(Scene::Gas, agents) };
    let mut start = scene::place(&setup).expect("a gas can be placed");
    let (world, mut rng) = (start.world, Rng::new(3));
    for slot in 0..agents as usize {
        let part = if clumps && slot % 2 == 0 { 0.1 } else { 1.0 };
        let mut at = || (rng.unit() - 0.5) * part;
        let share = Vec2::new(at(), at());
        let place = world.center() + (world.size() - 4.0 * setup.radius[1]) * share;
        [start.agents.x[slot], start.agents.y[slot]] = place.to_array();
    }
    let species = (0..agents).map(|_| rng.below(SPECIES) as u8).collect();
    start.agents.own = Some(Box::new(OwnColumns::new().with_species(species)));
    let mut sim = Sim::from_start(&setup, start).expect("it can begin");
    sim.set_rules(Rules::new().without_collisions()).expect("there is memory");
    (0..12).for_each(|_| sim.step().expect("there is memory"));
    sim
}

/// The least processor and wall time of the rules in some steps.
fn times(sim: &mut Sim, rules: Rules, turns: u32) -> [Duration; 2] {
    sim.set_rules(rules.without_collisions()).expect("they fit");
    let mut least = [Duration::MAX; 2];
    for _ in 0..turns {
        let mut forces = Forces::default();
        sim.step_with(&mut forces).expect("there is memory");
        least = [0, 1].map(|clock| least[clock].min(forces.took[clock]));
    }
    least
}

/// Steps that are measured together for the cost of births and deaths, and steps before.
const RENEWED: [u32; 2] = [40, 5];

/// Prints the processor time of whole steps without and with births and deaths of 1 % of the agents, each
/// the least of some turns, one after the other.
fn print_births(agents: u32, turns: u32) {
    // Births need room for what deaths do not balance.
    let sim = || run(agents, agents / 10, Boundary::Walls, false);
    let size = sim().world().size();
    let density = agents as f32 / (size.x * size.y);
    for (wanted, collide) in
        [(0.0_f32, false), (0.0, true), (3.0, false), (10.0, false), (20.0, false)]
    {
        let range = (wanted / (std::f32::consts::PI * density)).sqrt();
        let feels = wanted > 0.0;
        let mut formulas = life_as_text(range);
        if !feels {
            formulas.pairs.clear();
        }
        let mut sims = [false, true].map(|renews| {
            let mut of_agents = AgentFormulas::new();
            of_agents.drag = (!feels).then(|| "0.5".into());
            if renews {
                of_agents.dies = Some("random(1) < 0.01".into());
                of_agents.births = vec![BirthFormulas::new(0, "0.01".into())];
            }
            formulas.agents = if feels && !renews { Vec::new() } else { vec![of_agents] };
            let rules = formulas.compile().expect("they are formulas");
            let mut sim = sim();
            sim.set_rules(if collide { rules } else { rules.without_collisions() })
                .expect("they fit");
            sim
        });
        let mut least = [Duration::MAX; 2];
        for _ in 0..turns {
            for (sim, least) in sims.iter_mut().zip(&mut least) {
                let steps = |sim: &mut Sim, count: u32| {
                    let since = processor_time();
                    (0..count).for_each(|_| sim.step().expect("there is memory"));
                    processor_time().saturating_sub(since)
                };
                // The first ones bring back to the caches what the other run has displaced.
                steps(sim, RENEWED[1]);
                *least = (*least).min(steps(sim, RENEWED[0]));
            }
        }
        let [without, with] = least.map(|time| time.as_secs_f64() * 1e3 / f64::from(RENEWED[0]));
        let share = with / without;
        let what = match (feels, collide) {
            (true, _) => format!("{wanted} neighbors"),
            (_, false) => "drag".to_owned(),
            (_, true) => "drag, collisions".to_owned(),
        };
        println!(
            "{what:16}   step {without:6.2} ms   births and deaths {with:6.2} ms   {share:5.2} times"
        );
    }
}

/// A matrix of attractions and repulsions.
fn pull() -> SpeciesMatrix {
    let row = |i: usize| std::array::from_fn(|j| ((i * 7 + j * 3) % 5) as f32 / 2.0 - 1.0);
    let rows: [[f32; SPECIES as usize]; SPECIES as usize] = std::array::from_fn(row);
    SpeciesMatrix::new(&rows.each_ref().map(|row| &row[..]))
}

/// Atoms on a square lattice of distance 1, which all have 20 others within 2.523: `Neigh` is left out, as
/// atoms that hardly move build their lists once.
const LATTICE: &str = "
units lj
dimension 2
lattice sq 1.0
region box block 0 500 0 500 -0.25 0.25 units box
create_box 1 box
create_atoms 1 box
mass 1 1.0
pair_style lj/cut 2.523
pair_coeff 1 1 0.0001 0.1 2.523
neighbor 0.3 bin
velocity all create 1.0 4321
fix 1 all nve
fix 2 all enforce2d
timestep 0.001
run 40
";

/// Nanoseconds of processor time that LAMMPS takes per atom and neighbor; none if it is not installed.
fn lammps() -> Option<f64> {
    let mut command = Command::new("lmp");
    command.args(["-log", "none"]).env("OMP_NUM_THREADS", "1");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    child.stdin.take()?.write_all(LATTICE.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let pairs = text.lines().find_map(|line| line.strip_prefix("Pair "))?;
    let seconds: f64 = pairs.split('|').nth(2)?.trim().parse().ok()?;
    // Its clock is wall time; it says how much of that was its own.
    let used = text.lines().find_map(|line| line.split_once("% CPU use"))?.0;
    let used: f64 = used.trim().parse().ok()?;
    Some(seconds * used / 100.0 * 1e9 / (40.0 * 250_000.0 * 20.0))
}

fn main() {
    let measures = std::env::args().any(|argument| argument == "--bench");
    let (agents, turns) = if measures { (500_000, 9) } else { (2_000, 1) };
    let pools = [1, 2]
        .map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"));
    if std::env::args().any(|argument| argument == "births") {
        return pools[0].install(|| print_births(agents, 3));
    }
    println!(
        "ns per agent and neighbor: processor time of one thread; wall time, one and two threads"
    );
    for (name, boundary, clumps) in [
        ("walls", Boundary::Walls, false),
        ("periodic", Boundary::Periodic, false),
        ("clumps", Boundary::Walls, true),
    ] {
        let mut sim = run(agents, 0, boundary, clumps);
        let size = sim.world().size();
        let density = agents as f32 / (size.x * size.y);
        for wanted in [3.0_f32, 10.0, 20.0, 40.0, 130.0] {
            let spread = if clumps { 25.0 } else { 1.0 };
            let range = (wanted / (std::f32::consts::PI * density * spread)).sqrt();
            if range > 0.2 * size.min_element() {
                continue;
            }
            let row = |sim: &mut Sim, rules: Rules| {
                let one = pools[0].install(|| times(sim, rules.clone(), turns));
                let two = pools[1].install(|| times(sim, rules, turns));
                [one[0], one[1], two[1]]
            };
            let count = row(&mut sim, Rules::new().with_pairs(Count { range }));
            let found = (0..sim.agents().len())
                .map(|slot| f64::from(sim.rule_sums(0, slot).expect("it counted")[0]))
                .sum::<f64>();
            let life = Life { range, core: 0.3 * range, pull: pull() };
            let life = row(&mut sim, Rules::new().with_pairs(life));
            let text = life_as_text(range).compile().expect("they are formulas");
            let text = row(&mut sim, text);
            let boids = row(&mut sim, Rules::new().with_pairs(Boids { range }));
            let per_pair = |time: Duration| time.as_secs_f64() * 1e9 / found.max(1.0);
            print!("{name:10} {:7.1} neighbors", found / f64::from(agents));
            for (rule, times) in
                [("count", count), ("life", life), ("text", text), ("boids", boids)]
            {
                let [cpu, one, two] = times.map(per_pair);
                print!("   {rule} {cpu:5.2} {one:5.2} {two:5.2}");
            }
            println!();
        }
    }
    pools[0].install(|| print_births(agents, turns.min(3)));
    if let Some(time) = measures.then(lammps).flatten() {
        println!("LAMMPS, lj/cut in two dimensions, 20 neighbors, one thread: {time:.2}");
    }
}
