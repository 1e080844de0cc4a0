//! The chart: errors of positions as steps shrink, the pressure of a gas, and the distance of each case
//! from theory.

use plotters::{
    coord::combinators::IntoLogRange,
    element::{Circle, PathElement, Text},
    series::LineSeries,
    style::{Color, TextStyle},
};

use super::row::{CheckCurve, CheckRow};
use crate::{
    cli::chart::{self, BLUE, ChartArea, Drawn, GRAY, INK, ORANGE},
    observe::theory,
    scene::Collisions,
};

/// Width and height of a panel, pixels.
const SIZE: (u32, u32) = (720, 460);

/// Collisions of an agent per step that have a label: the other lines are too close to each other.
const DOUBLED: [f64; 4] = [0.1, 0.2, 0.4, 0.8];

/// Cases in a panel; more are hardly legible.
const CASES: usize = 30;

/// The begin and the end of the names of cases, and the end of the panel, in tolerances.
const NAMES: [f64; 3] = [-2.6, -1.1, 1.1];

/// The chart of all curves, and of the cases that are judged.
pub(super) fn svg(rows: &[CheckRow], curves: &[CheckCurve]) -> String {
    let judged: Vec<&CheckRow> = rows.iter().filter(|row| row.tolerance.is_some()).collect();
    let cases: Vec<&[&CheckRow]> = judged.chunks(CASES).collect();
    chart::svg(SIZE, 2 + cases.len(), |area, panel| match panel {
        0 => steps(area, curves),
        1 => pressures(area, curves),
        _ => deviations(area, cases[panel - 2]),
    })
}

/// The deviation of cases as a share of their tolerance, and two standard deviations to each side.
fn deviations(area: &ChartArea<'_>, rows: &[&CheckRow]) -> Drawn {
    let [left, names, right] = NAMES;
    let caption = "Deviation from theory, in tolerances";
    let mut chart =
        chart::panel(area, caption).build_cartesian_2d(left..right, CASES as f64..0.0)?;
    chart
        .configure_mesh()
        .disable_mesh()
        .disable_y_axis()
        .axis_style(GRAY)
        .x_labels(8)
        .x_label_formatter(&|&x| if x < names { String::new() } else { x.to_string() })
        .label_style(TextStyle::from(chart::font(14)).color(&INK))
        .draw()?;
    let limits = [-1.0, 0.0, 1.0].map(|x| [(x, 0.0), (x, CASES as f64)]);
    chart.draw_series(limits.map(|line| PathElement::new(line, GRAY)))?;
    let at = |row: usize| row as f64 + 0.5;
    let text = TextStyle::from(chart::font(12)).color(&INK);
    let places = rows.iter().zip(0..);
    chart.draw_series(
        places
            .clone()
            .map(|(row, place)| Text::new(row.case.clone(), (left, at(place) - 0.4), text.clone())),
    )?;
    let share = |row: &CheckRow| row.error() / row.tolerance.unwrap_or(f64::INFINITY);
    chart.draw_series(places.clone().map(|(row, place)| {
        let unit = if row.expected == 0.0 { 1.0 } else { row.expected };
        let reach = 2.0 * row.sigma.unwrap_or(0.0) * (row.measured / unit).abs()
            / row.tolerance.unwrap_or(f64::INFINITY);
        let ends = [-reach, reach].map(|side| (share(row) + side, at(place)));
        PathElement::new(ends, BLUE.stroke_width(2))
    }))?;
    chart.draw_series(places.map(|(row, place)| {
        let color = if row.holds() { BLUE } else { ORANGE };
        Circle::new((share(row).clamp(-1.1, right), at(place)), 3, color.filled())
    }))?;
    Ok(())
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
