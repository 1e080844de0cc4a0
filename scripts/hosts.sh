#!/usr/bin/env bash
# Checks runs on several hosts, which are two network namespaces of this machine: four ranks of Open
# MPI, two on each, with TCP as the only way between any two of them, have the state hash of one
# process. Frames between the hosts take as many milliseconds as given, each way. Needs root, iproute2,
# ethtool, util-linux, Python and the program with the feature `mpi`:
#
#     scripts/hosts.sh [MILLISECONDS [STEPS]]          5 60
#
# JOSTLE names an existing binary. Exit status: 0 all the same, 1 some differ.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

delay=${1:-5} steps=${2:-60}
jostle=${JOSTLE:-target/release/jostle}
[[ -n ${JOSTLE:-} ]] || cargo build --release --locked --no-default-features --features mpi
jostle=$(realpath "$jostle")

folder=$(mktemp --directory)
hosts=()
network=10.77.53
# shellcheck disable=SC2317  # called by the trap
end() {
    kill "$(cat "$folder/pid" 2>/dev/null)" 2>/dev/null || true
    for host in "${hosts[@]}"; do ip netns delete "$host"; done
    rm -rf "$folder"
}
trap end EXIT
for host in 1 2; do
    ip netns add "jostle$host"
    hosts+=("jostle$host")
    ip link add "jostle-out$host" type veth peer name "jostle-in$host"
    ip link set "jostle-in$host" netns "jostle$host"
    ip link set "jostle-out$host" up
    within=(ip netns exec "jostle$host")
    # Segments as the network has them, since the frames are passed one by one.
    for of in "ethtool -K jostle-out$host" "${within[*]} ethtool -K jostle-in$host"; do
        $of tso off gso off gro off tx off >/dev/null
    done
    "${within[@]}" ip address add "$network.$host/24" dev "jostle-in$host"
    "${within[@]}" ip link set "jostle-in$host" up
    "${within[@]}" ip link set lo up
    echo "$network.$host slots=2" >>"$folder/hosts"
done

# The network: frames of one host, as the other one gets them.
cat >"$folder/network.py" <<'PYTHON'
import collections, select, socket, sys, time

ALL_PROTOCOLS, OUTGOING, RECEIVE_BUFFER_FORCED = 3, 4, 33


def opened(name):
    link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_PROTOCOLS))
    link.bind((name, 0))
    link.setsockopt(socket.SOL_SOCKET, RECEIVE_BUFFER_FORCED, 1 << 26)
    link.setblocking(False)
    return link


links = [opened(name) for name in sys.argv[1:3]]
delay = float(sys.argv[3]) / 1000
due = collections.deque()
while True:
    wait = max(0.0, due[0][0] - time.monotonic()) if due else None
    for link in select.select(links, [], [], wait)[0]:
        while True:
            try:
                frame, address = link.recvfrom(1 << 16)
            except BlockingIOError:
                break
            if address[2] != OUTGOING:
                other = links[1 - links.index(link)]
                due.append((time.monotonic() + delay, other, frame))
    while due and due[0][0] <= time.monotonic():
        due[0][1].send(due[0][2])
        due.popleft()
PYTHON
python3 "$folder/network.py" jostle-out1 jostle-out2 "$delay" &
echo $! >"$folder/pid"

# What mpirun calls in place of ssh. It adds flags to a program named `ssh`.
cat >"$folder/agent" <<'SHELL'
#!/bin/sh
host=jostle${1##*.}
shift
exec ip netns exec "$host" unshare --uts sh -c "hostname $host; $*"
SHELL
chmod +x "$folder/agent"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
launch=(mpirun --hostfile "$folder/hosts" --oversubscribe -n 4 --mca plm_rsh_agent "$folder/agent"
    --mca btl "tcp,self" --mca btl_tcp_if_include "$network.0/24" --mca oob_tcp_if_include "$network.0/24")

few=(--agents 20k)
cases=(
    "${few[*]} --scene gas"
    "${few[*]} --scene mixed --density 0.5"
    "${few[*]} --scene shear --friction 0.3"
    "${few[*]} --scene giants --boundary periodic"
    "${few[*]} --scene gas --collisions swept"
    "--scene $PWD/worlds/particle-life.toml"
    "--scene $PWD/worlds/predators.toml"
    "--scene $PWD/worlds/epidemic.toml"
)
value='import json, sys; report = json.load(sys.stdin); print(report["state_hash"], report["step_ms"]["p50"])'
printf '%-36s %-18s %s\n' case "hash" "ms per step, median"
failed=0
for case in "${cases[@]}"; do
    read -ra flags <<<"run --json --threads 1 --steps $steps $case"
    read -r one _ < <("$jostle" "${flags[@]}" 2>"$folder/errors" | python3 -c "$value" 2>/dev/null) || true
    read -r four ms < <(ip netns exec jostle1 unshare --uts sh -c 'hostname jostle1; exec "$@"' sh \
        timeout 600 "${launch[@]}" "$jostle" "${flags[@]}" 2>>"$folder/errors" | python3 -c "$value" 2>/dev/null) || true
    name=${case#"${few[*]} --scene "}
    name=${name##*/}
    if [[ -n $one && $one == "${four:-}" ]]; then
        printf '%-36s %-18s %s\n' "$name" "$four" "$ms"
    else
        printf '%-36s %s alone, %s on four ranks\n' "$name" "${one:-nothing}" "${four:-nothing}"
        cat "$folder/errors"
        failed=1
    fi
done
exit "$failed"
