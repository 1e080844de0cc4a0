//! The chart of a sweep: an observable over a flag or param, with error bars, and one curve for each
//! value of the others. Runs that differ in their seed alone are one point.

use std::{collections::BTreeMap, ops::Range};

use plotters::{
    chart::SeriesLabelPosition,
    element::{Circle, PathElement},
    style::{Color, RGBColor, TextStyle},
};

use super::{average, plan::SweepPlan};
use crate::{
    cli::{
        Failure, Outcome,
        args::SweepArgs,
        chart::{self, ChartArea, Drawn, GRAY, INK},
    },
    names::unknown,
};

/// Width and height, pixels.
const SIZE: (u32, u32) = (860, 560);

/// The flag whose values are repetitions.
const SEED: &str = "seed";

/// Half the width of the bars at the ends of an error, as a share of the axis.
const CAP: f64 = 0.004;

/// A chart that is going to be drawn.
#[derive(Debug)]
pub(super) struct SweepPlot {
    observable: String,
    /// The column along the axis.
    over: String,
    /// The columns whose values have a curve each.
    by: Vec<String>,
}

/// A mean with its error.
#[derive(Clone, Copy, Debug)]
struct PlotPoint {
    x: f64,
    y: f64,
    error: Option<f64>,
    theory: Option<f64>,
}

impl SweepPlot {
    /// The chart that the flags ask for, if they do.
    ///
    /// # Errors
    /// If the sweep has no such observable, or nothing to draw it over.
    pub(super) fn new(args: &SweepArgs, plan: &SweepPlan) -> Outcome<Option<Self>> {
        let (Some(_), Some(observable)) = (&args.plot, &args.observable) else { return Ok(None) };
        let names = plan.columns();
        let observables: Vec<&str> =
            names.iter().filter_map(|name| name.strip_suffix("_mean")).collect();
        if !observables.contains(&observable.as_str()) {
            let why = unknown(observable, "observable", &observables);
            return Err(Failure::usage(format!("--observable {observable} {why}")));
        }
        let keys: Vec<&str> = plan.file.swept.iter().map(|key| key.name.as_str()).collect();
        let over = match &args.over {
            Some(name) => name.as_str(),
            None => *keys.iter().find(|name| **name != SEED).unwrap_or(&SEED),
        };
        let Some(key) = plan.file.swept.iter().find(|key| key.name == over) else {
            let why = unknown(over, "flag or param of the sweep", &keys);
            return Err(Failure::usage(format!("--over {over} {why}")));
        };
        if let Some(value) = key.values.iter().find(|value| number(&value.text).is_none()) {
            return Err(Failure::usage(format!(
                "--plot can't draw over {over}, as {} is no number; name another one after --over",
                value.text
            )));
        }
        let by = keys.iter().filter(|name| **name != over && **name != SEED);
        let by = by.map(|name| (*name).to_owned()).collect();
        Ok(Some(Self { observable: observable.clone(), over: over.to_owned(), by }))
    }

    /// The chart of rows with these columns.
    pub(super) fn svg(&self, header: &[String], rows: &[Vec<String>]) -> String {
        let curves = self.curves(header, rows);
        chart::svg(SIZE, 1, |area, _| self.draw(area, &curves))
    }

