//! Pairs with outliers on a rank of a cluster: free ones, which it solves alone, and tied ones, which all
//! ranks solve alike on a table of their agents.
//!
//! ```text
//! classify  which pairs are near enough, and which of these are held
//! pack      the pairs of all ranks, in the order of one process: says in which blocks they are
//! fill      blocks of free pairs, and of tied ones, in the order of these; their lanes are disjoint
//! ```
//!
//! The block of a pair depends on pairs that have no agent in common with it: on how full blocks are. So
//! each rank packs the pairs of all ranks.

use super::{
    color::set,
    coulomb::{Roughness, Rub, RubBlock},
    friction::Friction,
    ids::ImpulseOfIds,
    memory::Memory,
    pairs::{Build, HELD, LateTreatment, NOWHERE, OutlierBlocks, PART, aim, impulses_at, set_rub},
    physics::Physics,
    soft::{self, Restitute, Rough, SoftPass},
};
use crate::{
    agents::Agents,
    alloc,
    contacts::Pair,
    error::Result,
    simd::{
        SimdLevel,
        pairs::{LANES, PairBlock},
    },
};

/// A column with some numbers for each agent.
pub(crate) type NumberColumn<'a> = (&'a mut [f32], usize);

/// What pairs change of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyPart {
    /// Velocities and displacements, and the speeds of rims.
    Motion,
    /// The references of velocities and of the speeds of rims.
    Reference,
}

/// Words of the place of a pair in the order of one process.
pub(crate) const KEY_WORDS: usize = 5;

/// A pair with an outlier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LateContact {
    /// Ascends as the pairs of one process do: rank and slot of the finder, whether both are outliers, and
    /// rank and slot of the partner.
    key: [u32; KEY_WORDS],
    /// The agents, the lower first: slots of a free pair, entries of the table of a tied one.
    pair: Pair,
    /// [`NOWHERE`], [`HELD`], or a lane of a block.
    place: u32,
    share: f32,
}

impl LateContact {
    pub(crate) fn new(key: [u32; KEY_WORDS], pair: Pair) -> Self {
        Self { key, pair, place: NOWHERE, share: 0.0 }
    }

    fn is_solved(&self) -> bool {
        self.place < HELD
    }

    /// Decides how it is solved; `wake` gets the one of the two to wake.
    pub(super) fn treat(
        &mut self,
        build: &Build<'_>,
        bodies: &[[f32; 4]],
        held: impl FnOnce() -> [bool; 2],
        wake: impl FnOnce(usize),
    ) {
        self.place = match build.treat(bodies, self.pair, held, wake) {
            LateTreatment::Apart => NOWHERE,
            LateTreatment::Held => HELD,
            LateTreatment::Solved(share) => {
                self.share = share;
                0
            }
        };
    }

    pub(super) fn pair(&self) -> [usize; 2] {
        self.pair.map(|slot| slot as usize)
    }
}

/// The pairs with outliers of a rank, and those that all ranks solve.
#[derive(Debug)]
pub(crate) struct LateContacts {
    /// Pairs that no other rank knows, in order.
    pub(crate) free: Vec<LateContact>,
    /// Pairs that all ranks know, in order.
    pub(crate) tied: Vec<LateContact>,
    /// The agents of tied pairs, the same on all ranks.
    pub(crate) table: Agents,
    /// The bands that they have their home cells in.
    pub(crate) bands: Vec<u32>,
    /// Their slots here, of own agents and of ghosts.
    pub(crate) slots: Vec<Option<u32>>,
    /// The number of agents of this rank.
    pub(crate) own: u32,
    bodies: Vec<[f32; 4]>,
    reference: Vec<[f32; 2]>,
    friction: Friction,
    blocks: Vec<PairBlock>,
    /// How many of these are solved; the others have impulses of held agents.
    solved: usize,
    /// True if there are blocks of such pairs on any rank.
    any: bool,
    /// Blocks of the pairs of all ranks, of which only the places count.
    packed: Vec<PairBlock>,
    /// Impulses that all ranks remember alike, sorted: of the tied pairs of the last substep, and what was added
    /// since.
    memory: Vec<ImpulseOfIds>,
}

