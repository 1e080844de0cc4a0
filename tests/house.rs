//! The structure of `src`: imports point down, no circle, no type name twice, no large file. And the
//! table of tests: a row for every file.
//!
//! Reads the sources with a Rust parser. An import is a path that begins with `crate`, `self` or
//! `super`, in a `use` or anywhere else. It leads to the file that defines the name, also through
//! re-exports. Code under `#[cfg(test)]` is left out.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use syn::{
    Attribute, Ident, Item, ItemMod, Meta, UseTree, Visibility,
    visit::{self, Visit},
};

/// Rooms from the ground up: a room imports from rooms before it only.
const ROOMS: &[&str] = &[
    "error", "limits", "names", "format", "exact", "geometry", "trace", "parallel", "alloc",
    "snapshot", "rng", "simd", "agents", "grid", "statics", "contacts", "index", "solver", "step",
    "formula", "rules", "scene", "world", "sim", "cluster", "observe", "program", "journal",
    "timing", "raster", "window", "cli",
];

/// Lines that a file may have.
const LINES_MAX: usize = 450;

/// A source file.
struct Source {
    /// `raster::kernel::sprite`; empty for `lib.rs`.
    module: Vec<String>,
    path: PathBuf,
    lines: usize,
    /// Paths that it names, from the crate's root, with whether each is a re-export.
    names: Vec<(Vec<String>, bool)>,
    /// Names that it re-exports, each with the path that it comes from.
    exports: BTreeMap<String, Vec<String>>,
    types: Vec<String>,
    idents: BTreeSet<String>,
}

fn main_sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths.retain(|path| !path.ends_with("src/main.rs"));
    paths.sort();
    paths.into_iter().map(|path| read(&root, path)).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
}

fn read(root: &Path, path: PathBuf) -> Source {
    let text = fs::read_to_string(&path).expect("a readable source");
    let file = syn::parse_file(&text).expect("a source that parses");
    let relative = path.strip_prefix(root).expect("a path in src").with_extension("");
    let mut module: Vec<String> =
        relative.iter().map(|part| part.to_str().expect("a UTF-8 name").to_owned()).collect();
    if matches!(module.last().map(String::as_str), Some("mod" | "lib")) {
        module.pop();
    }
    let mut reader = Reader { module: module.clone(), ..Reader::default() };
    reader.visit_file(&file);
    let Reader { names, exports, types, idents, .. } = reader;
    Source { module, path, lines: text.lines().count(), names, exports, types, idents }
}

#[derive(Default)]
struct Reader {
    module: Vec<String>,
    names: Vec<(Vec<String>, bool)>,
    exports: BTreeMap<String, Vec<String>>,
    types: Vec<String>,
    idents: BTreeSet<String>,
}

