//! Reading: bytes become the entries of a journal, one at a time.
//!
//! All lines are checked first, and kept as the text that they are. While they are checked, a mark
//! per line of the run says what a rewind leaves behind; later only the ranges that are void are
//! kept, and the places of the changes that belong to branches.

use std::{fmt, ops::Range};

use super::{
    JournalView, LINES, SETUP, SNAPSHOT,
    branches::{BRANCHES_MAX, BranchName, BranchTree, Position},
    edit::{Words, parse},
};
use crate::{
    alloc,
    error::{Error, Fault},
    format::plural,
    program::{ProgramError, ProgramResult as Result},
    scene::Setup,
    sim::{Edit, SavedWorld},
    snapshot::{Series, Snapshot},
};

/// Why hashes in a journal are not compared.
pub(crate) const FORMER_HASHES: &str =
    "its hashes were made before the state hash was redefined, and are not compared";

/// A journal, as the bytes of a file.
#[derive(Debug)]
pub(crate) struct Journal {
    series: Series,
    summary: JournalSummary,
    /// The entries that rewinds have left behind: ascending ranges without overlap.
    void: Vec<Range<Place>>,
    /// The branches of each run.
    branches: Vec<BranchTree<BranchPlaces>>,
}

/// The places of the changes of a branch.
type BranchPlaces = Vec<Place>;

/// The contents of a journal.
#[derive(Clone, Debug, Default)]
pub(crate) struct JournalSummary {
    /// Runs, each with the last step that it is known to have reached.
    pub(crate) runs: Vec<u64>,
    /// Changes.
    pub(crate) edits: usize,
    /// State hashes.
    pub(crate) hashes: usize,
    /// True if there are state hashes of the former definition, which nothing is compared with.
    pub(crate) has_former_hashes: bool,
    /// True if the window was closed.
    pub(crate) closed: bool,
}

impl JournalSummary {
    /// What a replay that has found no difference says at its end.
    pub(crate) fn replayed(&self) -> String {
        let same = if self.has_former_hashes { "" } else { ": all the same" };
        format!("replayed {self}{same}")
    }
}

impl fmt::Display for JournalSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runs, edits, hashes, has_former_hashes, closed: _ } = self;
        let (runs, edits) = (plural(runs.len(), "run"), plural(*edits, "change"));
        write!(f, "{runs}, {edits} and {}", plural(*hashes, "compared state"))?;
        if *has_former_hashes { write!(f, "; {FORMER_HASHES}") } else { Ok(()) }
    }
}

/// The state that a run begins with.
#[derive(Debug)]
pub(crate) enum RunOrigin {
    Setup(Setup),
    Snapshot(Snapshot),
}

/// The next entry of a journal.
#[derive(Debug)]
pub(super) enum JournalEntry {
    /// Another run begins.
    Begin(RunOrigin),
    /// After that step of the run, this happened.
    After(u64, JournalEvent),
}

/// An event between two steps.
#[derive(Debug)]
pub(super) enum JournalEvent {
    Edit(Edit),
    /// The state had this hash.
    Hash(u64),
    /// The state had a hash of the former definition, which visited the agents in the order of ids.
    FormerHash,
    /// The run went on up to here.
    Reached,
    /// The window shows this from here on.
    View(JournalView),
    /// The run goes on from that step, with this number of its changes made.
    Rewound(usize),
    Branch(BranchEvent),
    /// The window was closed.
    Closed,
}

/// What becomes of a line of the run, or of a branch.
#[derive(Clone, Copy, Debug)]
pub(super) enum BranchEvent {
    /// The entries that the rewind before has left are a branch.
    Left(BranchName),
    /// The line has this name. If a branch has it, the line goes on as that.
    Line(BranchName),
    /// The one with the first name has the second one.
    Renamed(BranchName, BranchName),
    /// There is no such branch any more.
    Dropped(BranchName),
}

/// A place in a journal: a section, and an offset in its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    section: usize,
    at: usize,
}

/// A line of the run under way that no rewind has left behind.
struct Mark {
    place: Place,
    /// The step, and the changes of the run up to and with this line: ascending.
    position: Position,
    is_edit: bool,
    is_hash: bool,
}

impl Journal {
    /// True if these bytes begin as a journal does.
    pub(crate) fn begins(bytes: &[u8]) -> bool {
        Series::begins(bytes)
    }

