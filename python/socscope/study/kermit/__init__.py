"""The Kermit file transfer protocol: packets on a line, where their bytes come from, the host's program."""
