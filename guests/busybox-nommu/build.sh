#!/usr/bin/env bash
# Builds BusyBox for processors without MMU, as one static program: guests/busybox-nommu/build.sh FOLDER MUSL_FOLDER
# It is that of guests/busybox, with another shell and without modules. Leaves in FOLDER what that one does.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
folder=$1 library=$2

# A build script reads the configuration beside it.
work=$(mktemp -d "$folder/recipe.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/guests/busybox"
ln -s "$here/../../scripts" "$work"
cp "$here/../busybox/build.sh" "$work/guests/busybox"
{
    grep -vE '^CONFIG_(ASH|ASH_.*|SH_IS_ASH|INSMOD|LSMOD|RMMOD|FEATURE_CMDLINE_MODULE_OPTIONS)=' "$here/../busybox/busybox.config"
    cat "$here/hush.config"
} >"$work/guests/busybox/busybox.config"
"$work/guests/busybox/build.sh" "$folder" "$library"
