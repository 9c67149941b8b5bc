//! The register table and the rest of what a device says of itself.

/// What software may do with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// Reads give the value; writes are ignored.
    ReadOnly,
    /// Reads give zero; writes have an effect.
    WriteOnly,
    /// Both.
    ReadWrite,
}

/// What software may do with the bits of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldAccess {
    /// Reads give the value; writes are ignored.
    ReadOnly,
    /// Reads give zero; writes have an effect.
    WriteOnly,
    /// Both; the bits become what is written.
    ReadWrite,
    /// Reads give the value; a one that is written clears its bit.
    OneClears,
}

/// Bits of a register that have a meaning of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The data sheet's name.
    pub name: &'static str,
    /// Its lowest bit, counted from the least significant one.
    pub lsb: u32,
    /// Number of its bits.
    pub width: u32,
    /// What software may do.
    pub access: FieldAccess,
    /// What it is for, in one sentence.
    pub summary: &'static str,
}

impl Field {
    /// The field's bits in the word.
    pub const fn mask(&self) -> u32 {
        (u32::MAX >> (32 - self.width)) << self.lsb
    }
}

/// One register, or an array of `count` registers `stride` bytes apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Byte offset from the device's base.
    pub offset: u32,
    /// The data sheet's name; array members get their index appended.
    pub name: &'static str,
    /// What software may do.
    pub permission: Permission,
    /// Value after reset.
    pub reset: u32,
    /// Group for reports: "status", "control", "interrupt enable", "DMA", "time-out", "data", ...
    pub group: &'static str,
    /// Number of registers; 1 for a single one.
    pub count: u32,
    /// Bytes between array members.
    pub stride: u32,
    /// What it is for, in one sentence.
    pub summary: &'static str,
    /// Its fields from the lowest bit on; none where the bits are all alike, or the data sheet is to be read for them.
    pub fields: &'static [Field],
}

/// A device-tree property that somebody reads: name and meaning.
pub type Declared = (&'static str, &'static str);

/// What a device model says of itself; the manual page is made from it.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// `compatible` strings that choose this model.
    pub compatible: &'static [&'static str],
    /// Name in one line.
    pub title: &'static str,
    /// The model's document: data sheet and section.
    pub data_sheet: &'static str,
    /// What the model leaves out.
    pub limits: &'static str,
    /// All registers, by offset.
    pub registers: &'static [Register],
    /// Names of the input lines, by index.
    pub inputs: &'static [&'static str],
    /// Names of the output lines, by index; the first ones are the `interrupts` of the device tree, in order.
    pub outputs: &'static [&'static str],
    /// Names of the link ports, by index.
    pub ports: &'static [&'static str],
    /// Device-tree properties beyond the standard ones: name and meaning.
    pub properties: &'static [Declared],
}

impl Description {
    /// The register at `offset` and its place in an array.
    pub fn register_at(&self, offset: u32) -> Option<(&'static Register, u32)> {
        self.registers.iter().find_map(|register| {
            let distance = offset.checked_sub(register.offset)?;
            let index = distance.checked_div(register.stride).unwrap_or(0);
            (index < register.count && distance == index * register.stride)
                .then_some((register, index))
        })
    }

    /// The register that an access at `offset` is to: the one there, or the word that it is a part of.
    pub fn register_of(&self, offset: u32) -> Option<(&'static Register, u32)> {
        self.register_at(offset)
            .or_else(|| self.register_at(offset & !3))
    }

    /// The number of the register called `name` and its place in an array; members of arrays have their index appended.
    pub fn register_named(&self, name: &str) -> Option<(usize, u32)> {
        let mut numbered = self.registers.iter().enumerate();
        numbered.find_map(|(number, register)| {
            let rest = name.strip_prefix(register.name)?;
            let index = match (rest, register.stride) {
                ("", 0) => 0,
                ("", _) => return None,
                _ => rest.parse().ok()?,
            };
            (index < register.count).then_some((number, index))
        })
    }
}
