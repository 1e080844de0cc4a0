#!/usr/bin/env bash
# Everything there is to check, in one command: format, lints, documentation, unit, property, golden,
# command-line, shader and window tests, the benches in small, and the instructions of a step counted. Needs
# a Rust toolchain; installs the Debian packages that it misses where it may, and says which they are where
# it may not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/as_released.sh

packages=(
    gcc libc6-dev                                                    # to link
    libx11-6 libx11-xcb1 libxcursor1 libxi6 libxkbcommon-x11-0       # a window on X11
    libvulkan1 mesa-vulkan-drivers                                   # Vulkan in software
    xvfb openbox                                                     # a screen that nobody sees, its windows
    valgrind                                                         # counts instructions
)

fail() {
    echo "$*" >&2
    exit 1
}

installed() {
    [[ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

install_packages() {
    local missing=() package
    for package in "${packages[@]}"; do
        installed "$package" || missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    local root=()
    if ((EUID != 0)); then
        sudo --non-interactive true 2>/dev/null ||
            fail "These packages are missing: sudo apt-get install ${missing[*]}"
        root=(sudo --non-interactive)
    fi
    echo "installing ${missing[*]}"
    "${root[@]}" apt-get update --quiet --quiet
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install --quiet --quiet --yes --no-install-recommends "${missing[@]}" >/dev/null
}

# Runs a command under a headline.
check() {
    local started=$SECONDS
    printf '\n== %s\n' "$1"
    shift
    "$@"
    printf -- '-- %d s\n' $((SECONDS - started))
}

no_window_in_the_tree() {
    local tree
    tree=$(cargo tree --locked --no-default-features --features cli --edges normal,build --prefix none)
    if grep --extended-regexp '^(winit|wgpu|softbuffer|font8x8|egui|directories|toml)[a-z_-]* ' <<<"$tree"; then
        fail "Without the feature \`window\` none of these may be in the tree."
    fi
}

if command -v apt-get dpkg-query >/dev/null; then
    install_packages
else
    command -v Xvfb >/dev/null && command -v openbox >/dev/null && command -v valgrind >/dev/null ||
        fail "The tests need Xvfb, openbox, lavapipe, valgrind, and what Debian calls: ${packages[*]}"
fi
cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 ||
    fail "rustfmt or clippy is missing: rustup component add rustfmt clippy"

# The order lets one step build on the last: lints and documentation share what they compile, and so do
# the tests and the benches, which all have the same profile. All of them with the peers, so that nothing
# is compiled once with them and once without.
check 'format' cargo fmt --check
check 'no window in the tree' no_window_in_the_tree
check 'lints' cargo clippy --locked --features peers --all-targets -- -D warnings
check 'lints, no window' cargo clippy --locked --no-default-features --features cli --all-targets -- -D warnings
check 'documentation' env RUSTDOCFLAGS='-D warnings' cargo doc --locked --features peers --no-deps
check 'tests' cargo test --locked --features peers
check 'tests, no window' cargo test --locked --no-default-features --features cli --lib --bins --test cli
check 'benches, in small' cargo test --locked --features peers --benches
check 'golden hashes, as released' \
    cargo test --locked --features peers "${as_released[@]}" --test step one_hash
check 'instructions of a step' scripts/instructions.sh
printf '\nall of it holds: %d s\n' "$SECONDS"
