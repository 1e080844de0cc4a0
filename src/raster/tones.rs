//! Tones that come from more than the agent's speed and radius: its start, its cell or its
//! contacts. They are computed before a draw, one byte per slot.
//!
//! ```text
//!  first  [ 17 | 114 | 17 …             start tone per id, for the agents of the first call
//!  later  [ 512: 3 | 513: 9 | 600: 4 …  id and start tone of agents that came later
//!  slots  [ 17 114 71 | 114 71 …        tone per slot; each piece is computed by one thread
//! ```
//!
//! No id is used twice, so ids grow as long as agents come and go. The memory does not grow with
//! them.

use crate::{
    alloc,
    geometry::Rect,
    grid::Elements,
    parallel,
    raster::{
        color_table::{opposite_start, start_tone},
        style::{ColorBy, Style},
        view::View,
    },
    sim::visit_copies,
};
#[cfg(feature = "window")]
use crate::{
    error::Result,
    snapshot::{Snapshot, Writer, require},
};

/// The purpose of the memory, for errors.
const PART: &str = "the colors of the agents";

/// Sections of a snapshot: the tones by id, and ids and tones of the agents that came later.
#[cfg(feature = "window")]
const FIRST: &str = "view.first";
#[cfg(feature = "window")]
const LATER_IDS: &str = "view.later_ids";
#[cfg(feature = "window")]
const LATER: &str = "view.later";

/// Slots per task.
const PIECE: usize = 8_192;

/// Difference in tone between neighboring columns, and between neighboring rows: odd and large, so
/// that cells near each other have different colors.
const TONES_PER_CELL: [u32; 2] = [97, 57];

/// Difference in tone per contact: six contacts, the most that equal discs can have, give the last
/// color.
const TONES_PER_CONTACT: usize = 42;

/// The start tones of the agents that were seen, and the tones of the slots.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlotTones {
    first: Vec<u8>,
    later: Vec<(u32, u8)>,
    slots: Vec<u8>,
}

impl SlotTones {
    /// Adds the agents that are new, and drops agents of later calls that no longer exist.
    /// Allocates what [`Self::compute`] needs.
    pub(crate) fn record(&mut self, view: &View<'_>) {
        let agents = view.agents;
        let tone = |slot: usize| {
            let agent = agents.get(slot);
            start_tone(view.space.wrapped(agent.position), agent.id, &view.space.world())
        };
        let ids = || agents.id.iter().copied().enumerate();
        if self.first.is_empty() {
            self.first = alloc::demanded(alloc::filled(agents.len(), 0, PART));
            for (slot, id) in ids() {
                if let Some(first) = self.first.get_mut(id as usize) {
                    *first = tone(slot);
                }
            }
        }
        let added_later = ids().filter(|&(_, id)| id as usize >= self.first.len());
        let later = added_later
            .map(|(slot, id)| (id, self.start(id).unwrap_or_else(|| opposite_start(tone(slot)))));
        let mut later = alloc::demanded(alloc::collected(later, PART));
        later.sort_unstable_by_key(|&(id, _)| id);
        later.dedup_by_key(|&mut (id, _)| id);
        self.later = later;
        let slots = view.grid.config().capacity.max(agents.len());
        alloc::demanded(alloc::grow_to(&mut self.slots, slots, 0, PART));
    }

    /// Gives agents the tones of their former ids, as far as these are known.
    #[cfg(feature = "window")]
    pub(crate) fn rename(&mut self, ids: impl Iterator<Item = (u32, u32)>) {
        for (former, id) in ids {
            if let Some(tone) = self.start(former) {
                alloc::demanded(alloc::push(&mut self.later, (id, tone), PART));
            }
        }
    }

    /// Adds the start tones to a snapshot, so that agents keep their colors in a run that is opened.
    #[cfg(feature = "window")]
    pub(crate) fn save(&self, to: &mut Writer) -> Result<()> {
        to.array(FIRST, &self.first)?;
        to.values(LATER_IDS, self.later.iter().map(|&(id, _)| id))?;
        to.values(LATER, self.later.iter().map(|&(_, tone)| tone))
    }

    /// Replaces the start tones with the start tones of a snapshot, if it has any.
    #[cfg(feature = "window")]
    pub(crate) fn load(&mut self, from: &Snapshot) -> Result<()> {
        if !from.has(FIRST) {
            return Ok(());
        }
        let (first, ids) = (from.list(FIRST)?, from.list(LATER_IDS)?);
        let tones = from.array(LATER, ids.len(), 0)?;
        // They are searched by bisection.
        require(ids.is_sorted(), LATER_IDS, "is not in the order of the ids")?;
        self.first = first;
        self.later = ids.into_iter().zip(tones).collect();
        Ok(())
    }

    /// The tones of the slots in [`ColorBy::Twin`], for the caller to set.
    #[cfg(feature = "window")]
    pub(crate) fn slots_mut(&mut self) -> &mut Vec<u8> {
        &mut self.slots
    }

