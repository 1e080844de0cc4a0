//! The HUD: everything that is written or drawn over the agents, straight into the pixels of the
//! frame, so that both presenters show the same.
//!
//! Read in this order:
//!
//! - `text`: the canvas, and blocks of text on it, which all the others write
//! - `status`, `key_help`, `scale_bar`, `legend`: the status line, the table of keys, the scale, and
//!   what the colors mean
//! - `timeline_bar`: how far the run has come, to be dragged
//! - `minimap`, `inspection`: the map of the world, and the inspected agent with its query

mod inspection;
pub(super) mod key_help;
pub(super) mod legend;
mod minimap;
pub(super) mod scale_bar;
pub(super) mod status;
mod text;
pub(super) mod timeline_bar;

pub(super) use self::{
    inspection::Inspection,
    minimap::{MapPlace, Minimap},
    status::StatusField,
    text::{ACCENT, HudCanvas, LETTER, PLAIN, QUIET, text_scale},
    timeline_bar::TimelinePlace,
};
