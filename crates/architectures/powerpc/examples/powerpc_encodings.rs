//! Prints all PowerPC encodings and special registers as a page of the documentation:
//! `cargo run -p socscope-powerpc --example powerpc_encodings > docs/reference/powerpc-encodings.md`

use socscope_powerpc::{CoreModel, SPECIAL_REGISTERS, encodings};
use std::fmt::Write;

fn main() {
    print!("{}", page());
}

/// The page, in Markdown.
pub fn page() -> String {
    let mut text = String::from(
        "# PowerPC encodings\n\nMade from the tables that the decoder reads. In a pattern `0` and `1` are fixed, `z` should be zero \
         (ignored when decoding), every other letter is a field.\nThe first line stands for all words that no other line matches. For \
         invalid forms and what is undefined see [the decision](../decisions/powerpc.md).\n\n\
         | name | bits | class | assembly |\n|---|---|---|---|\n",
    );
    for encoding in encodings() {
        let _ = writeln!(
            text,
            "| {} | `{}` | {:?} | `{}` |",
            encoding.name,
            encoding.pattern.text(),
            encoding.class,
            encoding.assembly
        );
    }
    text.push_str(
        "\n## Special registers\n\n| number | name | read | write | cores |\n|---|---|---|---|---|\n",
    );
    for register in SPECIAL_REGISTERS {
        let cores: Vec<String> = CoreModel::ALL
            .iter()
            .filter(|model| register.is_in(**model))
            .map(|model| format!("{model:?}"))
            .collect();
        let _ = writeln!(
            text,
            "| {} | {} | {:?} | {:?} | {} |",
            register.number,
            register.name,
            register.read,
            register.write,
            cores.join(", ")
        );
    }
    text
}
