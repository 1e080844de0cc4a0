#!/usr/bin/env bash
# Checks at full size that every index leads to the same bits. Runs every scene with every index,
# the peers included, and compares the state hashes with the hash of the double grid. An index that
# needs more than two seconds per step is reported as too slow. Takes hours; the tests do the same
# with 2,000 agents. Run nothing else meanwhile, since CPU seconds grow on a busy machine:
#
#     scripts/same_bits.sh [AGENTS [STEPS [SCENE ...]]]        500k 200, all scenes
#
# JOSTLE names an existing binary. Exit status: 0 all the same, 1 some differ or can't be compared.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."

agents=${1:-500k} steps=${2:-200}
shift $(($# < 2 ? $# : 2))
[[ $steps =~ ^[1-9][0-9]*$ ]] || { echo "$steps is no number of steps; write one like 200" >&2 && exit 1; }
step_s_max=2
# A short trial finds most slow indexes; the whole run finds the rest, since some scenes fill up.
trial_steps=$((steps < 5 ? steps : 5))
# Exit statuses: refused by jostle, and out of CPU seconds.
refused=2
too_slow=$((128 + $(kill -l XCPU)))

jostle=${JOSTLE:-target/release/jostle}
[[ -n ${JOSTLE:-} ]] || cargo build --release --locked --no-default-features --features cli,peers
scenes=("$@")
((${#scenes[@]})) || mapfile -t scenes < <("$jostle" scenes | cut -d ' ' -f 1)
# A minimal bench lists the indexes.
mapfile -t indexes < <("$jostle" bench --agents 100 --warmup 0 --steps 1 --repeats 1 --csv 2>/dev/null |
    cut -d , -f 5 | tail -n +2)

((${#scenes[@]} && ${#indexes[@]})) || { echo "$jostle names no scenes, or no indexes" >&2 && exit 1; }

run() {
    "$jostle" run --scene "$1" --index "$2" --agents "$agents" --steps "$3" --threads 1 --json
}

# within SECONDS SCENE INDEX STEPS: the run, if it takes no more CPU seconds than that.
within() {
    (ulimit -S -c 0 -t "$1" && run "${@:2}" 2>/dev/null)
}

# CPU seconds that placing a scene takes, rounded up.
placing_s() {
    local TIMEFORMAT='%U %S' user system
    read -r user system < <({ time run "$1" double-grid 0 &>/dev/null; } 2>&1)
    echo $((10#${user%.*} + 10#${system%.*} + 2))
}

state_hash() {
    sed 's/.*"state_hash":"\([0-9a-f]*\)".*/\1/'
}

# hash_of SCENE INDEX: the state hash, or the exit status of jostle.
hash_of() {
    within $((placing + trial_steps * step_s_max)) "$@" "$trial_steps" >/dev/null &&
        within $((placing + steps * step_s_max)) "$@" "$steps" | state_hash
}

differ=0 compared=0
for scene in "${scenes[@]}"; do
    # The reference, without a limit.
    expected=$(run "$scene" double-grid "$steps" | state_hash) || exit 1
    printf '%-8s %-20s %-16s\n' "$scene" double-grid "$expected"
    placing=$(placing_s "$scene")
    for index in "${indexes[@]}"; do
        [[ $index != double-grid ]] || continue
        hash=$(hash_of "$scene" "$index") && status=0 || status=$?
        case $status in
            0)
                result=same compared=$((compared + 1))
                [[ $hash == "$expected" ]] || result=DIFFERENT differ=1
                ;;
            "$refused") result=refused hash=- ;;
            "$too_slow") result='too slow' hash=- ;;
            *) result=FAILED hash=- differ=1 ;;
        esac
        printf '%-8s %-20s %-16s  %s\n' "$scene" "$index" "$hash" "$result"
    done
done
((compared)) || { echo "no index was compared: all are too slow or refused" >&2 && exit 1; }
exit $differ
