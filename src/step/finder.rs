//! The pair finder: the double grid or another index, which finds the contacts of a step.
//!
//! With another index, the agents stay in the double grid's order, and the bits of the run with it:
//! sorting, home cells and outliers go on. The index takes over finding the pairs. It reads the
//! agents by id, and its pairs are brought into canonical order:
//!
//! ```text
//!                                           order  double grid's regrid, agents by slot ─► by id
//! regrid    index: update
//! contacts  index: all pairs, by id         order  pairs by id ─► pairs by slot ─► contact list
//! resolve, integrate
//! ```
//!
//! So the phases `contacts` and `regrid` measure the index alone, and the work that keeps the order
//! is in neither of them.

use super::{Phase, Probe, id_map::IdMap, order::PairOrder};
use crate::{
    agents::Agents,
    alloc,
    contacts::{ContactList, Halo, KeptPairs, Seam, Sought},
    error::{Adjust, Field, Result},
    geometry::DiscColumns,
    grid::Grid,
    index::{DoubleGrid, IndexConfig, IndexKind, SpatialIndex},
    simd::SimdLevel,
};

/// Remedies for a lack of memory for pairs: their number depends on how the agents lie.
pub(crate) const SPREAD_OUT: &[Adjust] = &[Adjust::SpreadAgents, Adjust::Lower(Field::Agents)];

/// Finds the contacts.
#[derive(Debug, Default)]
pub(crate) enum PairFinder {
    /// The double grid, which every step keeps exact.
    #[default]
    Grid,
    /// Another index.
    Index(Box<IndexFinder>),
}

/// Another index, the discs that it reads, and the pairs that it finds.
#[derive(Debug)]
pub(crate) struct IndexFinder {
    kind: IndexKind,
    /// The index is built from this again where it needs room for more copies of discs.
    config: IndexConfig,
    index: Box<dyn SpatialIndex>,
    discs: IdMap,
    order: PairOrder,
}

impl PairFinder {
    /// Creates the finder of a kind, empty until [`Self::rebuild`], with capacity for `pairs`
    /// pairs, of agents of which `late` may come after the start.
    ///
    /// # Errors
    /// If the index can't be made for such agents, or there is not enough memory.
    pub(crate) fn new(
        kind: IndexKind,
        config: &IndexConfig,
        pairs: usize,
        late: usize,
    ) -> Result<Self> {
        if kind == DoubleGrid::KIND {
            return Ok(Self::Grid);
        }
        Ok(Self::Index(Box::new(IndexFinder {
            kind,
            index: kind.build(config)?,
            config: *config,
            discs: IdMap::new(config.grid.capacity, late)?,
            order: PairOrder::new(pairs)?,
        })))
    }

    /// The kind of the index.
    pub(crate) fn kind(&self) -> IndexKind {
        match self {
            Self::Grid => DoubleGrid::KIND,
            Self::Index(finder) => finder.kind,
        }
    }

    /// Finds all pairs of discs that overlap, except pairs that are dropped at once, and stores
    /// them in canonical order. The ids of the discs are given.
    ///
    /// # Errors
    /// If a list or the index must grow and there is not enough memory.
    #[inline(never)]
    pub(crate) fn find(
        &mut self,
        contacts: &mut ContactList,
        sought: Sought<'_>,
        ids: &[u32],
        grid: &Grid,
        simd: SimdLevel,
        probe: &mut impl Probe,
    ) -> Result<()> {
        let finder = match self {
            Self::Grid => {
                probe.begin(Phase::Contacts);
                return alloc::with_remedy(contacts.find(sought, grid, simd), SPREAD_OUT);
            }
            Self::Index(finder) => finder,
        };
        let Sought { discs, narrowing, kept } = sought;
        probe.begin(Phase::Order);
        finder.discs.update(ids, discs);
        if let Some(seam) = contacts.seam_mut() {
            seam.refresh(discs, grid)?;
            finder.lend(seam.halo())?;
        }
        probe.begin(Phase::Regrid);
        finder.index.update(&finder.discs.discs())?;
        probe.begin(Phase::Contacts);
        finder.find(contacts.seam_mut(), discs, grid)?;
        probe.begin(Phase::Order);
        finder.put_in_order(contacts, grid, kept)?;
        narrowing.map_or(Ok(()), |narrowing| contacts.narrow(narrowing))
    }

    /// The phase that the double grid's regrid belongs to: it only keeps the order if another index
    /// finds the contacts.
    pub(crate) fn phase_of_regrid(&self) -> Phase {
        match self {
            Self::Grid => Phase::Regrid,
            Self::Index(_) => Phase::Order,
        }
    }

    /// Follows the agents after some came or went.
    ///
    /// # Errors
    /// If the index must grow and there is not enough memory.
    pub(crate) fn rebuild(&mut self, agents: &Agents) -> Result<()> {
        let Self::Index(finder) = self else { return Ok(()) };
        finder.discs.assign(&agents.id)?;
        finder.discs.update(&agents.id, agents.discs());
        finder.index.update(&finder.discs.discs())
    }

    /// Bytes of another index, of the discs by id, and of the pairs to be ordered; `None` for the
    /// double grid.
    pub(crate) fn memory(&self) -> Option<[usize; 3]> {
        match self {
            Self::Grid => None,
            Self::Index(finder) => {
                Some([finder.index.memory(), finder.discs.memory(), finder.order.memory()])
            }
        }
    }
}

impl IndexFinder {
    /// Lends the index the copies of discs beside a world that repeats, as further discs. An index
    /// knows a fixed number of discs: where that is too small, it is rebuilt.
    fn lend(&mut self, halo: &Halo) -> Result<()> {
        let Self { kind, index, config, discs, order } = self;
        if halo.len() > discs.room() {
            discs.grow(halo.len().max(Halo::room_for(discs.agents())) * 5 / 4)?;
            config.grid.capacity = discs.agents() + discs.room();
            *index = kind.build(config)?;
            order.count_growth();
        }
        discs.lend(halo);
        Ok(())
    }

    /// Collects all pairs from the index; those with a copy are pairs across the seam.
    #[inline(never)]
    fn find(
        &mut self,
        mut seam: Option<&mut Seam>,
        columns: DiscColumns<'_>,
        grid: &Grid,
    ) -> Result<()> {
        let Self { index, discs, order, .. } = self;
        order.clear();
        let agents = discs.agents() as u32;
        let mut kept = Ok(());
        index.visit_pairs(&discs.discs(), &mut |a, b| {
            let (agent, other) = (a.min(b), a.max(b));
            if kept.is_err() {
            } else if other < agents {
                kept = order.push(a, b);
            } else if let Some(seam) = &mut seam
                && agent < agents
            {
                kept = seam.offer(columns, grid, discs.slot(agent), (other - agents) as usize);
            }
        })?;
        if let Some(seam) = seam {
            seam.sort();
        }
        alloc::with_remedy(kept, SPREAD_OUT)
    }

    /// Stores the pairs in canonical order.
    #[inline(never)]
    fn put_in_order(
        &mut self,
        contacts: &mut ContactList,
        grid: &Grid,
        kept: &KeptPairs<'_>,
    ) -> Result<()> {
        let Self { discs, order, .. } = self;
        order.sort(|position| discs.slot(position), grid);
        contacts.add_growths(order.take_growths());
        alloc::with_remedy(
            contacts.fill(grid, kept, |bands, pairs| {
                order.store(bands, pairs);
                Ok(())
            }),
            SPREAD_OUT,
        )
    }
}
