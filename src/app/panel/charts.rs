//! What is drawn: the time that everything takes, energies, and how full the cells are.

use egui::{Color32, RichText, Ui, Vec2};
use egui_plot::{Bar, BarChart, GridMark, HPlacement, Line, Plot, PlotPoints, PlotUi};

use crate::app::{
    gauge::{Gauge, KEPT, Part},
    panel::style::{self, QUIET, WIDTH},
    session::Session,
    survey::{ENERGIES, ENERGY_MAX, OCCUPANTS, Survey},
};

/// Points that charts are high.
const TIMES_HEIGHT: f32 = 88.0;
const SHARES_HEIGHT: f32 = 78.0;

/// Bars, and the curve that they are held against.
const BARS: Color32 = Color32::from_rgb(77, 121, 178);
const CURVE: Color32 = Color32::from_rgb(255, 196, 64);

/// The parts of a step, and what there is beside it, each in the order in which they happen.
const STEP: [Part; 6] =
    [Part::Step, Part::Contacts, Part::Order, Part::Resolve, Part::Integrate, Part::Regrid];
const FRAME: [Part; 3] = [Part::Draw, Part::Panel, Part::Present];

/// Told apart in greys, too, and by people who see fewer colours.
const fn colour(part: Part) -> Color32 {
    match part {
        Part::Step => Color32::from_rgb(236, 238, 243),
        Part::Contacts => Color32::from_rgb(86, 180, 233),
        Part::Order => Color32::from_rgb(140, 140, 150),
        Part::Resolve => Color32::from_rgb(0, 158, 115),
        Part::Integrate => Color32::from_rgb(0, 114, 178),
        Part::Regrid => Color32::from_rgb(204, 121, 167),
        Part::Draw => Color32::from_rgb(240, 228, 66),
        Part::Panel => Color32::from_rgb(230, 159, 0),
        Part::Present => Color32::from_rgb(213, 94, 0),
    }
}

/// Shows all of them.
pub(super) fn show(ui: &mut Ui, session: &Session, survey: &Survey) {
    style::headline(ui, "TIME, ms");
    times(ui, &session.gauge);
    ui.horizontal_top(|ui| {
        let width = (WIDTH - ui.spacing().item_spacing.x) / 2.0;
        ui.vertical(|ui| {
            ui.set_width(width);
            style::headline(ui, "KINETIC ENERGY, kT");
            energies(ui, width, survey);
        });
        ui.vertical(|ui| {
            ui.set_width(width);
            style::headline(ui, "AGENTS A CELL");
            occupancy(ui, width, survey);
        });
    });
}

fn times(ui: &mut Ui, gauge: &Gauge) {
    let most = Part::ALL.into_iter().filter_map(|part| gauge.samples(part).percentiles());
    let most = round_up(most.map(|[_, p99]| f64::from(p99)).fold(0.1, f64::max));
    plot("times", WIDTH, TIMES_HEIGHT, most, |value| format!("{value}"))
        .show_axes([false, true])
        .show(ui, |plot| {
            bounds(plot, [0.0, KEPT as f64 - 1.0], most);
            for part in Part::ALL {
                let samples = gauge.samples(part).iter();
                let first = KEPT - samples.len();
                let points = samples.enumerate().map(|(n, ms)| [(first + n) as f64, ms.into()]);
                let line = Line::new(part.name(), points.collect::<PlotPoints<'_>>());
                plot.line(line.color(colour(part)).width(1.0).allow_hover(false));
            }
        });
    egui::Grid::new("percentiles").num_columns(6).spacing([6.0, 1.0]).show(ui, |ui| {
        for _ in 0..2 {
            ui.label("");
            for word in ["p50", "p99"] {
                right(ui, word, QUIET);
            }
        }
        ui.end_row();
        let any = |part: &Part| *part != Part::Order || gauge.samples(*part).iter().len() > 0;
        let mut frame = FRAME.into_iter();
        for part in STEP.into_iter().filter(any) {
            percentiles(ui, gauge, part);
            if let Some(part) = frame.next() {
                percentiles(ui, gauge, part);
            }
            ui.end_row();
        }
    });
}

fn percentiles(ui: &mut Ui, gauge: &Gauge, part: Part) {
    ui.horizontal(|ui| {
        let (swatch, _) = ui.allocate_exact_size(Vec2::new(8.0, 8.0), egui::Sense::empty());
        ui.painter().rect_filled(swatch, 1.0, colour(part));
        ui.label(RichText::new(part.name()).size(11.0));
    });
    let figures = gauge.samples(part).percentiles();
    for which in [0, 1] {
        let text = figures.map_or("-".to_owned(), |figures| format!("{:.2}", figures[which]));
        right(ui, &text, style::PLAIN);
    }
}

/// Words at the right of their column.
fn right(ui: &mut Ui, text: &str, colour: Color32) {
    ui.scope(|ui| {
        ui.set_width(36.0);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.label(RichText::new(text).color(colour).size(10.5).monospace());
        });
    });
}

