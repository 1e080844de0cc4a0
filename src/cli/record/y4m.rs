//! y4m: a line of text, then every frame uncompressed, as luma and two planes of chroma.
//!
//! Chroma has full resolution (4:4:4), since agents may be a pixel wide. Values are BT.601 in the
//! narrow range, the default of players for y4m.

use std::io;

use crate::raster::Frame;
use y4m::{Colorspace, Encoder, Ratio, VendorExtensionString};

use crate::cli::args::rate::Rate;

use super::encode::{FrameEncoder, SharedBuffer};

/// A y4m encoder.
pub(super) struct Y4m {
    encoder: Encoder<SharedBuffer>,
    buffer: SharedBuffer,
    /// Luma and chroma, one byte per pixel.
    planes: [Vec<u8>; 3],
}

impl Y4m {
    /// An encoder for frames of one size at one rate.
    ///
    /// # Errors
    /// If the library of the format refuses them.
    pub(super) fn new([width, height]: [u32; 2], fps: Rate) -> io::Result<Self> {
        let buffer = SharedBuffer::default();
        let range =
            VendorExtensionString::new(b"COLORRANGE=LIMITED".to_vec()).map_err(io::Error::other)?;
        let rate = Ratio::new(fps.num as usize, fps.den as usize);
        let encoder = y4m::encode(width as usize, height as usize, rate)
            .with_colorspace(Colorspace::C444)
            .append_vendor_extension(range)
            .write_header(buffer.clone())
            .map_err(io::Error::other)?;
        let plane = || vec![0; width as usize * height as usize];
        Ok(Self { encoder, buffer, planes: [plane(), plane(), plane()] })
    }
}

impl FrameEncoder for Y4m {
    fn encode(&mut self, frame: &Frame, to: &mut Vec<u8>) -> io::Result<()> {
        let [luma, blue, red] = &mut self.planes;
        for (pixel, ((y, u), v)) in frame.pixels.iter().zip(luma.iter_mut().zip(blue).zip(red)) {
            [*y, *u, *v] = yuv(*pixel);
        }
        let planes = self.planes.each_ref().map(Vec::as_slice);
        self.encoder.write_frame(&y4m::Frame::new(planes, None)).map_err(io::Error::other)?;
        self.buffer.take(to);
        Ok(())
    }
}

/// BT.601, narrow range, rounded; coefficients are in 256ths.
fn yuv([r, g, b, _]: [u8; 4]) -> [u8; 3] {
    let [r, g, b] = [r, g, b].map(i32::from);
    let sum = |of_r: i32, of_g: i32, of_b: i32| (of_r * r + of_g * g + of_b * b + 128) >> 8;
    [sum(66, 129, 25) + 16, sum(-38, -74, 112) + 128, sum(112, -94, -18) + 128].map(|v| v as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extreme_colors_match_bt_601() {
        for (rgb, expected) in [
            ([0, 0, 0], [16, 128, 128]),
            ([255, 255, 255], [235, 128, 128]),
            ([255, 0, 0], [82, 90, 240]),
            ([0, 0, 255], [41, 240, 110]),
        ] {
            let [r, g, b] = rgb;
            assert_eq!(yuv([r, g, b, 255]), expected);
        }
    }
}
