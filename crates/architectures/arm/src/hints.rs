//! Hints of version 6K (manual: "NOP-compatible hints"), in the place of an MSR that writes nothing. As the ARM1176 has them, they do nothing:
//! waiting for an interrupt is system control's.

use super::trap_v5::nothing;

encodings! {
    since V6K;
    "NOP", "cccc 00110010 0000 oooo zzzz 00000000", Data, "NOP{c}", nothing(; );
    "YIELD", "cccc 00110010 0000 oooo zzzz 00000001", Data, "YIELD{c}", nothing(; );
    "WFE", "cccc 00110010 0000 oooo zzzz 00000010", Data, "WFE{c}", nothing(; );
    "WFI", "cccc 00110010 0000 oooo zzzz 00000011", Data, "WFI{c}", nothing(; );
    "SEV", "cccc 00110010 0000 oooo zzzz 00000100", Data, "SEV{c}", nothing(; );
}
