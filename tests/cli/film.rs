//! Reads films as a player does: the number of frames, their durations and their pixels.

use std::{fs::File, io::BufReader, path::Path};

/// A decoded film.
#[derive(Debug)]
pub(crate) struct Film {
    pub(crate) size: [u32; 2],
    /// Seconds per frame.
    pub(crate) delays: Vec<f64>,
    /// Red, green, blue of each pixel of each frame.
    pub(crate) frames: Vec<Vec<[u8; 3]>>,
}

impl Film {
    /// Reads a film by its extension.
    #[track_caller]
    pub(crate) fn read(path: &Path) -> Self {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("gif") => Self::gif(path),
            Some("apng" | "png") => Self::apng(path),
            Some("y4m") => Self::y4m(path),
            other => panic!("{other:?} is no film"),
        }
    }

    fn gif(path: &Path) -> Self {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(open(path)).expect("a GIF");
        assert!(decoder.global_palette().is_some(), "one palette for all frames");
        let size = [decoder.width().into(), decoder.height().into()];
        let (mut delays, mut frames) = (Vec::new(), Vec::new());
        let mut canvas = Canvas::new(size);
        while let Some(part) = decoder.read_next_frame().expect("a whole frame") {
            let at = [part.left, part.top, part.width, part.height].map(u32::from);
            canvas.put(at, &part.buffer);
            delays.push(f64::from(part.delay) / 100.0);
            frames.push(canvas.rgb());
        }
        Self { size, delays, frames }
    }

    fn apng(path: &Path) -> Self {
        let mut reader = png::Decoder::new(open(path)).read_info().expect("a PNG");
        let size = [reader.info().width, reader.info().height];
        let count = reader.info().animation_control().map_or(1, |control| control.num_frames);
        let mut buffer = vec![0; reader.output_buffer_size().expect("a size")];
        let (mut delays, mut frames) = (Vec::new(), Vec::new());
        let mut canvas = Canvas::new(size);
        for _ in 0..count {
            let part = reader.next_frame(&mut buffer).expect("a whole frame");
            let control = reader.info().frame_control().copied();
            let (left, top) =
                control.map_or((0, 0), |control| (control.x_offset, control.y_offset));
            canvas.put([left, top, part.width, part.height], &buffer[..part.buffer_size()]);
            let delay = control.map_or(0.0, |c| f64::from(c.delay_num) / f64::from(c.delay_den));
            delays.push(delay);
            frames.push(canvas.rgb());
        }
        reader.finish().expect("an end");
        Self { size, delays, frames }
    }

    fn y4m(path: &Path) -> Self {
        let mut decoder = y4m::decode(open(path)).expect("a y4m");
        let size = [decoder.get_width() as u32, decoder.get_height() as u32];
        assert!(matches!(decoder.get_colorspace(), y4m::Colorspace::C444));
        let rate = decoder.get_framerate();
        let delay = rate.den as f64 / rate.num as f64;
        let mut frames = Vec::new();
        loop {
            match decoder.read_frame() {
                Ok(frame) => frames.push(rgb(&frame)),
                Err(y4m::Error::EOF) => break,
                Err(error) => panic!("frame {}: {error}", frames.len()),
            }
        }
        Self { size, delays: vec![delay; frames.len()], frames }
    }

    /// Duration in seconds.
    pub(crate) fn seconds(&self) -> f64 {
        self.delays.iter().sum()
    }
}

/// Mean difference of two frames, 0 to 255.
pub(crate) fn difference(one: &[[u8; 3]], other: &[[u8; 3]]) -> f64 {
    assert_eq!(one.len(), other.len());
    let pairs = one.as_flattened().iter().zip(other.as_flattened());
    pairs.map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>() / (one.len() * 3) as f64
}

/// The screen of a player.
struct Canvas {
    width: u32,
    pixels: Vec<[u8; 3]>,
}

impl Canvas {
    fn new([width, height]: [u32; 2]) -> Self {
        Self { width, pixels: vec![[0; 3]; width as usize * height as usize] }
    }

    /// Draws a part over the frame: RGBA, opaque or transparent.
    fn put(&mut self, [left, top, width, height]: [u32; 4], rgba: &[u8]) {
        let (parts, rest) = rgba.as_chunks::<4>();
        assert!(rest.is_empty() && parts.len() == width as usize * height as usize);
        for (row, part) in (top..).zip(parts.chunks(width as usize)) {
            let start = row as usize * self.width as usize + left as usize;
            for (pixel, [r, g, b, a]) in self.pixels[start..].iter_mut().zip(part) {
                match a {
                    0 => {}
                    255 => *pixel = [*r, *g, *b],
                    a => panic!("neither opaque nor transparent: {a}"),
                }
            }
        }
    }

    fn rgb(&self) -> Vec<[u8; 3]> {
        self.pixels.clone()
    }
}

/// BT.601, narrow range.
fn rgb(frame: &y4m::Frame<'_>) -> Vec<[u8; 3]> {
    let chroma = frame.get_u_plane().iter().zip(frame.get_v_plane());
    let pixels = frame.get_y_plane().iter().zip(chroma);
    pixels
        .map(|(&y, (&u, &v))| {
            let (y, u, v) =
                ((f64::from(y) - 16.0) * 1.164, f64::from(u) - 128.0, f64::from(v) - 128.0);
            [y + 1.596 * v, y - 0.392 * u - 0.813 * v, y + 2.017 * u].map(|c| c.round() as u8)
        })
        .collect()
}

fn open(path: &Path) -> BufReader<File> {
    BufReader::new(File::open(path).expect("the film"))
}