    /// Takes the bytes of a journal, and checks all of it but the snapshots in it.
    ///
    /// # Errors
    /// If the bytes are no journal, are damaged, or need a later version.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        let series = Series::from_bytes(bytes).map_err(of_journal)?;
        let summary = JournalSummary::default();
        let mut journal = Self { series, summary, void: Vec::new(), branches: Vec::new() };
        let mut summary = JournalSummary::default();
        let (mut place, mut marks, mut edits) = (Place::default(), Vec::<Mark>::new(), 0);
        // What a rewind has left, with its last step, until the next entry.
        let mut left: Option<(u64, Vec<Mark>)> = None;
        loop {
            let start = place;
            let Some(entry) = journal.next(&mut place)? else { break };
            if summary.closed {
                return Err(out_of_place("goes on after its end"));
            }
            match entry {
                JournalEntry::Begin(_) => {
                    summary.runs.push(0);
                    journal.branches.push(BranchTree::new());
                    (marks, edits, left) = (Vec::new(), 0, None);
                }
                JournalEntry::After(step, event) => {
                    let Some(last) = summary.runs.last_mut() else {
                        return Err(ProgramError::Journal(Fault::Missing(SETUP.to_owned())));
                    };
                    if let JournalEvent::Rewound(made) = event {
                        if step > *last || made > edits {
                            return Err(out_of_place("goes back to what was not there"));
                        }
                        let kept = marks.partition_point(|mark| mark.position <= (step, made));
                        let rest = marks.split_off(kept);
                        summary.edits -= rest.iter().filter(|mark| mark.is_edit).count();
                        summary.hashes -= rest.iter().filter(|mark| mark.is_hash).count();
                        let from = rest.first().map_or(start, |mark| mark.place);
                        while journal.void.pop_if(|void| void.start >= from).is_some() {}
                        journal.void.push(from..place);
                        edits -= rest.iter().filter(|mark| mark.is_edit).count();
                        if edits != made {
                            return Err(out_of_place("goes back to what was not there"));
                        }
                        left = Some((std::mem::replace(last, step), rest));
                        continue;
                    }
                    if step < *last {
                        return Err(out_of_place("goes back to an earlier step"));
                    }
                    *last = step;
                    let rest = left.take();
                    if let JournalEvent::Branch(event) = event {
                        let tree = journal.branches.last_mut().ok_or_else(no_branch)?;
                        event.apply(tree, (step, edits), rest).ok_or_else(no_branch)?;
                    }
                    let is_edit = matches!(event, JournalEvent::Edit(_));
                    let is_hash = matches!(event, JournalEvent::Hash(_));
                    edits += usize::from(is_edit);
                    marks.push(Mark { place: start, position: (step, edits), is_edit, is_hash });
                    summary.edits += usize::from(is_edit);
                    summary.hashes += usize::from(is_hash);
                    summary.has_former_hashes |= matches!(event, JournalEvent::FormerHash);
                    summary.closed = matches!(event, JournalEvent::Closed);
                }
            }
        }
        if summary.runs.is_empty() {
            return Err(ProgramError::Journal(Fault::Missing(SETUP.to_owned())));
        }
        journal.summary = summary;
        Ok(journal)
    }

    /// The contents.
    pub(crate) fn summary(&self) -> &JournalSummary {
        &self.summary
    }

    /// The names of the branches of each run.
    pub(crate) fn branches(&self) -> impl Iterator<Item = Vec<BranchName>> {
        self.branches.iter().map(|tree| tree.iter().map(|branch| branch.name).collect())
    }

    /// The branches of a run with their changes, each with the step before it.
    #[cfg(feature = "window")]
    pub(crate) fn branches_of(&self, run: usize) -> Option<BranchTree<Vec<(u64, Edit)>>> {
        // They were read before. A place at the end of a section is that of the first line of the next.
        let line = |Place { section, at }: Place| {
            line_at(self.series.section(section)?.1, &mut at.clone()).ok()?
        };
        let edit = |&place: &Place| {
            let next = Place { section: place.section + 1, at: 0 };
            match entry(line(place).or_else(|| line(next))?)? {
                JournalEntry::After(step, JournalEvent::Edit(edit)) => Some((step, edit)),
                _ => None,
            }
        };
        let tree = self.branches.get(run)?.clone();
        Some(tree.map(|places| places.iter().filter_map(edit).collect()))
    }

    /// The set-ups of the runs, as each began, and the names of their world files.
    ///
    /// # Errors
    /// If a run begins with a snapshot that can't be used.
    pub(crate) fn setups(&self) -> Result<Vec<(Setup, Option<String>)>> {
        let (mut setups, mut place) = (Vec::new(), Place::default());
        while let Some(entry) = self.next(&mut place)? {
            match entry {
                JournalEntry::Begin(RunOrigin::Setup(setup)) => setups.push((setup, None)),
                JournalEntry::Begin(RunOrigin::Snapshot(snapshot)) => {
                    let world = SavedWorld::read(&snapshot)?.map(|world| world.name);
                    setups.push((Setup::load(&snapshot)?, world));
                }
                JournalEntry::After(..) => {}
            }
        }
        Ok(setups)
    }

    /// The number of bytes, and those at the end that belong to an entry that was cut off.
    pub(crate) fn bytes(&self) -> [usize; 2] {
        [self.series.length(), self.series.cut()]
    }

    /// The entry at a place, which moves on; `None` at the end.
    ///
    /// # Errors
    /// If the entry can't be used.
    pub(super) fn next(&self, place: &mut Place) -> Result<Option<JournalEntry>> {
        loop {
            let later = self.void.partition_point(|void| void.end <= *place);
            if let Some(void) = self.void.get(later).filter(|void| void.start <= *place) {
                *place = void.end;
                continue;
            }
            let Some((tag, bytes)) = self.series.section(place.section) else { return Ok(None) };
            if tag == LINES {
                let Some(line) = line_at(bytes, &mut place.at)? else {
                    *place = Place { section: place.section + 1, at: 0 };
                    continue;
                };
                return entry(line).map(Some).ok_or_else(|| unusable(line));
            }
            let origin = match tag {
                SETUP => RunOrigin::Setup(Setup::from_text(text(bytes)?).map_err(of_journal)?),
                SNAPSHOT => {
                    let mut copy = alloc::with_capacity(bytes.len(), "the snapshot in a journal")?;
                    copy.extend_from_slice(bytes);
                    RunOrigin::Snapshot(Snapshot::from_bytes(copy)?)
                }
                _ => {
                    return Err(ProgramError::Journal(Fault::Content {
                        part: tag.to_owned(),
                        reason: "is not of a journal",
                    }));
                }
            };
            *place = Place { section: place.section + 1, at: 0 };
            return Ok(Some(JournalEntry::Begin(origin)));
        }
    }
}

