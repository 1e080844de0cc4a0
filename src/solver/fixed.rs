//! Contacts with walls and statics, which nothing moves: each has one body and no spring.
//!
//! They are solved after the pairs of a round, so that a body that its neighbors push into a wall
//! is stopped by it before it moves.

use glam::Vec2;

use super::{
    coulomb::{Rub, rub_fixed},
    physics::Physics,
    soft::{MOVED, depths_of_fixed},
};
use crate::{
    agents::Agents,
    alloc,
    error::Result,
    geometry::{Boundary, Rect, Space},
    snapshot::{Snapshot, Writer, require},
    statics::Statics,
};

/// Slots that are tested against walls and statics together.
const GROUP: usize = 64;

/// Discs with bounds that are found side by side.
const LANES: usize = 8;

/// The section with the impulses of friction in a snapshot, in runs with friction.
const RUB: &str = "fixed.rub";

/// Number of keys of walls; the keys of statics follow.
const WALLS: u32 = 4;

/// A body that may touch a wall or static in this substep.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FixedContact {
    /// The body, counted from the first slot of the band.
    pub(super) slot: u32,
    /// The wall, or the id of the static.
    pub(super) key: u32,
    /// Unit vector out of it.
    pub(super) normal: [f32; 2],
    /// Distance along the normal at the start of the substep, world units; no deeper than
    /// [`depths_of_fixed`] says.
    pub(super) gap: f32,
    /// Minus the rest of an overlap, which is moved out.
    hidden: f32,
    /// The sum of the changes in a round.
    pub(super) impulse: f32,
    /// The same by friction.
    pub(super) rub: Rub,
}

/// The impulses of the last substep, by slot.
#[derive(Clone, Debug, Default)]
pub(super) struct FixedMemory(Vec<FixedEntry>);

#[derive(Clone, Copy, Debug)]
pub(super) struct FixedEntry {
    slot: u32,
    key: u32,
    impulse: f32,
    rub: Rub,
}

impl FixedMemory {
    /// Bytes per contact.
    pub(super) const BYTES: usize = size_of::<FixedEntry>();

    /// Ensures room for a number of contacts.
    pub(super) fn reserve(&mut self, contacts: usize) -> Result<()> {
        let more = contacts.saturating_sub(self.0.len());
        alloc::reserve(&mut self.0, more, "the memory of impulses")
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Appends the impulses of a band.
    pub(super) fn push(&mut self, first: u32, contacts: &[FixedContact]) -> Result<()> {
        for &FixedContact { slot, key, impulse, rub, .. } in contacts {
            if impulse > 0.0 {
                let entry = FixedEntry { slot: first + slot, key, impulse, rub };
                alloc::push(&mut self.0, entry, "the memory of impulses")?;
            }
        }
        Ok(())
    }

    /// Bytes that [`Self::save`] writes.
    pub(super) fn saved(&self) -> usize {
        self.0.len() * size_of::<FixedEntry>()
    }

    /// Writes all impulses.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn save(&self, friction: bool, to: &mut Writer) -> Result<()> {
        if friction {
            to.values(RUB, self.0.iter().flat_map(|entry| entry.rub))?;
        }
        to.values("fixed.slot", self.0.iter().map(|entry| entry.slot))?;
        to.values("fixed.key", self.0.iter().map(|entry| entry.key))?;
        to.values("fixed.impulse", self.0.iter().map(|entry| entry.impulse))
    }

