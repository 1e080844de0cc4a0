//! The renderer: splits a frame into stripes, and owns everything that is kept from draw to draw.

use glam::Vec2;

#[cfg(feature = "window")]
use crate::snapshot::{Snapshot, Writer};
use crate::{
    alloc,
    error::Result,
    geometry::Rect,
    parallel,
    raster::{
        band::FrameBand,
        batch::magnified,
        blend::{Pixel, Sum, signed},
        camera::Camera,
        color_table::ColorTable,
        context::{DensityBy, DrawContext, Prepared, SmallDiscs},
        draw::draw_band,
        exposure,
        field::{Fields, Lattice},
        frame::{Frame, SMALLER},
        kernel::{
            density::{CROWD_RADIUS_MAX, DENSITY_RADIUS_MAX},
            sprite,
        },
        style::{DrawOrder, Style},
        tones::SlotTones,
        view::{Interpolation, View},
    },
    simd::SimdLevel,
};

/// Stripes per thread; a thread draws one stripe at a time. With fewer stripes, threads wait for
/// the thread with the fullest one. With more, more agents overlap two stripes and are read twice.
const STRIPES_PER_THREAD: u32 = 3;

/// Smallest number of rows per stripe.
const STRIPE_ROWS_MIN: u32 = 45;

/// Pixels per band where some agents are density. Sums take four times the bytes of pixels, and the
/// sums of a band stay in the cache.
const DENSITY_BAND_PIXELS: u32 = 1920 * 60;

/// A rectangle that contains every position.
const EVERYWHERE: Rect = Rect::new(Vec2::NEG_INFINITY, Vec2::INFINITY);

/// Agents that are sampled to find out whether some of them are density.
const SAMPLES: usize = 64;

/// Draws views into frames, in parallel inside a rayon pool.
///
/// A renderer keeps its memory from draw to draw. Like every loop of this crate, a draw runs on the
/// threads of the pool that it is called in, and on one thread outside of a pool.
///
/// ```
/// use jostle::{Scene, Setup, Sim};
/// use jostle::raster::{Camera, Frame, Renderer, Style, View};
///
/// let setup = Setup { agents: 500, ..Setup::new(Scene::Gas) };
/// let sim = Sim::new(&setup)?;
/// let mut frame = Frame::new(160, 90)?;
/// let mut renderer = Renderer::new(160, 90, Style::from_setup(&setup))?;
/// renderer.draw(&mut frame, &Camera::fit(&sim.world(), 160, 90), &View::from_sim(&sim));
/// assert!(frame.pixels.iter().any(|pixel| pixel[0] > 100));
/// # Ok::<(), jostle::Error>(())
/// ```
#[derive(Debug)]
pub struct Renderer {
    width: u32,
    height: u32,
    /// Rows per stripe; chosen by the number of threads if none.
    rows: Option<u32>,
    style: Style,
    simd: SimdLevel,
    colors: ColorTable,
    tones: SlotTones,
    interpolation: Interpolation,
    /// One sum per pixel, all zero between draws. The system provides its pages when they are first
    /// written, so frames without density don't pay for them.
    density: Vec<Sum>,
    fields: Fields,
}

impl Renderer {
    /// A renderer for frames of `width` × `height` pixels; either side may be 0. It allocates all
    /// memory of a draw except for the part that depends on the agents, which
    /// [`Self::record_starts`] allocates.
    ///
    /// # Errors
    /// If a side is longer than 16,384 pixels, or there is not enough memory.
    pub fn new(width: u32, height: u32, style: Style) -> Result<Self> {
        sprite::prepare();
        let mut renderer = Self {
            width: 0,
            height: 0,
            rows: None,
            simd: SimdLevel::best(),
            colors: ColorTable::new(&style),
            style,
            tones: SlotTones::default(),
            interpolation: Interpolation::default(),
            density: Vec::new(),
            fields: Fields::default(),
        };
        renderer.resize(width, height)?;
        Ok(renderer)
    }

    /// Bytes that a renderer for frames of `width` × `height` pixels holds, without the frame.
    #[cfg(feature = "cli")]
    pub(crate) fn memory_for(width: u32, height: u32) -> u64 {
        let sums = u64::from(width) * u64::from(height) * size_of::<Sum>() as u64;
        sums + Fields::memory_for(width, height)
    }

