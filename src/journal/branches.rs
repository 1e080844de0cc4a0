//! Branches: the futures of a run beside its present one, as a tree.
//!
//! ```text
//! branch 1   ───────┬──────────●       what was left when the user changed the past here
//! branch 2          └───┬──────●       what was left when they changed that
//! branch 3              └──●───┄       the line: the run from its beginning to its end
//! ```
//!
//! The line has everything from the beginning. A branch has only what comes after the place where it
//! parts, from the line or from another branch. Where the run goes on as a branch, the two change places.
//!
//! The timeline has a tree of states and edits, and the reader of journals one of the places of lines.

use std::fmt;

/// Branches of a run, besides the line.
pub(crate) const BRANCHES_MAX: usize = 16;

/// Bytes of the longest name.
const NAME_MAX: usize = 32;

/// A place in a run: steps taken, and edits made.
pub(crate) type Position = (u64, usize);

/// The name of a branch: one line, of at most 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct BranchName {
    bytes: [u8; NAME_MAX],
    length: usize,
}

impl BranchName {
    /// A name. An error is the second part of a sentence that begins with the text.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        let length = text.len();
        if text.trim().is_empty() {
            return Err("is no name of a branch: expected a letter or more".to_owned());
        }
        if length > NAME_MAX {
            return Err(format!(
                "is too long for a branch: expected at most {NAME_MAX} bytes, and it has {length}; shorten it"
            ));
        }
        if text.contains(char::is_control) {
            return Err("has control characters; leave them out".to_owned());
        }
        let mut bytes = [0; NAME_MAX];
        bytes[..length].copy_from_slice(text.as_bytes());
        Ok(Self { bytes, length })
    }

    /// The name that a branch begins with.
    fn numbered(number: u32) -> Self {
        // It is short.
        Self::new(&format!("branch {number}"))
            .unwrap_or(Self { bytes: [b'-'; NAME_MAX], length: 1 })
    }

    /// The text.
    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.length]).unwrap_or_default()
    }
}

impl fmt::Display for BranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for BranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

/// A future of a run that is not its present one; `F` is what happens in it.
#[derive(Clone, Debug)]
pub(crate) struct Branch<F> {
    /// The same as long as the run is in the window.
    pub(crate) number: u32,
    pub(crate) name: BranchName,
    /// The branch that it parts from; `None`: the line.
    pub(crate) parent: Option<u32>,
    /// Where it parts.
    pub(crate) from: Position,
    /// Its last step.
    #[cfg_attr(not(feature = "window"), expect(dead_code, reason = "only the window shows it"))]
    pub(crate) end: u64,
    #[cfg_attr(not(feature = "window"), expect(dead_code, reason = "only the window goes there"))]
    pub(crate) future: F,
}

/// The branches of a run, and the name of the line.
#[derive(Clone, Debug)]
pub(crate) struct BranchTree<F> {
    /// The number and the name that the line has, and will have as a branch.
    pub(crate) number: u32,
    pub(crate) name: BranchName,
    /// Numbers that were given so far.
    given: u32,
    /// The one that was left first comes first.
    branches: Vec<Branch<F>>,
}

impl<F> BranchTree<F> {
    /// A line without branches.
    pub(crate) fn new() -> Self {
        Self { number: 1, name: BranchName::numbered(1), given: 1, branches: Vec::new() }
    }

