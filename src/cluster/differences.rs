//! Words of agents that two ranks have, in the bytes in which they have become different.
//!
//! A pass changes the velocities of an agent by little, and leaves its displacement alone. So the upper bytes of a
//! number mostly stay, and only the lower ones are told: 0, 2, 3 or all 4 of them.
//!
//! ```text
//! words  [ agents: a bit each | numbers of the agents that have changed: a code of two bits each | bytes ]
//! ```

/// Bytes that are told of a number, by its code.
const BYTES: [usize; 4] = [0, 2, 3, 4];

/// Numbers per word of codes.
const CODES: usize = 16;

/// The words that tell how `after` differs from `before`, both with `length` words per agent, of which the other
/// rank has the first `known` alike. Agents for which
/// `is_told` is false are left out; it is asked for those that have changed.
pub(super) fn told(
    [length, known]: [usize; 2],
    (before, after): (&[u32], &[u32]),
    mut is_told: impl FnMut(usize) -> bool,
) -> Vec<u32> {
    let mut words = vec![0; mask_words(before.len() / length)];
    let (mut codes, mut bytes) = (Vec::new(), Vec::new());
    let agents = before.chunks_exact(length).zip(after.chunks_exact(length));
    for (agent, (before, after)) in agents.enumerate() {
        if before == after || !is_told(agent) {
            continue;
        }
        set(&mut words, agent);
        for (before, after) in bases(before, known).zip(after) {
            let same = (before ^ after).leading_zeros() as usize / 8;
            let code = BYTES.iter().position(|&bytes| bytes >= 4 - same).expect("4 bytes are all");
            codes.push(code as u32);
            bytes.extend_from_slice(&after.to_le_bytes()[..BYTES[code]]);
        }
    }
    let packed = codes.chunks(CODES).map(|codes| codes.iter().rev().fold(0, |of, it| of << 2 | it));
    words.extend(packed);
    words.extend(bytes.chunks(4).map(|bytes| {
        let mut word = [0; 4];
        word[..bytes.len()].copy_from_slice(bytes);
        u32::from_le_bytes(word)
    }));
    words
}

/// Calls `take` with each agent that has changed and its words. `before` are the words of all agents here. The
/// numbers of words are those of [`told`].
pub(super) fn take(
    [length, known]: [usize; 2],
    before: &[u32],
    words: &[u32],
    mut take: impl FnMut(usize, &[u32]),
) {
    let agents = before.len() / length;
    let (mask, words) = words.split_at(mask_words(agents));
    let changed = mask.iter().map(|bits| bits.count_ones() as usize).sum::<usize>();
    let (codes, words) = words.split_at((changed * length).div_ceil(CODES));
    let mut codes = codes.iter().flat_map(|codes| (0..CODES).map(move |at| codes >> (2 * at) & 3));
    let mut bytes = words.iter().flat_map(|word| word.to_le_bytes());
    let mut agent_words = Vec::with_capacity(length);
    for agent in (0..agents).filter(|&agent| is_set(mask, agent)) {
        agent_words.clear();
        agent_words.extend(bases(&before[agent * length..][..length], known).zip(&mut codes).map(
            |(before, code)| {
                let mut number = before.to_le_bytes();
                let told = number[..BYTES[code as usize]].iter_mut();
                told.zip(&mut bytes).for_each(|(byte, told)| *byte = told);
                u32::from_le_bytes(number)
            },
        ));
        take(agent, &agent_words);
    }
}

/// The words of an agent that differences are taken from: 0 where the other rank has none alike.
fn bases(words: &[u32], known: usize) -> impl Iterator<Item = u32> {
    words.iter().enumerate().map(move |(at, &word)| if at < known { word } else { 0 })
}

/// Words with a bit for each agent.
pub(super) fn mask_words(agents: usize) -> usize {
    agents.div_ceil(32)
}

pub(super) fn is_set(mask: &[u32], agent: usize) -> bool {
    mask[agent / 32] >> (agent % 32) & 1 != 0
}

pub(super) fn set(mask: &mut [u32], agent: usize) {
    mask[agent / 32] |= 1 << (agent % 32);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_becomes_what_was_there() {
        let number = |seed: u32| seed.wrapping_mul(0x9e37_79b9).rotate_left(seed % 29);
        let before: Vec<u32> = (0..300).map(number).collect();
        let mut after = before.clone();
        for (index, word) in after.iter_mut().enumerate().filter(|(index, _)| index % 7 != 0) {
            // From the lowest bit to all of them.
            *word ^= number(index as u32 + 1) >> (index % 32);
        }
        for [length, known] in [[1, 1], [3, 1], [4, 4], [5, 0]] {
            let is_told = |agent: usize| agent % 3 != 1;
            let words = told([length, known], (&before, &after), is_told);
            // What the other rank does not have alike may be anything.
            let mut here = before.clone();
            let unknown = here.chunks_mut(length).flat_map(|words| &mut words[known..]);
            unknown.for_each(|word| *word = !*word);
            let mut taken = before.clone();
            take([length, known], &here, &words, |agent, words| {
                taken[agent * length..][..length].copy_from_slice(words);
            });
            for (agent, taken) in taken.chunks(length).enumerate() {
                let expected = if is_told(agent) { &after } else { &before };
                assert_eq!(taken, &expected[agent * length..][..length], "agent {agent}");
            }
        }
    }
}
