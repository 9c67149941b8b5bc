use super::Linux;
use super::layout::{Current, Layout, Task, Variable};
use super::track::{Activity, Call, Moment, Step, Stretch, Track};
use crate::window::CoreSet;
use socscope_core::{Observer, Transfer};
use socscope_device::TraceEvent;
use socscope_memory::{AccessCost, AddressSpace, Memory, MemoryIndex, Region, Target};
use socscope_powerpc::{Core, CoreModel, Exception, Msr};

/// SPRG3.
const THREAD: u32 = 275;
const KERNEL_STACK: u32 = 0xc100_1f00;
const USER_STACK: u32 = 0xbfff_0000;

fn task(pid: u32, name: &str) -> Task {
    Task {
        pid,
        tgid: pid,
        name: name.into(),
    }
}

fn moment(cycle: u64, step: Step, user: bool, stack: u32, of: &Task) -> Moment<'_> {
    Moment {
        cycle,
        step,
        user,
        stack,
        block: 0x1000 * (1 + of.pid),
        task: Some(of),
        result: 7,
    }
}

fn entry(activity: Activity, from_user: bool, stack: u32) -> Step {
    Step::Entry {
        activity,
        from_user,
        stack,
        changes_mode: false,
    }
}

fn told(track: &Track, until: u64) -> Vec<(u64, u64, String, Activity)> {
    let row = |one: &Stretch| {
        let name = track.tasks()[one.task as usize].name.clone();
        (one.start_cycle, one.end_cycle, name, one.activity)
    };
    track.stretches(|_| until).iter().map(row).collect()
}

#[test]
fn a_system_call_with_an_interrupt_in_it_and_another_task_meanwhile() {
    let (shell, other) = (task(1, "sh"), task(2, "other"));
    let mut track = Track::default();
    let call = Activity::SystemCall(3);
    track.take(0, &moment(0, Step::Switch, true, USER_STACK, &shell));
    track.take(
        0,
        &moment(10, entry(call, true, USER_STACK), false, USER_STACK, &shell),
    );
    // The handler's beginning switches translation on by a return, with its own stack.
    track.take(0, &moment(12, Step::Return, false, KERNEL_STACK, &shell));
    track.take(
        0,
        &moment(
            20,
            entry(Activity::Interrupt(None), false, KERNEL_STACK - 64),
            false,
            KERNEL_STACK - 64,
            &shell,
        ),
    );
    track.take(
        0,
        &moment(21, Step::Return, false, KERNEL_STACK - 256, &shell),
    );
    track.interrupt(0, 42);
    track.take(
        0,
        &moment(30, Step::Return, false, KERNEL_STACK - 64, &shell),
    );
    track.take(
        0,
        &moment(40, Step::Switch, false, KERNEL_STACK - 99, &other),
    );
    track.take(0, &moment(50, Step::Return, true, USER_STACK, &other));
    track.take(
        0,
        &moment(
            60,
            entry(Activity::Timer, true, USER_STACK),
            false,
            USER_STACK,
            &other,
        ),
    );
    track.take(
        0,
        &moment(70, Step::Switch, false, KERNEL_STACK - 98, &shell),
    );
    track.take(0, &moment(80, Step::Return, true, USER_STACK, &shell));
    let expected = [
        (0, 10, "sh", Activity::User),
        (10, 20, "sh", call),
        (20, 30, "sh", Activity::Interrupt(Some(42))),
        (30, 40, "sh", call),
        (40, 50, "other", Activity::Kernel),
        (50, 60, "other", Activity::User),
        (60, 70, "other", Activity::Timer),
        (70, 80, "sh", call),
        (80, 95, "sh", Activity::User),
    ];
    assert_eq!(
        told(&track, 95),
        expected.map(|(a, b, name, what)| (a, b, name.to_string(), what))
    );
    let one = Call {
        core: 0,
        start_cycle: 10,
        end_cycle: 80,
        task: 0,
        number: 3,
        result: 7,
    };
    assert_eq!(track.calls(), [one]);
}

