//! Plots of the observables that the user chooses, each beside the curve of theory.

use std::ops::RangeInclusive;

use egui::{Color32, Rangef, RichText, Ui};
use egui_plot::{AxisHints, GridMark, HPlacement, Line, PlotPoints};

use super::charts::{self, CURVE};
use crate::{
    format,
    observe::{Observable, ValueSource},
    window::{
        command::Command,
        panel::style::{self, QUIET, WIDTH},
        plots::ShownPlot,
        session::Session,
    },
};

/// Height of a plot, and width of the numbers beside it, points.
const HEIGHT: f32 = 78.0;
const AXIS: f32 = 36.0;

/// Color of the second curve.
const SECOND: Color32 = Color32::from_rgb(0, 158, 115);
/// And of the first, lighter than bars as it is thin.
const FIRST: Color32 = Color32::from_rgb(86, 180, 233);

/// Smallest height of a plot along the time of the run, as a share of its values: less is noise.
const SHARE_MIN: f64 = 0.05;

/// Numbers along an axis, at most.
const MARKS: [f64; 2] = [6.0, 3.0];

/// Share of an axis at its end without a number.
const CORNER: f64 = 0.05;

/// Shows a button for each observable, and the plots of those that are chosen.
pub(super) fn show(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    ui.separator();
    style::headline(ui, "plots: click what is to be measured");
    ui.horizontal_wrapped(|ui| {
        for observable in Observable::plotted() {
            let shown = session.reports.plots.shows(observable);
            let button = ui.selectable_label(shown, observable.name());
            if button.on_hover_text(observable.plot.hint).clicked() {
                commands.push(Command::Plot(observable));
            }
        }
    });
    for shown in session.reports.plots.shown() {
        style::hinted(ui, shown.observable.plot.hint, |ui| chart(ui, shown));
    }
}

/// Shows a plot below its heading.
fn chart(ui: &mut Ui, shown: &ShownPlot) {
    let ShownPlot { observable, measured, expected, .. } = shown;
    ui.add_space(2.0);
    ui.horizontal(|ui| {
        let small = |text: String, color| RichText::new(text).color(color).size(10.5);
        let last = |curve: &[[f64; 2]]| {
            let is_history = matches!(observable.source, ValueSource::Number(_));
            let value = curve.last().filter(|_| is_history);
            value.map_or(String::new(), |[_, value]| {
                format!(" {}", format::four_digits(*value as f32))
            })
        };
        let title = format!("{}{}", observable.plot.title, last(&measured[0]));
        ui.label(small(title, QUIET));
        if !expected.is_empty() {
            ui.label(small(format!("— theory{}", last(expected)), CURVE));
        }
    });
    if measured[0].is_empty() {
        ui.label(RichText::new("nothing to show yet").color(QUIET).size(10.0));
        return;
    }
    let [x, y] = bounds(shown);
    let spacing = Rangef::new(8.0, 10.0);
    let along = AxisHints::new_x().label_spacing(spacing);
    let up = AxisHints::new_y().label_spacing(spacing);
    let up = up.placement(HPlacement::Right).min_thickness(AXIS);
    let [along, up] = [along, up].map(|axis| axis.formatter(|mark, _| number(mark)));
    let plot = charts::plot(observable.name(), WIDTH, HEIGHT)
        .show_axes([true, true])
        .show_grid([false, true])
        .x_grid_spacer(|shown| {
            let (low, high) = shown.bounds;
            // The corner belongs to the other axis.
            let last = high - CORNER * (high - low);
            marks(shown.bounds, MARKS[0]).into_iter().filter(|mark| mark.value < last).collect()
        })
        .y_grid_spacer(|shown| marks(shown.bounds, MARKS[1]))
        .custom_x_axes(vec![along])
        .custom_y_axes(vec![up]);
    charts::show_plot(ui, plot, |plot| {
        plot.set_plot_bounds_x(x);
        plot.set_plot_bounds_y(y);
        let curves = [(&measured[0], FIRST), (&measured[1], SECOND), (expected, CURVE)];
        for (number, (points, color)) in curves.into_iter().enumerate() {
            let line = Line::new(number.to_string(), PlotPoints::from(points.clone()));
            plot.line(line.color(color).width(1.5).allow_hover(false));
        }
    });
}

/// The ranges of a plot along both axes.
fn bounds(shown: &ShownPlot) -> [RangeInclusive<f64>; 2] {
    let points = || shown.measured.iter().chain([&shown.expected]).flatten();
    let range = |axis: usize| {
        points().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], point| {
            [low.min(point[axis]), high.max(point[axis])]
        })
    };
    let ([from, to], values) = (range(0), range(1));
    let [low, high] = (shown.observable.plot.ends)(values);
    let middle = 0.5 * (low + high);
    let least = (SHARE_MIN * middle.abs()).max(f64::MIN_POSITIVE.sqrt());
    let half = (0.5 * (high - low) * 1.1).max(0.5 * least);
    let below = if low == 0.0 { 0.0 } else { middle - half };
    let across = (to - from).max(f64::EPSILON * to.abs()).max(1e-9);
    [to - across..=to, below..=middle + half]
}

/// Round numbers of an axis, at most about `most` of them.
fn marks((low, high): (f64, f64), most: f64) -> Vec<GridMark> {
    let rough = (high - low) / most;
    let decade = 10.0_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|n| n * decade).into_iter().find(|step| *step >= rough);
    let step = step.unwrap_or(10.0 * decade);
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (first..=last.min(first + 20))
        .map(|n| GridMark { value: n as f64 * step, step_size: step })
        .collect()
}

/// The number of a mark, with the digits that tell it from the next.
fn number(mark: GridMark) -> String {
    let GridMark { value, step_size } = mark;
    if value != 0.0 && (value.abs() >= 1e5 || step_size < 1e-4) {
        return format!("{value:.0e}");
    }
    let decimals = (-step_size.log10().floor()).max(0.0) as usize;
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_a_few_round_numbers() {
        for (bounds, most, expected) in [
            ((0.0, 1.08), 3.0, "0.0 0.5 1.0"),
            ((12.83, 13.49), 3.0, "13.0"),
            ((118.0, 1_240.0), 6.0, "200 400 600 800 1000 1200"),
            ((-0.013, 0.021), 3.0, "0.00 0.02"),
            ((0.0, 9e6), 3.0, "0 5e6"),
        ] {
            let texts: Vec<String> = marks(bounds, most).into_iter().map(number).collect();
            assert_eq!(texts.join(" "), expected);
        }
    }
}
