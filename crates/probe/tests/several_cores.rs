//! The profile of machines with several cores: each core's counts are those that single hooks give, and nothing is lost between them.

use crate::support;
use socscope_core::{Observer, Transfer};
use socscope_machine::{Engine, Machine, MachineObserver, Until};
use socscope_memory::{Direction, RegionIndex, Width};
use socscope_probe::{CoreProfile, Functions, Kernel, More, Profile, ProfileState, Window};
use support::powerpc::{
    RFI, addi, branch, counting_together, elf, load, mpc8641d, mtmsr, mtspr, napping, stw,
};

const END: u64 = 200_003;

fn loaded(image: &[u8]) -> Machine {
    let mut machine = mpc8641d(&[]).unwrap();
    machine.load_elf(image, "program").unwrap();
    machine
}

fn functions() -> Functions {
    Functions::new(&[(0x100, 0x180, 1), (0x900, 0x980, 2), (0x1000, 0x1100, 3)]).unwrap()
}

fn to(machine: &Machine, cycle: u64) -> Until {
    Until::time(machine.clock().instant_of(cycle))
}

/// What a core did, by nothing but hooks and the turns.
#[derive(Default)]
struct Hooks {
    core: usize,
    instructions: [u64; 2],
    accesses: [u64; 2],
    exceptions: [u64; 2],
}

impl Observer for Hooks {
    fn instruction(&mut self, _pc: u32, _width: Width, _region: RegionIndex) {
        self.instructions[self.core] += 1;
    }
    fn data(&mut self, _: u32, _: u32, _: Width, _: Direction, _: RegionIndex) {
        self.accesses[self.core] += 1;
    }
    fn transfer(&mut self, _from: u32, _to: u32, kind: Transfer, _sp: u32) {
        self.exceptions[self.core] += u64::from(matches!(kind, Transfer::ExceptionEntry(_)));
    }
}

impl MachineObserver for Hooks {
    fn turn(&mut self, core: u16) {
        self.core = usize::from(core);
    }
}

fn instructions(core: &CoreProfile) -> u64 {
    let counts = core.counts();
    let code = counts.iter().flat_map(|counts| counts.code());
    code.map(|(_, instructions, _)| instructions).sum()
}

/// Every cycle of every core is an instruction, an exception's entry, sleep, or DMA on the bus.
fn nothing_is_lost(profile: &Profile, machine: &Machine) {
    let mut sum = 0;
    for (number, core) in profile.cores().iter().enumerate() {
        let spans = core.spans();
        let [span] = spans[..] else {
            panic!("one span")
        };
        assert_eq!(span.instructions, instructions(core));
        assert_eq!(span.end_cycle, machine.cycle_of(number));
        let cycles = machine.core_cycles(number);
        assert_eq!(span.stopped_cycles, cycles.asleep);
        assert_eq!(span.bus_held_cycles, cycles.bus_held);
        let exceptions: u64 = core.exceptions().map(|(_, count)| count).sum();
        assert_eq!(span.instructions + exceptions, cycles.executing);
        sum += span.instructions + exceptions + span.stopped_cycles + span.bus_held_cycles;
    }
    let cycles = 0..machine.cores();
    assert_eq!(sum, cycles.map(|core| machine.cycle_of(core)).sum());
}

#[test]
fn each_core_has_its_own_counts() {
    for image in [counting_together(), napping(999)] {
        let (mut plain, mut hooks) = (loaded(&image), Hooks::default());
        plain.run(&to(&plain, END), &mut hooks);
        let mut machine = loaded(&image);
        let mut profile = Profile::new(&machine, functions(), Window::All);
        machine.run(&to(&machine, END), &mut profile);
        assert_eq!(machine.state_hash(), plain.state_hash());
        nothing_is_lost(&profile, &machine);
        for (number, core) in profile.cores().iter().enumerate() {
            assert_eq!(instructions(core), hooks.instructions[number]);
            let counts = core.counts();
            let accesses = counts.iter().flat_map(|counts| counts.data_accesses());
            let accesses: u64 = accesses.map(|row| row.3).sum();
            assert_eq!(accesses, hooks.accesses[number]);
            let exceptions: u64 = core.exceptions().map(|(_, count)| count).sum();
            assert_eq!(exceptions, hooks.exceptions[number]);
        }
    }
}

