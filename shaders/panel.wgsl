// Puts the panel over the frame: a texture of the frame's size, painted only when the panel changes.
//
// Its colours are multiplied by their alpha already, as egui paints; the blending that goes with it is the
// pipeline's. Only the panel's own rectangle is looked at: the scissors are set to it.

@group(0) @binding(0) var panel: texture_2d<f32>;

@fragment
fn lay_over(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    return textureLoad(panel, vec2<u32>(at.xy), 0);
}
