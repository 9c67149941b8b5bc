//! What is not compared with unicorn, and why. Each form excluded here has a text vector under tests/instructions or is the subject
//! of docs/decisions/armv4t-unpredictable.md or arm-later-versions.md.

use socscope_arm::{Core, InstructionSet, LINK, Mode, PROGRAM_COUNTER as PC, Version};
use socscope_isa::Encoding;

/// One form that is not compared.
pub struct Exclusion {
    pub reason: &'static str,
    applies: fn(&Case) -> bool,
}

/// A candidate instruction.
pub struct Case<'a> {
    pub set: InstructionSet,
    /// The version that brought the encoding.
    pub since: Version,
    pub encoding: &'a Encoding,
    pub word: u32,
    pub core: &'a Core,
    /// Whether what an exclusive load has read is still there: unicorn looks at that.
    pub unchanged: bool,
}

impl Case<'_> {
    /// The value of field `letter`; nothing where the encoding has none.
    fn field(&self, letter: char) -> Option<u32> {
        let mut buffer = [0; 4];
        let name: &str = letter.encode_utf8(&mut buffer);
        let pattern = &self.encoding.pattern;
        pattern
            .text()
            .contains(letter)
            .then(|| pattern.field(name).get(self.word))
    }

    fn is(&self, letter: char, value: u32) -> bool {
        self.field(letter) == Some(value)
    }

    fn named(&self, names: &[&str]) -> bool {
        names
            .iter()
            .any(|name| self.encoding.name.starts_with(name))
    }

    fn without_saved_status(&self) -> bool {
        matches!(self.core.status().mode, Mode::User | Mode::System)
    }

    fn is_user(&self) -> bool {
        self.core.status().mode == Mode::User
    }

    fn arm(&self, names: &[&str]) -> bool {
        self.set == InstructionSet::Arm && self.named(names)
    }

    fn writes_base(&self) -> bool {
        self.is('p', 0) || self.is('w', 1)
    }

    fn has(&self, version: Version) -> bool {
        self.core.model().has(version)
    }

    /// Whether one of the registers in the fields `letters` is r15.
    fn has_pc(&self, letters: &str) -> bool {
        letters.chars().any(|letter| self.is(letter, PC))
    }

    /// Whether a register that `letter` names is one of the pair of LDRD or STRD.
    fn in_pair(&self, letter: char) -> bool {
        self.field(letter).map(|register| register / 2) == self.field('e')
    }
}

const MULTIPLIES: &[&str] = &["MUL", "MLA", "UMULL", "UMLAL", "SMULL", "SMLAL"];
const SINGLE: &[&str] = &["STR", "LDR"];
const BLOCK: &[&str] = &["LDM", "STM"];
const COPROCESSOR: &[&str] = &["STC", "LDC", "CDP", "MCR", "MRC", "MCRR", "MRRC"];
const PAIRS: &[&str] = &["LDRD", "STRD"];

