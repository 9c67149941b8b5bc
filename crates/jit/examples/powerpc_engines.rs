//! Runs random PowerPC programs by both engines; a difference ends it, with its seed. Arguments: first seed, number of programs.

#[path = "../tests/powerpc/compare.rs"]
mod compare;

#[expect(clippy::disallowed_methods, reason = "a tool for `make fuzz`")]
fn main() {
    let numbers: Vec<u64> = std::env::args()
        .skip(1)
        .filter_map(|text| text.parse().ok())
        .collect();
    let [first, count] = numbers[..] else {
        eprintln!("powerpc_engines: give the first seed and the number of programs");
        std::process::exit(2);
    };
    compare::compare_all(first..first + count);
}
