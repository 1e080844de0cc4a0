//! The borders of a slab: the first row of the next slab, which both ranks have.
//!
//! The lower rank works on the row when it resolves its last band, the upper one when it resolves its
//! first band. Bands of one parity are worked on at once, so that one of the two ranks has the row as it
//! is, and the other one takes it over.

use std::ops::Range;

use glam::Vec2;

use super::{Link, link::MeteredLink};
use crate::{
    agents::{Agent, Agents},
    error::Result,
    grid::Grid,
};

/// Words of an agent: position, velocity, radius and id.
pub(super) const AGENT_WORDS: usize = 6;

/// Words of an agent with the home cell.
const ROW_WORDS: usize = AGENT_WORDS + 1;

/// A border of a slab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Border {
    /// The rank on the other side.
    other: usize,
    /// The slots of the row here.
    slots: Range<usize>,
    /// The last band below the border.
    below: usize,
    /// True if this rank is below the border, and the row consists of ghosts.
    is_upper: bool,
}

impl Border {
    /// The lower and the upper border of the slab of a rank that owns some bands: with `first` agents in
    /// its first row, and the slots of its ghosts.
    pub(super) fn of(
        link: &impl Link,
        bands: &Range<usize>,
        first: usize,
        ghosts: Range<usize>,
    ) -> [Option<Self>; 2] {
        let (rank, ranks) = (link.rank(), link.ranks());
        let lower = rank.checked_sub(1).map(|other| Self {
            other,
            slots: 0..first,
            below: bands.start - 1,
            is_upper: false,
        });
        let upper = (rank + 1 < ranks).then(|| Self {
            other: rank + 1,
            slots: ghosts,
            below: bands.end - 1,
            is_upper: true,
        });
        [lower, upper]
    }

    /// True if this rank works on the row while the bands of one parity are worked on.
    fn works(&self, parity: usize) -> bool {
        (self.below % 2 == parity) == self.is_upper
    }

    /// The band of that parity that the row is worked on with.
    fn band(&self, parity: usize) -> usize {
        self.below + usize::from(self.below % 2 != parity)
    }
}

/// Takes over the positions and velocities of rows that the other rank of a border has worked on with
/// the bands of one parity.
pub(super) fn exchange_states(
    link: &mut MeteredLink<impl Link>,
    borders: &[Option<Border>; 2],
    parity: usize,
    agents: &mut Agents,
) {
    let [given, taken] = [true, false]
        .map(|works| borders.iter().flatten().filter(move |it| it.works(parity) == works));
    let Agents { x, y, vx, vy, .. } = agents;
    let words: Vec<_> = given
        .map(|border| {
            let columns = [&*x, &*y, &*vx, &*vy];
            let words = columns.map(|it| bytemuck::cast_slice(&it[border.slots.clone()]));
            (border.other, words.concat())
        })
        .collect();
    for (border, words) in taken.clone().zip(exchange(link, &words, taken)) {
        let count = border.slots.len();
        assert_eq!(words.len(), 4 * count, "both ranks have the row");
        let columns = [&mut *x, &mut *y, &mut *vx, &mut *vy];
        for (column, words) in columns.into_iter().zip(words.chunks(count.max(1))) {
            column[border.slots.clone()].copy_from_slice(bytemuck::cast_slice(words));
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
///
/// # Errors
/// If the grid must grow and there is not enough memory.
pub(super) fn exchange_rows(
    link: &mut MeteredLink<impl Link>,
    borders: &[Option<Border>; 2],
    parity: usize,
    agents: &mut Agents,
    grid: &mut Grid,
    sorted: impl Fn(usize) -> bool,
) -> Result<()> {
    let due = || borders.iter().flatten().filter(|border| sorted(border.band(parity)));
    let row = |border: &Border| {
        let mut words = Vec::with_capacity(border.slots.len() * ROW_WORDS);
        for slot in border.slots.clone() {
            push_agent(&mut words, agents, slot);
            words.push(grid.homes()[slot]);
        }
        (border.other, words)
    };
    let given: Vec<_> = due().filter(|border| border.works(parity)).map(row).collect();
    let taken = || due().filter(|border| !border.works(parity));
    let received = exchange(link, &given, taken());
    if received.is_empty() {
        return Ok(());
    }
    let mut homes = grid.homes().to_vec();
    // The upper border first: its slots are behind those of the lower one.
    let received: Vec<_> = taken().zip(received).collect();
    for (border, words) in received.into_iter().rev() {
        let row = words.chunks_exact(ROW_WORDS);
        homes.splice(border.slots.clone(), row.clone().map(|words| words[AGENT_WORDS]));
        splice(agents, border.slots.clone(), &columns(row.map(agent_of)));
    }
    grid.set_homes(agents, &homes)
}

/// Replaces the agents in some slots.
fn splice(agents: &mut Agents, slots: Range<usize>, row: &Agents) {
    let Agents { x, y, vx, vy, radius, id, .. } = agents;
    let columns = [(x, &row.x), (y, &row.y), (vx, &row.vx), (vy, &row.vy), (radius, &row.radius)];
    for (column, row) in columns {
        column.splice(slots.clone(), row.iter().copied());
    }
    id.splice(slots, row.id.iter().copied());
}

/// The columns of some agents.
pub(super) fn columns(agents: impl Iterator<Item = Agent>) -> Agents {
    let mut columns = Agents::default();
    agents.for_each(|agent| columns.push(agent));
    columns
}

/// Appends the words of the agent in a slot.
pub(super) fn push_agent(words: &mut Vec<u32>, agents: &Agents, slot: usize) {
    let Agent { position, velocity, radius, id } = agents.get(slot);
    let numbers = [position.x, position.y, velocity.x, velocity.y, radius];
    words.extend(numbers.map(f32::to_bits));
    words.push(id);
}

/// The agent of [`AGENT_WORDS`] words or more.
pub(super) fn agent_of(words: &[u32]) -> Agent {
    let [x, y, vx, vy, radius] = [0, 1, 2, 3, 4].map(|index: usize| f32::from_bits(words[index]));
    Agent { position: Vec2::new(x, y), velocity: Vec2::new(vx, vy), radius, id: words[5] }
}
