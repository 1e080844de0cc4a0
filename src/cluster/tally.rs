//! The tally of a substep: what each rank has counted, for all ranks.

use super::link::{number_of, words_of};
use crate::{
    exact::ExactSum,
    sim::RunState,
    step::{due_bands::DueBand, pair_contact::Exchange, regrid::AgentsBeyond},
};

/// Counts of a rank, or of all ranks.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) outliers: usize,
    /// Outliers among the discs around paths, with swept collisions.
    pub(super) covered: usize,
    /// True if an agent came to the end of the apron.
    pub(super) strayed: bool,
    pub(super) farthest_square: f32,
    pub(super) tunnelled: u64,
    pub(super) collisions: u64,
    pub(super) wall_impulse: ExactSum,
    /// The virial of the near pairs of each band, and of the pairs that its outliers found.
    pub(super) virials: Vec<[f64; 2]>,
    /// Agents beyond a border that repeats.
    pub(super) beyond: AgentsBeyond,
    /// Bands that may be sorted.
    pub(super) due: Vec<DueBand>,
}

impl Tally {
    /// The tally as words.
    pub(super) fn words(&self) -> Vec<u32> {
        let Self { outliers, covered, strayed, farthest_square, tunnelled, collisions, .. } = *self;
        let parts: Vec<_> = self.wall_impulse.parts().collect();
        let mut words = vec![outliers as u32, u32::from(strayed), farthest_square.to_bits()];
        words.extend([tunnelled, collisions].into_iter().flat_map(words_of));
        words.extend([parts.len() as u32, self.virials.len() as u32]);
        words.extend([self.beyond.count as u32, u32::from(self.beyond.is_far), covered as u32]);
        for (index, part) in parts {
            words.push(index as u32);
            words.extend(words_of(part));
        }
        let virials = self.virials.iter().flatten();
        words.extend(virials.flat_map(|virial| words_of(virial.to_bits())));
        let due = self.due.iter().map(|it| [it.band, it.agents, it.left]);
        words.extend(due.flatten().map(|count| count as u32));
        words
    }

    /// Adds the tally of the next rank, in their order.
    pub(super) fn add(&mut self, words: &[u32]) {
        let (head, words) = words.split_at(12);
        self.outliers += head[0] as usize;
        self.strayed |= head[1] > 0;
        self.farthest_square = self.farthest_square.max(f32::from_bits(head[2]));
        self.tunnelled += number_of(&head[3..]);
        self.collisions += number_of(&head[5..]);
        let (parts, words) = words.split_at(3 * head[7] as usize);
        let parts = parts.chunks_exact(3).map(|it| (it[0] as usize, number_of(&it[1..])));
        let sum = std::mem::take(&mut self.wall_impulse);
        self.wall_impulse = sum.merge(ExactSum::from_parts(parts));
        self.beyond.count += head[9] as usize;
        self.beyond.is_far |= head[10] > 0;
        self.covered += head[11] as usize;
        let (virials, due) = words.split_at(4 * head[8] as usize);
        let virials = virials.chunks_exact(4);
        self.virials
            .extend(virials.map(|it| [&it[..2], &it[2..]].map(|it| f64::from_bits(number_of(it)))));
        self.due.extend(due.chunks_exact(3).map(|it| {
            let [band, agents, left] = [0, 1, 2].map(|index: usize| it[index] as usize);
            DueBand { band, agents, left }
        }));
    }

    /// Adds the tally of all ranks to the counters of a run, and the impulses across the seam, which each
    /// rank has resolved: in the order of [`BandSums::total`](crate::step::band_sums::BandSums::total).
    pub(super) fn add_to(&self, run: &mut RunState, across: Exchange) {
        run.largest_displacement = run.largest_displacement.max(self.farthest_square.sqrt());
        run.counters.tunnelled += self.tunnelled;
        run.counters.collisions += self.collisions + across.collisions;
        let mut virial = 0.0;
        self.virials.iter().for_each(|[_, late]| virial += late);
        virial += across.virial;
        self.virials.iter().for_each(|[near, _]| virial += near);
        run.transfer.virial += virial;
        run.transfer.wall_impulse += self.wall_impulse.total();
    }
}
