//! The simulation: owns the agents, the grid and the contact list, and steps them.
//!
//! `mod.rs` creates and steps a run, and `substep` has the phases of a step. `edit` has the changes
//! of a run as data, `edits` and `parameters` make them; `forces` act through a step; `interact`
//! finds, steers and adds agents near a point, and `room` finds positions for agents that come back;
//! `measure` reads values, `recorded` has the contacts of the last step, and `rules` runs rules of a
//! caller's own, which `world` takes from a world file. `state` makes a run of its parts, `snapshot`
//! saves and restores runs, `hash` compares them, `memory` counts their bytes, `grid_config` chooses
//! their cells, and `check` says which agents they accept.

mod check;
mod edit;
mod edits;
mod forces;
mod grid_config;
pub(crate) mod hash;
mod interact;
mod measure;
mod memory;
mod parameters;
mod recorded;
#[cfg(feature = "window")]
mod room;
mod rules;
mod snapshot;
mod state;
mod substep;
pub(crate) mod world;

/// Public for tests that hash a state read from a file.
#[doc(hidden)]
pub use self::hash::state_hash;
#[cfg(feature = "cli")]
pub(crate) use self::{
    check::agent as check_agent,
    grid_config::cell_for,
    snapshot::SavedState,
    world::{SavedRules, SavedWorld},
};
pub(crate) use self::{
    check::{added as check_added, start as check_start},
    grid_config::grid_config,
    interact::visit_copies,
    state::RunState,
    substep::physics,
};
pub use self::{
    edit::{Applied, Edit},
    measure::{Counters, Measures, Transfer},
    memory::RunMemory,
    recorded::ContactRecording,
};
pub use crate::contacts::RecordedContact;

use glam::Vec2;

use crate::{
    agents::Agents,
    alloc,
    contacts::ContactList,
    error::Result,
    geometry::{Rect, Space},
    grid::{Grid, GridConfig},
    index::{IndexConfig, IndexKind},
    rules::ActiveRules,
    scene::{
        self, Setup, Start,
        context::RuleContext,
        rule::{Moment, RuleEdits, SceneRule},
    },
    simd::SimdLevel,
    solver::{ContactSolver, coulomb::Roughness},
    statics::Statics,
    step::{
        Phase, Probe,
        finder::{PairFinder, SPREAD_OUT},
        impulse::Direction,
        motion::Motion,
        regrid::{Regrid, Retain, SUBSTEPS_AHEAD},
        swept::Swept,
    },
};

/// A run: agents in a world, through time.
///
/// A value that is rejected, with [`Error::Invalid`](crate::Error::Invalid), changes nothing. If
/// memory runs out in the middle of a step, or while agents come or go, the run can't be continued:
/// [`Self::agents`] can still be read, each agent complete, and then the run must be dropped. Only
/// where a method says that the run continues as it was, it does.
///
/// A clone continues bit for bit as the original. Cloning copies all state, rebuilds an index that
/// is not the double grid, and panics if there is not enough memory; the first steps of a clone may
/// allocate.
#[derive(Debug)]
pub struct Sim {
    setup: Setup,
    motion: Motion,
    agents: Agents,
    statics: Statics,
    regrid: Regrid,
    grid: Grid,
    contacts: ContactList,
    /// None until agents press on each other.
    solver: Option<Box<ContactSolver>>,
    /// None unless collisions are swept.
    swept: Option<Box<Swept>>,
    /// Times that it was allocated in the middle of the run.
    claims: u64,
    finder: PairFinder,
    rule: SceneRule,
    /// The rules of a caller's own, if there are any.
    rules: Option<Box<ActiveRules>>,
    steps: u64,
    counters: Counters,
    transfer: Transfer,
    /// Forces through the next step, each with the id of its agent.
    forces: Vec<(u32, Vec2)>,
    largest_displacement: f32,
    /// The contacts of the last step, if they are recorded.
    recorded: Option<Vec<RecordedContact>>,
    /// The id of the next agent to be added.
    next_id: u32,
    simd: SimdLevel,
}