    /// The branches, oldest first.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Branch<F>> {
        self.branches.iter()
    }

    /// The branch with that name.
    pub(crate) fn find(&self, name: BranchName) -> Option<&Branch<F>> {
        self.iter().find(|branch| branch.name == name)
    }

    /// Whether the line or a branch has that name.
    fn has(&self, name: BranchName) -> bool {
        self.name == name || self.find(name).is_some()
    }

    /// Makes what comes after a place of the line, up to step `end`, a branch: the line goes on as a new one.
    /// The number of the branch.
    pub(crate) fn leave(&mut self, from: Position, end: u64, rest: F) -> u32 {
        let left = self.number;
        self.add(from, end, rest);
        self.begin_line();
        left
    }

    /// Gives the line a number and a name of its own.
    pub(crate) fn begin_line(&mut self) {
        let mut free = (self.given + 1..).map(|number| (number, BranchName::numbered(number)));
        let free = free.find(|(_, name)| !self.has(*name));
        (self.number, self.name) = free.unwrap_or((self.given + 1, self.name));
        self.given = self.number;
    }

    /// Goes on as a branch that parts from the line, and returns what happens in it. What comes after that
    /// place on the line, `rest` with its last step, becomes a branch; `None`: the line ends there.
    pub(crate) fn resume(&mut self, number: u32, rest: Option<(u64, F)>) -> Option<Branch<F>> {
        let mut all = self.iter();
        let at = all.position(|branch| branch.number == number && branch.parent.is_none())?;
        let resumed = self.branches.remove(at);
        if let Some((end, rest)) = rest {
            self.add(resumed.from, end, rest);
        }
        for branch in &mut self.branches {
            branch.parent = branch.parent.filter(|parent| *parent != number);
        }
        (self.number, self.name) = (resumed.number, resumed.name);
        Some(resumed)
    }

    /// Adds what the line leaves; what parts from that later parts from the branch.
    fn add(&mut self, from: Position, end: u64, future: F) {
        let &mut Self { number, name, .. } = self;
        for branch in &mut self.branches {
            if branch.parent.is_none() && branch.from > from {
                branch.parent = Some(number);
            }
        }
        self.branches.push(Branch { number, name, parent: None, from, end, future });
    }

    /// Takes a branch away, unless another one parts from it.
    pub(crate) fn remove(&mut self, number: u32) -> Option<Branch<F>> {
        let mut all = self.iter();
        if all.any(|branch| branch.parent == Some(number)) {
            return None;
        }
        let at = self.iter().position(|branch| branch.number == number)?;
        Some(self.branches.remove(at))
    }

    /// Gives the line or a branch another name.
    ///
    /// # Errors
    /// If it is taken. The second part of a sentence that begins with the name.
    pub(crate) fn rename(&mut self, number: u32, name: BranchName) -> Result<(), &'static str> {
        let named = if self.number == number {
            Some(&mut self.name)
        } else {
            let mut all = self.branches.iter_mut();
            all.find(|branch| branch.number == number).map(|branch| &mut branch.name)
        };
        match named {
            Some(named) if *named == name => return Ok(()),
            None => return Err("can't be given to a branch that is gone"),
            Some(_) => {}
        }
        if self.has(name) {
            return Err("is the name of another branch; choose one that is free");
        }
        if self.number == number {
            self.name = name;
        }
        let named = self.branches.iter_mut().filter(|branch| branch.number == number);
        named.for_each(|branch| branch.name = name);
        Ok(())
    }
}

/// What only the window does with branches.
#[cfg(feature = "window")]
impl<F> BranchTree<F> {
    /// The branch with that number.
    pub(crate) fn get(&self, number: u32) -> Option<&Branch<F>> {
        self.iter().find(|branch| branch.number == number)
    }

    /// Whether there is no branch.
    pub(crate) fn is_empty(&self) -> bool {
        self.branches.is_empty()
    }

    /// What happens in the branches, oldest first.
    pub(crate) fn futures(&mut self) -> impl Iterator<Item = &mut F> {
        self.branches.iter_mut().map(|branch| &mut branch.future)
    }

    /// The branches on the way from the line to one, which is the last of them. Each parts from the one
    /// before it.
    pub(crate) fn way(&self, number: u32) -> Vec<&Branch<F>> {
        let mut way = Vec::new();
        let mut next = self.get(number);
        while let Some(branch) = next {
            way.push(branch);
            next = branch.parent.and_then(|parent| self.get(parent));
        }
        way.reverse();
        way
    }

