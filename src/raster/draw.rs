//! Draws a band: what lies lowest first, batch after batch.
//!
//! ```text
//!   frame                          grid (y up)
//!   ┌──────────────────┐  band 0   rows_reaching(band) ─► grid rows, and in each of them one range of
//!   ├──────────────────┤  band 1                          slots, since agents lie in cell order
//!   ├──────────────────┤  band 2
//!   └──────────────────┘
//! ```
//!
//! A batch is a kernel: all that happens to an agent between the arrays of the simulation and the pixels
//! is inlined into one function for each SIMD level.

use std::ops::Range;

use crate::{
    raster::{
        band::Band,
        batch::{Batch, Kinds, LEN},
        blend, density,
        disc::Disc,
        fixed, overlay,
        shot::{DrawContext, Slots},
        span,
        sprite::{self, Many, Placed},
        walk::{self, Row},
        whole,
    },
    simd::{Kernel, pixels},
};

/// Draws a band: ground, statics, wide agents, narrow agents in cell order, density, overlay. A profile shows it
/// by name.
#[inline(never)]
pub(crate) fn draw_band(band: &mut Band<'_>, shot: &DrawContext<'_>) {
    shot.ground.fill(band.pixels, band.width as usize, band.top);
    let batch = &mut Batch::new();
    let area = shot.area(band.width, band.top..band.top + band.rows);
    fixed::draw(band, shot, &area);
    shot.for_each_wide(&area, |slots| draw(band, shot, batch, Source::Any(slots)));
    if shot.random {
        shot.for_each_scattered(|slots| draw(band, shot, batch, Source::Narrow(slots)));
    } else {
        for Row { slots, near } in walk::rows(shot.picture.grid, area, shot.drift) {
            let batches = slots.clone().step_by(LEN).map(|start| start..slots.end.min(start + LEN));
            if near {
                batches.for_each(|slots| draw(band, shot, batch, Source::Row(slots)));
            } else {
                draw_far(band, shot, batch, batches);
            }
        }
    }
    density::resolve(band);
    overlay::draw(band, shot);
}

/// Draws those of some batches that are far from where they live, in rows from which the others don't reach the band,
/// and in the order in which all would be drawn.
fn draw_far(
    band: &mut Band<'_>,
    shot: &DrawContext<'_>,
    batch: &mut Batch,
    batches: impl Iterator<Item = Range<usize>>,
) {
    let mut some = Slots::default();
    let mut work = |slots: &[u32]| draw(band, shot, batch, Source::Narrow(slots));
    for slots in batches {
        let (mut far, mut count, first) = ([0; LEN], 0, slots.start);
        for slot in shot.picture.grid.far_elements(slots) {
            far[count] = slot;
            count += 1;
        }
        Batch::sort(&mut far[..count], first);
        far[..count].iter().for_each(|&slot| some.push(slot, &mut work));
    }
    work(some.rest());
}

/// Draws agents. Each kind of agents is a kernel of its own: compilers do better with small ones.
fn draw(band: &mut Band<'_>, shot: &DrawContext<'_>, batch: &mut Batch, source: Source<'_>) {
    let simd = band.simd;
    let kinds = simd.run(Take { band, shot, source, batch });
    match kinds {
        Kinds::None => {}
        Kinds::Sprites { rows: 2 } => simd.run(Sprites::<2> { band, shot, batch }),
        Kinds::Sprites { rows: 3 } => simd.run(Sprites::<3> { band, shot, batch }),
        Kinds::Sprites { .. } => simd.run(Sprites::<4> { band, shot, batch }),
        Kinds::Density => simd.run(Dust::<true> { band, shot, batch }),
        Kinds::Mixed { dust } => {
            simd.run(Discs { band, shot, batch });
            if dust {
                simd.run(Dust::<false> { band, shot, batch });
            }
        }
    }
}

/// Where the agents of a batch come from; at most [`LEN`] of them.
enum Source<'a> {
    /// From anywhere.
    Any(&'a [u32]),
    /// From anywhere, the wide ones left out.
    Narrow(&'a [u32]),
    /// Side by side, the wide ones left out.
    Row(Range<usize>),
}

/// Takes agents into a batch, in pixels.
struct Take<'a, 'b, 'c> {
    band: &'a Band<'b>,
    shot: &'a DrawContext<'c>,
    source: Source<'a>,
    batch: &'a mut Batch,
}

