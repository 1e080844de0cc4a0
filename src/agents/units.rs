//! Units: the faction and the health of agents that fight.

/// Columns of agents that fight, of the same length as the others. Only scenes with factions have
/// them.
#[derive(Clone, Debug, Default)]
pub struct Units {
    /// Side of each unit, 0 or 1.
    pub faction: Vec<u8>,
    /// Strikes that each unit can still take. A unit with none left leaves the run.
    pub health: Vec<u8>,
}

impl Units {
    /// Number of sides.
    pub(crate) const FACTIONS: u8 = 2;

    /// Strikes that a unit in full health can take: about a second of a fight of one against one.
    pub const HEALTH: u8 = 60;

    /// Appends a unit.
    // The columns are public. This is for the tests.
    #[doc(hidden)]
    pub fn push(&mut self, faction: u8, health: u8) {
        self.faction.push(faction);
        self.health.push(health);
    }
}
