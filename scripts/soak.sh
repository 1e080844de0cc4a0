#!/usr/bin/env bash
# Hostile use at length: random command lines and their remedies as printed, ends by kills and
# signals, random input to the window on both presenters, every other round on a busy machine.
# Ends at the first fault and prints its input. A few of the same cases are among the tests.
#
#     scripts/soak.sh [--lines N] [--ends N] [--walls N] [--minutes N] [--phases N] [--worlds N]
#                     [--formulas N] [--seed N] [--record]
#
#     --lines N    command lines, in a release and in a build with overflow checks (20k)
#     --ends N     kills, and ends by each of three signals (200)
#     --walls N    set-ups of agents between thin walls, and small random ones (100k)
#     --minutes N  random input to the window, on each presenter (10)
#     --phases N   bounces and near misses of each kind (1000)
#     --worlds N   changed world files (10k)
#     --formulas N worlds of random formulas, and of random ranges (1000)
#     --seed N     seed of all cases (17)
#     --record     keeps the results in benches/record
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/as_released.sh

lines=20000 ends=200 walls=100000 minutes=10 phases=1000 worlds=10000 formulas=1000 seed=17 record=
while (($#)); do
    case $1 in
    --lines | --ends | --walls | --minutes | --phases | --worlds | --formulas | --seed)
        [[ ${2:-} =~ ^[0-9]+$ ]] || { echo "$1 needs a number" >&2 && exit 1; }
        declare "${1#--}=$2"
        shift
        ;;
    --record) record=yes ;;
    *)
        echo "$1 is no flag; there are --lines, --ends, --walls, --minutes, --phases, --worlds, --formulas, --seed and --record" >&2
        exit 1
        ;;
    esac
    shift
done

results=$(mktemp)
trap 'rm -f "$results"' EXIT
say() { echo "$*" | tee -a "$results"; }

# tried WHAT COMMAND...: runs a test, and keeps the lines in which it reports its cases.
tried() {
    local what=$1 started=$SECONDS log
    shift
    echo "== $what" >&2
    log=$("$@" 2>&1) || { echo "$log" >&2 && exit 1; }
    say "$what ($((SECONDS - started)) s): $(grep -E '^(lines|ends): | KiB, then ' <<<"$log" | tr '\n' ' ')"
}

say "soak      --lines $lines --ends $ends --walls $walls --minutes $minutes --phases $phases --worlds $worlds --formulas $formulas --seed $seed"
say "date      $(date -u +%F)"
say "revision  $(git describe --always --dirty)"
say "machine   $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores"

export JOSTLE_SOAK_LINES=$lines JOSTLE_SOAK_ENDS=$ends JOSTLE_SOAK_SEED=$seed
hostile=(--locked --test hostile -- --nocapture)
tried "with overflow checks" cargo test "${hostile[@]}"
tried "as released" cargo test "${as_released[@]}" "${hostile[@]}"

export JOSTLE_SOAK_WALLS=$walls JOSTLE_SOAK_LANDINGS=$walls
tried "walls" cargo test "${as_released[@]}" --locked --test walls
tried "landings" cargo test "${as_released[@]}" --locked --test landing
JOSTLE_SOAK_PHASES=$phases tried "bounces" cargo test "${as_released[@]}" --locked --test bounce

export JOSTLE_SOAK_WORLDS=$worlds JOSTLE_SOAK_FORMULAS=$formulas JOSTLE_SOAK_RULES=$formulas
tried "world files" cargo test "${as_released[@]}" --locked --test worlds
tried "formulas" cargo test "${as_released[@]}" --locked --test random_formulas
tried "ranges" cargo test "${as_released[@]}" --locked --test rules

export JOSTLE_SOAK_MINUTES=$minutes
tried "the window" cargo test --locked --test window soak -- --ignored --nocapture

if [[ -n $record ]]; then
    cp "$results" "benches/record/$(date -u +%F)-soak.txt"
fi
