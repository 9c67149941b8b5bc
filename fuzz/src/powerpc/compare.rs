//! Both engines on a PowerPC program, with and without probes, and the same program without interrupts.

use super::program::{Program, program};
use super::runtime::Image;
use crate::caches;
use crate::random::Random;
use crate::tables::{self, first_difference};
use socscope_core::{Core, Observer, Transfer, Translation, Unobserved};
use socscope_machine::{Engine, Input, Machine, MachineObserver, Stop, Until};
use socscope_memory::AddressSpace;
use socscope_powerpc::Exception;
use socscope_probe::{CoreSet, Functions, Point, ProbeSet, Profile, Trigger, Window};

const CYCLES_MAX: u64 = 20_000_000;
const CACHED_CYCLES_MAX: u64 = 500_000;
const PROGRAM_COUNTER: u8 = 32;
const STATE: u8 = 33;
const SHRINK_TRIES: usize = 2_000;

/// Compiles the board's device tree.
///
/// # Errors
/// What the device-tree compiler says.
pub fn blob() -> std::io::Result<Vec<u8>> {
    crate::board::compile(include_bytes!("../../powerpc.dts"))
}

/// SRR0, SRR1 and SPRG0 to SPRG3.
const HEARD: [u32; 6] = [26, 27, 272, 273, 274, 275];

/// All that a probe of exceptions and of some special registers hears.
#[derive(Default)]
struct Heard {
    told: Vec<(u32, u32, u32)>,
    wants_to_look: bool,
}

impl Observer for Heard {
    fn interrupted(&mut self, number: u8, next: u32, stack_pointer: u32) {
        self.told.push((u32::from(number), next, stack_pointer));
    }

    fn transfer(&mut self, from: u32, to: u32, kind: Transfer, stack_pointer: u32) {
        if matches!(
            kind,
            Transfer::ExceptionEntry(_) | Transfer::ExceptionReturn
        ) {
            self.told.push((from, to, stack_pointer));
            self.wants_to_look = true;
        }
    }

    fn stop(&self) -> bool {
        self.wants_to_look
    }

    fn look(&mut self, cycle: u64, core: &dyn Core, _space: &AddressSpace) {
        self.wants_to_look = false;
        let (pc, stack) = (core.program_counter(), core.stack_pointer());
        self.told.push((cycle as u32, pc, stack));
        self.told.push((core.status_word(), 0, 0));
    }

    fn special_written(&mut self, number: u32, value: u32) {
        if HEARD.contains(&number) {
            self.told.push((1 << 16, number, value));
        }
    }

    fn translation(&mut self) -> Translation<'_> {
        Translation::Exceptions(&HEARD)
    }
}

impl MachineObserver for Heard {}

/// The board, with what is random of it.
struct Board<'a> {
    blob: &'a [u8],
    overrides: Vec<String>,
    threshold: u32,
}

