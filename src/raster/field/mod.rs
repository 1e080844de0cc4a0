//! Fields: local means of the crowd, which color agents in the modes `flow`, `temperature`,
//! `density` and `order`.
//!
//! ```text
//!  agents ─► sums per cell ─► smoothed ─► tone per 8 × 8 pixels ─► per 4 × 4 ─┬─► tone of an agent
//!            (cell_sums)      (here)      (tone_image)            (finer)     │   (by its pixel)
//!                                                                             └─► ground (with haze)
//! ```
//!
//! Below a pixel, the colors of single agents average to one brown. A mean over some dozens of
//! agents shows what they have in common. Cells are blocks of loose cells (`lattice`), so the sums
//! stream through memory in slot order. Sums are smoothed and interpolated before they are divided,
//! so that cells with few agents count less than full ones, and no border between cells shows. An
//! agent takes the color of its pixel, so discs keep their sharp edges at any zoom.
//!
//! Invariants:
//!
//! - Cells are anchored in the world. A cell reads its own agents and neighbors, so no value
//!   depends on how far the frame reaches.
//! - The sums of a cell are added up by one thread, each in a fixed order of lanes: no value depends
//!   on threads or SIMD levels.
//! - The memory depends on the size of the frame alone, and is claimed with it.

mod cell_sums;
mod finer;
mod ground;
mod lattice;
#[cfg(test)]
mod tests;
mod tone_image;

use crate::{
    alloc,
    error::Result,
    parallel,
    raster::{
        blend::Pixel,
        color_table::ColorTable,
        style::{ColorBy, Style},
        view::View,
    },
    simd::{Kernel, SimdLevel},
};
use cell_sums::Sums;
use finer::Steps;
pub(crate) use ground::{CHUNK as GROUND_CHUNK, Spare};
pub(crate) use lattice::Lattice;
pub(crate) use tone_image::ToneImage;
use tone_image::plus;
#[cfg(feature = "window")]
pub(crate) use tone_image::{density_share, temperature_share};

/// The purpose of the memory, for errors.
const PART: &str = "the fields of a frame";

/// Weights of a cell and its neighbors on either side, along each axis.
const SMOOTHING: [f32; 3] = [0.25, 0.5, 0.25];

/// The memory of fields, for frames of one size.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    sums: Vec<Sums>,
    smooth: Vec<Sums>,
    /// The computed tones, and the colors of the ground there.
    steps: Vec<Steps>,
    grounds: Vec<Pixel>,
    /// The refined tones of a [`ToneImage`].
    tones: Vec<u16>,
}

