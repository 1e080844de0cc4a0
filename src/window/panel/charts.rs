//! What is drawn: the time that everything takes, energies, and how full the cells are.

use egui::{Align2, Color32, FontFamily, FontId, Rangef, RichText, Sense, Ui, Vec2};
use egui_plot::{AxisHints, Bar, BarChart, GridMark, HPlacement, Line, Plot, PlotPoints, PlotUi};

use crate::{
    timing::{RECENT, TimeSummary},
    window::{
        gauge::{Gauge, Part},
        panel::style::{self, PLAIN, QUIET, WIDTH},
        session::Session,
        survey::{ENERGIES, ENERGY_MAX, OCCUPANTS, Survey},
    },
};

/// Points that charts are high.
const TIMES_HEIGHT: f32 = 84.0;
const SHARES_HEIGHT: f32 = 76.0;

/// Points that the axis of times, a name, and a figure are wide.
const AXIS: f32 = 26.0;
const NAME: f32 = 52.0;
const FIGURE: f32 = 29.0;

/// Letters of names and axes, and of figures.
const SMALL: FontId = FontId { size: 10.5, family: FontFamily::Proportional };
const FIGURES: FontId = FontId { size: 10.5, family: FontFamily::Monospace };

/// The shortest time that is told from none, milliseconds.
const MS_LEAST: f64 = 0.01;

/// Bars, and the curve that they are held against.
const BARS: Color32 = Color32::from_rgb(77, 121, 178);
const CURVE: Color32 = Color32::from_rgb(255, 196, 64);

/// The parts of a step, and what there is beside it, each in the order in which they happen.
const STEP: [Part; 6] =
    [Part::Step, Part::Contacts, Part::Order, Part::Resolve, Part::Integrate, Part::Regrid];
const FRAME: [Part; 3] = [Part::Draw, Part::Panel, Part::Present];

/// Told apart in greys, too, and by people who see fewer colors.
const fn color(part: Part) -> Color32 {
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
    style::headline(ui, "time, ms");
    times(ui, &session.gauge);
    ui.horizontal_top(|ui| {
        let width = (WIDTH - ui.spacing().item_spacing.x) / 2.0;
        ui.vertical(|ui| {
            ui.set_width(width);
            style::headline(ui, "kinetic energies, kT");
            energies(ui, width, survey);
        });
        ui.vertical(|ui| {
            ui.set_width(width);
            style::headline(ui, "agents a cell");
            occupancy(ui, width, survey);
        });
    });
}

/// On a logarithmic scale: what takes a hundredth of another shows, too.
fn times(ui: &mut Ui, gauge: &Gauge) {
    let most = Part::ALL.into_iter().filter_map(|part| gauge.samples(part).summary().p99);
    let most = most.fold(MS_LEAST * 10.0, f64::max);
    let (low, high) = (MS_LEAST.log10(), most.log10().ceil());
    let tens = move |_| (low as i32..=high as i32).map(|ten| mark(ten.into())).collect();
    let axis = AxisHints::new_y().placement(HPlacement::Right).min_thickness(AXIS);
    let axis = axis.label_spacing(Rangef::new(8.0, 10.0)).tick_label_font(SMALL);
    plot("times", WIDTH, TIMES_HEIGHT)
        .show_axes([false, true])
        .show_grid([false, true])
        .y_grid_spacer(tens)
        .custom_y_axes(vec![axis.formatter(|mark, _| format!("{}", 10_f64.powf(mark.value)))])
        .show(ui, |plot| {
            plot.set_plot_bounds_x(0.0..=RECENT as f64 - 1.0);
            plot.set_plot_bounds_y(low..=high);
            for part in Part::ALL {
                let samples = gauge.samples(part).iter();
                let first = RECENT - samples.len();
                let points = samples
                    .enumerate()
                    .map(|(n, ms)| [(first + n) as f64, f64::from(ms).max(MS_LEAST).log10()]);
                let line = Line::new(part.name(), points.collect::<PlotPoints<'_>>());
                plot.line(line.color(color(part)).width(1.0).allow_hover(false));
            }
        });
    let any = |part: &Part| *part != Part::Order || gauge.samples(*part).iter().len() > 0;
    let mut frame = FRAME.into_iter().map(Some);
    line(ui, |ui| {
        (0..2).for_each(|_| cells(ui, None, "", ["p50", "p99"].map(str::to_owned), QUIET));
    });
    for part in STEP.into_iter().filter(any) {
        line(ui, |ui| {
            percentiles(ui, gauge, part);
            if let Some(part) = frame.next().flatten() {
                percentiles(ui, gauge, part);
            }
        });
    }
}

fn line(ui: &mut Ui, contents: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.spacing_mut().interact_size.y = 13.0;
        contents(ui);
    });
}