#[test]
fn cores_with_parts_of_a_cycle_of_their_own_share_no_counting() {
    // The first core releases the second, and both run the same code: one with one instruction a cycle, one with two.
    let mut first = load(3, 0xffe0_1010).to_vec();
    first.extend([load(5, 0x0300_0000).as_slice(), &[stw(5, 3, 0)]].concat());
    let away = 0x1000 + 4 * first.len() as i32;
    first.push(branch((0x100 - away) / 4));
    // MSR is 0, and a function is called again and again: each call counts for one context, and each return for another.
    const LINK: u32 = 1;
    const RETURN: u32 = 0x4e80_0020;
    let mut both = load(3, 0).to_vec();
    let call = branch((0x900 - 0x10c) / 4) | LINK;
    both.extend([mtmsr(3), call, addi(6, 6, 1), branch(-2)]);
    let called = vec![addi(7, 7, 1), RETURN];
    let image = elf(0x1000, &[(0x100, both), (0x900, called), (0x1000, first)]);
    let saved = [Engine::Interpreted, Engine::Translated].map(|engine| {
        let mut machine = mpc8641d(&["/cpus/PowerPC,8641@1:socscope,cpi=1 2"]).unwrap();
        machine.load_elf(&image, "program").unwrap();
        machine.set_engine(engine);
        machine.set_translation_threshold(1);
        let mut profile = Profile::new(&machine, functions(), Window::All);
        machine.run(&to(&machine, END), &mut profile);
        assert!(instructions(&profile.cores()[1]) > instructions(&profile.cores()[0]));
        profile.save()
    });
    assert_eq!(saved[0], saved[1]);
}

#[test]
fn a_saved_profile_and_one_of_a_run_in_pieces_are_the_same() {
    let image = counting_together();
    let mut whole = loaded(&image);
    let mut expected = Profile::new(&whole, functions(), Window::All);
    whole.run(&to(&whole, END), &mut expected);
    let mut machine = loaded(&image);
    let mut profile = Profile::new(&machine, functions(), Window::All);
    for cycle in (0..END).step_by(7_777).chain([END]) {
        machine.run(&to(&machine, cycle), &mut profile);
        let saved = profile.save();
        profile = Profile::restore(&machine, functions(), saved.clone()).unwrap();
        assert_eq!(profile.save(), saved);
    }
    assert_eq!(profile.save(), expected.save());
    nothing_is_lost(&profile, &machine);
}

#[test]
fn a_window_holds_what_all_cores_do_in_it() {
    let image = counting_together();
    let mut machine = loaded(&image);
    let mut profile = Profile::new(&machine, functions(), Window::Commands);
    machine.run(&to(&machine, 10_000), &mut profile);
    profile.count(true);
    let begin = [0, 1].map(|core| machine.cycle_of(core));
    machine.run(&to(&machine, 30_000), &mut profile);
    profile.count(false);
    let end = [0, 1].map(|core| machine.cycle_of(core));
    machine.run(&to(&machine, 40_000), &mut profile);
    for (number, core) in profile.cores().iter().enumerate() {
        let [span] = core.spans()[..] else {
            panic!("one span")
        };
        assert_eq!(
            (span.start_cycle, span.end_cycle),
            (begin[number], end[number])
        );
        assert_eq!(span.instructions, end[number] - begin[number]);
        assert_eq!(instructions(core), span.instructions);
    }
}

#[test]
fn a_state_of_other_cores_is_refused() {
    let machine = loaded(&counting_together());
    let state = Profile::new(&machine, functions(), Window::All).save();
    let without = ProfileState::with_more(state, More::default());
    let error = Profile::restore(&machine, functions(), without)
        .err()
        .unwrap();
    assert_eq!(
        error.to_string(),
        "the profile counts 1 cores, the machine has 2: restore it with the platform that it was saved with"
    );
}

/// A kernel that lies 0x10000 below its addresses begins a program, whose system call it counts in r6.
#[test]
fn programs_of_a_kernel_are_apart_from_it() {
    // SRR0, SRR1 with PR; the program's branches lead over an address of the kernel's own.
    let mut main = [&load(3, 0x2000)[..], &[mtspr(26, 3)]].concat();
    main.extend(load(3, 0x5000));
    main.extend([mtspr(27, 3), RFI]);
    const SYSTEM_CALL: u32 = 0x4400_0002;
    let program = vec![addi(7, 7, 1), SYSTEM_CALL, branch(-2)];
    let handler = vec![addi(6, 6, 1), RFI];
    let image = elf(
        0x1000,
        &[(0xc00, handler), (0x1000, main), (0x2000, program)],
    );
    let mut machine = loaded(&image);
    let kernel = |start: u32, size, id| (0x1_0000 + start, 0x1_0000 + start + size, id);
    let functions = Functions::new(&[
        kernel(0xc00, 0x80, 1),
        kernel(0x1000, 0x80, 2),
        kernel(0x2000, 0x80, 3),
    ]);
    let kernel = Some(Kernel::new(0x1_0000));
    let mut profile = Profile::of_kernel(&machine, functions.unwrap(), Window::All, kernel);
    // 7 instructions; then 3 of the program, 2 of the handler and an entry each time, 8 times, and the beginning of a ninth.
    machine.run(&to(&machine, 7 + 50), &mut profile);
    let core = &profile.cores()[0];
    let counts = core.counts();
    let by_function: Vec<_> = core
        .nodes()
        .iter()
        .zip(&counts)
        .map(|(node, counts)| {
            let parent = node.parent.map(|parent| parent.0);
            (
                node.function.0,
                parent,
                counts.code().map(|row| row.1).sum::<u64>(),
            )
        })
        .collect();
    assert_eq!(
        by_function,
        [(2, None, 7), (-2, None, 26), (1, Some(1), 16)]
    );
    assert_eq!(core.exceptions().collect::<Vec<_>>(), [(0x60, 9)]);
}