    /// Reads all impulses, of that many slots.
    ///
    /// # Errors
    /// If they were not written so, or there is not enough memory.
    pub(super) fn load(&mut self, from: &Snapshot, count: usize, friction: bool) -> Result<()> {
        let slots: Vec<u32> = from.list("fixed.slot")?;
        let exist = slots.last().is_none_or(|&slot| (slot as usize) < count);
        require(slots.is_sorted() && exist, "fixed.slot", "is not in order")?;
        let keys: Vec<u32> = from.array("fixed.key", slots.len(), 0)?;
        let impulses = from.numbers("fixed.impulse", slots.len(), 0)?;
        let rubs = if friction {
            from.numbers(RUB, 2 * slots.len(), 0)?
        } else {
            alloc::filled(2 * slots.len(), 0.0, "the memory of impulses")?
        };
        self.clear();
        let numbers = impulses.into_iter().zip(rubs.as_chunks().0);
        for ((slot, key), (impulse, &rub)) in slots.into_iter().zip(keys).zip(numbers) {
            let entry = FixedEntry { slot, key, impulse, rub };
            alloc::push(&mut self.0, entry, "the memory of impulses")?;
        }
        Ok(())
    }

    /// Fills the contacts of a band that does not search them from the impulses. There must be room
    /// for them.
    pub(super) fn recall(&self, slots: &std::ops::Range<usize>, contacts: &mut [FixedContact]) {
        for (contact, entry) in contacts.iter_mut().zip(self.of(slots)) {
            let &FixedEntry { slot, key, impulse, rub } = entry;
            let slot = slot - slots.start as u32;
            *contact = FixedContact { slot, key, impulse, rub, ..FixedContact::default() };
        }
    }

    /// The impulses of a band.
    pub(super) fn of(&self, slots: &std::ops::Range<usize>) -> &[FixedEntry] {
        let place = |slot: usize| self.0.partition_point(|entry| (entry.slot as usize) < slot);
        &self.0[place(slots.start)..place(slots.end)]
    }

    /// The impulses on the first `own` slots: each with its slot and the key of the wall or static.
    pub(super) fn parts(&self, own: usize) -> impl Iterator<Item = (u32, u32, f32, Rub)> {
        let own = self.of(&(0..own)).iter();
        own.map(|&FixedEntry { slot, key, impulse, rub }| (slot, key, impulse, rub))
    }

    /// Remembers these impulses and no others.
    pub(super) fn replace(
        &mut self,
        parts: impl Iterator<Item = (u32, u32, f32, Rub)>,
    ) -> Result<()> {
        self.clear();
        for (slot, key, impulse, rub) in parts {
            let entry = FixedEntry { slot, key, impulse, rub };
            alloc::push(&mut self.0, entry, "the memory of impulses")?;
        }
        self.0.sort_by_key(|entry| entry.slot);
        Ok(())
    }

    fn impulses(&self, slot: u32, key: u32) -> (f32, Rub) {
        let start = self.0.partition_point(|entry| entry.slot < slot);
        let mut own = self.0[start..].iter().take_while(|entry| entry.slot == slot);
        let found = own.find(|entry| entry.key == key);
        found.map_or_else(Default::default, |entry| (entry.impulse, entry.rub))
    }

    pub(super) fn memory(&self) -> usize {
        self.0.capacity() * size_of::<FixedEntry>()
    }
}

/// The search for contacts with walls and statics.
#[derive(Clone, Copy)]
pub(super) struct FixedSearch<'a> {
    pub(super) agents: &'a Agents,
    pub(super) enlarged: &'a [f32],
    pub(super) statics: &'a Statics,
    pub(super) physics: &'a Physics,
    pub(super) memory: &'a FixedMemory,
}

