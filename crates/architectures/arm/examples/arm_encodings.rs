//! Prints all encodings as a page of the documentation:
//! `cargo run -p socscope-arm --example arm_encodings > docs/reference/armv4t-encodings.md`

use socscope_arm::{InstructionSet, encodings};
use std::fmt::Write;

fn main() {
    print!("{}", page());
}

/// The page, in Markdown.
pub fn page() -> String {
    let mut text = String::from(
        "# ARMv4T encodings\n\nMade from the tables that the decoder reads. In a pattern `0` and `1` are fixed, `z` should be zero and \
         `o` should be one (ignored when decoding), every other letter is a field.\nThe first line of each table stands for all words that \
         no other line matches. For what is unpredictable see [the decision](../decisions/armv4t-unpredictable.md).\n",
    );
    for set in InstructionSet::ALL {
        let _ = writeln!(
            text,
            "\n## {set:?}\n\n| name | bits | cycle class | assembly |\n|---|---|---|---|"
        );
        for encoding in encodings(set) {
            let _ = writeln!(
                text,
                "| {} | `{}` | {:?} | `{}` |",
                encoding.name,
                encoding.pattern.text(),
                encoding.class,
                encoding.assembly.replace('|', "\\|"),
            );
        }
    }
    text
}
