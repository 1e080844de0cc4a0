//! A rank: a part of a run, and its steps.

use std::ops::Range;

use super::{
    Link, Traffic,
    around::Around,
    border::{self, Border},
    late::LatePairs,
    link::MeteredLink,
    migrate,
    moving::Moving,
    seam::SharedSeam,
    slab::Slabs,
    solver_link::RankSolver,
    tally::Tally,
    words::agent_words,
};
use crate::{
    agents::Agents,
    alloc,
    contacts::{ContactList, PARITIES},
    error::{Error, Field, Limit, Result, Value},
    grid::{Grid, GridConfig},
    rules::ActiveRules,
    scene::{
        Setup, Start,
        rule::{Moment, SceneRule},
    },
    sim::{
        self, RunState, Sim, grid_config,
        hash::{hash_of_sum, sum_of_records},
    },
    simd::SimdLevel,
    statics::Statics,
    step::{
        Phase, Probe,
        band_sums::BandSums,
        finder::SPREAD_OUT,
        impulse::{self, Direction},
        integrate::{self, Trajectory},
        motion::{Motion, Moved},
        regrid::{Regrid, Retain, SUBSTEPS_AHEAD},
        swept::Swept,
    },
};

/// The part of a run that a rank has.
#[derive(Debug)]
pub struct Rank<L> {
    pub(super) link: MeteredLink<L>,
    /// The state of the run with the own agents, and behind them the ghosts.
    pub(super) state: RunState,
    pub(super) own: usize,
    pub(super) motion: Motion,
    pub(super) slabs: Slabs,
    /// The grid of the whole world, with these agents.
    pub(super) grid: Grid,
    pub(super) regrid: Regrid,
    pub(super) contacts: ContactList,
    pub(super) late: LatePairs,
    /// None in a world with walls.
    pub(super) seam: Option<SharedSeam>,
    /// None unless collisions are swept.
    pub(super) swept: Option<Box<Swept>>,
    /// None unless agents press on each other.
    pub(super) solver: Option<Box<RankSolver>>,
    /// The rule of the scene.
    pub(super) rule: SceneRule,
    /// None unless the run has rules of a caller's own.
    pub(super) rules: Option<Box<ActiveRules>>,
    /// None unless a rule looks at neighbors.
    pub(super) around: Option<Box<Around>>,
    /// Impulses of the pairs of own bands, and of those across the seam, which all ranks resolve.
    pub(super) sums: Box<BandSums>,
    /// Agents of all ranks.
    pub(super) all: usize,
    pub(super) simd: SimdLevel,
}

impl<L: Link> Rank<L> {
    /// Begins a run with a start that all ranks have alike, and keeps the agents of this rank.
    ///
    /// # Errors
    /// As [`Sim::from_start`], on all ranks alike; if there are more ranks than bands of cells; and if there is not enough memory.
    pub fn from_start(setup: &Setup, start: Start, link: L) -> Result<Self> {
        sim::check_start(setup, &start)?;
        let Start { world, mut agents, statics, populated } = start;
        let config = grid_config(setup, world, populated, agents.len());
        if setup.friction > 0.0 {
            agents.add_spins(config.capacity)?;
        }
        let grid = Grid::new(config)?;
        let ahead = SUBSTEPS_AHEAD * sim::motion(setup, world).dt;
        let counts = migrate::count(&agents, agents.len(), ahead, &grid);
        let slabs = slabs_of(counts, &link)?;
        let statics = Statics::new(world, &statics, setup.spare_statics as usize)?;
        let whole = RunState::begin(setup, agents, statics);
        let kept = migrate::keep(&whole.agents, link.rank(), &slabs, ahead, &grid);
        let mut rank = Self::with_state(whole, kept, grid, slabs, link)?;
        let Self { state, grid, regrid, simd, .. } = &mut rank;
        regrid.sort(&mut state.agents, None, grid, Retain::All, ahead, *simd)?;
        rank.end_sort();
        rank.forget_contacts();
        Ok(rank)
    }

