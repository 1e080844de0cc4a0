//! Building: the bodies and blocks that a substep solves, from the contact list and from the
//! impulses of the substep before.

use super::{
    ContactSolver,
    bands::{self, BandState, SolverArrays, SolverBand},
    coulomb::RubBlock,
    fixed::FixedSearch,
    friction::FrictionView,
    late::{BodyPart, LateContacts},
    pairs::{self, Build, BuildBand, HELD, NOWHERE, OutlierBlocks},
    physics::Physics,
    ranks::ContactRanks,
};
use crate::{
    agents::Agents,
    alloc,
    contacts::{Band, ContactList},
    error::Result,
    limits::BANDS_MAX,
    simd::{
        SimdLevel,
        pairs::{LANES, PairBlock},
    },
    statics::Statics,
};

impl ContactSolver {
    /// Builds bodies, blocks and contacts with walls and statics.
    ///
    /// # Errors
    /// If a list must grow and there is not enough memory.
    #[inline(never)]
    pub(crate) fn build(
        &mut self,
        agents: &Agents,
        contacts: &ContactList,
        statics: &Statics,
        physics: &Physics,
        simd: SimdLevel,
        others: &mut impl ContactRanks,
    ) -> Result<()> {
        self.arrays.resize(agents.len());
        loop {
            self.assign(contacts)?;
            self.place_bodies(agents, statics, physics);
            self.build_blocks((agents, contacts), physics, simd, others);
            let lacks_room = self.lacks_room();
            if !others.any(lacks_room) {
                break;
            }
        }
        match others.take_late() {
            None => self.build_outliers(agents, contacts, physics, simd),
            Some(late) => self.build_late((agents, contacts), physics, simd, late, others),
        }
    }

    /// Sets the parts of the arrays that each band owns, and takes along what bands keep there.
    ///
    /// # Errors
    /// If a list must grow and there is not enough memory.
    pub(super) fn assign(&mut self, contacts: &ContactList) -> Result<()> {
        self.reserve(contacts.storage())?;
        let Self { bands, block_rooms, fixed_rooms, fixed_share, arrays, memory, .. } = self;
        let mut former = [[0; 3]; BANDS_MAX as usize];
        let starts = |band: &SolverBand| [band.storage.start, band.blocks.start, band.fixed.start];
        for ((band, own), former) in bands.iter_mut().zip(contacts.bands()).zip(&mut former) {
            *former = starts(band);
            (band.pairs, band.storage) = (own.near(), own.storage.clone());
        }
        block_rooms.divide(bands, SolverBand::blocks_of_slots, |band| &mut band.blocks);
        fixed_rooms.divide(bands, |band| band.fixed_of_slots(*fixed_share), |band| &mut band.fixed);
        // Where agents keep their slots, parts only move up: the last one first.
        for (band, former) in bands.iter().zip(former).rev() {
            if !memory.has_moved() && starts(band) != former {
                let [storage, blocks, fixed] = former;
                memory.move_band(&band.slots, storage, band.storage.start);
                if band.is_skipped() {
                    let SolverArrays { places, blocks: all, fixed: contacts, friction, .. } =
                        &mut *arrays;
                    places.copy_within(storage..storage + band.pairs.len(), band.storage.start);
                    all.copy_within(blocks..blocks + band.block_count, band.blocks.start);
                    friction.move_blocks(blocks, band.block_count, band.blocks.start);
                    contacts.copy_within(fixed..fixed + band.fixed_count, band.fixed.start);
                }
            }
        }
        for index in 0..bands.len() {
            bands[index].next_held = bands.get(index + 1).is_some_and(SolverBand::is_held);
        }
        Ok(())
    }

