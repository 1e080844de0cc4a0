//! Charts: times of the parts of a frame, kinetic energies, and agents per cell.

use egui::{Align2, Color32, FontFamily, FontId, Rangef, RichText, Sense, Ui, Vec2};
use egui_plot::{AxisHints, Bar, BarChart, GridMark, HPlacement, Line, Plot, PlotPoints, PlotUi};

use crate::{
    timing::{RECENT, TimeSummary},
    window::{
        frame_stats::{FrameStats, Part},
        panel::style::{self, PLAIN, QUIET, WIDTH},
        sampled_stats::{ENERGY_BINS, ENERGY_MAX, OCCUPANCY_BINS, SampledStats},
        session::Session,
    },
};

/// Heights of the charts in points.
const TIMES_HEIGHT: f32 = 84.0;
const HISTOGRAM_HEIGHT: f32 = 76.0;

/// Widths of the time axis, of a part's name and of a figure, in points.
const AXIS: f32 = 26.0;
const NAME: f32 = 52.0;
const FIGURE: f32 = 29.0;

/// Fonts of names and axes, and of figures.
const SMALL: FontId = FontId { size: 10.5, family: FontFamily::Proportional };
const FIGURES: FontId = FontId { size: 10.5, family: FontFamily::Monospace };

/// Lower end of the time axis in milliseconds.
const MS_MIN: f64 = 0.01;

/// Colors of bars, and of the curve of expected values.
const BARS: Color32 = Color32::from_rgb(77, 121, 178);
const CURVE: Color32 = Color32::from_rgb(255, 196, 64);

/// Parts of a step, and the other parts of a frame, in the order in which they happen.
const STEP: [Part; 6] =
    [Part::Step, Part::Contacts, Part::Order, Part::Resolve, Part::Integrate, Part::Regrid];
const FRAME: [Part; 3] = [Part::Draw, Part::Panel, Part::Present];

/// Color of a part's line. The colors also differ in brightness, and for people with color
/// blindness.
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

/// Shows all charts.
pub(super) fn show(ui: &mut Ui, session: &Session, stats: &SampledStats) {
    style::headline(ui, "time, ms");
    times(ui, &session.frame_stats);
    ui.horizontal_top(|ui| {
        let width = (WIDTH - ui.spacing().item_spacing.x) / 2.0;
        ui.vertical(|ui| {
            ui.set_width(width);
            style::headline(ui, "kinetic energies, kT");
            energies(ui, width, stats);
        });
        ui.vertical(|ui| {
            ui.set_width(width);
            style::headline(ui, "agents per cell");
            occupancy(ui, width, stats);
        });
    });
}

