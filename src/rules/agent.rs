//! Agent rules: what a caller's own code does with each agent, once its sums are known.
//!
//! All agents are visited at once, in pieces. A rule sees one agent, so no agent reads what another
//! has become in the same step.

use std::ops::Range;

use glam::Vec2;

use super::{ranks::OtherRanks, sums::PairSums};
use crate::{
    agents::{Agents, AgentsMut, OwnColumns},
    geometry::Space,
    limits::{OWN_COLUMNS_MAX, RULE_PAIRS_MAX, SPEED_MAX},
    parallel::{self, Split},
    rng::{Rng, keyed},
    simd::{Kernel, SimdLevel},
    statics::Statics,
};

/// Slots per task.
const PIECE: usize = 4_096;

/// An agent as an [`AgentRule`] sees it. What can be changed is written after the rule returns.
#[derive(Debug)]
#[non_exhaustive]
pub struct RuledAgent<'a> {
    /// Center, world units; in a world that repeats, up to a quarter of it beyond the border.
    pub position: Vec2,
    /// World units per second. The rule may change it, up to 1e9 along x and y.
    pub velocity: Vec2,
    /// World units.
    pub radius: f32,
    /// Permanent number.
    pub id: u32,
    /// Species; the rule may change it. 0 in a run without species.
    pub species: u8,
    /// The agent's own numbers, column by column; the rule may change them.
    pub own: &'a mut [f32],
    /// The moment of the step.
    pub moment: RuleMoment,
    sums: &'a [&'a [f32]],
    picked: &'a [u32],
}

/// The moment at which rules run.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RuleMoment {
    /// Steps completed.
    pub step: u64,
    /// Seconds per step.
    pub dt: f32,
    /// The seed of the run.
    pub seed: u64,
}

impl RuleMoment {
    pub(crate) fn new(step: u64, dt: f32, seed: u64) -> Self {
        Self { step, dt, seed }
    }

    /// The key of a stream of random numbers in this step.
    pub(super) fn key(&self, stream: u64) -> u64 {
        keyed(keyed(self.seed, self.step), stream)
    }
}

impl RuledAgent<'_> {
    /// The sums of a pair rule: the one that was added as number `rule`, from 0.
    ///
    /// # Panics
    /// If there is no such rule, or it has not `K` sums.
    #[inline(always)]
    #[must_use]
    pub fn sums<const K: usize>(&self, rule: usize) -> [f32; K] {
        self.sums[rule].try_into().expect("as many sums as the pair rule has")
    }

    /// The id of the agent that this one has picked by the rule that was added as number `rule`;
    /// none if it has picked none, or the rule does not pick.
    #[must_use]
    pub fn picked(&self, rule: usize) -> Option<u32> {
        self.picked.get(rule).copied().filter(|&id| id != Agents::GONE)
    }

    /// A random number, uniform in `0.0..1.0` in steps of 2⁻²⁴: the same for the same seed, step,
    /// agent and stream, whatever else is drawn.
    #[inline]
    #[must_use]
    pub fn random(&self, stream: u64) -> f32 {
        Rng::new(keyed(self.moment.key(stream), self.id.into())).unit()
    }
}

/// A rule for agents, run once per step for each of them, after the sums of all pair rules are
/// known and before contacts are found. Closures are such rules.
pub trait AgentRule: Send + Sync + 'static {
    /// Changes an agent. A velocity or a number of its own that is not finite is not written, and
    /// counted by [`Sim::unwritten`](crate::Sim::unwritten).
    fn act(&self, agent: &mut RuledAgent<'_>);
}

impl<F: Fn(&mut RuledAgent<'_>) + Send + Sync + 'static> AgentRule for F {
    fn act(&self, agent: &mut RuledAgent<'_>) {
        self(agent);
    }
}

/// What an agent rule reads of a run beside the agents.
#[derive(Clone, Copy, Debug)]
pub(super) struct AgentTask<'a> {
    pub(super) sums: &'a [PairSums],
    pub(super) space: &'a Space,
    pub(super) moment: RuleMoment,
    pub(super) simd: SimdLevel,
    /// The slots of the agents that have the rule.
    pub(super) ruled: &'a Range<usize>,
}

