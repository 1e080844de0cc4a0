//! The HUD: everything that is written or drawn over the picture, straight into its pixels.
//!
//! It needs no GPU and allocates nothing from frame to frame, so that both presenters show the same.
//! Read in this order:
//!
//! - `canvas`: borrowed pixels, and letters in them
//! - `text`: blocks of lines on a darkened backing, which all the others write into
//! - `status`, `key_help`, `scale_bar`: the status line, the table of keys, the scale
//! - `minimap`, `inspection`: the map of the world, and the inspected agent with its query

mod canvas;
mod inspection;
pub(super) mod key_help;
mod minimap;
pub(super) mod scale_bar;
mod status;
mod text;

pub(super) use self::{
    canvas::{Canvas, LETTER},
    inspection::Inspection,
    minimap::{MapPlace, Minimap},
    status::{Status, StatusLine},
    text::text_scale,
};
