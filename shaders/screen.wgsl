// The vertex stage that all shaders share: it stands behind each of them.
//
//   (-1, 3)
//      | \
//      |   \       One triangle that is larger than the target covers all of it, with no seam in it.
//      +-----+
//      |  t  | \
//   (-1,-1)--+--(3,-1)

@vertex
fn cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let x = f32((index & 1u) << 2u) - 1.0;
    let y = f32((index & 2u) << 1u) - 1.0;
    return vec4<f32>(x, y, 0.0, 1.0);
}
