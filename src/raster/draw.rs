//! Draws a band: the lowest layer first, batch by batch.
//!
//! ```text
//!   frame                          grid (y up)
//!   ┌──────────────────┐  band 0   culling::rows(band) ─► rows of cells, and in each of them one
//!   ├──────────────────┤  band 1   range of slots, because agents lie in cell order
//!   ├──────────────────┤  band 2
//!   └──────────────────┘
//! ```
//!
//! A batch runs as a kernel: everything that happens to an agent between the columns of the
//! simulation and the pixels is inlined into one function per SIMD level.

use std::ops::Range;

use crate::{
    raster::{
        background,
        band::FrameBand,
        batch::Batch,
        context::DrawContext,
        culling::{self, BATCH_LEN, RowSlots},
        kernel::{
            BatchKind, density, draw_agent,
            sprite::{self, SpriteBatch},
        },
        overlay,
        style::DrawOrder,
    },
    simd::{Kernel, pixels},
};

/// Draws all layers of a band. Not inlined, so that a profile shows it by name.
#[inline(never)]
pub(crate) fn draw_band(band: &mut FrameBand<'_>, context: &DrawContext<'_>) {
    background::fill(band, context);
    let batch = &mut Batch::new();
    let area = context.area(band.width, band.top..band.top + band.rows);
    background::draw_statics(band, context, &area);
    culling::in_batches(culling::too_large(context, area), |slots| {
        draw(band, context, batch, Source::All(slots));
    });
    match context.style.order {
        DrawOrder::Random => {
            let slots = culling::scattered(context.view.agents.len() as u32);
            culling::in_batches(slots, |slots| draw(band, context, batch, Source::Fitting(slots)));
        }
        DrawOrder::Cell => {
            for RowSlots { slots, near } in culling::rows(context, area) {
                let batches = slots
                    .clone()
                    .step_by(BATCH_LEN)
                    .map(|start| start..slots.end.min(start + BATCH_LEN));
                if near {
                    batches.for_each(|slots| draw(band, context, batch, Source::Row(slots)));
                } else {
                    draw_outliers(band, context, batch, batches);
                }
            }
        }
    }
    density::tone_map(band);
    overlay::draw(band, context);
}

/// Draws the outliers of some batches, from rows in which no other agent reaches the band, in the
/// order in which all agents of the rows would be drawn.
fn draw_outliers(
    band: &mut FrameBand<'_>,
    context: &DrawContext<'_>,
    batch: &mut Batch,
    batches: impl Iterator<Item = Range<usize>>,
) {
    let outliers = batches.flat_map(|slots| {
        let (mut outliers, mut count, first) = ([0; BATCH_LEN], 0, slots.start);
        for slot in context.view.grid.outliers_in(slots) {
            outliers[count] = slot;
            count += 1;
        }
        Batch::sort(&mut outliers[..count], first);
        outliers.into_iter().take(count)
    });
    culling::in_batches(outliers, |slots| draw(band, context, batch, Source::Fitting(slots)));
}

/// Draws a batch of agents. Each kind of batch is a kernel of its own: compilers optimize small
/// kernels better.
fn draw(
    band: &mut FrameBand<'_>,
    context: &DrawContext<'_>,
    batch: &mut Batch,
    source: Source<'_>,
) {
    let simd = band.simd;
    let kind = simd.run(LoadBatch { band, context, source, batch });
    match kind {
        BatchKind::Empty => {}
        BatchKind::Sprites { rows: 2 } => simd.run(Sprites::<2> { band, context, batch }),
        BatchKind::Sprites { rows: 3 } => simd.run(Sprites::<3> { band, context, batch }),
        BatchKind::Sprites { .. } => simd.run(Sprites::<4> { band, context, batch }),
        BatchKind::Density => simd.run(Density::<true> { band, context, batch }),
        BatchKind::Mixed { density } => {
            simd.run(Discs { band, context, batch });
            if density {
                simd.run(Density::<false> { band, context, batch });
            }
        }
    }
}

/// Where the agents of a batch come from; at most [`BATCH_LEN`] of them.
enum Source<'a> {
    /// Arbitrary slots.
    All(&'a [u32]),
    /// Arbitrary slots, without agents that are too large for their cells.
    Fitting(&'a [u32]),
    /// A range of slots, without agents that are too large for their cells.
    Row(Range<usize>),
}

/// Loads agents into a batch and converts them to pixels.
struct LoadBatch<'a, 'b, 'c> {
    band: &'a FrameBand<'b>,
    context: &'a DrawContext<'c>,
    source: Source<'a>,
    batch: &'a mut Batch,
}

impl Kernel for LoadBatch<'_, '_, '_> {
    type Output = BatchKind;

    #[inline(always)]
    fn run(self) -> BatchKind {
        let Self { band, context, source, batch } = self;
        match &source {
            Source::All(slots) => batch.gather(context, slots),
            Source::Fitting(slots) => {
                batch.gather(context, slots);
                batch.drop_too_large(context, |k| slots[k]);
            }
            Source::Row(slots) => {
                batch.load(context, slots.clone());
                batch.drop_too_large(context, |k| (slots.start + k) as u32);
            }
        }
        batch.project(context);
        let kind = BatchKind::new(batch, band);
        // Agents that are not drawn need no tone.
        if let (Source::Row(slots), true) = (source, kind != BatchKind::Empty) {
            batch.load_tones(context, slots);
        }
        kind
    }
}

/// Draws a batch of sprites.
///
/// `ROWS` rows of each sprite are drawn, even if fewer are needed. The other rows have no weight,
/// and a loop of unpredictable length costs more than a row.
struct Sprites<'a, 'b, 'c, const ROWS: usize> {
    band: &'a mut FrameBand<'b>,
    context: &'a DrawContext<'c>,
    batch: &'a Batch,
}

impl<const ROWS: usize> Kernel for Sprites<'_, '_, '_, ROWS> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { band, context, batch } = self;
        let sprites = SpriteBatch::new::<ROWS>(band, [&batch.x, &batch.y, &batch.radius]);
        let (simd, width, table) = (band.simd, band.width as usize, sprite::table());
        for k in batch.order() {
            let at = sprites.at[k];
            if at == sprite::OUTSIDE {
                continue;
            }
            let color = context.colors.lanes[batch.tone[k] as usize & 255];
            let slot = sprites.get(k);
            let sprite = &table[slot.entry as usize];
            if at == sprite::CLIPPED {
                sprite::draw_clipped(band, sprite, slot, color);
            } else if let Some(rows) = sprite.first_chunk::<ROWS>() {
                pixels::tint_rows(simd, band.pixels, [at as usize, width], color, rows);
            }
        }
    }
}

/// Draws a batch of discs of any radius, except for their shares of density.
struct Discs<'a, 'b, 'c> {
    band: &'a mut FrameBand<'b>,
    context: &'a DrawContext<'c>,
    batch: &'a Batch,
}

impl Kernel for Discs<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { band, context, batch } = self;
        for k in batch.order() {
            draw_agent(band, context, batch, k);
        }
    }
}

/// Adds the agents of a batch to the density: all of each agent if `ALL`, else its share of
/// density.
struct Density<'a, 'b, 'c, const ALL: bool> {
    band: &'a mut FrameBand<'b>,
    context: &'a DrawContext<'c>,
    batch: &'a Batch,
}

impl<const ALL: bool> Kernel for Density<'_, '_, '_, ALL> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        density::add::<ALL>(self.band, self.batch, &self.context.colors.sums);
    }
}
