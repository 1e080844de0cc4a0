#!/usr/bin/env bash
# Are the bits the same with every index, at full size? Runs every scene on every index, the peers too, and
# compares the state hashes with the double grid's; who needs more than two seconds a step is passed over.
# Takes hours, so tests do it with 2,000 agents. Seconds on a core grow when others use the machine: leave it alone,
# or who is near the limit is told to be too slow:
#
#     scripts/same_bits.sh [AGENTS [STEPS [SCENE ...]]]        500k 200, all scenes
#
# JOSTLE names a program that is built already. Exit status: 0 all the same, 1 some differ or can't be compared.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."

agents=${1:-500k} steps=${2:-200}
shift $(($# < 2 ? $# : 2))
[[ $steps =~ ^[1-9][0-9]*$ ]] || { echo "$steps is no number of steps; write 200" >&2 && exit 1; }
step_s_max=2
# Who is too slow is found out by so many steps first, and by the whole run after all: some scenes fill up.
trial_steps=$((steps < 5 ? steps : 5))
# The statuses of what jostle refuses, and of who used up their seconds.
refused=2
too_slow=$((128 + $(kill -l XCPU)))

jostle=${JOSTLE:-target/release/jostle}
[[ -n ${JOSTLE:-} ]] || cargo build --release --locked --no-default-features --features cli,peers
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
    (ulimit -S -c 0 -t "$1" && run "${@:2}" 2>/dev/null)
}

# Seconds on a core that a scene takes to be placed, rounded up.
placing_s() {
    local TIMEFORMAT='%U %S' user system
    read -r user system < <({ time run "$1" double-grid 0 &>/dev/null; } 2>&1)
    echo $((10#${user%.*} + 10#${system%.*} + 2))
}

state_hash() {
    sed 's/.*"state_hash":"\([0-9a-f]*\)".*/\1/'
}

# hash_of SCENE INDEX: the status is jostle's if it is none.
hash_of() {
    within $((placing + trial_steps * step_s_max)) "$@" "$trial_steps" >/dev/null &&
        within $((placing + steps * step_s_max)) "$@" "$steps" | state_hash
}

differ=0 compared=0
for scene in "${scenes[@]}"; do
    # What all are held to, however long it takes.
    expected=$(run "$scene" double-grid "$steps" | state_hash) || exit 1
    printf '%-8s %-20s %-16s\n' "$scene" double-grid "$expected"
    placing=$(placing_s "$scene")
    for index in "${indexes[@]}"; do
        [[ $index != double-grid ]] || continue
        hash=$(hash_of "$scene" "$index") && status=0 || status=$?
        case $status in
            0)
                told=same compared=$((compared + 1))
                [[ $hash == "$expected" ]] || told=DIFFERENT differ=1
                ;;
            "$refused") told=refused hash=- ;;
            "$too_slow") told='too slow' hash=- ;;
            *) told=FAILED hash=- differ=1 ;;
        esac
        printf '%-8s %-20s %-16s  %s\n' "$scene" "$index" "$hash" "$told"
    done
done
((compared)) || { echo "no index was compared: all are too slow, or refused" >&2 && exit 1; }
exit $differ
