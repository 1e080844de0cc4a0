//! A simulation whose contacts any spatial index finds.
//!
//! The agents stay in the double grid's order, and the bits with it: sort, homes and far agents go on as ever.
//! What another index takes over is finding who overlaps. It is lent the agents by id, and its pairs are
//! brought into canonical order:
//!
//! ```text
//! contacts  index: all pairs, by id         order  pairs by id ─► pairs by slot ─► contact lists
//! resolve, integrate                               the double grid's regrid, agents by slot ─► by id
//! regrid    index: update
//! ```
//!
//! So the phases `contacts` and `regrid` are the index's own, and what keeps the order is in none of them.

use super::{APART, Sim};
use crate::{
    agents::Agents,
    alloc,
    error::Result,
    index::{DiscsById, DoubleGrid, IndexConfig, IndexKind, SpatialIndex},
    step::{Phase, Probe, order::Ordered},
};

/// An index at work, what it is lent, and what comes back.
#[derive(Debug)]
pub(super) struct Indexed {
    kind: IndexKind,
    index: Box<dyn SpatialIndex>,
    lent: Lent,
    pub(super) ordered: Ordered,
}

/// The agents by place. An id below the number of places is its own; an id that came when these had run out has a
/// place that was left.
#[derive(Debug)]
struct Lent {
    x: Vec<f32>,
    y: Vec<f32>,
    radius: Vec<f32>,
    alive: Vec<bool>,
    /// place → slot; meaningless for who is not alive.
    slot_of: Vec<u32>,
    /// id and place of those whose ids are not their places, by id.
    later: Vec<[u32; 2]>,
}

impl Lent {
    /// Room for so many agents at a time; `later` of them may have come late.
    fn new(places: usize, later: usize) -> Result<Self> {
        let numbers = || alloc::filled(places, 0.0, "the agents by id");
        Ok(Self {
            x: numbers()?,
            y: numbers()?,
            radius: numbers()?,
            alive: alloc::filled(places, false, "the agents by id")?,
            slot_of: alloc::filled(places, 0, "the slots of the agents")?,
            later: alloc::with_capacity(later, "the places of late ids")?,
        })
    }

    /// Gives everybody a place, after agents came or went.
    ///
    /// # Errors
    /// If there is not enough memory.
    fn assign(&mut self, agents: &Agents) -> Result<()> {
        self.alive.fill(false);
        self.later.clear();
        for &id in &agents.id {
            match self.alive.get_mut(id as usize) {
                Some(taken) => *taken = true,
                None => alloc::push(&mut self.later, [id, 0], "the places of late ids")?,
            }
        }
        self.later.sort_unstable();
        let left = (0..).zip(&self.alive).filter(|&(_, taken)| !taken);
        for ([_, place], (free, _)) in self.later.iter_mut().zip(left) {
            *place = free;
        }
        Ok(())
    }

    /// The place of an agent.
    #[inline]
    fn place(&self, id: u32) -> usize {
        if (id as usize) < self.alive.len() {
            return id as usize;
        }
        let known = self.later.binary_search_by_key(&id, |&[id, _]| id);
        self.later[known.expect("everybody has a place")][1] as usize
    }

    /// Takes the present positions.
    fn take(&mut self, agents: &Agents) {
        self.alive.fill(false);
        for (slot, &id) in agents.id.iter().enumerate() {
            let place = self.place(id);
            self.x[place] = agents.x[slot];
            self.y[place] = agents.y[slot];
            self.radius[place] = agents.radius[slot];
            self.alive[place] = true;
            self.slot_of[place] = slot as u32;
        }
    }

    fn discs(&self) -> DiscsById<'_> {
        let Self { x, y, radius, alive, .. } = self;
        DiscsById { x, y, radius, alive }
    }

    fn memory(&self) -> usize {
        let numbers = self.x.capacity() + self.y.capacity() + self.radius.capacity();
        (numbers + self.slot_of.capacity() + 2 * self.later.capacity()) * 4 + self.alive.capacity()
    }
}

impl Indexed {
    /// Takes the present positions, and makes the index that of them.
    fn update(&mut self, agents: &Agents) -> Result<()> {
        self.lent.take(agents);
        self.index.update(&self.lent.discs())
    }