    /// Changes the size of the frames; does nothing if it stays the same.
    ///
    /// # Errors
    /// As [`Self::new`]. The renderer keeps its size if a side is too long; without enough memory,
    /// its frames have no pixels.
    pub fn resize(&mut self, width: u32, height: u32) -> Result<()> {
        if (self.width, self.height) == (width, height) {
            return Ok(());
        }
        let sums = Frame::area(width, height)?;
        (self.width, self.height) = (0, 0);
        // Old memory is freed before new memory is allocated.
        (self.density, self.fields) = (Vec::new(), Fields::default());
        let density = alloc::filled(sums, [0.0; 4], "the densities of a frame");
        self.density = alloc::with_remedy(density, SMALLER)?;
        self.fields = alloc::with_remedy(Fields::new(width, height), SMALLER)?;
        (self.width, self.height) = (width, height);
        Ok(())
    }

    /// Sets the number of rows per band, which affects only the draw time. 0 counts as 1. By
    /// default, the number of threads decides.
    #[doc(hidden)] // For tests: pixels must not depend on it.
    pub fn set_band_rows(&mut self, rows: u32) {
        self.rows = Some(rows.max(1));
    }

    /// Sets the instructions to draw with, which affects only the draw time. The default is
    /// [`SimdLevel::best`].
    #[doc(hidden)]
    pub fn set_simd(&mut self, simd: SimdLevel) {
        self.simd = simd;
    }

    /// The style of the next draw.
    pub fn style(&self) -> &Style {
        &self.style
    }

    /// The colors of the style.
    #[cfg(feature = "window")]
    pub(crate) fn color_table(&self) -> &ColorTable {
        &self.colors
    }

    /// Sets the style of the next draw.
    pub fn set_style(&mut self, style: Style) {
        self.colors = ColorTable::new(&style);
        self.style = style;
    }

    /// Records the position of each agent with a new id, for
    /// [`ColorBy::Start`](crate::raster::ColorBy::Start), and forgets agents that no longer exist.
    /// O(n).
    ///
    /// Call it before the first step and whenever agents were added; agents that it has not seen
    /// have the first color. Agents that were added after the first call have the color of the
    /// position half a world away from their own, so that they stand out from agents that began
    /// beside them. It allocates one byte per slot of the grid, one byte per agent of the first
    /// call, and eight bytes per agent that came later.
    #[doc(hidden)]
    pub fn record_starts(&mut self, view: &View<'_>) {
        self.tones.record(view);
    }

    /// Records agents that are back under new ids. `ids` are pairs of former and new id, in
    /// ascending order of the new ids, which are larger than all ids before.
    #[cfg(feature = "window")]
    pub(crate) fn rename_starts(&mut self, ids: impl Iterator<Item = (u32, u32)>) {
        self.tones.rename(ids);
    }

