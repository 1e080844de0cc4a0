//! Building: what a substep solves, from the contact list and what the substep before left.

use super::{
    ContactSolver, FIXED_MIN, SHARES,
    bands::{self, SolverBand, SolverView},
    fixed::FixedSearch,
    memory,
    pairs::{Build, BuildBand, CHUNK, COLORS, impulse_at},
    physics::Physics,
};
use crate::{
    agents::Agents,
    contacts::{Band, Contacts},
    error::Result,
    limits::BANDS_MAX,
    simd::{SimdLevel, pairs::LANES},
    statics::Statics,
};

impl ContactSolver {
    /// Builds bodies, blocks and contacts with walls and statics.
    ///
    /// # Errors
    /// If a list must grow and there is not enough memory.
    #[inline(never)]
    #[expect(clippy::too_many_lines, reason = "one loop over bands after the other")]
    pub(crate) fn build(
        &mut self,
        agents: &Agents,
        contacts: &Contacts,
        statics: &Statics,
        physics: &Physics,
        simd: SimdLevel,
    ) -> Result<()> {
        // What sleeps would be overwritten by what has moved in the contact list.
        self.again |= self.storage != contacts.storage();
        self.storage = contacts.storage();
        if self.again {
            return Ok(());
        }
        let count = agents.len();
        self.bodies.resize(count, [0.0; 4]);
        self.reference.resize(count, [0.0; 2]);
        self.colors.resize(count, 0);
        self.reserve(count, contacts.storage())?;
        {
            self.assign(contacts);
            let Self { memory, fixed_memory, enlarged, bands, .. } = self;
            let build = Build {
                agents,
                memory,
                dt_square: physics.dt * physics.dt,
                slow_square: physics.slow_square(),
            };
            let search = FixedSearch { agents, enlarged, statics, physics, memory: fixed_memory };
            let mut view = SolverView {
                slot: 0,
                bodies: &mut self.bodies,
                reference: &mut self.reference,
                colors: &mut self.colors,
                block: 0,
                blocks: &mut self.blocks,
                pair: 0,
                places: &mut self.places,
                first_fixed: 0,
                fixed: &mut self.fixed,
            };
            bands::each(bands, view.reborrow(), &|band, view| {
                let slots = band.slots.clone();
                let columns = agents.vx[slots.clone()].iter().zip(&agents.vy[slots.clone()]);
                let bodies = view.bodies.iter_mut().zip(&mut *view.reference);
                let centers = agents.x[slots.clone()].iter().zip(&agents.y[slots.clone()]);
                let starts = columns.zip(centers);
                for ((body, reference), ((&vx, &vy), (&x, &y))) in bodies.zip(starts) {
                    *body = [vx, vy, x, y];
                    *reference = [vx, vy];
                }
                if band.rest.asleep {
                    return;
                }
                let room = band.fixed.len();
                band.fixed_count =
                    search.band(slots, &mut view.fixed[..room], view.reference, |slot| {
                        build.memory.origin(slot)
                    });
            });
            for index in 0..bands.len() {
                let next = bands.get(index + 1).is_some_and(|band| band.rest.held);
                bands[index].next_held = next;
            }
            for phase in 0..bands.len().min(2) {
                // Odd bands begin anew: their first row has the colors of the even band before.
                bands::every_second(&mut bands[phase..], view.reborrow(), &|band, view| {
                    if band.rest.asleep {
                        return;
                    }
                    let held = band.held();
                    let wakes = &mut band.rest.wakes;
                    let slots = band.slots_end - band.slots.start;
                    let colors = &mut view.colors[..slots];
                    colors.fill(0);
                    let places = &mut view.places[..band.pairs.len()];
                    let blocks = &mut view.blocks[..band.blocks.len()];
                    let bodies = &view.bodies[..slots];
                    let reference = &mut view.reference[..slots];
                    let pairs = &contacts.pairs()[band.pairs.clone()];
                    let first = band.slots.start as u32;
                    band.block_count = simd.run(BuildBand {
                        build,
                        pairs,
                        first,
                        held,
                        wakes,
                        places,
                        blocks,
                        colors,
                        bodies,
                        reference,
                    });
                });
            }
            let blocks_lack = bands.iter().any(|band| band.block_count > band.blocks.len());
            let fixed_lack = bands.iter().any(|band| band.fixed_count > band.fixed.len());
            if blocks_lack || fixed_lack {
                self.growths += 1;
                self.again = true;
                self.spread *= if blocks_lack { 2 } else { 1 };
                self.fixed_share *= if fixed_lack { 2 } else { 1 };
                return self.reserve(count, contacts.storage());
            }
        }
        let build = Build {
            agents,
            memory: &self.memory,
            dt_square: physics.dt * physics.dt,
            slow_square: physics.slow_square(),
        };
        self.outliers.clear();
        let mut fill = LANES;
        let bands = &mut self.bands;
        let mut wakes = [false; BANDS_MAX as usize];
        for band in contacts.bands() {
            let range = band.outliers();
            let band_of = |slot: u32| bands.partition_point(|band| band.slots.end <= slot as usize);
            build.outliers(
                &contacts.pairs()[range.clone()],
                |slot| bands[band_of(slot)].rest.held,
                |slot| wakes[band_of(slot)] = true,
                &mut self.places[range],
                &mut self.outliers,
                &mut fill,
                &self.bodies,
                &mut self.reference,
            );
        }
        for (band, wakes) in bands.iter_mut().zip(wakes) {
            band.rest.wakes[0] |= wakes;
        }
        if let Some(block) = self.outliers.last_mut() {
            block.pad(fill);
        }
        Ok(())
    }

