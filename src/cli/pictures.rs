//! Groups of a world file whose agents lie in the dark pixels of a PNG.

use std::{fs::File, io::BufReader, path::Path};

use png::{ColorType, Decoder, Transformations};

use super::{format::grouped, input::unreadable};
use crate::rules::GroupTable;

/// Pixels of a picture: its dark ones take 8 bytes each.
const PIXELS_MAX: u64 = 1 << 22;

/// Brightness below which a pixel is dark, of 255.
const DARK: u32 = 128;

/// Reads the places of the dark pixels, each of its middle, in pixels from the lower left corner.
///
/// # Errors
/// Why the picture can't be used, as the end of a sentence.
pub(super) fn read(path: &Path, file: &str) -> Result<GroupTable, String> {
    let refused = |why: &str| format!("{} can't be used: {why}", path.display());
    let broken = |error: png::DecodingError| refused(&format!("it is no PNG: {error}"));
    let opened = File::open(path).map_err(|error| unreadable(path, &error).message)?;
    let mut decoder = Decoder::new(BufReader::new(opened));
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(broken)?;
    let (width, height) = reader.info().size();
    if u64::from(width) * u64::from(height) > PIXELS_MAX {
        let most = grouped(PIXELS_MAX);
        return Err(refused(&format!(
            "it has {width} x {height} pixels: expected at most {most}; make it smaller"
        )));
    }
    let length = reader.output_buffer_size().ok_or_else(|| refused("it is too large"))?;
    let mut bytes = vec![0; length];
    let frame = reader.next_frame(&mut bytes).map_err(broken)?;
    let samples = frame.color_type.samples();
    let has_colors = matches!(frame.color_type, ColorType::Rgb | ColorType::Rgba);
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for (row, line) in (0..height).zip(bytes.chunks_exact(frame.line_size)) {
        for (column, pixel) in (0..width).zip(line.chunks_exact(samples)) {
            let value = |of: usize| u32::from(pixel[of]);
            let brightness = if has_colors {
                (299 * value(0) + 587 * value(1) + 114 * value(2)) / 1000
            } else {
                value(0)
            };
            // On white paper.
            let alpha = if samples % 2 == 0 { value(samples - 1) } else { 255 };
            if (brightness * alpha + 255 * (255 - alpha)) / 255 < DARK {
                x.push(column as f32 + 0.5);
                y.push((height - 1 - row) as f32 + 0.5);
            }
        }
    }
    if x.is_empty() {
        return Err(refused(
            "it has no dark pixel, of less than half the brightness of white; draw in black on white",
        ));
    }
    let size = Some([width as f32, height as f32]);
    Ok(GroupTable { file: file.to_owned(), x, y, size, ..GroupTable::default() })
}