impl BranchEvent {
    /// Does to the branches what happens at a place of the line, after a rewind that has left `rest`. `None`
    /// if there is no such branch there, or one too many.
    fn apply(
        self,
        tree: &mut BranchTree<BranchPlaces>,
        at: Position,
        rest: Option<(u64, Vec<Mark>)>,
    ) -> Option<()> {
        match self {
            Self::Left(name) => {
                let (end, rest) = rest?;
                let places = rest.iter().filter(|mark| mark.is_edit).map(|mark| mark.place);
                let number = tree.leave(at, end, places.collect());
                tree.rename(number, name).ok()?;
                // The window drops the oldest branch after it adds the next.
                (tree.iter().len() <= BRANCHES_MAX + 1).then_some(())
            }
            Self::Line(name) => match tree.find(name) {
                Some(branch) if branch.from == at => tree.resume(branch.number, None).map(drop),
                Some(_) => None,
                None => tree.rename(tree.number, name).ok(),
            },
            Self::Renamed(before, name) => {
                let branch = tree.find(before).map(|branch| branch.number);
                let number = branch.or((tree.name == before).then_some(tree.number))?;
                tree.rename(number, name).ok()
            }
            Self::Dropped(name) => tree.remove(tree.find(name)?.number).map(drop),
        }
    }
}

/// The line at an offset, which moves on; `None` at the end.
fn line_at<'a>(bytes: &'a [u8], at: &mut usize) -> Result<Option<&'a str>> {
    let rest = bytes.get(*at..).filter(|rest| !rest.is_empty());
    let Some(rest) = rest else { return Ok(None) };
    let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    *at += end + 1;
    text(&rest[..end]).map(Some)
}

fn entry(line: &str) -> Option<JournalEntry> {
    let mut words = Words::new(line);
    let (step, name) = (words.value()?, words.word()?);
    let event = match name {
        "state" => JournalEvent::Hash(hash(&mut words)?),
        "hash" => hash(&mut words).map(|_| JournalEvent::FormerHash)?,
        "reached" => JournalEvent::Reached,
        "view" => JournalEvent::View(JournalView::parse(&mut words)?),
        "rewound" => JournalEvent::Rewound(words.value()?),
        "branch" => JournalEvent::Branch(BranchEvent::Left(name_of(&mut words)?)),
        "line" => JournalEvent::Branch(BranchEvent::Line(name_of(&mut words)?)),
        "dropped" => JournalEvent::Branch(BranchEvent::Dropped(name_of(&mut words)?)),
        "renamed" => {
            let names = [name_of(&mut words)?, name_of(&mut words)?];
            JournalEvent::Branch(BranchEvent::Renamed(names[0], names[1]))
        }
        "closed" => JournalEvent::Closed,
        name => JournalEvent::Edit(parse(name, &mut words)?),
    };
    words.is_empty().then_some(JournalEntry::After(step, event))
}

fn name_of(words: &mut Words) -> Option<BranchName> {
    BranchName::new(&words.quoted()?).ok()
}

fn hash(words: &mut Words) -> Option<u64> {
    u64::from_str_radix(words.word()?, 16).ok()
}

fn text(bytes: &[u8]) -> Result<&str> {
    let not_text = Fault::Content { part: LINES.to_owned(), reason: "are not text" };
    std::str::from_utf8(bytes).map_err(|_| ProgramError::Journal(not_text))
}

/// The error for a line that is not an entry; a long one is cut.
fn unusable(line: &str) -> ProgramError {
    const SHOWN: usize = 60;
    let line = line.chars().filter(|char| !char.is_control()).take(SHOWN).collect();
    ProgramError::Journal(Fault::Line { part: LINES.to_owned(), line })
}

fn no_branch() -> ProgramError {
    out_of_place("names a branch that is not there")
}

fn out_of_place(reason: &'static str) -> ProgramError {
    ProgramError::Journal(Fault::Content { part: "text".to_owned(), reason })
}

/// A fault in the parts that journals and snapshots share, as one of a journal.
fn of_journal(error: Error) -> ProgramError {
    match error {
        Error::Snapshot(fault) => ProgramError::Journal(fault),
        other => other.into(),
    }
}
