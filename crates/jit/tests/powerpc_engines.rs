//! Random PowerPC programs by both engines: the same state, memory and cycles after every piece.

#[path = "powerpc/compare.rs"]
mod compare;

#[test]
fn both_engines_do_the_same() {
    assert!(compare::compare_all(1..150) > 100_000);
}
