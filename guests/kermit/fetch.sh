#!/bin/bash
# Fetches the source package of G-Kermit into the cache and prints the folder. With --where it only prints it.
exec "$(dirname "$(readlink -f "$0")")/../../scripts/source-package" gkermit 2.01 "$@"
