#!/usr/bin/env bash
# Builds the C library musl for ARMv4T, from the distribution's source package: guests/musl-arm/build.sh FOLDER LINUX_FOLDER
# Leaves in FOLDER: cc, the compiler of static programs that use it; what it reads: machine, program.ld, include/ and lib/.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
folder=$1 linux=$2

source=$("$here/../../scripts/source-package" musl 1.2.3)
work=$(mktemp -d "$folder/source.XXXXXX")
trap 'rm -rf "$work"' EXIT
cp -r "$source" "$work/musl"
cp "$here"/{cc,machine} "$folder"

cd "$work/musl"
CC="arm-none-eabi-gcc $(cat "$here/machine")" CROSS_COMPILE=arm-none-eabi- \
    ./configure --target=arm-linux-musleabi --prefix="$folder" --syslibdir="$folder/lib" --disable-shared >/dev/null
make -s -j"$(nproc)" install-headers install-libs
cp -r "$linux"/headers/. "$folder/include"

# The linker is one for bare metal: it leaves the headers out of the program, which start-up code of Linux programs reads.
arm-none-eabi-ld --verbose | sed -e '1,/^====/d' -e '/^====/,$d' -e 's/\(\. = SEGMENT_START("text-segment", 0x\)8000)/\110000) + SIZEOF_HEADERS/' >"$folder/program.ld"
grep -q '0x10000) + SIZEOF_HEADERS' "$folder/program.ld" || { echo "build.sh: the linker's own script has another form: look where it places the first segment" >&2; exit 1; }
