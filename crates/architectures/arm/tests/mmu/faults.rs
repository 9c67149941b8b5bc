//! What cores are told of accesses that are aborted, and of lines and waiting.

use super::*;

#[test]
fn faults_are_told() {
    for model in LATER {
        let v6 = model.has(Version::V6);
        let write = if v6 { 0x800 } else { 0 };
        let mut bench = Bench::new(model);
        let user = Mode::User;
        assert_eq!(bench.aborted(user, LDR, PAGE + 4), (5, PAGE + 4));
        assert_eq!(bench.aborted(user, STR, PAGE + 4), (5 | write, PAGE + 4));
        bench.first(PAGE, TO_COARSE | 3 << 5);
        assert_eq!(bench.aborted(user, LDR, PAGE + 8), (0x37, PAGE + 8));
        bench.put(COARSE, 0x7654_0552);
        assert_eq!(bench.aborted(user, STR, PAGE), (0x3f | write, PAGE));
        // The bus refuses what has a translation, and the table itself.
        let external = if v6 { 8 } else { 0x3a };
        assert_eq!(bench.aborted(Mode::System, LDR, PAGE), (external, PAGE));
        bench.first(PAGE + 0x10_0000, 0x7650_0c12 | 3 << 5);
        let external = if v6 { 8 } else { 0x38 };
        let section = PAGE + 0x10_0000;
        assert_eq!(
            bench.aborted(user, STR, section),
            (external | write, section)
        );
        bench.first(PAGE + 0x20_0000, 0x7650_0011 | 3 << 5);
        let section = PAGE + 0x20_0000;
        assert_eq!(bench.aborted(user, LDR, section), (0x3e, section));
        bench.set(Register::TableBase0, 0x7000_0000);
        bench.move_to((8, 7, 0), 0);
        assert_eq!(bench.read(PAGE), Err(0xc));
        bench.set(Register::TableBase0, TABLE);
        bench.control(control::ALIGNMENT, true);
        assert_eq!(bench.aborted(user, STR, PAGE + 2), (1 | write, PAGE + 2));
        bench.control(control::ALIGNMENT, false);
        // A swap of what may be read only.
        bench.put(COARSE + 4, 0x0004_0aa2);
        assert_eq!(
            bench.aborted(user, SWP, PAGE + 0x1000),
            (0x3f | write, PAGE + 0x1000)
        );
    }
}

#[test]
fn fetches_have_a_status_of_their_own() {
    for model in LATER {
        let domain = if model.has(Version::V6) { 0 } else { 0x30 };
        let mut bench = Bench::new(model);
        bench.first(PAGE, TO_COARSE | 3 << 5);
        bench.set(Register::DataFaultStatus, 0x77);
        bench.set(Register::FaultAddress, 0x1234);
        assert_eq!(
            bench.go(PAGE + 4),
            Outcome::Exception(Exception::PrefetchAbort)
        );
        assert_eq!(bench.get(Register::InstructionFaultStatus), 7 | domain);
        assert_eq!(bench.get(Register::DataFaultStatus), 0x77);
        assert_eq!(bench.get(Register::FaultAddress), 0x1234);
        let at = if model == Arm1176JzS { PAGE + 4 } else { 0 };
        assert_eq!(bench.get(Register::InstructionFaultAddress), at);
        assert_eq!(bench.core.register(14), PAGE + 8);
        if model.has(Version::V5TEJ) {
            // bkpt #0
            let outcome = bench.execute(Mode::User, 0xe120_0070, [0; 2]);
            assert_eq!(outcome, Outcome::Exception(Exception::PrefetchAbort));
            assert_eq!(bench.get(Register::InstructionFaultStatus), 2);
        }
    }
}

#[test]
fn lines_are_worked_on_without_rights() {
    for model in LATER {
        let mut bench = Bench::new(model);
        bench.first(PAGE, 0x7650_0012);
        bench.set(Register::Domains, CLIENTS & !3);
        for place in [(7, 10, 1), (7, 6, 1), (7, 5, 1)] {
            assert_eq!(bench.move_to(place, PAGE), Outcome::Executed, "{model:?}");
            // Without a translation, only caches that are looked up by addresses of the bus notice.
            let outcome = bench.move_to(place, PAGE + 0x10_0000);
            if !model.has(Version::V6) {
                assert_eq!(outcome, Outcome::Executed, "{model:?}");
                continue;
            }
            assert_eq!(outcome, Outcome::Exception(Exception::DataAbort));
            assert_eq!(bench.get(Register::FaultAddress), PAGE + 0x10_0000);
            let status = if place == (7, 5, 1) { 4 } else { 5 };
            assert_eq!(bench.get(Register::DataFaultStatus), status);
            let fetched = if place == (7, 5, 1) { 5 } else { 0 };
            assert_eq!(bench.get(Register::InstructionFaultStatus), fetched);
        }
    }
}

#[test]
fn the_core_waits_if_told_so() {
    for model in LATER {
        let mut bench = Bench::new(model);
        assert_eq!(bench.move_to((7, 0, 4), 0), Outcome::Waits);
    }
}
