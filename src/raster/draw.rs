//! Draws a band: the lowest layer first, batch by batch.
//!
//! ```text
//!   frame                          grid (y up)
//!   ┌──────────────────┐  band 0   culling::batches(band) ─► batches of slots that hold the agents
//!   ├──────────────────┤  band 1   of the rows of cells near the band, because agents lie in
//!   ├──────────────────┤  band 2   cell order
//!   └──────────────────┘
//! ```
//!
//! A batch runs as a kernel: everything that happens to an agent between the columns of the
//! simulation and the pixels is inlined into one function per SIMD level.

use crate::{
    raster::{
        background,
        band::FrameBand,
        batch::Batch,
        context::{DensityBy, DrawContext},
        culling::{self, BATCH_LEN, SlotBatch},
        kernel::{
            Kernels, LargerDiscs, corner, density, draw_agent,
            sprite::{self, SpriteBatch},
        },
        marks, overlay,
        style::DrawOrder,
    },
    simd::{
        Kernel,
        sprites::{self, Sprites},
    },
};

/// Draws all layers of a band. Not inlined, so that a profile shows it by name.
#[inline(never)]
pub(crate) fn draw_band(band: &mut FrameBand<'_>, context: &DrawContext<'_>) {
    background::fill(band, context);
    let batch = &mut Batch::new();
    let area = context.area(band.width, band.top..band.top + band.rows);
    background::draw_statics(band, context, &area);
    culling::in_batches(culling::too_large(context, area), |slots| {
        draw(band, context, batch, Source::Listed(slots));
    });
    for (context, area) in culling::across_seam(context, area) {
        culling::in_batches(culling::too_large(&context, area), |slots| {
            draw(band, &context, batch, Source::Listed(slots));
        });
    }
    match context.style.order {
        DrawOrder::Random => {
            let slots = culling::scattered_fitting(context);
            culling::in_batches(slots, |slots| draw(band, context, batch, Source::Listed(slots)));
        }
        DrawOrder::Cell => culling::batches(context, area, |slots| {
            draw(band, context, batch, Source::Batch(slots));
        }),
    }
    for (context, area) in culling::across_seam(context, area) {
        culling::in_batches(culling::fitting(&context, area), |slots| {
            draw(band, &context, batch, Source::Listed(slots));
        });
    }
    density::tone_map(band);
    marks::draw(band, context, area);
    for (context, area) in culling::across_seam(context, area) {
        marks::draw(band, &context, area);
    }
    if context.view.space.is_periodic() {
        // The parts of discs beyond the seam are drawn on the other side.
        background::cover_outside(band, context);
    }
    overlay::draw(band, context);
}

/// Draws a batch of agents. Each step is a kernel of its own: compilers optimize small kernels
/// better.
fn draw(
    band: &mut FrameBand<'_>,
    context: &DrawContext<'_>,
    batch: &mut Batch,
    source: Source<'_>,
) {
    let simd = band.simd;
    let kernels = simd.run(LoadBatch { band, context, source, batch });
    let larger = kernels.larger;
    match kernels.sprite_rows {
        0 => {}
        2 => simd.run(Discs::<2> { band, context, batch, larger }),
        3 => simd.run(Discs::<3> { band, context, batch, larger }),
        _ => simd.run(Discs::<4> { band, context, batch, larger }),
    }
    if kernels.density {
        simd.run(Density { band, context, batch });
    }
}

/// The source of the agents of a batch; at most [`BATCH_LEN`] of them.
enum Source<'a> {
    /// Arbitrary slots.
    Listed(&'a [u32]),
    /// Successive slots, without agents that are too large for their cells.
    Batch(SlotBatch),
}

/// Loads agents into a batch and converts them to pixels.
struct LoadBatch<'a, 'b, 'c> {
    band: &'a FrameBand<'b>,
    context: &'a DrawContext<'c>,
    source: Source<'a>,
    batch: &'a mut Batch,
}

