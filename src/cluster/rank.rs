//! A rank: a part of a run, and its steps.

use super::{
    Link,
    border::{self, Border},
    late::LatePairs,
    migrate,
    slab::Slabs,
};
use crate::{
    agents::Agents,
    alloc,
    contacts::{ContactList, PARITIES},
    error::{Error, Field, Limit, Result, Value},
    grid::Grid,
    scene::{self, Setup, Start, rule::SceneRule},
    sim::{
        self, grid_config,
        hash::{hash_of_sum, sum_of_records},
    },
    simd::SimdLevel,
    statics::Statics,
    step::{
        finder::SPREAD_OUT,
        impulse::{self, Direction},
        integrate::{self, Trajectory},
        motion::Motion,
        regrid::{Regrid, Retain, SUBSTEPS_AHEAD},
    },
};

/// The part of a run that a rank has.
#[derive(Debug)]
pub struct Rank<L> {
    pub(super) link: L,
    setup: Setup,
    pub(super) motion: Motion,
    statics: Statics,
    pub(super) slabs: Slabs,
    /// Own agents, and behind them the ghosts.
    pub(super) agents: Agents,
    pub(super) own: usize,
    /// The grid of the whole world, with these agents.
    pub(super) grid: Grid,
    pub(super) regrid: Regrid,
    contacts: ContactList,
    late: LatePairs,
    /// Agents of all ranks.
    pub(super) all: usize,
    steps: u64,
    pub(super) simd: SimdLevel,
}

impl<L: Link> Rank<L> {
    /// Places all agents of a set-up, and keeps those of this rank.
    ///
    /// # Errors
    /// As [`scene::place`], on all ranks alike; if the set-up needs more than an impulse solver for smooth
    /// agents between walls; if there are more ranks than bands of cells; and if there is not enough memory.
    ///
    /// # Panics
    /// If another rank has ended, such as by an error.
    pub fn new(setup: &Setup, link: L) -> Result<Self> {
        check(setup)?;
        let Start { world, agents, statics, populated } = scene::place(setup)?;
        let config = grid_config(setup, world, populated, agents.len());
        let mut grid = Grid::new(config)?;
        let bands = grid.bands().count();
        let ranks = link.ranks();
        if ranks > bands {
            let (value, limit) = (Value::Count(ranks as u64), Limit::Counts(1..=bands as u64));
            return Err(Error::invalid(Field::Ranks, value, limit));
        }
        let rule = SceneRule::new(setup, agents.units.is_some(), config.capacity, &grid)?;
        if !matches!(rule, SceneRule::None) || agents.units.is_some() {
            let name = Value::Name(setup.scene.name());
            return Err(Error::invalid(Field::Scene, name, Limit::OneRank));
        }
        let mut motion = sim::motion(setup, world);
        motion.radius_min = agents.radius.iter().copied().fold(f32::INFINITY, f32::min);
        let ahead = SUBSTEPS_AHEAD * motion.dt;
        let counts = migrate::count(&agents, agents.len(), ahead, &grid);
        let counts: Vec<u64> = counts.into_iter().map(u64::from).collect();
        let slabs = Slabs::new(&counts, ranks);
        let all = agents.len();
        let mut agents = migrate::keep(&agents, link.rank(), &slabs, ahead, &grid);
        agents.reserve(config.capacity)?;
        let mut regrid = Regrid::new(&grid, false, motion.space)?;
        let contacts = ContactList::new(config.capacity, setup.contacts_per_agent(), &grid)?;
        let simd = SimdLevel::best();
        regrid.sort(&mut agents, None, &mut grid, Retain::All, ahead, simd)?;
        let mut rank = Self {
            setup: setup.clone(),
            statics: Statics::new(world, &statics, 0)?,
            late: LatePairs::default(),
            steps: 0,
            own: 0,
            link,
            motion,
            slabs,
            agents,
            grid,
            regrid,
            contacts,
            all,
            simd,
        };
        rank.end_sort();
        Ok(rank)
    }

