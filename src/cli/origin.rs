//! The origin of figures: the program, the date and the machine. Two reports can be compared only if
//! their origins are known.

use std::{
    fmt, thread,
    time::{Duration, SystemTime},
};

use serde::Serialize;
use sysinfo::{CpuRefreshKind, RefreshKind, System};

use crate::format::plural;

/// The revision that the program was built from; none outside of a repository.
pub(super) type Revision = Option<&'static str>;

/// The first keys of every JSON object that holds figures.
#[derive(Debug, Serialize)]
pub(super) struct Origin {
    version: &'static str,
    revision: Revision,
    /// Of the report, in UTC: `2026-11-23T14:05:09Z`.
    date: String,
    machine: Machine,
}

#[derive(Debug, Serialize)]
struct Machine {
    /// Model of the processor.
    cpu: Option<String>,
    /// Cores that the process may use, as the system counts them.
    cores: Option<usize>,
    os: Option<String>,
}

impl fmt::Display for Origin {
    /// `jostle 0.1.0 (4a0a471), AMD EPYC, 2 cores, 2026-11-23`, without what is not known.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "jostle {}", self.version)?;
        if let Some(revision) = self.revision {
            write!(to, " ({revision})")?;
        }
        if let Some(cpu) = &self.machine.cpu {
            write!(to, ", {cpu}")?;
        }
        if let Some(cores) = self.machine.cores {
            write!(to, ", {}", plural(cores, "core"))?;
        }
        let day = self.date.split_once('T').map_or(self.date.as_str(), |(day, _)| day);
        write!(to, ", {day}")
    }
}

impl Origin {
    /// This program on this machine, now.
    pub(super) fn new(revision: Revision) -> Self {
        let cpu = RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing());
        let system = System::new_with_specifics(cpu).ok();
        let model = system.as_ref().and_then(|system| Some(system.cpus().first()?.brand().trim()));
        Self {
            version: env!("CARGO_PKG_VERSION"),
            revision,
            date: date(SystemTime::now()),
            machine: Machine {
                cpu: model.filter(|model| !model.is_empty()).map(str::to_owned),
                cores: thread::available_parallelism().ok().map(usize::from),
                os: System::long_os_version().ok(),
            },
        }
    }
}

/// The date as a report has it. A clock that is set to a year before 1970 or after 9999 counts as the
/// first or the last second of the years between, which is no reason to lose a run.
fn date(now: SystemTime) -> String {
    /// Seconds from the first of 1970 to the last of 9999.
    const LAST: u64 = 253_402_300_799;
    let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let since = since.min(Duration::from_secs(LAST));
    humantime::format_rfc3339_seconds(SystemTime::UNIX_EPOCH + since).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_clock_has_a_date() {
        let second = Duration::from_secs(1);
        assert_eq!(date(SystemTime::UNIX_EPOCH - second), "1970-01-01T00:00:00Z");
        assert_eq!(date(SystemTime::UNIX_EPOCH + second), "1970-01-01T00:00:01Z");
        let far = SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 40);
        assert_eq!(date(far), "9999-12-31T23:59:59Z");
    }
}
