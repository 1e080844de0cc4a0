//! Figures and charts: exact numbers of one step, times of the parts of a frame, and, of a sample,
//! kinetic energies and agents per cell.

use std::ops::RangeInclusive;

use egui::{
    Color32, FontFamily, FontId, Grid, Label, Rangef, RichText, Sense, Stroke, TextStyle, Ui,
};
use egui_plot::{AxisHints, Bar, BarChart, GridMark, HPlacement, Line, Plot, PlotPoints, PlotUi};

use crate::{
    format,
    sim::Measures,
    timing::{RECENT, TimeSummary},
    window::{
        frame_stats::{FrameStats, Part},
        panel::style::{self, QUIET, WIDTH},
        run_stats::{ENERGY_BINS, ENERGY_MAX, OCCUPANCY_BINS, RunStats, StateFigures},
        session::Session,
    },
};

/// Heights of the charts in points.
const TIMES_HEIGHT: f32 = 70.0;
const HISTOGRAM_HEIGHT: f32 = 62.0;

/// Widths of the time axis and of a figure in points.
const AXIS: f32 = 26.0;
const FIGURE: f32 = 64.0;

const TIMES_HINT: &str = "Time of each part of a step and of a frame: the last 240 of each on a logarithmic \
                          scale, their median (p50) and the time that 99 of 100 stay below (p99).";
const ENERGY_HINT: &str = "How kinetic energies are spread, in multiples of their mean; the curve is a gas in \
                           equilibrium.";
const OCCUPANCY_HINT: &str = "How many loose cells have 0, 1, 2, .. agents.";

/// Font of the axes.
const SMALL: FontId = FontId { size: 10.5, family: FontFamily::Proportional };

/// Distances of grid lines in points, from invisible to as bright as text: so all lines are faint.
const FAINT: Rangef = Rangef { min: 8.0, max: 700.0 };

/// Lower end of the time axis in milliseconds.
const MS_MIN: f64 = 0.01;

/// Colors of bars, and of the curve of expected values.
const BARS: Color32 = Color32::from_rgb(77, 121, 178);
pub(super) const CURVE: Color32 = Color32::from_rgb(255, 196, 64);

