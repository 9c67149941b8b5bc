#!/bin/bash
# Fetches the source package of G-Kermit into the cache and prints the folder. With --where it only prints it.
# Debian's own sources suffice: where they have no deb-src entry, a private list with one is used.
set -euo pipefail

package=gkermit
version=2.01
folder=${SOCSCOPE_CACHE:-$HOME/.cache/socscope}/sources/$package
source=$folder/$package-$version

if [[ ${1:-} == --where ]]; then
    echo "$source"
    exit 0
fi
if [[ -f $source/gproto.c ]]; then
    echo "$source"
    exit 0
fi
for tool in apt-get dpkg-source; do
    if ! command -v "$tool" >/dev/null; then
        echo "fetch.sh: $tool is missing: install the package dpkg-dev" >&2
        exit 1
    fi
done

mkdir -p "$folder"
work=$(mktemp -d "$folder/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work"

download() {
    apt-get "$@" -qq -o APT::Sandbox::User=root source "$package" >apt.log 2>&1
}

# The distribution's repositories that packages come from, as source entries.
private_list() {
    # shellcheck disable=SC2016  # apt-get fills these in.
    apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk '$1 == "Debian" { print "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] " $2 " " $3 " " $4 }' |
        sort -u >sources.list
    if [[ ! -s sources.list ]]; then
        echo "fetch.sh: no Debian repository is known: run apt-get update first" >&2
        exit 1
    fi
}

if ! download; then
    private_list
    mkdir -p lists/partial
    private=(-o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=/nonexistent -o "Dir::State::lists=$work/lists")
    if ! apt-get "${private[@]}" -qq -o APT::Sandbox::User=root update >apt.log 2>&1 || ! download "${private[@]}"; then
        echo "fetch.sh: the source package $package could not be fetched:" >&2
        cat apt.log >&2
        exit 1
    fi
fi
if [[ ! -f $package-$version/gproto.c ]]; then
    echo "fetch.sh: the source package holds no $package-$version; this build knows that version only" >&2
    exit 1
fi
rm -rf "$source"
mv "$package-$version" "$source"
echo "$source"
