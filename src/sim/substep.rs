//! Substeps: the phases of one, with each solver.
//!
//! ```text
//! impulse               swept                        contact
//! -                     cover the paths              enlarge the discs; sort, if that is due
//! -                     -                            plan: which bands sleep or keep their blocks
//! find contacts         find first touches           find contacts, build blocks ─┐
//! -                     -                            again while bands wake  ◄────┘
//! resolve pairs         resolve rounds of hits       solve four rounds
//! integrate             advance, or integrate        take over the motion of the bodies
//! regrid                regrid                       list outliers
//! ```

use super::Sim;
use crate::{
    contacts::{ContactLog, Sought},
    error::Result,
    geometry::Rect,
    scene::Setup,
    solver::{ContactSolver, Physics},
    step::{
        Phase, Probe,
        impulse::{self, Direction},
        integrate::{self, Trajectory},
        motion::{Motion, Moved},
        pair_contact::Exchange,
        regrid::Retain,
        swept::FirstTouches,
    },
};

/// The parameters of a substep of the contact solver; true if agents at rest are held.
pub(crate) fn physics(motion: &Motion, sleep: bool) -> Physics {
    let Motion { world, dt, gravity, restitution, roughness, rest_speed, radius_min, .. } = *motion;
    Physics { world, dt, gravity, restitution, roughness, rest_speed, radius_min, sleep }
}

impl Sim {
    /// A substep of the impulse solver.
    pub(super) fn impulse_substep(
        &mut self,
        direction: Direction,
        probe: &mut impl Probe,
    ) -> Result<()> {
        let Self { finder, contacts, agents, grid, simd, .. } = self;
        finder.find(contacts, agents.discs().into(), &agents.id, grid, *simd, probe)?;
        probe.begin(Phase::Resolve);
        self.resolve(direction)?;
        probe.begin(Phase::Integrate);
        let moved = self.integrate(self.motion);
        let moved = self.note(moved);
        probe.begin(self.finder.phase_of_regrid());
        self.regrid(&moved, true)
    }

    /// A substep in which agents pass through each other.
    pub(super) fn free_substep(&mut self, probe: &mut impl Probe) -> Result<()> {
        probe.begin(Phase::Integrate);
        let Self { agents, grid, motion, statics, simd, .. } = self;
        let moved =
            integrate::integrate(agents, Trajectory::Straight, grid, motion, statics, *simd);
        let moved = self.note(moved);
        probe.begin(self.finder.phase_of_regrid());
        self.regrid(&moved, true)
    }

    /// A substep of swept collisions: agents collide at the moment when they touch.
    pub(super) fn swept_substep(&mut self, probe: &mut impl Probe) -> Result<()> {
        probe.begin(self.finder.phase_of_regrid());
        let Self { finder, contacts, agents, grid, simd, swept, statics, motion, regrid, .. } =
            self;
        let Some(swept) = swept else { unreachable!("claimed at the start") };
        let covered = swept.cover(agents, grid, motion, statics, *simd)?;
        // Outliers among the discs around paths count, too: their pairs are resolved on one thread.
        let sorts = regrid.is_due(covered.outliers, agents.len());
        let touches = FirstTouches::new(agents, motion, *simd);
        finder.find(contacts, swept.search(&touches), &agents.id, grid, *simd, probe)?;
        probe.begin(Phase::Resolve);
        let moves = match &mut self.recorded {
            None => swept.resolve(agents, contacts, motion, statics, &()),
            Some(list) => {
                let log = ContactLog::new(list);
                let moves = swept.resolve(agents, contacts, motion, statics, &log);
                log.end()?;
                moves
            }
        };
        self.add(moves.exchange);
        probe.begin(Phase::Integrate);
        // The paths began with the velocities that gravity leads to.
        let motion = Motion { gravity: 0.0, ..self.motion };
        // A sort would move the agents away from the discs around their next paths.
        let ahead = self.motion.gravity == 0.0 && !sorts;
        let moved = if ahead { self.advance() } else { self.integrate(motion) };
        // A path is longer than the motion of its agent if something was in the way.
        let wall_impulse = moved.wall_impulse.merge(moves.wall_impulse);
        let moved = self.note(Moved { tunnelled: covered.long, wall_impulse, ..moved });
        probe.begin(self.finder.phase_of_regrid());
        self.regrid(&moved, false)
    }

    /// Counts impulses between agents.
    fn add(&mut self, exchange: Exchange) {
        self.counters.collisions += exchange.collisions;
        self.transfer.virial += exchange.virial;
    }

