# Sourced: how the scripts of checks run a command, and end.
# shellcheck shell=bash

fail() {
    echo "$*" >&2
    exit 1
}

# check HEADLINE COMMAND...: runs a command.
check() {
    local started=$SECONDS
    printf '\n== %s\n' "$1"
    shift
    "$@"
    printf -- '-- %d s\n' $((SECONDS - started))
}
