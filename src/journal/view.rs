//! What the window showed of the world.

#[cfg(feature = "window")]
use std::fmt;

use glam::Vec2;

use super::edit::Words;

/// A view that differs by less than this share of its width from the one before is not written: less
/// than a pixel.
#[cfg(feature = "window")]
const SHARE_LEAST: f32 = 1.0 / 2048.0;

/// A part of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum JournalView {
    /// All of it.
    Whole,
    /// A part, with its middle and its width in world units; the width is above 0.
    Part(Vec2, f32),
}

impl JournalView {
    /// The view of a line, after its name; `None` if it is none.
    pub(super) fn parse(words: &mut Words<'_>) -> Option<Self> {
        let first = words.word()?;
        if first == "whole" {
            return Some(Self::Whole);
        }
        let middle = Vec2::new(first.parse().ok()?, words.value()?);
        let width: f32 = words.value()?;
        let is_sound = middle.is_finite() && width.is_finite() && width > 0.0;
        is_sound.then_some(Self::Part(middle, width))
    }

    /// Whether a user would see the difference from another view.
    #[cfg(feature = "window")]
    pub(crate) fn differs(self, other: Self) -> bool {
        match (self, other) {
            (Self::Whole, Self::Whole) => false,
            (Self::Part(middle, width), Self::Part(other, across)) => {
                let least = SHARE_LEAST * width;
                (middle - other).abs().max_element() > least || (width - across).abs() > least
            }
            _ => true,
        }
    }
}

#[cfg(feature = "window")]
impl fmt::Display for JournalView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("view whole"),
            Self::Part(Vec2 { x, y }, width) => write!(f, "view {x} {y} {width}"),
        }
    }
}
