//! The contact solver on several ranks.
//!
//! ```text
//! enlarge   own agents and ghosts; the outliers of all ranks decide about a sort, in which impulses go
//!           with their agents                                                     migrate
//! plan      each rank tells how its bands move; all decide alike which bands sleep or keep their blocks
//! find      as with the impulse solver                                            late
//! build     near pairs of own bands; pairs with an outlier in the order of one process
//! solve     each pass: even bands, odd bands; after each, the row of a border goes to the rank that has
//!           not worked on it                                                      border
//!           free pairs with an outlier, and tied ones, which all ranks solve      shared
//!           walls, statics and motion, of own agents and ghosts alike
//! ```

use std::ops::Range;

use super::{
    Link, Rank,
    border::{self, Border},
    late::LatePairs,
    link::MeteredLink,
    migrate::band_of,
    moving::Moving,
    shared::SlotsHere,
    tally::Tally,
};
use crate::{
    agents::Agents,
    alloc,
    contacts::{ContactList, Sought},
    error::Result,
    geometry::DiscColumns,
    grid::Grid,
    scene::Setup,
    sim::{self, RunState},
    solver::{BodyPart, ContactRanks, ContactSolver, NumberColumn, Physics, TiedContacts},
    statics::Statics,
    step::{
        Phase, Probe,
        band_sums::BandSums,
        finder::SPREAD_OUT,
        integrate::{self, Trajectory},
    },
};

/// The contact solver of a rank.
#[derive(Debug)]
pub(super) struct RankSolver {
    pub(super) solver: ContactSolver,
    /// The pairs with outliers; the solver has them for a while.
    pub(super) late: Option<Box<TiedContacts>>,
}

impl RankSolver {
    /// A solver of at most `capacity` agents, which remembers nothing.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn new(
        setup: &Setup,
        agents: &Agents,
        statics: &Statics,
        capacity: usize,
        contacts: &ContactList,
    ) -> Result<Self> {
        let is_rough = setup.friction > 0.0;
        let statics = !statics.is_empty() || setup.spare_statics > 0;
        let solver = ContactSolver::new(capacity, contacts, [statics, is_rough])?;
        Ok(Self { solver, late: Some(Box::new(TiedContacts::of(agents, is_rough)?)) })
    }
}

/// The link of a rank to the others while its solver works.
struct SolverLink<'a, L> {
    link: &'a mut MeteredLink<L>,
    bands: Range<usize>,
    borders: [Option<Border>; 2],
    /// The rows that this rank works on, as they were before.
    rows: Vec<Vec<u32>>,
    pairs: &'a mut LatePairs,
    late: &'a mut Option<Box<TiedContacts>>,
    here: SlotsHere,
}

impl<L: Link> SolverLink<'_, L> {
    /// Finds the pairs with outliers, and shares the agents of tied ones.
    fn find_late(
        &mut self,
        (agents, discs): (&Agents, DiscColumns<'_>),
        grid: &Grid,
        contacts: &ContactList,
    ) {
        let Self { link, bands, pairs, late, here, .. } = self;
        pairs.find(*link, discs, here.own, grid, contacts, bands.clone());
        let Some(late) = late else { unreachable!("the solver has given it back") };
        [late.free, late.tied] = pairs.contacts();
        late.own = here.own as u32;
        let shared = &mut pairs.shared;
        late.slots.clear();
        late.slots.extend(shared.slots(*here).map(|slot| slot.map(|slot| slot as u32)));
        late.bands.clear();
        late.table.clear();
        if !shared.is_empty() {
            late.bands = shared.told(*link, |slot, words| {
                words.push(band_of(grid, grid.row_of(slot as u32)) as u32);
            });
            shared.gather(*link, agents, None, false);
            std::mem::swap(&mut shared.table, &mut late.table);
        }
    }
}