    /// The number of the oldest branch from which no other parts.
    pub(crate) fn oldest(&self) -> Option<u32> {
        let is_free = |number| self.iter().all(|branch| branch.parent != Some(number));
        self.iter().map(|branch| branch.number).find(|number| is_free(*number))
    }

    /// The same tree with other futures.
    pub(crate) fn map<T>(self, mut to: impl FnMut(F) -> T) -> BranchTree<T> {
        let Self { number, name, given, branches } = self;
        let branches = branches.into_iter().map(|branch| {
            let Branch { number, name, parent, from, end, future } = branch;
            Branch { number, name, parent, from, end, future: to(future) }
        });
        BranchTree { number, name, given, branches: branches.collect() }
    }
}

#[cfg(all(test, feature = "window"))]
mod tests {
    use super::*;

    /// Names, parents and places of the branches, and the name of the line.
    fn shown(tree: &BranchTree<&str>) -> String {
        let parent = |branch: &Branch<_>| branch.parent.map_or("-".to_owned(), |it| it.to_string());
        let mut all: Vec<String> = tree
            .iter()
            .map(|it| format!("{}<{}@{} {}", it.name, parent(it), it.from.0, it.future))
            .collect();
        all.push(tree.name.to_string());
        all.join(", ").replace("branch ", "")
    }

    #[test]
    fn the_line_and_its_branches_change_places_and_others_stay_where_they_part() {
        let mut tree = BranchTree::new();
        assert_eq!(tree.leave((50, 1), 100, "a"), 1);
        assert_eq!(tree.leave((70, 3), 90, "b"), 2);
        assert_eq!(tree.leave((40, 0), 80, "c"), 3);
        // Both of the first ones part from what is after step 40.
        assert_eq!(shown(&tree), "1<3@50 a, 2<3@70 b, 3<-@40 c, 4");
        assert_eq!(tree.way(2).iter().map(|it| it.number).collect::<Vec<_>>(), [3, 2]);
        assert!(tree.resume(2, None).is_none(), "it does not part from the line");
        assert_eq!(tree.resume(3, Some((60, "d"))).unwrap().future, "c");
        assert_eq!(shown(&tree), "1<-@50 a, 2<-@70 b, 4<-@40 d, 3");
        assert_eq!(tree.resume(1, Some((80, "e"))).unwrap().future, "a");
        assert_eq!(shown(&tree), "2<3@70 b, 4<-@40 d, 3<-@50 e, 1");
        // The line ends where the branch parts: nothing is left.
        tree.resume(4, Some((100, "f"))).unwrap();
        assert_eq!(shown(&tree), "2<3@70 b, 3<1@50 e, 1<-@40 f, 4");
        tree.resume(1, None).unwrap();
        assert_eq!(shown(&tree), "2<3@70 b, 3<-@50 e, 1");
        assert!(tree.remove(3).is_none() && tree.oldest() == Some(2));
        assert!(tree.remove(2).is_some() && tree.oldest() == Some(3));
    }

    #[test]
    fn names_are_unique_short_and_one_line() {
        let mut tree = BranchTree::new();
        tree.leave((5, 0), 9, "");
        let name = |text| BranchName::new(text).unwrap();
        assert!(tree.rename(1, name("branch 3")).is_ok() && tree.rename(9, name("x")).is_err());
        assert!(tree.rename(2, name("branch 3")).unwrap_err().contains("another branch"));
        assert!(tree.rename(1, name("branch 3")).is_ok(), "its own");
        tree.leave((3, 0), 9, "");
        assert_eq!(shown(&tree), "3<2@5 , 2<-@3 , 4", "a name that is taken is passed over");
        for (text, why) in [("", "no name"), (" ", "no name"), ("a\nb", "leave them out")] {
            assert!(BranchName::new(text).unwrap_err().contains(why), "{text:?}");
        }
        assert!(BranchName::new(&"é".repeat(17)).unwrap_err().contains("it has 34"));
        assert_eq!(BranchName::new(&"é".repeat(16)).unwrap().as_str(), "é".repeat(16));
    }
}
