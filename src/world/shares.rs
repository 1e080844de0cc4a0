//! How many agents are of each species, and what a species says of them.

/// Agents of a species at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SpeciesNumber {
    /// A part of the agents that no count takes, in proportion to the shares of others.
    Share(f32),
    Count(u32),
}

/// What a species says of its agents at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SpeciesStart {
    pub(super) number: SpeciesNumber,
    /// The smallest and the largest; those of the world if there is none.
    pub(super) radius: Option<[f32; 2]>,
    /// The mean; that of the world if there is none.
    pub(super) speed: Option<f32>,
}

impl SpeciesStart {
    /// The share among the agents that no count takes.
    pub(super) fn share(&self) -> f32 {
        if let SpeciesNumber::Share(share) = self.number { share } else { 0.0 }
    }

    /// The number that the file states.
    pub(super) fn count(&self) -> u32 {
        if let SpeciesNumber::Count(count) = self.number { count } else { 0 }
    }
}

/// How many of some agents are of each species: what it counts, and of the others as many as its share
/// says.
pub(super) fn numbers(species: &[SpeciesStart], agents: usize) -> Vec<usize> {
    let counted: usize = species.iter().map(|it| it.count() as usize).sum();
    let of_shares =
        portions(species.iter().map(SpeciesStart::share), agents.saturating_sub(counted));
    species.iter().zip(of_shares).map(|(it, portion)| portion + it.count() as usize).collect()
}

/// Some agents divided by shares. Those that no share takes are of the first.
pub(super) fn portions(shares: impl Iterator<Item = f32> + Clone, agents: usize) -> Vec<usize> {
    let all: f64 = shares.clone().map(f64::from).sum();
    let (mut sum, mut begin) = (0.0, 0);
    let mut portions: Vec<usize> = shares
        .map(|share| {
            sum += f64::from(share);
            let end = if all > 0.0 { (sum / all * agents as f64).round() as usize } else { 0 };
            let end = end.clamp(begin, agents);
            end - std::mem::replace(&mut begin, end)
        })
        .collect();
    if let Some(first) = portions.first_mut() {
        *first += agents - begin;
    }
    portions
}
