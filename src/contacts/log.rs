//! The contacts of a step with their impulses, for callers that ask for them.

use std::sync::Mutex;

use glam::Vec2;

use crate::{alloc, error::Result};

/// Two agents that touched in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RecordedContact {
    /// The ids of the two, the lower one first. One of them may have left the run since.
    pub ids: [u32; 2],
    /// Unit vector from the first agent to the second: the direction of the impulse on the second.
    pub normal: Vec2,
    /// How far the two overlap, world units; negative if there is a gap.
    pub overlap: f32,
    /// The impulse that pushed the two apart, in units of mass · length / time, where the mass of an
    /// agent is its radius²; 0 if they touched without approaching each other.
    pub impulse: f32,
    /// Its place in the list of the step, until contacts are merged.
    number: u32,
}

impl RecordedContact {
    /// The contact of two agents with these ids. The normal leads from the first to the second.
    pub(crate) fn new(ids: [u32; 2], normal: Vec2, overlap: f32, impulse: f32) -> Self {
        let [first, second] = ids;
        let (ids, normal) = if first < second { (ids, normal) } else { ([second, first], -normal) };
        Self { ids, normal, overlap, impulse, number: 0 }
    }
}

/// Receives the contacts that are resolved, on any thread.
pub(crate) trait ContactSink: Sync {
    /// Receives a contact, which is only computed if it is used.
    fn record(&self, contact: impl FnOnce() -> RecordedContact);
}

/// Ignores all contacts, at no cost.
impl ContactSink for () {
    #[inline(always)]
    fn record(&self, _: impl FnOnce() -> RecordedContact) {}
}

/// A list that contacts are appended to, and whether there was memory for all of them.
pub(crate) struct ContactLog<'a>(Mutex<(&'a mut Vec<RecordedContact>, Result<()>)>);

impl<'a> ContactLog<'a> {
    pub(crate) fn new(list: &'a mut Vec<RecordedContact>) -> Self {
        Self(Mutex::new((list, Ok(()))))
    }

    /// Ends the recording.
    ///
    /// # Errors
    /// If there was not enough memory for the list.
    pub(crate) fn end(self) -> Result<()> {
        self.0.into_inner().expect("no thread panics while it appends").1
    }
}

impl ContactSink for ContactLog<'_> {
    fn record(&self, contact: impl FnOnce() -> RecordedContact) {
        let contact = contact();
        let mut log = self.0.lock().expect("no thread panics while it appends");
        let (list, outcome) = &mut *log;
        if outcome.is_ok() {
            let number = list.len() as u32;
            let contact = RecordedContact { number, ..contact };
            *outcome = alloc::push(list, contact, "the recorded contacts");
        }
    }
}

/// Sorts contacts by ids. A pair that touched several times is left once, with the overlap of its
/// last contact, and with the push that all contacts gave together.
pub(crate) fn merge(contacts: &mut Vec<RecordedContact>) {
    // The pushes of a pair are added in the order in which they came. A stable sort would allocate.
    contacts.sort_unstable_by_key(|contact| (contact.ids, contact.number));
    contacts.dedup_by(|later, contact| {
        let same = later.ids == contact.ids;
        if same {
            let push = contact.impulse * contact.normal + later.impulse * later.normal;
            let (impulse, normal) = (push.length(), push.normalize_or(later.normal));
            *contact = RecordedContact { normal, impulse, ..*later };
        }
        same
    });
    for contact in contacts {
        contact.number = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contacts_of_a_pair_are_merged() {
        let mut list = Vec::new();
        let log = ContactLog::new(&mut list);
        log.record(|| RecordedContact::new([7, 3], Vec2::X, 0.5, 1.0));
        log.record(|| RecordedContact::new([1, 9], Vec2::Y, 0.1, 4.0));
        log.record(|| RecordedContact::new([3, 7], Vec2::Y, 0.25, 0.75));
        log.end().unwrap();
        assert_eq!(list[0].normal, -Vec2::X, "from the lower id to the higher one");
        merge(&mut list);
        let expected = [
            RecordedContact::new([1, 9], Vec2::Y, 0.1, 4.0),
            RecordedContact::new([3, 7], Vec2::new(-0.8, 0.6), 0.25, 1.25),
        ];
        assert_eq!(list, expected);
    }
}
