//! Cores of different models execute the same bytes: what is no instruction on one is none there, whoever made code of it.

#[path = "powerpc/bus.rs"]
mod bus;

use bus::TestBus;
use socscope_core::Unobserved;
use socscope_jit::Translates;
use socscope_jit::powerpc::Translator;
use socscope_powerpc::{Core, CoreModel, Mmu, Msr};
use socscope_timing::FixedCpi;
use std::collections::BTreeSet;

const CODE: u32 = 0x1000;
/// Where a program exception leads.
const PROGRAM: u32 = 0x700;
/// mfspr r3, VRSAVE, which cores with AltiVec have; addi r4, r4, 1; b to the first one.
const LOOP: [u32; 3] = [0x7c60_42a6, 0x3884_0001, 0x4bff_fff8];
/// addi r5, r5, 1; b to the one before.
const HANDLER: [u32; 2] = [0x38a5_0001, 0x4bff_fffc];

fn core(model: CoreModel) -> (Core, Mmu) {
    let mut core = Core::new(model);
    core.set_msr(Msr(0));
    core.set_program_counter(CODE);
    (core, Mmu::new(model))
}

#[test]
fn code_for_one_model_is_not_run_by_another() {
    let mut ram = vec![0; 0x4000];
    for (at, words) in [(CODE, &LOOP[..]), (PROGRAM, &HANDLER[..])] {
        for (place, word) in words.iter().enumerate() {
            let at = at as usize + 4 * place;
            ram[at..at + 4].copy_from_slice(&word.to_be_bytes());
        }
    }
    let mut bus = TestBus::new(&ram);
    let mut translator = Translator::new().expect("a compiler for this host");
    translator.set_threshold(1);
    let mut model = FixedCpi::SINGLE_CYCLE;
    let mut counts = vec![];
    for (seat, name) in [CoreModel::Ppc7400, CoreModel::Ppc750]
        .into_iter()
        .enumerate()
    {
        let (mut core, mut mmu) = core(name);
        bus.deadline = 301;
        translator.run(
            seat,
            &mut core,
            &mut mmu,
            &mut bus,
            &mut model,
            &mut Unobserved,
            &mut 0,
            &BTreeSet::new(),
        );
        counts.push((core.register(4), core.register(5)));
    }
    assert_eq!(counts, [(100, 0), (0, 150)]);
    assert!(translator.statistics().translations > 0);
}
