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
    /// A number with the bits of the id: for random numbers of formulas.
    #[doc(hidden)]
    IdBits,
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
