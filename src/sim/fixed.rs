//! The statics of a simulation: put in and taken out between two steps.

use super::Sim;
use crate::{
    error::Result,
    statics::{Static, Statics},
};

impl Sim {
    /// The statics.
    pub fn statics(&self) -> &Statics {
        &self.statics
    }

    /// Puts in a static, and returns its id. Agents that it is put on are out of it after the next step, unless
    /// they are wedged. There is room for [`Setup::statics`](crate::Setup::statics) beside those of the scene.
    ///
    /// Takes time that goes with the number of statics.
    ///
    /// # Errors
    /// If it has no size or doesn't lie in the world whole, or there is no room; nothing has changed then. If the
    /// chosen index must grow and there is not enough memory.
    ///
    /// ```
    /// use jostle::{Scene, Setup, Sim, Static, Vec2};
    ///
    /// let mut sim = Sim::new(&Setup { agents: 100, statics: 8, ..Setup::new(Scene::Gas) })?;
    /// let pillar = Static::disc(sim.world().center(), 2.0);
    /// let id = sim.add_static(pillar)?;
    /// sim.step(&mut ())?;
    /// assert_eq!(sim.remove_static(id)?, pillar);
    /// # Ok::<(), jostle::Error>(())
    /// ```
    pub fn add_static(&mut self, shape: Static) -> Result<u32> {
        let id = self.statics.add(shape)?;
        self.tell_index().map(|()| id)
    }

    /// Takes a static out, and returns what it was. Takes time that goes with the number of statics.
    ///
    /// # Errors
    /// If there is none of that id; nothing has changed then. If the chosen index has no memory to list the others.
    pub fn remove_static(&mut self, id: u32) -> Result<Static> {
        let shape = self.statics.remove(id)?;
        self.tell_index().map(|()| shape)
    }
}
