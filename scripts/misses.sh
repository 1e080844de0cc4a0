#!/usr/bin/env bash
# Compares cell order with random order by the cache misses of one draw of half a million agents,
# counted by cachegrind. Needs valgrind (apt-get install valgrind). The misses of a run that draws
# an empty view are subtracted. Cachegrind simulates a first-level and a last-level cache; their
# sizes are parameters:
#   ./scripts/misses.sh [AGENTS] [D1] [LL]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

agents=${1:-500k}
d1=${2:-32768,8,64}
ll=${3:-2097152,16,64}

command -v valgrind >/dev/null || {
    echo "valgrind is missing: apt-get install valgrind" >&2
    exit 1
}
cargo build --release --no-default-features --features cli --quiet

# Data references, first-level misses and last-level misses of a run.
count() {
    valgrind --tool=cachegrind --cache-sim=yes --D1="$d1" --LL="$ll" --cachegrind-out-file=/dev/null \
        target/release/jostle run --agents "$agents" --threads 1 --steps 1 --size 1920x1080 --draw "$@" \
        2>&1 >/dev/null |
        sed --quiet --regexp-extended 's/^==[0-9]+== (D  *refs|D1  misses|LLd misses):[ ]*([0-9,]+).*/\2/p' |
        tr --delete ,
}

mapfile -t without < <(count --view=-1e6,-1e6,10)
printf '%-8s %15s %15s %15s\n' order 'data accesses' 'D1 misses' 'LL misses'
for order in cell random; do
    mapfile -t with < <(count --draw-order "$order")
    printf '%-8s %15d %15d %15d\n' "$order" $((with[0] - without[0])) $((with[1] - without[1])) \
        $((with[2] - without[2]))
done
