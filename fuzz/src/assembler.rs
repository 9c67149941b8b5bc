//! Assembles into three memories at once: labels, literal pools, branches that reach.

use crate::arm;
use crate::thumb;
use socscope_arm::InstructionSet;
use std::collections::{BTreeMap, BTreeSet};

/// Where code lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// On-chip memory.
    Sram = 0,
    /// Memory on the external bus.
    Ram = 1,
    /// Read-only memory on the external bus.
    Rom = 2,
}

/// A place in the code, known at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(usize);

/// A constant that lies among the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literal {
    /// A number.
    Value(u32),
    /// A label's address, with bit 0 set where Thumb code is there.
    Address(Label, InstructionSet),
}

#[derive(Clone, Copy)]
enum Patch {
    Arm,
    ThumbConditional(usize),
    ThumbBranch,
    ThumbCall,
    ArmLoad,
    ThumbLoad,
    Word(InstructionSet),
}

/// What lies at an address, for listings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// An instruction.
    Instruction(InstructionSet),
    /// A word of data.
    Data,
}

/// Branches that do not reach: those with a number can be made long, others not at all.
pub struct TooFar(pub Option<usize>);

/// The assembler.
pub struct Assembler {
    /// Base address and bytes of each section.
    pub sections: [(u32, Vec<u8>); 3],
    /// What lies where.
    pub contents: BTreeMap<u32, Content>,
    section: Section,
    set: InstructionSet,
    labels: Vec<Option<u32>>,
    patches: Vec<(Section, usize, Patch, Label)>,
    pool: Vec<(usize, Literal)>,
    /// Thumb's conditional branches that have to be long, by number.
    long: BTreeSet<usize>,
    conditionals: usize,
}

impl Assembler {
    /// With the sections' first addresses, and the numbers of the branches that are known to be long.
    pub fn new(bases: [u32; 3], long: &BTreeSet<usize>) -> Assembler {
        Assembler {
            sections: bases.map(|base| (base, vec![])),
            contents: BTreeMap::new(),
            section: Section::Rom,
            set: InstructionSet::Arm,
            labels: vec![],
            patches: vec![],
            pool: vec![],
            long: long.clone(),
            conditionals: 0,
        }
    }

    /// Goes on in a section, at a multiple of four.
    pub fn begin(&mut self, section: Section, set: InstructionSet) {
        (self.section, self.set) = (section, set);
        let bytes = self.bytes();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }

    /// The instruction set in force.
    pub fn set(&self) -> InstructionSet {
        self.set
    }

    fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.sections[self.section as usize].1
    }

    /// The next address.
    pub fn here(&self) -> u32 {
        let (base, bytes) = &self.sections[self.section as usize];
        base + bytes.len() as u32
    }

    /// A label whose place is not known yet.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Puts a label here.
    pub fn place(&mut self, label: Label) {
        self.labels[label.0] = Some(self.here());
    }

    /// A label that is here.
    pub fn label_here(&mut self) -> Label {
        let label = self.label();
        self.place(label);
        label
    }

    /// Where a label is.
    pub fn address(&self, label: Label) -> u32 {
        self.labels[label.0].unwrap_or(0)
    }

    /// Adds an instruction.
    pub fn word(&mut self, word: u32) {
        self.relieve_pool();
        self.instruction(word);
    }

    /// Adds an instruction right behind the one before: no pool comes between.
    pub fn attached(&mut self, word: u32) {
        self.instruction(word);
    }

    /// Puts the pool here if it may not wait much longer.
    pub fn make_room(&mut self) {
        self.relieve_pool();
    }

    /// Goes on at a multiple of four; control never passes here.
    pub fn align(&mut self) {
        if !self.here().is_multiple_of(4) {
            self.instruction(thumb::NO_OPERATION);
        }
    }

    fn instruction(&mut self, word: u32) {
        let (address, set) = (self.here(), self.set);
        self.contents.insert(address, Content::Instruction(set));
        let size = set.width().bytes() as usize;
        self.bytes().extend(&word.to_le_bytes()[..size]);
    }

    /// Adds a word of data; the place has to be a multiple of four.
    pub fn data(&mut self, word: u32) {
        self.contents.insert(self.here(), Content::Data);
        self.bytes().extend(word.to_le_bytes());
    }

    /// Adds a label's address as data.
    pub fn data_address(&mut self, label: Label, set: InstructionSet) {
        self.patch(Patch::Word(set), label);
        self.data(0);
    }

    fn patch(&mut self, patch: Patch, label: Label) {
        let at = self.bytes().len();
        self.patches.push((self.section, at, patch, label));
    }

    /// Branches on a condition (14 is always).
    pub fn branch(&mut self, condition: u32, label: Label) {
        self.relieve_pool();
        match (self.set, condition) {
            (InstructionSet::Arm, _) => {
                self.patch(Patch::Arm, label);
                self.instruction(arm::branch(condition));
            }
            (InstructionSet::Thumb, 14) => {
                self.patch(Patch::ThumbBranch, label);
                self.instruction(thumb::BRANCH);
            }
            (InstructionSet::Thumb, _) => {
                let number = self.conditionals;
                self.conditionals += 1;
                if self.long.contains(&number) {
                    self.instruction(thumb::branch_if(condition ^ 1));
                    self.patch(Patch::ThumbBranch, label);
                    self.instruction(thumb::BRANCH);
                } else {
                    self.patch(Patch::ThumbConditional(number), label);
                    self.instruction(thumb::branch_if(condition));
                }
            }
        }
    }

    /// Branches with link, in the same instruction set and not far away.
    pub fn call(&mut self, condition: u32, label: Label) {
        self.relieve_pool();
        match self.set {
            InstructionSet::Arm => {
                self.patch(Patch::Arm, label);
                self.instruction(arm::branch(condition) | 1 << 24);
            }
            InstructionSet::Thumb => {
                self.patch(Patch::ThumbCall, label);
                self.instruction(thumb::CALL_FIRST);
                self.instruction(thumb::CALL_SECOND);
            }
        }
    }

    /// Loads a constant into a register (0 to 7 in Thumb).
    pub fn load(&mut self, register: u32, literal: Literal) {
        self.relieve_pool();
        self.load_attached(register, literal);
    }

    /// The same right behind the instruction before it.
    pub fn load_attached(&mut self, register: u32, literal: Literal) {
        let at = self.bytes().len();
        self.pool.push((at, literal));
        self.instruction(match self.set {
            InstructionSet::Arm => arm::load_literal(register),
            InstructionSet::Thumb => thumb::load_literal(register),
        });
    }

    /// Puts the pool here while its first user still reaches it.
    fn relieve_pool(&mut self) {
        let reach = match self.set {
            InstructionSet::Arm => 2000,
            InstructionSet::Thumb => 400,
        };
        let here = self.bytes().len();
        if self.pool.first().is_some_and(|(at, _)| here - at > reach) {
            let behind = self.label();
            self.flush_pool_before(behind);
            self.place(behind);
        }
    }

    fn flush_pool_before(&mut self, behind: Label) {
        let pool = std::mem::take(&mut self.pool);
        self.branch(14, behind);
        self.pool = pool;
        self.flush_pool();
    }

    /// Puts the pool here, where control never falls into it.
    pub fn flush_pool(&mut self) {
        self.align();
        for (at, literal) in std::mem::take(&mut self.pool) {
            let label = self.label_here();
            let patch = match self.set {
                InstructionSet::Arm => Patch::ArmLoad,
                InstructionSet::Thumb => Patch::ThumbLoad,
            };
            self.patches.push((self.section, at, patch, label));
            match literal {
                Literal::Value(value) => self.data(value),
                Literal::Address(label, set) => self.data_address(label, set),
            }
        }
    }

    /// Fills in all that is known only now.
    ///
    /// # Errors
    /// The first branch that does not reach.
    pub fn finish(&mut self) -> Result<(), TooFar> {
        for (section, at, patch, label) in std::mem::take(&mut self.patches) {
            let target = self.address(label);
            let (base, bytes) = &mut self.sections[section as usize];
            let here = *base + at as u32;
            let ahead = |pipeline: u32| target.wrapping_sub(here.wrapping_add(pipeline)) as i32;
            let (word, size, number) = match patch {
                Patch::Arm => (arm::offset(ahead(8)), 4, None),
                Patch::ArmLoad => (arm::load_offset(ahead(8)), 4, None),
                Patch::Word(set) => (
                    Some(target | u32::from(set == InstructionSet::Thumb)),
                    4,
                    None,
                ),
                Patch::ThumbBranch => (thumb::offset(ahead(4)), 2, None),
                Patch::ThumbConditional(number) => {
                    (thumb::conditional_offset(ahead(4)), 2, Some(number))
                }
                Patch::ThumbCall => (thumb::call_offset(ahead(4)), 4, None),
                Patch::ThumbLoad => {
                    let from = (here & !3).wrapping_add(4);
                    (
                        thumb::load_offset(target.wrapping_sub(from) as i32),
                        2,
                        None,
                    )
                }
            };
            let word = word.ok_or(TooFar(number))?;
            for (byte, more) in bytes[at..at + size].iter_mut().zip(word.to_le_bytes()) {
                *byte |= more;
            }
        }
        Ok(())
    }
}