impl Sim {
    /// Places the agents of a set-up and allocates all memory.
    ///
    /// # Errors
    /// As [`scene::place`], and if there is not enough memory.
    pub fn new(setup: &Setup) -> Result<Self> {
        Self::from_start(setup, scene::place(setup)?)
    }

    /// Creates a run of agents that the caller placed; the set-up says how they go on.
    ///
    /// Ids may be any, in any order, and agents may overlap; there may be none. Their number and
    /// their world come from the start. The set-up's number, radius and density still decide the
    /// size of the cells, and with it the order of the contacts: give the values with which the
    /// agents were placed.
    ///
    /// # Errors
    /// - If a number of the set-up is out of its range, or its cells do not fit the world.
    /// - If the world, or the part of it that is populated, has no size; in `cannon`, if the world
    ///   is not the scene's own.
    /// - If the agents' columns have different lengths, two agents have the same id, one has
    ///   [`Agents::GONE`], or [`Self::spawn`] would reject one; in `melee`, if they have no units.
    /// - If [`Self::add_statics`] would reject a static, or there is not enough memory.
    pub fn from_start(setup: &Setup, start: Start) -> Result<Self> {
        check::start(setup, &start)?;
        let Start { world, mut agents, statics, populated } = start;
        let config = grid_config(setup, world, populated, agents.len());
        let grid = Grid::new(config)?;
        let contacts = ContactList::new(config.capacity, setup.contacts_per_agent(), &grid)?;
        if setup.friction > 0.0 {
            agents.add_spins(config.capacity)?;
        }
        agents.reserve(config.capacity)?;
        let statics = Statics::new(world, &statics, setup.spare_statics as usize)?;
        let mut sim = Self::assembled(RunState::begin(setup, agents, statics), grid, contacts)?;
        sim.regrid.sort(
            &mut sim.agents,
            None,
            &mut sim.grid,
            Retain::All,
            SUBSTEPS_AHEAD * sim.motion.dt,
            sim.simd,
        )?;
        if setup.uses_contact_solver() {
            sim.solver = Some(sim.solver_for(setup)?);
        }
        Ok(sim)
    }

    /// Advances the run by one step of `1 / hz` seconds, in all its substeps.
    ///
    /// Runs on the threads of the rayon pool that the caller is in, as inside
    /// [`install`](https://docs.rs/rayon/latest/rayon/struct.ThreadPool.html#method.install);
    /// outside of a pool, on the calling thread alone. Nothing is allocated inside a pool, unless
    /// the contact list or the grid has to grow. The results are the same bits on any number of
    /// threads.
    ///
    /// # Errors
    /// If the contact list or the grid must grow and there is not enough memory.
    ///
    /// ```
    /// use jostle::{Scene, Setup, Sim};
    ///
    /// let mut sim = Sim::new(&Setup { agents: 500, ..Setup::new(Scene::Gas) })?;
    /// sim.step()?;
    /// assert_eq!(sim.steps(), 1);
    /// # Ok::<(), jostle::Error>(())
    /// ```
    pub fn step(&mut self) -> Result<()> {
        self.step_with(&mut ())
    }

    /// Advances the run by one step as [`Self::step`] does, and tells a probe when each phase
    /// begins.
    ///
    /// # Errors
    /// As [`Self::step`].
    #[doc(hidden)]
    pub fn step_with(&mut self, probe: &mut impl Probe) -> Result<()> {
        self.largest_displacement = 0.0;
        if let Some(list) = &mut self.recorded {
            list.clear();
        }
        self.apply_rule(Moment::BeforeStep, probe)?;
        if self.is_ruled() {
            self.run_rules(probe)?;
        }
        for substep in 0..self.setup.substeps_per_step() {
            self.apply_rule(Moment::BeforeSubstep(substep), probe)?;
            if !self.forces.is_empty() {
                self.push_by_forces()?;
            }
            if !self.collides() {
                self.free_substep(probe)?;
            } else if self.setup.uses_contact_solver() {
                self.contact_substep(probe)?;
                self.record_presses()?;
            } else if self.setup.sweeps() {
                self.swept_substep(probe)?;
            } else {
                let substeps = self.setup.substeps_per_step();
                let number = self.steps * u64::from(substeps) + u64::from(substep);
                self.impulse_substep(Direction::of_substep(number), probe)?;
            }
            self.apply_rule(Moment::AfterSubstep, probe)?;
        }
        self.apply_rule(Moment::AfterStep, probe)?;
        self.agents.turn(1.0 / self.setup.hz);
        self.forces.clear();
        self.merge_recorded();
        self.steps += 1;
        probe.end();
        Ok(())
    }

