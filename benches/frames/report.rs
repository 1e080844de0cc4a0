//! The tables of the sweep, and its worst cells.

use jostle::Scene;

use crate::{
    Flags,
    record::Record,
    sweep::{Cell, Sweep},
};

/// A draw takes at most this, in ratio to filling and copying a frame of 1920×1080.
pub(crate) const LIMIT: f64 = 8.0;

/// A size takes at most this, in ratio to the next larger one.
const STEP_LIMIT: f64 = 1.25;

/// Draws shorter than this are not worth a second thread, milliseconds.
const THREADS_FROM: f64 = 2.0;

/// Writes all tables. `floor` is the time of filling and copying, milliseconds.
pub(crate) fn write(record: &mut Record, sweeps: &[Sweep], flags: &Flags, floor: f64) {
    record.line(&format!("floor     {floor:.3} ms fill and copy 1920x1080"));
    for sweep in sweeps {
        record.line("");
        record.line(&format!("{}: time of a frame / fill and copy", name(sweep)));
        table(record, sweep, flags, |cell| format!("{:.2}", cell.milliseconds() / floor));
        if flags.threads > 1 {
            let threads = flags.threads;
            record.line(&format!("processor time of {threads} threads / of one"));
            let ratio = |cell: &Cell| cell.several.cpu.as_secs_f64() / cell.one.cpu.as_secs_f64();
            table(record, sweep, flags, |cell| long(cell, ratio));
            record.line(&format!("wall time of one thread / of {threads}"));
            let ratio = |cell: &Cell| cell.one.wall.as_secs_f64() / cell.several.wall.as_secs_f64();
            table(record, sweep, flags, |cell| long(cell, ratio));
        }
    }
    record.line("");
    for sweep in sweeps {
        summary(record, sweep, flags, floor);
    }
    if let Some((sweep, cell)) = worst(sweeps) {
        record.line(&format!(
            "worst cell: {}, {}, {:.1} ms, {:.2} x fill and copy",
            name(sweep),
            place(cell),
            cell.milliseconds(),
            cell.milliseconds() / floor,
        ));
    }
}

/// The scene and the agents.
pub(crate) fn name(sweep: &Sweep) -> String {
    format!("{}, {} agents", Scene::name(sweep.scene), short(sweep.agents))
}

/// A number of agents as people write it.
pub(crate) fn short(agents: u32) -> String {
    match agents {
        1_000_000.. => format!("{}M", (f64::from(agents) / 1e5).round() / 10.0),
        1_000.. => format!("{}k", (f64::from(agents) / 1e3).round()),
        _ => agents.to_string(),
    }
}

fn place(cell: &Cell) -> String {
    format!("{} shown, {}", short(cell.shown), cell.size)
}

/// A ratio, for cells that take long.
fn long(cell: &Cell, ratio: impl Fn(&Cell) -> f64) -> String {
    if cell.milliseconds() > THREADS_FROM { format!("{:.2}", ratio(cell)) } else { "-".to_owned() }
}

/// One line per zoom, one column per size.
fn table(record: &mut Record, sweep: &Sweep, flags: &Flags, figure: impl Fn(&Cell) -> String) {
    let line = |head: &str, figures: Vec<String>| {
        figures.iter().fold(format!("{head:>7}"), |line, figure| format!("{line} {figure:>9}"))
    };
    let sizes = flags.sizes.iter().map(ToString::to_string);
    record.line(&line("shown", sizes.collect()));
    for cells in sweep.cells.chunks(flags.sizes.len()) {
        record.line(&line(&short(cells[0].shown), cells.iter().map(&figure).collect()));
    }
}

/// The worst cells of a scene, one line each.
fn summary(record: &mut Record, sweep: &Sweep, flags: &Flags, floor: f64) {
    let above = sweep.cells.iter().filter(|cell| cell.milliseconds() > LIMIT * floor).count();
    let Some((_, cell)) = worst([sweep]) else { return };
    record.line(&format!(
        "{}: at most {:.2} x ({}), {:.2} ns per agent above 2 x; {above} of {} cells above {LIMIT} x",
        name(sweep),
        cell.milliseconds() / floor,
        place(cell),
        (cell.milliseconds() - 2.0 * floor).max(0.0) * 1e6 / f64::from(sweep.agents),
        sweep.cells.len(),
    ));
    let rows = sweep.cells.chunks(flags.sizes.len());
    let pairs = rows.flat_map(|cells| cells.windows(2));
    let ratio = |pair: &[Cell]| pair[0].milliseconds() / pair[1].milliseconds();
    if let Some(pair) = pairs.clone().max_by(|a, b| ratio(a).total_cmp(&ratio(b))) {
        let above = pairs.filter(|pair| ratio(pair) > STEP_LIMIT).count();
        record.line(&format!(
            "    in ratio to the next larger size at most {:.2} ({}); {above} above {STEP_LIMIT}",
            ratio(pair),
            place(&pair[0]),
        ));
    }
}

/// The cell that takes longest, with its sweep.
fn worst<'a>(sweeps: impl IntoIterator<Item = &'a Sweep>) -> Option<(&'a Sweep, &'a Cell)> {
    let cells =
        sweeps.into_iter().flat_map(|sweep| sweep.cells.iter().map(move |cell| (sweep, cell)));
    cells.max_by(|(_, a), (_, b)| a.milliseconds().total_cmp(&b.milliseconds()))
}
