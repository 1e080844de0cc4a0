//! Pair rules: what a caller's own code sees of an agent and one of its neighbors.

/// A column of agents that a [`PairRule`] reads.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleColumn {
    /// The center along x, world units; in a world that repeats, up to a quarter of it beyond the
    /// border.
    X,
    /// The center along y.
    Y,
    /// The id, as a number with its bits, which [`f32::to_bits`] returns. Such numbers are not to be
    /// compared as numbers.
    IdBits,
    /// The id of the agent that the rule with this number, an earlier one that
    /// [picks](PickRule), has picked in this step; a number with its bits, or with those of
    /// [`Agents::GONE`](crate::Agents::GONE) if it has picked none.
    Picked(usize),
    /// The velocity along x, world units per second.
    Vx,
    /// The velocity along y, world units per second.
    Vy,
    /// The radius, world units.
    Radius,
    /// The species: a whole number from 0 to 255.
    Species,
    /// The column of a caller's own with this [name](crate::OwnColumn::name).
    Own(String),
}

/// An agent `i` and a neighbor `j`, whose center lies within range of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RulePair<const C: usize> {
    /// From the center of `i` to that of `j`, world units; in a world that repeats, to the nearest
    /// copy of it.
    pub dx: f32,
    /// The same along y.
    pub dy: f32,
    /// The square of the distance, `dx·dx + dy·dy`. It is 0 if the two have the same center.
    pub r2: f32,
    /// The columns of `i` that the rule [reads](PairRule::reads), in their order.
    pub i: [f32; C],
    /// The same columns of `j`.
    pub j: [f32; C],
}

impl<const C: usize> RulePair<C> {
    #[inline(always)]
    pub(super) fn new(dx: f32, dy: f32, i: [f32; C], j: [f32; C]) -> Self {
        Self { dx, dy, r2: dx * dx + dy * dy, i, j }
    }
}

/// A rule for pairs of agents: `K` sums per agent over its neighbors, from `C` columns of both.
///
/// All agents whose centers are closer than [`Self::range`] are neighbors, each once, whatever their
/// radii are. Each of a pair has the other as its neighbor, so `pair` is called for both.
///
/// **Fast code.** `pair` is called for some sixteen pairs at a time: mark it `#[inline(always)]`, and
/// let it have no loop, no panic and no call that is not inlined. Then the compiler vectorizes it. A
/// choice is `if a { b } else { c }` of two numbers that are computed already; a table is a
/// [`SpeciesMatrix`](super::SpeciesMatrix).
///
/// **The same bits everywhere.** Use + − × ÷ and `sqrt`, which are exactly rounded. Other functions
/// of `f32`, `mul_add` among them, may give other bits on another machine.
pub trait PairRule<const C: usize, const K: usize>: Send + Sync + 'static {
    /// Distance of centers below which agents are neighbors, world units; above 0, and at most a
    /// quarter of a world that repeats. Asked for once, when the rules are set.
    fn range(&self) -> f32;

    /// The columns of both agents that the rule reads. Asked for once, when the rules are set.
    fn reads(&self) -> [RuleColumn; C];

    /// What a neighbor adds to the sums of an agent.
    fn pair(&self, pair: &RulePair<C>) -> [f32; K];
}

/// A rule by which each agent picks at most one of its neighbors, at random among those that it may
/// pick: the one with the smallest number by seed, step and both ids, so that the choice depends on
/// no order.
///
/// Later rules [read](RuleColumn::Picked) what was picked, of both agents of a pair. So what one
/// gives and another takes is one thing, though each of them adds up its own sums:
///
/// ```
/// use jostle::rules::{PairRule, PickRule, RuleColumn, RulePair, Rules};
///
/// /// Each agent picks one of those near it, ...
/// struct Chosen;
/// impl PickRule<0> for Chosen {
///     fn range(&self) -> f32 {
///         2.0
///     }
///     fn reads(&self) -> [RuleColumn; 0] {
///         []
///     }
///     fn picks(&self, _: &RulePair<0>) -> bool {
///         true
///     }
/// }
///
/// /// ... and each counts by how many it was picked.
/// struct Votes;
/// impl PairRule<2, 1> for Votes {
///     fn range(&self) -> f32 {
///         2.0
///     }
///     fn reads(&self) -> [RuleColumn; 2] {
///         [RuleColumn::IdBits, RuleColumn::Picked(0)]
///     }
///     fn pair(&self, pair: &RulePair<2>) -> [f32; 1] {
///         let ([i, _], [_, picked]) = (pair.i, pair.j);
///         [if picked.to_bits() == i.to_bits() { 1.0 } else { 0.0 }]
///     }
/// }
///
/// let rules = Rules::new().with_picks(Chosen).with_pairs(Votes);
/// # let _ = rules;
/// ```
pub trait PickRule<const C: usize>: Send + Sync + 'static {
    /// Distance of centers below which agents are neighbors, as that of [`PairRule::range`].
    fn range(&self) -> f32;

    /// The columns of both agents that the rule reads. Asked for once, when the rules are set.
    fn reads(&self) -> [RuleColumn; C];

    /// True if `i` may pick `j`.
    fn picks(&self, pair: &RulePair<C>) -> bool;
}
