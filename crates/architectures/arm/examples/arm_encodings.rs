//! Prints all encodings as a page of the documentation:
//! `cargo run -p socscope-arm --example arm_encodings > docs/reference/arm-encodings.md`

use socscope_arm::{CoreModel, InstructionSet, encodings, since};
use std::fmt::Write;

fn main() {
    print!("{}", page());
}

/// The page, in Markdown.
pub fn page() -> String {
    let cores = CoreModel::ALL.map(|model| format!("{} {}", model.name(), model.version().name()));
    let mut text = format!(
        "# ARM encodings\n\nMade from the tables that the decoder reads. In a pattern `0` and `1` are fixed, `z` should be zero and \
         `o` should be one (ignored when decoding), every other letter is a field.\nThe first line of each table stands for all words that \
         no other line matches; of those that match a word, the one of the newest version that a core has counts, and of these the one with more \
         fixed bits.\nA core has all lines of its version and of those before it: {}.\nFor what is unpredictable see the decisions for \
         [version 4T](../decisions/armv4t-unpredictable.md) and [later ones](../decisions/arm-later-versions.md).\n",
        cores.join(", ")
    );
    for set in InstructionSet::ALL {
        let _ = writeln!(
            text,
            "\n## {set:?}\n\n| name | since | bits | cycle class | assembly |\n|---|---|---|---|---|"
        );
        for (index, encoding) in encodings(CoreModel::Arm1176JzS, set).iter().enumerate() {
            let _ = writeln!(
                text,
                "| {} | {} | `{}` | {:?} | `{}` |",
                encoding.name,
                since(set, index).name(),
                encoding.pattern.text(),
                encoding.class,
                encoding.assembly.replace('|', "\\|"),
            );
        }
    }
    text
}