impl FixedSearch<'_> {
    /// Finds the contacts of some slots. Returns their number, and stores those that fit. `origin`
    /// returns the slot that an agent had when impulses were remembered.
    pub(super) fn band(
        &self,
        slots: std::ops::Range<usize>,
        contacts: &mut [FixedContact],
        reference: &mut [[f32; 2]],
        origin: impl Fn(u32) -> u32,
    ) -> usize {
        let Self { agents, enlarged, statics, physics, memory } = *self;
        let Rect { min, max } = physics.world;
        let space = Space::new(physics.world, Boundary::Walls);
        let (first, depths) = (slots.start, depths_of_fixed(physics));
        let mut found = 0;
        for start in slots.clone().step_by(GROUP) {
            let group = start..slots.end.min(start + GROUP);
            let [x, y, reach] =
                [&agents.x[..], &agents.y, enlarged].map(|column| &column[group.clone()]);
            let bounds = bounds(x, y, reach);
            let walls = !physics.world.contains_rect(&bounds);
            let clear = statics.is_clear(&bounds);
            if clear & !walls {
                continue;
            }
            for slot in group {
                let (x, y) = (agents.x[slot], agents.y[slot]);
                let (radius, reach) = (agents.radius[slot], enlarged[slot]);
                let mut add = |key: u32, normal: [f32; 2], gap: f32| {
                    let slot = slot as u32;
                    let (impulse, rub) = memory.impulses(origin(slot), key);
                    let local = slot - first as u32;
                    if let Some(contact) = contacts.get_mut(found) {
                        let [nx, ny] = normal;
                        let approach =
                            -(agents.vx[slot as usize] * nx + agents.vy[slot as usize] * ny);
                        let [gap, hidden] = depths.of_fixed(gap, radius, approach);
                        *contact =
                            FixedContact { slot: local, key, normal, gap, hidden, impulse, rub };
                        let reference = &mut reference[local as usize];
                        reference[0] -= impulse * normal[0];
                        reference[1] -= impulse * normal[1];
                    }
                    found += 1;
                };
                if walls {
                    let gaps = [x - min.x, max.x - x, y - min.y, max.y - y];
                    let normals = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]];
                    for (key, (gap, normal)) in (0..).zip(gaps.into_iter().zip(normals)) {
                        if gap < reach {
                            add(key, normal, gap - radius);
                        }
                    }
                }
                if !clear {
                    let at = Vec2::new(x, y);
                    let path = physics.path([agents.vx[slot], agents.vy[slot]]);
                    statics.visit_near(&Rect::around(at, reach), |index| {
                        let shape = statics.rounded(index);
                        let (share, normal, gap) = shape.nearing(at, path, radius, &physics.world);
                        let way = path * share;
                        let distance = gap - way.dot(normal);
                        if distance < reach - radius && !statics.is_covered(index, at + way, &space)
                        {
                            add(WALLS + statics.id(index), normal.to_array(), distance);
                        }
                    });
                }
            }
        }
        found
    }
}

/// The bounds of some discs.
#[inline(always)]
fn bounds(x: &[f32], y: &[f32], reach: &[f32]) -> Rect {
    let [x, y] = [x, y].map(|centers| {
        // Lane by lane, since the compiler does not reorder a minimum.
        let (mut low, mut high) = ([f32::INFINITY; LANES], [f32::NEG_INFINITY; LANES]);
        let mut widen = |lane: usize, center: f32, reach: f32| {
            let (one, other) = (center - reach, center + reach);
            low[lane] = if one < low[lane] { one } else { low[lane] };
            high[lane] = if other > high[lane] { other } else { high[lane] };
        };
        let (centers, last) = centers.as_chunks::<LANES>();
        let (reach, last_reach) = reach.as_chunks::<LANES>();
        for (centers, reach) in centers.iter().zip(reach) {
            for lane in 0..LANES {
                widen(lane, centers[lane], reach[lane]);
            }
        }
        for (&center, &reach) in last.iter().zip(last_reach) {
            widen(0, center, reach);
        }
        [
            low.into_iter().fold(f32::INFINITY, f32::min),
            high.into_iter().fold(f32::NEG_INFINITY, f32::max),
        ]
    });
    Rect::new(Vec2::new(x[0], y[0]), Vec2::new(x[1], y[1]))
}

/// Stops bodies at walls and statics, and pushes overlaps out.
#[inline(always)]
pub(super) fn push(contacts: &mut [FixedContact], bodies: &mut [[f32; 4]], round: f32) {
    let rate = 1.0 / round;
    for contact in contacts {
        let body = &mut bodies[contact.slot as usize];
        let gap = contact.gap_of(body);
        contact.stop(body, gap * rate, true);
    }
}

