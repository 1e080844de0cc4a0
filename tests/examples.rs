//! The examples run to their end.

#[path = "../examples/own_buffer.rs"]
mod own_buffer;
#[path = "../examples/particle_life.rs"]
mod particle_life;
#[path = "../examples/units.rs"]
mod units;

#[test]
fn units_runs() {
    units::main().expect("the example runs");
}

#[test]
fn particle_life_runs() {
    particle_life::main().expect("the example runs");
}

#[test]
fn own_buffer_runs() {
    own_buffer::main().expect("the example runs");
}
