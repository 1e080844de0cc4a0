//! Summary of a run as text: set-up, times, results, memory.

use std::fmt::{self, Write};

use crate::{Sim, index::DoubleGrid, timing::TimeSummary};

use super::{
    format::{bytes, four_digits, grouped, large, plural},
    report::{BytesReport, Report},
};

/// Style of headings, if stdout shows it.
const BOLD: anstyle::Style = anstyle::Style::new().bold();

/// The summary of a run of `steps` planned steps.
pub(super) fn summary(report: &Report, sim: &Sim, steps: u64) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = set_up(&mut text, report, sim, steps)
        .and_then(|()| timings(&mut text, report))
        .and_then(|()| results(&mut text, report, sim));
    text
}

fn set_up(text: &mut String, report: &Report, sim: &Sim, steps: u64) -> fmt::Result {
    let Report { scene, agents, seed, threads, simd, world, world_file, grid, .. } = report;
    let (agents, threads) = (plural(*agents, "agent"), plural(*threads, "thread"));
    let name = world_file.as_ref().map_or(*scene, |file| &file.name);
    writeln!(text, "{BOLD}{name}{BOLD:#}, {agents}, seed {seed}, {threads}, {simd}")?;
    let (width, height) = (four_digits(world.width), four_digits(world.height));
    writeln!(text, "world         {width} x {height} units")?;
    let kind = sim.index();
    let mut sorted_by = kind.name;
    if kind != DoubleGrid::KIND {
        writeln!(text, "index         {}: {}", kind.name, kind.summary)?;
        sorted_by = "order";
    }
    writeln!(text, "solver        {}", report.solver)?;
    writeln!(
        text,
        "{sorted_by:<14}{} x {} loose cells of {} x {}, {} x {} tight cells",
        grid.loose_cols,
        grid.loose_rows,
        four_digits(grid.loose_size[0]),
        four_digits(grid.loose_size[1]),
        grid.tight_cols,
        grid.tight_rows
    )?;
    let done = grouped(report.steps);
    write!(text, "steps         {done}")?;
    if report.substeps != 1 {
        write!(text, " in {} substeps", report.substeps)?;
    }
    if report.warmup != 0 {
        write!(text, ", after {} not measured", grouped(report.warmup))?;
    }
    let seconds = (report.steps + report.warmup) as f64 * f64::from(report.dt);
    writeln!(text, ": {seconds:.2} s simulated")?;
    if report.steps < steps {
        let all = grouped(steps);
        writeln!(text, "              stopped early, after {done} of {all} steps")?;
    }
    Ok(())
}

fn timings(text: &mut String, report: &Report) -> fmt::Result {
    let phases = &report.phases_ms;
    let lines = [
        ("step", &report.step_ms),
        ("  contacts", &phases.contacts),
        ("  forces", &phases.forces),
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
        let (steps, agents) = (large(steps), large(agents));
        writeln!(text, "rate          {steps} steps/s, {agents} agent steps/s")?;
    }
    Ok(())
}

fn results(text: &mut String, report: &Report, sim: &Sim) -> fmt::Result {
    let (contacts, collisions) = (grouped(report.contacts), grouped(report.collisions));
    let depth = report.max_overlap * 100.0;
    writeln!(
        text,
        "\ncontacts      {contacts} at the end, the deepest {depth:.2} % of the smaller radius\n\
         collisions    {collisions}"
    )?;
    if report.awake < report.agents {
        writeln!(text, "asleep        {}", plural(report.agents - report.awake, "agent"))?;
    }
    if report.spawned + report.removed > 0 {
        let (came, left) = (grouped(report.spawned), grouped(report.removed));
        let now = grouped(report.agents as u64);
        writeln!(text, "agents        {came} spawned, {left} removed, {now} left")?;
        if report.refused > 0 {
            let refused = grouped(report.refused);
            writeln!(text, "              {refused} births refused: there was no room for them")?;
        }
    }
    let [x, y] = report.momentum;
    writeln!(text, "energy        {:.6e}", report.kinetic_energy)?;
    writeln!(text, "momentum      {x:.4e}, {y:.4e}")?;
    if let Some(fastest) = report.fastest {
        let radii = four_digits(fastest / sim.setup().radius[0]);
        let fastest = four_digits(fastest);
        writeln!(text, "fastest       {fastest} units per substep, {radii} smallest radii")?;
    }
    for (name, value) in report.observed.iter().flat_map(|observed| &observed.0) {
        let value = value.map_or("none".to_owned(), |value| value.to_string());
        writeln!(text, "{name:<13} {value}")?;
    }
    for (step, hash) in report.hashes.iter() {
        writeln!(text, "state hash    {hash} after step {step}")?;
    }
    writeln!(text, "state hash    {}", report.state_hash)?;
    let BytesReport { agents, grid, contacts, frame, total } = report.bytes;
    let [agents, grid, contacts] = [agents, grid, contacts].map(|held| bytes(held as u64));
    let total = bytes(total);
    write!(text, "memory        {total}: agents {agents}, grid {grid}, contacts {contacts}")?;
    if frame > 0 {
        write!(text, ", frame {}", bytes(frame))?;
    }
    writeln!(text, "\n              {:.1} bytes per agent", report.bytes_per_agent)?;
    match sim.counters().contact_growths as usize {
        0 => Ok(()),
        grew => writeln!(text, "              contact lists grew {}", plural(grew, "time")),
    }
}
