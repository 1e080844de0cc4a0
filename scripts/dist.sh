#!/usr/bin/env bash
# Makes the packages of a release from a clean checkout: a tarball, a .deb, a .rpm, an SBOM, and
# their checksums. The same commit gives the same bytes in any folder.
#
#     scripts/dist.sh [--binary FILE] [FOLDER]        target/dist
#
#     --binary FILE    packs this program instead of a new build
#
# MAINTAINER ("Name <address>") names who answers for the packages; without it, the author of the
# commit. Needs the Debian packages binutils, dpkg-dev, rpm, xz-utils, desktop-file-utils and appstream.
set -euo pipefail
export LC_ALL=C TZ=UTC
umask 022
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/checks.sh

# Pictures of the icon: discs of many sizes that touch, which can be told apart in 16 pixels.
icon=(--scene gas --agents 14 --world 10x10 --radius 0.7..1.7 --color-by size --steps 60 --threads 1)
icon_sizes=(16 22 24 32 48 64 128 256 512)

binary='' out=target/dist
while (($#)); do
    case $1 in
    --binary)
        binary=$(realpath "${2:?--binary needs a file}")
        shift
        ;;
    -*) fail "$1 is no flag; there is --binary" ;;
    *) out=$1 ;;
    esac
    shift
done

for tool in strip dpkg-shlibdeps dpkg-deb rpmbuild xz desktop-file-validate appstreamcli; do
    command -v "$tool" >/dev/null || fail "$tool is missing:" \
        'apt-get install binutils dpkg-dev rpm xz-utils desktop-file-utils appstream'
done
[[ $(uname -sm) == 'Linux x86_64' ]] || fail 'packages are made on Linux for x86-64'
[[ -z $(git status --porcelain) ]] || fail 'the checkout has changes that are not committed: git status'

mkdir -p "$out"
out=$(realpath "$out")
rm --force "$out"/jostle[-_]* "$out/SHA256SUMS"
version=$(sed --quiet 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head --lines 1)
maintainer=${MAINTAINER:-$(git log -1 --format='%an <%ae>')}
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
work=$(mktemp --directory)
trap 'rm --recursive --force "$work"' EXIT
stage=$work/stage
share=$stage/usr/share
jostle=$stage/usr/bin/jostle

build() {
    local home=${CARGO_HOME:-$HOME/.cargo}
    # No path of this machine is in the program, and functions that are the same are one: the linker of Rust on x86-64
    # can do that.
    RUSTFLAGS="--remap-path-prefix=$home=/cargo --remap-path-prefix=$PWD=/jostle -Clink-arg=-Wl,--icf=all" \
        cargo build --locked --profile shipped --target-dir target/dist-build
    binary=$PWD/target/dist-build/shipped/jostle
}

program() {
    install -D "$binary" "$jostle"
    strip "$jostle"
    "$jostle" --version
    ! grep --text --quiet --fixed-strings -e "$PWD" -e "${CARGO_HOME:-$HOME/.cargo}/" -e "$HOME/" "$jostle" ||
        fail 'the program has a path of this machine'
}

