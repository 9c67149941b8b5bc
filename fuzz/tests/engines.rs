//! Both engines on random programs, and whether the comparison would notice.

use socscope_arm::{CoreModel, InstructionSet, decode, encoding, encodings};
use socscope_core::{Observer, Transfer};
use socscope_fuzz::board;
use socscope_fuzz::campaign::{PROGRAM_CYCLES, check, linked};
use socscope_fuzz::compare::{Compared, Divergence, Reference};
use socscope_fuzz::generator::{Kind, program};
use socscope_fuzz::image::Image;
use socscope_fuzz::link;
use socscope_fuzz::mixed;
use socscope_fuzz::plan::Plan;
use socscope_fuzz::powerpc;
use socscope_fuzz::program::Program;
use socscope_fuzz::run::{Way, run};
use socscope_fuzz::shrink::shrink;
use socscope_machine::{Engine, MachineObserver};
use socscope_memory::{RegionIndex, Width};
use std::sync::LazyLock;

/// Whose instructions the programs are made of.
const MODEL: CoreModel = CoreModel::Arm7Tdmi;

static BLOB: LazyLock<Vec<u8>> = LazyLock::new(|| board::blob().expect("dtc is installed"));

/// The share of programs that every test run compares; `make fuzz` goes on from there.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=24;

/// Programs that once were a difference, under a profile: a jump behind half a call; an event right behind a jump into another region.
const ONCE_DIFFERENT: [u64; 2] = [5000, 9006];

#[test]
fn engines_agree() {
    let mut total = Compared::default();
    for seed in SEEDS.chain(ONCE_DIFFERENT) {
        let compared =
            check(&BLOB, seed, Kind::Everything, PROGRAM_CYCLES).unwrap_or_else(|divergence| {
                panic!("seed {seed}: {divergence:?}; make fuzz SEED={seed} FUZZ=1")
            });
        total.compared += compared.compared;
        total.states += compared.states;
    }
    println!("{} instructions at {} states", total.compared, total.states);
    assert!(total.compared > 4_000_000, "{}", total.compared);
    assert!(total.states > 300, "{}", total.states);
}

/// Programs whose calls are hard to follow. Some once were a difference: a function that was interrupted before its first instruction, in the middle of
/// a frame, and then left the frame; a fault at the last instruction of a function; a task that goes on above its function's frame; a function that calls
/// itself with one stack pointer.
const CALLS: [u64; 12] = [1, 2, 3, 4, 5, 6, 14, 37, 69, 1041, 1173, 200_003];

/// The same of PowerPC: the last ones once were a difference.
const POWERPC_CALLS: [std::ops::RangeInclusive<u64>; 3] = [1..=40, 144..=144, 70_018..=70_018];

#[test]
fn calls_are_followed_through_interrupts_everywhere() {
    let mut instructions = 0;
    for seed in CALLS {
        let compared = check(&BLOB, seed, Kind::Calls, PROGRAM_CYCLES);
        let compared = compared.unwrap_or_else(|divergence| {
            panic!(
                "seed {seed}: {divergence:?}; socscope-fuzz --calls --seed {seed} --instructions 1"
            )
        });
        instructions += compared.instructions;
    }
    println!("{instructions} instructions");
    assert!(instructions > 100_000, "{instructions}");
}

#[test]
fn powerpc_calls_are_followed_through_interrupts_everywhere() {
    let blob = powerpc::blob().expect("dtc is installed");
    let (mut instructions, mut interrupts) = (0, [0; 2]);
    for seed in POWERPC_CALLS.into_iter().flatten() {
        let compared = powerpc::check(&blob, seed);
        let (more, [decrementer, external]) =
            compared.unwrap_or_else(|difference| panic!("{difference}"));
        instructions += more;
        interrupts[0] += decrementer;
        interrupts[1] += external;
    }
    println!("{instructions} instructions, {interrupts:?} interrupts");
    assert!(instructions > 100_000, "{instructions}");
    assert!(
        interrupts.iter().all(|count| *count > 100),
        "{interrupts:?}"
    );
}

#[test]
fn cores_of_different_architectures_share_memory_code_and_dma() {
    let (mut instructions, mut written) = (0, 0);
    for seed in 1..=12 {
        let (more, code) =
            mixed::check(seed).unwrap_or_else(|difference| panic!("seed {seed}: {difference}"));
        instructions += more;
        written += code;
    }
    println!("{instructions} instructions, code written to {written} times");
    assert!(instructions > 100_000, "{instructions}");
    assert!(written > 100, "{written}");
}

#[test]
fn a_seed_is_a_program() {
    for seed in SEEDS {
        assert_eq!(
            program(seed, Kind::Everything),
            program(seed, Kind::Everything)
        );
        assert_ne!(
            program(seed, Kind::Everything),
            program(seed + 1, Kind::Everything)
        );
    }
}

/// What happens in programs.
struct Tally {
    encodings: [Vec<u64>; 2],
    exceptions: [u64; 8],
    transfers: [u64; 3],
    set: InstructionSet,
    image: Image,
}

impl Tally {
    fn new(image: &Image) -> Tally {
        Tally {
            encodings: InstructionSet::ALL.map(|set| vec![0; encodings(MODEL, set).len()]),
            exceptions: [0; 8],
            transfers: [0; 3],
            set: InstructionSet::Arm,
            image: image.clone(),
        }
    }
}

