//! The simulation: owns the agents, the grid and the contact lists, and steps them.

mod brush;
mod cells;
mod check;
mod controls;
mod edits;
mod fixed;
mod gunner;
mod hash;
mod indexed;
mod readings;

pub(crate) use self::cells::grid_config;
/// For the tests, which hash a state that they read from a file.
#[doc(hidden)]
pub use self::hash::state_hash;
pub use self::readings::{Bytes, Counters, Measures};

use self::{gunner::Gunner, indexed::Indexed};
use crate::{
    agents::Agents,
    alloc,
    error::{Adjust, Field, Result},
    grid::Grid,
    scene::{self, Setup, Solver, Start},
    simd::SimdLevel,
    statics::Statics,
    step::{
        Phase, Probe,
        battle::Battle,
        contacts::Contacts,
        integrate::{self, Motion},
        regrid::{Regrid, Who},
        resolve,
        resting::{self, Resting},
    },
};

/// What to do if there is no memory for the pairs that overlap: they go by how agents lie.
const APART: &[Adjust] = &[Adjust::SpreadAgents, Adjust::Lower(Field::Agents)];

/// A run: agents in a world, through time.
///
/// A value that is refused, with [`Error::Invalid`](crate::Error::Invalid), changes nothing. If memory runs out in the
/// midst of a step, or while agents come or go, the run is at no moment that it could go on from: [`Self::agents`] can
/// still be read, each of them whole, and then it is to be dropped. Only where a method says that it goes on as it was,
/// it does.
#[derive(Debug)]
pub struct Sim {
    setup: Setup,
    motion: Motion,
    agents: Agents,
    statics: Statics,
    regrid: Regrid,
    grid: Grid,
    contacts: Contacts,
    /// What finds the contacts, if it is not the grid.
    indexed: Option<Indexed>,
    /// Who fires the cannon, if there is one.
    gunner: Option<Gunner>,
    /// What agents that have sides do to each other.
    battle: Option<Battle>,
    steps: u64,
    counters: Counters,
    fastest: f32,
    /// The id of the next agent to come.
    next_id: u32,
    simd: SimdLevel,
}

impl Sim {
    /// Places the agents and claims all memory.
    ///
    /// # Errors
    /// As [`scene::place`], and if memory can't be had.
    pub fn new(setup: &Setup) -> Result<Self> {
        Self::from_start(setup, scene::place(setup)?)
    }

    /// A run of agents that somebody else placed; the set-up says how they go on.
    ///
    /// Ids may be any, in any order, and agents may overlap; there may be none. The number of agents, their density and
    /// their world are those of the start, whatever the set-up says of these.
    ///
    /// # Errors
    /// If a number of the set-up is out of its range, or its cells don't fit the world. If the world, or the part of it
    /// that is populated, has no size; in `cannon`, if the world is not the scene's own. If the agents' columns have
    /// different lengths, two have the same id, one has [`Agents::GONE`], or one of them can't be, as in
    /// [`Self::spawn`]; in `melee`, if they have no units. If a static can't be, as in [`Self::add_statics`], or memory
    /// can't be had.
    pub fn from_start(setup: &Setup, start: Start) -> Result<Self> {
        check::start(setup, &start)?;
        let Start { world, mut agents, statics, populated } = start;
        let config = grid_config(setup, world, populated, agents.len());
        let grid = Grid::new(config)?;
        let contacts = Contacts::new(config.capacity, setup.contacts_per_agent(), &grid)?;
        agents.claim(config.capacity)?;
        let mut sim = Self {
            motion: Motion {
                world,
                dt: 1.0 / (setup.hz * setup.substeps as f32),
                gravity: setup.gravity,
                restitution: setup.restitution,
                rest_speed: 0.0,
                radius_min: 0.0,
            },
            setup: setup.clone(),
            next_id: agents.id.iter().max().map_or(0, |&most| most.saturating_add(1)),
            statics: Statics::new(world, &statics, setup.spare_statics as usize)?,
            regrid: Regrid::new(config.capacity, &agents)?,
            battle: agents
                .units
                .as_ref()
                .map(|_| Battle::new(config.capacity, &grid))
                .transpose()?,
            agents,
            grid,
            contacts,
            indexed: None,
            gunner: Gunner::of(setup)?,
            steps: 0,
            counters: Counters::default(),
            fastest: 0.0,
            simd: SimdLevel::best(),
        };
        sim.know_smallest();
        sim.regrid.sort(&mut sim.agents, &mut sim.grid, Who::All, sim.motion.dt, sim.simd)?;
        if setup.solver == Solver::Resting {
            // Claims memory for the contacts' speeds.
            sim.find_contacts()?;
            alloc::with_remedy(sim.contacts.read_speeds(&sim.agents), APART)?;
        }
        Ok(sim)
    }

