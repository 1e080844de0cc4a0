//! jostle as an engine.

use jostle::{Result, Setup, Sim};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{
    bodies::Bodies,
    engine::{Engine, Mode, Outcome},
    state::State,
};

pub(crate) struct Jostle {
    pool: ThreadPool,
    sim: Sim,
    /// The slots of the agents by their ids.
    slots: Vec<u32>,
}

impl Jostle {
    pub(crate) fn new(state: &State, mode: Mode) -> Outcome<Self> {
        let pool = ThreadPoolBuilder::new().num_threads(mode.threads).build()?;
        let sim = Sim::from_start(&setup(state, mode.sleep), state.start.clone())?;
        Ok(Self { pool, sim, slots: Vec::new() })
    }
}

/// The set-up that a state goes on with.
fn setup(state: &State, sleep: bool) -> Setup {
    Setup { sleep, ..state.setup.clone() }
}

impl Engine for Jostle {
    fn name(&self) -> &'static str {
        "jostle"
    }

    fn step(&mut self) -> Outcome<()> {
        let Self { pool, sim, .. } = self;
        let done: Result<()> = pool.install(|| sim.step());
        Ok(done?)
    }

    fn read(&mut self, bodies: &mut Bodies) -> Outcome<()> {
        let agents = self.sim.agents();
        self.slots.resize(agents.len(), 0);
        for (slot, &id) in (0..).zip(&agents.id) {
            self.slots[id as usize] = slot;
        }
        bodies.clear();
        for &slot in &self.slots {
            let agent = agents.get(slot as usize);
            bodies.push(agent.position, agent.velocity);
        }
        Ok(())
    }

    fn bytes(&self, _counted: usize) -> Outcome<usize> {
        let bytes = self.sim.memory();
        Ok(bytes.agents + bytes.grid + bytes.contacts)
    }
}
