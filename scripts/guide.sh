#!/usr/bin/env bash
# The guide: builds it as a book into target/guide, and runs every command that it and README.md show
# (scripts/guide.py).
#
#     scripts/guide.sh [PROGRAM]        target/debug/jostle, which `cargo test` builds
#
# mdBook comes with the environment of scripts/python.sh, which has to run first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/checks.sh

target=$(cargo metadata --locked --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
bin=$target/python/venv/bin
[[ -x $bin/mdbook ]] || fail 'mdBook is missing: scripts/python.sh installs it'
said=$("$bin/mdbook" build docs --dest-dir "$target/guide" 2>&1) || fail "$said"
! grep --extended-regexp 'WARN|ERROR' <<<"$said" || fail 'the book has faults'
echo "the guide is $target/guide/index.html"
"$bin/python" scripts/guide.py "${1:-$target/debug/jostle}" README.md docs/README.md docs/guide/*.md
