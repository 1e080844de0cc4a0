//! Pictures and films of the window: files in the folder that it was started from, of names not taken yet.

use std::path::PathBuf;

use crate::{
    Result,
    raster::Frame,
    window::{self, Film, Written},
};

use super::{easel, output::Output, record::Live};

/// Makes the files.
#[derive(Debug)]
pub(super) struct Studio;

impl window::Capture for Studio {
    fn picture(&mut self, [width, height]: [u32; 2], pixels: &[u8]) -> Result<PathBuf> {
        let mut frame = Frame::new(width, height);
        frame.bytes_mut().copy_from_slice(pixels);
        Output::free("png")?.write(|to| easel::png(&frame, to))
    }

    fn film(&mut self, size: [u32; 2], written: Written) -> Result<Box<dyn Film>> {
        Ok(Box::new(Live::begin(Output::free("apng")?, size, written)?))
    }
}