    /// Sets what each band owns.
    fn assign(&mut self, contacts: &Contacts) {
        let Self { bands, spread, fixed_share, .. } = self;
        for (index, (band, own)) in bands.iter_mut().zip(contacts.bands()).enumerate() {
            band.slots = own.slots.clone();
            band.slots_end = own.slots_end;
            band.pairs = own.near();
            band.storage = own.storage.start;
            let block =
                |entry: usize, index| entry * *spread / LANES + index * (COLORS * CHUNK + 1);
            band.blocks = block(own.storage.start, index)..block(own.storage.end, index + 1);
            let fixed = |slot: usize, index| slot * *fixed_share / SHARES + index * (FIXED_MIN + 1);
            band.fixed = fixed(own.slots.start, index)..fixed(own.slots.end, index + 1);
        }
    }

    /// Remembers the impulses for the next substep.
    #[inline(never)]
    pub(super) fn remember(&mut self, contacts: &Contacts) -> Result<()> {
        let Self { bands, memory, fixed_memory, blocks, outliers, places, fixed, bodies, .. } =
            self;
        memory::each(
            bands,
            memory.begin(bodies.len()),
            &|band: &SolverBand| [band.slots.start, band.storage],
            &|band, view| {
                if band.rest.asleep {
                    return;
                }
                let blocks = &blocks[band.blocks.start..band.blocks.start + band.block_count];
                let pairs = contacts.pairs()[band.pairs.clone()].iter();
                let found = pairs.zip(&places[band.pairs.clone()]);
                let found = found.map(|(&pair, &place)| (pair, impulse_at(blocks, place)));
                view.remember(band.slots.len(), found);
            },
        );
        let far = contacts.bands().iter().flat_map(Band::outliers);
        memory.remember_outliers(
            far.map(|entry| (contacts.pairs()[entry], impulse_at(outliers, places[entry]))),
        )?;
        fixed_memory.clear();
        for band in bands.iter() {
            let own = &fixed[band.fixed.start..band.fixed.start + band.fixed_count];
            fixed_memory.push(band.slots.start as u32, own)?;
        }
        Ok(())
    }
}
