// Puts the panel over the frame: a texture of the frame's size, painted only when the panel changes.
//
// Its colours are multiplied by their alpha already, as egui paints; the blending that goes with it is the
// pipeline's. Only the panel's own rectangle is looked at: the scissors are set to it.

@group(0) @binding(0) var panel: texture_2d<f32>;

// One triangle that is larger than the window covers all of it: corners (-1,-1), (3,-1) and (-1,3).
@vertex
fn cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let x = f32((index & 1u) << 2u) - 1.0;
    let y = f32((index & 2u) << 1u) - 1.0;
    return vec4<f32>(x, y, 0.0, 1.0);
}

@fragment
fn lay_over(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    return textureLoad(panel, vec2<u32>(at.xy), 0);
}
