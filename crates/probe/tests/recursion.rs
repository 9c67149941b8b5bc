//! A function that calls itself more often than the stack of translated code has places: its returns stay in the function.

use crate::support;
use socscope_machine::{Engine, Machine, Until};
use socscope_probe::{Functions, Profile, ProfileState, Window};

/// At 0x40: sp = 0x300f00, then calls 0x60 with r0 = 600 for ever. At 0x60: counts r0 down, and calls itself until it is 0.
const PROGRAM: &[(u32, &[u32])] = &[
    (0x00, &[0xea00_000e]),
    (
        0x40,
        &[
            0xe3a0_d603, // mov sp, #0x300000
            0xe28d_def0, // add sp, sp, #0xf00
            0xe3a0_0f96, // mov r0, #600
            0xeb00_0003, // bl 0x60
            0xeaff_fffc, // b 0x48
        ],
    ),
    (
        0x60,
        &[
            0xe52d_e004, // str lr, [sp, #-4]!
            0xe250_0001, // subs r0, r0, #1
            0x1bff_fffc, // blne 0x60
            0xe49d_f004, // ldr pc, [sp], #4
        ],
    ),
];

fn profiled(engine: Engine) -> ProfileState {
    let blob = support::compile("/include/ \"at91x40.dts\"\n");
    let mut machine = Machine::new(&blob, "test", &[]).unwrap();
    machine.set_engine(engine);
    machine.set_translation_threshold(2);
    for (address, words) in PROGRAM {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(machine.poke(*address, &bytes), bytes.len());
    }
    let functions = Functions::new(&[(0x40, 0x54, 1), (0x60, 0x70, 2)]).unwrap();
    let mut profile = Profile::new(&machine, functions, Window::All);
    let until = Until::time(machine.clock().instant_of(2_000_000));
    machine.run(&until, &mut profile);
    profile.save()
}

#[test]
fn both_engines_follow_a_deep_recursion() {
    let interpreted = profiled(Engine::Interpreted);
    assert_eq!(
        interpreted.nodes().len(),
        501,
        "the depth at which contexts are shared"
    );
    assert_eq!(profiled(Engine::Translated), interpreted);
}
