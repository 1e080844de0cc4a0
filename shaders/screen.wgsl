// The vertex stage of all shaders, appended to the source of each.
//
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
