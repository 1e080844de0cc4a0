//! y4m: a line of text, then every frame uncompressed, as luma and two planes of chroma.
//!
//! Chroma has full resolution (4:4:4), since agents may be a pixel wide. Values are BT.601 in the
//! narrow range, the default of players for y4m.

use std::io::{self, Write};

use crate::{cli::args::values::Rate, raster::Frame};

use super::encode::FrameEncoder;

/// BT.601, narrow range: the weights of red, green and blue in 256ths, and the value of black, for
/// luma, blue difference and red difference.
const PLANES: [([i32; 3], i32); 3] =
    [([66, 129, 25], 16), ([-38, -74, 112], 128), ([112, -94, -18], 128)];

/// A y4m encoder.
pub(super) struct Y4m {
    fps: Rate,
    /// True after the first frame.
    begun: bool,
}

impl Y4m {
    pub(super) fn new(fps: Rate) -> Self {
        Self { fps, begun: false }
    }
}

impl FrameEncoder for Y4m {
    fn encode(&mut self, frame: &Frame, to: &mut Vec<u8>) -> io::Result<()> {
        if !self.begun {
            let Rate { num, den } = self.fps;
            let (width, height) = (frame.width, frame.height);
            writeln!(to, "YUV4MPEG2 W{width} H{height} F{num}:{den} XCOLORRANGE=LIMITED C444")?;
            self.begun = true;
        }
        writeln!(to, "FRAME")?;
        for (weights, black) in PLANES {
            to.extend(frame.pixels.iter().map(|[red, green, blue, _]| {
                let channels = [red, green, blue].into_iter().zip(weights);
                let sum: i32 = channels.map(|(&value, weight)| i32::from(value) * weight).sum();
                (((sum + 128) >> 8) + black) as u8
            }));
        }
        Ok(())
    }
}
