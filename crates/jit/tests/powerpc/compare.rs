//! Random PowerPC programs by both engines, state and memory compared after every piece.

mod bus;
mod caches;
mod counted;
mod program;
mod random;

use bus::TestBus;
use counted::{Counted, HEARD};
use program::Program;
use random::Random;
use socscope_core::{Observer, Transfer, Translation};
use socscope_isa::StaticCycleModel;
use socscope_jit::Translates;
use socscope_jit::powerpc::{Ended, Translator};
use socscope_memory::AddressSpace;
use socscope_powerpc::interpreter::{Outcome, step};
use socscope_powerpc::{Class, Core, Mmu};
use socscope_timing::FixedCpi;
use std::collections::BTreeSet;
use std::fmt::Debug;

/// A probe of exceptions and special registers, or none: all that it was told, and what it saw when it looked at the core behind each exception and behind
/// some writes of registers.
#[derive(Default)]
struct Heard {
    on: bool,
    told: Vec<(u32, u32, u32)>,
    wants_to_look: bool,
    /// It comes and goes.
    at_times: bool,
}

impl Observer for Heard {
    fn interrupted(&mut self, number: u8, next: u32, stack_pointer: u32) {
        self.tell((u32::from(number), next, stack_pointer));
    }

    fn transfer(&mut self, from: u32, to: u32, kind: Transfer, stack_pointer: u32) {
        if !matches!(kind, Transfer::Jump | Transfer::Call) {
            self.tell((from, to, stack_pointer));
            self.wants_to_look = self.on;
        }
    }

    fn special_written(&mut self, number: u32, value: u32) {
        if HEARD.contains(&number) {
            self.tell((1 << 16, number, value));
            self.wants_to_look = self.on && value & 4 != 0;
        }
    }

    fn stop(&self) -> bool {
        self.wants_to_look
    }

    fn look(&mut self, cycle: u64, core: &dyn socscope_core::Core, space: &AddressSpace) {
        self.wants_to_look = false;
        let linux = core.linux().expect("a kernel's core");
        let state = core.execution_state();
        let state = u32::from(state.user) << 1 | u32::from(state.translated);
        self.tell((cycle as u32, core.program_counter(), core.stack_pointer()));
        self.tell((state, core.status_word(), linux.system_call_result()));
        self.tell((linux.task(0, space).unwrap_or(1), 0, 0));
    }

    fn translation(&mut self) -> Translation<'_> {
        match self.on {
            true => Translation::Exceptions(&HEARD),
            false => Translation::Nothing,
        }
    }
}

/// A probe that may end the run between two instructions.
trait Probe: Observer {
    /// The run was ended before the instruction at an address, and goes on.
    fn stopped(&mut self, _address: u32) {}
    /// A piece of the program begins.
    fn begins_piece(&mut self, _piece: u32) {}
}

impl Probe for Heard {
    fn begins_piece(&mut self, piece: u32) {
        if self.at_times {
            self.on = piece % 3 != 1;
        }
    }
}

impl Probe for Counted {
    fn stopped(&mut self, address: u32) {
        self.told.push([3, address, 0, 0]);
        self.stops_run = false;
    }
}

impl Heard {
    fn tell(&mut self, what: (u32, u32, u32)) {
        if self.on {
            self.told.push(what);
        }
    }
}

/// One of two runs of the same program.
struct Run<M, O> {
    core: Core,
    mmu: Mmu,
    bus: TestBus,
    model: M,
    probe: O,
    cycle: u64,
}

impl<M: StaticCycleModel<Class>, O: Probe> Run<M, O> {
    fn new(program: &Program, model: M, probe: O) -> Run<M, O> {
        Run {
            core: program.core.clone(),
            mmu: Mmu::new(program.core.model()),
            bus: TestBus::new(&program.ram),
            model,
            probe,
            cycle: 0,
        }
    }

    /// Up to the deadline, or before an instruction at one of `stops`, but not the first one; whether it was neither of them.
    fn interpret(&mut self, deadline: u64, stops: &BTreeSet<u32>) -> bool {
        self.bus.deadline = deadline;
        while self.cycle < self.bus.deadline {
            let step = step(
                &mut self.core,
                &mut self.bus,
                &mut self.mmu,
                &mut self.model,
                &mut self.probe,
                self.cycle,
            );
            self.cycle += step.cycles;
            self.let_look();
            self.note_stop();
            if matches!(step.outcome, Outcome::Checkstop | Outcome::Stopped) {
                return true;
            }
            if stops.contains(&self.core.program_counter()) {
                break;
            }
        }
        false
    }

    fn translate(&mut self, translator: &mut Translator<M>, deadline: u64, stops: &BTreeSet<u32>) {
        self.bus.deadline = deadline;
        loop {
            let ended = translator.run(
                0,
                &mut self.core,
                &mut self.mmu,
                &mut self.bus,
                &mut self.model,
                &mut self.probe,
                &mut self.cycle,
                stops,
            );
            let by_probe = self.note_stop() && !matches!(ended, Ended::Asleep | Ended::GivenUp);
            let at_stop = stops.contains(&self.core.program_counter());
            if !by_probe || at_stop || self.cycle >= self.bus.deadline {
                return;
            }
        }
    }

