//! The only door to files, sockets, terminals and the wall clock.