/// Shows recent times, on a logarithmic scale so that parts of very different cost are visible.
fn times(ui: &mut Ui, stats: &FrameStats) {
    let most = Part::ALL.into_iter().filter_map(|part| stats.recent(part).summary().p99);
    let most = most.fold(MS_MIN * 10.0, f64::max);
    let (low, high) = (MS_MIN.log10(), most.log10().ceil());
    let decades = move |_| (low as i32..=high as i32).map(|decade| mark(decade.into())).collect();
    let axis = AxisHints::new_y().placement(HPlacement::Right).min_thickness(AXIS);
    let axis = axis.label_spacing(Rangef::new(8.0, 10.0)).tick_label_font(SMALL);
    plot("times", WIDTH, TIMES_HEIGHT)
        .show_axes([false, true])
        .show_grid([false, true])
        .y_grid_spacer(decades)
        .custom_y_axes(vec![axis.formatter(|mark, _| format!("{}", 10_f64.powf(mark.value)))])
        .show(ui, |plot| {
            plot.set_plot_bounds_x(0.0..=RECENT as f64 - 1.0);
            plot.set_plot_bounds_y(low..=high);
            for part in Part::ALL {
                let samples = stats.recent(part).iter();
                let first = RECENT - samples.len();
                let points = samples
                    .enumerate()
                    .map(|(n, ms)| [(first + n) as f64, f64::from(ms).max(MS_MIN).log10()]);
                let line = Line::new(part.name(), points.collect::<PlotPoints<'_>>());
                plot.line(line.color(color(part)).width(1.0).allow_hover(false));
            }
        });
    let any = |part: &Part| *part != Part::Order || stats.recent(*part).iter().len() > 0;
    let mut frame = FRAME.into_iter().map(Some);
    line(ui, |ui| {
        (0..2).for_each(|_| cells(ui, None, "", ["p50", "p99"].map(str::to_owned), QUIET));
    });
    for part in STEP.into_iter().filter(any) {
        line(ui, |ui| {
            percentiles(ui, stats, part);
            if let Some(part) = frame.next().flatten() {
                percentiles(ui, stats, part);
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

fn percentiles(ui: &mut Ui, stats: &FrameStats, part: Part) {
    let TimeSummary { p50, p99, .. } = stats.recent(part).summary();
    let figures = [p50, p99].map(|ms| ms.map_or("-".to_owned(), three_digits));
    cells(ui, Some(color(part)), part.name(), figures, PLAIN);
}

/// Shows a color, a name and two figures, aligned in columns.
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

/// Formats milliseconds with three digits.
fn three_digits(ms: f64) -> String {
    match ms {
        _ if ms < 9.995 => format!("{ms:.2}"),
        _ if ms < 99.95 => format!("{ms:.1}"),
        _ => format!("{ms:.0}"),
    }
}

fn energies(ui: &mut Ui, width: f32, stats: &SampledStats) {
    let width_of_bin = ENERGY_MAX / ENERGY_BINS as f64;
    let most = stats.energies.iter().copied().fold(1.0, f64::max).min(4.0);
    let bars = stats.energies.iter().enumerate();
    let bars = bars.map(|(n, &density)| {
        Bar::new((n as f64 + 0.5) * width_of_bin, density).width(width_of_bin)
    });
    let curve = (0..=60).map(|n| f64::from(n) * ENERGY_MAX / 60.0).map(|e| [e, (-e).exp()]);
    histogram(ui, "energies", width, |plot| {
        plot.set_plot_bounds_x(0.0..=ENERGY_MAX);
        plot.set_plot_bounds_y(0.0..=most * 1.05);
        plot.bar_chart(BarChart::new("agents", bars.map(filled).collect()).allow_hover(false));
        let curve = Line::new("exp(-E/kT)", curve.collect::<PlotPoints<'_>>());
        plot.line(curve.color(CURVE).width(1.5).allow_hover(false));
    });
    ui.label(RichText::new("— exp(−E/kT), kT = mean").color(CURVE).size(10.0));
}

fn occupancy(ui: &mut Ui, width: f32, stats: &SampledStats) {
    let bars = stats.occupancy.iter().enumerate();
    let bars = bars.map(|(n, &share)| Bar::new(n as f64, share).width(0.85));
    let most = stats.occupancy.iter().copied().fold(0.1, f64::max);
    histogram(ui, "occupancy", width, |plot| {
        plot.set_plot_bounds_x(-0.6..=OCCUPANCY_BINS as f64 - 0.4);
        plot.set_plot_bounds_y(0.0..=most * 1.05);
        plot.bar_chart(BarChart::new("cells", bars.map(filled).collect()).allow_hover(false));
    });
    let mean = format!("mean {:.2}", stats.mean_occupancy);
    ui.label(RichText::new(mean).color(QUIET).size(10.0));
}

fn filled(bar: Bar) -> Bar {
    bar.stroke(egui::Stroke::NONE).fill(BARS)
}

/// Shows a histogram with even numbers along its axis.
fn histogram<'a>(ui: &mut Ui, name: &str, width: f32, draw: impl FnOnce(&mut PlotUi<'a>) + 'a) {
    let axis = AxisHints::new_x().label_spacing(Rangef::new(8.0, 10.0)).tick_label_font(SMALL);
    plot(name, width, HISTOGRAM_HEIGHT)
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

/// Creates a chart that the user can't drag or zoom.
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
