//! Two panels: how far agents are off as steps shrink, and the pressure of a gas.

use plotters::{
    coord::combinators::IntoLogRange,
    element::{Circle, PathElement},
    series::LineSeries,
    style::{Color, TextStyle},
};

use super::row::CheckCurve;
use crate::{
    cli::chart::{self, BLUE, ChartArea, Drawn, GRAY, INK, ORANGE},
    observe::theory,
    scene::Collisions,
};

/// Width and height of a panel, pixels.
const SIZE: (u32, u32) = (720, 460);

/// Collisions of an agent per step that have a label: the other lines are too close to each other.
const DOUBLED: [f64; 4] = [0.1, 0.2, 0.4, 0.8];

/// The chart.
pub(super) fn svg(curves: &[CheckCurve]) -> String {
    let panels = [steps, pressures];
    chart::svg(SIZE, panels.len(), |area, panel| panels[panel](area, curves))
}

/// The distance of agents from where they should be, over the collisions of an agent per step.
fn steps(area: &ChartArea<'_>, curves: &[CheckCurve]) -> Drawn {
    let mut chart = chart::panel(area, "Distance from the run in the finest steps")
        .build_cartesian_2d((0.04..1.0).log_scale(), (1e-5..1.0).log_scale())?;
    chart
        .configure_mesh()
        .bold_line_style(GRAY)
        .max_light_lines(0)
        .axis_style(INK)
        .x_desc("collisions of an agent per step")
        .x_label_formatter(&|&x| if DOUBLED.contains(&x) { x.to_string() } else { String::new() })
        .y_desc("mean distance, diameters")
        .label_style(TextStyle::from(chart::font(14)).color(&INK))
        .draw()?;
    for (collisions, color) in Collisions::ALL.into_iter().zip([BLUE, ORANGE]) {
        let own = curves.iter().filter(|curve| curve.name == collisions.name());
        for CheckCurve { name, points } in own {
            chart::curve(&mut chart, name, points, color, 3)?;
        }
    }
    chart::names(&mut chart)
}

/// Z over the share of the world that discs cover.
fn pressures(area: &ChartArea<'_>, curves: &[CheckCurve]) -> Drawn {
    let mut chart =
        chart::panel(area, "Pressure of hard discs").build_cartesian_2d(0.0..0.65, 1.0..7.5)?;
    chart
        .configure_mesh()
        .bold_line_style(GRAY)
        .max_light_lines(0)
        .axis_style(INK)
        .x_desc("share of the world that discs cover")
        .y_desc("Z = P / (density kT)")
        .label_style(TextStyle::from(chart::font(14)).color(&INK))
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
    chart::names(&mut chart)
}