/// An agent rule of any type.
pub(super) trait AnyAgentRule: Send + Sync {
    /// Changes the ruled agents and marks those that leave or give birth; returns how many values were
    /// not written.
    fn run(&self, agents: &mut Agents, marks: Marks<'_>, task: AgentTask<'_>) -> u64;

    /// What the agents lack that the rule needs.
    fn lacking(&self, _: &Agents) -> Option<&'static str> {
        None
    }

    /// True if agents may leave the run.
    fn kills(&self) -> bool {
        false
    }

    /// Kinds of births per agent; 0 if none is born.
    fn births(&self) -> usize {
        0
    }

    /// Appends the agents that are born here, as they were marked, as far as there is room for them and those
    /// of other ranks.
    fn bear(
        &self,
        _: &mut Agents,
        _: &Births<'_>,
        _: AgentTask<'_>,
        _: &mut dyn OtherRanks,
    ) -> BirthCount {
        BirthCount::default()
    }

    /// Where the formulas are whose values were not written, and how many these were.
    fn unwritten(&self) -> Vec<(usize, u64)> {
        Vec::new()
    }
}

/// What a rule says of agents beside their columns, slot by slot.
#[derive(Debug)]
pub(super) struct Marks<'a> {
    /// A 1 for an agent that leaves the run. Empty unless the rule [kills](AnyAgentRule::kills).
    pub(super) dead: &'a mut [u8],
    /// A byte per [kind of birth](AnyAgentRule::births), whose meaning is the rule's.
    pub(super) born: &'a mut [u8],
}

/// The entries that are not 0, ascending. Few are marked, so that 16 of them are looked at together.
pub(super) fn marked(marks: &[u8]) -> impl Iterator<Item = usize> + Clone {
    let (words, others) = marks.as_chunks::<16>();
    let behind = marks.len() - others.len();
    let marked = words.iter().map(|word| u128::from_le_bytes(*word)).enumerate();
    let marked = marked.filter(|(_, word)| *word != 0).flat_map(|(at, mut word)| {
        std::iter::from_fn(move || {
            let byte = (word != 0).then(|| word.trailing_zeros() / 8)?;
            word &= !(0xff << (8 * byte));
            Some(16 * at + byte as usize)
        })
    });
    let others = others.iter().enumerate().filter(|(_, mark)| **mark != 0);
    marked.chain(others.map(move |(at, _)| behind + at))
}

/// Births that were marked, and how many of them there may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Births<'a> {
    /// The marks of all agents.
    pub(super) born: &'a [u8],
    /// The room is for the births of all ranks.
    pub(super) room: u64,
    /// The first birth of all ranks gets this id.
    pub(super) next_id: u32,
    /// Newborn agents lie on the side of their parents.
    pub(super) statics: &'a Statics,
}

/// Births of a step: those of all ranks, and what was counted on this one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BirthCount {
    /// The births of all ranks.
    pub(crate) born: u32,
    /// Births of this rank for which there was no room.
    pub(super) refused: u64,
    /// Values of newborn agents of this rank that were not written.
    pub(super) unwritten: u64,
}

impl<R: AgentRule> AnyAgentRule for R {
    fn run(&self, agents: &mut Agents, marks: Marks<'_>, task: AgentTask<'_>) -> u64 {
        let AgentTask { sums, moment, simd, ruled, .. } = task;
        let (columns, count) = RuledColumns::new(agents, marks);
        parallel::pieces(
            columns.within(ruled),
            PIECE,
            &|_, piece| simd.run(Act { rule: self, piece, sums, moment, count }),
            &|one, other| one + other,
        )
    }
}

/// The columns that a rule may read and change.
pub(super) struct RuledColumns<'a> {
    pub(super) agents: AgentsMut<'a>,
    /// Empty in a run without species.
    pub(super) species: &'a mut [u8],
    /// Empty if no agent leaves by the rule.
    pub(super) dead: &'a mut [u8],
    /// The marks of births, `births` per agent.
    pub(super) born: &'a mut [u8],
    pub(super) births: usize,
    pub(super) numbers: [&'a mut [f32]; OWN_COLUMNS_MAX],
}

