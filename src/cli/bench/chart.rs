//! The comparison as a chart: milliseconds per step over agents, both logarithmic. Each scene and
//! number of threads has two panels: the indexes alone, and whole steps with them.

use std::ops::Range;

use plotters::{
    coord::combinators::{BindKeyPoints, IntoLogRange},
    element::Text,
    style::{RGBColor, TextStyle},
};

use super::{Comparison, row::BenchRow, table::REFERENCE};
use crate::cli::{
    args::{bench::each_once, names::InputOrder},
    chart::{self, ChartArea, Drawn, GRAY, INK, ORANGE},
    format::{plural, short},
};

/// Width and height of a panel, pixels.
const SIZE: (u32, u32) = (860, 560);

const QUIET: RGBColor = RGBColor(0x77, 0x77, 0x77);

/// The contents of a panel.
#[derive(Clone, Copy, Debug)]
struct ChartPanel {
    title: &'static str,
    /// Milliseconds of a row, and the note at the foot of the panel.
    took: fn(&BenchRow) -> Option<f64>,
    note: fn(&Comparison) -> &'static str,
}

const PANELS: [ChartPanel; 2] = [
    ChartPanel {
        title: "update and all pairs",
        took: |row| row.index_ms.p50,
        note: |comparison| match comparison.input {
            InputOrder::Cell => "agents in the order of their cells",
            InputOrder::Id => "agents in the order of their ids",
        },
    },
    ChartPanel {
        title: "the whole step",
        took: |row| row.step_ms.p50,
        note: |_| "without keeping the agents' order",
    },
];

/// The points of an index in a panel: agents and milliseconds.
struct Curve {
    name: &'static str,
    color: RGBColor,
    points: Vec<(f64, f64)>,
}

/// The chart; `None` if nothing was measured.
pub(super) fn svg(comparison: &Comparison) -> Option<String> {
    let panels = panels(&comparison.rows);
    let draw = |area: &ChartArea<'_>, number: usize| {
        let (contents, rows) = &panels[number];
        panel(area, rows, *contents, comparison)
    };
    (!panels.is_empty()).then(|| chart::svg(SIZE, panels.len(), draw))
}

/// The measured rows by scene and number of threads, and the contents of their panels.
fn panels(rows: &[BenchRow]) -> Vec<(ChartPanel, Vec<&BenchRow>)> {
    fn case(row: &BenchRow) -> (&str, usize) {
        (&row.scene, row.threads)
    }
    let measured = |row: &&BenchRow| row.index_ms.p50.is_some_and(|took| took > 0.0);
    rows.chunk_by(|one, other| case(one) == case(other))
        .map(|rows| rows.iter().filter(measured).collect::<Vec<_>>())
        .filter(|rows| !rows.is_empty())
        .flat_map(|rows| PANELS.map(|contents| (contents, rows.clone())))
        .collect()
}

fn panel(
    area: &ChartArea<'_>,
    rows: &[&BenchRow],
    contents: ChartPanel,
    comparison: &Comparison,
) -> Drawn {
    let curves = curves(rows, contents, comparison);
    let points = || curves.iter().flat_map(|curve| curve.points.iter().copied());
    let (x, y) =
        (around(points().map(|point| point.0), 1.25), around(points().map(|point| point.1), 1.6));
    let mut sizes: Vec<f64> = points().map(|point| point.0).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    let sizes_shown = sizes.len();
    let threads = plural(rows[0].threads, "thread");
    let title = format!("{}, {threads}: {}", rows[0].scene, contents.title);
    let mut chart = chart::panel(area, &title)
        .margin_bottom(26)
        .build_cartesian_2d(x.log_scale().with_key_points(sizes), y.log_scale())?;
    chart
        .configure_mesh()
        .bold_line_style(GRAY)
        .max_light_lines(0)
        .x_labels(sizes_shown)
        .y_labels(6)
        .axis_style(INK)
        .x_desc("agents")
        .y_desc("milliseconds per step")
        .x_label_formatter(&|agents| short(agents.round() as u32))
        .y_label_formatter(&|milliseconds| ((milliseconds * 1e6).round() / 1e6).to_string())
        .label_style(TextStyle::from(chart::font(14)).color(&INK))
        .draw()?;
    for Curve { name, color, points } in curves {
        chart::curve(&mut chart, name, &points, color, if name == REFERENCE { 4 } else { 2 })?;
    }
    chart::names(&mut chart)?;
    let what = format!(
        "medians of {} x {} steps, {}; {}, {}",
        comparison.repeats,
        comparison.steps,
        (contents.note)(comparison),
        comparison.origin,
        comparison.simd
    );
    let small = TextStyle::from(chart::font(13)).color(&QUIET);
    area.draw(&Text::new(what, (86, SIZE.1.cast_signed() - 16), small))
}

/// One curve per index, in the order of the flag; the reference is drawn last.
fn curves(rows: &[&BenchRow], contents: ChartPanel, comparison: &Comparison) -> Vec<Curve> {
    let names = each_once(comparison.rows.iter().map(|row| row.index));
    let others = names.into_iter().filter(|&name| name != REFERENCE);
    let point = |row: &&BenchRow| Some((f64::from(row.agents), (contents.took)(row)?));
    let curve = |(name, color)| {
        let own = rows.iter().filter(|row| row.index == name);
        Curve { name, color, points: own.filter_map(point).collect() }
    };
    let all = others.zip(chart::colors()).chain([(REFERENCE, ORANGE)]).map(curve);
    all.filter(|curve| !curve.points.is_empty()).collect()
}

/// The range of the values, extended by a factor.
fn around(values: impl Iterator<Item = f64>, margin: f64) -> Range<f64> {
    let (low, high) = values
        .fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    low / margin..high * margin
}
