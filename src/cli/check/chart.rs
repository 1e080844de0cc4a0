//! Two panels: how far agents are off as steps shrink, and the pressure of a gas.

use plotters::{
    backend::SVGBackend,
    chart::{ChartBuilder, SeriesLabelPosition},
    coord::combinators::IntoLogRange,
    drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea},
    element::{Circle, PathElement},
    series::LineSeries,
    style::{Color, IntoFont, RGBColor, WHITE},
};

use super::row::CheckCurve;
use crate::{observe::theory, scene::Collisions};

/// Width and height of a panel, pixels.
const SIZE: (u32, u32) = (720, 460);

/// Collisions of an agent per step that have a label: the other lines are too close to each other.
const DOUBLED: [f64; 4] = [0.1, 0.2, 0.4, 0.8];

const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
const GRAY: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);
/// Of Okabe and Ito, as in the chart of `bench`.
const ORANGE: RGBColor = RGBColor(0xd5, 0x5e, 0x00);
const BLUE: RGBColor = RGBColor(0x00, 0x72, 0xb2);

type ChartArea<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// The chart.
pub(super) fn svg(curves: &[CheckCurve]) -> String {
    let mut text = String::new();
    {
        let whole = SVGBackend::with_string(&mut text, (SIZE.0, 2 * SIZE.1)).into_drawing_area();
        // Drawing into a string does not fail.
        let _ = whole.fill(&WHITE);
        if let [above, below] = &whole.split_evenly((2, 1))[..] {
            let _ = steps(above, curves);
            let _ = pressures(below, curves);
        }
        let _ = whole.present();
    }
    text
}

/// The distance of agents from where they should be, over the collisions of an agent per step.
fn steps(
    area: &ChartArea<'_>,
    curves: &[CheckCurve],
) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    let mut chart = ChartBuilder::on(area)
        .caption(
            "Distance from the run in the finest steps",
            ("sans-serif", 20).into_font().color(&INK),
        )
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(72)
        .build_cartesian_2d((0.04..1.0).log_scale(), (1e-5..1.0).log_scale())?;
    chart
        .configure_mesh()
        .bold_line_style(GRAY)
        .max_light_lines(0)
        .axis_style(INK)
        .x_desc("collisions of an agent per step")
        .x_label_formatter(&|&x| if DOUBLED.contains(&x) { x.to_string() } else { String::new() })
        .y_desc("mean distance, diameters")
        .label_style(("sans-serif", 14).into_font().color(&INK))
        .draw()?;
    for (collisions, color) in Collisions::ALL.into_iter().zip([BLUE, ORANGE]) {
        let own = curves.iter().filter(|curve| curve.name == collisions.name());
        for CheckCurve { name, points } in own {
            let line = color.stroke_width(3);
            chart
                .draw_series(LineSeries::new(points.iter().copied(), line))?
                .label(*name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], line));
            chart.draw_series(points.iter().map(|&at| Circle::new(at, 4, line.filled())))?;
        }
    }
    labels(&mut chart)
}

/// Z over the share of the world that discs cover.
fn pressures(
    area: &ChartArea<'_>,
    curves: &[CheckCurve],
) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    let mut chart = ChartBuilder::on(area)
        .caption("Pressure of hard discs", ("sans-serif", 20).into_font().color(&INK))
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(72)
        .build_cartesian_2d(0.0..0.65, 1.0..7.5)?;
    chart
        .configure_mesh()
        .bold_line_style(GRAY)
        .max_light_lines(0)
        .axis_style(INK)
        .x_desc("share of the world that discs cover")
        .y_desc("Z = P / (density kT)")
        .label_style(("sans-serif", 14).into_font().color(&INK))
        .draw()?;
    let line = BLUE.stroke_width(2);
    let expected = (0..=62).map(|n| f64::from(n) * 0.01);
    chart
        .draw_series(LineSeries::new(
            expected.map(|eta| (eta, theory::compressibility(eta))),
            line,
        ))?
        .label("virial series, [5/4] Pade")
        .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], line));
    let measured = curves.iter().filter(|curve| curve.name == "Z").flat_map(|curve| &curve.points);
    chart
        .draw_series(measured.map(|&at| Circle::new(at, 5, ORANGE.filled())))?
        .label("measured, --collisions swept")
        .legend(|(x, y)| Circle::new((x + 10, y), 5, ORANGE.filled()));
    labels(&mut chart)
}

/// The names of the curves.
fn labels<'a, C: plotters::coord::CoordTranslate>(
    chart: &mut plotters::chart::ChartContext<'a, SVGBackend<'a>, C>,
) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(GRAY)
        .label_font(("sans-serif", 14).into_font().color(&INK))
        .draw()
}