    /// The curves by their names, in the order of the rows.
    fn curves(&self, header: &[String], rows: &[Vec<String>]) -> Vec<(String, Vec<PlotPoint>)> {
        let at = |name: &str| header.iter().position(|own| own == name);
        let cell = |row: &[String], at: Option<usize>| number(row.get(at?)?);
        let [mean, error] = average::names_of(&self.observable).map(|name| at(&name));
        let theory = at(&average::theory_of(&self.observable));
        let (over, by) = (at(&self.over), self.by.iter().map(|name| (name, at(name))));
        let by: Vec<_> = by.collect();
        let mut names = Vec::new();
        // Of each curve and place, the points of all seeds.
        let mut points: BTreeMap<(usize, u64), Vec<PlotPoint>> = BTreeMap::new();
        for row in rows {
            let (Some(x), Some(y)) = (cell(row, over), cell(row, mean)) else { continue };
            let value =
                |at: Option<usize>| at.and_then(|at| row.get(at)).map_or("", |it| it.as_str());
            let name: Vec<String> =
                by.iter().map(|(name, at)| format!("{name} {}", value(*at))).collect();
            let name = if name.is_empty() { "measured".to_owned() } else { name.join(", ") };
            let curve = names.iter().position(|own| *own == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            });
            let (error, theory) = (cell(row, error), cell(row, theory));
            points.entry((curve, x.to_bits())).or_default().push(PlotPoint { x, y, error, theory });
        }
        let mut curves: Vec<(String, Vec<PlotPoint>)> =
            names.into_iter().map(|name| (name, Vec::new())).collect();
        for ((curve, _), seeds) in points {
            curves[curve].1.push(mean_of(&seeds));
        }
        for (_, points) in &mut curves {
            points.sort_by(|one, other| one.x.total_cmp(&other.x));
        }
        curves
    }

    fn draw(&self, area: &ChartArea<'_>, curves: &[(String, Vec<PlotPoint>)]) -> Drawn {
        let points = || curves.iter().flat_map(|(_, points)| points);
        let ends = |point: &PlotPoint| {
            let error = point.error.unwrap_or(0.0);
            [point.y - error, point.y + error, point.theory.unwrap_or(point.y)]
        };
        let x = around(points().map(|point| point.x));
        let y = around(points().flat_map(ends));
        let cap = CAP * (x.end - x.start);
        let caption = format!("{} over {}", self.observable, self.over);
        let mut chart = chart::panel(area, &caption).build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .bold_line_style(GRAY)
            .max_light_lines(0)
            .axis_style(INK)
            .x_desc(self.over.as_str())
            .y_desc(self.observable.as_str())
            .label_style(TextStyle::from(chart::font(14)).color(&INK))
            .draw()?;
        let colors: Vec<RGBColor> = chart::colors().take(curves.len()).collect();
        let expected = |points: &[PlotPoint]| -> Vec<(f64, f64)> {
            points.iter().filter_map(|point| Some((point.x, point.theory?))).collect()
        };
        for ((_, points), color) in curves.iter().zip(&colors) {
            let expected = expected(points);
            if !expected.is_empty() {
                let name = if *color == colors[0] { "theory" } else { "" };
                chart::line(&mut chart, name, &expected, chart::INK, 1)?;
            }
        }
        for ((name, points), color) in curves.iter().zip(colors) {
            let bars = points.iter().filter_map(|point| {
                let PlotPoint { x, y, error, .. } = *point;
                let [low, high] = [y - error?, y + error?];
                let bar = [(x, low), (x, high)];
                Some([bar, [low; 2].map(|y| (x, y)), [high; 2].map(|y| (x, y))].map(
                    |[from, to]| {
                        let cap = if from.1 == to.1 { cap } else { 0.0 };
                        PathElement::new([(from.0 - cap, from.1), (to.0 + cap, to.1)], color)
                    },
                ))
            });
            chart.draw_series(bars.flatten())?;
            let at: Vec<(f64, f64)> = points.iter().map(|point| (point.x, point.y)).collect();
            if points.iter().any(|point| point.theory.is_some()) {
                // The line is that of theory.
                chart
                    .draw_series(at.iter().map(|&at| Circle::new(at, 3, color.filled())))?
                    .label(name)
                    .legend(move |(x, y)| Circle::new((x + 10, y), 3, color.filled()));
            } else {
                chart::line(&mut chart, name, &at, color, 1)?;
                chart.draw_series(at.iter().map(|&at| Circle::new(at, 3, color.filled())))?;
            }
        }
        let has_names = curves.len() > 1 || points().any(|point| point.theory.is_some());
        // Where curves fall, they begin in the upper left.
        let falls = curves.iter().filter(|(_, points)| {
            let ends = points.first().zip(points.last());
            ends.is_some_and(|(first, last)| first.y > last.y)
        });
        let position = if 2 * falls.count() > curves.len() {
            SeriesLabelPosition::UpperRight
        } else {
            SeriesLabelPosition::UpperLeft
        };
        if has_names { chart::names_at(&mut chart, position) } else { Ok(()) }
    }
}

/// The point of runs with several seeds: their mean, and the error by their spread. A single run has its
/// own error.
fn mean_of(seeds: &[PlotPoint]) -> PlotPoint {
    let count = seeds.len() as f64;
    let y = seeds.iter().map(|point| point.y).sum::<f64>() / count;
    let squares: f64 = seeds.iter().map(|point| (point.y - y).powi(2)).sum();
    let spread = (seeds.len() > 1).then(|| (squares / (count * (count - 1.0))).sqrt());
    let theory: Option<f64> = seeds.iter().map(|point| point.theory).sum();
    let error = spread.or(seeds[0].error);
    PlotPoint { x: seeds[0].x, y, error, theory: theory.map(|sum| sum / count) }
}

/// A finite number.
fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// A range with all values in it, and some room around them.
fn around(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (low, high) = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| (low.min(it), high.max(it)));
    if low > high {
        return 0.0..1.0;
    }
    let room = if high > low { 0.05 * (high - low) } else { low.abs().max(1.0) * 0.05 };
    low - room..high + room
}
