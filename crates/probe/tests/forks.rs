//! Forks that share translations count for their profiles what interpreted ones count, whatever the others do.

use crate::support::powerpc::{addi, counting_together, engine, mpc8641d};
use crate::support::{SYSTEM_CALLS, board, board_with};
use proptest::prelude::*;
use socscope_core::Unobserved;
use socscope_machine::{Engine, Input, Machine, Until};
use socscope_probe::{Functions, Profile, ProfileState, Window};

#[derive(Clone, Copy, Debug)]
enum Board {
    Arm,
    ArmWithCaches,
    PowerPc,
    PowerPcWithCaches,
}

const CACHES: &str = "&cpu { socscope,timing = \"caches\"; i-cache-size = <256>; i-cache-line-size = <16>; i-cache-sets = <4>;
    d-cache-size = <128>; d-cache-line-size = <8>; d-cache-sets = <8>; socscope,memory-cycles = <7>; };";

impl Board {
    fn machine(self) -> Machine {
        let mut machine = match self {
            Board::Arm => board(),
            Board::ArmWithCaches => board_with(CACHES).expect("the board is right"),
            Board::PowerPc => mpc8641d(&[]).expect("the board is right"),
            Board::PowerPcWithCaches => {
                let timing = |core| format!("/cpus/PowerPC,8641@{core}:socscope,timing=caches");
                mpc8641d(&[&timing(0), &timing(1)]).expect("the board is right")
            }
        };
        if self.is_arm() {
            let words = SYSTEM_CALLS.iter();
            let bytes: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
            assert_eq!(machine.poke(0, &bytes), bytes.len());
        } else {
            let image = counting_together();
            machine.load_elf(&image, "program").expect("it fits");
        }
        machine
    }

    fn is_arm(self) -> bool {
        matches!(self, Board::Arm | Board::ArmWithCaches)
    }

    /// Where a word of the program may become another one.
    fn change(self, machine: &mut Machine, place: u32, by: u8) {
        if self.is_arm() {
            // adds r5, r5, #by
            let word = 0xe295_5000 | u32::from(by);
            machine.poke(0x3c + (place & 1) * 0x18, &word.to_le_bytes());
        } else {
            let word = addi(20, 20, u32::from(by));
            machine.poke(0x100 + 4 * place, &word.to_be_bytes());
        }
    }

    /// Functions, of which a profile may know one more.
    fn functions(self, more: bool) -> Functions {
        let ranges: &[(u32, u32, i64)] = match more {
            true => &[(0x20, 0x44, 1), (0x48, 0x68, 2), (0x100, 0x200, 3)],
            false => &[(0x20, 0x44, 1), (0x48, 0x68, 2)],
        };
        Functions::new(ranges).expect("they are in order")
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Run(usize, u64),
    /// With a profile, which knows more functions or less, and counts or only follows.
    Profile(usize, u64, bool, bool),
    Fork(usize),
    Change(usize, u32, u8),
    Join(usize),
    Leave(usize),
    Drop(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let which = 0_usize..8;
    let cycles = 1_u64..4_000;
    prop_oneof![
        2 => (which.clone(), cycles.clone()).prop_map(|(which, cycles)| Step::Run(which, cycles)),
        4 => (which.clone(), cycles, any::<bool>(), any::<bool>())
            .prop_map(|(which, cycles, more, counts)| Step::Profile(which, cycles, more, counts)),
        2 => which.clone().prop_map(Step::Fork),
        2 => (which.clone(), 0_u32..12, any::<u8>()).prop_map(|(which, place, by)| Step::Change(which, place, by)),
        1 => which.clone().prop_map(Step::Join),
        1 => which.clone().prop_map(Step::Leave),
        1 => which.prop_map(Step::Drop),
    ]
}

/// What a family of machines has counted, and their states in the end.
fn live(board: Board, engine_kind: Engine, steps: &[Step]) -> (Vec<ProfileState>, Vec<String>) {
    let mut machine = board.machine();
    machine.set_engine(engine_kind);
    machine.set_translation_threshold(1);
    let (mut machines, mut counted) = (vec![machine], vec![]);
    for &step in steps {
        let count = machines.len();
        let end = |machine: &Machine, cycles| {
            Until::time(machine.clock().instant_of(machine.cycle() + cycles))
        };
        match step {
            Step::Run(which, cycles) => {
                let machine = &mut machines[which % count];
                let until = end(machine, cycles);
                machine.run(&until, &mut Unobserved);
            }
            Step::Profile(which, cycles, more, counts) => {
                let machine = &mut machines[which % count];
                let until = end(machine, cycles);
                let window = match counts {
                    true => Window::All,
                    false => Window::Addresses {
                        first: 0x48,
                        last: 0x4c,
                    },
                };
                let mut profile = Profile::new(machine, board.functions(more), window);
                machine.run(&until, &mut profile);
                counted.push(profile.save());
            }
            Step::Fork(which) if count < 5 => {
                let fork = machines[which % count].fork().expect("it can");
                machines.push(fork);
            }
            Step::Change(which, place, by) => {
                board.change(&mut machines[which % count], place, by);
            }
            // It may be there already, or on this board not at all.
            Step::Join(which) => drop(machines[which % count].add_node(&engine())),
            Step::Leave(which) => {
                let input = Input::Detach {
                    device: "rule30".into(),
                };
                drop(machines[which % count].apply(input));
            }
            Step::Drop(which) if count > 1 => drop(machines.remove(which % count)),
            Step::Fork(_) | Step::Drop(_) => {}
        }
    }
    let states = machines.iter_mut().map(|machine| machine.state_hash());
    (counted, states.collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn whatever_a_family_does_each_profile_is_that_of_the_interpreter(
        board in prop::sample::select(vec![Board::Arm, Board::ArmWithCaches, Board::PowerPc, Board::PowerPcWithCaches]),
        steps in prop::collection::vec(step(), 1..30)
    ) {
        let slow = live(board, Engine::Interpreted, &steps);
        let fast = live(board, Engine::Translated, &steps);
        prop_assert_eq!(fast, slow);
    }
}