    /// Gives more room to bands that need it. Returns true if there are any: they are to be built
    /// again.
    pub(super) fn lacks_room(&mut self) -> bool {
        let Self { bands, block_rooms, fixed_rooms, fixed_share, .. } = self;
        let blocks_lack = bands.iter().any(|band| band.block_count > band.blocks.len());
        let fixed_lack = bands.iter().any(|band| band.fixed_count > band.fixed.len());
        if blocks_lack {
            block_rooms.grow(bands.iter().map(|band| (band.blocks_of_slots(), band.block_count)));
        }
        if fixed_lack {
            let needs = |band: &SolverBand| (band.fixed_of_slots(*fixed_share), band.fixed_count);
            fixed_rooms.grow(bands.iter().map(needs));
        }
        self.growths += u64::from(blocks_lack | fixed_lack);
        blocks_lack | fixed_lack
    }

    /// Places the bodies where the agents are, and finds their contacts with walls and statics.
    fn place_bodies(&mut self, agents: &Agents, statics: &Statics, physics: &Physics) {
        let Self { bands, arrays, memory, fixed_memory, enlarged, .. } = self;
        let search = FixedSearch { agents, enlarged, statics, physics, memory: fixed_memory };
        let spins = agents.spins();
        bands::each(bands, arrays, &|band, mut view| {
            let slots = band.slots.clone();
            if let Some(spins) = spins {
                view.friction.place(&spins[slots.clone()], &agents.radius[slots.clone()]);
            }
            let speeds = agents.vx[slots.clone()].iter().zip(&agents.vy[slots.clone()]);
            let centers = agents.x[slots.clone()].iter().zip(&agents.y[slots.clone()]);
            let bodies = view.bodies.iter_mut().zip(&mut *view.reference);
            for ((body, reference), ((&vx, &vy), (&x, &y))) in bodies.zip(speeds.zip(centers)) {
                *body = [vx, vy, x, y];
                *reference = [vx, vy];
            }
            if !band.is_asleep() {
                let contacts = &mut view.fixed[..band.fixed.len()];
                let origin = |slot| memory.origin(slot);
                band.fixed_count = search.band(slots, contacts, view.reference, origin);
                let found = &contacts[..band.fixed_count.min(contacts.len())];
                view.friction.begin_fixed(found, view.reference);
            }
        });
    }

    /// Builds the blocks of near pairs, and aims them.
    fn build_blocks(
        &mut self,
        (agents, contacts): (&Agents, &ContactList),
        physics: &Physics,
        simd: SimdLevel,
        others: &mut impl ContactRanks,
    ) {
        let build = Build::new(agents, &self.memory, physics);
        let changing = (others, BodyPart::Reference);
        bands::even_then_odd(&mut self.bands, &mut self.arrays, changing, &|band, mut view| {
            if band.is_asleep() {
                return;
            }
            let slots = band.slots_end - band.slots.start;
            let (bodies, blocks) = (&view.bodies[..slots], &mut view.blocks[..band.blocks.len()]);
            if band.state != BandState::Kept {
                // The first row of an odd band still has the colors of the even band before it.
                let colors = &mut view.colors[..slots];
                colors.fill(0);
                [band.solved_count, band.block_count] = simd.run(BuildBand {
                    build,
                    pairs: &contacts.pairs()[band.pairs.clone()],
                    first: band.slots.start as u32,
                    held: band.held(),
                    wakes: &mut band.rest.wakes,
                    places: &mut view.places[..band.pairs.len()],
                    blocks,
                    rubs: view.friction.rubs_of(band.blocks.len()),
                    colors,
                    bodies,
                });
            }
            let stored = band.solved_count.min(blocks.len());
            let reference = &mut view.reference[..slots];
            let (blocks, bodies) = (&mut blocks[..stored], (band.slots.start, bodies));
            pairs::aim(blocks, bodies, agents, reference, physics, simd);
            view.friction.begin(blocks, reference, simd);
        });
    }

