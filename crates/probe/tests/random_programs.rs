//! Random programs with interrupts and DMA: nothing panics, no probe and no cut changes what happens, and the profile's parts add up.

use crate::support;
use proptest::prelude::*;
use socscope_core::{Observer, Unobserved};
use socscope_machine::{Engine, Machine, MachineObserver, Stop, Until};
use socscope_memory::{RegionIndex, Width};
use socscope_probe::trace::ENTRY;
use socscope_probe::{Functions, Profile, Trace, Watched, Window};
use std::sync::LazyLock;
use support::{compile, storing};

/// The board, and one whose memories have bursts: code runs from one into another, and the stack from that into a third.
static BLOBS: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| {
    [
        compile("/include/ \"at91x40.dts\"\n"),
        compile(
            "/include/ \"at91x40.dts\"
            /delete-node/ &rom;
            /delete-node/ &ram;
            &sram { socscope,wait-states = <2 0>; };
            / {
                low: low@0 {
                    compatible = \"socscope,ram\";
                    reg = <0x0 0x1c0>;
                    socscope,bus-bits = <16>;
                    socscope,wait-states = <3 1>;
                };
                high: high@1c0 {
                    compatible = \"socscope,ram\";
                    reg = <0x1c0 0x2ffe40>;
                    socscope,wait-states = <4 1>;
                    socscope,burst-after-internal = \"continues\";
                };
            };
            ",
        ),
    ]
});

const CYCLES: u64 = 200_000;
const USART1: u32 = 0xfffc_c000;
const TIMER: u32 = 0xfffe_0000;
const AIC: u32 = 0xffff_f000;

/// A periodic timer interrupt, and a transmission by DMA with its interrupt.
const SET_UP: &[(u32, u32)] = &[
    (TIMER + 0x04, 0xc000),
    (TIMER + 0x1c, 100),
    (TIMER + 0x24, 0x10),
    (TIMER, 5),
    (USART1 + 0x04, 0x8c0),
    (USART1 + 0x20, 1),
    (USART1, 0x50),
    (USART1 + 0x08, 0x10),
    (USART1 + 0x38, 0),
    (USART1 + 0x3c, 5_000),
    (AIC + 0x10, 0x21),
    (AIC + 0x0c, 0x23),
    (AIC + 0x8c, 0x100),
    (AIC + 0x90, 0x140),
    (AIC + 0x120, 0x18),
];

fn word() -> impl Strategy<Value = u32> {
    prop_oneof![
        4 => any::<u32>().prop_map(|word| word >> 4 | 0xe000_0000),
        1 => any::<u32>(),
        2 => (-40..40i32, any::<bool>()).prop_map(|(offset, link)| {
            0xea00_0000 | u32::from(link) << 24 | (offset as u32 & 0xff_ffff)
        }),
        1 => any::<u8>().prop_map(|number| 0xef00_0000 | u32::from(number)),
        1 => (0..16u32, any::<bool>()).prop_map(|(mode, masked)| {
            0xe321_f010 | mode | u32::from(masked) << 7
        }),
        1 => any::<u16>().prop_map(|list| 0xe8bd_0000 | u32::from(list)),
        1 => any::<u16>().prop_map(|list| 0xe92d_0000 | u32::from(list)),
        1 => (0..16u32).prop_map(|register| 0xe12f_ff10 | register),
        1 => Just(0xe25e_f004u32), // subs pc, lr, #4
        1 => Just(0xe51f_ff20u32), // ldr pc, [pc, #-0xf20]
        1 => (0..16u32).prop_map(|number| 0xe180_7007 | number << 16 | number),
        1 => Just(0xe3a0_d603u32), // mov sp, #0x300000
    ]
}

/// On which board, and the words from address 0 on.
fn program() -> impl Strategy<Value = (usize, Vec<u32>)> {
    (
        0..2usize,
        prop::collection::vec(word(), 15),
        prop::collection::vec(word(), 8..80),
    )
        .prop_map(|(board, vectors, tail)| {
            let start = std::iter::once(0xea00_000e); // b 0x40
            let words = start.chain(vectors).chain(storing(SET_UP, &tail));
            (board, words.collect())
        })
}

fn machine((board, program): &(usize, Vec<u32>), engine: Engine) -> Machine {
    let mut machine = Machine::new(&BLOBS[*board], "test", &[]).unwrap();
    machine.set_engine(engine);
    let bytes: Vec<u8> = program.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(machine.poke(0, &bytes), bytes.len());
    machine
}

fn to(machine: &Machine, cycle: u64) -> Until {
    Until::time(machine.clock().instant_of(cycle))
}

/// An independent count.
#[derive(Default)]
struct Count {
    instructions: u64,
}

impl Observer for Count {
    fn instruction(&mut self, _pc: u32, _width: Width, _region: RegionIndex) {
        self.instructions += 1;
    }
}

impl MachineObserver for Count {}

fn functions() -> Functions {
    let ranges: Vec<_> = (0..64u32)
        .filter(|index| index % 5 != 4)
        .map(|index| (index * 0x30, (index + 1) * 0x30, i64::from(index)))
        .collect();
    Functions::new(&ranges).unwrap()
}

