#!/usr/bin/env bash
# Builds Linux for an ARM board from the distribution's source package, unmodified: guests/linux-arm/build.sh FOLDER BOARD=NAME
# BOARD names a configuration, integrator-v5 for instance. Leaves in FOLDER: vmlinux, zImage, Image, System.map, kernel.config,
# the kernel's own tree of the board, gen_init_cpio (packs an initramfs), headers/ (what a C library is built against), and
# build/, the part of the tree that modules are built against.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
folder=$1 board=${2:-}
board=${board#BOARD=}

# What its kernels have in common, and what is the board's own.
configurations=("$here/${board%-*}.config" "$here/$board.config")
# A board's name has a version behind a hyphen: what stands before it is no board.
[[ $board == *-* && -f ${configurations[1]} ]] || {
    echo "build.sh: BOARD=$board is the name of no configuration: give BOARD=integrator-v5 or BOARD=integrator-v6" >&2
    exit 1
}
board_tree=integratorcp.dtb
tarball=/usr/src/linux-source-6.1.tar.xz
[[ -f $tarball ]] || { echo "build.sh: $tarball is missing: install the package linux-source-6.1" >&2; exit 1; }

work=$(mktemp -d "$folder/source.XXXXXX")
trap 'rm -rf "$work"' EXIT
tree=linux-source-6.1
# The largest parts that this kernel needs nothing of.
tar -xJf "$tarball" -C "$work" --exclude="$tree/Documentation/[!K]*" --exclude="$tree"/drivers/gpu/drm/amd/include \
    --exclude="$tree"/arch/{alpha,arm64,mips,powerpc,s390,sparc}/boot/dts --exclude="$tree"/tools/testing
cd "$work/$tree"

# The same in any folder, at any time, in any zone.
export TZ=UTC0
export KBUILD_BUILD_TIMESTAMP='2024-01-01' KBUILD_BUILD_USER=socscope KBUILD_BUILD_HOST=socscope KBUILD_BUILD_VERSION=1
export KCFLAGS="-fdebug-prefix-map=$PWD=/usr/src/linux" KAFLAGS="-fdebug-prefix-map=$PWD=/usr/src/linux"
# Reduced debug information leaves out structures of headers; these two files give them in full
# (task_struct and what it consists of, and struct module).
structures=(CFLAGS_init_task.o=-femit-struct-debug-detailed=any CFLAGS_main.o=-femit-struct-debug-detailed=any)
kernel_make() { make -s ARCH=arm CROSS_COMPILE=arm-none-eabi- "${structures[@]}" "$@"; }

cat "${configurations[@]}" >"$work/asked.config"
KCONFIG_ALLCONFIG=$work/asked.config kernel_make allnoconfig
"$here/../../scripts/kconfig-taken" "$work/asked.config" .config
kernel_make -j"$(nproc)" vmlinux zImage modules "$board_tree"
kernel_make headers

cp vmlinux System.map usr/gen_init_cpio arch/arm/boot/{zImage,Image} "arch/arm/boot/dts/$board_tree" "$folder"
cp .config "$folder/kernel.config"
mkdir "$folder/headers"
(cd usr/include && find . -name '*.h' -print0 | tar -cf - --null -T -) | tar -xf - -C "$folder/headers"

# What a build of modules reads, as the distribution's packages of headers hold it.
{
    find . arch/arm -maxdepth 1 -name 'Makefile*'
    find include scripts arch/arm/include arch/arm/tools -type f -o -type l
    printf '%s\n' .config Module.symvers
} | grep -vE '\.(o\.cmd|mod\.c)$|/\.[^/]*\.cmd$|^scripts/(.*/)?tests?/' >"$work/list"
mkdir -p "$folder/build"
tar -cf - -T "$work/list" | tar -xf - -C "$folder/build"
