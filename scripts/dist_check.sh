#!/usr/bin/env bash
# Checks the .deb of scripts/dist.sh as a user meets it, in a Debian 12 of its own: lintian, an
# installation without and with what it recommends, a run, the manual, completions, types of files, windows from
# the desktop file with a saved run and a world file, an upgrade, and a removal that leaves nothing behind.
#
#     scripts/dist_check.sh [DIST [FOLDER]]        target/dist, a temporary folder
#
# FOLDER keeps the Debian for the next time. Needs root, debootstrap, 1 GB of disk and the network.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/checks.sh

((EUID == 0)) || fail 'needs root, to install packages'
dist=$(realpath "${1:-target/dist}")
deb=$(compgen -G "$dist/*.deb" | tail --lines 1) || fail "$dist has no .deb: scripts/dist.sh"
temporary=
if (($# > 1)); then
    mkdir -p "$2"
    root=$(realpath "$2")
else
    root=$(mktemp --directory)
    temporary=yes
fi
trap at_end EXIT

# inside COMMAND...: runs a command in the folder, without the environment of this machine.
inside() {
    chroot "$root" env --ignore-environment --chdir=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"
}

# The kernel's files, which a program may ask; without them it has to run, too.
mount_proc() {
    mount -t proc proc "$root/proc" 2>/dev/null || echo 'without /proc'
}

at_end() {
    ! mountpoint --quiet "$root/proc" || umount "$root/proc"
    [[ -z $temporary ]] || rm --recursive --force --one-file-system "$root"
}

get() { inside apt-get "$1" --quiet --quiet --yes --option Dpkg::Use-Pty=0 "${@:2}" >/dev/null; }

debian() {
    if [[ ! -e $root/etc/debian_version ]]; then
        debootstrap --variant=minbase bookworm "$root" http://deb.debian.org/debian >/dev/null
    fi
    # The certificates and the resolver of this machine, which may be behind a proxy.
    mkdir -p "$root/etc/ssl/certs"
    cp --dereference --force /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs"
    cp /etc/resolv.conf "$root/etc"
    mount_proc
    get update
    inside dpkg --purge jostle 2>/dev/null
    # What a desktop has: its menu, its types of files, a screen, a manual.
    get install --no-install-recommends apt-utils lintian man-db bash-completion desktop-file-utils shared-mime-info \
        hicolor-icon-theme libglib2.0-bin xvfb xauth x11-utils
}

lint() {
    cp "$deb" "$root/root/jostle.deb"
    inside lintian --fail-on error jostle.deb
}

# Every file, but those of the package manager itself and of caches.
files() {
    inside find / -xdev \( -path /proc -o -path /sys -o -path /tmp -o -path /root -o -path /var/lib/dpkg \
        -o -path /var/lib/apt -o -path /var/log -o -path /var/cache \) -prune -o -print | sort
}

alone() {
    get install --no-install-recommends ./jostle.deb
    inside jostle run --agents 2k --steps 60 --frame end.png --save end.jostle --json | grep --only-matching '"state_hash":"[0-9a-f]*"'
    local said
    said=$(inside jostle --agents 1k 2>&1) || fail "without a display: $said"
    grep 'no display' <<<"$said" || fail "no word about the display: $said"
}

recommended() {
    local packages
    # Without the drivers of Vulkan, which are large: then the window presents through the CPU.
    # shellcheck disable=SC2016 # a format of dpkg-query
    packages=$(inside dpkg-query --show --showformat '${Recommends}' jostle | tr --delete , | sed 's/mesa-vulkan-drivers//')
    # shellcheck disable=SC2086 # many words
    get install --no-install-recommends $packages
}

pages() {
    local page
    for page in jostle jostle-run jostle-completions; do
        inside man "$page" | grep 'SEE ALSO' >/dev/null || fail "man $page"
    done
    # shellcheck disable=SC2016 # for the inner shell
    inside bash -c '. /usr/share/bash-completion/bash_completion; . /usr/share/bash-completion/completions/jostle
        COMP_WORDS=(jostle run --sc) COMP_CWORD=2; _jostle jostle --sc run; echo "${COMPREPLY[@]}"' | grep --line-regexp -- --scene
}

# What a file counts as, and which program opens it.
types() {
    local file kind type
    inside sh -c 'jostle scenes --print boids >boids.world.toml && cp boids.world.toml other.toml'
    while read -r file kind; do
        type=$(inside gio info --attributes standard::content-type "$file" | sed --quiet 's/.*content-type: //p')
        [[ $type == "$kind" ]] || fail "$file counts as $type"
        [[ $file == other.toml ]] || inside gio mime "$kind" | grep jostle.desktop >/dev/null || fail "no program opens $file"
    done <<<'end.jostle application/x-jostle
boids.world.toml application/x-jostle-world
other.toml application/toml'
}

# window FILE: the command of the menu entry, with a file as a double click passes it.
window() {
    local command
    command=$(sed --quiet 's/^Exec=//p' "$root/usr/share/applications/jostle.desktop")
    # shellcheck disable=SC2016 # for the inner shell
    inside timeout 60 xvfb-run --auto-servernum sh -c '
        '"${command//%f/$1}"' 2>said &
        for _ in $(seq 50); do
            sleep 0.2
            ! xwininfo -root -tree | grep "(\"jostle\" \"jostle\")" || { kill $!; wait $!; exit 0; }
        done
        cat said
        exit 1' || fail "no window by: $command"
}

upgrade() {
    inside sh -c 'rm -rf next && dpkg-deb --raw-extract jostle.deb next &&
        sed -i "s/^Version: .*/&+next/" next/DEBIAN/control && dpkg-deb --root-owner-group --build next next.deb' >/dev/null
    get install ./next.deb
    inside dpkg-query --show jostle | grep 'next$'
    inside jostle --version
}

removal() {
    get purge jostle
    diff <(echo "$before") <(files) || fail 'the removal left something behind'
    ! grep --recursive --files-with-matches jostle "$root"/usr/share/{applications,mime} || fail 'desktop files know jostle'
}

check 'Debian' debian
check 'lintian' lint
before=$(files)
check 'alone' alone
check 'removal' removal
get install --no-install-recommends ./jostle.deb
check 'what it recommends' recommended
get purge jostle
before=$(files)
get install --no-install-recommends ./jostle.deb
check 'manual and completions' pages
check 'types of files' types
check 'window with a saved run' window end.jostle
check 'window with a world file' window boids.world.toml
check 'upgrade' upgrade
check 'removal' removal
printf '\nthe package holds: %d s\n' "$SECONDS"