# filled FILE: a file of packaging with its values.
filled() {
    local text
    text=$(<"packaging/$1")
    text=${text//@VERSION@/$version}
    text=${text//@MAINTAINER@/$maintainer}
    text=${text//@DATE@/$(date --utc --date "@$SOURCE_DATE_EPOCH" +%F)}
    text=${text//@MIT@/$(sed '1,4d; s/^$/./; s/^/ /' LICENSE-MIT)}
    echo "$text"
}

# printed FILE COMMAND...: what a command prints.
printed() {
    mkdir -p "$(dirname "$1")"
    "${@:2}" >"$1"
}

pages() {
    local man=$share/man/man1 icons=$share/icons/hicolor commands command size
    printed "$man/jostle.1" "$jostle" man
    # The page of the program names those of all commands.
    commands=$(sed --quiet 's/\\//g; s/.*jostle-\([a-z]*\)(1).*/\1/p' "$man/jostle.1" | sort --unique)
    while read -r command; do
        printed "$man/jostle-$command.1" "$jostle" man "$command"
    done <<<"$commands"
    gzip --best --no-name "$man"/*.1
    printed "$share/bash-completion/completions/jostle" "$jostle" completions bash
    printed "$share/zsh/site-functions/_jostle" "$jostle" completions zsh
    printed "$share/fish/vendor_completions.d/jostle.fish" "$jostle" completions fish
    for size in "${icon_sizes[@]}"; do
        mkdir -p "$icons/${size}x$size/apps"
        "$jostle" run "${icon[@]}" --size "${size}x$size" --frame "$icons/${size}x$size/apps/jostle.png" >/dev/null
    done
}

desktop() {
    install -D --mode 644 packaging/jostle.desktop --target-directory "$share/applications"
    install -D --mode 644 packaging/jostle.mime.xml "$share/mime/packages/jostle.xml"
    printed "$share/metainfo/jostle.metainfo.xml" filled jostle.metainfo.xml
    desktop-file-validate "$share/applications/jostle.desktop"
    # An id that begins with a domain needs one.
    appstreamcli validate --no-net --override=cid-desktopapp-is-not-rdns=info \
        "$share/metainfo/jostle.metainfo.xml"
}

documents() {
    local doc=$share/doc/jostle
    # In the folders that their links lead to.
    install -D --mode 644 README.md CHANGELOG.md --target-directory "$doc"
    install -D --mode 644 docs/[!S]*.md --target-directory "$doc/docs"
    install -D --mode 644 docs/guide/*.md --target-directory "$doc/docs/guide"
    mv "$doc/CHANGELOG.md" "$doc/NEWS.md"
    scripts/third_party.sh licenses | gzip --best --no-name >"$doc/THIRD-PARTY.txt.gz"
    scripts/third_party.sh sbom >"$out/jostle-$version.cdx.json"
    chmod 644 "$out/jostle-$version.cdx.json"
}

# Everything has the time of the commit.
dated() {
    find "$1" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
}

tarball() {
    local name=jostle-$version-x86_64-linux
    cp --archive "$stage/usr" "$work/$name"
    cp README.md LICENSE-MIT LICENSE-APACHE "$work/$name"
    tar --directory "$work" --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
        --format=posix --pax-option='exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime' "$name" |
        xz -6 --threads=1 >"$out/$name.tar.xz"
}

deb_package() {
    local root=$work/deb doc depends text
    cp --archive "$stage" "$root"
    doc=$root/usr/share/doc/jostle
    # Debian has its own place for completions of zsh, and its own changelog.
    mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
    filled copyright >"$doc/copyright"
    printf 'jostle (%s-1) unstable; urgency=medium\n\n  * Release %s: see NEWS.md.\n\n -- %s  %s\n' \
        "$version" "$version" "$maintainer" "$(date --utc --rfc-email --date "@$SOURCE_DATE_EPOCH")" |
        gzip --best --no-name >"$doc/changelog.Debian.gz"
    # The versions of the libraries that the program is linked with.
    mkdir -p "$work/shlibs/debian" "$root/DEBIAN"
    printf 'Source: jostle\n\nPackage: jostle\nArchitecture: amd64\n' >"$work/shlibs/debian/control"
    depends=$(cd "$work/shlibs" && dpkg-shlibdeps -O "$root/usr/bin/jostle" | sed 's/^shlibs:Depends=//')
    text=$(filled control)
    text=${text//@DEPENDS@/$depends}
    text=${text//@SIZE@/$(find "$root/usr" -type f -printf '%s\n' | awk '{ kib += int(($1 + 1023) / 1024) } END { print kib }')}
    text=${text//@DESCRIPTION@/$(sed 's/^/ /' packaging/description)}
    echo "$text" >"$root/DEBIAN/control"
    (cd "$root" && find usr -type f -print0 | sort --zero-terminated | xargs --null md5sum) >"$root/DEBIAN/md5sums"
    dated "$root"
    dpkg-deb --root-owner-group -Zxz --build "$root" "$out/jostle_$version-1_amd64.deb"
}

rpm_package() {
    local root=$work/rpm text
    cp --archive "$stage" "$root"
    install -D --mode 644 LICENSE-MIT LICENSE-APACHE --target-directory "$root/usr/share/licenses/jostle"
    {
        printf '%%dir /usr/share/%s/jostle\n' doc licenses
        find "$root" -type f -printf '/%P\n' | sort |
            sed 's,^/usr/share/doc/,%doc &,; s,^/usr/share/licenses/,%license &,'
    } >"$work/files"
    text=$(filled jostle.spec)
    text=${text//@DESCRIPTION@/$(<packaging/description)}
    text=${text//@STAGE@/$root}
    text=${text//@FILES@/$work/files}
    echo "$text" >"$work/jostle.spec"
    dated "$root"
    rpmbuild -bb --quiet --target x86_64-linux --define "_topdir $work/rpmbuild" --define "_rpmdir $out" \
        --define '_build_name_fmt %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm' "$work/jostle.spec"
}

checksums() {
    (cd "$out" && sha256sum -- *.tar.xz *.deb *.rpm *.cdx.json | tee SHA256SUMS)
}

[[ -n $binary ]] || check 'build' build
check 'program' program
check 'manual pages, completions, icons' pages
check 'desktop' desktop
check 'documents, licenses, SBOM' documents
dated "$stage"
check 'tarball' tarball
check '.deb' deb_package
check '.rpm' rpm_package
check 'checksums' checksums
printf '\npackages are in %s\n' "$out"