impl Kernel for LoadBatch<'_, '_, '_> {
    type Output = Kernels;

    #[inline(always)]
    fn run(self) -> Kernels {
        let Self { band, context, source, batch } = self;
        match &source {
            Source::Listed(slots) => batch.gather(context, slots),
            Source::Batch(slots) => {
                batch.load(context, slots.slots(context));
                batch.sift(context, slots.slots(context), !slots.near);
            }
        }
        batch.project(context);
        let by = context.prepared.small.density;
        if let DensityBy::ThinCrowd(share) = by
            && share > 0.0
        {
            density::imitate(batch, share);
        }
        let kernels = Kernels::new(batch, band, by);
        // Agents that are not drawn need no tone.
        if let (Source::Batch(slots), false) = (source, kernels.none()) {
            batch.load_tones(band.simd, context, slots.slots(context));
        }
        kernels
    }
}

/// Draws the discs of a batch, except for their shares of density.
///
/// Successive agents are drawn kind by kind, so that no branch depends on the kind of the next
/// agent. Where agents of a batch overlap, the larger kind lies on top. Listed agents keep their
/// order, since each band puts them into different batches.
///
/// `ROWS` rows of each sprite are drawn, even if fewer are needed. The other rows have weight 0,
/// and a loop of unpredictable length costs more than a row.
struct Discs<'a, 'b, 'c, const ROWS: usize> {
    band: &'a mut FrameBand<'b>,
    context: &'a DrawContext<'c>,
    batch: &'a Batch,
    /// True if a disc is larger than a sprite.
    larger: bool,
}

impl<const ROWS: usize> Kernel for Discs<'_, '_, '_, ROWS> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { band, context, batch, larger } = self;
        let sprites = &SpriteBatch::new::<ROWS>(band, batch, context.prepared.small.density);
        let mut drawn = Batch::placed(band.simd, &sprites.at);
        let LargerDiscs { all, small, rest } =
            if larger { LargerDiscs::new(batch, band) } else { LargerDiscs::default() };
        if batch.strided {
            drawn &= !all;
            draw_discs::<ROWS>(band, context, batch, sprites, drawn);
            corner::draw_small(band, context, batch, small);
            draw_one_by_one(band, context, batch, rest);
        } else {
            drawn &= !all | small | rest;
            draw_discs::<ROWS>(band, context, batch, sprites, drawn);
        }
    }
}

/// Draws the sprites and discs with a bit.
#[inline(always)]
fn draw_discs<const ROWS: usize>(
    band: &mut FrameBand<'_>,
    context: &DrawContext<'_>,
    batch: &Batch,
    SpriteBatch { at, entry }: &SpriteBatch,
    bits: u64,
) {
    let (simd, width, table) = (band.simd, band.width as usize, sprite::table());
    let all = Sprites { table, colors: &context.colors.lanes, at, entry, tone: &batch.tone };
    let drawn = batch.select(bits);
    let (list, mut next) = (drawn.list(), 0);
    // Each turn draws sprites up to the first disc that is larger or that a border of the band
    // cuts, and then that disc.
    loop {
        next = sprites::tint_sprites::<ROWS, _>(simd, band.pixels, width, all, list, next);
        let Some(&k) = list.get(next) else { return };
        draw_agent(band, context, batch, usize::from(k) % BATCH_LEN);
        next += 1;
    }
}

/// Draws the agents with a bit, each by the kernel for its radius.
#[inline(always)]
fn draw_one_by_one(
    band: &mut FrameBand<'_>,
    context: &DrawContext<'_>,
    batch: &Batch,
    mut bits: u64,
) {
    while bits != 0 {
        draw_agent(band, context, batch, bits.trailing_zeros() as usize % BATCH_LEN);
        bits &= bits - 1;
    }
}

/// Adds the agents of a batch to the density, each by its share.
struct Density<'a, 'b, 'c> {
    band: &'a mut FrameBand<'b>,
    context: &'a DrawContext<'c>,
    batch: &'a Batch,
}

impl Kernel for Density<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { band, context, batch } = self;
        density::add(band, batch, context.prepared.small.density, &context.colors.sums);
    }
}
