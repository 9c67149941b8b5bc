//! Special registers as data (manual: "PowerPC special-purpose registers", and the user's manuals of the cores).

use super::CoreModel;

/// Who may use a register in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privilege {
    /// Everybody.
    User,
    /// Privileged programs; for others a program exception.
    Supervisor,
    /// Nobody: the instruction is illegal.
    Never,
}

/// One special register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecialRegister {
    /// Its number in mfspr and mtspr.
    pub number: u32,
    /// Name, as the manual writes it.
    pub name: &'static str,
    /// Who may read it.
    pub read: Privilege,
    /// Who may write it.
    pub write: Privilege,
    /// Bits that keep what is written to them; commands that end at once read as zero.
    pub mask: u32,
    cores: u8,
}

impl SpecialRegister {
    /// Whether `model` has it.
    pub const fn is_in(&self, model: CoreModel) -> bool {
        self.cores & model.bit() != 0
    }

    const fn keeping(mut self, mask: u32) -> SpecialRegister {
        self.mask = mask;
        self
    }
}

/// Numbers that there are.
pub(super) const COUNT: usize = 1024;
/// XER.
pub(super) const XER: u32 = 1;
/// LR.
pub(super) const LR: u32 = 8;
/// CTR.
pub(super) const CTR: u32 = 9;
/// DSISR: why an access failed.
pub(super) const DSISR: u32 = 18;
/// DAR: where it failed.
pub(super) const DAR: u32 = 19;
/// DEC.
pub(super) const DEC: u32 = 22;
/// SRR0: where an exception came from.
pub const SRR0: u32 = 26;
/// SRR1: the machine state before it.
pub const SRR1: u32 = 27;
/// TBL, to read.
pub(super) const TBL: u32 = 268;
/// VRSAVE: which registers of AltiVec are in use.
pub(super) const VRSAVE: u32 = 256;
/// The first of the four registers that all cores have for software.
pub(super) const SPRG0: u32 = 272;
/// TBU, to read.
pub(super) const TBU: u32 = 269;
/// EAR: whether external control is permitted, and of which device.
pub(super) const EAR: u32 = 282;
/// TBL, to write.
pub(super) const TBL_WRITE: u32 = 284;
/// TBU, to write.
pub(super) const TBU_WRITE: u32 = 285;
/// SVR: which chip it is.
pub(super) const SVR: u32 = 286;
/// PVR.
pub(super) const PVR: u32 = 287;
/// SDR1: where the page table lies.
pub(super) const SDR1: u32 = 25;
/// The first of the registers of block address translation, IBAT0U.
pub(super) const IBAT0U: u32 = 528;
/// DBAT0U.
pub(super) const DBAT0U: u32 = 536;
/// The first of those that not all cores have, IBAT4U.
pub(super) const IBAT4U: u32 = 560;
/// DBAT4U.
pub(super) const DBAT4U: u32 = 568;
/// DMISS of the 603 and the 755: address of the data that its buffer missed.
pub(super) const DMISS: u32 = 976;
/// DCMP: first word of the entry that is searched.
pub(super) const DCMP: u32 = 977;
/// HASH1: address of the group of entries to search first.
pub(super) const HASH1: u32 = 978;
/// HASH2: address of the other.
pub(super) const HASH2: u32 = 979;
/// IMISS of the 603 and the 755, TLBMISS of the e600.
pub(super) const IMISS: u32 = 980;
/// ICMP of the 603 and the 755, PTEHI of the e600.
pub(super) const ICMP: u32 = 981;
/// RPA of the 603 and the 755, PTELO of the e600: second word of the entry.
pub(super) const RPA: u32 = 982;
/// HID0.
pub(super) const HID0: u32 = 1008;
/// HID1.
pub(super) const HID1: u32 = 1009;
/// HID2 of the 603 and the 755, ICTRL of the e600.
pub(super) const HID2: u32 = 1011;
/// PIR: which core this is.
pub(super) const PIR: u32 = 1023;

/// EMCP of HID0, and of the e600's HID1: the machine-check line is listened to.
pub(super) const HID_MACHINE_CHECK_LINE: u32 = 0x8000_0000;
/// TBEN of the e600's HID0: time base and decrementer count.
pub(super) const HID0_TIME_BASE: u32 = 0x0400_0000;
/// STEN of the e600's HID0: software searches the page table.
pub(super) const HID0_SOFTWARE_SEARCH: u32 = 0x0100_0000;
/// HIGH_BAT_EN of the e600's HID0: eight blocks instead of four.
pub(super) const HID0_MORE_BLOCKS: u32 = 0x0080_0000;
/// DOZE of HID0, on other cores than the e600.
pub(super) const HID0_DOZE: u32 = 0x0080_0000;
/// NAP of HID0.
pub(super) const HID0_NAP: u32 = 0x0040_0000;
/// SLEEP of HID0.
pub(super) const HID0_SLEEP: u32 = 0x0020_0000;
/// XAEN of the e600's HID0: addresses of 36 bits.
pub(super) const HID0_EXTENDED_ADDRESSES: u32 = 0x0002_0000;
/// DCE of HID0: the data cache is on.
pub(super) const HID0_DATA_CACHE: u32 = 0x4000;
/// XBSEN of the e600's HID0: blocks of up to 4 GB.
pub(super) const HID0_LARGE_BLOCKS: u32 = 0x0100;
/// HBE of the 603's HID2, HIGH_BAT_EN of the 755's: eight blocks instead of four.
pub(super) const HID2_MORE_BLOCKS: u32 = 0x0004_0000;
/// SWT_EN of the 755's HID2: software searches the page table.
pub(super) const HID2_SOFTWARE_SEARCH: u32 = 0x0008_0000;

