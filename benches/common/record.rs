//! A report of measurements with everything that is needed to repeat them. It is printed, and kept
//! on request.

use std::{env, fmt::Write, fs, io, path::PathBuf, process::Command};

/// A report that is being written.
#[derive(Debug)]
pub(crate) struct Record {
    name: &'static str,
    /// False in a test, in which figures have no meaning.
    quiet: bool,
    text: String,
}

impl Record {
    /// Begins a report with the conditions of the figures; `seed` is the seed of every scene. In a
    /// test nothing is printed.
    pub(crate) fn new(name: &'static str, seed: u64, measures: bool) -> Self {
        let mut record = Self { name, quiet: !measures, text: String::new() };
        let command: Vec<String> = env::args().skip(1).filter(|arg| arg != "--bench").collect();
        record.line(&format!("bench     {name} {}", command.join(" ")));
        record.line(&format!("date      {}", said(&["date", "-u", "+%F"])));
        record.line(&format!("revision  {}", said(&["git", "describe", "--always", "--dirty"])));
        record.line(&format!("machine   {}", machine()));
        record.line(&format!("compiler  {}", said(&["rustc", "--version"])));
        record.line(&format!("seed      {seed}"));
        record
    }

    /// Prints a line and stores it.
    pub(crate) fn line(&mut self, line: &str) {
        if !self.quiet {
            println!("{}", line.trim_end());
        }
        writeln!(self.text, "{}", line.trim_end()).expect("a string takes everything");
    }

    /// Writes the report to `benches/record`.
    pub(crate) fn keep(&self) -> io::Result<PathBuf> {
        let name = format!("{}-{}.txt", said(&["date", "-u", "+%F"]), self.name);
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("benches/record").join(name);
        fs::write(&path, &self.text)?;
        Ok(path)
    }
}

/// The output of a command, or "unknown".
fn said(command: &[&str]) -> String {
    let output = Command::new(command[0])
        .args(&command[1..])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output();
    match output {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        }
        _ => "unknown".to_owned(),
    }
}

/// The name of the processor and the number of its cores.
fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let best = jostle::simd::SimdLevel::best().name();
    format!("{}, {cores} cores, {best}", model.map_or(env::consts::ARCH, |(_, name)| name))
}