impl LateContacts {
    /// None yet, of agents with the columns of `agents`.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn of(agents: &Agents, friction: bool) -> Result<Self> {
        Ok(Self {
            free: Vec::new(),
            tied: Vec::new(),
            table: agents.none_alike(),
            bands: Vec::new(),
            slots: Vec::new(),
            own: 0,
            bodies: Vec::new(),
            reference: Vec::new(),
            friction: Friction::new(friction, 0)?,
            blocks: Vec::new(),
            solved: 0,
            any: false,
            packed: Vec::new(),
            memory: Vec::new(),
        })
    }

    /// True if any rank has blocks of such pairs.
    pub(crate) fn is_any(&self) -> bool {
        self.any
    }

    /// True if tied pairs are solved.
    pub(crate) fn is_solved(&self) -> bool {
        self.solved > 0
    }

    /// The columns of the bodies in the table.
    pub(crate) fn columns(&mut self, part: BodyPart) -> [NumberColumn<'_>; 2] {
        let Self { bodies, reference, friction, .. } = self;
        match part {
            BodyPart::Motion => [(bodies.as_flattened_mut(), 4), friction.motion()],
            BodyPart::Reference => [(reference.as_flattened_mut(), 2), friction.references()],
        }
    }

    /// The bodies at the start of a substep.
    pub(super) fn place_bodies(&mut self) {
        let Self { table, bodies, reference, friction, .. } = self;
        let speeds = table.vx.iter().zip(&table.vy);
        let centers = table.x.iter().zip(&table.y);
        bodies.clear();
        bodies.extend(speeds.zip(centers).map(|((&vx, &vy), (&x, &y))| [vx, vy, x, y]));
        reference.clear();
        reference.resize(bodies.len(), [0.0; 2]);
        friction.resize(bodies.len());
    }

    /// Decides how tied pairs are solved. `is_held` is for bands, and `wake` gets the band to wake.
    pub(super) fn treat_tied(
        &mut self,
        (memory, physics): (&Memory, &Physics),
        is_held: impl Fn(usize) -> bool,
        mut wake: impl FnMut(usize),
    ) {
        let Self { tied, table, bands, bodies, .. } = self;
        let build = Build::new(table, memory, physics);
        for contact in tied {
            let bands = contact.pair().map(|entry| bands[entry] as usize);
            contact.treat(&build, bodies, || bands.map(&is_held), |which| wake(bands[which]));
        }
    }

    /// Gives pairs that are solved the places that they have in one process. `all_gather` exchanges words
    /// with all ranks.
    pub(super) fn pack(&mut self, all_gather: impl FnOnce(&[u32]) -> Vec<Vec<u32>>) -> Result<()> {
        let Self { free, tied, own, any, packed, .. } = self;
        let solved = |contact: &&LateContact| contact.is_solved();
        let has_block = |contact: &LateContact| contact.place != NOWHERE;
        let mut words = vec![*own, free.iter().any(has_block).into()];
        words.extend(free.iter().filter(solved).flat_map(|contact| contact.key));
        let told = all_gather(&words);
        let mut firsts = Vec::with_capacity(told.len());
        let mut keys: Vec<_> = tied.iter().filter(solved).map(|contact| contact.key).collect();
        *any = tied.iter().any(has_block);
        let mut first = 0;
        for words in &told {
            firsts.push(first);
            first += words[0];
            *any |= words[1] > 0;
            keys.extend_from_slice(words[2..].as_chunks().0);
        }
        keys.sort_unstable();
        let slot = |rank: u32, slot: u32| firsts[rank as usize] + slot;
        let [mut free, mut tied] = [free, tied]
            .map(|contacts| contacts.iter_mut().filter(|contact| contact.is_solved()).peekable());
        let mut blocks = OutlierBlocks::new(packed);
        for key in keys {
            let place = blocks.push([slot(key[0], key[1]), slot(key[3], key[4])], 0.0, 0.0)?;
            for contacts in [&mut free, &mut tied] {
                if let Some(contact) = contacts.next_if(|contact| contact.key == key) {
                    contact.place = place;
                }
            }
        }
        Ok(())
    }

    /// Fills the blocks of free pairs, which are those of the caller. Returns how many of them are solved.
    pub(super) fn fill_free(
        &mut self,
        memory: &Memory,
        blocks: &mut Vec<PairBlock>,
        rubs: &mut Vec<RubBlock>,
    ) -> Result<usize> {
        let is_rough = self.friction.is_on;
        let impulses = |_, pair| impulses_of(memory, pair, is_rough);
        let solved = fill(&mut self.free, blocks, impulses)?;
        if is_rough {
            alloc::grow_to(rubs, blocks.len(), RubBlock::default(), PART)?;
            rubs.fill(RubBlock::default());
            for &LateContact { pair, place, .. } in &self.free {
                set_rub(rubs, place, || memory.rub(pair));
            }
        }
        Ok(solved)
    }

    /// Fills the blocks of tied pairs. Each rank tells the impulses that it remembers.
    pub(super) fn fill_tied(
        &mut self,
        memory: &Memory,
        all_gather: impl FnOnce(&[u32]) -> Vec<Vec<u32>>,
    ) -> Result<()> {
        let Self { tied, table, slots, friction, blocks, solved, memory: tied_memory, .. } = self;
        let mut words = Vec::new();
        for (index, contact) in (0..).zip(&*tied).filter(|(_, it)| it.place != NOWHERE) {
            if let [Some(i), Some(j)] = contact.pair().map(|entry| slots[entry]) {
                let (impulse, [tangent, roll]) = impulses_of(memory, [i, j], friction.is_on);
                if impulse > 0.0 {
                    words.push(index);
                    words.extend([impulse, tangent, roll].map(f32::to_bits));
                }
            }
        }
        let mut impulses = vec![(0.0, Rub::default()); tied.len()];
        for (impulses, contact) in impulses.iter_mut().zip(&*tied) {
            let ids = contact.pair().map(|entry| table.id[entry]);
            if let Some(found) = ImpulseOfIds::find(tied_memory, ids) {
                *impulses = found;
            }
        }
        for words in all_gather(&words).concat().as_chunks::<4>().0 {
            let [impulse, tangent, roll] = [1, 2, 3].map(|at: usize| f32::from_bits(words[at]));
            impulses[words[0] as usize] = (impulse, [tangent, roll]);
        }
        *solved = fill(tied, blocks, |index, _| impulses[index])?;
        friction.reserve(blocks.len())?;
        let rubs = friction.view().rubs;
        rubs.fill(RubBlock::default());
        for (contact, &(_, rub)) in tied.iter().zip(&impulses) {
            set_rub(rubs, contact.place, || rub);
        }
        Ok(())
    }

    /// Removes all blocks: there are no tied pairs.
    pub(super) fn clear_tied(&mut self) {
        self.blocks.clear();
        self.solved = 0;
    }

    /// Aims the tied pairs.
    pub(super) fn aim(&mut self, physics: &Physics, simd: SimdLevel) {
        let Self { table, bodies, reference, friction, blocks, solved, .. } = self;
        let blocks = &mut blocks[..*solved];
        aim(blocks, (0, bodies), table, reference, physics, simd);
        friction.view().begin(blocks, reference, simd);
    }

    /// One pass over the tied pairs.
    pub(super) fn solve(&mut self, pass: SoftPass, roughness: Option<Roughness>, simd: SimdLevel) {
        let Self { bodies, friction, blocks, solved, .. } = self;
        let view = friction.view();
        let (rubs, rims) = (view.rubs, view.rims);
        let rough = roughness.map(|roughness| Rough { rubs, rims, roughness });
        soft::solve(&mut blocks[..*solved], bodies, pass, rough, simd);
    }

    /// The end of a substep. Returns the number of pairs that met fast.
    pub(super) fn restitute(&mut self, physics: &Physics, simd: SimdLevel) -> u64 {
        let Self { table, bodies, friction, blocks, solved, .. } = self;
        let blocks = &mut blocks[..*solved];
        soft::move_apart(blocks, bodies);
        let (is_on, view) = (friction.is_on, friction.view());
        let (rubs, rims, roughness) = (view.rubs, view.rims, physics.roughness);
        let rough = is_on.then_some(Rough { rubs, rims, roughness });
        let (centers, touch) = ([&table.x[..], &table.y], physics.touch());
        let restitution = physics.restitution;
        simd.run_lanes(Restitute { blocks, bodies, centers, restitution, touch, rough })
    }

    /// The pairs of agents that are here, with their impulses. The blocks of free pairs are those of the
    /// caller.
    pub(super) fn pairs_here(
        &self,
        free_blocks: &[PairBlock],
        free_rubs: &[RubBlock],
    ) -> impl Iterator<Item = (Pair, (f32, Rub))> {
        let free = self.free.iter();
        let free = free.map(|it| (it.pair, impulses_at(free_blocks, free_rubs, it.place)));
        let rubs = self.friction.rubs(0, if self.friction.is_on { self.blocks.len() } else { 0 });
        free.chain(self.tied.iter().filter_map(|it| match it.pair().map(|at| self.slots[at]) {
            [Some(i), Some(j)] => Some(([i, j], impulses_at(&self.blocks, rubs, it.place))),
            _ => None,
        }))
    }

    /// Remembers the impulses of tied pairs.
    pub(super) fn remember(&mut self) {
        let Self { tied, table, friction, blocks, memory, .. } = self;
        let rubs = friction.rubs(0, if friction.is_on { blocks.len() } else { 0 });
        memory.clear();
        for contact in tied {
            let impulses = impulses_at(blocks, rubs, contact.place);
            if impulses.0 > 0.0 {
                let ids = contact.pair().map(|entry| table.id[entry]);
                memory.push(ImpulseOfIds::new(ids, impulses));
            }
        }
        memory.sort_unstable_by_key(ImpulseOfIds::ids);
        // A run that was loaded has begun with all of its pairs with outliers.
        memory.shrink_to(4 * memory.len() + 64);
    }

    /// Remembers more impulses until the next substep is solved: of pairs that perhaps no rank has both agents of.
    pub(crate) fn add(&mut self, impulses: impl Iterator<Item = ImpulseOfIds>) {
        self.memory.extend(impulses);
        self.memory.sort_by_key(ImpulseOfIds::ids);
        self.memory.dedup_by_key(|it| it.ids());
    }

    /// The impulses that all ranks remember alike.
    pub(crate) fn memory(&self) -> &[ImpulseOfIds] {
        &self.memory
    }
}