    /// Exchanges the tones of the agents, with their starts, with those of another renderer.
    #[cfg(feature = "window")]
    pub(crate) fn swap_tones(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.tones, &mut other.tones);
    }

    /// Takes over where the agents of another renderer have started.
    #[cfg(feature = "window")]
    pub(crate) fn copy_tones(&mut self, other: &Self) {
        self.tones = other.tones.clone();
    }

    /// The tones of the slots in [`ColorBy::Twin`](crate::raster::ColorBy::Twin), for the caller to set
    /// before each draw.
    #[cfg(feature = "window")]
    pub(crate) fn twin_tones(&mut self) -> &mut Vec<u8> {
        self.tones.slots_mut()
    }

    /// Adds the start tones that [`Self::record_starts`] has recorded to a snapshot.
    #[cfg(feature = "window")]
    pub(crate) fn save_starts(&self, to: &mut Writer) -> Result<()> {
        self.tones.save(to)
    }

    /// Replaces the recorded start tones by the start tones of a snapshot, if it has any.
    ///
    /// # Errors
    /// If the snapshot has only a part of them, or there is not enough memory.
    #[cfg(feature = "window")]
    pub(crate) fn load_starts(&mut self, from: &Snapshot) -> Result<()> {
        self.tones.load(from)
    }

    /// Forgets all recorded positions; call it before a run with other agents.
    #[doc(hidden)]
    pub fn clear_starts(&mut self) {
        self.tones.clear();
    }

    /// Sets the time before the present state at which the next draws show the agents. The default
    /// is the present state.
    pub fn set_interpolation(&mut self, interpolation: Interpolation) {
        self.interpolation = interpolation;
    }

    /// Draws a view over all pixels of a frame; resizes the renderer to the frame first.
    ///
    /// # Panics
    /// With an [`Error`](crate::Error) as payload, if the frame has another size than the renderer
    /// and there is not enough memory, or if its fields were changed so that [`Frame::new`] can't
    /// have made it.
    pub fn draw(&mut self, frame: &mut Frame, camera: &Camera, view: &View<'_>) {
        alloc::demanded(self.resize(frame.width, frame.height));
        self.draw_pixels(&mut frame.pixels, camera, view);
    }

    /// Draws a view into a borrowed buffer: four bytes per pixel (red, green, blue, alpha 255), row
    /// by row, the top row first, without padding. Every byte is overwritten.
    ///
    /// `camera.size` should be the size of the renderer.
    ///
    /// # Panics
    /// Unless `buffer` holds `width * height * 4` bytes, by the renderer's size.
    pub fn draw_into(&mut self, buffer: &mut [u8], camera: &Camera, view: &View<'_>) {
        self.draw_pixels(bytemuck::cast_slice_mut(buffer), camera, view);
    }

    fn draw_pixels(&mut self, pixels: &mut [Pixel], camera: &Camera, view: &View<'_>) {
        let (width, height) = (self.width, self.height);
        let all = width as usize * height as usize;
        assert!(
            pixels.len() == all,
            "a frame of {width} x {height} has {all} pixels, not {}",
            pixels.len()
        );
        if all == 0 {
            return;
        }
        let scale = if camera.scale > 0.0 { camera.scale } else { f32::MIN_POSITIVE };
        let camera = &Camera { scale, ..*camera };
        // The margin includes agents that are in view only in their earlier positions, or by
        // rounding.
        let visible = camera.visible().expanded(self.interpolation.farthest + 1.0 / scale);
        // Across the seam, agents on the other side of the world are in view, too.
        let visible = if view.space.is_periodic() { EVERYWHERE } else { visible };
        let style = &self.style;
        let tones = self.tones.compute(view, &visible, style);
        let simd = self.simd;
        let lattice = &Lattice::new(view, camera, [width, height]);
        let fields = &mut self.fields;
        fields.add_up(lattice, view, style.color_by, simd);
        let small = exposure::small_discs(style, fields, lattice, camera, view, simd);
        let look = (style, &self.colors);
        let field = fields.paint(lattice, look, [width, height], small.haze, simd);
        let prepared = Prepared { tones, field, small };
        let context =
            &DrawContext::new(view, camera, style, &self.colors, prepared, self.interpolation);
        let rows = match style.order {
            DrawOrder::Cell => self.rows.unwrap_or_else(|| stripe_rows(height)).min(height),
            DrawOrder::Random => height,
        };
        // Bands of density reuse the same sums one after the other, which thus stay in the cache.
        let step = match style.order {
            DrawOrder::Cell if has_density(camera, view, &small) => {
                rows.min((DENSITY_BAND_PIXELS / width).max(1))
            }
            _ => rows,
        };
        let (rows, step, width) = (rows as usize, step as usize, width as usize);
        let stripe = |first: usize, (pixels, sums): (&mut [Pixel], &mut [Sum])| {
            for (index, pixels) in pixels.chunks_mut(step * width).enumerate() {
                let rows = pixels.len() / width;
                let band = &mut FrameBand {
                    top: signed(first / width + index * step),
                    rows: signed(rows),
                    width: signed(width),
                    simd,
                    pixels,
                    density: &mut sums[..width * rows],
                    has_density: false,
                };
                draw_band(band, context);
            }
        };
        let frame = (pixels, &mut self.density[..]);
        parallel::pieces(frame, rows * width, &stripe, &|(), ()| ());
    }
}

/// Rows per stripe, by the number of threads: all threads have the same number of stripes.
fn stripe_rows(height: u32) -> u32 {
    let threads = parallel::threads() as u32;
    let per_thread = (height / STRIPE_ROWS_MIN / threads).clamp(1, STRIPES_PER_THREAD);
    height.div_ceil(per_thread.saturating_mul(threads)).max(STRIPE_ROWS_MIN)
}

/// True if any agent of a sample may be density. The result decides how the frame is split into
/// bands, and thus affects the draw time but no pixel.
fn has_density(camera: &Camera, view: &View<'_>, small: &SmallDiscs) -> bool {
    let below = match small.density {
        DensityBy::Radius => DENSITY_RADIUS_MAX,
        DensityBy::ThinCrowd(_) => return false,
        DensityBy::DenseCrowd => CROWD_RADIUS_MAX,
    };
    let radii = &view.agents.radius;
    let mut sample = radii.iter().step_by(radii.len() / SAMPLES + 1);
    sample.any(|&radius| magnified(radius * camera.scale, small.magnification) < below)
}
