#!/usr/bin/env bash
# The crates of a build: their licenses, or an SBOM of them (CycloneDX 1.5, JSON), on stdout.
#
#     scripts/third_party.sh licenses|sbom [FEATURES]        default features
#
# Reads Cargo.lock and the sources of the crates, which cargo has fetched. The same commit gives the
# same bytes.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/checks.sh

what=${1:-}
features=(--features "${2:-default}")
[[ -z ${2:-} ]] || features+=(--no-default-features)
registry=${CARGO_HOME:-$HOME/.cargo}/registry/src

# Lines of NAME VERSION LICENSE: what is linked into the program, and the macros that wrote parts of it.
# Older manifests write a slash for OR.
crates() {
    cargo tree --locked "${features[@]}" --edges normal --prefix none --format '{p}|{l}' |
        sed 's/^\([^ ]*\) v\([^ |]*\)[^|]*|/\1 \2 /; s/ (\*)$//; s, */ *, OR ,g' | sort --unique
}

# Each text once, under the names of the crates that have it.
licenses() {
    local name version license folder file sum texts=() all
    declare -A text_of=() crates_of=()
    all=$(crates)
    echo 'jostle contains the crates below, under the licenses that each of them names. Their texts follow.'
    echo
    while read -r name version license; do
        [[ $name != jostle ]] || continue
        [[ -n $license ]] || fail "$name $version names no license"
        printf '%-36s %s\n' "$name $version" "$license"
        folder=$(compgen -G "$registry/*/$name-$version" | head --lines 1) ||
            fail "the sources of $name $version are missing: cargo fetch --locked"
        while IFS= read -r file; do
            sum=$(sha256sum <"$file")
            [[ -n ${text_of[$sum]:-} ]] || texts+=("$sum")
            text_of[$sum]=$file
            crates_of[$sum]+="${crates_of[$sum]:+, }$name $version"
        done < <(find "$folder" -maxdepth 2 -type f ! -name '*.rs' \
            \( -iname 'licen[sc]e*' -o -iname 'copying*' -o -iname 'copyright*' -o -iname 'notice*' \
            -o -iname 'unlicense*' -o -path '*/fonts/*.txt' \) | sort)
    done <<<"$all"
    for sum in "${texts[@]}"; do
        printf '\n%s\n' "$(printf '=%.0s' {1..100})"
        fold --spaces --width 100 <<<"${crates_of[$sum]}"
        echo
        cat "${text_of[$sum]}"
    done
}

sbom() {
    local name version license sum comma='' version_of_jostle
    version_of_jostle=$(sed --quiet 's/^version = "\(.*\)"$/\1/p;/^version/q' Cargo.toml)
    declare -A sum_of=()
    while read -r name version sum; do
        sum_of[$name-$version]=$sum
    done < <(awk '$1 == "name" { name = $3 } $1 == "version" { version = $3 }
        $1 == "checksum" { print name, version, $3 }' Cargo.lock | tr --delete '"')
    printf '{"bomFormat":"CycloneDX","specVersion":"1.5","version":1,"metadata":{"timestamp":"%s",' \
        "$(date --utc --date "@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}" +%FT%TZ)"
    printf '"component":{"type":"application","name":"jostle","version":"%s",' "$version_of_jostle"
    printf '"licenses":[{"expression":"MIT OR Apache-2.0"}],"purl":"pkg:cargo/jostle@%s"}},' "$version_of_jostle"
    printf '"components":['
    while read -r name version license; do
        [[ $name != jostle ]] || continue
        sum=${sum_of[$name-$version]:-}
        [[ -n $sum ]] || fail "Cargo.lock has no checksum of $name $version"
        printf '%s\n{"type":"library","name":"%s","version":"%s","purl":"pkg:cargo/%s@%s","licenses":[{"expression":"%s"}],"hashes":[{"alg":"SHA-256","content":"%s"}]}' \
            "$comma" "$name" "$version" "$name" "$version" "$license" "$sum"
        comma=,
    done < <(crates)
    printf '\n]}\n'
}

case $what in
licenses | sbom) "$what" ;;
*) fail "${what:-nothing} can't be printed; name licenses or sbom" ;;
esac