    /// Goes on with a run that all ranks have alike, and keeps the agents of this rank.
    ///
    /// # Errors
    /// As [`Self::from_start`]; and if forces act in the next step.
    pub fn from_sim(sim: Sim, link: L) -> Result<Self> {
        if sim.forces_to_come() > 0 {
            let forces = Value::Count(sim.forces_to_come() as u64);
            return Err(Error::invalid(Field::Force, forces, Limit::OneRank));
        }
        let rules = sim.rules().map(|(rules, counts)| (rules.clone(), counts));
        let parts = sim.solver_parts();
        let (whole, old) = sim.into_state();
        let counts = old.bands().map(|rows| slots_of(&old, &rows).len() as u32).collect();
        let slabs = slabs_of(counts, &link)?;
        let bands = slabs.bands(link.rank());
        let band = |band| old.bands().nth(band).map(|rows| slots_of(&old, &rows));
        let (first, last) = (band(bands.start), band(bands.end - 1));
        let [first, last] = [first, last].map(|slots| slots.expect("a rank has bands"));
        let next = old.bands().nth(bands.end);
        let ghosts = next.map_or(last.end..last.end, |rows| old.row_slots(rows.start));
        let kept = first.start..ghosts.end;
        let homes = &old.homes()[kept.clone()];
        let agents = whole.agents.copied(kept.clone());
        let ids = if parts.is_some() { whole.agents.id.clone() } else { Vec::new() };
        let due = whole.due;
        let grid = Grid::new(*old.config())?;
        let mut rank = Self::with_state(whole, agents, grid, slabs, link)?;
        rank.grid.set_homes(&rank.state.agents, homes)?;
        rank.set_bands();
        rank.regrid.set_due(due);
        if let Some(parts) = parts {
            rank.set_solver_parts(&parts, &kept, &ids)?;
        }
        if let Some((rules, counts)) = rules {
            rank.set_rules(&rules, counts)?;
        }
        Ok(rank)
    }

    /// A rank with the state of a whole run, of which it has `kept`. They are not in the grid yet.
    fn with_state(
        mut whole: RunState,
        kept: Agents,
        grid: Grid,
        slabs: Slabs,
        link: L,
    ) -> Result<Self> {
        let GridConfig { bounds, capacity, .. } = *grid.config();
        let RunState { setup, agents, statics, .. } = &mut whole;
        let rule = SceneRule::new(setup, agents.units.is_some(), capacity, &grid)?;
        let mut motion = sim::motion(setup, bounds);
        let contacts = ContactList::new(capacity, setup.contacts_per_agent(), &grid)?;
        let paths = || Swept::new(capacity, contacts.storage());
        let mut swept = setup.sweeps().then(paths).transpose()?.map(Box::new);
        sim::set_radii(&agents.radius, setup, &mut motion, swept.as_deref_mut());
        let regrid = Regrid::new(&grid, agents.has_bytes(), motion.space)?;
        let solver = setup.uses_contact_solver();
        let solver = solver
            .then(|| RankSolver::new(setup, agents, statics, capacity, &contacts))
            .transpose()?;
        let (all, late) = (agents.len(), LatePairs::of(agents));
        let seam = SharedSeam::new(motion.space, agents, capacity)?;
        let around = || Around::new(agents, *grid.config()).map(Box::new);
        let around = rule.reach().map(|_| around()).transpose()?;
        *agents = kept;
        agents.reserve(capacity)?;
        Ok(Self {
            link: MeteredLink::new(link),
            state: whole,
            own: 0,
            motion,
            slabs,
            grid,
            regrid,
            contacts,
            late,
            seam,
            swept,
            rule,
            solver: solver.map(Box::new),
            rules: None,
            around,
            sums: Box::default(),
            all,
            simd: SimdLevel::best(),
        })
    }

    /// Advances the run by one step, together with all other ranks.
    ///
    /// # Errors
    /// If a list or the grid must grow and there is not enough memory. The rank must be dropped then.
    ///
    /// # Panics
    /// If another rank has ended, such as by an error.
    pub fn step(&mut self) -> Result<()> {
        self.step_with(&mut ())
    }

