//! The public interface of the library is the one that `docs/public-interface.txt` lists, so that every
//! change of it is seen. `JOSTLE_BLESS=1` writes the list anew.
//!
//! rustdoc knows the interface, and prints it as JSON if it may use what is not stable yet. The test
//! is a program of its own, because cargo calls it again in place of rustdoc, to permit that to
//! rustdoc alone: with permission for all, every dependency would be compiled again. The format of
//! the JSON belongs to one version of Rust, so the list is compared with that version only.

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

/// Set in calls in place of rustdoc.
const IN_PLACE: &str = "JOSTLE_IN_PLACE_OF_RUSTDOC";

/// The first line of the list, before the version.
const HEAD: &str = "# The public interface of the library, listed by Rust ";

fn main() -> ExitCode {
    if env::var_os(IN_PLACE).is_some() {
        let mut rustdoc = Command::new("rustdoc");
        let done = rustdoc.args(env::args_os().skip(1)).env("RUSTC_BOOTSTRAP", "1").status();
        return exit(done.is_ok_and(|status| status.success()));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/public-interface.txt");
    let version = rust_version();
    if env::var_os("JOSTLE_BLESS").is_some() {
        fs::write(&path, format!("{HEAD}{version}\n{}\n", listed().join("\n"))).expect("a list");
    }
    let list = fs::read_to_string(&path).expect("docs/public-interface.txt");
    let mut lines = list.lines();
    let recorded = lines.next().and_then(|line| line.strip_prefix(HEAD)).expect("a version");
    if recorded != version {
        println!(
            "public interface: NOT compared, since the list is of Rust {recorded}, not {version}"
        );
        return ExitCode::SUCCESS;
    }
    let now = listed();
    let [before, now] = [lines.collect(), now.iter().map(String::as_str).collect::<BTreeSet<_>>()];
    before.difference(&now).for_each(|item| println!("- {item}"));
    now.difference(&before).for_each(|item| println!("+ {item}"));
    if before != now {
        println!(
            "the public interface differs from docs/public-interface.txt; if that is intended, run \
             JOSTLE_BLESS=1 cargo test --features peers --test public_interface"
        );
        return ExitCode::FAILURE;
    }
    println!("public interface: {} items, as listed", now.len());
    ExitCode::SUCCESS
}

fn exit(success: bool) -> ExitCode {
    if success { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// `1.95` of Rust 1.95.0.
fn rust_version() -> String {
    let printed = Command::new("rustc").arg("--version").output().expect("rustc").stdout;
    let printed = String::from_utf8(printed).expect("text");
    let version = printed.split(' ').nth(1).expect("a version");
    version.rsplit_once('.').expect("three numbers").0.to_owned()
}

/// The items of the library without features, one per line. Traits that every type implements and
/// those that are derived are left out.
fn listed() -> Vec<String> {
    let json = rustdoc_json();
    let interface = public_api::Builder::from_rustdoc_json(&json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build();
    let interface = interface.unwrap_or_else(|error| panic!("{}: {error}", json.display()));
    // An item that stands at two paths is listed twice.
    let mut seen = BTreeSet::new();
    let items = interface.items().map(ToString::to_string);
    items.filter(|item| seen.insert(item.clone())).collect()
}

fn rustdoc_json() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a folder");
    let made = Command::new(env!("CARGO"))
        .args(["rustdoc", "--quiet", "--locked", "--offline", "--lib", "--no-default-features"])
        .arg("--target-dir")
        .arg(target)
        .args(["--", "-Z", "unstable-options", "--output-format", "json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("RUSTDOC", env::current_exe().expect("this program"))
        .env(IN_PLACE, "1")
        .status();
    assert!(made.is_ok_and(|status| status.success()), "rustdoc failed");
    target.join("doc/jostle.json")
}