    /// Runs the scene's rule, if it acts at this moment, and applies its edits.
    fn apply_rule(&mut self, moment: Moment, probe: &mut impl Probe) -> Result<()> {
        if !self.rule.acts(moment) {
            return Ok(());
        }
        probe.begin(Phase::Resolve);
        self.forget_ahead();
        // Taken out meanwhile, since its edits borrow from it.
        let mut rule = std::mem::take(&mut self.rule);
        let Self { setup, motion, steps, next_id, agents, statics, grid, .. } = self;
        let (steps, next_id) = (*steps, *next_id);
        let context = RuleContext { setup, motion, steps, next_id, agents, statics, grid };
        let edited = rule
            .run(moment, context, &mut ())
            .and_then(|edits| self.apply_rule_edits(edits, probe));
        self.rule = rule;
        edited
    }

    fn apply_rule_edits(&mut self, edits: RuleEdits<'_>, probe: &mut impl Probe) -> Result<()> {
        match edits {
            RuleEdits::None | RuleEdits::Drop(0) => Ok(()),
            RuleEdits::Wake(area) => {
                self.wake_near(&area);
                Ok(())
            }
            RuleEdits::Replace(removed, added) => {
                probe.begin(Phase::Regrid);
                self.remove(removed)?;
                self.spawn(added).map(drop)
            }
            RuleEdits::Drop(dead) => {
                probe.begin(Phase::Regrid);
                self.counters.removed += dead as u64;
                self.sort_edited()
            }
        }
    }

    /// Finds the contacts on the double grid, whatever index is chosen.
    fn search_grid(&mut self) -> Result<()> {
        let Self { contacts, agents, grid, simd, .. } = self;
        let found = contacts.find(agents.discs().into(), grid, *simd);
        alloc::with_remedy(found, SPREAD_OUT)
    }

    /// Updates everything that depends on the smallest radius: the radius of the agents, or of the
    /// set-up while there are none.
    fn update_radius_min(&mut self) {
        let Self { agents, motion, setup, swept, .. } = self;
        set_radii(&agents.radius, setup, motion, swept.as_deref_mut());
    }

    /// Sets what finds the contacts, the double grid by default. The bits of the run are the same
    /// with any index. Memory is allocated here; on an error, the run continues as it was.
    ///
    /// # Errors
    /// If the index can't be made for such agents, or there is not enough memory.
    pub fn set_index(&mut self, kind: IndexKind) -> Result<()> {
        self.finder = self.finder(kind)?;
        Ok(())
    }

    /// A finder of a kind for the current agents.
    fn finder(&self, kind: IndexKind) -> Result<PairFinder> {
        let config = self.index_config();
        let capacity = config.grid.capacity;
        // Pairs of enlarged discs are more than those that are solved.
        let enlarged = if self.setup.uses_contact_solver() { 2.0 } else { 1.0 };
        let pairs = (enlarged * self.setup.contacts_per_agent() * capacity as f32) as usize;
        let spawns = self.setup.spare_agents > 0 || self.rule.spawns();
        let late = if spawns { capacity } else { 0 };
        let mut finder = PairFinder::new(kind, &config, pairs, late)?;
        finder.rebuild(&self.agents)?;
        Ok(finder)
    }

    /// Number of agents that are not asleep.
    pub fn awake(&self) -> usize {
        match &self.solver {
            Some(solver) if self.setup.uses_contact_solver() => {
                solver.awake(self.agents.len(), &self.grid)
            }
            _ => self.agents.len(),
        }
    }

    /// The index that finds the contacts.
    #[doc(hidden)]
    pub fn index(&self) -> IndexKind {
        self.finder.kind()
    }

