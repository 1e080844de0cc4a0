//! The sweep as a heat map: one panel per scene and number of agents, one square per cell.

use plotters::{
    backend::SVGBackend,
    coord::Shift,
    drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea},
    element::{Rectangle, Text},
    style::{
        Color, IntoFont, RGBColor, TextStyle, WHITE,
        text_anchor::{HPos, Pos, VPos},
    },
};

use crate::{
    drawn::Size,
    report::{LIMIT, name, short},
    sweep::{Cell, Sweep},
};

/// Width and height of a square, pixels.
const SQUARE: [i32; 2] = [44, 26];
/// Space left of the squares and above them, for labels, and right of them and below.
const MARGIN: [i32; 2] = [66, 40];
const GAP: [i32; 2] = [18, 64];
/// Panels beside each other.
const COLUMNS: usize = 2;
/// Height of the head, pixels.
const HEAD: i32 = 58;

const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
const QUIET: RGBColor = RGBColor(0x66, 0x66, 0x66);

/// Colors from a ratio of 0 to the limit; above, [`ABOVE`].
const SCALE: [[f64; 3]; 3] = [[247.0, 251.0, 255.0], [158.0, 202.0, 225.0], [33.0, 113.0, 181.0]];
const ABOVE: RGBColor = RGBColor(0xd5, 0x5e, 0x00);

type SvgArea<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn<'a> = Result<
    (),
    DrawingAreaErrorKind<<SVGBackend<'a> as plotters::backend::DrawingBackend>::ErrorType>,
>;

/// The map. `floor` is the time of filling and copying, milliseconds.
pub(crate) fn svg(sweeps: &[Sweep], floor: f64) -> Result<String, Box<dyn std::error::Error>> {
    let mut text = String::new();
    let [width, height] = sweeps
        .iter()
        .map(panel_size)
        .fold([0, 0], |[x, y], [width, height]| [x.max(width), y.max(height)]);
    let rows = signed(sweeps.len().div_ceil(COLUMNS));
    let whole = (width * signed(COLUMNS.min(sweeps.len().max(1))), HEAD + height * rows);
    {
        let area =
            SVGBackend::with_string(&mut text, (whole.0.cast_unsigned(), whole.1.cast_unsigned()))
                .into_drawing_area();
        area.fill(&WHITE)?;
        head(&area)?;
        for (index, sweep) in sweeps.iter().enumerate() {
            let (column, row) = (signed(index % COLUMNS), signed(index / COLUMNS));
            panel(&area, [column * width, HEAD + row * height], sweep, floor)?;
        }
        area.present()?;
    }
    Ok(text)
}

/// Squares of a panel: sizes and zooms.
fn squares(sweep: &Sweep) -> [i32; 2] {
    let columns = sweep.cells.iter().take_while(|cell| cell.shown == sweep.cells[0].shown).count();
    [signed(columns), signed(sweep.cells.len() / columns)]
}

fn panel_size(sweep: &Sweep) -> [i32; 2] {
    let squares = squares(sweep);
    [0, 1].map(|axis| MARGIN[axis] + squares[axis] * SQUARE[axis] + GAP[axis])
}

fn head<'a>(area: &SvgArea<'a>) -> Drawn<'a> {
    let title = "Time of a frame, in ratio to filling and copying a frame of 1920x1080";
    area.draw(&Text::new(title, (MARGIN[0], 16), style(18, INK)))?;
    let note = format!("one thread; orange: above {LIMIT}; rows: agents in the frame");
    area.draw(&Text::new(note, (MARGIN[0], 40), style(13, QUIET)))
}

fn panel<'a>(area: &SvgArea<'a>, [left, top]: [i32; 2], sweep: &Sweep, floor: f64) -> Drawn<'a> {
    let [columns, rows] = squares(sweep);
    let [x, y] = [left + MARGIN[0], top + MARGIN[1]];
    area.draw(&Text::new(name(sweep), (x, top + 16), style(15, INK)))?;
    for (index, cell) in sweep.cells.iter().enumerate() {
        let (column, row) = (signed(index) % columns, signed(index) / columns);
        square(area, [x + column * SQUARE[0], y + row * SQUARE[1]], cell, floor)?;
    }
    for row in 0..rows {
        let cell = &sweep.cells[(row * columns).cast_unsigned() as usize];
        let label = style(12, INK).pos(Pos::new(HPos::Right, VPos::Center));
        let at = (x - 6, y + row * SQUARE[1] + SQUARE[1] / 2);
        area.draw(&Text::new(short(cell.shown), at, label))?;
    }
    for column in 0..columns {
        let label = style(10, INK).pos(Pos::new(HPos::Center, VPos::Top));
        let Size { width, height } = sweep.cells[column.cast_unsigned() as usize].size;
        let at = (x + column * SQUARE[0] + SQUARE[0] / 2, y + rows * SQUARE[1] + 6);
        area.draw(&Text::new(width.to_string(), at, label.clone()))?;
        area.draw(&Text::new(format!("x{height}"), (at.0, at.1 + 12), label))?;
    }
    Ok(())
}

fn square<'a>(area: &SvgArea<'a>, [x, y]: [i32; 2], cell: &Cell, floor: f64) -> Drawn<'a> {
    let ratio = cell.milliseconds() / floor;
    let end = (x + SQUARE[0] - 1, y + SQUARE[1] - 1);
    area.draw(&Rectangle::new([(x, y), end], color(ratio).filled()))?;
    let ink = if ratio > 0.6 * LIMIT { WHITE } else { INK };
    let label = style(12, ink).pos(Pos::new(HPos::Center, VPos::Center));
    area.draw(&Text::new(format!("{ratio:.1}"), (x + SQUARE[0] / 2, y + SQUARE[1] / 2), label))
}

fn color(ratio: f64) -> RGBColor {
    if ratio > LIMIT {
        return ABOVE;
    }
    let at = (ratio / LIMIT).clamp(0.0, 1.0) * (SCALE.len() - 1) as f64;
    let first = (at as usize).min(SCALE.len() - 2);
    let share = at - first as f64;
    let channel = |k: usize| {
        (SCALE[first][k] + (SCALE[first + 1][k] - SCALE[first][k]) * share).round() as u8
    };
    RGBColor(channel(0), channel(1), channel(2))
}

fn style(size: i32, color: RGBColor) -> TextStyle<'static> {
    let font = ("sans-serif", size).into_font();
    TextStyle { color: color.to_backend_color(), ..TextStyle::from(font) }
}

/// A small count.
fn signed(count: usize) -> i32 {
    i32::try_from(count).expect("few panels and squares")
}