    /// Advances the run by one step, and tells a probe when each phase begins.
    ///
    /// # Errors
    /// As [`Self::step`].
    ///
    /// # Panics
    /// As [`Self::step`].
    pub fn step_with(&mut self, probe: &mut impl Probe) -> Result<()> {
        self.state.largest_displacement = 0.0;
        let substeps = u64::from(self.state.setup.substeps_per_step());
        self.apply_rule(Moment::BeforeStep, probe)?;
        self.run_rules(probe)?;
        for substep in 0..substeps {
            self.apply_rule(Moment::BeforeSubstep(substep as u32), probe)?;
            if !self.collides() {
                self.free_substep(probe)?;
            } else if self.solver.is_some() {
                self.contact_substep(probe)?;
            } else if self.swept.is_some() {
                self.swept_substep(probe)?;
            } else {
                let direction = Direction::of_substep(self.state.steps * substeps + substep);
                self.impulse_substep(direction, probe)?;
            }
            self.apply_rule(Moment::AfterSubstep, probe)?;
            let agents = &self.state.agents;
            let ghosts = agents.len() - self.own;
            self.link.traffic.row_bytes += 4 * (agent_words(agents) * ghosts) as u64;
        }
        self.apply_rule(Moment::AfterStep, probe)?;
        self.state.agents.turn(1.0 / self.state.setup.hz);
        self.state.steps += 1;
        probe.end();
        Ok(())
    }

    /// A substep in which agents pass through each other.
    fn free_substep(&mut self, probe: &mut impl Probe) -> Result<()> {
        *self.sums = BandSums::default();
        probe.begin(Phase::Integrate);
        let tally = self.integrate(self.motion);
        probe.begin(Phase::Regrid);
        self.regrid(tally, true)
    }

    /// A substep of the impulse solver.
    fn impulse_substep(&mut self, direction: Direction, probe: &mut impl Probe) -> Result<()> {
        probe.begin(Phase::Contacts);
        let Self { link, slabs, state, own, grid, contacts, late, seam, simd, .. } = self;
        let discs = state.agents.discs();
        let found = contacts.find(discs.into(), grid, *simd);
        alloc::with_remedy(found, SPREAD_OUT)?;
        late.find(link, discs, *own, grid, contacts, slabs.bands(link.rank()));
        if let Some(seam) = seam {
            seam.find(link, discs, *own, grid)?;
        }
        probe.begin(Phase::Resolve);
        *self.sums = BandSums::default();
        if direction == Direction::Backward {
            self.resolve_across(direction);
            self.resolve_late(direction);
        }
        let borders = self.borders();
        let Self { link, state: RunState { agents, .. }, contacts, motion, sums, .. } = self;
        let mut parities = PARITIES;
        if direction == Direction::Backward {
            parities.reverse();
        }
        for parity in parities {
            let before = border::rows_before(&borders, parity, &Moving::of(agents, None));
            impulse::resolve_near(agents, contacts, parity, direction, motion, &mut sums.near);
            let moving = &mut Moving::of(agents, None);
            border::exchange_states(link, &borders, parity, &before, moving, None);
        }
        if direction == Direction::Forward {
            self.resolve_late(direction);
            self.resolve_across(direction);
        }
        probe.begin(Phase::Integrate);
        let tally = self.integrate(self.motion);
        probe.begin(Phase::Regrid);
        self.regrid(tally, true)
    }

    fn resolve_late(&mut self, direction: Direction) {
        let Self { link, state, own, grid, late, motion, sums, .. } = self;
        let agents = (&mut state.agents, *own);
        late.resolve(link, agents, grid, (direction, motion), &mut sums.late);
    }

    fn resolve_across(&mut self, direction: Direction) {
        let Self { link, state, own, seam, motion, sums, .. } = self;
        if let Some(seam) = seam {
            sums.across = seam.resolve(link, (&mut state.agents, *own), direction, motion);
        }
    }

    /// Moves all agents; counts the own ones.
    pub(super) fn integrate(&mut self, motion: Motion) -> Tally {
        let (ghosts, collides) = (self.moves_of_ghosts(&motion), self.collides());
        let Self { state: RunState { agents, statics, .. }, grid, swept, simd, .. } = self;
        let swept = swept.as_mut().filter(|_| collides);
        let moved = if let Some(swept) = swept
            && self.motion.gravity == 0.0
        {
            swept.advance(agents, grid, &motion, statics, *simd)
        } else {
            let hits = self.swept.as_ref().filter(|_| collides).map(|swept| swept.last_hits());
            let trajectory = hits.map_or(Trajectory::Straight, Trajectory::AfterHits);
            integrate::integrate(agents, trajectory, grid, &motion, statics, *simd)
        };
        Tally {
            outliers: self.grid.recorded_outliers(0..self.own).count(),
            strayed: moved.strayed,
            farthest_square: moved.farthest_square,
            tunnelled: moved.tunnelled - ghosts.tunnelled,
            wall_impulse: moved.wall_impulse.without(&ghosts.wall_impulse),
            ..Tally::default()
        }
    }

