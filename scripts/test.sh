#!/usr/bin/env bash
# All checks in one command: format, dependencies, lints, documentation, the Python package, unit,
# property, golden, command-line, MPI, shader and window tests, the guide and its commands, the benches with small inputs, and the
# instructions of a step and of a frame. Needs a Rust toolchain. Installs missing Debian packages if it may, and
# otherwise names them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/as_released.sh
source scripts/checks.sh

packages=(
    gcc libc6-dev                                                    # linking
    libx11-6 libx11-xcb1 libxcursor1 libxi6 libxkbcommon-x11-0       # a window on X11
    libvulkan1 mesa-vulkan-drivers                                   # Vulkan in software
    xvfb openbox                                                     # a virtual screen and its window manager
    valgrind                                                         # counting instructions
    python3-venv                                                     # the Python package
    openmpi-bin libopenmpi-dev libclang-dev                          # runs on several ranks
)

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

# Crates of the features, which a build without the feature must not contain.
cli_crates='clap|gif|git-version|humantime|png|zip|plotters|csv|npyz|indicatif|sysinfo|signal-hook|color_quant|anstream|hdrhistogram|rlimit|serde_json|toml|roxmltree|svgtypes|kurbo'
window_crates='arboard|bytesize|winit|pixels|wgpu|softbuffer|egui|directories|x11rb|xkbcommon-dl|pollster'
core_crates_max=30

# crates_of FEATURES: the names of all crates of a build with these features only.
crates_of() {
    cargo tree --locked --no-default-features --features "$1" --edges normal --prefix none |
        cut --delimiter ' ' --fields 1 | sort --unique
}

# lacks FEATURES PATTERN: fails if a build with these features only contains a crate that the
# pattern starts.
lacks() {
    if crates_of "$1" | grep --extended-regexp "^($2)([-_].*)?$"; then
        fail "A build with the features '$1' alone must not contain these crates."
    fi
}

features_bring_their_own_crates_only() {
    local count
    count=$(crates_of '' | wc --lines)
    ((count <= core_crates_max)) || fail "The library alone needs $count crates, more than $core_crates_max."
    lacks '' "$cli_crates|$window_crates|serde|tempfile"
    lacks cli "$window_crates"
}

# The limit of ours; that of the registry is 10 MiB, and `cargo publish` finds it at the upload only.
crate_bytes_max=1572864

package_is_small() {
    local said bytes
    said=$(cargo package --locked --no-verify --allow-dirty 2>&1) || fail "$said"
    ! grep '^warning' <<<"$said" || fail 'The crate is packaged with warnings.'
    bytes=$(stat --format %s "$(cargo_target)"/package/jostle-*.crate | sort --numeric-sort | tail --lines 1)
    ((bytes <= crate_bytes_max)) || fail "The crate has $bytes bytes, more than $crate_bytes_max: see \`exclude\` in Cargo.toml."
    echo "$bytes bytes"
}

cargo_target() {
    cargo metadata --locked --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/'
}

# The oldest Rust that Cargo.toml promises. With another one, the program is only type-checked.
oldest_rust() {
    local oldest
    oldest=$(sed --quiet 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
    if [[ $(rustc --version) == "rustc $oldest."* ]]; then
        echo "all checks use Rust $oldest, the oldest that is promised"
    elif rustup run "$oldest" rustc --version 2>/dev/null; then
        rustup run "$oldest" cargo check --locked --target-dir target/oldest-rust
    else
        echo "NOT checked: rustup toolchain install --profile minimal $oldest"
    fi
}

scripts_are_sound() {
    local script
    for script in scripts/*.sh .ci/run; do
        bash -n "$script"
    done
    if command -v shellcheck >/dev/null; then
        shellcheck --external-sources --severity=warning scripts/*.sh .ci/run
    else
        echo 'NOT checked by shellcheck: apt-get install shellcheck'
    fi
}

if command -v apt-get dpkg-query >/dev/null; then
    install_packages
else
    command -v Xvfb >/dev/null && command -v openbox >/dev/null && command -v valgrind >/dev/null ||
        fail "The tests need Xvfb, openbox, lavapipe, valgrind, Python, MPI, and what Debian calls: ${packages[*]}"
fi
cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 ||
    fail "rustfmt or clippy is missing: rustup component add rustfmt clippy"

# In this order, steps share what they compile: lints and documentation do, and so do tests and
# benches, which have the same profile. They all use the feature `peers`, so nothing is compiled
# both with and without it.
check 'format' cargo fmt --all --check
check 'scripts' scripts_are_sound
check 'oldest Rust' oldest_rust
check 'package' package_is_small
check 'dependencies' features_bring_their_own_crates_only
check 'lints' cargo clippy --locked --features peers --all-targets -- -D warnings
check 'lints, with MPI and without window, and of the Python package' cargo clippy --locked \
    --package jostle --package jostle-python --no-default-features --features jostle/mpi --all-targets \
    -- -D warnings
check 'lints, command line alone' \
    cargo clippy --locked --no-default-features --features cli -- -D warnings
check 'lints, library alone' cargo clippy --locked --no-default-features -- -D warnings
check 'library without the code for x86-64' \
    cargo rustc --locked --no-default-features --lib --profile check -- --cfg jostle_portable -D warnings
check 'documentation' env RUSTDOCFLAGS='-D warnings' cargo doc --locked --features peers --no-deps
check 'python package' scripts/python.sh
# Its environment has readers of trajectories.
PATH=$(cargo_target)/python/venv/bin:$PATH
check 'tests' cargo test --locked --features peers
check 'guide, and its commands' scripts/guide.sh
check 'tests, with MPI and without window' \
    cargo test --locked --no-default-features --features mpi --test cli --test mpi
check 'benches, with small inputs' cargo test --locked --features peers --benches
check 'golden hashes, in a release build' \
    cargo test --locked --features peers "${as_released[@]}" --test step one_hash
check 'instructions of a step and of a frame' scripts/instructions.sh
printf '\nall checks passed: %d s\n' "$SECONDS"
