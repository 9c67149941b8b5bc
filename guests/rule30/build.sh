#!/usr/bin/env bash
# Builds driver and program: guests/rule30/build.sh FOLDER LINUX_FOLDER
# Leaves in FOLDER: rule30.ko, rule30 (static, PowerPC), rule30-host (the same program for this machine).
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
folder=$1 linux=$2

make -s -C "$here" BUILD="$folder"
# A build of modules writes into the folder of its sources.
work=$(mktemp -d "$folder/driver.XXXXXX")
trap 'rm -rf "$work"' EXIT
cp -r "$here/driver" "$here/include" "$work"
prefixes="-fdebug-prefix-map=$work/driver=rule30/driver -fdebug-prefix-map=$linux/build=/usr/src/linux"
make -s -C "$linux/build" M="$work/driver" ARCH=powerpc CROSS_COMPILE=powerpc-linux-gnu- KCFLAGS="$prefixes" modules
cp "$work/driver/rule30.ko" "$folder"
