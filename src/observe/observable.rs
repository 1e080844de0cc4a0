//! The list of observables: the columns of `--series`, and the plots of the panel with the values
//! that theory expects. An observable is one entry of [`LIST`].

use std::ops::Deref;

use glam::DVec2;

use super::{
    meter::Reading,
    mixture::Mixture,
    motion::MotionsSince,
    order::hexagonal_order_of,
    profile::{Axis, ProfileBin},
    theory,
};
use crate::{Sim, agents::Agent, scene::Solver, sim::Measures};

/// Distance of neighbors for the order of hexagons, in sums of radii.
const NEIGHBORS: f32 = 1.5;

/// Ratio of radii up to which discs can lie in hexagons. Among others, the search for neighbors as
/// far apart as the largest are would find most agents, too.
const ALIKE: f32 = 2.0;

/// An observable: its place in [`LIST`], and behind the end of that, among the quantities that the
/// rules of a run observe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Observable(usize);

/// An entry of the list.
pub(crate) struct ObservableEntry {
    /// The column of a series, or the name of all columns of a curve; empty if there is none.
    pub(crate) column: &'static str,
    pub(crate) source: ValueSource,
    pub(crate) plot: ObservablePlot,
}

/// The source of the values.
pub(crate) enum ValueSource {
    /// A number of each moment; not a number where it is not available.
    Number(fn(&RunSample<'_>) -> f64),
    /// Means over agents that are followed.
    Motion(fn(&MotionsSince) -> f64),
    /// The radial distribution.
    Radial,
    /// A quantity that the rules of the run observe.
    Observed,
    /// Strips along an axis, the beginnings of the names of columns, and the values of a strip: for
    /// each of these columns, and for the curves of a plot.
    Profile(Axis, &'static [&'static str], [StripValues; 2]),
}

type StripValues = fn(&ProfileBin) -> [f64; 2];

/// The plot of an observable in the panel.
#[cfg_attr(not(feature = "window"), expect(dead_code, reason = "the window plots"))]
pub(crate) struct ObservablePlot {
    /// The name on its button; empty if there is no plot.
    pub(crate) name: &'static str,
    /// Its heading, and a sentence that explains it.
    pub(crate) title: &'static str,
    pub(crate) hint: &'static str,
    /// The ends of its axis, given the lowest and the highest value.
    pub(crate) ends: fn([f64; 2]) -> [f64; 2],
    /// The value that theory expects in a gas, after some seconds if the plot goes along a time;
    /// not a number where there is no theory.
    pub(crate) expected: fn(&RunSample<'_>, &Mixture, f64) -> f64,
}

/// A moment of a run.
pub(crate) struct RunSample<'a> {
    pub(crate) sim: &'a Sim,
    pub(crate) measures: Measures,
    /// Averages since the moment before; `None` at the first one.
    pub(crate) reading: Option<Reading>,
    /// One of this many agents is looked at where all would take too long.
    pub(crate) every: usize,
    /// k·T that theory expects.
    pub(crate) cooled: f64,
}

/// All observables, in the order of columns and of plots. Columns may follow; none moves.
static LIST: [ObservableEntry; 29] = [
    number("step", |now| now.sim.steps() as f64),
    number("time", |now| now.sim.steps() as f64 / f64::from(now.sim.setup().hz)),
    number("agents", |now| now.sim.agents().len() as f64),
    number("awake", |now| now.sim.awake() as f64),
    number("kinetic_energy", |now| now.measures.kinetic_energy),
    number("temperature", temperature).plotted(
        ["temperature", "temperature kT"],
        "Mean kinetic energy of an agent over time, beside that of a gas which loses as much in each \
         collision as the restitution says (Haff).",
        as_measured,
        |now, _, _| now.cooled,
    ),
    number("momentum_x", |now| now.measures.momentum[0]),
    number("momentum_y", |now| now.measures.momentum[1]),
    number("contacts", |now| now.measures.contacts as f64),
    number("collisions", |now| now.read(|reading| Some(reading.collisions as f64))),
    number("max_overlap", |now| with_digits_of(now.measures.max_overlap)),
    number("pressure_virial", |now| now.read(|reading| reading.pressure_virial)),
    number("", compressibility).plotted(
        ["pressure", "Z = P·A/(N·kT)"],
        "Pressure by the virial over that of a gas of points, beside the virial series of equal discs \
         ([5/4] Padé) or the theory of mixtures (Jenkins and Mancini).",
        as_measured,
        |now, gas, _| now.without_losses(gas.compressibility()),
    ),
    number("pressure_wall", |now| now.read(|reading| reading.pressure_wall)),
    number("collision_rate", |now| now.read(|reading| Some(reading.collision_rate))).plotted(
        ["collisions", "collisions per agent and s"],
        "How often an agent collides, beside the rate of Enskog.",
        as_measured,
        |now, gas, _| gas.collision_rate(temperature(now)),
    ),
    number("mean_free_path", |now| now.read(|reading| Some(reading.mean_free_path))).plotted(
        ["free path", "mean free path"],
        "How far an agent moves between two collisions, in world units, beside the path of Enskog.",
        as_measured,
        |now, gas, _| {
            let kt = temperature(now);
            now.without_losses(gas.mean_speed(kt) / gas.collision_rate(kt))
        },
    ),
    entry("g", ValueSource::Radial).plotted(
        ["g(r)", "g(r), r in diameters, sample"],
        "How much denser than on average agents lie at a distance from an agent, around 2,048 of them; \
         the bar is theory's value where equal discs touch.",
        from_zero,
        |_, gas, _| if gas.is_of_equals() { theory::contact(gas.eta()) } else { f64::NAN },
    ),
    entry("square_displacement", ValueSource::Motion(|moved| moved.square_displacement)).plotted(
        ["displacement", "square displacement over s, sample"],
        "How far agents have come after a time, squared and averaged over up to 4,096 of them, beside \
         the theory of Enskog.",
        from_zero,
        |now, gas, time| now.without_losses(gas.square_displacement(temperature(now), time)),
    ),
    entry("velocity_correlation", ValueSource::Motion(|moved| moved.velocity_correlation)).plotted(
        ["autocorrelation", "velocity autocorrelation over s, sample"],
        "How much of their velocity agents have after a time, averaged over up to 4,096 of them, beside \
         the exponential of Enskog.",
        |[low, high]| [low.min(0.0), high],
        |now, gas, time| now.without_losses(gas.velocity_correlation(temperature(now), time)),
    ),
    number("hexagonal_order", order).plotted(
        ["order", "order psi6 of hexagons, sample"],
        "1 in a crystal of hexagons and near 0 without order, of 2,048 agents and their neighbors; \
         nothing where radii differ by more than a factor of 2.",
        |[_, high]| [0.0, high.max(0.1)],
        without_theory,
    ),
    entry("density_x", ValueSource::Profile(Axis::X, &["density_x"], DENSITY)).plotted(
        ["density x", "share covered, left to right, sample"],
        "Share of the ground that agents cover in 40 strips from left to right, of up to 65,536 \
         agents, beside the mean of a gas.",
        from_zero,
        |_, gas, _| gas.eta(),
    ),
    entry("density_y", ValueSource::Profile(Axis::Y, &["density_y"], DENSITY)).plotted(
        ["density y", "share covered, bottom to top, sample"],
        "Share of the ground that agents cover in 40 strips from bottom to top, of up to 65,536 \
         agents, beside the mean of a gas.",
        from_zero,
        |_, gas, _| gas.eta(),
    ),
    entry("velocity_x", ValueSource::Profile(Axis::X, &["vx_x", "vy_x"], [stream; 2])).plotted(
        ["velocity x", "mean vx and vy, left to right, sample"],
        "Mean velocity to the right (blue) and up (green) in 40 strips from left to right, of up to \
         65,536 agents.",
        as_measured,
        without_theory,
    ),
    entry("velocity_y", ValueSource::Profile(Axis::Y, &["vx_y", "vy_y"], [stream; 2])).plotted(
        ["velocity y", "mean vx and vy, bottom to top, sample"],
        "Mean velocity to the right (blue) and up (green) in 40 strips from bottom to top, of up to \
         65,536 agents.",
        as_measured,
        without_theory,
    ),
    number("rotational_energy", |now| rotation(now, 0)).plotted(
        ["spin energy", "energy of the spins"],
        "Kinetic energy of the spins of all agents, beside that of their motion; nothing in a run that \
         had no friction.",
        from_zero,
        without_theory,
    ),
    number("angular_momentum", |now| rotation(now, 1)).plotted(
        ["angular", "angular momentum"],
        "Angular momentum of all agents about the center of the world, of their spins and of their \
         motion; nothing in a run that had no friction, or that repeats.",
        as_measured,
        without_theory,
    ),
    // The column of the plot of pressure.
    number("compressibility", compressibility).plotted(
        ["", ""],
        "",
        as_measured,
        |now, gas, _| now.without_losses(gas.compressibility()),
    ),
    number("polar_order", polar_order),
    // A run alone has none: the window adds the values.
    entry("", ValueSource::Observed).plotted(
        ["", "log10 of the distance"],
        "Root of the mean square distance of an agent from its twin in the other run, as a logarithm; and \
         the exponential growth that fits it while that is less than a tenth of a radius.",
        as_measured,
        without_theory,
    ),
];

/// Columns of which a mean over steps says nothing: clocks, and what depends on the steps between
/// two rows.
const NOT_AVERAGED: [&str; 4] = ["step", "time", "collisions", "mean_free_path"];

/// The entry of all quantities that rules observe: their names belong to a run.
static OBSERVED: ObservableEntry = entry("", ValueSource::Observed).plotted(
    ["", ""],
    "A quantity of the world file: the number of a species, or what the file observes.",
    as_measured,
    without_theory,
);

const fn number(column: &'static str, number: fn(&RunSample<'_>) -> f64) -> ObservableEntry {
    entry(column, ValueSource::Number(number))
}

