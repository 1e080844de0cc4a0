//! Owns everything that drawing needs, and keeps it from draw to draw.

use crate::{
    parallel,
    raster::Camera,
    raster::{
        Frame, Interpolation, Style, View,
        band::Band,
        blend::{Pixel, Sum, signed},
        density,
        draw::draw_band,
        marks,
        palette::ColorTable,
        shot::DrawContext,
        sprite,
        starts::Starts,
        style::DrawOrder,
    },
    simd::SimdLevel,
};

/// Stripes a thread: a stripe is what one thread draws at a time. Fewer, and threads wait for the one with the
/// fullest; more, and more agents meet two of them and are looked at twice.
const STRIPES_A_THREAD: u32 = 4;

/// Rows a stripe, at least.
const ROWS_MIN: u32 = 45;

/// Rows that are drawn at a time where agents are dust: there are four times as many bytes in sums as in
/// pixels.
const ROWS_OF_DUST: u32 = 60;

/// Stripes a frame, at most: their list lives on the stack.
const STRIPES_MAX: u32 = 64;

/// Agents that are asked for their size, to see whether they are dust.
const ASKED: usize = 64;

/// Draws pictures into frames of one size.
///
/// ```
/// use jostle::{Scene, Setup, Sim, raster::{Camera, Frame, Style, Renderer, View}};
///
/// let setup = Setup { agents: 500, ..Setup::new(Scene::Gas) };
/// let sim = Sim::new(&setup)?;
/// let picture = View::from_sim(&sim);
/// let mut frame = Frame::new(160, 90);
/// let mut renderer = Renderer::new(160, 90, Style::from_setup(&setup));
/// renderer.draw(&mut frame, &Camera::fit(&sim.world(), 160, 90), &picture);
/// assert!(frame.pixels.iter().any(|pixel| pixel[0] > 100));
/// # Ok::<(), jostle::Error>(())
/// ```
#[derive(Debug)]
pub struct Renderer {
    width: u32,
    height: u32,
    /// Rows a stripe, if not as many as suit the threads.
    rows: Option<u32>,
    look: Style,
    simd: SimdLevel,
    swatches: ColorTable,
    /// The tones of the places where agents started.
    starts: Starts,
    /// A tone a slot, for colorings that ask the grid.
    marks: Vec<u8>,
    lag: Interpolation,
    /// A sum a pixel; all zero between draws. The system hands its pages out when they are first
    /// written, so frames of nothing but discs don't pay for them.
    density: Vec<Sum>,
}

impl Renderer {
    /// A renderer for frames of that many pixels a side, either of which may be 0; claims all the memory that
    /// drawing takes, but for what goes by agents: that is up to [`Self::record_starts`].
    ///
    /// # Panics
    /// As [`Frame::new`].
    pub fn new(width: u32, height: u32, look: Style) -> Self {
        sprite::prepare();
        let mut renderer = Self {
            width: 0,
            height: 0,
            rows: None,
            simd: SimdLevel::best(),
            swatches: ColorTable::new(look.palette, look.color_by),
            look,
            starts: Starts::default(),
            marks: Vec::new(),
            lag: Interpolation::default(),
            density: Vec::new(),
        };
        renderer.resize(width, height);
        renderer
    }

    /// Bytes that a renderer for frames of that size holds, the frame itself not among them.
    pub fn bytes_for(width: u32, height: u32) -> u64 {
        u64::from(width) * u64::from(height) * size_of::<Sum>() as u64
    }

    /// Bytes held, the frame not among them.
    pub fn memory(&self) -> usize {
        let tones = self.starts.memory() + self.marks.capacity();
        self.density.capacity() * size_of::<Sum>() + tones
    }

    /// Gets ready for frames of another size; nothing happens if it is the same.
    ///
    /// # Panics
    /// As [`Frame::new`].
    pub fn resize(&mut self, width: u32, height: u32) {
        if (self.width, self.height) == (width, height) {
            return;
        }
        let sums = Frame::area(width, height);
        (self.width, self.height) = (width, height);
        self.density = Vec::new();
        self.density = vec![[0.0; 4]; sums];
    }

    /// Cuts frames into bands of that many rows and not as it suits the threads: pictures are the same whatever it
    /// is, the time that they take isn't. 0 counts as 1, and no frame is cut into more than 64 bands.
    pub fn set_band_rows(&mut self, rows: u32) {
        self.rows = Some(rows.max(1));
    }

    /// Chooses the instructions to draw with; the best of the machine unless told otherwise. The pixels
    /// are the same with any.
    pub fn set_simd(&mut self, simd: SimdLevel) {
        self.simd = simd;
    }

    /// How pictures look.
    pub fn style(&self) -> &Style {
        &self.look
    }

