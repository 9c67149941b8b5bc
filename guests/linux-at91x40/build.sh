#!/usr/bin/env bash
# Builds Linux without MMU for the Atmel AT91X40 series from the distribution's source package: guests/linux-at91x40/build.sh FOLDER
# Leaves in FOLDER: vmlinux, System.map, kernel.config, and gen_init_cpio (packs an initramfs).
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
folder=$1

tarball=/usr/src/linux-source-6.1.tar.xz
[[ -f $tarball ]] || { echo "build.sh: $tarball is missing: install the package linux-source-6.1" >&2; exit 1; }

work=$(mktemp -d "$folder/source.XXXXXX")
trap 'rm -rf "$work"' EXIT
tree=linux-source-6.1
# The largest parts that this kernel needs nothing of.
tar -xJf "$tarball" -C "$work" --exclude="$tree/Documentation/[!K]*" --exclude="$tree"/drivers/gpu/drm/amd/include \
    --exclude="$tree"/arch/{alpha,arm64,mips,powerpc,s390,sparc}/boot/dts --exclude="$tree"/tools/testing
cd "$work/$tree"
patch -s -p1 <"$here/at91x40.patch"

# The same in any folder, at any time and place.
export KBUILD_BUILD_TIMESTAMP='2024-01-01' KBUILD_BUILD_USER=socscope KBUILD_BUILD_HOST=socscope KBUILD_BUILD_VERSION=1 TZ=UTC0
export KCFLAGS="-fdebug-prefix-map=$PWD=/usr/src/linux" KAFLAGS="-fdebug-prefix-map=$PWD=/usr/src/linux"
kernel_make() { make -s ARCH=arm CROSS_COMPILE=arm-none-eabi- CFLAGS_init_task.o=-femit-struct-debug-detailed=any "$@"; }

KCONFIG_ALLCONFIG=$here/kernel.config kernel_make allnoconfig
"$here/../../scripts/kconfig-taken" "$here/kernel.config" .config
kernel_make -j"$(nproc)" vmlinux

cp vmlinux System.map usr/gen_init_cpio "$folder"
cp .config "$folder/kernel.config"