    /// How the ghosts will move, which the rank that owns them counts.
    fn moves_of_ghosts(&self, motion: &Motion) -> Moved {
        let RunState { agents, statics, .. } = &self.state;
        let mut ghosts = agents.copied(self.own..agents.len());
        let swept = self.swept.as_ref().filter(|_| self.collides());
        let hits = swept.map(|swept| swept.last_hits().from(self.own));
        let trajectory = hits.map_or(Trajectory::Straight, Trajectory::AfterHits);
        integrate::moves_of(&mut ghosts, trajectory, motion, statics)
    }

    /// The borders of the slab.
    pub(super) fn borders(&self) -> [Option<Border>; 2] {
        Border::of(&self.link, &self.slabs.bands(self.link.rank()), &self.grid)
    }

    /// Sets what follows from the sort of all agents.
    pub(super) fn end_sort(&mut self) {
        self.set_bands();
        let large = self.grid.outliers_in(0..self.own).count();
        let large = self.link.sum(large as u64) as usize;
        self.regrid.set_due([large, 0]);
    }

    /// Sets what follows from the bands that this rank owns.
    fn set_bands(&mut self) {
        let bands = self.slabs.bands(self.link.rank());
        self.contacts.end_before(bands.end);
        self.regrid.restrict(bands);
        self.count_own();
    }

    /// Counts the own agents, after a sort.
    pub(super) fn count_own(&mut self) {
        let last = self.slabs.bands(self.link.rank()).end - 1;
        let rows = self.grid.bands().nth(last).expect("a rank has bands");
        self.own = slots_of(&self.grid, &rows).end;
    }

    /// The state hash of the run, the same on all ranks.
    ///
    /// # Panics
    /// If another rank has ended.
    pub fn state_hash(&mut self) -> u64 {
        let RunState { agents, statics, steps, .. } = &self.state;
        let space = &self.motion.space;
        let own = sum_of_records(agents, 0..self.own, |at| space.wrapped(at));
        hash_of_sum(*steps, self.link.sum(own), statics)
    }

    /// The number of steps completed.
    pub fn steps(&self) -> u64 {
        self.state.steps
    }

    /// The number of agents that this rank owns.
    pub fn own_agents(&self) -> usize {
        self.own
    }

    /// The largest displacement of an agent of any rank in a substep of the last step, world units.
    pub fn largest_displacement(&self) -> f32 {
        self.state.largest_displacement
    }

    /// What this rank has sent.
    pub fn traffic(&self) -> Traffic {
        self.link.traffic
    }

    /// The connection with the other ranks.
    pub fn link(&mut self) -> &mut impl Link {
        &mut self.link
    }

    /// Sets the instructions that the hot loops run with.
    pub fn set_simd(&mut self, simd: SimdLevel) {
        self.simd = simd;
        self.grid.set_simd(simd);
        self.around.iter_mut().for_each(|around| around.grid.set_simd(simd));
    }
}

/// The slabs of ranks for so many agents in each band.
///
/// # Errors
/// If there are more ranks than bands.
fn slabs_of(agents: Vec<u32>, link: &impl Link) -> Result<Slabs> {
    let (ranks, bands) = (link.ranks(), agents.len());
    if ranks > bands {
        let (value, limit) = (Value::Count(ranks as u64), Limit::Counts(1..=bands as u64));
        return Err(Error::invalid(Field::Ranks, value, limit));
    }
    let agents: Vec<_> = agents.into_iter().map(u64::from).collect();
    Ok(Slabs::new(&agents, ranks))
}

/// The slots of some rows.
fn slots_of(grid: &Grid, rows: &Range<u32>) -> Range<usize> {
    grid.row_slots(rows.start).start..grid.row_slots(rows.end - 1).end
}
