//! Owns everything that drawing needs, so that a draw allocates nothing.

use crate::{
    camera::Camera,
    par,
    raster::{
        Frame, Look, Picture,
        band::{Band, draw_band},
        blend::Pixel,
        density::Sum,
        look::DrawOrder,
        marks,
        palette::{Swatches, start_tone},
        shot::Shot,
        sprite,
    },
};

/// Rows a band, where the frame isn't too high for [`BANDS_MAX`] of them. Fewer rows, and more agents
/// meet two bands and are looked at twice; more, and a band's pixels fall out of the L2 cache.
const ROWS: u32 = 64;

/// Bands a frame, at most: their list lives on the stack.
const BANDS_MAX: u32 = 64;

/// Draws pictures into frames of one size.
///
/// ```
/// use jostle::{Camera, Scene, Setup, Sim, raster::{Frame, Look, Painter, Picture}};
///
/// let setup = Setup { agents: 500, ..Setup::new(Scene::Gas) };
/// let sim = Sim::new(&setup)?;
/// let picture = Picture { agents: sim.agents(), grid: sim.grid(), world: sim.world() };
/// let mut frame = Frame::new(160, 90);
/// let mut painter = Painter::new(160, 90, Look::of(&setup));
/// painter.draw(&mut frame, &Camera::fit(&sim.world(), 160, 90), &picture);
/// assert!(frame.pixels.iter().any(|pixel| pixel[0] > 100));
/// # Ok::<(), jostle::Error>(())
/// ```
#[derive(Debug)]
pub struct Painter {
    width: u32,
    height: u32,
    rows: u32,
    look: Look,
    swatches: Swatches,
    /// The tone of the place where each id started, by id.
    starts: Vec<u8>,
    /// A tone a slot, for colourings that ask the grid.
    marks: Vec<u8>,
    /// A sum a pixel; all zero between draws. The system hands its pages out when they are first
    /// written, so frames of nothing but discs don't pay for them.
    density: Vec<Sum>,
}

impl Painter {
    /// A painter for frames of that many pixels, either of which may be 0; claims all the memory that
    /// drawing takes.
    pub fn new(width: u32, height: u32, look: Look) -> Self {
        sprite::prepare();
        let mut painter = Self {
            width: 0,
            height: 0,
            rows: ROWS,
            swatches: Swatches::new(look.palette, look.colouring),
            look,
            starts: Vec::new(),
            marks: Vec::new(),
            density: Vec::new(),
        };
        painter.resize(width, height);
        painter
    }

    /// Bytes that a painter for frames of that size holds, the frame itself not among them.
    pub fn bytes_for(width: u32, height: u32) -> u64 {
        u64::from(width) * u64::from(height) * size_of::<Sum>() as u64
    }

    /// Bytes held, the frame not among them.
    pub fn memory(&self) -> usize {
        let tones = self.starts.capacity() + self.marks.capacity();
        self.density.capacity() * size_of::<Sum>() + tones
    }

    /// Gets ready for frames of another size; nothing happens if it is the same.
    pub fn resize(&mut self, width: u32, height: u32) {
        if (self.width, self.height) == (width, height) {
            return;
        }
        (self.width, self.height) = (width, height);
        self.density = Vec::new();
        self.density = vec![[0.0; 4]; width as usize * height as usize];
    }

    /// Cuts frames into bands of that many rows: pictures are the same whatever it is, the time that
    /// they take isn't. 0 counts as 1, and no frame is cut into more than 64 bands.
    pub fn set_band_rows(&mut self, rows: u32) {
        self.rows = rows.max(1);
    }

    /// How pictures look.
    pub fn look(&self) -> &Look {
        &self.look
    }

    /// Changes how pictures look from the next one on.
    pub fn set_look(&mut self, look: Look) {
        self.swatches = Swatches::new(look.palette, look.colouring);
        self.look = look;
    }

    /// Remembers where each agent is whose id is new: the colour that it has by
    /// [`Colouring::Start`](crate::raster::Colouring::Start) from now on.
    /// One byte an id, and one a slot for colourings that are worked out at each draw.
    ///
    /// To be called before the first step and whenever agents were added; an agent that it never met
    /// has the first colour.
    pub fn mark_start(&mut self, picture: &Picture<'_>) {
        let agents = picture.agents;
        let known = self.starts.len();
        let end = agents.id.iter().max().map_or(0, |&id| id as usize + 1);
        self.starts.resize(end.max(known), 0);
        self.marks.resize(agents.len(), 0);
        for slot in 0..agents.len() {
            let agent = agents.get(slot);
            if agent.id as usize >= known {
                self.starts[agent.id as usize] = start_tone(agent.position, &picture.world);
            }
        }
    }

    /// Forgets where agents started from: before a run with other ones.
    pub fn forget_starts(&mut self) {
        self.starts.clear();
    }

    /// Draws a picture into a frame, every pixel of it; resizes itself to the frame first.
    pub fn draw(&mut self, frame: &mut Frame, camera: &Camera, picture: &Picture<'_>) {
        self.resize(frame.width, frame.height);
        self.paint(&mut frame.pixels, camera, picture);
    }

    /// Draws a picture into a borrowed buffer of RGBA8 pixels, top row first, every pixel of it.
    ///
    /// # Panics
    /// Unless `pixels` has four bytes for each pixel of the painter's size.
    pub fn draw_into(&mut self, pixels: &mut [u8], camera: &Camera, picture: &Picture<'_>) {
        self.paint(bytemuck::cast_slice_mut(pixels), camera, picture);
    }

    fn paint(&mut self, pixels: &mut [Pixel], camera: &Camera, picture: &Picture<'_>) {
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
        marks::mark(&mut self.marks, picture, &camera.visible(), self.look.colouring);
        let shot =
            Shot::new(picture, camera, &self.look, &self.swatches, &self.starts, &self.marks);
        let rows = match self.look.order {
            DrawOrder::Cell => self.rows.max(height.div_ceil(BANDS_MAX)).min(height),
            DrawOrder::Random => height,
        };
        let part = rows as usize * width as usize;
        let parts = pixels.chunks_mut(part).zip(self.density.chunks_mut(part));
        let mut bands = [const { None }; BANDS_MAX as usize];
        for ((index, band), (pixels, density)) in (0..).zip(&mut bands).zip(parts) {
            let top = index * rows;
            *band = Some(Band {
                top: top.cast_signed(),
                rows: rows.min(height - top).cast_signed(),
                width: width.cast_signed(),
                pixels,
                density,
                dense: false,
            });
        }
        par::for_each(&mut bands[..height.div_ceil(rows) as usize], |band| {
            if let Some(band) = band {
                draw_band(band, &shot);
            }
        });
    }
}
