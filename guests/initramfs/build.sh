#!/usr/bin/env bash
# Packs the root file system: guests/initramfs/build.sh FOLDER LINUX_FOLDER BUSYBOX_FOLDER [MACHINE]
# MACHINE (powerpc when absent) names what `init` does on that machine only: MACHINE.init.
# Leaves in FOLDER: initramfs.cpio, and initramfs.cpio.gz, which is smaller and boots slower.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
folder=$1 linux=$2 busybox=$3 machine=${4:-powerpc}
time=1704067200

# The archive holds the times of the files it is made from: not those of the checkout, nor of the build before this one.
cp "$busybox/busybox" "$folder"
sed -e "/^@MACHINE@\$/{r $here/$machine.init" -e 'd}' "$here/init" >"$folder/init"
touch -d "@$time" "$folder"/{init,busybox}
{
    for directory in bin sbin usr usr/bin usr/sbin dev proc sys mnt; do
        echo "dir /$directory 0755 0 0"
    done
    echo "dir /root 0700 0 0"
    echo "dir /tmp 1777 0 0"
    # Here until devtmpfs is mounted.
    echo "nod /dev/console 0600 0 0 c 5 1"
    echo "file /init $folder/init 0755 0 0"
    echo "file /bin/busybox $folder/busybox 0755 0 0"
    while read -r name; do
        echo "slink $name /bin/busybox 0777 0 0"
    done <"$busybox/busybox.links"
} >"$folder/list"
"$linux/gen_init_cpio" -t "$time" "$folder/list" >"$folder/initramfs.cpio"
gzip -9nk "$folder/initramfs.cpio"
rm "$folder"/{list,init,busybox}
