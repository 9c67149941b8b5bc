//! A linked program for people.

use crate::arm::MODEL;
use crate::assembler::Content;
use crate::image::Image;
use crate::program::Program;
use socscope_arm::{InstructionSet, encoding};
use std::fmt::Write;

/// The functions with their instructions, and what the program stores at its start.
pub fn listing(program: &Program, image: &Image) -> String {
    let mut text = String::new();
    let start = if program.from_reset {
        "reset, before the remap"
    } else {
        "the image's entry"
    };
    let _ = writeln!(
        text,
        "starts at {start}; masks {:#x}; registers {:x?}",
        program.masks, program.registers
    );
    for (address, value) in &program.stores {
        let _ = writeln!(text, "  store {value:#x} at {address:#010x}");
    }
    for (index, overlay) in program.overlays.iter().enumerate() {
        let _ = writeln!(text, "overlay {index}: {overlay:08x?}");
    }
    for (name, start, end) in &image.functions {
        if name == "runtime" {
            continue;
        }
        let _ = writeln!(text, "{name}:");
        for (address, content) in image.contents.range(*start..*end) {
            let Some(word) = image.word(address & !3) else {
                continue;
            };
            let _ = writeln!(text, "  {}", line(*address, *content, word));
        }
    }
    text
}

fn line(address: u32, content: Content, word: u32) -> String {
    match content {
        Content::Data => format!("{address:08x}  {word:08x}  .word"),
        Content::Instruction(set) => {
            let thumb = set == InstructionSet::Thumb;
            let word = match thumb {
                true => word >> (8 * (address & 2)) & 0xffff,
                false => word,
            };
            let digits = if thumb { 4 } else { 8 };
            let encoding = encoding(MODEL, set, word);
            format!(
                "{address:08x}  {word:<8}  {}  ({})",
                encoding.assembly,
                encoding.name,
                word = format!("{word:0digits$x}")
            )
        }
    }
}