impl<'a> Board<'a> {
    /// Every third program's has caches.
    fn new(blob: &'a [u8], seed: u64, threshold: u32) -> Board<'a> {
        let overrides = match seed % 3 {
            2 => overrides(&mut Random(seed)),
            _ => vec![],
        };
        Board {
            blob,
            overrides,
            threshold,
        }
    }

    fn has_caches(&self) -> bool {
        !self.overrides.is_empty()
    }

    /// Handlers that miss may last until the next interrupt: such a program gets nowhere.
    fn cycles_max(&self) -> u64 {
        match self.has_caches() {
            true => CACHED_CYCLES_MAX,
            false => CYCLES_MAX,
        }
    }
}

/// What gives the core caches, one level or two.
fn overrides(random: &mut Random) -> Vec<String> {
    let core = "/cpus/PowerPC,8641@0";
    let properties = caches::properties(random, caches::SLOW_CYCLES);
    let properties = properties.iter();
    let mut all: Vec<_> = properties
        .map(|(name, value)| format!("{core}:{name}={value}"))
        .collect();
    if random.once_in(2) {
        all.push(format!("{core}/l2-cache:status=disabled"));
    } else {
        for (name, value) in [("size", 1024), ("sets", 8), ("line-size", 64)] {
            all.push(format!("{core}/l2-cache:cache-{name}={value}"));
        }
    }
    all
}

fn machine(board: &Board, image: &Image, engine: Engine) -> Machine {
    let made = Machine::new(board.blob, "fuzz", &board.overrides);
    let mut machine = made.expect("the board is right");
    machine.set_engine(engine);
    machine.set_translation_threshold(board.threshold);
    machine.poke(0, &image.memory);
    for (number, value) in [(PROGRAM_COUNTER, image.entry), (STATE, 0x1000)] {
        let input = Input::CoreRegister {
            core: 0,
            number,
            value,
        };
        machine.apply(input).expect("the core has the register");
    }
    machine
}

/// Runs in pieces; states after each.
fn run<O: MachineObserver>(
    machine: &mut Machine,
    observer: &mut O,
    pieces: &[u64],
    end: u32,
) -> Vec<String> {
    let mut states = vec![];
    for &cycle in pieces {
        let until = Until {
            addresses: [end].into(),
            ..Until::time(machine.clock().instant_of(cycle))
        };
        let stop = machine.run(&until, observer);
        let (cycle, hash) = (machine.cycle(), machine.state_hash());
        states.push(format!("{stop:?} at cycle {cycle}, state {hash}"));
        if stop == Stop::Address(end) {
            break;
        }
    }
    let log = machine.log();
    states.extend(log.messages().iter().map(|message| format!("{message:?}")));
    states.extend(log.touched().map(|touched| format!("{touched:?}")));
    states.push(format!("{} more, {:?}", log.dropped(), machine.marks()));
    states
}

fn probes(machine: &Machine, image: &Image, window: Window) -> ProbeSet {
    let functions = image.functions.iter().zip(0..);
    let ranges: Vec<_> = functions
        .map(|((_, start, end), number)| (*start, *end, number))
        .collect();
    let functions = Functions::new(&ranges).expect("functions are disjoint");
    let mut probes = ProbeSet::on(Profile::new(machine, functions, window));
    for (number, (name, start, _)) in image.functions.iter().enumerate().step_by(3) {
        probes.mark(Point {
            number: number as u32,
            name: name.clone(),
            trigger: Trigger::Address(*start, CoreSet::ALL),
        });
    }
    probes
}

fn profile(probes: &ProbeSet) -> &Profile {
    probes.get().expect("the profile is on")
}

/// Runs a program in every way and compares. Gives its instructions, and how often the decrementer and the controller interrupted it.
///
/// # Errors
/// The first difference.
pub fn compare(blob: &[u8], program: &Program, seed: u64) -> Result<(u64, [u64; 2]), String> {
    let mut random = Random(seed ^ 0x0970_5eed);
    let image = program.link();
    let mut pieces: Vec<u64> = (0..random.below(10))
        .map(|_| random.word() as u64 % 40_000)
        .collect();
    pieces.sort_unstable();
    let threshold = [1, 1, 2, 5][random.below(4) as usize];
    let board = Board::new(blob, seed, threshold);
    let cycles_max = board.cycles_max();
    pieces.push(cycles_max);
    let machine = |engine| machine(&board, &image, engine);
    let names = |number: i64| {
        let function = usize::try_from(number).ok();
        let function = function.and_then(|number| image.functions.get(number));
        function.map_or(format!("[{number}]"), |(name, start, _)| {
            format!("{name} at {start:#x}")
        })
    };
    let say = |what: &'static str| move |difference: String| format!("{what}: {difference}");

    let window = if random.once_in(4) {
        let ends: Vec<u32> = image.functions.iter().map(|(_, start, _)| *start).collect();
        let [first, last] = std::array::from_fn(|_| ends[random.below(ends.len() as u32) as usize]);
        Window::Addresses { first, last }
    } else {
        Window::All
    };
    let mut slow = machine(Engine::Interpreted);
    let mut reference = probes(&slow, &image, window);
    let states = run(&mut slow, &mut reference, &pieces, image.end);
    if slow.core(0).program_counter() != image.end && !board.has_caches() {
        return Err(format!("the program does not end: {states:?}"));
    }
    let mut fast = machine(Engine::Translated);
    let found = run(&mut fast, &mut Unobserved, &pieces, image.end);
    differ(tables::rows("states, logs and marks", &states, &found)).map_err(say("translated"))?;

    let mut fast = machine(Engine::Translated);
    let mut other = probes(&fast, &image, window);
    run(&mut fast, &mut other, &[cycles_max], image.end);
    let difference = first_difference(profile(&reference), profile(&other), &names);
    differ(difference).map_err(say("profiled in one piece"))?;
    let marks = |probes: &ProbeSet| -> Vec<_> {
        let marker = probes.marker().into_iter();
        marker
            .flat_map(|marker| marker.marked().iter().copied())
            .collect()
    };
    differ(tables::rows("marks", marks(&reference), marks(&other))).map_err(say("marked"))?;

    let [expected, found] = [Engine::Interpreted, Engine::Translated].map(|engine| {
        let mut heard = Heard::default();
        run(&mut machine(engine), &mut heard, &pieces, image.end);
        heard.told
    });
    differ(tables::rows("told of exceptions", expected, found)).map_err(say("translated"))?;

    // What misses depends on interrupts.
    if window == Window::All && !board.has_caches() {
        differ(compare_with_calm(&board, program, &reference, &names))
            .map_err(say("interrupted, against not interrupted"))?;
    }
    let [core] = profile(&reference).cores() else {
        return Err("the board has one core".into());
    };
    let taken = |wanted: Exception| {
        let all = core.exceptions();
        let counts = all.filter(|(number, _)| *number == wanted.number());
        counts.map(|(_, count)| count).sum()
    };
    let instructions = core.spans().iter().map(|span| span.instructions).sum();
    let interrupts = [Exception::Decrementer, Exception::External].map(taken);
    Ok((instructions, interrupts))
}

/// The first difference between contexts outside of handlers and those of the same program without interrupts.
fn compare_with_calm(
    board: &Board,
    program: &Program,
    reference: &ProbeSet,
    names: &dyn Fn(i64) -> String,
) -> Option<String> {
    let calm = Program {
        interrupted: false,
        ..program.clone()
    }
    .link();
    let mut quiet = machine(board, &calm, Engine::Interpreted);
    let mut alone = probes(&quiet, &calm, Window::All);
    run(&mut quiet, &mut alone, &[CYCLES_MAX], calm.end);
    let [expected, found] = [&alone, reference].map(|probes| {
        let mut all = tables::without_exceptions(profile(probes), names);
        // Which task is over first, and what makes way for the other, depends on interrupts.
        all.retain(|path, _| {
            !["finish", "end", "decrementer"]
                .iter()
                .any(|name| path.contains(name))
        });
        all
    });
    tables::rows("contexts outside of handlers", expected, found)
}

fn differ(difference: Option<String>) -> Result<(), String> {
    difference.map_or(Ok(()), Err)
}

/// Runs the program of a seed; of one that fails, says how, and what is left of it when it was made smaller.
///
/// # Errors
/// The first difference.
pub fn check(blob: &[u8], seed: u64) -> Result<(u64, [u64; 2]), String> {
    let mut program = program(seed);
    let mut failure = match compare(blob, &program, seed) {
        Ok(compared) => return Ok(compared),
        Err(failure) => failure,
    };
    let mut tries = SHRINK_TRIES;
    'smaller: loop {
        for smaller in program.clone().smaller() {
            tries = tries.saturating_sub(1);
            if tries == 0 {
                break 'smaller;
            }
            if let Err(again) = compare(blob, &smaller, seed) {
                (program, failure) = (smaller, again);
                continue 'smaller;
            }
        }
        break;
    }
    let image = program.link();
    let mut text = format!("PowerPC, seed {seed}: {failure}\n{program:#x?}\n");
    for (name, start, end) in image
        .functions
        .iter()
        .filter(|(_, start, _)| *start >= 0x2000)
    {
        text += &format!("{name}:\n");
        for word in image.memory[*start as usize..*end as usize].chunks(4) {
            text += &format!("  {word:02x?}\n");
        }
    }
    Err(text)
}
