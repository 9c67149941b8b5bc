//! PowerPC instructions one after the other, with labels.

/// A place in the code.
#[derive(Clone, Copy)]
pub struct Label(usize);

enum Patch {
    /// A relative branch.
    Branch,
    /// The upper half of an address, and the lower one in the word behind.
    Address,
}

/// Code from [`BASE`] on, and functions by name.
#[derive(Default)]
pub struct Code {
    pub words: Vec<u32>,
    pub functions: Vec<(String, u32)>,
    labels: Vec<Option<u32>>,
    patches: Vec<(usize, Patch, Label)>,
}

/// Where the code begins.
pub const BASE: u32 = 0x2000;

impl Code {
    pub fn here(&self) -> u32 {
        BASE + 4 * self.words.len() as u32
    }

    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    pub fn place(&mut self, label: Label) {
        self.labels[label.0] = Some(self.here());
    }

    pub fn address(&self, label: Label) -> u32 {
        self.labels[label.0].unwrap_or(0)
    }

    /// A function begins.
    pub fn function(&mut self, name: String, label: Label) {
        self.place(label);
        self.functions.push((name, self.here()));
    }

    pub fn add(&mut self, words: &[u32]) {
        self.words.extend(words);
    }

    /// A branch instruction without its offset.
    pub fn branch(&mut self, word: u32, to: Label) {
        self.patches.push((self.words.len(), Patch::Branch, to));
        self.words.push(word);
    }

    /// lis and ori of an address.
    pub fn load_address(&mut self, register: u32, of: Label) {
        self.patches.push((self.words.len(), Patch::Address, of));
        self.add(&load(register, 0));
    }

    pub fn finish(&mut self) {
        for (at, patch, label) in std::mem::take(&mut self.patches) {
            let target = self.address(label);
            match patch {
                Patch::Branch => {
                    let offset = target.wrapping_sub(BASE + 4 * at as u32);
                    let mask = match self.words[at] >> 26 {
                        18 => 0x03ff_fffc,
                        _ => 0xfffc,
                    };
                    self.words[at] |= offset & mask;
                }
                Patch::Address => {
                    self.words[at] |= target >> 16;
                    self.words[at + 1] |= target & 0xffff;
                }
            }
        }
    }
}

pub const B: u32 = 18 << 26;
pub const BL: u32 = B | 1;
/// bdnz and beq.
pub const BDNZ: u32 = 0x4200_0000;
pub const BEQ: u32 = 0x4182_0000;
pub const BLR: u32 = 0x4e80_0020;
pub const BCTR: u32 = 0x4e80_0420;
pub const BCTRL: u32 = 0x4e80_0421;
pub const RFI: u32 = 0x4c00_0064;
pub const NOP: u32 = 0x6000_0000;

/// Loads a number.
pub fn load(register: u32, value: u32) -> [u32; 2] {
    [
        0x3c00_0000 | register << 21 | value >> 16,
        0x6000_0000 | register << 21 | register << 16 | value & 0xffff,
    ]
}

fn special(opcode: u32, number: u32, register: u32) -> u32 {
    opcode | register << 21 | (number & 31) << 16 | (number >> 5) << 11
}

pub fn mtspr(number: u32, from: u32) -> u32 {
    special(0x7c00_03a6, number, from)
}

pub fn mfspr(to: u32, number: u32) -> u32 {
    special(0x7c00_02a6, number, to)
}

pub fn lwz(to: u32, base: u32, offset: u32) -> u32 {
    0x8000_0000 | to << 21 | base << 16 | offset & 0xffff
}

pub fn stw(from: u32, base: u32, offset: u32) -> u32 {
    0x9000_0000 | from << 21 | base << 16 | offset & 0xffff
}

pub fn addi(to: u32, from: u32, value: i32) -> u32 {
    0x3800_0000 | to << 21 | from << 16 | value as u32 & 0xffff
}

/// Stores r1 so many bytes below, where it then points to.
pub fn open_frame(bytes: i32) -> u32 {
    0x9421_0000 | (-bytes) as u32 & 0xffff
}
