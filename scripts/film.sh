#!/usr/bin/env bash
# Records the film in README.md: half a million agents for three seconds. Takes about a minute.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo run --release --locked --no-default-features --features cli -- record \
    --scene giants --agents 500k --speed 200 --substeps 4 \
    --steps 180 --fps 15 --size 640x360 docs/images/giants-500k.gif
