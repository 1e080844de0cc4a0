//! Who fires the cannon: the only thing in a run that happens by itself between two steps.
//!
//! A ball is taken from where it lies and leaves the barrel as a new one, so there are always as many. The first that
//! lies still is taken, and if none does, the oldest. Within some seconds each has had its turn. A target that a ball
//! touches goes away at once; when all are gone, all are put up anew. Shots are drawn by the seed and the number of
//! the ball, so that nothing but the agents and the statics is to be remembered.

use super::Sim;
use crate::{
    agents::Spawn,
    alloc,
    error::Result,
    grid::Disc,
    rng::Rng,
    scene::{Scene, Setup, range},
    statics::{FEWER, Static},
};

/// Seconds in which as many shots are fired as there are balls.
const ROUND: f64 = 25.0;

/// Share of a ball's radius that it may be away from a target which it is said to touch.
const TOUCH: f32 = 0.01;

/// The gunner, and the lists that one shot after the other is made with.
#[derive(Debug)]
pub(super) struct Gunner {
    targets: Vec<Static>,
    /// Whether a ball moves, and its id: who is first is fired first.
    ranks: Vec<(bool, u32)>,
    fired: Vec<u32>,
    shots: Vec<Spawn>,
    /// The ids of the targets that a ball touches.
    struck: Vec<u32>,
}

impl Gunner {
    /// The gunner of a set-up, if it has a cannon.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn of(setup: &Setup) -> Result<Option<Self>> {
        if setup.scene != Scene::Cannon {
            return Ok(None);
        }
        let balls = setup.agents as usize + setup.spare_agents as usize;
        let what = "the balls in the order in which they are fired";
        let targets = range::targets(setup);
        let statics = targets.len() + setup.spare_statics as usize;
        Ok(Some(Self {
            targets,
            struck: alloc::with_remedy(
                alloc::with_capacity(statics, "the targets that are struck"),
                FEWER,
            )?,
            ranks: alloc::with_capacity(balls, what)?,
            fired: alloc::with_capacity(balls, what)?,
            shots: alloc::with_capacity(balls, what)?,
        }))
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.ranks.capacity() * size_of::<(bool, u32)>()
            + (self.fired.capacity() + self.struck.capacity()) * size_of::<u32>()
            + self.shots.capacity() * size_of::<Spawn>()
    }
}

/// Shots that are fired before so many steps are done.
fn due(steps: u64, setup: &Setup) -> u64 {
    (steps as f64 * f64::from(setup.agents) / (ROUND * f64::from(setup.hz))) as u64
}

impl Sim {
    /// Fires the shots that are due in the next step.
    ///
    /// # Errors
    /// If the grid must grow and there is not enough memory.
    pub(super) fn fire(&mut self) -> Result<()> {
        let Some(mut gunner) = self.gunner.take() else { return Ok(()) };
        let shots = due(self.steps + 1, &self.setup) - due(self.steps, &self.setup);
        let fired = self.shoot(&mut gunner, shots as usize);
        self.gunner = Some(gunner);
        fired
    }

    fn shoot(&mut self, gunner: &mut Gunner, shots: usize) -> Result<()> {
        let Gunner { ranks, fired, shots: spawns, .. } = gunner;
        let shots = shots.min(self.agents.len());
        if shots == 0 {
            return Ok(());
        }
        let still = self.motion.rest_speed * self.motion.rest_speed;
        ranks.clear();
        ranks.extend((0..self.agents.len()).map(|slot| {
            let (vx, vy) = (self.agents.vx[slot], self.agents.vy[slot]);
            (vx * vx + vy * vy > still, self.agents.id[slot])
        }));
        if shots < ranks.len() {
            ranks.select_nth_unstable(shots);
        }
        fired.clear();
        fired.extend(ranks[..shots].iter().map(|&(_, id)| id));
        spawns.clear();
        for number in 0..shots as u32 {
            let radius = self.setup.radius[0];
            let ball = u64::from(self.next_id.wrapping_add(number));
            let mut rng = Rng::new(self.setup.seed ^ Rng::new(ball).bits());
            let (position, direction) = range::muzzle(radius, &mut rng);
            let speed = self.setup.speed * rng.between(0.5, 1.5);
            spawns.push(Spawn::new(position, direction * speed, radius));
        }
        self.remove(fired)?;
        self.spawn(spawns).map(drop)
    }

    /// Takes away the targets that a ball touches, and puts up all that there is room for if none is left.
    ///
    /// # Errors
    /// If there is not enough memory to list the targets.
    pub(super) fn hit(&mut self) -> Result<()> {
        let Some(mut gunner) = self.gunner.take() else { return Ok(()) };
        let seen = self.look_at(&mut gunner);
        self.gunner = Some(gunner);
        seen
    }

    fn look_at(&mut self, Gunner { targets, struck, .. }: &mut Gunner) -> Result<()> {
        let mut left = 0;
        struck.clear();
        for (id, shape) in self.statics.iter().filter(|(_, shape)| targets.contains(shape)) {
            if self.is_touched(shape) {
                struck.push(id);
            } else {
                left += 1;
            }
        }
        self.remove_statics(struck);
        if left > 0 {
            return Ok(());
        }
        let room = self.statics.room() - self.statics.len();
        self.add_statics(&targets[..targets.len().min(room)]).map(drop)
    }

    /// True if an agent is next to it.
    fn is_touched(&self, shape: Static) -> bool {
        let near = TOUCH * self.motion.radius_min;
        let mut touched = false;
        let visit = |_| touched = true;
        match shape {
            Static::Disc(Disc { center, radius }) => {
                self.grid.visit_disc(&self.agents, center, radius + near, visit);
            }
            Static::Box(rect) => self.grid.visit_rect(&self.agents, &rect.expanded(near), visit),
        }
        touched
    }
}
