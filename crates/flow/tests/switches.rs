//! Switches of Thumb code whose jump is in a helper of the compiler's library.

use socscope_flow::{Arm, CodeState, Entry, Program, analyse};

const SUPERVISOR: u32 = 0x13;

/// `for (r4 = 3; r4 != 0; --r4) switch (r4 & 3)`, with the helper as in libgcc's `__gnu_thumb1_case_uqi`.
const CODE: [u16; 26] = [
    0xb510, // 00 push {r4, lr}
    0x2403, // 02 movs r4, #3
    0x2003, // 04 movs r0, #3
    0x4020, // 06 ands r0, r4
    0xf000, // 08 bl 22
    0xf80b, //
    0x0302, // 0c .byte 2, 3, 4, 5: halfwords from here
    0x0504, //
    0x3101, // 10 adds r1, #1
    0x3102, // 12 adds r1, #2
    0x46c0, // 14 nop
    0x3c01, // 16 subs r4, #1
    0xd1f4, // 18 bne 04
    0xbc10, // 1a pop {r4}
    0xbc02, // 1c pop {r1}
    0x4708, // 1e bx r1
    0x46c0, // 20 nop
    0xb402, // 22 push {r1}
    0x4671, // 24 mov r1, lr
    0x0849, // 26 lsrs r1, r1, #1
    0x0049, // 28 lsls r1, r1, #1
    0x5c09, // 2a ldrb r1, [r1, r0]
    0x0049, // 2c lsls r1, r1, #1
    0x448e, // 2e add lr, r1
    0xbc02, // 30 pop {r1}
    0x4770, // 32 bx lr
];

#[test]
fn a_helper_that_adds_to_its_return_address_goes_on_in_its_caller() {
    let program = Program {
        constants: vec![(0, CODE.iter().flat_map(|word| word.to_le_bytes()).collect())],
        inline: true,
        blocks_max: 1000,
        steps_max: 1000,
        ..Program::default()
    };
    let entry = Entry {
        address: 0,
        code: CodeState(1),
        mode: SUPERVISOR,
        registers: vec![],
    };
    let found = analyse::<Arm>(&program, &entry).expect("the mode exists");
    assert!(found.troubles.is_empty(), "{:?}", found.troubles);
    let bounds: Vec<_> = found.loops.iter().map(|one| one.bound).collect();
    assert_eq!(bounds, [Some(3)]);
    // 3, 2 and 1 occur, each once; 0 does not.
    let visits = |address: u32| -> u64 {
        let blocks = found.blocks.values();
        let holding = blocks.filter(|block| block.key.address == address);
        holding.filter_map(|block| block.visits_max).sum()
    };
    assert_eq!((visits(0x10), visits(0x22)), (0, 3));
    assert!(
        found
            .blocks
            .values()
            .filter(|block| block.key.address == 0x12)
            .all(|block| block.key.context == 0)
    );
}
