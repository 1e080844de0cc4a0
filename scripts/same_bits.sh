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
step_s_max=2
# Who is too slow is found out by so many steps first, and by the whole run after all: some scenes fill up.
trial_steps=5
# The status of who used up its seconds.
too_slow=$((128 + $(kill -l XCPU)))

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

# within SECONDS SCENE INDEX STEPS: the run if it takes no more than that on a core, whatever else the machine does.
within() {
    (ulimit -S -t "$1" && run "${@:2}" 2>/dev/null)
}

# Seconds on a core that a scene takes to be placed, rounded up.
placing_s() {
    local TIMEFORMAT=%U seconds
    seconds=$({ time run "$1" double-grid 0 &>/dev/null; } 2>&1) && echo $((10#${seconds%.*} + 1))
}

state_hash() {
    sed 's/.*"state_hash":"\([0-9a-f]*\)".*/\1/'
}

# hash_of SCENE INDEX: the status is jostle's if it is none.
hash_of() {
    local trial=$((placing + trial_steps * step_s_max)) whole=$((placing + steps * step_s_max))
    within $trial "$@" $((trial_steps < steps ? trial_steps : steps)) >/dev/null &&
        within $whole "$@" "$steps" | state_hash
}

differ=0
for scene in "${scenes[@]}"; do
    # What all are held to, however long it takes.
    placing=$(placing_s "$scene") && expected=$(run "$scene" double-grid "$steps" 2>/dev/null | state_hash) ||
        { echo "$scene can't be run" >&2 && differ=1 && continue; }
    for index in "${indexes[@]}"; do
        [[ $index != double-grid ]] || continue
        hash=$(hash_of "$scene" "$index") && status=0 || status=$?
        case $status in
            0) told=same && [[ $hash == "$expected" ]] || told=DIFFERENT differ=1 ;;
            1 | 2) told=refused hash=- ;;
            "$too_slow") told='too slow' hash=- ;;
            *) told=FAILED hash=- differ=1 ;;
        esac
        printf '%-8s %-20s %-16s  %s\n' "$scene" "$index" "$hash" "$told"
    done
done
exit $differ