    /// Builds the blocks of pairs with outliers, and aims them.
    fn build_outliers(
        &mut self,
        agents: &Agents,
        contacts: &ContactList,
        physics: &Physics,
        simd: SimdLevel,
    ) -> Result<()> {
        let Self { bands, memory, arrays, outliers, outliers_solved, outlier_rubs, .. } = self;
        let SolverArrays { bodies, reference, places, friction, .. } = arrays;
        let build = Build::new(agents, memory, physics);
        let mut blocks = OutlierBlocks::new(outliers);
        let mut wakes = [false; BANDS_MAX as usize];
        let band_of = |slot: u32| bands.partition_point(|band| band.slots.end <= slot as usize);
        for band in contacts.bands() {
            let range = band.outliers();
            build.outliers(
                places[range.clone()].iter_mut().zip(&contacts.pairs()[range]),
                bodies,
                |slot| bands[band_of(slot)].is_held(),
                |slot| wakes[band_of(slot)] = true,
                &mut blocks,
            )?;
        }
        for (band, wakes) in bands.iter_mut().zip(wakes) {
            band.rest.wakes[0] |= wakes;
        }
        blocks.finish();
        *outliers_solved = outliers.len();
        let mut lane = outliers.len() * LANES;
        for band in contacts.bands() {
            let range = band.outliers();
            let held = places[range.clone()].iter().filter(|&&place| place == HELD).count();
            let blocks = (lane + held).div_ceil(LANES);
            alloc::grow_to(outliers, blocks, PairBlock::EMPTY, pairs::PART)?;
            let found = places[range.clone()].iter_mut().zip(&contacts.pairs()[range]);
            lane = build.put_held(found, 0, lane, outliers, &mut []);
        }
        if friction.is_on {
            alloc::grow_to(outlier_rubs, outliers.len(), RubBlock::default(), pairs::PART)?;
            outlier_rubs.fill(RubBlock::default());
            let far = contacts.bands().iter().flat_map(Band::outliers);
            for (pair, place) in far.map(|entry| (contacts.pairs()[entry], places[entry])) {
                pairs::set_rub(outlier_rubs, place, || memory.rub(pair));
            }
        }
        let outliers = &mut outliers[..*outliers_solved];
        pairs::aim(outliers, (0, bodies), agents, reference, physics, simd);
        FrictionView { rubs: outlier_rubs, ..friction.view() }.begin(outliers, reference, simd);
        Ok(())
    }

    /// Builds the blocks of pairs with outliers on a rank of a cluster, and aims them.
    fn build_late(
        &mut self,
        (agents, contacts): (&Agents, &ContactList),
        physics: &Physics,
        simd: SimdLevel,
        mut late: Box<LateContacts>,
        others: &mut impl ContactRanks,
    ) -> Result<()> {
        let Self { bands, memory, arrays, outliers, outliers_solved, outlier_rubs, .. } = self;
        // `late` has these pairs, in place of the contact list.
        for range in contacts.bands().iter().map(Band::outliers) {
            arrays.places[range].fill(NOWHERE);
        }
        let build = Build::new(agents, memory, physics);
        let mut wakes = [false; BANDS_MAX as usize];
        let is_held = |band: usize| bands[band].is_held();
        for contact in &mut late.free {
            let slots = contact.pair();
            let own = slots.map(|slot| bands.partition_point(|band| band.slots.end <= slot));
            let wake = |which: usize| wakes[own[which]] = true;
            contact.treat(&build, &arrays.bodies, || own.map(is_held), wake);
        }
        late.place_bodies();
        late.treat_tied((memory, physics), is_held, |band| wakes[band] = true);
        for (band, wakes) in bands.iter_mut().zip(wakes) {
            band.rest.wakes[0] |= wakes;
        }
        late.pack(|words| others.all_gather(words))?;
        *outliers_solved = late.fill_free(memory, outliers, outlier_rubs)?;
        if late.tied.is_empty() {
            late.clear_tied();
        } else {
            late.fill_tied(memory, |words| others.all_gather(words))?;
        }
        others.put_late(late);
        let SolverArrays { bodies, reference, friction, .. } = arrays;
        let outliers = &mut outliers[..*outliers_solved];
        pairs::aim(outliers, (0, bodies), agents, reference, physics, simd);
        FrictionView { rubs: outlier_rubs, ..friction.view() }.begin(outliers, reference, simd);
        others.with_tied(BodyPart::Reference, arrays.columns(BodyPart::Reference), |tied| {
            tied.aim(physics, simd);
            0
        });
        Ok(())
    }
}
