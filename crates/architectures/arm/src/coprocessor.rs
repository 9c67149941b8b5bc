//! Coprocessor instructions (manual: "Coprocessor instructions"). The ARM7TDMI has none attached: nobody claims them, and they trap.

use super::Exception;
use super::trap::trap;

encodings! {
    "STC", "cccc 110 p u n w 0 bbbb dddd kkkk iiiiiiii", Undefined, "STC{c}{L} pk, cd, [Rb, #+/-i]",
        trap(Exception::Undefined; );
    "LDC", "cccc 110 p u n w 1 bbbb dddd kkkk iiiiiiii", Undefined, "LDC{c}{L} pk, cd, [Rb, #+/-i]",
        trap(Exception::Undefined; );
    "CDP", "cccc 1110 aaaa nnnn dddd kkkk bbb 0 mmmm", Undefined, "CDP{c} pk, a, cd, cn, cm, b",
        trap(Exception::Undefined; );
    "MCR", "cccc 1110 aaa 0 nnnn dddd kkkk bbb 1 mmmm", Undefined, "MCR{c} pk, a, Rd, cn, cm, b",
        trap(Exception::Undefined; );
    "MRC", "cccc 1110 aaa 1 nnnn dddd kkkk bbb 1 mmmm", Undefined, "MRC{c} pk, a, Rd, cn, cm, b",
        trap(Exception::Undefined; );
}
