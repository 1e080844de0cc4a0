//! The borders of a slab: the first row of the next slab, which both ranks have.
//!
//! The lower rank works on the row when it resolves its last band, the upper one when it resolves its
//! first band. Bands of one parity are worked on at once, so that one of the two ranks has the row as it
//! is, and the other one takes over the agents in it that have changed: in the passes of the contact solver,
//! those that it needs, and the others after the last pass.

use std::ops::Range;

use super::{
    Link,
    differences::{self, is_set, mask_words, set},
    link::MeteredLink,
    moving::Moving,
    words::{agent_words, agents_of, push_words},
};
use crate::{agents::Agents, grid::Grid};

/// A border of a slab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Border {
    /// The rank on the other side.
    other: usize,
    /// The row of loose cells.
    row: u32,
    /// The slots of the row here, until a row below is replaced.
    slots: Range<usize>,
    /// The last band below the border.
    below: usize,
    /// True if this rank is below the border, and the row consists of ghosts.
    is_upper: bool,
}

/// The agents of the row of a lower border that the rank below needs after each pass, and those that have changed
/// without its knowledge: a bit for each.
#[derive(Debug)]
pub(super) struct Needs {
    needed: Vec<u32>,
    unsent: Vec<u32>,
}

impl Needs {
    /// True if an agent that has changed is sent at once. Else it is unsent.
    fn sends(&mut self, agent: usize) -> bool {
        let sends = is_set(&self.needed, agent);
        if !sends {
            set(&mut self.unsent, agent);
        }
        sends
    }
}

impl Border {
    /// The lower and the upper border of the slab of a rank that owns some bands.
    pub(super) fn of(link: &impl Link, bands: &Range<usize>, grid: &Grid) -> [Option<Self>; 2] {
        let (rank, ranks) = (link.rank(), link.ranks());
        let row = |band| grid.bands().nth(band).expect("a rank has bands").start;
        let lower = rank.checked_sub(1).map(|other| Self {
            other,
            row: row(bands.start),
            slots: grid.row_slots(row(bands.start)),
            below: bands.start - 1,
            is_upper: false,
        });
        let upper = (rank + 1 < ranks).then(|| Self {
            other: rank + 1,
            row: row(bands.end),
            slots: grid.row_slots(row(bands.end)),
            below: bands.end - 1,
            is_upper: true,
        });
        [lower, upper]
    }

    /// True if this rank works on the row while the bands of one parity are worked on.
    fn works(&self, parity: usize) -> bool {
        (self.below % 2 == parity) == self.is_upper
    }

    /// The first band above the border.
    pub(super) fn above(&self) -> usize {
        self.below + 1
    }

    /// The band of that parity that the row is worked on with.
    fn band(&self, parity: usize) -> usize {
        self.below + usize::from(self.below % 2 != parity)
    }
}

/// The borders at which the rows are worked on with the bands of one parity, but for those that idle.
pub(super) fn busy(
    borders: &[Option<Border>; 2],
    parity: usize,
    is_idle: impl Fn(usize) -> bool,
) -> [Option<Border>; 2] {
    borders.clone().map(|border| border.filter(|border| !is_idle(border.band(parity))))
}

/// The rows that this rank works on with the bands of one parity, as they are before.
pub(super) fn rows_before(
    borders: &[Option<Border>; 2],
    parity: usize,
    moving: &Moving<'_>,
) -> Vec<Vec<u32>> {
    let given = borders.iter().flatten().filter(|border| border.works(parity));
    given.map(|border| row_words(border, moving)).collect()
}

fn row_words(border: &Border, moving: &Moving<'_>) -> Vec<u32> {
    let mut words = Vec::new();
    border.slots.clone().for_each(|slot| moving.push(slot, &mut words));
    words
}

/// Takes over what the other ranks have changed in the rows of the borders, while they worked on the bands of
/// one parity. `before` are the [own rows](rows_before) before. Only [differences] are
/// sent. With `needs`, the rank below gets what it needs alone.
pub(super) fn exchange_states(
    link: &mut MeteredLink<impl Link>,
    borders: &[Option<Border>; 2],
    parity: usize,
    before: &[Vec<u32>],
    moving: &mut Moving<'_>,
    mut needs: Option<&mut Needs>,
) {
    let lengths = [moving.words(), moving.numbers_per_agent()];
    let [given, taken] = [true, false]
        .map(|works| borders.iter().flatten().filter(move |it| it.works(parity) == works));
    let words: Vec<_> = given
        .zip(before)
        .map(|(border, before)| {
            let is_told =
                |agent| border.is_upper || needs.as_mut().is_none_or(|needs| needs.sends(agent));
            let after = row_words(border, moving);
            (border.other, differences::told(lengths, (before, &after), is_told))
        })
        .collect();
    for (border, words) in taken.clone().zip(exchange(link, &words, taken)) {
        let here = row_words(border, moving);
        differences::take(lengths, &here, &words, |agent, words| {
            moving.set(border.slots.start + agent, words);
        });
    }
}