fn energies(ui: &mut Ui, width: f32, survey: &Survey) {
    let part = ENERGY_MAX / ENERGIES as f64;
    let most = survey.energies.iter().copied().fold(1.0, f64::max).min(4.0);
    let bars = survey.energies.iter().enumerate();
    let bars = bars.map(|(n, &density)| Bar::new((n as f64 + 0.5) * part, density).width(part));
    let bars = bars.map(|bar| bar.stroke(egui::Stroke::NONE).fill(BARS)).collect();
    let curve = (0..=60).map(|n| f64::from(n) * ENERGY_MAX / 60.0).map(|e| [e, (-e).exp()]);
    plot("energies", width, SHARES_HEIGHT, 1.0, |_| String::new()).show_axes([true, false]).show(
        ui,
        |plot| {
            bounds(plot, [0.0, ENERGY_MAX], most * 1.05);
            plot.bar_chart(BarChart::new("agents", bars).allow_hover(false));
            let curve = Line::new("exp(-E/kT)", curve.collect::<PlotPoints<'_>>());
            plot.line(curve.color(CURVE).width(1.5).allow_hover(false));
        },
    );
    ui.label(RichText::new("— exp(−E/kT), kT the mean").color(CURVE).size(10.0));
}

fn occupancy(ui: &mut Ui, width: f32, survey: &Survey) {
    let bars = survey.occupancy.iter().enumerate();
    let bars = bars.map(|(n, &share)| Bar::new(n as f64, share).width(0.85));
    let bars = bars.map(|bar| bar.stroke(egui::Stroke::NONE).fill(BARS)).collect();
    let most = survey.occupancy.iter().copied().fold(0.1, f64::max);
    plot("occupancy", width, SHARES_HEIGHT, 1.0, |_| String::new()).show_axes([true, false]).show(
        ui,
        |plot| {
            bounds(plot, [-0.6, OCCUPANTS as f64 - 0.4], most * 1.05);
            plot.bar_chart(BarChart::new("cells", bars).allow_hover(false));
        },
    );
    let mean = format!("mean {:.2}", survey.mean_occupancy);
    ui.label(RichText::new(mean).color(QUIET).size(10.0));
}

/// A chart to look at: nothing in it moves but what it shows. `y` goes to `most`, with two lines across.
fn plot<'a>(
    name: &str,
    width: f32,
    height: f32,
    most: f64,
    y: impl Fn(f64) -> String + 'a,
) -> Plot<'a> {
    let line = move |value: f64| GridMark { value, step_size: most };
    Plot::new(name.to_owned())
        .width(width)
        .height(height)
        .sense(egui::Sense::empty())
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_axis_zoom_drag(false)
        .allow_double_click_reset(false)
        .show_crosshair(false)
        .show_x(false)
        .show_y(false)
        .y_axis_position(HPlacement::Right)
        .y_axis_min_width(26.0)
        .y_grid_spacer(move |_| vec![line(0.0), line(most / 2.0), line(most)])
        .x_grid_spacer(|_| {
            (0..=8).map(|n| GridMark { value: f64::from(n), step_size: 1.0 }).collect()
        })
        .y_axis_formatter(move |mark, _| y(mark.value))
        .x_axis_formatter(|mark, _| format!("{}", mark.value))
}

fn bounds(plot: &mut PlotUi<'_>, x: [f64; 2], y: f64) {
    plot.set_plot_bounds_x(x[0]..=x[1]);
    plot.set_plot_bounds_y(0.0..=y);
}

/// The next number of 1, 2 or 5 and zeros.
fn round_up(value: f64) -> f64 {
    let ten = 10_f64.powf(value.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .map(|digit| digit * ten)
        .into_iter()
        .find(|&round| round >= value)
        .unwrap_or(value)
}
