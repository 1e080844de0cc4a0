// Copies the frame to the window: one texel per pixel, without changing a bit.
//
// The frame has the window's physical size, so that nothing is scaled or sampled.
// Both textures hold plain 8-bit values (Bgra8Unorm): with an sRGB format on one side only, colors
// would be lighter or darker than in a PNG of the same frame.

@group(0) @binding(0) var frame: texture_2d<f32>;

//   (-1, 3)
//      | \
//      |   \       One triangle covers the whole target without a seam.
//      +-----+
//      |  t  | \
//   (-1,-1)--+--(3,-1)

@vertex
fn cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let x = f32((index & 1u) << 2u) - 1.0;
    let y = f32((index & 2u) << 1u) - 1.0;
    return vec4<f32>(x, y, 0.0, 1.0);
}

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
