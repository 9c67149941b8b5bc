#!/usr/bin/env bash
# The C library of guests/musl-arm for programs without MMU: guests/musl-nommu/build.sh FOLDER MUSL_FOLDER
# Leaves in FOLDER what that one does; the programs of cc may lie anywhere in memory.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
folder=$1 library=$2
script=musl-nommu/build.sh

source=$("$here/../../scripts/source-package" musl 1.2.3)
work=$(mktemp -d "$folder/source.XXXXXX")
trap 'rm -rf "$work"' EXIT
cp -r "$source" "$work/musl"
cp -r "$library/." "$folder"

# The kernel's helpers for programs lie below 0x1000 there, not below 0xffff1000.
cd "$work/musl"
threads=src/thread/arm/__set_thread_area
sed -i 's/0xffff0f/0x00000f/' $threads.c
[[ $(grep -c 0x00000f $threads.c) == 4 ]] || { echo "$script: $threads.c has another form: look where it asks for the kernel's helpers" >&2; exit 1; }
CC="arm-none-eabi-gcc $(cat "$library/machine") -Wno-array-bounds" CROSS_COMPILE=arm-none-eabi- \
    ./configure --target=arm-linux-musleabi --disable-shared >/dev/null
make -s obj/$threads.o
arm-none-eabi-ar r "$folder/lib/libc.a" obj/$threads.o

# A program puts its own addresses right when it starts. Its stack has the size that its file says, and cannot grow.
cp "$folder/lib/rcrt1.o" "$folder/lib/crt1.o"
arm-none-eabi-ld -pie --verbose | sed -e '1,/^====/d' -e '/^====/,$d' >"$folder/program.ld"
anywhere=-Wl,-pie,--no-dynamic-linker,-z,notext,-z,max-page-size=4096,-z,stack-size=65536
sed "s/ -nostdlib -static / -nostdlib -static $anywhere /" "$library/cc" >"$folder/cc"
grep -q -- "$anywhere" "$folder/cc" || { echo "$script: guests/musl-arm/cc links in another way: look where it says -static" >&2; exit 1; }