#[test]
fn a_control_block_that_is_used_again_begins_anew() {
    let (idle, old) = (task(0, "swapper/1"), task(5, "old"));
    let new = task(6, "new");
    let mut track = Track::default();
    let call = Activity::SystemCall(1);
    track.take(1, &moment(0, Step::Switch, true, USER_STACK, &old));
    track.take(
        1,
        &moment(10, entry(call, true, USER_STACK), false, USER_STACK, &old),
    );
    track.take(1, &moment(20, Step::Switch, false, KERNEL_STACK, &idle));
    let again = Moment {
        block: 0x6000,
        ..moment(30, Step::Switch, false, KERNEL_STACK, &new)
    };
    track.take(1, &again);
    let expected = [
        (0, 10, "old", Activity::User),
        (10, 20, "old", call),
        (20, 30, "swapper/1", Activity::Idle),
        (30, 31, "new", Activity::Kernel),
    ];
    assert_eq!(
        told(&track, 31),
        expected.map(|(a, b, name, what)| (a, b, name.to_string(), what))
    );
}

/// A machine with one task whose block is at 0x2000.
fn machine() -> (Core, AddressSpace, Layout) {
    let layout = Layout {
        current: Current::Register { thread: 0x100 },
        pid: 8,
        tgid: 12,
        name: 16,
        name_bytes: 16,
    };
    let mut space = AddressSpace::default();
    let memory = space.add_memory(Memory::new("ram", 0x1_0000));
    space
        .map_mut()
        .add(Region {
            name: "ram".into(),
            base: 0,
            size: 0x1_0000,
            enabled: true,
            core: None,
            target: Target::Memory {
                memory,
                writable: true,
            },
            cost: AccessCost::SINGLE_CYCLE,
        })
        .unwrap();
    space.load(MemoryIndex(0), 0x2008, &[0, 0, 0, 9, 0, 0, 0, 4]);
    space.load(MemoryIndex(0), 0x2010, b"rule30\0rubbish!!");
    let mut core = Core::new(CoreModel::E600);
    core.set_special_at(THREAD, 0x2100, 0);
    (core, space, layout)
}

#[test]
fn a_core_shows_its_task_and_what_it_is_at() {
    let (mut core, space, layout) = machine();
    let mut probe = Linux::new(layout, &core, CoreSet::ALL);
    assert!(!probe.stop());
    core.set_msr(Msr(0xd032));
    probe.look(5, &core, &space);
    let rule30 = Task {
        pid: 9,
        tgid: 4,
        name: "rule30".into(),
    };
    assert_eq!(probe.track().tasks(), [rule30]);
    core.set_register(0, 54);
    core.enter(Exception::SystemCall, 0x1000_0004);
    probe.transfer(
        0x1000_0000,
        0xc00,
        Transfer::ExceptionEntry(Exception::SystemCall.number()),
        0,
    );
    assert!(probe.stop());
    probe.look(15, &core, &space);
    assert!(!probe.stop());
    core.enter(Exception::External, 0xc000_1000);
    probe.transfer(
        0xc000_1000,
        0x500,
        Transfer::ExceptionEntry(Exception::External.number()),
        0,
    );
    probe.look(25, &core, &space);
    probe.device(TraceEvent::InterruptVectored {
        source: 17,
        vector: 0,
        spurious: false,
    });
    let expected = [
        (5, 15, "rule30", Activity::User),
        (15, 25, "rule30", Activity::SystemCall(54)),
        (25, 30, "rule30", Activity::Interrupt(Some(17))),
    ];
    assert_eq!(
        told(probe.track(), 30),
        expected.map(|(a, b, name, what)| (a, b, name.to_string(), what))
    );
}

#[test]
fn a_pointer_to_nowhere_is_no_task() {
    let (mut core, space, layout) = machine();
    for pointer in [0, 0x8000_0000, 3] {
        core.set_special_at(THREAD, pointer, 0);
        let mut probe = Linux::new(layout.clone(), &core, CoreSet::ALL);
        probe.special_written(THREAD, pointer);
        probe.look(0, &core, &space);
        assert_eq!(probe.track().tasks()[0], Task::default());
    }
}