fn percentiles(ui: &mut Ui, gauge: &Gauge, part: Part) {
    let TimeSummary { p50, p99, .. } = gauge.samples(part).summary();
    let figures = [p50, p99].map(|ms| ms.map_or("-".to_owned(), three));
    cells(ui, Some(color(part)), part.name(), figures, PLAIN);
}

/// A name behind its color, and two figures at the right of their columns.
fn cells(ui: &mut Ui, swatch: Option<Color32>, name: &str, figures: [String; 2], color: Color32) {
    let (place, _) = ui.allocate_exact_size(Vec2::new(8.0, 8.0), Sense::empty());
    ui.painter().rect_filled(place, 1.0, swatch.unwrap_or(Color32::TRANSPARENT));
    cell(ui, NAME, Align2::LEFT_CENTER, name, PLAIN);
    for figure in figures {
        cell(ui, FIGURE, Align2::RIGHT_CENTER, &figure, color);
    }
    ui.add_space(6.0);
}

fn cell(ui: &mut Ui, width: f32, align: Align2, text: &str, color: Color32) {
    let (place, _) = ui.allocate_exact_size(Vec2::new(width, 13.0), Sense::empty());
    let font = if align == Align2::LEFT_CENTER { SMALL } else { FIGURES };
    ui.painter().text(align.pos_in_rect(&place), align, text, font, color);
}

/// Milliseconds in three digits.
fn three(ms: f64) -> String {
    match ms {
        _ if ms < 9.995 => format!("{ms:.2}"),
        _ if ms < 99.95 => format!("{ms:.1}"),
        _ => format!("{ms:.0}"),
    }
}

fn energies(ui: &mut Ui, width: f32, survey: &Survey) {
    let part = ENERGY_MAX / ENERGIES as f64;
    let most = survey.energies.iter().copied().fold(1.0, f64::max).min(4.0);
    let bars = survey.energies.iter().enumerate();
    let bars = bars.map(|(n, &density)| Bar::new((n as f64 + 0.5) * part, density).width(part));
    let curve = (0..=60).map(|n| f64::from(n) * ENERGY_MAX / 60.0).map(|e| [e, (-e).exp()]);
    shares(ui, "energies", width, |plot| {
        plot.set_plot_bounds_x(0.0..=ENERGY_MAX);
        plot.set_plot_bounds_y(0.0..=most * 1.05);
        plot.bar_chart(BarChart::new("agents", bars.map(filled).collect()).allow_hover(false));
        let curve = Line::new("exp(-E/kT)", curve.collect::<PlotPoints<'_>>());
        plot.line(curve.color(CURVE).width(1.5).allow_hover(false));
    });
    ui.label(RichText::new("— exp(−E/kT), kT the mean").color(CURVE).size(10.0));
}

fn occupancy(ui: &mut Ui, width: f32, survey: &Survey) {
    let bars = survey.occupancy.iter().enumerate();
    let bars = bars.map(|(n, &share)| Bar::new(n as f64, share).width(0.85));
    let most = survey.occupancy.iter().copied().fold(0.1, f64::max);
    shares(ui, "occupancy", width, |plot| {
        plot.set_plot_bounds_x(-0.6..=OCCUPANTS as f64 - 0.4);
        plot.set_plot_bounds_y(0.0..=most * 1.05);
        plot.bar_chart(BarChart::new("cells", bars.map(filled).collect()).allow_hover(false));
    });
    let mean = format!("mean {:.2}", survey.mean_occupancy);
    ui.label(RichText::new(mean).color(QUIET).size(10.0));
}

fn filled(bar: Bar) -> Bar {
    bar.stroke(egui::Stroke::NONE).fill(BARS)
}

/// A chart of shares, with whole numbers along it.
fn shares<'a>(ui: &mut Ui, name: &str, width: f32, draw: impl FnOnce(&mut PlotUi<'a>) + 'a) {
    let axis = AxisHints::new_x().label_spacing(Rangef::new(8.0, 10.0)).tick_label_font(SMALL);
    plot(name, width, SHARES_HEIGHT)
        .show_axes([true, false])
        .show_grid(false)
        .x_grid_spacer(|shown| {
            let twos = (0..5).map(|n| f64::from(n) * 2.0);
            twos.filter(|&value| value <= shown.bounds.1).map(mark).collect()
        })
        .custom_x_axes(vec![axis.formatter(|mark, _| format!("{}", mark.value))])
        .show(ui, draw);
}

fn mark(value: f64) -> GridMark {
    GridMark { value, step_size: 2.0 }
}

/// A chart to look at: nothing in it moves but what it shows.
fn plot<'a>(name: &str, width: f32, height: f32) -> Plot<'a> {
    Plot::new(name.to_owned())
        .width(width)
        .height(height)
        .sense(Sense::empty())
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_axis_zoom_drag(false)
        .allow_double_click_reset(false)
        .show_crosshair(false)
        .show_x(false)
        .show_y(false)
        .show_background(false)
        .grid_color(Color32::from_rgb(58, 66, 92))
        .grid_fade(0.0)
}
