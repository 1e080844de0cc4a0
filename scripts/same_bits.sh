#!/usr/bin/env bash
# Are the bits the same with every index, at full size? Runs every scene on every index, the peers too, and
# compares the state hashes with the double grid's; who needs more than two seconds a step is passed over.
# Takes hours, so tests do it with 2,000 agents:
#
#     scripts/same_bits.sh [AGENTS [STEPS [SCENE ...]]]        500k 200, all scenes
#
# JOSTLE names a program that is built already. Exit status: 0 all the same, 1 some differ or can't be compared.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."

agents=${1:-500k} steps=${2:-200}
shift $(($# < 2 ? $# : 2))
step_ms_max=2000
trial_steps=5

jostle=${JOSTLE:-target/release/jostle}
[[ -n ${JOSTLE:-} ]] || cargo build --release --locked --no-default-features --features peers
scenes=("$@")
((${#scenes[@]})) || mapfile -t scenes < <("$jostle" scenes | cut -d ' ' -f 1)
# Who is there says a bench of next to nothing.
mapfile -t indexes < <("$jostle" bench --agents 100 --warmup 0 --steps 1 --repeats 1 --csv 2>/dev/null |
    cut -d , -f 5 | tail -n +2)

((${#scenes[@]} && ${#indexes[@]})) || { echo "$jostle names no scenes, or no indexes" >&2 && exit 1; }

run() {
    "$jostle" run --scene "$1" --index "$2" --agents "$agents" --steps "$3" --threads 1 --json
}

# Milliseconds on a core that it takes: what else the machine does is not in them. None if it is refused, or
# takes far too long.
cpu_ms() {
    local TIMEFORMAT=%U seconds
    seconds=$({ time (ulimit -S -t 60 && run "$@" >/dev/null 2>&1); } 2>&1) && echo $((10#${seconds/./}))
}

# quick_enough SCENE INDEX: with the time that placing takes left out.
quick_enough() {
    local placing trial
    placing=$(cpu_ms "$1" double-grid 0) && trial=$(cpu_ms "$1" "$2" $trial_steps) &&
        ((trial - placing < trial_steps * step_ms_max))
}

hash_of() {
    run "$1" "$2" "$steps" 2>/dev/null | sed 's/.*"state_hash":"\([0-9a-f]*\)".*/\1/'
}

differ=0
for scene in "${scenes[@]}"; do
    # What all are held to.
    expected=$(hash_of "$scene" double-grid) || { echo "$scene can't be run" >&2 && differ=1 && continue; }
    for index in "${indexes[@]}"; do
        if quick_enough "$scene" "$index"; then
            hash=$(hash_of "$scene" "$index") || hash=none
            same=same
            [[ $hash == "$expected" ]] || same=DIFFERENT differ=1
        else
            hash=- same='refused, or too slow'
        fi
        printf '%-8s %-20s %-16s  %s\n' "$scene" "$index" "$hash" "$same"
    done
done
exit $differ
