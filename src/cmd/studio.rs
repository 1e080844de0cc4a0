//! Pictures and films of the window: files in the folder that it was started from, of names not taken yet.

use std::path::PathBuf;

use jostle::{
    Result,
    app::{self, Film},
    raster::Frame,
};

use super::{easel, output, output::Output, record::Live};

/// Makes the files.
#[derive(Debug)]
pub(super) struct Studio;

impl app::Studio for Studio {
    fn picture(&mut self, [width, height]: [u32; 2], pixels: &[u8]) -> Result<PathBuf> {
        let path = output::free_name("png");
        let mut frame = Frame::new(width, height);
        frame.bytes_mut().copy_from_slice(pixels);
        Output::open(&path)?.write(|to| easel::png(&frame, to))?;
        Ok(path)
    }

    fn film(&mut self, size: [u32; 2]) -> Result<Box<dyn Film>> {
        Ok(Box::new(Live::begin(&output::free_name("apng"), size)?))
    }
}
