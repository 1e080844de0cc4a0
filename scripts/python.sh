#!/usr/bin/env bash
# The Python package: builds a wheel, installs it into a virtual environment under target/, and runs its
# checks. With --release, builds the wheel that is published in its place, for every Linux with glibc 2.17
# or newer, into target/python/release.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/checks.sh

python=${PYTHON:-python3}
"$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
    fail 'The Python package needs Python 3.10 or newer with venv: apt-get install python3-venv'
target=$(cargo metadata --locked --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
folder=$target/python
bin=$folder/venv/bin
# An environment of another Python, or of a folder that was moved, is made anew.
"$bin/python" -c pass 2>/dev/null || "$python" -m venv --clear "$folder/venv"
"$bin/python" -m pip install --quiet --disable-pip-version-check --requirement python/requirements.txt

if [[ ${1:-} == --release ]]; then
    "$bin/python" -m pip install --quiet --disable-pip-version-check 'ziglang==0.15.1'
    PATH=$bin:$PATH "$bin/maturin" build --release --locked --zig --compatibility manylinux_2_17 \
        --manifest-path python/Cargo.toml --out "$folder/release"
    exit
fi
[[ $# == 0 ]] || fail "unknown argument $1: the only one is --release"

# The package, and the program that its tests compare it with. Both packages are named, so that the library
# is compiled once for both; with little optimization, since compiling takes most of the time.
config=(--config 'profile.dev.package.jostle.opt-level=1')
cargo build --locked --quiet "${config[@]}" --package jostle --package jostle-python --bin jostle \
    --no-default-features --features jostle/cli
rm --recursive --force "$folder/wheels"
"$bin/maturin" build --locked --quiet "${config[@]}" --manifest-path python/Cargo.toml --out "$folder/wheels"
"$bin/python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps "$folder"/wheels/*.whl

JOSTLE_PROGRAM=$target/debug/jostle "$bin/python" -m pytest --quiet python/tests
"$bin/python" -m mypy --strict --cache-dir "$folder/mypy" python/jostle python/tests
"$bin/python" -m mypy.stubtest --mypy-config-file python/pyproject.toml \
    --allowlist python/stubtest.txt jostle
