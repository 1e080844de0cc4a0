//! The shader is valid WGSL for the version of naga that wgpu uses, and has the entry points and the
//! binding that the program uses.

use naga::{
    Module, ShaderStage,
    front::wgsl,
    valid::{Capabilities, ValidationFlags, Validator},
};

fn parsed(source: &str) -> Result<Module, String> {
    let module = wgsl::parse_str(source).map_err(|error| error.emit_to_string(source))?;
    Validator::new(ValidationFlags::all(), Capabilities::empty())
        .validate(&module)
        .map_err(|error| error.emit_to_string(source))?;
    Ok(module)
}

#[test]
fn present_has_its_entry_points_and_binding() {
    let module =
        parsed(include_str!("../shaders/present.wgsl")).unwrap_or_else(|error| panic!("{error}"));
    let entries = module.entry_points.iter().map(|entry| (entry.name.as_str(), entry.stage));
    let expected = [("cover", ShaderStage::Vertex), ("present", ShaderStage::Fragment)];
    assert_eq!(entries.collect::<Vec<_>>(), expected);
    let variables = module.global_variables.iter();
    let bindings = variables.filter_map(|(_, variable)| variable.binding);
    assert_eq!(bindings.map(|at| (at.group, at.binding)).collect::<Vec<_>>(), [(0, 0)]);
}

#[test]
fn an_invalid_shader_is_rejected() {
    assert!(parsed("@fragment fn present() -> @location(0) vec4<f32> { return 1.0; }").is_err());
}
