//! The software rasterizer: draws agents into RGBA8 pixels, straight from the grid.
//!
//! ```text
//!  Agents, Grid ─► rows of cells ─► batches of 64 ─► kernel by radius in pixels ─► band
//!  (cell order)    (culling)        (batch)          0      0.25    1.5      6          32
//!                                                    ├density┼─sprite─┼─corner─┼─analytic─┼─span ─►
//! ```
//!
//! The radius decides the kernel. With automatic exposure, the crowd decides whether small discs
//! are density or sprites (`exposure`).
//!
//! The frame is split into stripes of rows. One thread draws a stripe into its own part of the
//! buffer, one band of rows at a time, so there are no locks and no atomics. For each band the grid
//! yields the rows of cells that may meet it, each as one range of slots. Agents therefore stream
//! from memory in the order in which their pixels lie in the frame, and agents outside the frame
//! are never read.
//!
//! A band is drawn from the bottom to the top of this list:
//!
//! 7. `overlay`: cells, contacts, velocities or density, if the style asks for one
//! 6. `marks` of discs that turn
//! 5. `kernel::density`: agents too small for a disc, as a tone-mapped sum
//! 4. agents that fit their cells, in cell order; of each 64, larger ones above smaller ones
//! 3. agents too large for their cells, in cell order
//! 2. statics
//! 1. `background`: the ground of the world, its border and the outside
//!
//! Invariants:
//!
//! - Drawing never changes what it draws.
//! - A pixel depends on the view, the camera and the style alone, not on threads, bands or SIMD
//!   levels.
//! - A draw allocates nothing once [`Renderer::record_starts`] has seen the agents. Without that
//!   call, the first draw of a color mode that reads the grid allocates one byte per slot.
//! - The coverage of a pixel is off by at most 16/255 for sprites, which are drawn at the nearest
//!   of 16 × 16 sub-pixel phases, and by at most 2/255 for larger discs.
//!
//! Colors are mixed as they are stored, in sRGB, as other rasterizers do by default.
//!
//! Each file imports only from files above it in this list, which is also the order to read them
//! in:
//!
//! | files | content |
//! |---|---|
//! | `blend` | pixel arithmetic |
//! | `frame`, `camera` | the image, and the mapping between world and pixels |
//! | `palette`, `style`, `color_table` | what a draw looks like |
//! | `view`, `tones` | what a draw shows; colors that are computed before it |
//! | `field/` | colors by what the crowd around an agent does |
//! | `context`, `culling` | what all bands of one draw read; which slots a band reads |
//! | `band`, `batch` | the pixels that are drawn together; 64 agents on their way to pixels |
//! | `kernel/` | the kernels: density, sprites, corners, analytic discs, spans |
//! | `canvas`, `background`, `marks`, `overlay/` | thin shapes; what lies beneath and above the agents |
//! | `exposure` | how much larger than they are small discs are drawn, and by which kernel |
//! | `draw`, `renderer` | one band; all bands, and the memory that is kept between draws |
//! | `glow` | light around bright places, for the program |
//! | `legend` | what the colors mean, for the window |

mod background;
mod band;
mod batch;
mod blend;
mod camera;
mod canvas;
mod color_table;
mod context;
mod culling;
mod draw;
mod exposure;
mod field;
mod frame;
#[cfg(feature = "cli")]
mod glow;
mod kernel;
#[cfg(feature = "window")]
mod legend;
mod marks;
mod overlay;
mod palette;
mod renderer;
mod style;
mod tones;
mod view;

pub use camera::Camera;
#[cfg(feature = "window")]
pub(crate) use canvas::{OverlayCanvas, Stroke};
#[cfg(feature = "window")]
pub(crate) use color_table::ColorTable;
pub use frame::Frame;
#[cfg(feature = "cli")]
pub(crate) use glow::Glow;
#[cfg(feature = "window")]
pub(crate) use legend::{Legend, LegendKey};
pub use palette::Palette;
pub use renderer::Renderer;
#[cfg(feature = "cli")]
pub(crate) use style::species_colors;
pub use style::{ColorBy, DrawOrder, Exposure, Overlay, Style};
#[cfg(feature = "window")]
pub(crate) use tones::twin_share;
pub use view::{Interpolation, View};
