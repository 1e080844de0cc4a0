//! The streams of `shear`: a band in the middle of the world moves right, and the streams above and
//! below it move left.
//!
//! ```text
//!  ◄──── ◄──── ◄──── ◄────   waves on both borders of the band grow, roll up into eddies, and mix
//!  ╭─╮   ╭───╮   ╭───╮   ╭   the streams: the Kelvin-Helmholtz instability
//!  ╯ ╰───╯   ╰───╯   ╰───╯
//!  ────► ────► ────► ────►
//!  ╮ ╭───╮   ╭───╮   ╭───╮
//!  ╰─╯   ╰───╯   ╰───╯   ╰
//!  ◄──── ◄──── ◄──── ◄────
//! ```
//!
//! A gas of discs is viscous: eddies narrower than some hundred discs fade before they roll up.
//! Therefore the waves are few, and high from the beginning, and half a million agents have eddies
//! within seconds.

use glam::Vec2;

use crate::geometry::Rect;

/// Lower and upper border of the band, and the height of the waves on them, as shares of the
/// world's height.
const BAND: [f32; 2] = [0.25, 0.75];
const HEIGHT: f32 = 0.06;

/// Number of waves on each border, and their phase at the left side of the world on each border.
const WAVES: f32 = 3.0;
const AHEAD: [f32; 2] = [0.15, 0.65];

/// The strength with which a stream turns its agents. A larger one leaves them less motion of their
/// own and makes the streams faster than sound; a smaller one makes eddies slow.
const TURN: f32 = 1.5;

/// The vector towards which the direction of an agent at a position is turned.
pub(super) fn stream(world: &Rect, at: Vec2) -> Vec2 {
    let at = (at - world.min) / world.size();
    let [low, high] =
        [0, 1].map(|border| BAND[border] + HEIGHT * wave(at.x * WAVES + AHEAD[border]));
    Vec2::new(if at.y > low && at.y < high { TURN } else { -TURN }, 0.0)
}

/// A wave of period 1 between −1 and 1, of two parabolas.
fn wave(x: f32) -> f32 {
    let (up, half) = (x.fract() < 0.5, (2.0 * x).fract());
    let arch = 4.0 * half * (1.0 - half);
    if up { arch } else { -arch }
}
