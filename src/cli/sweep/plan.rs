//! The runs of a sweep: every combination of its values, each as the arguments of `jostle run`, and all
//! of them checked before the first one begins.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use clap::Command;
use xxhash_rust::xxh3::Xxh3;

use super::{
    average,
    file::{KeyKind, SweepFile, SweepKey, SweepValue},
    range::RUNS_MAX,
};
use crate::{
    Sim,
    cli::{
        Failure, Outcome, USAGE,
        args::{self, RunArgs, is_world_file, steps_of},
        input::unreadable,
        memory,
        snapshots::Beginning,
        worlds::{self, StatedWorld},
    },
    world::{FAULTS_MAX, Reader},
};

/// Samples of a run, at least, unless the file says how many steps lie between two of them: enough for
/// a mean and its error.
const SAMPLES: u64 = 500;

/// Columns behind the averages: the hash of the state, the fingerprint of the sweep, and seconds of the
/// run, which are the only ones that another run of the same flags does not repeat.
const LAST_COLUMNS: [&str; 3] = ["state_hash", "sweep", "seconds"];

/// Runs that are wrong after which no others are checked.
const WRONG_MAX: usize = 100;

/// A sweep.
#[derive(Debug)]
pub(super) struct SweepPlan {
    /// The file, as messages name it.
    path: PathBuf,
    pub(super) file: SweepFile,
    /// Number of runs.
    pub(super) count: usize,
    /// Of everything that all runs have, and of the files that they begin with.
    pub(super) fingerprint: String,
    /// What the world files of the runs observe.
    pub(super) observed: Vec<String>,
}

/// What the runs need together.
#[derive(Clone, Copy, Debug)]
pub(super) struct SweepNeeds {
    /// Runs that fit into memory side by side.
    pub(super) workers: usize,
    /// Bytes of the largest run.
    pub(super) bytes: u64,
}

impl SweepPlan {
    /// Reads a file and checks all of its runs. At most `workers` of them run side by side.
    ///
    /// # Errors
    /// If the file can't be read or is wrong, or one of its runs could not begin.
    pub(super) fn read(path: &Path, workers: usize) -> Outcome<(Self, SweepNeeds)> {
        Self::of_text(path, &worlds::text_of(path)?, workers)
    }