/// All forms that are not compared. The first that applies counts.
pub const EXCLUSIONS: &[Exclusion] = &[
    Exclusion {
        reason: "condition NV: never in version 4T, other instructions in unicorn",
        applies: |case| case.is('c', 15) && case.set == InstructionSet::Arm,
    },
    Exclusion {
        reason: "r15 in a multiplication is unpredictable",
        applies: |case| {
            case.arm(MULTIPLIES) && "dnhlsm".chars().any(|register| case.is(register, PC))
        },
    },
    Exclusion {
        reason: "RdHi = RdLo in a long multiplication is unpredictable",
        applies: |case| case.field('h').is_some() && case.field('h') == case.field('l'),
    },
    Exclusion {
        reason: "r15 with a shift by register reads 12 ahead on an ARM7TDMI, 8 in unicorn; as shift or destination unpredictable",
        applies: |case| {
            case.encoding.name.ends_with("shifted by register")
                && "dnsm".chars().any(|register| case.is(register, PC))
        },
    },
    Exclusion {
        reason: "r15 in a swap is unpredictable",
        applies: |case| case.arm(&["SWP"]) && "dnm".chars().any(|register| case.is(register, PC)),
    },
    Exclusion {
        reason: "a swap whose base is its source or destination is unpredictable",
        applies: |case| {
            case.arm(&["SWP"])
                && (case.field('n') == case.field('d') || case.field('n') == case.field('m'))
        },
    },
    Exclusion {
        reason: "a stored r15 is 12 ahead before version 6, 8 in unicorn",
        applies: |case| {
            let stored = case.arm(&["STR"]) && case.is('d', PC)
                || case.arm(&["STM"]) && case.word >> PC & 1 != 0;
            stored && !case.has(Version::V6)
        },
    },
    Exclusion {
        reason: "write-back to r15, or with an offset register of r15, is unpredictable",
        applies: |case| {
            case.arm(SINGLE) && (case.is('n', PC) && case.writes_base() || case.is('m', PC))
        },
    },
    Exclusion {
        reason: "write-back to the register that is transferred is unpredictable",
        applies: |case| {
            case.arm(SINGLE) && case.writes_base() && case.field('n') == case.field('d')
        },
    },
    Exclusion {
        reason: "r15 as a byte or half-word is unpredictable",
        applies: |case| {
            case.arm(SINGLE) && case.is('d', PC) && !case.named(&["LDR immediate", "LDR register"])
        },
    },
    Exclusion {
        reason: "write-back and offset register the same is unpredictable",
        applies: |case| {
            case.arm(SINGLE)
                && case.writes_base()
                && case.field('m').is_some()
                && case.field('m') == case.field('n')
        },
    },
    Exclusion {
        reason: "W with a post-indexed half-word transfer is unpredictable",
        applies: |case| {
            case.encoding.pattern.text().contains("11 ")
                && case.arm(SINGLE)
                && case.encoding.pattern.text().starts_with("cccc 000")
                && case.is('p', 0)
                && case.is('w', 1)
        },
    },
    Exclusion {
        reason: "an empty register list moves r15 on an ARM7TDMI, nothing in unicorn",
        applies: |case| {
            let whole = case.named(BLOCK) || case.named(&["PUSH", "POP"]);
            whole && case.is('l', 0) && !case.is('r', 1)
        },
    },
    Exclusion {
        reason: "r15 as the base of a block transfer is unpredictable",
        applies: |case| case.arm(BLOCK) && case.is('n', PC),
    },
    Exclusion {
        reason: "a stored base that is not the lowest of the list is the new one on an ARM7TDMI, the old one in unicorn",
        applies: |case| {
            let list = case.field('l').unwrap_or(0);
            let base = case.field('n').unwrap_or(0);
            let writes = case.set == InstructionSet::Thumb || case.writes_base_of_block();
            case.named(&["STM"]) && writes && list >> base & 1 != 0 && list.trailing_zeros() != base
        },
    },
    Exclusion {
        reason: "write-back with a loaded base is unpredictable",
        applies: |case| {
            case.arm(&["LDM"])
                && case.is('w', 1)
                && case.word >> case.field('n').unwrap_or(0) & 1 != 0
        },
    },
    Exclusion {
        reason: "user-bank transfer with write-back, or from a mode that has no bank, is unpredictable",
        applies: |case| {
            case.encoding.name.ends_with("with S")
                && (case.without_saved_status()
                    || case.is('w', 1) && !(case.named(&["LDM"]) && case.word >> PC & 1 != 0))
        },
    },
    Exclusion {
        reason: "access to a saved status register in a mode without one is unpredictable",
        applies: |case| case.is('r', 1) && case.arm(&["MRS", "MSR"]) && case.without_saved_status(),
    },
    Exclusion {
        reason: "r15 with MRS or MSR is unpredictable",
        applies: |case| case.arm(&["MRS", "MSR"]) && (case.is('d', PC) || case.is('m', PC)),
    },
    Exclusion {
        reason: "exception return in a mode without saved status is unpredictable",
        applies: |case| {
            case.set == InstructionSet::Arm
                && case.is('f', 1)
                && case.is('d', PC)
                && case.without_saved_status()
        },
    },
    Exclusion {
        reason: "unicorn returns from exceptions by SUBS and MOVS only",
        applies: |case| {
            case.set == InstructionSet::Arm
                && case.is('f', 1)
                && case.is('d', PC)
                && !case.named(&["SUB", "MOV"])
        },
    },
    Exclusion {
        reason: "MSR immediate with no fields is a hint in unicorn",
        applies: |case| case.arm(&["MSR immediate"]) && case.is('k', 0),
    },
    Exclusion {
        reason: "the second half of BL with an odd LR is unpredictable",
        applies: |case| {
            case.set == InstructionSet::Thumb
                && case.named(&["BL second half"])
                && case.core.register(LINK) & 1 != 0
        },
    },
    Exclusion {
        reason: "unicorn has CBZ, CBNZ and hints on every core",
        applies: |case| {
            case.set == InstructionSet::Thumb
                && (case.word & 0xf500 == 0xb100 || case.word & 0xff00 == 0xbf00)
        },
    },
    Exclusion {
        reason: "the second half of BLX with bit 0 set is undefined, a call in unicorn",
        applies: |case| case.set == InstructionSet::Thumb && case.word & 0xf801 == 0xe801,
    },
    Exclusion {
        reason: "r15 in an instruction that computes is unpredictable from version 5 on",
        applies: |case| {
            case.since != Version::V4T
                && !case.arm(PAIRS)
                && case.has_pc("dnsmhl")
                && !case.named(&["PLD"])
        },
    },
    Exclusion {
        reason: "a breakpoint under a condition is unpredictable",
        applies: |case| case.arm(&["BKPT"]) && !case.is('c', 14),
    },
    Exclusion {
        reason: "r14 and r15 as a pair, or r15 as an offset, is unpredictable",
        applies: |case| case.arm(PAIRS) && (case.is('e', 7) || case.has_pc("m")),
    },
    Exclusion {
        reason: "write-back to a register of the pair, to the offset register or to r15 is unpredictable",
        applies: |case| {
            case.arm(PAIRS)
                && case.writes_base()
                && (case.in_pair('n') || case.is('n', PC) || case.field('m') == case.field('n'))
        },
    },
    Exclusion {
        reason: "W with a post-indexed pair is unpredictable",
        applies: |case| case.arm(PAIRS) && case.is('p', 0) && case.is('w', 1),
    },
    Exclusion {
        reason: "an offset register that is loaded is unpredictable",
        applies: |case| case.arm(&["LDRD"]) && case.in_pair('m'),
    },
    Exclusion {
        reason: "the result of an exclusive store in a register that it reads is unpredictable",
        applies: |case| {
            case.arm(&["STREX"])
                && (case.field('d') == case.field('m')
                    || case.field('d') == case.field('n')
                    || case.in_pair('d'))
        },
    },
    Exclusion {
        reason: "r14 and r15 as a pair, or r15 as an address, is unpredictable",
        applies: |case| case.arm(&["LDREX", "STREX"]) && (case.is('e', 7) || case.has_pc("dnm")),
    },
    Exclusion {
        reason: "a marked granule holds until another core writes, in unicorn while nothing at the very address changes",
        applies: |case| case.arm(&["STREX"]) && case.core.exclusive.is_some() && !case.unchanged,
    },
    Exclusion {
        reason: "CPS that changes nothing, or to a number that is no mode, is unpredictable",
        applies: |case| {
            let kind = case.field('k').unwrap_or(2);
            let masks = "aif".chars().any(|mask| case.is(mask, 1));
            let mode = case.field('m').unwrap_or(0);
            let bad_mode = case.is('r', 1) && Mode::from_bits(mode).is_none();
            let arm = case.arm(&["CPS"])
                && (kind == 1
                    || kind == 0 && (masks || case.is('r', 0))
                    || kind > 1 && !masks
                    || case.is('r', 0) && mode != 0
                    || bad_mode);
            arm || case.set == InstructionSet::Thumb && case.named(&["CPS"]) && !masks
        },
    },
    Exclusion {
        reason: "SRS to a number that is no mode, or without a saved status, is unpredictable",
        applies: |case| {
            case.arm(&["SRS"])
                && (case.without_saved_status()
                    || Mode::from_bits(case.field('m').unwrap_or(0)).is_none())
        },
    },
    Exclusion {
        reason: "random words are seldom a way back into code",
        applies: |case| case.arm(&["RFE"]),
    },
    Exclusion {
        reason: "unicorn waits, or lets others run",
        applies: |case| case.arm(&["WFI", "WFE", "YIELD"]),
    },
    Exclusion {
        reason: "programs without privilege cannot write E by MSR in unicorn",
        applies: |case| {
            let extension = case.field('k').unwrap_or(0) & 2 != 0;
            case.arm(&["MSR"])
                && case.is_user()
                && case.has(Version::V6)
                && case.is('r', 0)
                && extension
        },
    },
    Exclusion {
        reason: "coprocessors 14 and 15 exist in unicorn's core",
        applies: |case| case.arm(COPROCESSOR) && case.field('k').is_some_and(|k| k >= 14),
    },
];

impl Case<'_> {
    fn writes_base_of_block(&self) -> bool {
        self.is('w', 1)
    }
}

/// The reason not to compare a case, by its place in [`EXCLUSIONS`].
pub fn exclusion(case: &Case) -> Option<usize> {
    EXCLUSIONS
        .iter()
        .position(|exclusion| (exclusion.applies)(case))
}