impl Reader {
    /// The path from the crate's root, if this one is relative to a module of ours.
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let (first, mut rest) = path.split_first()?;
        let mut base = match first.as_str() {
            "crate" => Vec::new(),
            "self" => self.module.clone(),
            "super" => self.module[..self.module.len().checked_sub(1)?].to_vec(),
            _ => return None,
        };
        while let Some((first, behind)) = rest.split_first()
            && first == "super"
        {
            base.pop();
            rest = behind;
        }
        base.extend_from_slice(rest);
        Some(base)
    }

    fn tree(&mut self, tree: &UseTree, before: &mut Vec<String>, exported: bool) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.tree(&path.tree, before, exported);
                before.pop();
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.tree(tree, before, exported));
            }
            UseTree::Name(name) => self.used(before, &name.ident, &name.ident, exported),
            UseTree::Rename(name) => self.used(before, &name.ident, &name.rename, exported),
            UseTree::Glob(_) => {
                if let Some(path) = self.absolute(before) {
                    self.names.push((path, exported));
                }
            }
        }
    }

    fn used(&mut self, before: &[String], name: &Ident, known_as: &Ident, exported: bool) {
        let mut path = before.to_vec();
        if name != "self" {
            path.push(name.to_string());
        }
        // `pub use frame::Frame` in a `mod.rs` names one of its own files.
        let absolute = self.absolute(&path).or_else(|| {
            exported.then(|| self.module.iter().cloned().chain(path.iter().cloned()).collect())
        });
        if let Some(absolute) = absolute {
            if exported {
                self.exports.insert(known_as.to_string(), absolute.clone());
            }
            self.names.push((absolute, exported));
        }
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if attribute.path().is_ident("cfg") => {
            ["test", "doctest"].contains(&list.tokens.to_string().as_str())
        }
        _ => false,
    })
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        let (attributes, name) = match item {
            Item::Struct(it) => (&it.attrs, Some(&it.ident)),
            Item::Enum(it) => (&it.attrs, Some(&it.ident)),
            Item::Trait(it) => (&it.attrs, Some(&it.ident)),
            Item::Type(it) => (&it.attrs, Some(&it.ident)),
            Item::Mod(it) => (&it.attrs, None),
            Item::Use(it) => (&it.attrs, None),
            Item::Fn(it) => (&it.attrs, None),
            Item::Impl(it) => (&it.attrs, None),
            Item::Const(it) => (&it.attrs, None),
            _ => return visit::visit_item(self, item),
        };
        if is_test(attributes) {
            return;
        }
        if let Some(name) = name {
            self.types.push(name.to_string());
        }
        if let Item::Use(it) = item {
            let exported = !matches!(it.vis, Visibility::Inherited);
            self.tree(&it.tree, &mut Vec::new(), exported);
        }
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<_> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        if names.len() > 1
            && let Some(absolute) = self.absolute(&names)
        {
            self.names.push((absolute, false));
        }
        visit::visit_path(self, path);
    }

    fn visit_ident(&mut self, ident: &'ast Ident) {
        self.idents.insert(ident.to_string());
    }
}

/// The file that defines what a path names.
fn defining<'a>(sources: &'a BTreeMap<Vec<String>, &Source>, path: &[String]) -> &'a Source {
    let known = (0..=path.len()).rev().find_map(|length| sources.get(&path[..length]));
    let source = *known.expect("lib.rs holds every path");
    match path.get(source.module.len()).and_then(|name| source.exports.get(name)) {
        Some(origin) if origin[..] != path[..] => {
            let rest = &path[source.module.len() + 1..];
            let origin: Vec<_> = origin.iter().chain(rest).cloned().collect();
            defining(sources, &origin)
        }
        _ => source,
    }
}

/// Imports from file to file, as indices into `sources`.
fn imports(sources: &[Source]) -> Vec<BTreeSet<usize>> {
    let known: BTreeMap<_, _> =
        sources.iter().map(|source| (source.module.clone(), source)).collect();
    let index: BTreeMap<_, _> =
        sources.iter().enumerate().map(|(at, source)| (source.module.clone(), at)).collect();
    sources
        .iter()
        .map(|source| {
            let named = source.names.iter().filter(|(_, exported)| !exported);
            named
                .map(|(path, _)| index[&defining(&known, path).module])
                .filter(|&to| sources[to].module != source.module)
                .collect()
        })
        .collect()
}

fn name(source: &Source) -> String {
    if source.module.is_empty() { "lib.rs".to_owned() } else { source.module.join("::") }
}

/// Groups of files that lead to each other, each larger than one.
fn circles(imports: &[BTreeSet<usize>]) -> Vec<Vec<usize>> {
    let reached = |from: usize| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(at) = open.pop() {
            open.extend(imports[at].iter().filter(|&&to| seen.insert(to)));
        }
        seen
    };
    let reach: Vec<_> = (0..imports.len()).map(reached).collect();
    let mut circles: BTreeSet<Vec<usize>> = BTreeSet::new();
    for from in 0..imports.len() {
        let circle: Vec<_> =
            reach[from].iter().copied().filter(|&to| reach[to].contains(&from)).collect();
        if circle.len() > 1 {
            circles.insert(circle);
        }
    }
    circles.into_iter().collect()
}

fn assert_none(what: &str, found: &[String]) {
    assert!(found.is_empty(), "{} {what}:\n{}", found.len(), found.join("\n"));
}

