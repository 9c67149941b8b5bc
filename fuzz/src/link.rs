//! From a program's tree to an image.

use crate::arm;
use crate::assembler::{Assembler, Label, Literal, Section, TooFar};
use crate::board::{EBI, EXTERNAL_BYTES, RAM, RAM_CODE_BYTES, ROM, SRAM, SRAM_DATA};
use crate::emit::{Emitter, Linkage};
use crate::image::Image;
use crate::program::{Frame, Function, Program, Return};
use crate::{runtime, tasks};
use socscope_isa::arm::{ALWAYS, InstructionSet};
use std::collections::BTreeSet;

/// Words of a routine that is copied.
const OVERLAY_WORDS: usize = 8;
/// Bytes in front of the ROM's code when the core does not start at the reset vector: nothing is at the vector then.
const ROM_GAP: usize = 0x100;
/// The board's chip selects (`fuzz.dts`).
const CHIP_SELECTS: [(u32, u32); 2] = [(EBI, 0x0100_2025), (EBI + 4, 0x0200_2001)];

/// Links a program. Nothing comes of one with a branch that cannot reach.
pub fn link(program: &Program) -> Option<Image> {
    let mut long = BTreeSet::new();
    loop {
        match attempt(program, &long) {
            Ok(image) => return Some(image),
            Err(TooFar(Some(number))) => _ = long.insert(number),
            Err(TooFar(None)) => return None,
        }
    }
}

fn attempt(program: &Program, long: &BTreeSet<usize>) -> Result<Image, TooFar> {
    let mut assembler = Assembler::new([SRAM, RAM, ROM], long);
    let linkage = Linkage {
        functions: program
            .functions
            .iter()
            .map(|function| (assembler.label(), function.set, function.section))
            .collect(),
        overlays: program.overlays.iter().map(|_| assembler.label()).collect(),
        buffers: [assembler.label(), assembler.label()],
        masks: program.masks,
        inherited: inherited(program),
    };
    // Vectors stand at the front of both memories that can be at address 0, and are written when everything is known.
    let (reset, vectors) = (assembler.label(), [assembler.label(), assembler.label()]);
    for (section, label) in [(Section::Sram, vectors[0]), (Section::Rom, vectors[1])] {
        assembler.begin(section, InstructionSet::Arm);
        assembler.place(label);
        assembler.sections[section as usize].1.resize(
            if section == Section::Rom {
                ROM_GAP
            } else {
                0x40
            },
            0,
        );
    }
    let runtime = match program.tasks {
        Some(how) => tasks::write(&mut assembler, program, &linkage, how),
        None => runtime::write(&mut assembler, program, &linkage),
    };
    set_up_bus(&mut assembler, reset, runtime.entry);
    for (overlay, label) in program.overlays.iter().zip(&linkage.overlays) {
        assembler.begin(Section::Rom, InstructionSet::Arm);
        assembler.place(*label);
        let padding = std::iter::repeat(&arm::RETURN);
        for word in overlay.iter().chain(padding).take(OVERLAY_WORDS) {
            assembler.attached(*word);
        }
    }
    for (buffer, section) in linkage.buffers.iter().zip([Section::Sram, Section::Ram]) {
        assembler.begin(section, InstructionSet::Arm);
        assembler.place(*buffer);
        for _ in 0..OVERLAY_WORDS {
            assembler.attached(arm::RETURN);
        }
    }
    assembler.begin(Section::Rom, InstructionSet::Arm);
    let mut functions = vec![("runtime".to_string(), ROM, assembler.here())];
    let mut ends = runtime.parts_end.map_or(0, |end| assembler.address(end));
    for (name, start) in runtime.parts.iter().rev() {
        let start = assembler.address(*start);
        functions.push((name.clone(), start, ends));
        ends = start;
    }
    let mut veneers = vec![];
    for (index, function) in program.functions.iter().enumerate() {
        assembler.begin(function.section, function.set);
        assembler.place(linkage.functions[index].0);
        let start = assembler.here();
        Emitter::function(&mut assembler, &linkage, (index, function), &mut veneers);
        functions.push((format!("function {index}"), start, assembler.here()));
    }
    functions.sort_by_key(|(_, start, _)| *start);
    let tables = program.from_reset.then_some(Section::Rom);
    for section in tables.into_iter().chain([Section::Sram]) {
        write_vectors(&mut assembler, &runtime, section, reset);
    }
    assembler.finish()?;
    let room = [SRAM_DATA.start, RAM_CODE_BYTES, EXTERNAL_BYTES];
    let sizes = assembler.sections.iter().map(|(_, bytes)| bytes.len());
    if sizes.zip(room).any(|(size, room)| size > room as usize) {
        return Err(TooFar(None));
    }
    let entry = assembler.address(runtime.entry);
    let end = assembler.address(runtime.end);
    let contents = std::mem::take(&mut assembler.contents);
    let gap = if program.from_reset { 0 } else { ROM_GAP };
    let segments = assembler
        .sections
        .into_iter()
        .map(|(base, mut bytes)| match base {
            ROM => (base + gap as u32, bytes.split_off(gap)),
            _ => (base, bytes),
        })
        .filter(|(_, bytes)| !bytes.is_empty())
        .collect();
    Ok(Image {
        segments,
        entry,
        end,
        functions,
        contents,
    })
}

/// Functions that fall into one that goes on with their frame.
fn inherited(program: &Program) -> BTreeSet<usize> {
    let pairs = program.functions.windows(2).enumerate();
    let inherits =
        |pair: &[Function]| pair[0].leave == Return::Fall && pair[1].frame == Frame::Inherited;
    pairs
        .filter(|(_, pair)| inherits(pair))
        .map(|(index, _)| index)
        .collect()
}

/// What the reset vector leads to: chip selects and the remap, then the jump to where the ROM is behind it.
fn set_up_bus(assembler: &mut Assembler, reset: Label, entry: Label) {
    assembler.begin(Section::Rom, InstructionSet::Arm);
    assembler.place(reset);
    for (address, value) in CHIP_SELECTS.into_iter().chain([(EBI + 0x20, 1)]) {
        assembler.load(0, Literal::Value(address));
        assembler.load(1, Literal::Value(value));
        if value == 1 {
            assembler.load(2, Literal::Address(entry, InstructionSet::Arm));
        }
        assembler.word(arm::access(false, 1, 0, 0));
    }
    assembler.word(0xe1a0_f002); // mov pc, r2
    assembler.branch(ALWAYS, reset);
    assembler.flush_pool();
}

/// Writes a vector table over the room at the front of a section.
fn write_vectors(
    assembler: &mut Assembler,
    runtime: &runtime::Runtime,
    section: Section,
    reset: Label,
) {
    let whole = std::mem::take(&mut assembler.sections[section as usize].1);
    assembler.begin(section, InstructionSet::Arm);
    runtime.vectors(assembler, reset);
    let vectors = &mut assembler.sections[section as usize].1;
    let rest = vectors.len();
    vectors.extend(&whole[rest..]);
}