fn parts_add_up(profile: &Profile, machine: &Machine, instructions: u64) {
    let [core] = profile.cores() else {
        panic!("one core")
    };
    let counts = core.counts();
    let code = || counts.iter().flat_map(|counts| counts.code());
    let spans = core.spans();
    let [span] = &spans[..] else {
        panic!("one span")
    };
    assert_eq!(span.instructions, instructions);
    assert_eq!(code().map(|row| row.1).sum::<u64>(), instructions);
    let executing: u64 = code().map(|row| row.2).sum();
    assert_eq!(span.end_cycle, machine.cycle());
    assert_eq!(
        executing + span.stopped_cycles + span.bus_held_cycles,
        span.end_cycle - span.start_cycle
    );
    assert_eq!(counts.len(), core.nodes().len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn probes_steps_and_cuts_change_nothing(
        program in program(),
        cuts in prop::collection::vec(1..CYCLES, 0..20),
    ) {
        let (mut plain, mut count) = (machine(&program, Engine::Interpreted), Count::default());
        let until = to(&plain, CYCLES);
        let stop = plain.run(&until, &mut count);
        let hash = plain.state_hash();

        let mut profiled = machine(&program, Engine::Interpreted);
        let mut profile = Profile::new(&profiled, functions(), Window::All);
        prop_assert_eq!(&profiled.run(&until, &mut profile), &stop);
        prop_assert_eq!(&profiled.state_hash(), &hash);
        parts_add_up(&profile, &profiled, count.instructions);

        let mut stepped = machine(&program, Engine::Interpreted);
        let mut of_steps = Profile::new(&stepped, functions(), Window::All);
        let slept = stop == Stop::Time && stepped.asleep();
        while stepped.cycle() < plain.cycle() && !slept {
            let before = stepped.cycle();
            stepped.step(&mut of_steps);
            if stepped.asleep() && stepped.cycle() == before {
                break;
            }
        }
        if stepped.cycle() == plain.cycle() {
            prop_assert_eq!(&stepped.state_hash(), &hash);
            parts_add_up(&of_steps, &stepped, count.instructions);
            let (stepped, whole) = (&of_steps.cores()[0], &profile.cores()[0]);
            prop_assert_eq!(stepped.nodes(), whole.nodes());
            prop_assert_eq!(stepped.counts(), whole.counts());
            prop_assert_eq!(stepped.registers(), whole.registers());
        } else {
            // A core that sleeps beyond the run's end.
            prop_assert!(stop == Stop::Time);
        }

        let mut pieces = machine(&program, Engine::Interpreted);
        let mut cuts = cuts;
        cuts.sort_unstable();
        cuts.push(CYCLES);
        let mut last = Stop::Time;
        for cut in cuts {
            last = pieces.run(&to(&pieces, cut), &mut Unobserved);
            if last != Stop::Time {
                break;
            }
        }
        // The beginning of a piece looks for endless loops, so that it may see one earlier.
        if last == stop {
            prop_assert_eq!(&pieces.state_hash(), &hash);
        } else {
            prop_assert!(matches!(last, Stop::Stuck(_) | Stop::Loop(_)));
        }
    }

    #[test]
    fn both_engines_give_the_same_profile(program in program(), threshold in 1..20u32) {
        let mut slow = machine(&program, Engine::Interpreted);
        let mut of_slow = Profile::new(&slow, functions(), Window::All);
        let until = to(&slow, CYCLES);
        let stop = slow.run(&until, &mut of_slow);
        let mut fast = machine(&program, Engine::Translated);
        fast.set_translation_threshold(threshold);
        let mut of_fast = Profile::new(&fast, functions(), Window::All);
        prop_assert_eq!(fast.run(&until, &mut of_fast), stop);
        prop_assert_eq!(fast.state_hash(), slow.state_hash());
        prop_assert_eq!(of_fast.save(), of_slow.save());
    }

    #[test]
    fn a_profile_goes_on_from_its_saved_state(program in program(), at in 1..CYCLES) {
        let mut whole = machine(&program, Engine::Interpreted);
        let mut profile = Profile::new(&whole, functions(), Window::All);
        let until = to(&whole, CYCLES);
        let cut = to(&whole, at);
        if whole.run(&cut, &mut profile) == Stop::Time {
            let saved = profile.save();
            let mut restored = Profile::restore(&whole, functions(), saved.clone()).unwrap();
            prop_assert_eq!(restored.save(), saved);
            let mut other = whole.fork().unwrap();
            whole.run(&until, &mut profile);
            other.run(&until, &mut restored);
            prop_assert_eq!(restored.save(), profile.save());
        }
    }

    #[test]
    fn a_trace_has_every_instruction_and_every_bus_cycle(program in program()) {
        let (mut plain, mut count) = (machine(&program, Engine::Interpreted), Count::default());
        let until = to(&plain, CYCLES);
        let stop = plain.run(&until, &mut count);
        let mut traced = machine(&program, Engine::Translated);
        let watched = vec![
            Watched::Memory { address: 0x30_0000, size: 4 },
            Watched::Register { device: 0, offset: 0, first: TIMER, last: TIMER + 0x3fff },
        ];
        let mut trace = Trace::new(&mut traced, watched, usize::MAX);
        let other = trace.run(&mut traced, &until);
        // A run that is interrupted to look at watched places may notice earlier that the core is stuck.
        if other == stop {
            prop_assert_eq!(traced.state_hash(), plain.state_hash());
            let instructions = trace.rows.kind.iter().filter(|&&kind| kind != ENTRY).count();
            prop_assert_eq!(instructions as u64, count.instructions);
        } else {
            prop_assert!(matches!(other, Stop::Stuck(_) | Stop::Loop(_)));
        }
        let sum: u64 = trace.rows.cycles.iter().map(|&cycles| u64::from(cycles)).sum();
        prop_assert_eq!(sum + trace.stopped_cycles + trace.bus_held_cycles, traced.cycle());
        trace.price(&traced);
        let mut rows = vec![0u32; trace.rows.cycles.len()];
        for (&row, &cost) in trace.cycles.row.iter().zip(&trace.cycles.cost) {
            rows[row as usize] += u32::from(cost);
        }
        prop_assert_eq!(&rows, &trace.rows.cycles);
    }
}
