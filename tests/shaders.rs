//! Shaders are valid WGSL for the version of naga that wgpu uses, and have the entry points and
//! bindings that the program uses. Each is checked as the program compiles it, with the shared
//! vertex stage appended.

use std::{fs, path::PathBuf};

use naga::{
    Module, ShaderStage,
    front::wgsl,
    valid::{Capabilities, ValidationFlags, Validator},
};

/// Paths of all shaders except the shared vertex stage.
fn shaders() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/shaders");
    let files = fs::read_dir(folder).expect("a folder of shaders");
    let paths = files.map(|file| file.expect("a file").path());
    paths.filter(|path| !path.ends_with("screen.wgsl")).collect()
}

/// Parses a shader as the program compiles it.
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
fn all_shaders_are_valid() {
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

/// Entry points in source order.
fn entries(module: &Module) -> Vec<(&str, ShaderStage)> {
    module.entry_points.iter().map(|entry| (entry.name.as_str(), entry.stage)).collect()
}

/// Groups and bindings in source order.
fn bindings(module: &Module) -> Vec<(u32, u32)> {
    let variables = module.global_variables.iter();
    let bindings = variables.filter_map(|(_, variable)| variable.binding);
    bindings.map(|at| (at.group, at.binding)).collect()
}

#[test]
fn present_has_its_entry_points_and_bindings() {
    let module = joined(include_str!("../shaders/present.wgsl")).expect("a valid shader");
    let expected = [("present", ShaderStage::Fragment), ("cover", ShaderStage::Vertex)];
    assert_eq!(entries(&module), expected);
    assert_eq!(bindings(&module), [(0, 0)]);
}

#[test]
fn glow_has_its_entry_points_and_bindings() {
    let module = joined(include_str!("../shaders/glow.wgsl")).expect("a valid shader");
    let fragments = ["gather", "blur_across", "blur_down", "shine"];
    let fragments = fragments.map(|name| (name, ShaderStage::Fragment));
    assert_eq!(entries(&module)[..4], fragments);
    assert_eq!(entries(&module)[4..], [("cover", ShaderStage::Vertex)]);
    assert_eq!(bindings(&module), [(0, 0), (0, 1), (0, 2)]);
}

#[test]
fn panel_has_its_entry_points_and_bindings() {
    let module = joined(include_str!("../shaders/panel.wgsl")).expect("a valid shader");
    let expected = [("blend_panel", ShaderStage::Fragment), ("cover", ShaderStage::Vertex)];
    assert_eq!(entries(&module), expected);
    assert_eq!(bindings(&module), [(0, 0)]);
}

#[test]
fn an_invalid_shader_is_rejected() {
    assert!(joined("@fragment fn present() -> @location(0) vec4<f32> { return 1.0; }").is_err());
}
