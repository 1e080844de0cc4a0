//! Which display there is, and whether it can be used: found out before winit tries, because winit
//! panics over a missing library and mixes up no display with one that is broken.

#[cfg(all(unix, not(target_vendor = "apple"), not(target_os = "android")))]
mod free;
#[cfg(not(all(unix, not(target_vendor = "apple"), not(target_os = "android"))))]
mod native;

#[cfg(all(unix, not(target_vendor = "apple"), not(target_os = "android")))]
pub(super) use free::{REMEDY, find, named};
#[cfg(not(all(unix, not(target_vendor = "apple"), not(target_os = "android"))))]
pub(super) use native::{REMEDY, find, named};

/// Why no window can be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// Nobody shows windows here: a clause for the user.
    NoDisplay(String),
    /// Somebody does, but can't be talked to: a sentence for the user, with the remedy.
    Unusable(String),
}
