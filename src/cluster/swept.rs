//! Swept collisions on several ranks: the rounds of one process.
//!
//! ```text
//! note      walls, statics, pairs with an outlier and those across the seam          late, seam
//! pass      near pairs of odd bands note, of even bands note and collide, of odd bands
//!           collide; after each, the row of a border goes to the rank that has not
//!           worked on it, with its notes                                             border
//! collide   pairs with an outlier, then those across the seam                        late, seam
//! bounce    own agents and ghosts alike
//! ```
//!
//! The next round begins if something has happened on any rank.

use super::{Link, Rank, border, moving::Moving};
use crate::{
    alloc,
    error::Result,
    exact::ExactSum,
    sim::RunState,
    step::{
        Phase, Probe,
        band_sums::BandSums,
        finder::SPREAD_OUT,
        motion::Motion,
        swept::{FirstTouches, PASSES, ROUNDS},
        travel::Surroundings,
    },
};

impl<L: Link> Rank<L> {
    /// A substep of swept collisions: agents collide at the moment when they touch.
    pub(super) fn swept_substep(&mut self, probe: &mut impl Probe) -> Result<()> {
        probe.begin(Phase::Regrid);
        let Self {
            link, slabs, state, own, grid, contacts, late, seam, motion, swept, simd, ..
        } = self;
        let RunState { agents, statics, .. } = state;
        let Some(paths) = swept else { unreachable!("claimed at the start") };
        let covered = paths.cover(agents, grid, motion, statics, *simd)?;
        // The rank that owns the ghosts counts them.
        let ghosts = *own..agents.len();
        let long = covered.long - paths.long_paths(agents, ghosts.clone(), motion);
        let covered = covered.outliers - grid.recorded_outliers(ghosts).count();
        probe.begin(Phase::Contacts);
        let touches = FirstTouches::new(agents, motion, *simd);
        let found = contacts.find(paths.search(&touches), grid, *simd);
        alloc::with_remedy(found, SPREAD_OUT)?;
        let discs = paths.discs();
        late.find(link, discs, *own, grid, contacts, slabs.bands(link.rank()));
        if let Some(seam) = seam {
            seam.find(link, discs, *own, grid)?;
        }
        probe.begin(Phase::Resolve);
        let wall_impulse = self.rounds();
        probe.begin(Phase::Integrate);
        // The paths began with the velocities that gravity leads to.
        let mut tally = self.integrate(Motion { gravity: 0.0, ..self.motion });
        // A path is longer than the motion of its agent if something was in the way.
        (tally.tunnelled, tally.covered) = (long, covered);
        tally.wall_impulse = tally.wall_impulse.merge(wall_impulse);
        probe.begin(Phase::Regrid);
        self.regrid(tally, false)
    }

    /// Lets agents collide and bounce in the order of time; returns the momentum that walls took up.
    fn rounds(&mut self) -> ExactSum {
        let borders = self.borders();
        let Self { link, state, own, grid, contacts, late, seam, motion, swept, sums, .. } = self;
        let RunState { agents, statics, .. } = state;
        let Some(swept) = swept else { unreachable!("claimed at the start") };
        let around = Surroundings { motion, statics };
        **sums = BandSums::default();
        let mut wall_impulse = ExactSum::default();
        swept.begin_step();
        let mut met = true;
        for round in 0..ROUNDS {
            let is_start = round == 0;
            if !late.note(link, (agents, *own), swept.notes(), (motion, met)) {
                break;
            }
            if let Some(seam) = seam {
                seam.note(link, (agents, *own), swept.notes(), motion);
            }
            swept.note_fixed(agents, around, is_start);
            met = false;
            for pass in PASSES {
                let moving = Moving::of(agents, Some(swept.notes()));
                let before = border::rows_before(&borders, pass.parity, &moving);
                let at = (around, is_start);
                met |= swept.pass(pass, agents, contacts, at, &mut sums.near, &());
                let moving = &mut Moving::of(agents, Some(swept.notes()));
                border::exchange_states(link, &borders, pass.parity, &before, moving, None);
            }
            let at = (&*grid, around);
            met |= late.collide(link, (agents, *own), swept.notes(), at, &mut sums.late);
            if let Some(seam) = seam {
                met |= seam.collide(link, (agents, *own), swept.notes(), around, &mut sums.across);
            }
            let bounces = swept.bounce(agents, *own, around);
            wall_impulse = wall_impulse.merge(bounces.wall_impulse);
            met |= bounces.count > 0;
        }
        wall_impulse
    }
}
