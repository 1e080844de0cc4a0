// Glow: bright areas spread light over their surroundings.
//
//   frame ─ gather ─► quarter size ─ blur_across ─► ─ blur_down ─► light
//     └──────────────────────────────────────────────────────────────────── shine ─► window
//
// The light of a block of 4 x 4 pixels is the square of its mean color, so that crowds glow and
// single agents hardly do. It takes what is left above the brightest channel of a pixel: so it never
// overflows, and a bright pixel keeps its hue.

// The frame, or the light of the stage before.
@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var light: texture_2d<f32>;
@group(0) @binding(2) var smooth_between: sampler;

// Pixels per side of a block.
const BLOCK: u32 = 4u;

// Factor of the light before it is added.
const STRENGTH: f32 = 1.5;

// Weights by distance: a Gaussian with a standard deviation of two blocks.
const WEIGHTS: array<f32, 5> = array<f32, 5>(0.2042, 0.1802, 0.1238, 0.0663, 0.0276);

// Light of a block of the frame.
@fragment
fn gather(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let corner = vec2<u32>(at.xy) * BLOCK;
    let last = textureDimensions(source) - vec2<u32>(1u);
    var sum = vec3<f32>(0.0);
    for (var y = 0u; y < BLOCK; y++) {
        for (var x = 0u; x < BLOCK; x++) {
            sum += textureLoad(source, min(corner + vec2<u32>(x, y), last), 0).rgb;
        }
    }
    let mean = sum / f32(BLOCK * BLOCK);
    return vec4<f32>(mean * max(mean.r, max(mean.g, mean.b)), 1.0);
}

fn blurred(at: vec4<f32>, along: vec2<i32>) -> vec4<f32> {
    let here = vec2<i32>(at.xy);
    let last = vec2<i32>(textureDimensions(source)) - vec2<i32>(1);
    var sum = textureLoad(source, here, 0).rgb * WEIGHTS[0];
    for (var n = 1; n < 5; n++) {
        let one = clamp(here + along * n, vec2<i32>(0), last);
        let other = clamp(here - along * n, vec2<i32>(0), last);
        sum += (textureLoad(source, one, 0).rgb + textureLoad(source, other, 0).rgb) * WEIGHTS[n];
    }
    return vec4<f32>(sum, 1.0);
}

@fragment
fn blur_across(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    return blurred(at, vec2<i32>(1, 0));
}

@fragment
fn blur_down(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    return blurred(at, vec2<i32>(0, 1));
}

// The frame and its light. Pixels outside of the frame stay black, as without glow.
@fragment
fn shine(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let texel = vec2<u32>(at.xy);
    let size = textureDimensions(source);
    if any(texel >= size) {
        return vec4<f32>(0.0, 0.0, 0.0, 1.0);
    }
    let plain = textureLoad(source, texel, 0).rgb;
    let blocks = vec2<f32>(textureDimensions(light)) * f32(BLOCK);
    let glow = textureSampleLevel(light, smooth_between, at.xy / blocks, 0.0).rgb;
    let room = 1.0 - max(plain.r, max(plain.g, plain.b));
    return vec4<f32>(plain + room * min(glow * STRENGTH, vec3<f32>(1.0)), 1.0);
}
