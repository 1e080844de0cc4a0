#!/usr/bin/env bash
# The guide: builds it as a book into target/guide, with the files that it links to, and runs every command
# that it and README.md show (scripts/guide.py).
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
book=$target/guide

# Chapters link to files beside docs, such as records: these are copied into the book, and the links lead there.
# mdBook takes every .md for a chapter.
copy_linked_files() {
    local file
    while read -r file; do
        install -D --mode 644 "$file" "$book/$file"
    done < <(grep --only-matching --no-filename 'href="\.\./[^"#]*' "$book"/*.html |
        sed 's,href="\.\./,,; s,\.html$,.md,' | sort --unique)
    sed --in-place --regexp-extended 's,href="\.\./([^"#]*)\.html,href="../\1.md,g; s,href="\.\./,href=",g' "$book"/*.html
}

rm --recursive --force "$book"
said=$("$bin/mdbook" build docs --dest-dir "$book" 2>&1) || fail "$said"
! grep --extended-regexp 'WARN|ERROR' <<<"$said" || fail 'the book has faults'
copy_linked_files
echo "the guide is $book/index.html"
"$bin/python" scripts/guide.py "${1:-$target/debug/jostle}" README.md docs/README.md docs/guide/*.md