/// A part of a frame, its name, and the color of its line. The colors also differ in brightness,
/// and for people with color blindness.
type PartLine = (Part, &'static str, Color32);

/// Parts of a step.
const STEP: [PartLine; 6] = [
    (Part::Step, "step", Color32::from_rgb(236, 238, 243)),
    (Part::Contacts, "contacts", Color32::from_rgb(86, 180, 233)),
    (Part::Order, "order", Color32::from_rgb(140, 140, 150)),
    (Part::Resolve, "resolve", Color32::from_rgb(0, 158, 115)),
    (Part::Integrate, "integrate", Color32::from_rgb(0, 114, 178)),
    (Part::Regrid, "regrid", Color32::from_rgb(204, 121, 167)),
];

/// The other parts of a frame.
const FRAME: [PartLine; 3] = [
    (Part::Draw, "draw", Color32::from_rgb(240, 228, 66)),
    (Part::Panel, "panel", Color32::from_rgb(230, 159, 0)),
    (Part::Present, "present", Color32::from_rgb(213, 94, 0)),
];

/// Shows all charts.
pub(super) fn show(ui: &mut Ui, session: &Session, stats: &RunStats, driver: &str) {
    style::row(ui, "screen by", "The presenter of frames; --present chooses it.", |ui| {
        ui.add(Label::new(driver).truncate());
    });
    style::hinted(ui, TIMES_HINT, |ui| {
        style::headline(ui, "time, ms");
        times(ui, &session.reports.frame_stats);
        percentiles(ui, &session.reports.frame_stats);
    });
    ui.horizontal_top(|ui| {
        energies(ui, stats);
        occupancy(ui, stats);
    });
}

/// Shows the figures, two per row. All belong to one step.
pub(super) fn figures(ui: &mut Ui, session: &Session, stats: &RunStats) {
    let StateFigures { steps, agents, awake, measures, .. } = stats.figures;
    let Measures { contacts, max_overlap: overlap, kinetic_energy: energy, .. } = measures;
    let bytes = stats.memory.total();
    let count = |count: usize| format::grouped(count as u64);
    let figures = [
        ("step", "Steps since the start.", format::grouped(steps)),
        (
            "time",
            "Simulated time since the start.",
            format!("{:.2} s", session.host.seconds(steps)),
        ),
        ("agents", "Agents in the world now.", count(agents)),
        ("awake", "Agents that the solver does not leave out as being at rest.", count(awake)),
        ("solver", "The solver of contacts.", session.setup().solver_in_use().name().to_owned()),
        ("contacts", "Pairs of agents that overlap.", format::grouped(contacts)),
        (
            "deepest",
            "The deepest overlap, as a share of the smaller radius.",
            format!("{:.2} %", 100.0 * overlap),
        ),
        ("energy", "Kinetic energy of all agents; mass is radius².", format!("{energy:.4e}")),
        ("memory", "Memory of agents, grid and contacts.", format::bytes(bytes as u64)),
        ("per agent", "Memory per agent.", format!("{:.1} B", bytes as f64 / agents.max(1) as f64)),
    ];
    for pair in figures.chunks(2) {
        ui.horizontal(|ui| {
            for (name, about, value) in pair {
                style::hinted(ui, about, |ui| {
                    style::label(ui, name);
                    ui.scope(|ui| {
                        ui.set_width(FIGURE);
                        ui.label(value);
                    });
                });
            }
        });
    }
    ui.separator();
}

/// Shows recent times, on a logarithmic scale so that parts of very different cost are visible.
fn times(ui: &mut Ui, stats: &FrameStats) {
    let parts = || STEP.iter().chain(&FRAME);
    let most = parts().filter_map(|&(part, ..)| stats.recent(part).summary().p99);
    let most = most.fold(MS_MIN * 10.0, f64::max);
    let (low, high) = (MS_MIN.log10(), most.log10().ceil());
    let decades = move |_| (low as i32..=high as i32).map(|decade| mark(decade.into())).collect();
    let axis = AxisHints::new_y().placement(HPlacement::Right).min_thickness(AXIS);
    let axis = axis.label_spacing(Rangef::new(8.0, 10.0));
    let plot = plot("times", WIDTH, TIMES_HEIGHT)
        .show_axes([false, true])
        .show_grid([false, true])
        .y_grid_spacer(decades)
        .custom_y_axes(vec![axis.formatter(|mark, _| format!("{}", 10_f64.powf(mark.value)))]);
    show_plot(ui, plot, |plot| {
        plot.set_plot_bounds_x(0.0..=RECENT as f64 - 1.0);
        plot.set_plot_bounds_y(low..=high);
        for &(part, name, color) in parts() {
            let samples = stats.recent(part).iter();
            let first = RECENT - samples.len();
            let points = samples
                .enumerate()
                .map(|(n, ms)| [(first + n) as f64, f64::from(ms).max(MS_MIN).log10()]);
            let line = Line::new(name, points.collect::<PlotPoints<'_>>());
            plot.line(line.color(color).width(1.0).allow_hover(false));
        }
    });
}

/// Shows the percentiles of the parts of a step, and beside them of the other parts.
fn percentiles(ui: &mut Ui, stats: &FrameStats) {
    let any = |&&(part, ..): &&PartLine| part != Part::Order || stats.recent(part).iter().len() > 0;
    let text = |text: String| RichText::new(text).size(10.5);
    Grid::new("percentiles").spacing([6.0, 0.0]).min_row_height(13.0).show(ui, |ui| {
        for head in ["", "p50", "p99"].repeat(2) {
            ui.label(text(format!("{head:>5}")).monospace().color(QUIET));
        }
        ui.end_row();
        let mut frame = FRAME.iter();
        for step in STEP.iter().filter(any) {
            for &(part, name, color) in std::iter::once(step).chain(frame.next()) {
                ui.horizontal(|ui| {
                    ui.label(text("■".to_owned()).color(color));
                    ui.label(text(name.to_owned()));
                });
                let TimeSummary { p50, p99, .. } = stats.recent(part).summary();
                for ms in [p50, p99] {
                    let figure = ms.map_or("-".to_owned(), format::digits);
                    ui.label(text(format!("{figure:>5}")).monospace());
                }
            }
            ui.end_row();
        }
    });
}

fn energies(ui: &mut Ui, stats: &RunStats) {
    let width = ENERGY_MAX / ENERGY_BINS as f64;
    let bars = (0..).zip(stats.energies);
    let bars =
        bars.map(|(n, density)| Bar::new((f64::from(n) + 0.5) * width, density).width(width));
    let curve = (0..=60).map(|n| f64::from(n) * ENERGY_MAX / 60.0).map(|e| [e, (-e).exp()]);
    let curve = Line::new("exp(-E/kT)", curve.collect::<PlotPoints<'_>>());
    let caption = RichText::new("— exp(−E/kT), kT = mean").color(CURVE);
    let most = stats.energies.iter().copied().fold(1.0, f64::max).min(4.0);
    let bounds = [0.0..=ENERGY_MAX, 0.0..=most * 1.05];
    histogram(
        ui,
        ["energies of a sample, kT", "energies", ENERGY_HINT],
        caption,
        bounds,
        bars.collect(),
        Some(curve),
    );
}

fn occupancy(ui: &mut Ui, stats: &RunStats) {
    let bars = (0..).zip(stats.occupancy);
    let bars = bars.map(|(n, share)| Bar::new(f64::from(n), share).width(0.85));
    let caption = RichText::new(format!("mean {:.2}", stats.mean_occupancy)).color(QUIET);
    let most = stats.occupancy.iter().copied().fold(0.1, f64::max);
    let bounds = [-0.6..=OCCUPANCY_BINS as f64 - 0.4, 0.0..=most * 1.05];
    histogram(
        ui,
        ["agents per cell, sample", "occupancy", OCCUPANCY_HINT],
        caption,
        bounds,
        bars.collect(),
        None,
    );
}

/// Shows a histogram of half the panel's width, with even numbers along its axis.
fn histogram(
    ui: &mut Ui,
    [heading, name, about]: [&str; 3],
    caption: RichText,
    [x, y]: [RangeInclusive<f64>; 2],
    bars: Vec<Bar>,
    curve: Option<Line<'_>>,
) {
    let bars = bars.into_iter().map(|bar| bar.stroke(Stroke::NONE).fill(BARS)).collect();
    let axis = AxisHints::new_x().label_spacing(Rangef::new(8.0, 10.0));
    let width = (WIDTH - ui.spacing().item_spacing.x) / 2.0;
    style::hinted(ui, about, |ui| {
        ui.vertical(|ui| {
            ui.set_width(width);
            style::headline(ui, heading);
            let plot = plot(name, width, HISTOGRAM_HEIGHT)
                .show_axes([true, false])
                .show_grid(false)
                .x_grid_spacer(|shown| {
                    let twos = (0..5).map(|n| f64::from(n) * 2.0);
                    twos.filter(|&value| value <= shown.bounds.1).map(mark).collect()
                })
                .custom_x_axes(vec![axis.formatter(|mark, _| format!("{}", mark.value))]);
            show_plot(ui, plot, |plot| {
                plot.set_plot_bounds_x(x);
                plot.set_plot_bounds_y(y);
                plot.bar_chart(BarChart::new(name, bars).allow_hover(false));
                if let Some(curve) = curve {
                    plot.line(curve.color(CURVE).width(1.5).allow_hover(false));
                }
            });
            ui.label(caption.size(10.0));
        });
    });
}

fn mark(value: f64) -> GridMark {
    GridMark { value, step_size: 2.0 }
}

/// Creates a chart that the user can't drag or zoom.
pub(super) fn plot<'a>(name: &str, width: f32, height: f32) -> Plot<'a> {
    Plot::new(name.to_owned())
        .width(width)
        .height(height)
        .sense(Sense::empty())
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_axis_zoom_drag(false)
        .show_x(false)
        .show_y(false)
        .show_background(false)
        .grid_spacing(FAINT)
}

/// Shows a chart with small letters along its axes.
pub(super) fn show_plot<'a, 'b>(
    ui: &mut Ui,
    plot: Plot<'a>,
    contents: impl FnOnce(&mut PlotUi<'b>) + 'a,
) {
    ui.scope(|ui| {
        ui.style_mut().text_styles.insert(TextStyle::Body, SMALL);
        plot.show(ui, contents);
    });
}
