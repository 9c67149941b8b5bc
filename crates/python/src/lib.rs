//! Glue between the machine and Python, nothing else.
