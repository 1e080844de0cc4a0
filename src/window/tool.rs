//! What the left mouse button does, and how far around the cursor.

/// What the mouse does to the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Moves the view.
    #[default]
    Hand,
    /// Pushes agents away.
    Poke,
    /// Draws agents near.
    Attract,
    /// Fills what is free with agents.
    Spawn,
    /// Takes agents and walls away.
    Erase,
    /// Builds walls of discs.
    Wall,
    /// Shows what the grid knows of an agent.
    Inspect,
}

impl Tool {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Hand,
        Self::Poke,
        Self::Attract,
        Self::Spawn,
        Self::Erase,
        Self::Wall,
        Self::Inspect,
    ];

    /// A word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hand => "hand",
            Self::Poke => "poke",
            Self::Attract => "attract",
            Self::Spawn => "spawn",
            Self::Erase => "erase",
            Self::Wall => "wall",
            Self::Inspect => "inspect",
        }
    }

    /// True if it works on a disc around the cursor.
    pub(super) const fn has_size(self) -> bool {
        !matches!(self, Self::Hand | Self::Inspect)
    }
}

/// Sizes of a tool: its radius in pixels of a screen of scale factor 1. In pixels, since that is what hands
/// know, at any zoom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ToolSize(u32);

impl ToolSize {
    const STEPS: [u16; 10] = [8, 12, 18, 26, 40, 60, 90, 130, 200, 300];

    /// The radius, pixels of a screen of scale factor 1.
    pub(super) fn radius(self) -> f32 {
        f32::from(Self::STEPS[self.0 as usize])
    }

    /// The next larger one.
    pub(super) fn larger(self) -> Self {
        Self((self.0 + 1).min(Self::STEPS.len() as u32 - 1))
    }

    /// The next smaller one.
    pub(super) fn smaller(self) -> Self {
        Self(self.0.saturating_sub(1))
    }
}

impl Default for ToolSize {
    fn default() -> Self {
        Self(4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_smallest_and_a_largest() {
        let mut size = ToolSize::default();
        (0..20).for_each(|_| size = size.larger());
        assert_eq!(size.radius(), 300.0);
        (0..20).for_each(|_| size = size.smaller());
        assert_eq!(size.radius(), 8.0);
        assert!(ToolSize::STEPS.is_sorted());
    }
}
