#!/usr/bin/env bash
# Counts the instructions of one step per scene, and of one frame of some of them, and compares them
# with benches/record/instructions.txt: a measure of speed that does not depend on the load of the
# machine. Fails if a case takes 5 % more than recorded. `--record` writes a new record instead,
# after an intended change. Counts of another compiler can't be compared; then it says so and writes
# a new record.
#
# Valgrind's callgrind runs the program for 12 and for 24 steps. The difference is 12 steps without
# placing the agents and writing the report, whatever is inlined. 12 steps include the work that is
# done only every few steps. The instructions of a frame are the additional ones of the same steps
# with a draw after each.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

record=benches/record/instructions.txt
limit=5 # per cent
few=12 many=24
out=target/instructions

# A default pile is still in the air after 24 steps; this one starts close, and falls fast.
declare -A flags=([pile]='--radius 0.95..1 --density 0.8 --gravity 100')
scenes=(gas mixed giants burst sparse pile)
# Frames as scene@size. A side has a fifth of the pixels that it has with 500,000 agents: density,
# sprites, sprites and larger discs; then a window that is zoomed in until discs have some pixels.
frames=(gas@128x72 gas@222x125 gas@384x216 mixed@256x144 giants@256x144 gas@1440x810 mixed@1440x810)

if [[ $(uname -m) != x86_64 ]] || ! grep --quiet --word-regexp avx2 /proc/cpuinfo; then
    echo 'not counted: the record is for x86-64 with AVX2'
    exit 0
fi

source scripts/as_released.sh
mkdir -p "$out"
cargo build --quiet --locked --no-default-features --features cli --bin jostle "${as_released[@]}"
cp target/debug/jostle "$out/jostle"

# run CASE STEPS: writes the report, the profile and the log of valgrind.
run() {
    local scene=${1%@*} steps=$2 to=$out/$1-$2 draw=
    [[ $1 != *@* ]] || draw="--draw --size ${1#*@}"
    # shellcheck disable=SC2086 # flags are several words
    valgrind --tool=callgrind --callgrind-out-file="$to.callgrind" --log-file="$to.log" \
        "$out/jostle" run --scene "$scene" --agents 20k --steps "$steps" --threads 1 --simd avx2 --json \
        $draw ${flags[$scene]:-} >"$to.json" 2>"$to.err" ||
        { cat "$to.err" "$to.log" >&2 && false; }
}
collected() { sed --quiet 's/.*Collected : //p' "$out/$1-$2.log"; }
per_step() { echo $((($(collected "$1" $many) - $(collected "$1" $few)) / (many - few))); }
hash_of() { grep --only-matching --perl-regexp '"state_hash":"\K\w+' "$out/$1-$many.json"; }

# Two at a time, for two cores.
for case in "${scenes[@]}" "${frames[@]}"; do
    run "$case" $few &
    few_steps=$!
    run "$case" $many
    wait $few_steps
done

compiler=$(rustc --version)
counts=$(
    for scene in "${scenes[@]}"; do
        echo "$scene" "$(per_step "$scene")" "$(hash_of "$scene")"
    done
    for frame in "${frames[@]}"; do
        echo "$frame" $(($(per_step "$frame") - $(per_step "${frame%@*}"))) "$(hash_of "$frame")"
    done
)

write() {
    {
        echo "# Instructions of a step of 20,000 agents, and of a frame (scene@size): the mean of steps $((few + 1)) to $many,"
        echo '# --simd avx2, one thread.'
        echo '# Written by: scripts/instructions.sh --record'
        echo "compiler  $compiler"
        echo "counter   $(valgrind --version)"
        echo "revision  $(git describe --always --dirty 2>/dev/null || echo unknown)"
        echo "date      $(date --utc --iso-8601)"
        echo "seed      0"
        echo
        echo '# case         instructions  state hash'
        # shellcheck disable=SC2086 # three words per case
        printf '%-14s %12d  %s\n' $counts
    } >"$record"
    echo "recorded in $record"
}

if [[ ${1:-} == --record ]]; then
    write
    exit
fi
if ! grep --quiet --line-regexp --fixed-strings "compiler  $compiler" "$record"; then
    sed --quiet "s/^compiler  \(.*\)/the record is for \1 and can't be compared with counts of $compiler/p" \
        "$record"
    write
    exit
fi

# The record first, then the new counts.
awk -v limit=$limit -v out="$out" -v many=$many '
    NR == FNR { if (NF == 3 && $2 ~ /^[0-9]+$/) { before[$1] = $2; hash[$1] = $3 } next }
    !head++ { printf "%-14s %13s %13s %9s\n", "case", "instructions", "recorded", "change" }
    !($1 in before) { printf "%-14s %13d %13s\n", $1, $2, "-"; unknown = 1; next }
    {
        change = ($2 / before[$1] - 1) * 100
        printf "%-14s %13d %13d %+7.1f %%%s\n", $1, $2, before[$1], change,
            hash[$1] == $3 ? "" : "  (another run: the hash differs)"
        if (change > limit) { grown = grown " " $1 }
        if (change < -limit) { shrunk = 1 }
    }
    END {
        if (grown) {
            printf "More than %d %% above the record:%s. callgrind_annotate %s/CASE-%d.callgrind shows where\n", \
                limit, grown, out, many
            print "they are; if that is intended, run scripts/instructions.sh --record."
        }
        if (unknown) { print "A case is not in the record: run scripts/instructions.sh --record." }
        if (shrunk) { print "Much fewer: run scripts/instructions.sh --record to keep that." }
        exit grown || unknown
    }' "$record" <(echo "$counts")
