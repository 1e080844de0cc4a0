// Copies the frame to the window: one texel per pixel, without changing a bit.
//
// The frame has the window's physical size, so that nothing is scaled or sampled.
// Both textures hold plain 8-bit values (Rgba8Unorm in, Bgra8Unorm out): with an sRGB format on one
// side only, colors would be lighter or darker than in a PNG of the same frame.

@group(0) @binding(0) var frame: texture_2d<f32>;

// A window may be larger than the frame while it is being resized. Pixels outside of the frame stay
// black.
@fragment
fn present(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let texel = vec2<u32>(at.xy);
    if any(texel >= textureDimensions(frame)) {
        return vec4<f32>(0.0, 0.0, 0.0, 1.0);
    }
    return vec4<f32>(textureLoad(frame, texel, 0).rgb, 1.0);
}
