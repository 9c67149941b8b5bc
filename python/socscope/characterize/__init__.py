"""Cost sheets of a kernel, from its binary and from runs of it."""