impl Kernel for Take<'_, '_, '_> {
    type Output = Kinds;

    #[inline(always)]
    fn run(self) -> Kinds {
        let Self { band, shot, source, batch } = self;
        match &source {
            Source::Any(slots) => batch.gather(shot, slots),
            Source::Narrow(slots) => {
                batch.gather(shot, slots);
                batch.drop_wide(shot, |k| slots[k]);
            }
            Source::Row(slots) => {
                batch.load(shot, slots.clone());
                batch.drop_wide(shot, |k| (slots.start + k) as u32);
            }
        }
        batch.project(shot);
        let kinds = batch.kinds(band);
        // Who is not drawn needs no color.
        if let (Source::Row(slots), true) = (source, kinds != Kinds::None) {
            batch.color(shot, slots);
        }
        kinds
    }
}

/// Draws a batch of nothing but small discs.
///
/// Draws `ROWS` rows of each, whatever it needs: the rest of a sprite weighs nothing, and a loop of a length that
/// can't be foretold costs more than a row.
struct Sprites<'a, 'b, 'c, const ROWS: usize> {
    band: &'a mut Band<'b>,
    shot: &'a DrawContext<'c>,
    batch: &'a Batch,
}

impl<const ROWS: usize> Kernel for Sprites<'_, '_, '_, ROWS> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { band, shot, batch } = self;
        let many = Many::new::<ROWS>(band, [&batch.x, &batch.y, &batch.radius]);
        let (simd, width, table) = (band.simd, band.width as usize, sprite::table());
        for k in batch.order() {
            let at = many.at[k];
            if at == sprite::OUTSIDE {
                continue;
            }
            let color = shot.swatches.lanes[batch.tone[k] as usize & 255];
            let placed = many.get(k);
            let sprite = &table[placed.entry as usize];
            if at == sprite::CUT {
                sprite::draw_cut(band, sprite, placed, color);
            } else if let Some(rows) = sprite.first_chunk::<ROWS>() {
                pixels::tint_rows(simd, band.pixels, [at as usize, width], color, rows);
            }
        }
    }
}

/// Draws a batch of agents of any size.
struct Discs<'a, 'b, 'c> {
    band: &'a mut Band<'b>,
    shot: &'a DrawContext<'c>,
    batch: &'a Batch,
}

impl Kernel for Discs<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { band, shot, batch } = self;
        for k in batch.order() {
            draw_one(band, shot, batch, k);
        }
    }
}

/// Adds to the density what is density of the agents of a batch: `ALL` of each, or a share.
struct Dust<'a, 'b, 'c, const ALL: bool> {
    band: &'a mut Band<'b>,
    shot: &'a DrawContext<'c>,
    batch: &'a Batch,
}

impl<const ALL: bool> Kernel for Dust<'_, '_, '_, ALL> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        density::add::<ALL>(self.band, self.batch, &self.shot.swatches.sums);
    }
}

/// Draws an agent of any size.
#[inline(always)]
fn draw_one(band: &mut Band<'_>, shot: &DrawContext<'_>, batch: &Batch, k: usize) {
    let (x, y, radius) = (batch.x[k], batch.y[k], batch.radius[k]);
    let tone = batch.tone[k] as usize;
    let disc = Disc { x, y, radius, color: shot.swatches.pixels[tone], shading: shot.shading };
    if radius >= density::RADIUS {
        draw_disc(band, &disc);
    } else if radius > density::RADIUS_ALL {
        let share = 1.0 - density::share(radius);
        sprite::draw_faint(band, Placed::new(x, y, radius), shot.swatches.lanes[tone], share);
    }
}

/// Draws a disc of any size, however small, that is no density.
#[inline(always)]
pub(crate) fn draw_disc(band: &mut Band<'_>, disc: &Disc) {
    let Disc { x, y, radius, color, .. } = *disc;
    if radius > whole::RADIUS_MAX {
        span::draw(band, disc);
    } else if radius > sprite::RADIUS_MAX {
        whole::draw(band, disc);
    } else {
        let placed = Placed::new(x, y, radius);
        let sprite = &sprite::table()[placed.entry as usize];
        sprite::draw_cut(band, sprite, placed, blend::lanes(color));
    }
}
