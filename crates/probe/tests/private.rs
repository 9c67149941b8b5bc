//! The profile of cores with memories of their own: what lies at one address is another function for each, in whichever engine.

use crate::support;
use socscope_machine::{Engine, Machine, Until};
use socscope_memory::RegionIndex;
use socscope_probe::{CoreProfile, Functions, Profile, Window};
use std::collections::BTreeMap;
use support::private::{MAINS, OWN, arm_main, arm_own, two_arms};

const END: u64 = 30_011;
const NONE: i64 = -1;

fn machine(engine: Engine) -> Machine {
    let mains = [0, 1].map(arm_main);
    let mut machine = two_arms(mains, [arm_own(&[1]), arm_own(&[2, 3, 4])]);
    machine.set_engine(engine);
    machine.set_translation_threshold(2);
    machine
}

/// Main programs 1 and 2; own code 3 of the first core and 4 of the second. Beneath their memories lies function 9.
fn functions(own: bool) -> Functions {
    let [first, second] = MAINS;
    let shared = [
        (first, first + 0x100, 1),
        (second, second + 0x100, 2),
        (OWN - 0x20, OWN + 0x20, 9),
    ];
    let shared = Functions::new(&shared).unwrap();
    if !own {
        return shared;
    }
    let of = |functions: Functions, core, id| functions.with_own(core, &[(OWN, OWN + 0x40, id)]);
    of(of(shared, 0, 3).unwrap(), 1, 4).unwrap()
}

fn run(machine: &mut Machine, profile: &mut Profile, cycle: u64) {
    let until = Until::time(machine.clock().instant_of(cycle));
    machine.run(&until, profile);
}

/// Instructions by function and region, where there are any.
fn instructions(core: &CoreProfile) -> BTreeMap<(i64, u16), u64> {
    let mut found = BTreeMap::new();
    for (node, counts) in core.nodes().iter().zip(core.counts()) {
        for (region, count, _) in counts.code().filter(|(_, count, _)| *count > 0) {
            *found.entry((node.function.0, region.0)).or_default() += count;
        }
    }
    found
}

fn region(machine: &Machine, name: &str) -> u16 {
    let mut regions = machine.regions().iter();
    regions
        .position(|region| region.name == name)
        .expect("it is there") as u16
}

#[test]
fn functions_and_regions_are_those_that_the_core_finds() {
    for own in [true, false] {
        let saved = [Engine::Interpreted, Engine::Translated].map(|engine| {
            let mut machine = machine(engine);
            let mut profile = Profile::new(&machine, functions(own), Window::All);
            run(&mut machine, &mut profile, END);
            let shared = region(&machine, "memory@0");
            for (core, name) in ["cpu0.tcm_one", "cpu1.tcm_two"].into_iter().enumerate() {
                let found = instructions(&profile.cores()[core]);
                let id = core as i64;
                let code = if own { 3 + id } else { NONE };
                let private = region(&machine, name);
                let places: Vec<_> = found.keys().copied().collect();
                let mut expected = [(1 + id, shared), (code, private)];
                expected.sort_unstable();
                assert_eq!(places, expected, "{engine:?}, core {core}");
                // Each call of its own code reads and writes its own data once.
                let calls = found[&(code, private)] / [5, 7][core];
                let counts = profile.cores()[core].counts();
                let accesses = counts.iter().flat_map(|counts| counts.data_accesses());
                let own = accesses.filter(|row| row.0 == RegionIndex(private));
                let own: u64 = own.map(|row| row.3).sum();
                assert!(
                    calls > 100 && own.abs_diff(calls * 2 + calls / 2) <= 3,
                    "{calls} {own}"
                );
            }
            (profile.save(), machine.state_hash())
        });
        assert_eq!(saved[0], saved[1]);
    }
}

#[test]
fn a_profile_goes_on_over_cuts_and_forks_as_if_nothing_had_happened() {
    let mut whole = machine(Engine::Interpreted);
    let mut expected = Profile::new(&whole, functions(true), Window::All);
    run(&mut whole, &mut expected, END);
    let mut machine = machine(Engine::Translated);
    let mut profile = Profile::new(&machine, functions(true), Window::All);
    for cycle in (0..END).step_by(1_777).chain([END]) {
        run(&mut machine, &mut profile, cycle);
        let saved = profile.save();
        machine = machine.fork().unwrap();
        profile = Profile::restore(&machine, functions(true), saved).unwrap();
    }
    assert_eq!(profile.save(), expected.save());
}
