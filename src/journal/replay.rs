//! Replay: the entries of a journal drive a run, and say whether it is the same.

use std::fmt;

use super::{
    JournalView,
    reader::{Journal, JournalEntry, JournalEvent, Place, RunOrigin},
};
use crate::{
    error::Fault,
    program::{ProgramError, ProgramResult as Result},
    sim::{Edit, Sim},
};

/// A journal, replayed up to an entry.
#[derive(Debug)]
pub(crate) struct Replay {
    journal: Journal,
    place: Place,
    /// The entry at the place; `None` at the end.
    next: Option<JournalEntry>,
    /// The last step at which the state was the same.
    same: Option<u64>,
    /// What the window showed last of this run.
    view: Option<JournalView>,
}

/// The next action of a replay.
#[derive(Debug)]
pub(crate) enum Due {
    /// A step.
    Step,
    /// Begins another run.
    Begin(RunOrigin),
    /// Nothing: all was replayed.
    Nothing,
    /// Nothing: the state differs from the journal.
    Differs(Difference),
}

/// A difference between the state of a replay and its journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The step after which it was found.
    step: u64,
    /// The last step after which the state was the same, if it was compared.
    same: Option<u64>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { step, same } = self;
        write!(f, "the run differs from its journal after step {step}")?;
        same.map_or(Ok(()), |same| write!(f, "; after step {same} it was the same"))
    }
}

impl Replay {
    /// A replay from the beginning of a journal; what its first run begins with is due.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(crate) fn new(journal: Journal) -> Result<Self> {
        let mut place = Place::default();
        let next = journal.next(&mut place)?;
        Ok(Self { journal, place, next, same: None, view: None })
    }

    /// The journal.
    pub(crate) fn journal(&self) -> &Journal {
        &self.journal
    }

    /// What the window showed of the run in its present state; `None` if the journal does not say.
    pub(crate) fn view(&self) -> Option<JournalView> {
        self.view
    }

    /// True once all of the journal was replayed.
    pub(crate) fn is_over(&self) -> bool {
        self.next.is_none()
    }

    /// The state that the first run begins with.
    ///
    /// # Errors
    /// If the journal does not begin with a run.
    pub(crate) fn begin(&mut self) -> Result<RunOrigin> {
        match self.take()? {
            Some(JournalEntry::Begin(origin)) => Ok(origin),
            _ => Err(ProgramError::Journal(Fault::Missing("run at its beginning".to_owned()))),
        }
    }

    /// Makes the changes that are due before the next step of the run and tells `made` of each,
    /// compares the state where the journal has a hash, and says what is due then.
    ///
    /// # Errors
    /// If a change is refused, as it was not in the run of the journal, or the journal goes back to an
    /// earlier step.
    pub(crate) fn due(&mut self, sim: &mut Sim, mut made: impl FnMut(&Sim, Edit)) -> Result<Due> {
        loop {
            match &self.next {
                None => return Ok(Due::Nothing),
                Some(JournalEntry::After(step, _)) if *step > sim.steps() => return Ok(Due::Step),
                Some(JournalEntry::After(step, _)) if *step < sim.steps() => {
                    let reason = "goes back to an earlier step";
                    return Err(ProgramError::Journal(Fault::Content {
                        part: "text".to_owned(),
                        reason,
                    }));
                }
                Some(_) => {}
            }
            match self.take()? {
                Some(JournalEntry::Begin(origin)) => {
                    (self.same, self.view) = (None, None);
                    return Ok(Due::Begin(origin));
                }
                Some(JournalEntry::After(_, JournalEvent::Edit(edit))) => {
                    sim.apply(&edit)?;
                    made(sim, edit);
                }
                Some(JournalEntry::After(step, JournalEvent::Hash(hash))) => {
                    if hash != sim.state_hash() {
                        return Ok(Due::Differs(Difference { step, same: self.same }));
                    }
                    self.same = Some(step);
                }
                Some(JournalEntry::After(_, JournalEvent::View(view))) => self.view = Some(view),
                // The journal passes over the entries that rewinds have left behind. A former hash
                // can't be compared.
                Some(JournalEntry::After(
                    _,
                    JournalEvent::FormerHash
                    | JournalEvent::Reached
                    | JournalEvent::Closed
                    | JournalEvent::Branch(_)
                    | JournalEvent::Rewound(_),
                ))
                | None => {}
            }
        }
    }

    /// The next entry, which is replaced by the one after it.
    fn take(&mut self) -> Result<Option<JournalEntry>> {
        let next = self.journal.next(&mut self.place)?;
        Ok(std::mem::replace(&mut self.next, next))
    }
}