const fn entry(column: &'static str, source: ValueSource) -> ObservableEntry {
    let ends = as_measured;
    let plot = ObservablePlot { name: "", title: "", hint: "", ends, expected: without_theory };
    ObservableEntry { column, source, plot }
}

impl ObservableEntry {
    const fn plotted(
        self,
        [name, title]: [&'static str; 2],
        hint: &'static str,
        ends: fn([f64; 2]) -> [f64; 2],
        expected: fn(&RunSample<'_>, &Mixture, f64) -> f64,
    ) -> Self {
        Self { plot: ObservablePlot { name, title, hint, ends, expected }, ..self }
    }
}

/// Columns have agents per area, and plots the covered share.
const DENSITY: [StripValues; 2] =
    [|strip| [strip.density, f64::NAN], |strip| [strip.covered, f64::NAN]];

fn stream(strip: &ProfileBin) -> [f64; 2] {
    if strip.density > 0.0 { strip.velocity } else { [f64::NAN; 2] }
}

fn as_measured(ends: [f64; 2]) -> [f64; 2] {
    ends
}

fn from_zero([_, high]: [f64; 2]) -> [f64; 2] {
    [0.0, high]
}

fn without_theory(_: &RunSample<'_>, _: &Mixture, _: f64) -> f64 {
    f64::NAN
}

/// The number with the shortest digits of a number of 32 bits: 0.1 and not 0.10000000149.
fn with_digits_of(number: f32) -> f64 {
    number.to_string().parse().unwrap_or(f64::NAN)
}

impl Deref for Observable {
    type Target = ObservableEntry;

    fn deref(&self) -> &Self::Target {
        LIST.get(self.0).unwrap_or(&OBSERVED)
    }
}

impl Observable {
    /// The distance of a run from its twin.
    #[cfg(feature = "window")]
    pub(crate) const TWIN: Self = Self(LIST.len() - 1);

    /// All observables.
    fn all() -> impl Iterator<Item = Self> {
        (0..LIST.len()).map(Self)
    }

    /// The observables that the panel plots.
    #[cfg(feature = "window")]
    pub(crate) fn plotted() -> impl Iterator<Item = Self> {
        Self::all().filter(|observable| !observable.plot.name.is_empty())
    }

    /// The name of its plot; empty if it belongs to a run.
    #[cfg(feature = "window")]
    pub(crate) fn name(self) -> &'static str {
        self.plot.name
    }

    /// The quantities that the rules of a run observe.
    pub(crate) fn observed(sim: &Sim) -> impl Iterator<Item = Self> {
        (LIST.len()..).take(sim.observed_names().count()).map(Self)
    }

    /// The name of a quantity that the rules of a run observe; none of other observables, and of
    /// those that the run lacks.
    pub(crate) fn name_in(self, sim: &Sim) -> Option<&str> {
        sim.observed_names().nth(self.0.checked_sub(LIST.len())?)
    }

    /// The value of a quantity that the rules of a run observe.
    pub(crate) fn value_in(self, sim: &Sim) -> f64 {
        self.0.checked_sub(LIST.len()).map_or(f64::NAN, |which| sim.observe(which))
    }

    /// The columns that every series has.
    pub(crate) fn columns() -> impl Iterator<Item = Self> {
        Self::all().filter(|it| !it.column.is_empty() && !it.is_curve())
    }

    /// The columns whose mean over steps has a meaning.
    pub(crate) fn averaged() -> impl Iterator<Item = Self> {
        let is_moment = |it: &Self| matches!(it.source, ValueSource::Number(_));
        Self::columns().filter(move |it| is_moment(it) && !NOT_AVERAGED.contains(&it.column))
    }

    /// The curves that a series may have.
    pub(crate) fn curves() -> impl Iterator<Item = Self> {
        Self::all().filter(|it| it.is_curve())
    }

    fn is_curve(self) -> bool {
        matches!(self.source, ValueSource::Radial | ValueSource::Profile(..))
    }
}

impl RunSample<'_> {
    /// A value of the reading, if there is one.
    fn read(&self, value: fn(&Reading) -> Option<f64>) -> f64 {
        self.reading.as_ref().and_then(value).unwrap_or(f64::NAN)
    }