#[test]
fn a_handler_that_goes_on_in_another_mode_has_not_ended() {
    let idle = task(0, "swapper");
    let mut track = Track::default();
    let interrupt = Step::Entry {
        activity: Activity::Interrupt(None),
        from_user: false,
        stack: KERNEL_STACK,
        changes_mode: true,
    };
    let (other_stack, nested) = (0xc200_0000, KERNEL_STACK - 80);
    track.take(0, &moment(0, Step::Switch, false, KERNEL_STACK, &idle));
    track.take(0, &moment(10, interrupt, false, other_stack, &idle));
    // What comes back here is the stack pointer of what was interrupted, as it does at the end.
    track.take(0, &moment(12, Step::Return, false, KERNEL_STACK, &idle));
    let fault = Step::Entry {
        activity: Activity::Fault(16),
        from_user: false,
        stack: nested,
        changes_mode: true,
    };
    track.take(0, &moment(20, fault, false, other_stack + 64, &idle));
    track.take(0, &moment(21, Step::Return, false, nested, &idle));
    track.take(0, &moment(30, Step::Return, false, nested, &idle));
    track.take(0, &moment(40, Step::Return, false, KERNEL_STACK, &idle));
    let expected = [
        (0, 10, "swapper", Activity::Idle),
        (10, 20, "swapper", Activity::Interrupt(None)),
        (20, 30, "swapper", Activity::Fault(16)),
        (30, 40, "swapper", Activity::Interrupt(None)),
        (40, 50, "swapper", Activity::Idle),
    ];
    let expected = expected.map(|(from, to, name, what)| (from, to, name.to_string(), what));
    assert_eq!(told(&track, 50), expected);
}

/// Writes a word of the memory of [`machine`] as an ARM does.
fn store(space: &mut AddressSpace, address: u32, value: u32) {
    space.load(MemoryIndex(0), address, &value.to_le_bytes());
}

#[test]
fn a_task_in_a_variable_is_known_behind_the_instruction_that_writes_it() {
    const VARIABLE: u32 = 0x1000;
    const BEHIND: u32 = 0xc000_9454;
    let (_, mut space, layout) = machine();
    let layout = Layout {
        current: Current::Variable(Variable {
            address: VARIABLE,
            offset: 0xc000_0000,
            written_before: [BEHIND].into(),
        }),
        ..layout
    };
    store(&mut space, 0x2008, 9);
    store(&mut space, 0x200c, 4);
    let mut core = socscope_arm::Core::new(socscope_arm::CoreModel::Arm926EjS);
    let mut probe = Linux::new(layout, &core, CoreSet::of(&[0]).unwrap());
    assert!(probe.addresses().unwrap().contains(&BEHIND));
    probe.look(0, &core, &space);
    store(&mut space, VARIABLE, 0xc000_2000);
    probe.reaches(BEHIND - 4);
    assert!(!probe.stop());
    probe.reaches(BEHIND);
    assert!(probe.stop());
    probe.look(10, &core, &space);
    assert!(!probe.stop());
    core.set_status(socscope_arm::Status {
        mode: socscope_arm::Mode::User,
        ..core.status()
    });
    core.set_register(7, 4);
    core.enter(socscope_arm::Exception::SoftwareInterrupt, 0x8000);
    probe.transfer(0x8000, 8, Transfer::ExceptionEntry(2), 0);
    probe.look(20, &core, &space);
    // Another core, on which no kernel runs.
    probe.turn(1);
    probe.transfer(0, 0x18, Transfer::ExceptionEntry(6), 0);
    probe.look(25, &core, &space);
    let expected = [
        (0, 10, "", Activity::Kernel),
        (10, 20, "rule30", Activity::Kernel),
        (20, 30, "rule30", Activity::SystemCall(4)),
    ];
    let expected = expected.map(|(from, to, name, what)| (from, to, name.to_string(), what));
    assert_eq!(told(probe.track(), 30), expected);
}

#[test]
fn starting_the_kernel_is_work_and_no_idleness() {
    let (idle, init) = (task(0, "swapper"), task(1, "init"));
    let nothing = Moment {
        block: 0xffff_0000,
        task: None,
        ..moment(0, Step::Switch, false, 0, &idle)
    };
    let mut track = Track::default();
    track.take(0, &nothing);
    track.take(1, &nothing);
    track.take(0, &moment(10, Step::Switch, false, KERNEL_STACK, &idle));
    track.take(0, &moment(20, Step::Switch, false, KERNEL_STACK, &init));
    track.take(0, &moment(30, Step::Switch, false, KERNEL_STACK, &idle));
    let expected = [
        (0, 10, "", Activity::Kernel),
        (10, 20, "swapper", Activity::Kernel),
        (20, 30, "init", Activity::Kernel),
        (30, 40, "swapper", Activity::Idle),
        (0, 40, "", Activity::Idle),
    ];
    let expected = expected.map(|(from, to, name, what)| (from, to, name.to_string(), what));
    assert_eq!(told(&track, 40), expected);
}