    /// Forgets all starts.
    pub(crate) fn clear(&mut self) {
        (self.first, self.later) = (Vec::new(), Vec::new());
    }

    /// The start tone of an agent that was seen.
    fn start(&self, id: u32) -> Option<u8> {
        let later = || self.later.binary_search_by_key(&id, |&(id, _)| id).ok();
        self.first.get(id as usize).copied().or_else(|| Some(self.later[later()?].1))
    }

    /// The tone of each slot, in a color mode that doesn't compute tones from speeds or radii.
    /// Agents outside `visible` may have any tone.
    pub(crate) fn compute<'a>(
        &'a mut self,
        view: &View<'a>,
        visible: &Rect,
        style: &Style,
    ) -> &'a [u8] {
        let agents = view.agents;
        let len = agents.len();
        let mut slots = std::mem::take(&mut self.slots);
        match style.color_by {
            ColorBy::Speed
            | ColorBy::Size
            | ColorBy::Flow
            | ColorBy::Temperature
            | ColorBy::Density
            | ColorBy::Order
            | ColorBy::Faction
            | ColorBy::Species => {}
            // The caller has set them.
            ColorBy::Twin => slots.resize(slots.len().max(len), 0),
            ColorBy::Start => for_each_slot(&mut slots, len, |slot| {
                let in_view = visible.intersects(&agents.shape(slot).bounds());
                in_view.then(|| self.start(agents.id[slot])).flatten().unwrap_or(0)
            }),
            ColorBy::Cell => {
                let config = view.grid.config();
                let (origin, inverse) = (config.bounds.min, 1.0 / config.loose_size);
                for_each_slot(&mut slots, len, |slot| {
                    let position = view.space.wrapped(agents.get(slot).position);
                    let cell = (position - origin) * inverse;
                    let [per_column, per_row] = TONES_PER_CELL;
                    // Casts saturate, so a position outside the world counts to a border cell or
                    // beyond.
                    let [column, row] = [cell.x as u32, cell.y as u32];
                    (column.wrapping_mul(per_column)).wrapping_add(row.wrapping_mul(per_row)) as u8
                });
            }
            ColorBy::Spin => {
                let (spins, scale) = (agents.spins(), style.speed_scale());
                for_each_slot(&mut slots, len, |slot| {
                    let spin = spins.map_or(0.0, |spins| spins[slot]);
                    (rim_share(spin * agents.radius[slot], scale) * 255.0).round() as u8
                });
            }
            ColorBy::Contacts => {
                for_each_slot(&mut slots, len, |slot| contacts(view, slot, visible));
            }
        }
        self.slots = slots;
        match (style.color_by, &agents.units) {
            (ColorBy::Faction, Some(units)) => &units.faction,
            (ColorBy::Faction, None) => &[],
            (ColorBy::Species, _) => {
                agents.own.as_ref().and_then(|own| own.species.as_deref()).unwrap_or_default()
            }
            _ => &self.slots,
        }
    }
}

/// The place of a rim's speed in the colors, 0 to 1: speeds of `scale` lie halfway from the middle to the
/// ends.
pub(super) fn rim_share(speed: f32, scale: f32) -> f32 {
    0.5 + 0.5 * speed / (scale + speed.abs())
}

/// The place of a distance between twins in the colors, 0 to 1, from the square of it: from 1/10,000 of the
/// mean radius to a hundred radii on a logarithmic scale.
#[cfg(feature = "window")]
pub(crate) fn twin_share(square: f32) -> f32 {
    const FRACTION: f32 = (1 << (f32::MANTISSA_DIGITS - 1)) as f32;
    // The bits of a float are its logarithm to base 2 with a line from each power to the next: within 0.09.
    let log2 = square.to_bits() as f32 / FRACTION - 127.0;
    ((0.5 * std::f32::consts::LOG10_2 * log2 + 4.0) / 6.0).clamp(0.0, 1.0)
}

/// The tone of the number of discs that a disc overlaps in the present positions.
fn contacts(view: &View<'_>, slot: usize, visible: &Rect) -> u8 {
    let View { agents, grid, space, .. } = view;
    let disc = agents.shape(slot);
    if !visible.intersects(&disc.bounds()) {
        return 0;
    }
    let mut others = 0;
    visit_copies(grid, *agents, space, disc, |other, apart| {
        let reach = disc.radius + agents.radius[other as usize];
        let overlaps = apart.length_squared() < reach * reach;
        others += usize::from(overlaps && other as usize != slot);
    });
    (others * TONES_PER_CONTACT).min(255) as u8
}

/// Sets the tones of `slots` slots, on all threads.
fn for_each_slot(tones: &mut Vec<u8>, slots: usize, tone: impl Fn(usize) -> u8 + Sync) {
    // Allocates only if `record` was not called since agents were added.
    tones.resize(slots.max(tones.len()), 0);
    let piece = |first: usize, tones: &mut [u8]| {
        for (slot, value) in (first..).zip(tones) {
            *value = tone(slot);
        }
    };
    parallel::pieces(&mut tones[..slots], PIECE, &piece, &|(), ()| ());
}