impl Fields {
    /// Memory for frames of `width` × `height` pixels.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(width: u32, height: u32) -> Result<Self> {
        let cells = Lattice::cells_at_most(width, height);
        let [columns, rows] = ToneImage::size(width, height);
        let coarse = tone_image::coarse_size(width, height).iter().product();
        Ok(Self {
            sums: alloc::filled(cells, [0.0; 4], PART)?,
            smooth: alloc::filled(cells, [0.0; 4], PART)?,
            steps: alloc::filled(coarse, [0; 2], PART)?,
            grounds: alloc::filled(coarse, [0; 4], PART)?,
            tones: alloc::filled(columns * rows + 1, 0, PART)?,
        })
    }

    /// Bytes that [`Self::new`] claims.
    #[cfg(feature = "cli")]
    pub(crate) fn memory_for(width: u32, height: u32) -> u64 {
        let tones = ToneImage::size(width, height).iter().product::<usize>() + 1;
        let coarse: usize = tone_image::coarse_size(width, height).iter().product();
        let cells = Lattice::cells_at_most(width, height);
        let per_coarse = size_of::<Steps>() + size_of::<Pixel>();
        (2 * cells * size_of::<Sums>() + coarse * per_coarse + tones * size_of::<u16>()) as u64
    }

    /// Adds up the cells that a frame shows; nothing in a color mode without a field.
    pub(crate) fn add_up(
        &mut self,
        lattice: &Lattice,
        view: &View<'_>,
        color_by: ColorBy,
        simd: SimdLevel,
    ) {
        if color_by.is_field() {
            let cells = lattice.len();
            let sums = [&mut self.sums[..cells], &mut self.smooth[..cells]];
            cell_sums::add_up(sums, lattice, view, color_by, simd);
        }
    }

    /// Agents in the cell of a typical agent: the mean over cells, weighted by their agents. Not a
    /// number if there are no agents. In a color mode with a field, [`Self::add_up`] comes before.
    pub(crate) fn crowd(&mut self, lattice: &Lattice, view: &View<'_>, color_by: ColorBy) -> f32 {
        let sums = &mut self.sums[..lattice.len()];
        let counted = color_by.is_field();
        // Whole numbers, so that their order does not matter.
        let [agents, squares] = parallel::pieces(
            sums,
            lattice.cols,
            &|first, sums: &mut [Sums]| {
                if !counted {
                    cell_sums::count(first / lattice.cols, sums, lattice, view);
                }
                let counts = sums.iter().map(|sum| sum[3] as u64);
                counts.fold([0; 2], |[all, squares], count| [all + count, squares + count * count])
            },
            &|one, other| [one[0] + other[0], one[1] + other[1]],
        );
        squares as f32 / agents as f32
    }

    /// Computes the tones of a frame of that size from the [sums](Self::add_up); none in a color
    /// mode without a field. An agent covers `haze` pixels of the ground.
    pub(crate) fn paint(
        &mut self,
        lattice: &Lattice,
        (style, colors): (&Style, &ColorTable),
        size: [u32; 2],
        haze: f32,
        simd: SimdLevel,
    ) -> ToneImage<'_> {
        if !style.color_by.is_field() {
            return ToneImage::new(&[], &[], size);
        }
        let (cols, cells) = (lattice.cols, lattice.len());
        let Self { sums, smooth, steps, grounds, tones } = self;
        let (sums, smooth) = (&sums[..cells], &mut smooth[..cells]);
        let row = |first: usize, row: &mut [Sums]| simd.run(SmoothRow { sums, cols, first, row });
        parallel::pieces(&mut *smooth, cols, &row, &|(), ()| ());
        let haze = haze / lattice.pixels();
        let image = (&mut steps[..], &mut grounds[..]);
        tone_image::paint(image, size, lattice, smooth, (style, colors), haze, simd);
        let [columns, rows] = ToneImage::size(size[0], size[1]);
        finer::refine(steps, &mut tones[..columns * rows], columns, style.color_by, simd);
        ToneImage::new(tones, if haze > 0.0 { grounds } else { &[] }, size)
    }
}

/// Smooths a row of cells. The outermost cells, which no pixel reads, have any value.
struct SmoothRow<'a> {
    sums: &'a [Sums],
    cols: usize,
    first: usize,
    row: &'a mut [Sums],
}

impl Kernel for SmoothRow<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { sums, cols, first, row } = self;
        row.fill([0.0; 4]);
        let Some(above) = first.checked_sub(cols) else { return };
        let Some(rows) = sums.get(above..above + 3 * cols) else { return };
        for (weight, sums) in SMOOTHING.into_iter().zip(rows.chunks_exact(cols)) {
            for (smooth, sum) in row.iter_mut().zip(sums) {
                *smooth = plus(*smooth, weight, sum);
            }
        }
        let mut before = row[0];
        for col in 1..row.len().saturating_sub(1) {
            let cells = [before, row[col], row[col + 1]];
            before = cells[1];
            row[col] = [0.0; 4];
            for (weight, cell) in SMOOTHING.into_iter().zip(&cells) {
                row[col] = plus(row[col], weight, cell);
            }
        }
    }
}

impl ColorBy {
    /// True if agents have the color of a field at their position.
    pub(crate) const fn is_field(self) -> bool {
        matches!(self, Self::Flow | Self::Temperature | Self::Density | Self::Order)
    }

    /// True if tones stand for vectors.
    pub(crate) const fn is_vector(self) -> bool {
        matches!(self, Self::Flow | Self::Order)
    }
}