/// Removes the speed that pushing left, and the impulses of bodies with a gap above `touch`, and moves
/// bodies out of what pushing does not see.
#[inline(always)]
pub(super) fn relax(
    contacts: &mut [FixedContact],
    bodies: &mut [[f32; 4]],
    round: f32,
    touch: f32,
) {
    let rate = 1.0 / round;
    for contact in contacts {
        let body = &mut bodies[contact.slot as usize];
        let gap = contact.gap_of(body);
        contact.stop(body, gap.max(0.0) * rate, gap <= touch);
        if contact.hidden < 0.0 {
            let [_, _, dx, dy] = body;
            let [nx, ny] = contact.normal;
            let left = (-contact.hidden - (*dx * nx + *dy * ny)).max(0.0) * MOVED;
            (*dx, *dy) = (*dx + left * nx, *dy + left * ny);
        }
    }
}

impl FixedContact {
    /// The gap of a body that has moved.
    #[inline(always)]
    fn gap_of(&self, [_, _, dx, dy]: &[f32; 4]) -> f32 {
        let [nx, ny] = self.normal;
        self.gap + (dx * nx + dy * ny)
    }

    /// Lets a body approach no faster than `most`, if the contact acts at all.
    #[inline(always)]
    fn stop(&mut self, [vx, vy, ..]: &mut [f32; 4], most: f32, acts: bool) {
        let [nx, ny] = self.normal;
        let speed = *vx * nx + *vy * ny;
        let after = if acts { (self.impulse - (speed + most)).max(0.0) } else { 0.0 };
        let change = after - self.impulse;
        self.impulse = after;
        *vx += change * nx;
        *vy += change * ny;
    }
}

/// Gives bodies that met a wall or static fast their share of the speed back. `agents` have the
/// velocities at the start of the substep. The first body is the agent in slot `first`.
pub(super) fn restitute(
    contacts: &[FixedContact],
    bodies: &mut [[f32; 4]],
    agents: &Agents,
    first: usize,
    physics: &Physics,
    touch: f32,
    rims: &mut [f32],
) {
    let is_of = |index: usize, slot| contacts.get(index).is_some_and(|other| other.slot == slot);
    for (index, contact) in contacts.iter().enumerate() {
        let slot = contact.slot as usize;
        let approach = approach(contact, agents.vx[first + slot], agents.vy[first + slot], physics);
        if approach <= physics.rest_speed {
            continue;
        }
        let gap = contact.gap_of(&bodies[slot]);
        let [vx, vy, ..] = &mut bodies[slot];
        let [nx, ny] = contact.normal;
        let speed = *vx * nx + *vy * ny;
        let wanted = physics.restitution * approach - speed;
        if gap < touch && wanted > 0.0 {
            // A body that meets two at once gets no faster than it came: the second turns its way,
            // and what was along the first is then across it.
            let next_to = [index.wrapping_sub(1), index + 1];
            let most = if next_to.into_iter().any(|other| is_of(other, contact.slot)) {
                let (x, y) = (agents.vx[first + slot], agents.vy[first + slot]);
                let came = (x * x + y * y).sqrt() + physics.gravity.abs() * physics.dt;
                let more = (came * came - (*vx * *vx + *vy * *vy)).max(0.0);
                (speed * speed + more).sqrt() - speed
            } else {
                f32::INFINITY
            };
            let wanted = wanted.min(most);
            *vx += wanted * nx;
            *vy += wanted * ny;
            if let Some(rim) = rims.get_mut(slot) {
                let (body, rub) = (&mut bodies[slot], &mut Rub::default());
                rub_fixed(contact.normal, rub, wanted, physics.roughness, body, rim);
            }
        }
    }
}

/// Speed at which a body with this velocity will meet a wall or static; 0 if it does not approach.
fn approach(contact: &FixedContact, vx: f32, vy: f32, physics: &Physics) -> f32 {
    let [nx, ny] = contact.normal;
    let speed = vx * nx + vy * ny;
    if speed >= 0.0 {
        return 0.0;
    }
    (speed * speed + 2.0 * physics.gravity * ny * contact.gap.max(0.0)).max(0.0).sqrt()
}