impl<L: Link> ContactRanks for SolverLink<'_, L> {
    fn own_bands(&self) -> Option<Range<usize>> {
        Some(self.bands.clone())
    }

    fn all_gather(&mut self, words: &[u32]) -> Vec<Vec<u32>> {
        self.link.all_gather(words)
    }

    fn before(
        &mut self,
        parity: usize,
        is_idle: impl Fn(usize) -> bool,
        columns: [NumberColumn<'_>; 2],
    ) {
        let borders = border::busy(&self.borders, parity, is_idle);
        self.rows = border::rows_before(&borders, parity, &Moving::of_bodies(columns));
    }

    fn after(
        &mut self,
        parity: usize,
        is_idle: impl Fn(usize) -> bool,
        columns: [NumberColumn<'_>; 2],
    ) {
        let borders = border::busy(&self.borders, parity, is_idle);
        let moving = &mut Moving::of_bodies(columns);
        border::exchange_states(self.link, &borders, parity, &self.rows, moving);
    }

    fn take_late(&mut self) -> Option<Box<TiedContacts>> {
        self.late.take()
    }

    fn put_late(&mut self, late: Box<TiedContacts>) {
        *self.late = Some(late);
    }

    fn has_tied(&self) -> bool {
        self.late.as_ref().is_some_and(|late| late.is_solved())
    }

    fn with_tied(
        &mut self,
        part: BodyPart,
        columns: [NumberColumn<'_>; 2],
        work: impl FnOnce(&mut TiedContacts) -> u64,
    ) -> u64 {
        let Self { link, pairs, late, here, .. } = self;
        let Some(late) = late.as_deref_mut().filter(|late| late.is_solved()) else { return 0 };
        let bodies = (part, &mut Moving::of_bodies(columns));
        let counted = pairs.shared.work_on_bodies(*link, *here, bodies, late, work);
        if here.rank == 0 { counted } else { 0 }
    }
}

impl<L: Link> Rank<L> {
    /// A substep of the contact solver.
    pub(super) fn contact_substep(&mut self, probe: &mut impl Probe) -> Result<()> {
        probe.begin(Phase::Regrid);
        let physics = sim::physics(&self.motion, self.state.setup.sleep && self.rules.is_none());
        let (here, bands) = (self.here(), self.slabs.bands(self.link.rank()));
        let Self { link, state, late: pairs, solver, .. } = self;
        let Some(RankSolver { solver, late }) = solver.as_deref_mut() else {
            unreachable!("claimed at the start")
        };
        let (borders, rows) = ([None, None], Vec::new());
        let mut others = SolverLink { link, bands, borders, rows, pairs, late, here };
        if solver.is_at_rest(&state.agents, &physics, &mut others) {
            return Ok(());
        }
        self.enlarge(&physics)?;
        let collisions = self.solve_contacts(&physics, probe)?;
        probe.begin(Phase::Integrate);
        let tally = self.take_over(collisions);
        probe.begin(Phase::Regrid);
        let mut all = Tally::default();
        for words in self.link.all_gather(&tally.words()) {
            all.add(&words);
        }
        all.add_to(&mut self.state, Default::default());
        let Self { state: RunState { agents, .. }, grid, .. } = self;
        let outliers = grid.recorded_outliers(0..agents.len()).count();
        grid.list_outliers(agents, outliers)
    }

    fn here(&self) -> SlotsHere {
        let (rank, count) = (self.link.rank() as u32, self.state.agents.len());
        SlotsHere { rank, own: self.own, count }
    }

    /// Enlarges the discs and makes the grid exact for them; sorts the agents when it is due.
    fn enlarge(&mut self, physics: &Physics) -> Result<()> {
        let outliers = self.record_enlarged(physics);
        if self.regrid.is_due(outliers, self.all) {
            self.sort(None, physics.ahead())?;
            let outliers = self.record_enlarged(physics);
            self.regrid.set_large(outliers);
        }
        let Self { state: RunState { agents, .. }, grid, solver, .. } = self;
        let Some(RankSolver { solver, .. }) = solver.as_deref() else {
            unreachable!("claimed at the start")
        };
        let outliers = grid.recorded_outliers(0..agents.len()).count();
        grid.list_outliers(&solver.discs(agents), outliers)
    }

    /// Enlarges the discs; returns how many of all ranks are outliers.
    fn record_enlarged(&mut self, physics: &Physics) -> usize {
        let Self { link, state: RunState { agents, .. }, own, grid, solver, simd, .. } = self;
        let Some(RankSolver { solver, .. }) = solver.as_deref_mut() else {
            unreachable!("claimed at the start")
        };
        grid.record_outliers(&solver.enlarge(agents, physics, *simd));
        link.sum(grid.recorded_outliers(0..*own).count() as u64) as usize
    }

    /// Finds and solves the contacts; returns the pairs that met fast, as this rank counts them.
    fn solve_contacts(&mut self, physics: &Physics, probe: &mut impl Probe) -> Result<u64> {
        let (here, borders) = (self.here(), self.borders());
        let bands = self.slabs.bands(self.link.rank());
        let Self { link, state, grid, contacts, late: pairs, solver, simd, .. } = self;
        let RunState { agents, statics, .. } = state;
        let Some(RankSolver { solver, late }) = solver.as_deref_mut() else {
            unreachable!("claimed at the start")
        };
        let mut others = SolverLink { link, bands, borders, rows: Vec::new(), pairs, late, here };
        solver.plan(agents, contacts, grid, physics, *simd, &mut others);
        loop {
            probe.begin(Phase::Contacts);
            let kept = |band| solver.kept_pairs(band);
            let sought = Sought { kept: &kept, ..solver.discs(agents).into() };
            alloc::with_remedy(contacts.find(sought, grid, *simd), SPREAD_OUT)?;
            others.find_late((agents, solver.discs(agents)), grid, contacts);
            probe.begin(Phase::Resolve);
            solver.build(agents, contacts, statics, physics, *simd, &mut others)?;
            if !solver.wake_touched(&mut others) {
                break;
            }
        }
        solver.solve(agents, contacts, physics, *simd, &mut others)
    }

    /// Takes over the motion of the bodies, of own agents and ghosts; counts that of own agents.
    fn take_over(&mut self, collisions: u64) -> Tally {
        *self.sums = BandSums::default();
        let Self { state: RunState { agents, statics, .. }, own, grid, motion, solver, .. } = self;
        let Some(RankSolver { solver, .. }) = solver.as_deref() else {
            unreachable!("claimed at the start")
        };
        let bodies = solver.bodies();
        solver.take_over_spins(agents);
        let mut ghosts = agents.copied(*own..agents.len());
        let of_ghosts = Trajectory::Solved(&bodies[*own..]);
        let without = integrate::without_bounces(motion);
        let ghosts = integrate::moves_of(&mut ghosts, of_ghosts, &without, statics);
        let moved = integrate::take_over(agents, bodies, grid, motion, statics, self.simd);
        Tally {
            farthest_square: moved.farthest_square,
            tunnelled: moved.tunnelled - ghosts.tunnelled,
            wall_impulse: moved.wall_impulse.without(&ghosts.wall_impulse),
            collisions,
            ..Tally::default()
        }
    }
}