const P603: u8 = CoreModel::Ppc603e.bit();
const P750: u8 = CoreModel::Ppc750.bit() | P755;
const P755: u8 = CoreModel::Ppc755.bit();
const P7400: u8 = CoreModel::Ppc7400.bit();
const E600: u8 = CoreModel::E600.bit();
const ALL: u8 = P603 | P750 | P7400 | E600;
const MONITORED: u8 = P750 | P7400 | E600;
const VECTORS: u8 = P7400 | E600;
const MORE_BLOCKS: u8 = P603 | P755 | E600;
const SEARCHED: u8 = P603 | P755;

const fn with(
    number: u32,
    name: &'static str,
    cores: u8,
    read: Privilege,
    write: Privilege,
) -> SpecialRegister {
    SpecialRegister {
        number,
        name,
        read,
        write,
        mask: u32::MAX,
        cores,
    }
}

const fn user(number: u32, name: &'static str, cores: u8) -> SpecialRegister {
    with(number, name, cores, Privilege::User, Privilege::User)
}

const fn supervisor(number: u32, name: &'static str, cores: u8) -> SpecialRegister {
    with(
        number,
        name,
        cores,
        Privilege::Supervisor,
        Privilege::Supervisor,
    )
}

const fn user_reads(number: u32, name: &'static str, cores: u8) -> SpecialRegister {
    with(number, name, cores, Privilege::User, Privilege::Never)
}

const fn read_only(number: u32, name: &'static str, cores: u8) -> SpecialRegister {
    with(number, name, cores, Privilege::Supervisor, Privilege::Never)
}

const fn write_only(number: u32, name: &'static str, cores: u8) -> SpecialRegister {
    with(number, name, cores, Privilege::Never, Privilege::Supervisor)
}

