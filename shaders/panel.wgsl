// Blends the panel over the frame. The panel's texture has the frame's size and is painted when it
// changes.
//
// Its colors are premultiplied by alpha, and the pipeline blends them accordingly. The scissor
// rectangle limits the pass to the panel.

@group(0) @binding(0) var panel: texture_2d<f32>;

@fragment
fn blend_panel(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    return textureLoad(panel, vec2<u32>(at.xy), 0);
}
