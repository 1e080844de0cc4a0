//! The statics of a simulation: put in and taken out between two steps.

use std::ops::Range;

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

    /// Puts in statics, with the next ids in the order of the list; returns these ids. All of them come, or none.
    /// Agents that one is put on are out of it after the next step, unless they are wedged. There is room for
    /// [`Setup::statics`](crate::Setup::statics) beside those of the scene.
    ///
    /// Takes time that goes with the number of all statics, however many come.
    ///
    /// # Errors
    /// If one has no size or doesn't lie in the world whole, there is no room for all, or not enough memory.
    ///
    /// ```
    /// use jostle::{Scene, Setup, Sim, Static, Vec2};
    ///
    /// let mut sim = Sim::new(&Setup { agents: 100, spare_statics: 8, ..Setup::new(Scene::Gas) })?;
    /// let middle = sim.world().center();
    /// let pillars = [-5.0, 5.0].map(|x| Static::disc(middle + Vec2::new(x, 0.0), 2.0));
    /// let ids = sim.add_statics(&pillars)?;
    /// sim.step()?;
    /// assert_eq!(sim.remove_statics(&[ids.start]), 1);
    /// assert!(sim.statics().iter().eq([(ids.start + 1, pillars[1])]));
    /// # Ok::<(), jostle::Error>(())
    /// ```
    pub fn add_statics(&mut self, shapes: &[Static]) -> Result<Range<u32>> {
        self.statics.add(shapes)
    }

    /// Takes statics out, by their ids; returns how many there were. An id that none has, or has any more, is
    /// nobody's loss. Takes time that goes with the number of all statics, however many go.
    pub fn remove_statics(&mut self, ids: &[u32]) -> usize {
        self.statics.remove(ids)
    }
}
