//! The program `jostle`.
fn main() {}
