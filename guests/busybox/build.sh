#!/usr/bin/env bash
# Builds BusyBox from the distribution's source package, as one static program: guests/busybox/build.sh FOLDER [MUSL_FOLDER]
# For PowerPC with the distribution's C library; for ARMv4T with the one that is given.
# Leaves in FOLDER: busybox, busybox.links (its names, one a line), busybox.config.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
folder=$1 library=${2:-}
root=$here/../..

source=$("$root/scripts/source-package" busybox 1.35.0)
work=$(mktemp -d "$folder/source.XXXXXX")
trap 'rm -rf "$work"' EXIT

# The banner tells a time, and messages tell names of source files: none of both may depend on the build.
export SOURCE_DATE_EPOCH=1704067200 KCONFIG_NOTIMESTAMP=1
cp -r "$source" "$work/busybox"
cd "$work/busybox"
tools=(ARCH=powerpc CROSS_COMPILE=powerpc-linux-gnu-)
[[ -z $library ]] || tools=(ARCH=arm CROSS_COMPILE=arm-none-eabi- CC="$library/cc")
busybox_make() { make -s "${tools[@]}" "$@"; }
busybox_make allnoconfig >/dev/null
grep -vwFf <(sed -n 's/^\(CONFIG_[A-Z0-9_]*\)=.*/\1/p' "$here/busybox.config") .config >"$work/rest"
cat "$work/rest" "$here/busybox.config" >.config
(yes '' || true) | busybox_make oldconfig >/dev/null 2>&1
"$root/scripts/kconfig-taken" "$here/busybox.config" .config
busybox_make -j"$(nproc)" busybox busybox.links
cp busybox busybox.links "$folder"
cp .config "$folder/busybox.config"
