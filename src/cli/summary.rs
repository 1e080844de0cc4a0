//! Summary of a run as text: set-up, times, results, memory.

use std::fmt::{self, Write};

use crate::{Sim, index::DoubleGrid, timing::TimeSummary};

use super::{
    format::{bytes, four_digits, grouped, large, plural},
    report::Report,
};

/// Style of headings, if stdout shows it.
const BOLD: anstyle::Style = anstyle::Style::new().bold();

/// The summary of a run of `steps` planned steps.
pub(super) fn summary(report: &Report, sim: &Sim, steps: u64) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = set_up(&mut text, report, sim, steps)
        .and_then(|()| timings(&mut text, report))
        .and_then(|()| results(&mut text, report, sim))
        .and_then(|()| memory(&mut text, report, sim));
    text
}

fn set_up(text: &mut String, report: &Report, sim: &Sim, steps: u64) -> fmt::Result {
    let Report { scene, agents, seed, threads, simd, world, grid, .. } = report;
    let (agents, threads) = (plural(*agents, "agent"), plural(*threads, "thread"));
    writeln!(text, "{BOLD}{scene}{BOLD:#}, {agents}, seed {seed}, {threads}, {simd}")?;
    let (width, height) = (four_digits(world.width), four_digits(world.height));
    row(text, "world", format!("{width} x {height} units"))?;
    let cells = format!(
        "{} x {} loose cells of {} x {}, {} x {} tight cells",
        grid.loose_cols,
        grid.loose_rows,
        four_digits(grid.loose_size[0]),
        four_digits(grid.loose_size[1]),
        grid.tight_cols,
        grid.tight_rows
    );
    let kind = sim.index();
    if kind == DoubleGrid::KIND {
        row(text, kind.name, cells)?;
    } else {
        row(text, "index", format!("{}: {}", kind.name, kind.summary))?;
        row(text, "order", cells)?;
    }
    let warmup = match report.warmup {
        0 => String::new(),
        warmup => format!(", after {} not measured", grouped(warmup)),
    };
    let substeps = match report.substeps {
        1 => String::new(),
        substeps => format!(" in {substeps} substeps"),
    };
    let seconds = (report.steps + report.warmup) as f64 * f64::from(report.dt);
    row(
        text,
        "steps",
        format!("{}{substeps}{warmup}: {seconds:.2} s simulated", grouped(report.steps)),
    )?;
    if report.steps < steps {
        let (done, all) = (grouped(report.steps), grouped(steps));
        row(text, "", format!("stopped early, after {done} of {all} steps"))?;
    }
    Ok(())
}

fn timings(text: &mut String, report: &Report) -> fmt::Result {
    let phases = &report.phases_ms;
    let lines = [
        ("step", &report.step_ms),
        ("  contacts", &phases.contacts),
        ("  order", &phases.order),
        ("  resolve", &phases.resolve),
        ("  integrate", &phases.integrate),
        ("  regrid", &phases.regrid),
        ("draw", &report.draw_ms),
    ];
    let mut lines = lines.into_iter().filter(|(_, spread)| spread.max > Some(0.0)).peekable();
    if lines.peek().is_none() {
        return Ok(());
    }
    writeln!(
        text,
        "\n{BOLD}{:<14}{:>10}{:>10}{:>10}{:>10}{BOLD:#}",
        "milliseconds", "mean", "p50", "p99", "max"
    )?;
    for (name, TimeSummary { mean, p50, p99, max }) in lines {
        write!(text, "{name:<14}")?;
        for value in [mean, p50, p99, max] {
            write!(text, "{:>10.3}", value.unwrap_or_default())?;
        }
        writeln!(text)?;
    }
    if let (Some(steps), Some(agents)) = (report.steps_per_s, report.agent_steps_per_s) {
        row(text, "rate", format!("{} steps/s, {} agent steps/s", large(steps), large(agents)))?;
    }
    Ok(())
}

fn results(text: &mut String, report: &Report, sim: &Sim) -> fmt::Result {
    writeln!(text)?;
    row(
        text,
        "contacts",
        format!(
            "{} at the end, the deepest {:.2} % of the smaller radius",
            grouped(report.contacts),
            report.max_overlap * 100.0
        ),
    )?;
    row(text, "collisions", grouped(report.collisions))?;
    if report.spawned + report.removed > 0 {
        let (came, left) = (grouped(report.spawned), grouped(report.removed));
        row(
            text,
            "agents",
            format!("{came} spawned, {left} removed, {} left", grouped(report.agents as u64)),
        )?;
    }
    row(text, "energy", format!("{:.6e}", report.kinetic_energy))?;
    row(text, "momentum", format!("{:.4e}, {:.4e}", report.momentum[0], report.momentum[1]))?;
    if let Some(fastest) = report.fastest {
        let radii = four_digits(fastest / sim.setup().radius[0]);
        let fastest = four_digits(fastest);
        row(text, "fastest", format!("{fastest} units per substep, {radii} smallest radii"))?;
    }
    row(text, "state hash", &report.state_hash)
}

fn memory(text: &mut String, report: &Report, sim: &Sim) -> fmt::Result {
    let held = &report.bytes;
    let frame =
        if held.frame == 0 { String::new() } else { format!(", frame {}", bytes(held.frame)) };
    row(
        text,
        "memory",
        format!(
            "{}: agents {}, grid {}, contacts {}{frame}",
            bytes(held.total),
            bytes(held.agents as u64),
            bytes(held.grid as u64),
            bytes(held.contacts as u64)
        ),
    )?;
    row(text, "", format!("{:.1} bytes per agent", report.bytes_per_agent))?;
    match sim.counters().contact_growths as usize {
        0 => Ok(()),
        growths => row(text, "", format!("contact lists grew {}", plural(growths, "time"))),
    }
}

fn row(text: &mut String, name: &str, value: impl fmt::Display) -> fmt::Result {
    writeln!(text, "{name:<14}{value}")
}
