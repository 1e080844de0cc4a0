#!/usr/bin/env bash
# Checks that jostle is portable: the program for aarch64, under emulation, gives the bits of the
# program for x86-64 in every scene and draws the same pictures, and the library passes the type
# check for Windows and for the web. A warning for any of these targets is an error.
#
#     scripts/portable.sh [FOLDER]
#
# The compilers are packages of Debian 12, in a FOLDER of their own that is kept for the next time. A
# temporary one is removed at the end. Needs root, debootstrap, 3 GB of disk and the network. The
# FOLDER / stands for this machine, which has to be a Debian 12 then.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/as_released.sh
source scripts/checks.sh

agents=20k steps=60 size=640x360
arm=aarch64-unknown-linux-gnu x86=x86_64-unknown-linux-gnu
packages=(
    rustc-web cargo-web rust-web-src libstd-rust-web-dev:arm64 # Rust 1.96
    gcc libc6-dev gcc-aarch64-linux-gnu libc6-dev-arm64-cross  # linking
    gcc-mingw-w64-x86-64-win32                                 # the same for Windows
    libc6:arm64 qemu-user                                      # running
)

((EUID == 0)) || fail 'needs root, to install packages'

if (($#)); then
    mkdir -p "$1"
    root=$(realpath "$1")
else
    root=$(mktemp --directory)
    trap 'rm --recursive --force "$root"' EXIT
fi
work=/var/tmp/jostle-portable

# inside COMMAND...: runs a command in the folder, without the environment of this machine.
inside() {
    chroot "$root" env --ignore-environment --chdir="$work" \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive \
        CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc "$@"
}

install_packages() {
    if [[ ! -e $root/etc/debian_version ]]; then
        debootstrap --variant=minbase bookworm "$root" http://deb.debian.org/debian >/dev/null
        printf 'deb http://deb.debian.org/%s main\n' 'debian bookworm' 'debian bookworm-updates' \
            'debian-security bookworm-security' >"$root/etc/apt/sources.list"
    fi
    mkdir -p "$root$work"
    if [[ $root != / ]]; then
        # The certificates of this machine, which may be behind a proxy.
        mkdir -p "$root/etc/ssl/certs"
        cp --dereference --force /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs"
        cp /etc/resolv.conf "$root/etc"
    fi
    inside dpkg --add-architecture arm64
    inside apt-get update --quiet --quiet
    inside apt-get install --quiet --quiet --yes --no-install-recommends "${packages[@]}" >/dev/null
    inside apt-get clean
}

# The sources as they are in this checkout, without what git ignores.
copy_sources() {
    rm --recursive --force "$root$work/src"
    git ls-files -z --cached --others --exclude-standard |
        tar --create --null --files-from=- | tar --extract --directory "$root$work"
}

# library TARGET FLAGS...: type-checks the library.
library() {
    inside RUSTC_BOOTSTRAP=1 cargo rustc --quiet --locked --no-default-features --lib --profile check \
        --target "$@" -- -D warnings
}

programs() {
    inside RUSTFLAGS='-D warnings' cargo build --quiet --locked --no-default-features --features cli \
        --bin jostle --target "$x86" --target "$arm" "${as_released[@]}"
}

# run TARGET FLAGS...: draws the last step and prints the state hash.
run() {
    local target=$1 emulator=()
    [[ $target != "$arm" ]] || emulator=(qemu-aarch64)
    inside "${emulator[@]}" "target/$target/debug/jostle" run "${@:2}" --agents $agents --steps $steps \
        --threads 2 --size $size --frame "$target.png" --json |
        sed 's/.*"state_hash":"\([0-9a-f]*\)".*/\1/'
}

# The scenes as they are, and the settings that lead through other code.
same_bits() {
    local cases case hash tested golden=0
    mapfile -t cases < <(inside "target/$x86/debug/jostle" scenes | cut --delimiter ' ' --fields 1)
    cases+=(
        'gas --boundary periodic' 'gas --boundary periodic-x' 'mixed --boundary periodic'
        'giants --boundary periodic' 'gas --solver contact' 'pile --sleep off'
        'gas --collisions swept --speed 200' 'gas --tight 3'
    )
    for case in "${cases[@]}"; do
        # shellcheck disable=SC2086 # flags are several words
        hash=$(run "$x86" --scene $case) && tested=$(run "$arm" --scene $case)
        [[ $hash == "$tested" ]] || fail "$case: $hash on x86-64, $tested on aarch64"
        inside cmp "$x86.png" "$arm.png" || fail "$case: the pictures differ"
        # The tests write a hash in groups of four digits.
        if grep --quiet --recursive "$(sed 's/....\B/&_/g' <<<"$hash")" tests; then
            golden=$((golden + 1))
        fi
        printf '%-36s %s\n' "$case" "$hash"
    done
    echo "${#cases[@]} runs and pictures are the same, $golden of them with a golden hash of the tests"
}

check 'packages' install_packages
check 'sources' copy_sources
check 'library for aarch64' library "$arm"
check 'library for Windows' library x86_64-pc-windows-gnu -Zbuild-std=std,panic_abort
check 'library for the web' library wasm32-unknown-unknown -Zbuild-std=std,panic_abort
check 'programs' programs
check 'bits of aarch64' same_bits
printf '\nall checks passed: %d s\n' "$SECONDS"
