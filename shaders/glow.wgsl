// Makes dense places bloom: what is bright over a few pixels shines on what is around it.
//
//   frame ─ gather ─► a quarter of a side ─ blur_across ─► ─ blur_down ─► light
//     └──────────────────────────────────────────────────────────────────── shine ─► window
//
// Light counts by the square of what a field of 4 x 4 pixels has on average: single agents hardly shine,
// crowds do. It is put over the frame as light is, so that nothing becomes darker and nothing overflows.

// The frame, or the last stage's light.
@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var light: texture_2d<f32>;
@group(0) @binding(2) var smooth_between: sampler;

// Pixels of the frame a side of a field.
const FIELD: u32 = 4u;

// How much of the light is put over the frame.
const STRENGTH: f32 = 1.5;

// Shares of the neighbours, by their distance: a bell of two fields' width.
const BELL: array<f32, 5> = array<f32, 5>(0.2042, 0.1802, 0.1238, 0.0663, 0.0276);

// The light of a field of the frame.
@fragment
fn gather(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let corner = vec2<u32>(at.xy) * FIELD;
    let last = textureDimensions(source) - vec2<u32>(1u);
    var sum = vec3<f32>(0.0);
    for (var y = 0u; y < FIELD; y++) {
        for (var x = 0u; x < FIELD; x++) {
            sum += textureLoad(source, min(corner + vec2<u32>(x, y), last), 0).rgb;
        }
    }
    let mean = sum / f32(FIELD * FIELD);
    return vec4<f32>(mean * max(mean.r, max(mean.g, mean.b)), 1.0);
}

fn blurred(at: vec4<f32>, along: vec2<i32>) -> vec4<f32> {
    let here = vec2<i32>(at.xy);
    let last = vec2<i32>(textureDimensions(source)) - vec2<i32>(1);
    var sum = textureLoad(source, here, 0).rgb * BELL[0];
    for (var n = 1; n < 5; n++) {
        let one = clamp(here + along * n, vec2<i32>(0), last);
        let other = clamp(here - along * n, vec2<i32>(0), last);
        sum += (textureLoad(source, one, 0).rgb + textureLoad(source, other, 0).rgb) * BELL[n];
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

// The frame, with its light over it. What is beyond the frame stays black, as without.
@fragment
fn shine(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let texel = vec2<u32>(at.xy);
    let size = textureDimensions(source);
    if any(texel >= size) {
        return vec4<f32>(0.0, 0.0, 0.0, 1.0);
    }
    let plain = textureLoad(source, texel, 0).rgb;
    let fields = vec2<f32>(textureDimensions(light)) * f32(FIELD);
    let shone = textureSampleLevel(light, smooth_between, at.xy / fields, 0.0).rgb;
    return vec4<f32>(plain + (1.0 - plain) * min(shone * STRENGTH, vec3<f32>(1.0)), 1.0);
}