/// The impulses that are remembered of a pair.
fn impulses_of(memory: &Memory, pair: Pair, is_rough: bool) -> (f32, Rub) {
    (memory.impulse(pair), if is_rough { memory.rub(pair) } else { Rub::default() })
}

/// Fills blocks with pairs: those that have the same block in one process, and behind these the pairs of
/// held agents. Returns how many blocks are solved.
fn fill(
    contacts: &mut [LateContact],
    blocks: &mut Vec<PairBlock>,
    impulses: impl Fn(usize, Pair) -> (f32, Rub),
) -> Result<usize> {
    let mut order: Vec<_> =
        (0..contacts.len()).filter(|&index| contacts[index].is_solved()).collect();
    order.sort_unstable_by_key(|&index| contacts[index].place);
    blocks.clear();
    let (mut packed, mut lane) = (None, 0);
    for index in order {
        let LateContact { pair, place, share, .. } = &mut contacts[index];
        let block = Some(*place as usize / LANES);
        if packed != block {
            if let Some(last) = blocks.last_mut() {
                last.pad(lane);
            }
            alloc::push(blocks, PairBlock::EMPTY, PART)?;
            (packed, lane) = (block, 0);
        }
        let last = blocks.len() - 1;
        set(&mut blocks[last], lane, *pair, *share, impulses(index, *pair).0);
        *place = (last * LANES + lane) as u32;
        lane += 1;
    }
    if let Some(last) = blocks.last_mut() {
        last.pad(lane);
    }
    let solved = blocks.len();
    let held = contacts.iter_mut().enumerate().filter(|(_, it)| it.place == HELD);
    for (lane, (index, contact)) in (solved * LANES..).zip(held) {
        if lane.is_multiple_of(LANES) {
            alloc::push(blocks, PairBlock::EMPTY, PART)?;
        }
        let impulse = impulses(index, contact.pair).0;
        set(&mut blocks[lane / LANES], lane, contact.pair, 0.0, impulse);
        contact.place = lane as u32;
    }
    Ok(solved)
}
