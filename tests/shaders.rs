//! Every shader is valid WGSL by the very version of naga that wgpu uses, with the vertex stage that all of them share
//! behind it, as the program joins them; and it has the entry points and bindings that the program asks for.

use std::{fs, path::PathBuf};

use naga::{
    Module, ShaderStage,
    front::wgsl,
    valid::{Capabilities, ValidationFlags, Validator},
};

/// All shaders but the one that stands behind each of them.
fn shaders() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/shaders");
    let files = fs::read_dir(folder).expect("a folder of shaders");
    let paths = files.map(|file| file.expect("a file").path());
    paths.filter(|path| !path.ends_with("screen.wgsl")).collect()
}

/// A shader as the program compiles it.
fn joined(source: &str) -> Result<Module, String> {
    parsed(&[source, include_str!("../shaders/screen.wgsl")].concat())
}

fn parsed(source: &str) -> Result<Module, String> {
    let module = wgsl::parse_str(source).map_err(|error| error.emit_to_string(source))?;
    Validator::new(ValidationFlags::all(), Capabilities::empty())
        .validate(&module)
        .map_err(|error| error.emit_to_string(source))?;
    Ok(module)
}

#[test]
fn every_shader_is_valid() {
    let shaders = shaders();
    assert!(!shaders.is_empty());
    for path in shaders {
        assert_eq!(path.extension().and_then(|end| end.to_str()), Some("wgsl"), "{path:?}");
        let source = fs::read_to_string(&path).expect("a shader");
        if let Err(error) = joined(&source) {
            panic!("{}: {error}", path.display());
        }
    }
}

/// Entry points, in the order of the source.
fn entries(module: &Module) -> Vec<(&str, ShaderStage)> {
    module.entry_points.iter().map(|entry| (entry.name.as_str(), entry.stage)).collect()
}

/// Groups and bindings, in the order of the source.
fn bindings(module: &Module) -> Vec<(u32, u32)> {
    let variables = module.global_variables.iter();
    let bindings = variables.filter_map(|(_, variable)| variable.binding);
    bindings.map(|at| (at.group, at.binding)).collect()
}

#[test]
fn the_present_pass_has_what_the_program_asks_for() {
    let module = joined(include_str!("../shaders/present.wgsl")).expect("a valid shader");
    let expected = [("present", ShaderStage::Fragment), ("cover", ShaderStage::Vertex)];
    assert_eq!(entries(&module), expected);
    assert_eq!(bindings(&module), [(0, 0)]);
}

#[test]
fn the_glow_has_what_the_program_asks_for() {
    let module = joined(include_str!("../shaders/glow.wgsl")).expect("a valid shader");
    let fragments = ["gather", "blur_across", "blur_down", "shine"];
    let fragments = fragments.map(|name| (name, ShaderStage::Fragment));
    assert_eq!(entries(&module)[..4], fragments);
    assert_eq!(entries(&module)[4..], [("cover", ShaderStage::Vertex)]);
    assert_eq!(bindings(&module), [(0, 0), (0, 1), (0, 2)]);
}

#[test]
fn the_panel_has_what_the_program_asks_for() {
    let module = joined(include_str!("../shaders/panel.wgsl")).expect("a valid shader");
    let expected = [("lay_over", ShaderStage::Fragment), ("cover", ShaderStage::Vertex)];
    assert_eq!(entries(&module), expected);
    assert_eq!(bindings(&module), [(0, 0)]);
}

#[test]
fn a_broken_shader_is_found() {
    assert!(joined("@fragment fn present() -> @location(0) vec4<f32> { return 1.0; }").is_err());
}
