//! What can be drawn over the agents: the cells that hold them, whom they touch, where they go, how dense
//! they are.
//!
//! An overlay thins as the view zooms out, and so never becomes a wash: of cells only every second, fourth,
//! eighth line is drawn, of agents a share, and areas are taken together until they are some pixels wide.
//!
//! Invariants: a band draws what meets it, in the order of cells, so that pixels don't depend on bands or
//! threads; only what is in view is asked for; nothing is allocated.

mod agents;
mod cells;
mod digits;
mod heat;

use crate::{
    geometry::Rect,
    raster::{band::Band, sheet::OverlayCanvas, shot::DrawContext},
};

/// What is drawn over the agents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlay {
    /// Nothing.
    #[default]
    None,
    /// The loose cells, and the AABBs of the wide ones among them: the others have none.
    Loose,
    /// The tight cells, shaded by how many wide cells each lists, with the number where there is room.
    Tight,
    /// A line between the centres of two agents that overlap.
    Contacts,
    /// A line from each agent to where it goes, as long as it is fast.
    Velocities,
    /// The share of the ground that agents cover, as heat.
    Density,
}

impl Overlay {
    /// All of them, in the order in which a key goes through them.
    pub const ALL: [Self; 6] =
        [Self::None, Self::Loose, Self::Tight, Self::Contacts, Self::Velocities, Self::Density];

    /// The one after this; the first again after the last.
    #[must_use]
    pub fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()]
    }

    /// A word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Loose => "loose",
            Self::Tight => "tight",
            Self::Contacts => "contacts",
            Self::Velocities => "velocities",
            Self::Density => "density",
        }
    }
}

/// Pixels that a stroke reaches to either side of what it is drawn along, at most.
const STROKE: f32 = 3.0;

/// Draws the overlay of a look over a band in which all else is drawn. A profile shows it by name.
#[inline(never)]
pub(crate) fn draw(band: &mut Band<'_>, shot: &DrawContext<'_>) {
    if shot.overlay == Overlay::None {
        return;
    }
    let area = shot.area(band.width, band.top..band.top + band.rows);
    let area = area.expanded(STROKE / shot.camera.scale);
    let over = &mut Over { sheet: OverlayCanvas::from_band(band), shot, area };
    match shot.overlay {
        Overlay::None => {}
        Overlay::Loose => cells::loose(over),
        Overlay::Tight => cells::tight(over),
        Overlay::Contacts => agents::contacts(over),
        Overlay::Velocities => agents::velocities(over),
        Overlay::Density => heat::density(over),
    }
}

/// A band that an overlay is drawn on.
struct Over<'a, 'b> {
    sheet: OverlayCanvas<'a>,
    shot: &'a DrawContext<'b>,
    /// The part of the world that the band shows, and what strokes that reach into it are drawn along.
    area: Rect,
}

/// How much of something is shown by its size in pixels: nothing up to the first, all from the second on.
fn fade(size: f32, [none, all]: [f32; 2]) -> f32 {
    ((size - none) / (all - none)).clamp(0.0, 1.0)
}

/// How many cells of that size, pixels, are taken together so that they are at least so wide: a power of two.
fn together(size: f32, least: f32) -> u32 {
    // A cell of no size at all has to come to an end, too.
    (0..31).map(|power| 1 << power).find(|&many| size * many as f32 >= least).unwrap_or(1 << 31)
}
