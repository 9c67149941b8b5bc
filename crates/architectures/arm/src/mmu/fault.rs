//! Why an access is aborted, as the fault status registers say it (manual: "Fault Address and Fault Status registers").

/// Values of the status field. Those of sections and of pages differ by bit 1.
pub(crate) mod status {
    pub const ALIGNMENT: u32 = 0b0001;
    /// BKPT.
    pub const DEBUG: u32 = 0b0010;
    pub const ACCESS_FLAG_SECTION: u32 = 0b0011;
    /// Of a line of instructions, dropped by its address; the status of fetches says why.
    pub const INSTRUCTION_LINE: u32 = 0b0100;
    pub const ACCESS_FLAG_PAGE: u32 = 0b0110;
    pub const TRANSLATION: u32 = 0b0101;
    pub const EXTERNAL: u32 = 0b1000;
    pub const DOMAIN: u32 = 0b1001;
    pub const WALK: u32 = 0b1100;
    pub const PERMISSION: u32 = 0b1101;
    pub const PAGE: u32 = 0b0010;
    /// WnR, of data accesses from version 6 on.
    pub const WRITE: u32 = 1 << 11;
}

/// An address that has no translation, or none for this purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TranslationFault {
    /// The modified virtual address.
    pub address: u32,
    /// The status field, and the domain in bits 7 to 4.
    pub status: u32,
}

impl TranslationFault {
    pub(super) const fn new(address: u32, status: u32, domain: u32) -> TranslationFault {
        let status = status | domain << 4;
        TranslationFault { address, status }
    }
}