impl<'a> RuledColumns<'a> {
    /// The columns of all agents, and how many of the numbers there are.
    pub(super) fn new(agents: &'a mut Agents, marks: Marks<'a>) -> (Self, usize) {
        let Marks { dead, born } = marks;
        let births = born.len().checked_div(agents.len()).unwrap_or(0);
        let (agents, own) = agents.view_with_own();
        let mut species: &mut [u8] = &mut [];
        let mut numbers: [&mut [f32]; OWN_COLUMNS_MAX] = Default::default();
        let mut count = 0;
        if let Some(OwnColumns { species: of, numbers: columns }) = own {
            species = of.as_deref_mut().unwrap_or_default();
            count = columns.len();
            for (to, column) in numbers.iter_mut().zip(columns) {
                *to = &mut column.values;
            }
        }
        (Self { agents, species, dead, born, births, numbers }, count)
    }

    /// The columns of the agents in some slots; these are the columns of all agents.
    pub(super) fn within(self, slots: &Range<usize>) -> Self {
        let (_, from) = self.split_at(slots.start);
        from.split_at(slots.len()).0
    }
}

impl Split for RuledColumns<'_> {
    fn len(&self) -> usize {
        Split::len(&self.agents)
    }
    fn split_at(self, at: usize) -> (Self, Self) {
        let Self { agents, species, dead, born, births, numbers } = self;
        let (agents, agents2) = agents.split_at(at);
        let (born, born2) = born.split_at_mut(at * births);
        let (dead, dead2) = dead.split_at_mut(at.min(dead.len()));
        let (species, species2) = species.split_at_mut(at.min(species.len()));
        let mut numbers2: [&mut [f32]; OWN_COLUMNS_MAX] = Default::default();
        let mut halves = numbers2.iter_mut();
        let numbers = numbers.map(|column| {
            let (column, column2) = column.split_at_mut(at.min(column.len()));
            if let Some(half) = halves.next() {
                *half = column2;
            }
            column
        });
        (
            Self { agents, species, dead, born, births, numbers },
            Self {
                agents: agents2,
                species: species2,
                dead: dead2,
                born: born2,
                births,
                numbers: numbers2,
            },
        )
    }
}

/// The loop of a rule over a piece.
struct Act<'a, R> {
    rule: &'a R,
    piece: RuledColumns<'a>,
    sums: &'a [PairSums],
    moment: RuleMoment,
    /// Columns of numbers.
    count: usize,
}

impl<R: AgentRule> Kernel for Act<'_, R> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let Self { rule, piece, sums, moment, count } = self;
        let RuledColumns { agents, species, mut numbers, .. } = piece;
        let AgentsMut { first, x, y, vx, vy, radius, id, spin: _ } = agents;
        let mut unwritten = 0;
        let mut felt: [&[f32]; RULE_PAIRS_MAX] = [&[]; RULE_PAIRS_MAX];
        let mut picked = [Agents::GONE; RULE_PAIRS_MAX];
        let mut own = [0.0; OWN_COLUMNS_MAX];
        for at in 0..id.len() {
            for ((felt, picked), sums) in felt.iter_mut().zip(&mut picked).zip(sums) {
                *felt = sums.of(first + at);
                *picked = sums.picked(first + at);
            }
            for (own, column) in own[..count].iter_mut().zip(&numbers) {
                *own = column[at];
            }
            let mut agent = RuledAgent {
                position: Vec2::new(x[at], y[at]),
                velocity: Vec2::new(vx[at], vy[at]),
                radius: radius[at],
                id: id[at],
                species: species.get(at).copied().unwrap_or(0),
                own: &mut own[..count],
                moment,
                sums: &felt[..sums.len()],
                picked: &picked[..sums.len()],
            };
            rule.act(&mut agent);
            let RuledAgent { velocity, species: now, .. } = agent;
            if velocity.abs().max_element() <= SPEED_MAX && !velocity.is_nan() {
                [vx[at], vy[at]] = velocity.to_array();
            } else {
                unwritten += 1;
            }
            if let Some(species) = species.get_mut(at) {
                *species = now;
            }
            for (&own, column) in own[..count].iter().zip(&mut numbers) {
                if own.is_finite() {
                    column[at] = own;
                } else {
                    unwritten += 1;
                }
            }
        }
        unwritten
    }
}
