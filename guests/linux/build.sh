#!/usr/bin/env bash
# Builds Linux from the distribution's source package, unmodified: guests/linux/build.sh FOLDER
# Leaves in FOLDER: vmlinux, System.map, kernel.config, mpc8641_hpcn.dtb (the kernel's own tree of the board),
# gen_init_cpio (packs an initramfs), and build/, the part of the tree that modules are built against.
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
    --exclude="$tree"/arch/{alpha,arm,arm64,mips,s390,sparc}/boot/dts --exclude="$tree"/tools/testing
cd "$work/$tree"

# The same in any folder and at any time.
export KBUILD_BUILD_TIMESTAMP='2024-01-01' KBUILD_BUILD_USER=socscope KBUILD_BUILD_HOST=socscope KBUILD_BUILD_VERSION=1
export KCFLAGS="-fdebug-prefix-map=$PWD=/usr/src/linux" KAFLAGS="-fdebug-prefix-map=$PWD=/usr/src/linux"
# Reduced debug information leaves out structures of headers; these two files give them in full
# (task_struct and what it consists of, and struct module).
structures=(CFLAGS_init_task.o=-femit-struct-debug-detailed=any CFLAGS_main.o=-femit-struct-debug-detailed=any)
kernel_make() { make -s ARCH=powerpc CROSS_COMPILE=powerpc-linux-gnu- "${structures[@]}" "$@"; }

KCONFIG_ALLCONFIG=$here/kernel.config kernel_make allnoconfig
"$here/../../scripts/kconfig-taken" "$here/kernel.config" .config
kernel_make -j"$(nproc)" vmlinux modules fsl/mpc8641_hpcn.dtb

cp vmlinux System.map usr/gen_init_cpio arch/powerpc/boot/dts/fsl/mpc8641_hpcn.dtb "$folder"
cp .config "$folder/kernel.config"

# What a build of modules reads, as the distribution's packages of headers hold it.
{
    find . arch/powerpc -maxdepth 1 -name 'Makefile*'
    find include scripts arch/powerpc/include arch/powerpc/tools -type f -o -type l
    printf '%s\n' .config Module.symvers arch/powerpc/Kbuild arch/powerpc/lib/crtsavres.o
} | grep -vE '\.(o\.cmd|mod\.c)$|/\.[^/]*\.cmd$|^scripts/(.*/)?tests?/' >"$work/list"
mkdir -p "$folder/build"
tar -cf - -T "$work/list" | tar -xf - -C "$folder/build"