    /// The configuration that [`Self::set_index`] builds an index from: the run's capacity, the
    /// grid's own cells, and the smallest and largest radius of the discs that it will hold.
    #[doc(hidden)]
    pub fn index_config(&self) -> IndexConfig {
        let Agents { radius, .. } = &self.agents;
        let least = radius.iter().copied().fold(f32::INFINITY, f32::min);
        let most = radius.iter().copied().fold(0.0, f32::max);
        // The contact solver lends discs that are enlarged by what they may move.
        let enlarged = if self.setup.uses_contact_solver() { 1.5 } else { 1.0 };
        let most = if self.setup.sweeps() { Swept::cover_max(most) } else { enlarged * most };
        // Copies of discs lie beside a world that repeats, and belong to the cells at its border.
        let grid = GridConfig { repeats: [false; 2], ..*self.grid.config() };
        IndexConfig { grid, radius: [least, most] }
    }

    /// Sets the instructions that the hot loops run with, the best of the machine by default. The
    /// results are the same bits with any.
    #[doc(hidden)]
    pub fn set_simd(&mut self, simd: SimdLevel) {
        self.simd = simd;
        self.grid.set_simd(simd);
    }

    /// The instructions that the hot loops run with.
    #[doc(hidden)]
    pub fn simd(&self) -> SimdLevel {
        self.simd
    }
}

impl Clone for Sim {
    fn clone(&self) -> Self {
        self.try_clone().expect("there is memory for a clone")
    }
}

impl Sim {
    pub(crate) fn try_clone(&self) -> Result<Self> {
        let capacity = self.grid.config().capacity;
        let mut agents = self.agents.clone();
        agents.reserve(capacity)?;
        let units = agents.units.is_some();
        Ok(Self {
            setup: self.setup.clone(),
            motion: self.motion,
            agents,
            statics: self.statics.try_clone()?,
            regrid: Regrid::like(&self.regrid, &self.grid, self.agents.has_bytes())?,
            rule: SceneRule::new(&self.setup, units, capacity, &self.grid)?,
            rules: self.cloned_rules()?,
            grid: self.grid.clone(),
            contacts: self.contacts.clone(),
            finder: self.finder(self.index())?,
            solver: self.solver.clone(),
            swept: self.swept.clone(),
            forces: self.forces.clone(),
            recorded: self.recorded.clone(),
            ..*self
        })
    }
}

/// The motion in a world, without what depends on the agents.
pub(crate) fn motion(setup: &Setup, world: Rect) -> Motion {
    let space = Space::new(world, setup.boundary);
    Motion {
        world,
        space,
        limits: space.reach(),
        dt: substep(setup),
        gravity: setup.gravity,
        restitution: setup.restitution,
        roughness: Roughness { friction: setup.friction, rolling: setup.rolling },
        rest_speed: 0.0,
        radius_min: 0.0,
    }
}

/// Sets what follows from the radii of the agents: the smallest, with the contact solver the speed below which
/// nothing bounces, and with swept collisions the largest radius.
pub(crate) fn set_radii(
    radii: &[f32],
    setup: &Setup,
    motion: &mut Motion,
    swept: Option<&mut Swept>,
) {
    let radius = |of: fn(f32, f32) -> f32| radii.iter().copied().reduce(of);
    let [low, high] = setup.radius;
    motion.radius_min = radius(f32::min).unwrap_or(low);
    motion.rest_speed = if setup.uses_contact_solver() {
        rest_speed(setup.gravity, motion.radius_min)
    } else {
        0.0
    };
    if let Some(swept) = swept {
        swept.set_radius_max(radius(f32::max).unwrap_or(high), &motion.space);
    }
}

/// Seconds per substep.
fn substep(setup: &Setup) -> f32 {
    1.0 / (setup.hz * setup.substeps_per_step() as f32)
}

/// Approach speed below which two agents stay together: the speed after a fall through a quarter of
/// the smallest radius.
fn rest_speed(gravity: f32, radius_min: f32) -> f32 {
    (0.5 * gravity.abs() * radius_min).sqrt()
}