/// Agrees with the ranks of both borders on the agents of the rows that the lower rank needs after each pass:
/// `behind` are those behind the own agents. Returns the needs of the rank below.
pub(super) fn agree_on_needs(
    link: &mut MeteredLink<impl Link>,
    [lower, upper]: &[Option<Border>; 2],
    behind: &[u32],
) -> Option<Needs> {
    let told: Vec<_> = upper
        .iter()
        .map(|border| {
            let mut needed = vec![0; mask_words(border.slots.len())];
            for &agent in behind {
                set(&mut needed, agent as usize);
            }
            (border.other, needed)
        })
        .collect();
    let needed = exchange(link, &told, lower.iter()).pop()?;
    Some(Needs { unsent: vec![0; needed.len()], needed })
}

/// Takes over the agents of the rows that have changed without the knowledge of the rank below.
pub(super) fn settle(
    link: &mut MeteredLink<impl Link>,
    [lower, upper]: &[Option<Border>; 2],
    needs: Option<Needs>,
    moving: &mut Moving<'_>,
) {
    let agents_in = |mask: &[u32], border: &Border| {
        let (mask, slots) = (mask.to_vec(), border.slots.clone());
        slots.clone().filter(move |slot| is_set(&mask, slot - slots.start))
    };
    let given: Vec<_> = lower
        .iter()
        .zip(needs)
        .map(|(border, Needs { unsent: mut words, .. })| {
            agents_in(&words.clone(), border).for_each(|slot| moving.push(slot, &mut words));
            (border.other, words)
        })
        .collect();
    for (border, words) in upper.iter().zip(exchange(link, &given, upper.iter())) {
        let (mask, words) = words.split_at(mask_words(border.slots.len()));
        for (slot, words) in agents_in(mask, border).zip(words.chunks_exact(moving.words())) {
            moving.set(slot, words);
        }
    }
}

/// Sends words to ranks, and receives the words of the other ranks of some borders.
fn exchange<'b>(
    link: &mut MeteredLink<impl Link>,
    to: &[(usize, Vec<u32>)],
    from: impl Iterator<Item = &'b Border>,
) -> Vec<Vec<u32>> {
    let to: Vec<_> = to.iter().map(|(to, words)| (*to, &words[..])).collect();
    let from: Vec<_> = from.map(|border| border.other).collect();
    link.cross_borders(&to, &from)
}

/// Takes over the rows that the other rank of a border has sorted with the bands of one parity: other
/// agents may be in them. `sorted` says which bands were.
pub(super) fn exchange_rows(
    link: &mut MeteredLink<impl Link>,
    borders: &[Option<Border>; 2],
    parity: usize,
    agents: &mut Agents,
    grid: &mut Grid,
    sorted: impl Fn(usize) -> bool,
) {
    // The words of an agent, and its home cell.
    let length = agent_words(agents) + 1;
    let due = || borders.iter().flatten().filter(|border| sorted(border.band(parity)));
    let row = |border: &Border| {
        let mut words = Vec::with_capacity(border.slots.len() * length);
        for slot in border.slots.clone() {
            push_words(&mut words, agents, slot);
            words.push(grid.homes()[slot]);
        }
        (border.other, words)
    };
    let given: Vec<_> = due().filter(|border| border.works(parity)).map(row).collect();
    let taken = || due().filter(|border| !border.works(parity));
    let received = exchange(link, &given, taken());
    // The upper border first: its slots are behind those of the lower one.
    let received: Vec<_> = taken().zip(received).collect();
    for (border, words) in received.into_iter().rev() {
        let row = agents_of(agents, &words, length);
        agents.splice(border.slots.clone(), (&row, 0..row.len()));
        let homes: Vec<_> = words.chunks_exact(length).map(|words| words[length - 1]).collect();
        grid.replace_row(agents, border.row, &homes);
    }
}

/// Takes over the rows of the upper borders from the ranks that own them. The same agents are in them.
pub(super) fn renew_ghosts(
    link: &mut MeteredLink<impl Link>,
    borders: &[Option<Border>; 2],
    agents: &mut Agents,
) {
    let [lower, upper] = borders;
    let given: Vec<_> = lower
        .iter()
        .map(|border| {
            let mut words = Vec::new();
            border.slots.clone().for_each(|slot| push_words(&mut words, agents, slot));
            (border.other, words)
        })
        .collect();
    for (border, words) in upper.iter().zip(exchange(link, &given, upper.iter())) {
        let row = agents_of(agents, &words, agent_words(agents));
        agents.splice(border.slots.clone(), (&row, 0..row.len()));
    }
}