    fn let_look(&mut self) {
        if self.probe.stop() {
            self.probe.look(self.cycle, &self.core, &self.bus.space);
        }
    }

    /// Whether the probe asks for an end of the run here.
    fn note_stop(&mut self) -> bool {
        let stops = self.probe.stop();
        if stops {
            self.probe.stopped(self.core.program_counter());
        }
        stops
    }

    fn memory(&self) -> Vec<u8> {
        self.bus.space.memories()[0].to_vec()
    }
}

/// Runs a program by both, in one of three ways observed; cycles compared, and how many of them were interpreted.
fn compare(seed: u64, pieces: u32) -> (u64, u64) {
    let on = match Random::new(seed ^ 0x3333_3333).below(3) {
        0 => {
            let stopping = || {
                let mut probe = Counted::new();
                probe.may_stop = true;
                probe
            };
            return compare_with(seed, pieces, stopping, Counted::all);
        }
        how => how == 1,
    };
    let heard = || Heard {
        on,
        at_times: on && seed.is_multiple_of(2),
        ..Heard::default()
    };
    compare_with(seed, pieces, heard, |heard| heard.told.clone())
}

fn compare_with<O: Probe, T: PartialEq + Debug>(
    seed: u64,
    pieces: u32,
    probe: impl Fn() -> O,
    told: impl Fn(&O) -> T,
) -> (u64, u64) {
    let random = &mut Random::new(seed ^ 0x5555_5555);
    let ratio = random.pick(&[(1, 1), (1, 1), (3, 2), (2, 3)]);
    let base = FixedCpi::new(ratio.0, ratio.1).expect("a ratio");
    match caches::some(&mut Random::new(seed ^ 0x7777_7777), &base) {
        Some(model) => compare_models(seed, pieces, &model, random, probe, told),
        None => compare_models(seed, pieces, &base, random, probe, told),
    }
}

fn compare_models<M: StaticCycleModel<Class> + Debug, O: Probe, T: PartialEq + Debug>(
    seed: u64,
    pieces: u32,
    model: &M,
    random: &mut Random,
    probe: impl Fn() -> O,
    told: impl Fn(&O) -> T,
) -> (u64, u64) {
    let program = Program::new(seed);
    let new = || Run::new(&program, model.clone(), probe());
    let (mut slow, mut fast) = (new(), new());
    let mut translator = Translator::new().expect("a compiler for this host");
    translator.set_threshold(random.pick(&[1, 1, 2, 5]));
    // Where computed branches of the beginning lead: often into pages that nothing was fetched from yet.
    let mut stops = BTreeSet::new();
    if random.one_in(3) {
        stops.extend([
            program.core.link & !3,
            program.core.link.wrapping_add(8) & !3,
        ]);
    }
    let mut deadline = 0;
    for piece in 0..pieces {
        deadline += 1 + u64::from(random.below(600));
        let irq = random.one_in(8);
        slow.bus.irq = irq;
        fast.bus.irq = irq;
        slow.probe.begins_piece(piece);
        fast.probe.begins_piece(piece);
        let ended = slow.interpret(deadline, &stops);
        fast.translate(&mut translator, deadline, &stops);
        let place = format!("seed {seed}, piece {piece}, up to cycle {deadline}");
        assert_eq!(slow.core, fast.core, "{place}");
        assert_eq!(slow.cycle, fast.cycle, "{place}");
        assert_eq!(slow.model, fast.model, "{place}");
        assert_eq!(slow.bus.device, fast.bus.device, "{place}: the device");
        assert_eq!(slow.bus.warnings, fast.bus.warnings, "{place}");
        let [expected, found] = [&slow, &fast].map(|run| told(&run.probe));
        assert_eq!(expected, found, "{place}: probe");
        assert!(
            slow.mmu == fast.mmu,
            "{place}: the translation buffers differ"
        );
        assert!(
            slow.memory() == fast.memory(),
            "{place}: the memory differs"
        );
        if ended {
            break;
        }
        // The device may have brought the deadline nearer, or put it off.
        deadline = deadline.max(slow.cycle);
    }
    let statistics = translator.statistics();
    let why = statistics.left_for;
    let reasons = [
        why.exceptions,
        why.returns,
        why.status,
        why.calls,
        why.others,
    ];
    assert_eq!(reasons.iter().sum::<u64>(), statistics.left, "seed {seed}");
    (slow.cycle, statistics.interpreted)
}

/// Cycles of programs by both engines, and instructions that the translating one interpreted.
pub fn compare_all(seeds: std::ops::Range<u64>) -> u64 {
    let (mut cycles, mut interpreted) = (0, 0);
    for seed in seeds {
        let (more, left) = compare(seed, 12);
        cycles += more;
        interpreted += left;
    }
    println!("{cycles} cycles, {interpreted} instructions interpreted");
    cycles
}
