//! The shared parts of the charts of `bench`, `check` and `sweep`.

use plotters::{
    backend::SVGBackend,
    chart::{ChartBuilder, ChartContext, SeriesLabelPosition},
    coord::{CoordTranslate, Shift, cartesian::Cartesian2d, ranged1d::Ranged},
    drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea},
    element::{Circle, PathElement},
    series::LineSeries,
    style::{Color, FontDesc, IntoFont, RGBColor, TextStyle, WHITE},
};

pub(super) const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
pub(super) const GRAY: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);

/// Two colors that color-blind readers can tell apart (Okabe and Ito, "Color Universal Design", 2008).
pub(super) const ORANGE: RGBColor = RGBColor(0xd5, 0x5e, 0x00);
pub(super) const BLUE: RGBColor = RGBColor(0x00, 0x72, 0xb2);

/// Colors of curves, the darker ones of Okabe and Ito first.
const COLORS: [u32; 12] = [
    0x00_72_b2, 0x00_9e_73, 0xcc_79_a7, 0x56_b4_e9, 0xe6_9f_00, 0x77_77_77, 0x5b_3a_8e, 0x8c_56_4b,
    0x00_4d_40, 0xb7_1c_1c, 0x82_77_17, 0x1a_23_7e,
];

/// Space around a panel, and room for the labels of its axes, pixels.
pub(super) const MARGIN: u32 = 14;
const LABELS: [u32; 2] = [44, 72];

/// The colors of curves, again and again.
pub(super) fn colors() -> impl Iterator<Item = RGBColor> {
    COLORS.iter().cycle().map(|color| {
        let [_, red, green, blue] = color.to_be_bytes();
        RGBColor(red, green, blue)
    })
}

/// A part of a chart.
pub(super) type ChartArea<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The result of drawing.
pub(super) type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// A chart of panels of one size, one below the other; `draw` draws the one with that number.
pub(super) fn svg(
    (width, height): (u32, u32),
    panels: usize,
    draw: impl Fn(&ChartArea<'_>, usize) -> Drawn,
) -> String {
    let mut text = String::new();
    {
        let size = (width, height * panels as u32);
        let whole = SVGBackend::with_string(&mut text, size).into_drawing_area();
        // Drawing into a string does not fail.
        let _ = whole.fill(&WHITE);
        for (panel, area) in whole.split_evenly((panels, 1)).iter().enumerate() {
            let _ = draw(area, panel);
        }
        let _ = whole.present();
    }
    text
}

/// A panel with a caption, and room for the labels of its axes.
pub(super) fn panel<'a, 'b>(
    area: &'a ChartArea<'b>,
    caption: &str,
) -> ChartBuilder<'a, 'b, SVGBackend<'b>> {
    let mut builder = ChartBuilder::on(area);
    builder.caption(caption, TextStyle::from(font(20)).color(&INK)).margin(MARGIN);
    builder.x_label_area_size(LABELS[0]).y_label_area_size(LABELS[1]);
    builder
}

/// The font of labels.
pub(super) fn font(size: u32) -> FontDesc<'static> {
    ("sans-serif", size).into_font()
}

/// Draws the points of a curve and lines between them.
pub(super) fn curve<X, Y>(
    chart: &mut ChartContext<'_, SVGBackend<'_>, Cartesian2d<X, Y>>,
    name: &str,
    points: &[(f64, f64)],
    color: RGBColor,
    width: u32,
) -> Drawn
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    line(chart, name, points, color, width)?;
    let filled = color.stroke_width(width).filled();
    chart.draw_series(points.iter().map(|&at| Circle::new(at, 4, filled)))?;
    Ok(())
}

/// Draws the lines of a curve.
pub(super) fn line<X, Y>(
    chart: &mut ChartContext<'_, SVGBackend<'_>, Cartesian2d<X, Y>>,
    name: &str,
    points: &[(f64, f64)],
    color: RGBColor,
    width: u32,
) -> Drawn
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let line = color.stroke_width(width);
    chart
        .draw_series(LineSeries::new(points.iter().copied(), line))?
        .label(name)
        .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], line));
    Ok(())
}

/// Draws the names of the curves, in the upper left.
pub(super) fn names<'a, C: CoordTranslate>(
    chart: &mut ChartContext<'a, SVGBackend<'a>, C>,
) -> Drawn {
    names_at(chart, SeriesLabelPosition::UpperLeft)
}

/// Draws the names of the curves.
pub(super) fn names_at<'a, C: CoordTranslate>(
    chart: &mut ChartContext<'a, SVGBackend<'a>, C>,
    position: SeriesLabelPosition,
) -> Drawn {
    chart
        .configure_series_labels()
        .position(position)
        .background_style(WHITE.mix(0.8))
        .border_style(GRAY)
        .label_font(TextStyle::from(font(14)).color(&INK))
        .draw()
}
