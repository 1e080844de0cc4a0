#!/usr/bin/env bash
# Counts the instructions of one step, scene by scene, and holds them against benches/record/instructions.txt:
# a speed that can be checked where clocks are noisy. Fails if a scene takes 5 % more than what was recorded.
# `--record` writes down what it counts instead, which is what a change that is meant ends with. Counts of
# another compiler can't be compared; then it says so and records its own.
#
# Valgrind's callgrind runs the program twice, for 12 steps and for 24. The difference is that of 12 steps,
# without placing the agents and writing the report, whatever is inlined into what; and in 12 steps there is
# everything that comes only every few steps.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

record=benches/record/instructions.txt
limit=5 # per cent
few=12 many=24
out=target/instructions

# A default pile is still in the air after 24 steps; this one starts close, and falls fast.
declare -A flags=([pile]='--radius 0.95..1 --density 0.8 --gravity 100')
scenes=(gas mixed giants burst sparse pile)

if [[ $(uname -m) != x86_64 ]] || ! grep --quiet --word-regexp avx2 /proc/cpuinfo; then
    echo 'not counted: the record is that of x86-64 with AVX2'
    exit 0
fi

source scripts/as_released.sh
mkdir -p "$out"
cargo build --quiet --locked --no-default-features --features cli --bin jostle "${as_released[@]}"
cp target/debug/jostle "$out/jostle"

# Runs a scene for so many steps, and leaves its report, its profile and what valgrind says of it.
run() {
    local scene=$1 steps=$2 to=$out/$1-$2
    # shellcheck disable=SC2086 # flags are several words
    valgrind --tool=callgrind --callgrind-out-file="$to.callgrind" --log-file="$to.log" \
        "$out/jostle" run --scene "$scene" --agents 20k --steps "$steps" --threads 1 --simd avx2 --json \
        ${flags[$scene]:-} >"$to.json" 2>"$to.err" ||
        { cat "$to.err" "$to.log" >&2 && false; }
}
collected() { sed --quiet 's/.*Collected : //p' "$out/$1-$2.log"; }
hash_of() { grep --only-matching --perl-regexp '"state_hash":"\K\w+' "$out/$1-$many.json"; }

# Two at a time: that is as many cores as there usually are.
for scene in "${scenes[@]}"; do
    run "$scene" $few &
    few_steps=$!
    run "$scene" $many
    wait $few_steps
done

compiler=$(rustc --version)
counts=$(for scene in "${scenes[@]}"; do
    echo "$scene" $((($(collected "$scene" $many) - $(collected "$scene" $few)) / (many - few))) \
        "$(hash_of "$scene")"
done)

write() {
    {
        echo "# Instructions of a step of 20,000 agents: the mean of steps $((few + 1)) to $many, --simd avx2, one thread."
        echo '# Written by: scripts/instructions.sh --record'
        echo "compiler  $compiler"
        echo "counter   $(valgrind --version)"
        echo "revision  $(git describe --always --dirty 2>/dev/null || echo unknown)"
        echo "date      $(date --utc --iso-8601)"
        echo "seed      0"
        echo
        echo '# scene  instructions  state hash'
        # shellcheck disable=SC2086 # three words a scene
        printf '%-7s %13d  %s\n' $counts
    } >"$record"
    echo "recorded in $record"
}

if [[ ${1:-} == --record ]]; then
    write
    exit
fi
if ! grep --quiet --line-regexp --fixed-strings "compiler  $compiler" "$record"; then
    sed --quiet "s/^compiler  \(.*\)/the record is that of \1, and counts of $compiler can't be compared with it/p" \
        "$record"
    write
    exit
fi

# What was recorded, then what is counted now, scene after scene.
awk -v limit=$limit -v out="$out" -v many=$many '
    NR == FNR { if (NF == 3 && $2 ~ /^[0-9]+$/) { before[$1] = $2; hash[$1] = $3 } next }
    !head++ { printf "%-7s %13s %13s %9s\n", "scene", "instructions", "recorded", "change" }
    !($1 in before) { printf "%-7s %13d %13s\n", $1, $2, "-"; unknown = 1; next }
    {
        change = ($2 / before[$1] - 1) * 100
        printf "%-7s %13d %13d %+7.1f %%%s\n", $1, $2, before[$1], change,
            hash[$1] == $3 ? "" : "  (the run is another one)"
        if (change > limit) { grown = grown " " $1 }
        if (change < -limit) { shrunk = 1 }
    }
    END {
        if (grown) {
            printf "More than %d %% above the record:%s. callgrind_annotate %s/SCENE-%d.callgrind says where it\n", \
                limit, grown, out, many
            print "goes; if that is meant, scripts/instructions.sh --record writes it down."
        }
        if (unknown) { print "A scene is not in the record: scripts/instructions.sh --record writes it down." }
        if (shrunk) { print "Fewer by far: scripts/instructions.sh --record would hold on to that." }
        exit grown || unknown
    }' "$record" <(echo "$counts")
