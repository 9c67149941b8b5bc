//! Device models, one file for each chip block, by vendor.
