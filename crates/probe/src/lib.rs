//! What can be counted or recorded in a run.