    /// A substep of the contact solver.
    pub(super) fn contact_substep(&mut self, probe: &mut impl Probe) -> Result<()> {
        probe.begin(self.finder.phase_of_regrid());
        let physics = self.physics();
        if self
            .solver
            .as_ref()
            .is_some_and(|solver| solver.is_at_rest(&self.agents, &physics, &mut ()))
        {
            return Ok(());
        }
        self.enlarge(&physics)?;
        let Self { finder, contacts, agents, grid, simd, solver, statics, .. } = self;
        let Some(solver) = solver else { unreachable!("claimed before") };
        solver.plan(agents, contacts, grid, &physics, *simd, &mut ());
        loop {
            let kept = |band| solver.kept_pairs(band);
            let sought = Sought { kept: &kept, ..solver.discs(agents).into() };
            finder.find(contacts, sought, &agents.id, grid, *simd, probe)?;
            probe.begin(Phase::Resolve);
            solver.build(agents, contacts, statics, &physics, *simd, &mut ())?;
            if !solver.wake_touched(&mut ()) {
                break;
            }
        }
        self.counters.collisions += solver.solve(agents, contacts, &physics, *simd, &mut ())?;
        probe.begin(Phase::Integrate);
        let moved = self.take_over();
        let outliers = self.note(moved).outliers;
        probe.begin(self.finder.phase_of_regrid());
        self.grid.list_outliers(&self.agents, outliers)
    }

    /// Enlarges the discs and makes the grid exact for them; sorts the agents when it is due.
    #[inline(never)]
    fn enlarge(&mut self, physics: &Physics) -> Result<()> {
        let Self { agents, grid, regrid, simd, solver, .. } = self;
        let Some(solver) = solver else { unreachable!("claimed before") };
        let mut outliers = grid.record_outliers(&solver.enlarge(agents, physics, *simd));
        if regrid.is_due(outliers, agents.len()) {
            let origin = solver.origin_mut(agents.len());
            regrid.sort(agents, Some(origin), grid, Retain::All, physics.ahead(), *simd)?;
            outliers = grid.record_outliers(&solver.enlarge(agents, physics, *simd));
            regrid.set_large(outliers);
        }
        grid.list_outliers(&solver.discs(agents), outliers)
    }

    pub(super) fn physics(&self) -> Physics {
        // A rule may move any agent at any time.
        physics(&self.motion, self.setup.sleep && !self.is_ruled())
    }

    /// Wakes all agents that the contact solver holds.
    pub(super) fn wake(&mut self) {
        if let Some(solver) = &mut self.solver {
            solver.wake();
        }
    }

    /// Wakes the agents that the contact solver holds near an area that changes.
    pub(super) fn wake_near(&mut self, area: &Rect) {
        let Self { solver, contacts, grid, .. } = self;
        if let Some(solver) = solver {
            solver.wake_near(area, (grid.outlier_count(), grid), contacts);
        }
    }

    /// The contact solver of the run with a set-up.
    pub(super) fn solver_for(&self, setup: &Setup) -> Result<Box<ContactSolver>> {
        let capacity = self.grid.config().capacity;
        let statics = !self.statics.is_empty() || setup.spare_statics > 0;
        let mut solver =
            ContactSolver::new(capacity, &self.contacts, [statics, setup.friction > 0.0])?;
        solver.forget(self.agents.len());
        Ok(Box::new(solver))
    }

    /// Forgets the discs around the paths of the next step: something has changed.
    pub(super) fn forget_ahead(&mut self) {
        if let Some(swept) = &mut self.swept {
            swept.forget_ahead();
        }
    }

    // Each phase is a function that is not inlined, so that profiles name it.

    #[inline(never)]
    fn resolve(&mut self, direction: Direction) -> Result<()> {
        let Self { agents, contacts, motion, .. } = self;
        let exchange = match &mut self.recorded {
            None => impulse::resolve(agents, contacts, direction, motion, &()),
            Some(list) => {
                let log = ContactLog::new(list);
                let exchange = impulse::resolve(agents, contacts, direction, motion, &log);
                log.end()?;
                exchange
            }
        };
        self.add(exchange);
        Ok(())
    }

    #[inline(never)]
    fn take_over(&mut self) -> Moved {
        let Self { agents, grid, motion, statics, solver, simd, .. } = self;
        let Some(solver) = solver else { unreachable!("claimed before") };
        let bodies = solver.bodies();
        solver.take_over_spins(agents);
        integrate::take_over(agents, bodies, grid, motion, statics, *simd)
    }

    #[inline(never)]
    fn integrate(&mut self, motion: Motion) -> Moved {
        let Self { agents, grid, statics, swept, simd, .. } = self;
        let trajectory = match swept {
            Some(swept) => Trajectory::AfterHits(swept.last_hits()),
            None => Trajectory::Straight,
        };
        integrate::integrate(agents, trajectory, grid, &motion, statics, *simd)
    }

    #[inline(never)]
    fn advance(&mut self) -> Moved {
        let Self { agents, grid, motion, statics, swept, simd, .. } = self;
        let Some(swept) = swept else { unreachable!("claimed at the start") };
        swept.advance(agents, grid, motion, statics, *simd)
    }

    /// Counts how far agents moved.
    fn note(&mut self, moved: Moved) -> Moved {
        self.largest_displacement = self.largest_displacement.max(moved.farthest_square.sqrt());
        self.counters.tunnelled += moved.tunnelled;
        self.transfer.wall_impulse += moved.wall_impulse.total();
        moved
    }

    #[inline(never)]
    fn regrid(&mut self, moved: &Moved, spreads: bool) -> Result<()> {
        let Self { agents, grid, motion, regrid, simd, .. } = self;
        let sorted = regrid.run(agents, grid, moved, motion.dt, spreads, *simd)?;
        if sorted {
            self.forget_ahead();
        }
        Ok(())
    }
}
