//! Plots of the observables that the user chooses, each beside the curve of theory.

use egui::{Area, Color32, Context, Id, Rangef, RichText, Ui, Vec2};
use egui_plot::{AxisHints, GridMark, HPlacement, Line, PlotPoints};

use super::charts::{self, CURVE};
use crate::{
    format,
    observe::{Observable, ValueSource},
    window::{
        command::{Command, PlotFile},
        panel::style::{self, QUIET, WIDTH},
        plots::ShownPlot,
        session::Session,
    },
};

/// Height of a plot, and width of the numbers beside it, points.
const HEIGHT: f32 = 78.0;
const AXIS: f32 = 36.0;

/// Largest size of an enlarged plot, and the space around it, points.
const LARGE: Vec2 = Vec2::new(760.0, 440.0);
const MARGIN: f32 = 8.0;

/// Color of the second curve.
const SECOND: Color32 = Color32::from_rgb(0, 158, 115);
/// And of the first, lighter than bars as it is thin.
const FIRST: Color32 = Color32::from_rgb(86, 180, 233);

/// Numbers along an axis, at most.
const MARKS: [f64; 2] = [6.0, 3.0];

/// Share of an axis at its end without a number.
const CORNER: f64 = 0.05;

/// Shows a button for each observable, and the plots of those that are chosen.
pub(super) fn show(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    ui.separator();
    style::headline(ui, "plots: click what is to be measured");
    ui.horizontal_wrapped(|ui| {
        let sim = session.sim();
        for observable in Observable::plotted().chain(Observable::observed(sim)) {
            let shown = session.reports.plots.shows(observable);
            let name = observable.name_in(sim).unwrap_or(observable.name());
            let button = ui.selectable_label(shown, name);
            if button.on_hover_text(observable.plot.hint).clicked() {
                commands.push(Command::Plot(observable));
            }
        }
    });
    let twin = session.host.twin.as_ref().map(|twin| &twin.plot);
    let shown = || twin.into_iter().chain(session.reports.plots.shown());
    // A quantity of another world file has no plot, and no button that ends it.
    let is_known = |plot: &&ShownPlot| {
        let observable = plot.observable;
        observable == Observable::TWIN
            || !observable.name().is_empty()
            || observable.name_in(session.sim()).is_some()
    };
    for plot in shown().filter(is_known) {
        style::hinted(ui, plot.observable.plot.hint, |ui| {
            chart(ui, plot, Vec2::new(WIDTH, HEIGHT), commands);
        });
    }
    let chosen = ui.data(|data| data.get_temp::<Observable>(enlarged()));
    let mut known = shown().filter(is_known);
    let chosen = known.find(|plot| Some(plot.observable) == chosen);
    if chosen.is_none() {
        close(ui.ctx());
    }
    if let Some(plot) = chosen
        && let Some(panel) = ui.memory(|memory| memory.area_rect(style::PANEL))
    {
        let corner = panel.right_top() + Vec2::new(MARGIN, 0.0);
        let room = ui.ctx().content_rect().max - corner - Vec2::new(2.0 * MARGIN, 4.0 * MARGIN);
        let size = room.clamp(Vec2::new(WIDTH, HEIGHT), LARGE);
        Area::new("enlarged plot".into()).fixed_pos(corner).show(ui.ctx(), |ui| {
            style::ground().show(ui, |ui| chart(ui, plot, size, commands));
        });
    }
}

/// Shows no plot beside the panel any more. False if none was.
pub(super) fn close(context: &Context) -> bool {
    context.data_mut(|data| {
        let was_shown = data.get_temp::<Observable>(enlarged()).is_some();
        data.remove::<Observable>(enlarged());
        was_shown
    })
}

/// Identifies the plot that is shown beside the panel, too.
fn enlarged() -> Id {
    Id::new("enlarged")
}

/// Shows a plot of that size below its heading, with buttons to enlarge it and to save it.
fn chart(ui: &mut Ui, shown: &ShownPlot, size: Vec2, commands: &mut Vec<Command>) {
    let ShownPlot { observable, title, measured, expected, .. } = shown;
    ui.add_space(2.0);
    ui.horizontal(|ui| {
        let small = |text: String, color| RichText::new(text).color(color).size(10.5);
        let last = |curve: &[[f64; 2]]| {
            let is_history =
                matches!(observable.source, ValueSource::Number(_) | ValueSource::Observed);
            let value = curve.last().filter(|_| is_history);
            value.map_or(String::new(), |[_, value]| {
                format!(" {}", format::four_digits(*value as f32))
            })
        };
        let title = format!("{title}{}", last(&measured[0]));
        ui.label(small(title, QUIET));
        if !expected.is_empty() {
            ui.label(small(format!("— {}{}", shown.line(), last(expected)), CURVE));
        }
    });
    if !shown.has_points() {
        ui.label(RichText::new("nothing to show in this run so far").color(QUIET).size(10.0));
        return;
    }
    ui.horizontal(|ui| {
        if ui.small_button(if size.x > WIDTH { "close" } else { "enlarge" }).clicked() {
            ui.data_mut(|data| {
                let before = data.get_temp::<Observable>(enlarged());
                data.remove::<Observable>(enlarged());
                if before != Some(*observable) {
                    data.insert_temp(enlarged(), *observable);
                }
            });
        }
        for file in PlotFile::ALL {
            if ui.small_button(format!("save {}", file.name())).clicked() {
                commands.push(Command::SavePlot(*observable, file));
            }
        }
    });
    let [x, y] = shown.bounds();
    let spacing = Rangef::new(8.0, 10.0);
    let along = AxisHints::new_x().label_spacing(spacing);
    let up = AxisHints::new_y().label_spacing(spacing);
    let up = up.placement(HPlacement::Right).min_thickness(AXIS);
    let [along, up] = [along, up].map(|axis| axis.formatter(|mark, _| number(mark)));
    let plot = charts::plot(title, size.x, size.y)
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