    /// Changes how pictures look from the next one on.
    pub fn set_style(&mut self, look: Style) {
        self.swatches = ColorTable::new(look.palette, look.color_by);
        self.look = look;
    }

    /// Remembers where each agent is whose id is new: the color that it has by
    /// [`Coloring::Start`](crate::raster::Coloring::Start) from now on.
    /// Whoever is gone is forgotten, as no id is used twice.
    ///
    /// To be called before the first step and whenever agents were added; an agent that it never met
    /// has the first color. It claims what drawing them takes: a byte for each slot of the grid, another for each
    /// agent that it met the first time, and eight for each that came later.
    pub fn record_starts(&mut self, picture: &View<'_>) {
        self.starts.mark(picture);
        self.marks.resize(picture.grid.config().capacity.max(picture.agents.len()), 0);
    }

    /// Forgets where agents started from: before a run with other ones.
    pub fn clear_starts(&mut self) {
        self.starts = Starts::default();
    }

    /// Draws agents where they were a moment ago, from the next picture on: not lagging unless told
    /// otherwise.
    pub fn set_interpolation(&mut self, lag: Interpolation) {
        self.lag = lag;
    }

    /// Draws a picture into a frame, every pixel of it; resizes itself to the frame first.
    ///
    /// # Panics
    /// As [`Frame::new`], and unless `frame.pixels` are as many as its width and height say.
    pub fn draw(&mut self, frame: &mut Frame, camera: &Camera, picture: &View<'_>) {
        self.resize(frame.width, frame.height);
        self.paint(&mut frame.pixels, camera, picture);
    }

    /// Draws a picture into a borrowed buffer of RGBA8 pixels, top row first, every pixel of it.
    ///
    /// # Panics
    /// Unless `pixels` has four bytes for each pixel of the renderer's size.
    pub fn draw_into(&mut self, pixels: &mut [u8], camera: &Camera, picture: &View<'_>) {
        self.paint(bytemuck::cast_slice_mut(pixels), camera, picture);
    }

    fn paint(&mut self, pixels: &mut [Pixel], camera: &Camera, picture: &View<'_>) {
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
        // Whoever is drawn back into view is marked, too.
        let view = camera.visible().expanded(self.lag.farthest);
        marks::mark(&mut self.marks, picture, &view, self.look.color_by);
        let shot = DrawContext::new(
            picture,
            camera,
            &self.look,
            &self.swatches,
            &self.starts,
            &self.marks,
        )
        .lagging(self.lag);
        let simd = self.simd;
        let rows = match self.look.order {
            DrawOrder::Cell => stripe(self.rows, height),
            DrawOrder::Random => height,
        };
        // Bands of dust follow each other in the same sums, which so stay in the cache.
        let step = match self.look.order {
            DrawOrder::Cell if is_dust(camera, picture) => rows.min(ROWS_OF_DUST),
            _ => rows,
        };
        let (rows, step, width) = (rows as usize, step as usize, width as usize);
        let parts = pixels.chunks_mut(rows * width);
        let sums = self.density.chunks_mut(width * rows);
        let mut stripes = [const { None }; STRIPES_MAX as usize];
        for ((index, stripe), part) in stripes.iter_mut().enumerate().zip(parts.zip(sums)) {
            *stripe = Some((index * rows, part));
        }
        parallel::for_each(&mut stripes[..(height as usize).div_ceil(rows)], |stripe| {
            let Some((top, (pixels, sums))) = stripe else { return };
            for (index, pixels) in pixels.chunks_mut(step * width).enumerate() {
                let rows = pixels.len() / width;
                let band = &mut Band {
                    top: signed(*top + index * step),
                    rows: signed(rows),
                    width: signed(width),
                    simd,
                    pixels,
                    density: &mut sums[..width * rows],
                    dense: false,
                };
                draw_band(band, &shot);
            }
        });
    }
}

/// Rows a stripe: so many if it is said, and otherwise as they suit the threads.
fn stripe(rows: Option<u32>, height: u32) -> u32 {
    let suits = || {
        let stripes = STRIPES_A_THREAD.saturating_mul(parallel::threads() as u32);
        height.div_ceil(stripes).max(ROWS_MIN)
    };
    rows.unwrap_or_else(suits).max(height.div_ceil(STRIPES_MAX)).min(height).max(1)
}

/// True if most agents are density: some of them are asked. It decides how bands are cut, and so about the
/// time and not about the picture.
fn is_dust(camera: &Camera, picture: &View<'_>) -> bool {
    let radii = &picture.agents.radius;
    let asked = radii.iter().step_by(radii.len() / ASKED + 1);
    let count = asked.len();
    asked.filter(|&&radius| radius * camera.scale < density::RADIUS).count() * 2 > count
}