    /// A value that theory has for collisions without losses, if these have none.
    fn without_losses(&self, value: f64) -> f64 {
        if self.sim.setup().restitution == 1.0 { value } else { f64::NAN }
    }
}

/// k·T: the mean kinetic energy of an agent.
fn temperature(now: &RunSample<'_>) -> f64 {
    now.measures.kinetic_energy / now.sim.agents().len().max(1) as f64
}

/// Z: the pressure over the pressure of a gas of points.
fn compressibility(now: &RunSample<'_>) -> f64 {
    let size = now.sim.world().size().as_dvec2();
    let ideal = now.sim.agents().len() as f64 * temperature(now) / (size.x * size.y);
    now.read(|reading| reading.pressure_virial) / ideal
}

/// The size of the sum of all velocities over the sum of their sizes.
fn polar_order(now: &RunSample<'_>) -> f64 {
    let agents = now.sim.agents();
    let velocities = agents.vx.iter().zip(&agents.vy);
    let velocities = velocities.map(|(&vx, &vy)| DVec2::new(vx.into(), vy.into()));
    let (sum, sizes) = velocities.fold((DVec2::ZERO, 0.0), |(sum, sizes), velocity| {
        (sum + velocity, sizes + velocity.length())
    });
    sum.length() / sizes
}