#[test]
fn imports_point_down() {
    let sources = main_sources();
    let rank = |source: &Source| {
        let room = source.module.first()?;
        let rank = ROOMS.iter().position(|known| known == room);
        Some(rank.unwrap_or_else(|| panic!("{room}: a room that ROOMS does not list")))
    };
    let mut up = Vec::new();
    for (from, targets) in sources.iter().zip(imports(&sources)) {
        for to in targets.into_iter().map(|to| &sources[to]) {
            if let (Some(own), Some(other)) = (rank(from), rank(to))
                && other > own
            {
                up.push(format!("{} imports {}", name(from), name(to)));
            }
        }
    }
    assert_none("imports point up", &up);
}

#[test]
fn no_circle_of_imports() {
    let sources = main_sources();
    let imports = imports(&sources);
    let told: Vec<_> = circles(&imports)
        .into_iter()
        .map(|circle| {
            let arrows = circle.iter().flat_map(|&from| {
                let to: Vec<_> = circle.iter().filter(|to| imports[from].contains(to)).collect();
                to.into_iter().map(move |&to| (from, to))
            });
            arrows
                .map(|(from, to)| format!("  {} -> {}", name(&sources[from]), name(&sources[to])))
                .collect::<Vec<_>>()
                .join("\n")
        })
        .collect();
    assert_none("circles of imports", &told);
}

#[test]
fn every_type_name_is_unique() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in main_sources() {
        for kind in &source.types {
            places.entry(kind.clone()).or_default().push(name(&source));
        }
    }
    let twice: Vec<_> = places
        .into_iter()
        .filter(|(_, places)| places.len() > 1)
        .map(|(kind, places)| format!("{kind}: {}", places.join(", ")))
        .collect();
    assert_none("type names stand twice", &twice);
}

#[test]
fn every_file_is_short() {
    let long: Vec<_> = main_sources()
        .into_iter()
        .filter(|source| source.lines > LINES_MAX)
        .map(|source| format!("{}: {} lines", source.path.display(), source.lines))
        .collect();
    assert_none("files are too long", &long);
}

/// So that the program compiles on every system: each of these has a fallback there.
#[test]
fn what_depends_on_the_system_stands_in_two_folders() {
    let folders = ["src/cli/system", "src/window/display"];
    let marks = [
        "os::unix",
        "os::windows",
        "os::fd",
        "os::{",
        "rustix::",
        "rlimit::",
        "signal_hook::",
        "target_os",
        "cfg(unix",
        "cfg(windows",
        "cfg(not(unix",
    ];
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for source in main_sources() {
        let path = source.path.strip_prefix(root).expect("a path in the project");
        if folders.iter().any(|folder| path.starts_with(folder)) {
            continue;
        }
        let text = fs::read_to_string(&source.path).expect("a readable source");
        let lines = text.lines().enumerate();
        let named = lines.filter(|(_, line)| marks.iter().any(|mark| line.contains(mark)));
        found.extend(named.map(|(n, line)| format!("{}:{}: {line}", path.display(), n + 1)));
    }
    assert_none("what depends on the system stands elsewhere", &found);
}

#[test]
fn identifiers_say_per() {
    let found: BTreeSet<_> = main_sources()
        .into_iter()
        .flat_map(|source| source.idents)
        .filter(|ident| {
            let ident = ident.to_lowercase();
            ident.contains("_a_") || ident.contains("_an_")
        })
        .collect();
    assert_none("identifiers say `a` for `per`", &found.into_iter().collect::<Vec<_>>());
}

#[test]
fn every_test_file_has_a_row_in_the_readme() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let readme = fs::read_to_string(root.join("README.md")).expect("a readable table");
    let rows: BTreeSet<_> = readme
        .lines()
        .filter_map(|line| Some(line.strip_prefix("| `")?.split_once('`')?.0))
        .collect();
    let mut files = Vec::new();
    collect(&root, &mut files);
    let missing: Vec<_> = files
        .iter()
        .map(|path| path.strip_prefix(&root).expect("a path in tests").display().to_string())
        .filter(|path| !path.ends_with("main.rs") && !rows.contains(path.as_str()))
        .collect();
    assert_none("files of tests without a row in tests/README.md", &missing);
}
