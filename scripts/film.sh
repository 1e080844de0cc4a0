#!/usr/bin/env bash
# Records the films in README.md and the guide, half a million agents for three seconds each, and the picture of the
# first second of the window. Takes some minutes. A film is small enough for a page: at most 3 MB.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jostle() {
    cargo run --release --locked --no-default-features --features cli -- "$@"
}

jostle record --scene giants --agents 500k --speed 200 --substeps 4 \
    --steps 180 --fps 11 --size 416x234 docs/images/giants-500k.gif
# Four times the speed, with four times the substeps: fourteen seconds.
jostle record --scene shear --agents 500k --speed 120 --substeps 4 \
    --steps 210 --fps 13 --size 416x234 docs/images/shear-500k.gif
jostle run --scene shear --steps 60 --size 480x270 --frame docs/images/first-second.png