    /// The same after agents came or went.
    pub(super) fn edited(&mut self, agents: &Agents) -> Result<()> {
        self.lent.assign(agents)?;
        self.update(agents)
    }

    /// Bytes of the index.
    pub(super) fn memory(&self) -> usize {
        self.index.memory()
    }

    /// Bytes of what it is lent.
    pub(super) fn memory_lent(&self) -> usize {
        self.lent.memory()
    }
}

impl Sim {
    /// Chooses what finds the contacts; the double grid unless told otherwise. The run is the same bit for bit
    /// with any. All memory is claimed here; on an error, it goes on as it was.
    ///
    /// # Errors
    /// If the index is not made for such agents, or there is not enough memory.
    pub fn set_index(&mut self, kind: IndexKind) -> Result<()> {
        if kind == DoubleGrid::KIND {
            self.indexed = None;
            return Ok(());
        }
        let config = self.index_config();
        let capacity = config.grid.capacity;
        let pairs = (self.setup.contacts_per_agent() * capacity as f32) as usize;
        let spawns = self.setup.spare_agents > 0 || self.gunner.is_some();
        let later = if spawns { capacity } else { 0 };
        let mut indexed = Indexed {
            kind,
            index: kind.build(&config)?,
            lent: Lent::new(capacity, later)?,
            ordered: Ordered::new(pairs)?,
        };
        indexed.edited(&self.agents)?;
        self.indexed = Some(indexed);
        Ok(())
    }

    /// What finds the contacts.
    pub fn index(&self) -> IndexKind {
        self.indexed.as_ref().map_or(DoubleGrid::KIND, |indexed| indexed.kind)
    }

    /// What an index of these agents is made from: room for all that there may be at a time, the grid's own
    /// cells, and the agents' sizes.
    pub fn index_config(&self) -> IndexConfig {
        let Agents { radius, .. } = &self.agents;
        let least = radius.iter().copied().fold(f32::INFINITY, f32::min);
        let most = radius.iter().copied().fold(0.0, f32::max);
        IndexConfig { grid: *self.grid.config(), radius: [least, most] }
    }

    /// The step's contacts: found by the chosen index, in canonical order.
    pub(super) fn find(&mut self, probe: &mut impl Probe) -> Result<()> {
        probe.begin(Phase::Contacts);
        if self.indexed.is_none() {
            return self.find_contacts();
        }
        self.search_index()?;
        probe.begin(Phase::Order);
        self.order()
    }

    /// Makes grid and index exact for the new positions, of agents of whom so many are far from their homes.
    pub(super) fn keep_up(&mut self, far: usize, probe: &mut impl Probe) -> Result<()> {
        if self.indexed.is_none() {
            probe.begin(Phase::Regrid);
            return self.regrid(far);
        }
        probe.begin(Phase::Order);
        self.regrid(far)?;
        let Some(indexed) = &mut self.indexed else { return Ok(()) };
        indexed.lent.take(&self.agents);
        probe.begin(Phase::Regrid);
        indexed.index.update(&indexed.lent.discs())
    }

    #[inline(never)]
    fn search_index(&mut self) -> Result<()> {
        let Some(Indexed { index, lent, ordered, .. }) = &mut self.indexed else { return Ok(()) };
        ordered.clear();
        let mut kept = Ok(());
        index.visit_pairs(&lent.discs(), &mut |a, b| {
            if kept.is_ok() {
                kept = ordered.push(a, b);
            }
        })?;
        alloc::with_remedy(kept, APART)
    }

    #[inline(never)]
    fn order(&mut self) -> Result<()> {
        let Self { grid, contacts, indexed, counters, .. } = self;
        let Some(Indexed { lent, ordered, .. }) = indexed else { return Ok(()) };
        ordered.sort(&lent.slot_of, grid);
        let grown = contacts.growths;
        alloc::with_remedy(contacts.take(ordered, grid), APART)?;
        counters.contact_growths += contacts.growths - grown + std::mem::take(&mut ordered.growths);
        Ok(())
    }
}