    /// The same for the text of a file.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(super) fn of_text(path: &Path, text: &str, workers: usize) -> Outcome<(Self, SweepNeeds)> {
        let mut flags = args::run_flags();
        flags.build();
        let (file, mut reader) = SweepFile::read(path, text, &mut flags)?;
        let sizes = file.swept.iter().map(|key| key.values.len());
        let count = sizes.fold(1_usize, usize::saturating_mul);
        if count > RUNS_MAX {
            reader.fault(file.at, format!("there are {count} runs: expected at most {RUNS_MAX}"));
            return Err(worlds::refused(path, &reader.into_faults()));
        }
        let mut plan = Self {
            path: path.to_path_buf(),
            file,
            count,
            fingerprint: String::new(),
            observed: Vec::new(),
        };
        let needs = plan.check(&mut flags, &mut reader, workers)?;
        plan.check_names(&mut reader);
        if reader.has_faults() {
            return Err(worlds::refused(path, &reader.into_faults()));
        }
        plan.fingerprint = plan.hash()?;
        Ok((plan, needs))
    }

    /// The names of the columns of its table.
    pub(super) fn columns(&self) -> Vec<String> {
        let mut names: Vec<String> = self.file.swept.iter().map(|key| key.name.clone()).collect();
        names.extend(average::columns(&self.observed));
        names.extend(LAST_COLUMNS.map(str::to_owned));
        names
    }

    /// The folder of the file, which its paths are relative to.
    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// The files that flags name.
    fn files(&self) -> impl Iterator<Item = PathBuf> {
        let keys = self.file.fixed.iter().chain(&self.file.swept);
        keys.flat_map(|key| key.values.iter().filter_map(|value| key.file(value, self.folder())))
    }

    /// The world files among them.
    fn worlds(&self) -> impl Iterator<Item = PathBuf> {
        self.files().filter(|path| is_world_file(path))
    }

    /// The values of a run. The last key goes through its values first.
    pub(super) fn values(&self, run: usize) -> Vec<&SweepValue> {
        let mut rest = run;
        let mut values: Vec<_> = (self.file.swept.iter().rev())
            .map(|key| {
                let value = &key.values[rest % key.values.len()];
                rest /= key.values.len();
                value
            })
            .collect();
        values.reverse();
        values
    }

    /// The run with these values, if there is one.
    pub(super) fn find<'v>(&self, values: impl Iterator<Item = &'v str>) -> Option<usize> {
        let mut values = values;
        let place = |run: usize, key: &SweepKey| {
            let value = values.next()?;
            let place = key.values.iter().position(|own| own.text == value)?;
            Some(run * key.values.len() + place)
        };
        self.file.swept.iter().try_fold(0, place)
    }

    /// The values of a run as messages name them: `density 0.1, seed 2`.
    pub(super) fn label(&self, run: usize) -> String {
        let values = self.values(run);
        let named = self.file.swept.iter().zip(values);
        let named: Vec<_> =
            named.map(|(key, value)| format!("{} {}", key.name, value.text)).collect();
        named.join(", ")
    }

    /// The arguments of a run for `jostle run`.
    fn arguments(&self, run: usize) -> Vec<OsString> {
        let fixed = self.file.fixed.iter().filter_map(|key| Some((key, key.values.first()?)));
        let all = fixed.chain(self.file.swept.iter().zip(self.values(run)));
        all.filter_map(|(key, value)| key.argument(value, self.folder())).collect()
    }

    /// The flags of a run.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(super) fn args(&self, flags: &mut Command, run: usize) -> Result<RunArgs, String> {
        args::parse_run(flags, &self.arguments(run))
    }

    /// Steps from one sample to the next in a run of that many steps.
    pub(super) fn every(&self, steps: u64) -> u64 {
        self.file.every.unwrap_or((steps / SAMPLES).max(1))
    }

    /// Checks every run, and finds what they observe.
    fn check(
        &mut self,
        flags: &mut Command,
        reader: &mut Reader<'_>,
        workers: usize,
    ) -> Outcome<SweepNeeds> {
        for path in self.worlds() {
            StatedWorld::of_file(&path)?;
        }
        let mut needs = SweepNeeds { workers: workers.min(self.count), bytes: 0 };
        let (mut known, mut wrong) = (BTreeSet::new(), 0);
        for run in 0..self.count {
            let checked = match self.args(flags, run) {
                Ok(args) => self.check_run(&args, &mut needs),
                Err(why) => Err(Failure::usage(why)),
            };
            let Err(failure) = checked else { continue };
            if failure.status != USAGE {
                return Err(failure);
            }
            if known.insert(failure.message.clone()) {
                let at = self.place(&failure.message, run);
                let label = self.label(run);
                reader.fault(at, format!("{} (in the run with {label})", failure.message));
            }
            wrong += 1;
            if known.len() > FAULTS_MAX || wrong > WRONG_MAX {
                break;
            }
        }
        Ok(needs)
    }

    fn check_run(&mut self, args: &RunArgs, needs: &mut SweepNeeds) -> Outcome<()> {
        let beginning = Beginning::new(&args.world, args.snapshot.load.as_deref())?;
        steps_of(args.steps, args.seconds, beginning.setup())?;
        // A run fits beside as many others as large, or fewer run at a time.
        loop {
            let others = needs.workers as u64 - 1;
            let beside = |setup: &_| {
                let index = memory::index(setup, args.world.index);
                let one = Sim::memory_for(setup).saturating_add(index);
                index.saturating_add(others.saturating_mul(one))
            };
            match beginning.admit(&beside, needs.workers) {
                Err(_) if others > 0 && beginning.admit(&|_| 0, 1).is_ok() => needs.workers -= 1,
                admitted => break admitted?,
            }
        }
        needs.bytes = needs.bytes.max(Sim::memory_for(beginning.setup()));
        for name in beginning.observed() {
            if !self.observed.contains(&name) {
                self.observed.push(name);
            }
        }
        Ok(())
    }

    /// The place of the value that a message is about: of the flag that it names first.
    fn place(&self, message: &str, run: usize) -> usize {
        let fixed = self.file.fixed.iter().filter_map(|key| Some((key, key.values.first()?)));
        let all = fixed.chain(self.file.swept.iter().zip(self.values(run)));
        let named = all.filter_map(|(key, value)| {
            let found = key.flags().into_iter().filter_map(|flag| {
                let is_whole = |at: &usize| {
                    let next = message[at + flag.len()..].chars().next();
                    !next.is_some_and(|next| next.is_alphanumeric() || next == '-')
                };
                message.match_indices(&flag).map(|(at, _)| at).find(is_whole)
            });
            Some((found.min()?, value.at))
        });
        named.min().map_or(self.file.at, |(_, at)| at)
    }

    /// Refuses columns of one name.
    fn check_names(&self, reader: &mut Reader<'_>) {
        let names = self.columns();
        for key in self.file.swept.iter().filter(|key| key.kind == KeyKind::Param) {
            if names.iter().filter(|name| **name == key.name).count() > 1 {
                let why = format!(
                    "the table has another column `{}`; give the param another name",
                    key.name
                );
                reader.fault(key.values.first().map_or(0, |value| value.at), why);
            }
        }
    }

    /// A hash of what all runs have: their flags, the steps between samples, the version of the program,
    /// and the files that they read.
    fn hash(&self) -> Outcome<String> {
        let mut hash = Xxh3::new();
        let mut add = |bytes: &[u8]| {
            hash.update(&(bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        add(env!("CARGO_PKG_VERSION").as_bytes());
        // A table has state hashes of one definition only.
        add(b"state hash without an order");
        add(&self.file.every.unwrap_or(0).to_le_bytes());
        // The order of flags changes nothing.
        let mut fixed: Vec<_> = (self.file.fixed.iter())
            .filter_map(|key| Some((key.kind, &key.name, &key.values.first()?.text)))
            .collect();
        fixed.sort();
        for (kind, name, value) in fixed {
            add(&[kind as u8]);
            add(name.as_bytes());
            add(value.as_bytes());
        }
        let mut files: Vec<PathBuf> = self.files().collect();
        for path in self.worlds() {
            files.extend(StatedWorld::of_file(&path)?.tables());
        }
        for path in files {
            let contents = hash_of(&path).map_err(|error| unreadable(&path, &error))?;
            add(&contents.to_le_bytes());
        }
        Ok(format!("{:016x}", hash.digest()))
    }
}

/// The hash of the bytes of a file.
fn hash_of(path: &Path) -> io::Result<u64> {
    let (mut file, mut hash, mut buffer) = (File::open(path)?, Xxh3::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hash.digest()),
            length => hash.update(&buffer[..length]),
        }
    }
}