impl Observer for Tally {
    fn instruction(&mut self, pc: u32, width: Width, _region: RegionIndex) {
        let set = InstructionSet::ALL[usize::from(width == Width::Half)];
        self.set = set;
        if let Some(word) = self.image.word(pc & !3) {
            let word = if width == Width::Half {
                word >> (8 * (pc & 2)) & 0xffff
            } else {
                word
            };
            self.encodings[set as usize][decode(MODEL, set, word)] += 1;
        }
    }

    fn transfer(&mut self, _from: u32, _to: u32, kind: Transfer, _stack_pointer: u32) {
        match kind {
            Transfer::ExceptionEntry(number) => self.exceptions[number as usize] += 1,
            Transfer::Jump => self.transfers[0] += 1,
            Transfer::Call => self.transfers[1] += 1,
            Transfer::ExceptionReturn => self.transfers[2] += 1,
        }
    }
}

impl MachineObserver for Tally {}

/// Enough programs for everything to happen.
const LIVELY_SEEDS: std::ops::RangeInclusive<u64> = 1..=60;

#[test]
fn programs_reach_every_encoding_and_every_exception() {
    let mut seen = InstructionSet::ALL.map(|set| vec![0; encodings(MODEL, set).len()]);
    let mut exceptions = [0; 8];
    let mut transfers = [0; 3];
    for seed in LIVELY_SEEDS {
        let (_, image) = linked(seed, Kind::Everything);
        let plan = Plan::new(seed, &image, PROGRAM_CYCLES);
        let way = Way {
            blob: &BLOB,
            image: &image,
            plan: &plan,
            engine: Engine::Interpreted,
        };
        let (_, tally) = run(&way, |_| Tally::new(&image), |_, _| {});
        let add = |all: &mut [u64], more: &[u64]| {
            all.iter_mut()
                .zip(more)
                .for_each(|(all, more)| *all += more);
        };
        for (all, more) in seen.iter_mut().zip(&tally.encodings) {
            add(all, more);
        }
        add(&mut exceptions, &tally.exceptions);
        add(&mut transfers, &tally.transfers);
    }
    for set in InstructionSet::ALL {
        let counts = encodings(MODEL, set).iter().zip(&seen[set as usize]);
        let few: Vec<_> = counts
            .filter(|(_, count)| **count == 0)
            .map(|(encoding, _)| encoding.name)
            .collect();
        assert!(few.is_empty(), "{set:?}: never executed: {few:?}");
    }
    println!("{exceptions:?} {transfers:?}");
    for number in [1, 2, 3, 4, 6, 7] {
        assert!(exceptions[number] > 20, "{exceptions:?}");
    }
    assert!(
        transfers.iter().all(|count| *count > 1_000),
        "{transfers:?}"
    );
}

/// Runs a program by an engine that goes wrong after every piece in which an instruction of that name was executed.
fn sabotaged(program: &Program, plan: &Plan, name: &str) -> Option<Divergence> {
    let image = link(program)?;
    let way = Way {
        blob: &BLOB,
        image: &image,
        plan,
        engine: Engine::Interpreted,
    };
    let executed = |tally: &Tally| -> u64 {
        let rows = InstructionSet::ALL.map(|set| {
            let rows = encodings(MODEL, set)
                .iter()
                .zip(&tally.encodings[set as usize]);
            rows.filter(|(encoding, _)| encoding.name == name)
                .map(|(_, count)| count)
                .sum::<u64>()
        });
        rows.iter().sum()
    };
    let mut before = 0;
    let (trail, _) = run(
        &way,
        |_| Tally::new(&image),
        |machine, tally| {
            if executed(tally) > before {
                let byte = machine.peek(board::RAM_DATA.start, 1)[0];
                machine.poke(board::RAM_DATA.start, &[byte ^ 1]);
            }
            before = executed(tally);
        },
    );
    let reference = Reference::new(&BLOB, &image, plan);
    reference.same("sabotaged", &trail).err()
}

#[test]
fn one_wrong_bit_is_seen_and_its_cause_is_found() {
    let name = "UMLAL";
    let seed = SEEDS
        .into_iter()
        .find(|seed| {
            let (program, image) = linked(*seed, Kind::Everything);
            sabotaged(&program, &Plan::new(*seed, &image, 50_000), name).is_some()
        })
        .expect("a program multiplies");
    let (program, image) = linked(seed, Kind::Everything);
    let plan = Plan::new(seed, &image, 50_000);
    let found = sabotaged(&program, &plan, name).expect("found before");
    assert!(found.what.contains("state hash"), "{found:?}");
    let small = shrink(&program, 300, |program| {
        sabotaged(program, &plan, name).is_some()
    });
    assert!(
        small.size() <= 3,
        "{} of {}: {small:#?}",
        small.size(),
        program.size()
    );
    let image = link(&small).expect("links");
    let words = image
        .functions
        .iter()
        .flat_map(|(_, start, end)| (*start..*end).step_by(4));
    let names: Vec<_> = words
        .filter_map(|address| image.word(address))
        .map(|word| encoding(MODEL, InstructionSet::Arm, word).name)
        .collect();
    assert!(names.contains(&name));
}
