//! The link of a rank to the others while its contact solver works.

use std::ops::Range;

use super::{
    Link,
    border::{self, Border, Needs},
    late::LatePairs,
    link::MeteredLink,
    migrate::band_of,
    moving::Moving,
    shared::SlotsHere,
};
use crate::{
    agents::Agents,
    contacts::ContactList,
    error::Result,
    geometry::DiscColumns,
    grid::Grid,
    scene::Setup,
    solver::{BodyPart, ContactRanks, ContactSolver, LateContacts, NumberColumn},
    statics::Statics,
};

/// The contact solver of a rank.
#[derive(Debug)]
pub(super) struct RankSolver {
    pub(super) solver: ContactSolver,
    /// The pairs with outliers; the solver has them for a while.
    pub(super) late: Option<Box<LateContacts>>,
    /// The number of agents of lower ranks.
    pub(super) first_slot: u32,
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
        let late = Some(Box::new(LateContacts::of(agents, is_rough)?));
        Ok(Self { solver, late, first_slot: 0 })
    }
}

/// The link of a rank to the others while its solver works.
pub(super) struct SolverLink<'a, L> {
    pub(super) link: &'a mut MeteredLink<L>,
    pub(super) bands: Range<usize>,
    pub(super) borders: [Option<Border>; 2],
    /// The rows that this rank works on, as they were before.
    pub(super) rows: Vec<Vec<u32>>,
    /// What the rank below needs after each pass, while pairs are solved.
    pub(super) needs: Option<Needs>,
    pub(super) pairs: &'a mut LatePairs,
    pub(super) late: &'a mut Option<Box<LateContacts>>,
    pub(super) here: SlotsHere,
    pub(super) first_slot: u32,
}

impl<L: Link> SolverLink<'_, L> {
    /// Finds the pairs with outliers, and shares the agents of tied ones.
    pub(super) fn find_late(
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

    fn first_slot(&self) -> u32 {
        self.first_slot
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
        let needs = self.needs.as_mut();
        border::exchange_states(self.link, &borders, parity, &self.rows, moving, needs);
    }

    fn touch(&mut self, behind: impl FnOnce() -> Vec<u32>) {
        self.needs = border::agree_on_needs(self.link, &self.borders, &behind());
    }

    fn settle(&mut self, is_idle: impl Fn(usize) -> bool, columns: [NumberColumn<'_>; 2]) {
        let borders = self.borders.clone().map(|border| border.filter(|it| !is_idle(it.above())));
        border::settle(self.link, &borders, self.needs.take(), &mut Moving::of_bodies(columns));
    }

    fn take_late(&mut self) -> Option<Box<LateContacts>> {
        self.late.take()
    }

    fn put_late(&mut self, late: Box<LateContacts>) {
        *self.late = Some(late);
    }

    fn has_late(&self) -> bool {
        self.late.as_ref().is_some_and(|late| late.is_any())
    }

    fn with_tied(
        &mut self,
        part: BodyPart,
        columns: [NumberColumn<'_>; 2],
        work: impl FnOnce(&mut LateContacts) -> u64,
    ) -> u64 {
        let Self { link, pairs, late, here, .. } = self;
        let Some(late) = late.as_deref_mut().filter(|late| late.is_solved()) else { return 0 };
        let bodies = (part, &mut Moving::of_bodies(columns));
        let counted = pairs.shared.work_on_bodies(*link, *here, bodies, late, work);
        if here.rank == 0 { counted } else { 0 }
    }
}