    /// Advances the run by one step, together with all other ranks.
    ///
    /// # Errors
    /// If a list or the grid must grow and there is not enough memory.
    ///
    /// # Panics
    /// If another rank has ended, such as by an error.
    pub fn step(&mut self) -> Result<()> {
        let substeps = u64::from(self.setup.substeps_per_step());
        for substep in 0..substeps {
            self.substep(Direction::of_substep(self.steps * substeps + substep))?;
        }
        self.steps += 1;
        Ok(())
    }

    fn substep(&mut self, direction: Direction) -> Result<()> {
        let Self { link, slabs, agents, own, grid, contacts, late, motion, simd, .. } = self;
        let found = contacts.find(agents.discs().into(), grid, *simd);
        alloc::with_remedy(found, SPREAD_OUT)?;
        late.find(link, agents, *own, grid, contacts, slabs.bands(link.rank()));
        if direction == Direction::Backward {
            late.resolve(link, agents, *own, direction, motion);
        }
        let borders = self.borders();
        let Self { link, agents, own, contacts, late, motion, statics, grid, simd, .. } = self;
        let mut parities = PARITIES;
        if direction == Direction::Backward {
            parities.reverse();
        }
        for parity in parities {
            impulse::resolve_near(agents, contacts, parity, direction, motion);
            border::exchange_states(link, &borders, parity, agents);
        }
        if direction == Direction::Forward {
            late.resolve(link, agents, *own, direction, motion);
        }
        let moved =
            integrate::integrate(agents, Trajectory::Straight, grid, motion, statics, *simd);
        self.regrid(&moved)
    }

    /// The borders of the slab.
    pub(super) fn borders(&self) -> [Option<Border>; 2] {
        let Self { link, slabs, grid, agents, own, .. } = self;
        let bands = slabs.bands(link.rank());
        let first = grid.bands().nth(bands.start).expect("a rank has bands").start;
        Border::of(link, &bands, grid.row_slots(first).len(), *own..agents.len())
    }

    /// Sets what follows from the sort of all agents.
    pub(super) fn end_sort(&mut self) {
        let bands = self.slabs.bands(self.link.rank());
        self.contacts.end_before(bands.end);
        self.regrid.restrict(bands);
        self.count_own();
        let large = self.grid.outliers_in(0..self.own).count();
        let large = self.link.sum(large as u64) as usize;
        self.regrid.set_due([large, 0]);
    }

    /// Counts the own agents, after a sort.
    pub(super) fn count_own(&mut self) {
        let last = self.slabs.bands(self.link.rank()).end - 1;
        let rows = self.grid.bands().nth(last).expect("a rank has bands");
        self.own = self.grid.row_slots(rows.end - 1).end;
    }

    /// The state hash of the run, the same on all ranks.
    ///
    /// # Panics
    /// If another rank has ended.
    pub fn state_hash(&mut self) -> u64 {
        let space = &self.motion.space;
        let own = sum_of_records(&self.agents, 0..self.own, |at| space.wrapped(at));
        hash_of_sum(self.steps, self.link.sum(own), &self.statics)
    }
}

/// Refuses what several ranks can't do.
fn check(setup: &Setup) -> Result<()> {
    let refused = |field, name| Err(Error::invalid(field, Value::Name(name), Limit::OneRank));
    if setup.uses_contact_solver() {
        refused(Field::Solver, "contact")
    } else if setup.sweeps() {
        refused(Field::Collisions, setup.collisions.name())
    } else if setup.friction > 0.0 {
        Err(Error::invalid(Field::Friction, Value::Number(setup.friction), Limit::OneRank))
    } else if setup.boundary.repeats() != [false; 2] {
        refused(Field::Boundary, setup.boundary.name())
    } else {
        Ok(())
    }
}