/// The energy of the spins, or the angular momentum.
fn rotation(now: &RunSample<'_>, which: usize) -> f64 {
    rotation_of(now.sim)[which].unwrap_or(f64::NAN)
}

/// The energy Σ ½·I·ω² of the spins, and the angular momentum Σ m·(r × v) + I·ω about the center of
/// a world that does not repeat, with I = ½·m·radius²; none without spins.
pub(crate) fn rotation_of(sim: &Sim) -> [Option<f64>; 2] {
    let (agents, center) = (sim.agents(), sim.world().center());
    let Some(spins) = agents.spins() else { return [None; 2] };
    let spinning = |slot: usize| {
        let (mass, spin) = (f64::from(agents.radius[slot]).powi(2), f64::from(spins[slot]));
        (mass, 0.5 * mass * mass, spin)
    };
    let energy = agents.sum(|slot| {
        let (_, inertia, spin) = spinning(slot);
        0.5 * inertia * spin * spin
    });
    let momentum = agents.sum(|slot| {
        let ((mass, inertia, spin), Agent { position, velocity, .. }) =
            (spinning(slot), agents.get(slot));
        let orbit = (position - center).as_dvec2().perp_dot(velocity.as_dvec2());
        mass * orbit + inertia * spin
    });
    [Some(energy), Some(momentum).filter(|_| !sim.space().is_periodic())]
}

/// ψ6, if discs can lie in hexagons.
fn order(now: &RunSample<'_>) -> f64 {
    let radii = &now.sim.agents().radius;
    let least = radii.iter().copied().fold(f32::INFINITY, f32::min);
    let alike = radii.iter().all(|&radius| radius <= ALIKE * least);
    if alike { hexagonal_order_of(now.sim, NEIGHBORS, now.every) } else { f64::NAN }
}

/// True for a gas all over the world, of which theory knows something.
pub(crate) fn is_gas(sim: &Sim) -> bool {
    let setup = sim.setup();
    setup.scene.is_known_gas()
        && setup.solver_in_use() == Solver::Impulse
        && setup.gravity == 0.0
        && sim.statics().is_empty()
}

/// The mean diameter of the agents, the unit of distances in g.
pub(crate) fn mean_diameter(sim: &Sim) -> f64 {
    let radii = &sim.agents().radius;
    let sum: f64 = radii.iter().map(|&radius| f64::from(radius)).sum();
    2.0 * sum / radii.len().max(1) as f64
}