/// All special registers, by number.
pub const SPECIAL_REGISTERS: &[SpecialRegister] = &[
    user(XER, "XER", ALL),
    user(LR, "LR", ALL),
    user(CTR, "CTR", ALL),
    supervisor(DSISR, "DSISR", ALL),
    supervisor(DAR, "DAR", ALL),
    supervisor(DEC, "DEC", ALL),
    supervisor(SDR1, "SDR1", ALL),
    supervisor(SRR0, "SRR0", ALL),
    supervisor(SRR1, "SRR1", ALL),
    user(256, "VRSAVE", VECTORS),
    user_reads(TBL, "TBL", ALL),
    user_reads(TBU, "TBU", ALL),
    supervisor(272, "SPRG0", ALL),
    supervisor(273, "SPRG1", ALL),
    supervisor(274, "SPRG2", ALL),
    supervisor(275, "SPRG3", ALL),
    supervisor(276, "SPRG4", P755 | E600),
    supervisor(277, "SPRG5", P755 | E600),
    supervisor(278, "SPRG6", P755 | E600),
    supervisor(279, "SPRG7", P755 | E600),
    supervisor(EAR, "EAR", ALL),
    write_only(TBL_WRITE, "TBL", ALL),
    write_only(TBU_WRITE, "TBU", ALL),
    read_only(SVR, "SVR", E600),
    read_only(PVR, "PVR", ALL),
    supervisor(IBAT0U, "IBAT0U", ALL),
    supervisor(529, "IBAT0L", ALL),
    supervisor(530, "IBAT1U", ALL),
    supervisor(531, "IBAT1L", ALL),
    supervisor(532, "IBAT2U", ALL),
    supervisor(533, "IBAT2L", ALL),
    supervisor(534, "IBAT3U", ALL),
    supervisor(535, "IBAT3L", ALL),
    supervisor(DBAT0U, "DBAT0U", ALL),
    supervisor(537, "DBAT0L", ALL),
    supervisor(538, "DBAT1U", ALL),
    supervisor(539, "DBAT1L", ALL),
    supervisor(540, "DBAT2U", ALL),
    supervisor(541, "DBAT2L", ALL),
    supervisor(542, "DBAT3U", ALL),
    supervisor(543, "DBAT3L", ALL),
    supervisor(IBAT4U, "IBAT4U", MORE_BLOCKS),
    supervisor(561, "IBAT4L", MORE_BLOCKS),
    supervisor(562, "IBAT5U", MORE_BLOCKS),
    supervisor(563, "IBAT5L", MORE_BLOCKS),
    supervisor(564, "IBAT6U", MORE_BLOCKS),
    supervisor(565, "IBAT6L", MORE_BLOCKS),
    supervisor(566, "IBAT7U", MORE_BLOCKS),
    supervisor(567, "IBAT7L", MORE_BLOCKS),
    supervisor(DBAT4U, "DBAT4U", MORE_BLOCKS),
    supervisor(569, "DBAT4L", MORE_BLOCKS),
    supervisor(570, "DBAT5U", MORE_BLOCKS),
    supervisor(571, "DBAT5L", MORE_BLOCKS),
    supervisor(572, "DBAT6U", MORE_BLOCKS),
    supervisor(573, "DBAT6L", MORE_BLOCKS),
    supervisor(574, "DBAT7U", MORE_BLOCKS),
    supervisor(575, "DBAT7L", MORE_BLOCKS),
    user_reads(928, "UMMCR2", VECTORS),
    user_reads(929, "UPMC5", E600),
    user_reads(930, "UPMC6", E600),
    user_reads(936, "UMMCR0", MONITORED),
    user_reads(937, "UPMC1", MONITORED),
    user_reads(938, "UPMC2", MONITORED),
    user_reads(939, "USIAR", MONITORED),
    user_reads(940, "UMMCR1", MONITORED),
    user_reads(941, "UPMC3", MONITORED),
    user_reads(942, "UPMC4", MONITORED),
    supervisor(944, "MMCR2", VECTORS),
    supervisor(945, "PMC5", E600),
    supervisor(946, "PMC6", E600),
    supervisor(951, "BAMR", VECTORS),
    supervisor(952, "MMCR0", MONITORED),
    supervisor(953, "PMC1", MONITORED),
    supervisor(954, "PMC2", MONITORED),
    supervisor(955, "SIAR", MONITORED),
    supervisor(956, "MMCR1", MONITORED),
    supervisor(957, "PMC3", MONITORED),
    supervisor(958, "PMC4", MONITORED),
    read_only(DMISS, "DMISS", SEARCHED),
    supervisor(DCMP, "DCMP", SEARCHED),
    read_only(HASH1, "HASH1", SEARCHED),
    read_only(HASH2, "HASH2", SEARCHED),
    supervisor(IMISS, "IMISS/TLBMISS", SEARCHED | E600),
    supervisor(ICMP, "ICMP/PTEHI", SEARCHED | E600),
    supervisor(RPA, "RPA/PTELO", SEARCHED | E600),
    // Invalidations of the first-level caches end at once.
    supervisor(HID0, "HID0", ALL).keeping(!0x0c00),
    supervisor(HID1, "HID1", ALL),
    supervisor(1010, "IABR", ALL),
    supervisor(HID2, "HID2/ICTRL", SEARCHED | E600),
    supervisor(1012, "LDSTDB", E600),
    supervisor(1013, "DABR", MONITORED),
    supervisor(1014, "MSSCR0", VECTORS),
    supervisor(1015, "MSSSR0", VECTORS),
    supervisor(1016, "L2PM/LDSTCR", P755 | E600),
    // So does an invalidation of the second-level cache.
    supervisor(1017, "L2CR", MONITORED).keeping(!0x0020_0001),
    supervisor(1019, "ICTC", MONITORED),
    supervisor(1020, "THRM1", P750 | P7400),
    supervisor(1021, "THRM2", P750 | P7400),
    supervisor(1022, "THRM3", P750 | P7400),
    supervisor(PIR, "PIR", VECTORS),
];

/// Place in [`SPECIAL_REGISTERS`] plus one, by number.
static PLACES: [u8; 1024] = {
    let mut all = [0; 1024];
    let mut place = 0;
    while place < SPECIAL_REGISTERS.len() {
        let number = SPECIAL_REGISTERS[place].number as usize;
        assert!(all[number] == 0);
        assert!(place == 0 || SPECIAL_REGISTERS[place - 1].number < number as u32);
        all[number] = place as u8 + 1;
        place += 1;
    }
    all
};

/// The special register of this number, if `model` has it.
pub fn special_register(model: CoreModel, number: u32) -> Option<&'static SpecialRegister> {
    let place = usize::from(PLACES[(number & 1023) as usize]).checked_sub(1)?;
    Some(&SPECIAL_REGISTERS[place]).filter(|register| register.is_in(model))
}

/// The bits of a special register that translation depends on: those of blocks and of SDR1, and some of HID0 and HID2, whose other
/// bits are written each time the core naps.
pub const fn special_translation_bits(number: u32) -> u32 {
    match number {
        IBAT0U..=575 | SDR1 => u32::MAX,
        HID0 => {
            HID0_SOFTWARE_SEARCH | HID0_MORE_BLOCKS | HID0_EXTENDED_ADDRESSES | HID0_LARGE_BLOCKS
        }
        HID2 => HID2_MORE_BLOCKS | HID2_SOFTWARE_SEARCH,
        _ => 0,
    }
}

/// Whether the number belongs to those that programs without privilege may not name.
pub(super) const fn is_privileged_number(number: u32) -> bool {
    number & 0x10 != 0
}