    /// Advances the run by one step of `1 / hz` seconds, in all its substeps.
    ///
    /// Runs on the threads of the rayon pool that the caller is in, as inside
    /// [`install`](https://docs.rs/rayon/latest/rayon/struct.ThreadPool.html#method.install); outside of a pool, on the
    /// calling thread alone. Nothing is allocated inside a pool, unless the contact lists or the grid have to grow.
    /// The results are the same bits on any number of threads.
    ///
    /// # Errors
    /// If the contact lists or the grid must grow and there is not enough memory.
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

    /// Advances the run by one step as [`Self::step`] does, and tells a probe when each phase begins.
    ///
    /// # Errors
    /// As [`Self::step`].
    pub fn step_with(&mut self, probe: &mut impl Probe) -> Result<()> {
        self.fastest = 0.0;
        self.fire()?;
        for _ in 0..self.setup.substeps {
            self.find(probe)?;
            probe.begin(Phase::Resolve);
            self.resolve()?;
            probe.begin(Phase::Integrate);
            let far = self.integrate();
            self.keep_up(far, probe)?;
            self.hit()?;
        }
        self.fight(probe)?;
        self.steps += 1;
        probe.end();
        Ok(())
    }

    // Each phase is a function of its own, so that profiles have it by name.

    #[inline(never)]
    fn find_contacts(&mut self) -> Result<()> {
        let grown = self.contacts.growths;
        alloc::with_remedy(self.contacts.find(&self.agents, &self.grid), APART)?;
        self.counters.contact_growths += self.contacts.growths - grown;
        Ok(())
    }

    #[inline(never)]
    fn resolve(&mut self) -> Result<()> {
        let Motion { world, dt, restitution, rest_speed, .. } = self.motion;
        let Self { agents, contacts, statics, .. } = self;
        self.counters.collisions += match self.setup.solver {
            Solver::Impulse => resolve::resolve(agents, contacts, restitution),
            Solver::Resting => {
                let solver = Resting { restitution, rest_speed, dt };
                alloc::with_remedy(
                    resting::resolve(agents, contacts, &world, statics, solver),
                    APART,
                )?
            }
        };
        Ok(())
    }

    /// Returns how many agents are far from their homes afterwards.
    #[inline(never)]
    fn integrate(&mut self) -> usize {
        let Self { agents, grid, motion, statics, .. } = self;
        let moved = if statics.is_empty() {
            integrate::integrate(agents, grid, motion, (), self.simd)
        } else {
            integrate::integrate(agents, grid, motion, &*statics, self.simd)
        };
        self.fastest = self.fastest.max(moved.farthest_square.sqrt());
        self.counters.tunnelled += moved.tunnelled;
        moved.far
    }

    #[inline(never)]
    fn regrid(&mut self, far: usize) -> Result<()> {
        let Self { agents, grid, motion, regrid, simd, .. } = self;
        regrid.run(agents, grid, far, motion.dt, *simd)
    }

    /// Who has an enemy in reach strikes; the dead leave. Nothing, where nobody has sides.
    fn fight(&mut self, probe: &mut impl Probe) -> Result<()> {
        let Self { battle: Some(battle), agents, grid, counters, setup, .. } = self else {
            return Ok(());
        };
        probe.begin(Phase::Resolve);
        let dead = battle.fight(agents, grid, setup.speed, 1.0 / setup.hz);
        counters.removed += dead as u64;
        if dead > 0 {
            probe.begin(Phase::Regrid);
            self.sort_edited()?;
        }
        Ok(())
    }

    /// What goes by the smallest radius of the agents that are there; of the scene's, while there are none.
    fn know_smallest(&mut self) {
        let Self { agents, motion, setup, .. } = self;
        let least = agents.radius.iter().copied().reduce(f32::min);
        motion.radius_min = least.unwrap_or(setup.radius[0]);
        if setup.solver == Solver::Resting {
            motion.rest_speed = rest_speed(setup.gravity, motion.radius_min);
        }
    }

    /// Chooses the instructions that the hot loops run with; the best of the machine unless told
    /// otherwise. The results are the same bits with any.
    pub fn set_simd(&mut self, simd: SimdLevel) {
        self.simd = simd;
        self.contacts.simd = simd;
        self.grid.set_simd(simd);
    }

    /// The instructions that the hot loops run with.
    pub fn simd(&self) -> SimdLevel {
        self.simd
    }
}

/// Slower than this, two agents that meet stay together: the speed of a fall through a quarter of the
/// smallest radius.
fn rest_speed(gravity: f32, radius_min: f32) -> f32 {
    (0.5 * gravity.abs() * radius_min).sqrt()
}
