//! What stands around the functions of a program that is interrupted all the time: two tasks, which a timer's interrupt switches, and handlers of
//! every kind, some of which interrupt each other.

use crate::arm;
use crate::assembler::{Assembler, Label, Section};
use crate::board::{AIC, SRAM_DATA, TIMER};
use crate::emit::Linkage;
use crate::program::{Frame, Program, Tasks};
use crate::runtime::{END_OF_INTERRUPT, Runtime, Writer, data_abort, fast_interrupt, stores};
use socscope_isa::arm::{ALWAYS, InstructionSet, Mode};

/// What is kept of the tasks while others run: r0 to r14, where they go on, their status, the next task, and registers of a handler. The third task is
/// the program's end.
const KEPT: [u32; 3] = [
    SRAM_DATA.end - 0x300,
    SRAM_DATA.end - 0x200,
    SRAM_DATA.end - 0x280,
];
/// The random number of the timers.
pub(crate) const RANDOM: u32 = SRAM_DATA.end - 0x100;
/// How often handlers ran.
const RUNS: u32 = RANDOM + 4;
const STACKS: [u32; 2] = [0x8000 - 8, 0x7800 - 8];
const STACKS_OF_MODES: [(Mode, u32); 3] = [
    (Mode::Supervisor, 0x6400),
    (Mode::Abort, 0x6500),
    (Mode::Undefined, 0x6600),
];
/// Interrupt mode, both interrupts masked. Its stack pointer is what is kept of the task that runs.
const INTERRUPT_MODE: u32 = 0xd2;
/// The other timer is slower, so that handlers leave the tasks some time.
const OTHER_TIMER: u32 = 4;
const WAY_BACK: u32 = 60;
const STATUS: u32 = 64;
const NEXT: u32 = 68;

/// Stores at the start that switch the interrupts on; the vectors come from [`write`].
pub(crate) fn set_up(how: Tasks) -> Vec<(u32, u32)> {
    let mut stores = vec![(RANDOM, how.seed)];
    // The fast interrupt and a source of software's, both by edges, and two timers.
    for (source, mode) in [(0, 0x60), (1, 0x63), (4, 2), (5, 5)] {
        stores.push((AIC + 4 * source, mode));
    }
    for (channel, period) in [(0, 40), (1, 90)] {
        let base = TIMER + 0x40 * channel;
        let registers = [(0x04, 0xc000), (0x1c, period), (0x24, 0x10), (0, 5)];
        stores.extend(registers.map(|(offset, value)| (base + offset, value)));
    }
    stores.push((AIC + 0x120, if how.interrupted { 0x33 } else { 0 }));
    stores
}

/// Writes handlers and tasks into the on-chip memory, where handlers take little time. The vectors come last: [`Runtime::vectors`].
pub(crate) fn write(
    assembler: &mut Assembler,
    program: &Program,
    linkage: &Linkage,
    how: Tasks,
) -> Runtime {
    assembler.begin(Section::Sram, InstructionSet::Arm);
    let mut parts = vec![];
    let mut w = Writer { assembler };
    let undefined = part(&mut w, &mut parts, "undefined");
    w.words(&[0xe1b0_f00e]);
    let (add_one, add_two) = (w.assembler.label(), w.assembler.label());
    let trap = part(&mut w, &mut parts, "trap");
    software_interrupt(&mut w, add_one);
    parts.push(("abort".into(), w.assembler.label_here()));
    let abort = data_abort(&mut w);
    // A handler's function that falls into another one.
    for (name, label, amount) in [("add one", add_one, 1), ("add two", add_two, 2)] {
        parts.push((name.into(), w.assembler.label_here()));
        w.assembler.place(label);
        w.words(&[0xe281_1000 | amount]);
    }
    w.words(&[0xe1a0_f00e]);
    let switch = part(&mut w, &mut parts, "switch");
    switch_tasks(&mut w, how, add_one);
    let tick = part(&mut w, &mut parts, "tick");
    tick_handler(&mut w, how, [add_one, add_two]);
    parts.push(("fast".into(), w.assembler.label_here()));
    let fast = fast_interrupt(&mut w);

    let tasks = [w.assembler.label(), w.assembler.label()];
    let start = part(&mut w, &mut parts, "start");
    let end = w.assembler.label();
    begin(
        &mut w,
        program,
        (fast, switch, tick),
        [tasks[0], tasks[1], end],
    );
    for (number, task) in tasks.into_iter().enumerate() {
        parts.push((format!("task {number}"), w.assembler.label_here()));
        w.assembler.place(task);
        whole_task(&mut w, program, linkage, number == 1);
    }
    parts.push(("end".into(), w.assembler.label_here()));
    w.assembler.place(end);
    w.assembler.branch(ALWAYS, end);
    let parts_end = Some(w.assembler.label_here());
    Runtime {
        entry: start,
        end,
        parts,
        parts_end,
        vectors: [start, undefined, trap, end, abort, start, tick, fast],
    }
}

fn part(w: &mut Writer, parts: &mut Vec<(String, Label)>, name: &str) -> Label {
    let label = w.assembler.label_here();
    parts.push((name.into(), label));
    label
}

/// Sets up devices and stacks, and what is kept of both tasks; then the first one runs.
fn begin(
    w: &mut Writer,
    program: &Program,
    (fast, switch, tick): (Label, Label, Label),
    tasks: [Label; 3],
) {
    for (source, handler) in [(0, fast), (1, tick), (4, switch), (5, tick)] {
        w.constant(0, AIC + 0x80 + 4 * source);
        w.address(1, handler);
        w.words(&[0xe580_1000]);
    }
    w.constant(0, AIC + 0x134);
    w.address(1, tick);
    w.words(&[0xe580_1000]);
    for (mode, top) in STACKS_OF_MODES {
        w.words(&[arm::set_status(0xc0 | mode as u32)]);
        w.constant(13, top);
    }
    for (number, task) in tasks.into_iter().enumerate() {
        w.constant(0, KEPT[number]);
        w.address(1, task);
        w.words(&[arm::access(false, 1, 0, WAY_BACK)]);
        for (offset, value) in [
            (52, STACKS[number % 2]),
            (
                STATUS,
                Mode::System as u32 | if number == 2 { 0xc0 } else { 0 },
            ),
            (NEXT, KEPT[1 - number % 2]),
        ] {
            w.constant(1, value);
            w.words(&[arm::access(false, 1, 0, offset)]);
        }
    }
    stores(w, program);
    w.words(&[arm::set_status(INTERRUPT_MODE)]);
    w.constant(13, KEPT[0]);
    go_on(w);
    w.assembler.flush_pool();
}

/// The task that is kept at the stack pointer goes on.
fn go_on(w: &mut Writer) {
    w.words(&[
        arm::access(true, 0, 13, STATUS),
        0xe16f_f000, // msr spsr, r0
        0xe8dd_7fff, // ldmia sp, {r0-lr}^
        arm::NO_OPERATION,
        arm::access(true, 14, 13, WAY_BACK),
        0xe1b0_f00e, // movs pc, lr
    ]);
}

/// A new random period, or so many times (a power of two) that, for the timer whose status register r0 points to; changes r1 and r2.
fn next_period(w: &mut Writer, how: Tasks, longer: u32) {
    w.constant(2, RANDOM);
    w.words(&[
        arm::access(true, 1, 2, 0),
        0xe081_1101, // add r1, r1, r1, lsl #2
        0xe281_100d, // add r1, r1, #13
        arm::access(false, 1, 2, 0),
        0xe1a0_1da1, // mov r1, r1, lsr #27
        0xe281_1000 | how.ticks_min,
        0xe1a0_1001 | longer << 7, // mov r1, r1, lsl #longer
        0xe500_1004,               // str r1, [r0, #-4]
    ]);
}

/// The timer begins anew, and the interrupt is over; changes r0 and r1.
fn end_of_interrupt(w: &mut Writer) {
    // mov r1, #5; str r1, [r0, #-0x20]
    w.words(&[0xe3a0_1005, 0xe500_1020]);
    w.constant(0, END_OF_INTERRUPT);
    w.words(&[arm::access(false, 0, 0, 0)]);
}

fn switch_tasks(w: &mut Writer, how: Tasks, helper: Label) {
    w.words(&[
        0xe24e_e004, // sub lr, lr, #4
        arm::access(false, 14, 13, WAY_BACK),
        0xe8cd_7fff, // stmia sp, {r0-lr}^
        0xe14f_4000, // mrs r4, spsr
        arm::access(false, 4, 13, STATUS),
    ]);
    w.constant(0, TIMER + 0x20);
    w.words(&[arm::access(true, 1, 0, 0)]);
    next_period(w, how, 0);
    w.assembler.call(ALWAYS, helper);
    // and r4, r4, #0x1f; cmp r4, #0x1f: what interrupts a handler goes back to it
    w.words(&[0xe204_401f, 0xe354_001f]);
    w.words(&[arm::access(true, 13, 13, NEXT) & 0x0fff_ffff]);
    end_of_interrupt(w);
    go_on(w);
    w.assembler.flush_pool();
}

/// The handler of the other timer and of software's own interrupt, which is interrupted by the fast one in its middle.
fn tick_handler(w: &mut Writer, how: Tasks, helpers: [Label; 2]) {
    w.words(&[
        0xe24e_e004,
        arm::access(false, 14, 13, 72),
        0xe28d_e04c, // add lr, sp, #76
        0xe88e_000f, // stmia lr, {r0-r3}
    ]);
    w.constant(0, AIC + 0x12c);
    w.words(&[0xe3a0_1001, arm::access(false, 1, 0, 0)]);
    w.assembler.call(ALWAYS, helpers[1]);
    w.constant(0, TIMER + 0x60);
    w.words(&[arm::access(true, 1, 0, 0)]);
    next_period(w, how, OTHER_TIMER);
    w.constant(2, RUNS);
    w.words(&[arm::access(true, 1, 2, 0)]);
    w.assembler.call(ALWAYS, helpers[0]);
    w.words(&[arm::access(false, 1, 2, 0)]);
    end_of_interrupt(w);
    w.words(&[
        0xe28d_e04c,
        0xe89e_000f, // ldmia lr, {r0-r3}
        arm::access(true, 14, 13, 72),
        0xe1b0_f00e,
    ]);
    w.assembler.flush_pool();
}

/// Lets interrupts through while it works.
fn software_interrupt(w: &mut Writer, helper: Label) {
    w.words(&[
        0xe92d_4007, // stmfd sp!, {r0-r2, lr}
        0xe14f_0000, // mrs r0, spsr
        0xe52d_0004, // str r0, [sp, #-4]!
        arm::set_status(Mode::Supervisor as u32),
        arm::NO_OPERATION,
    ]);
    w.assembler.call(ALWAYS, helper);
    w.words(&[
        arm::set_status(0xc0 | Mode::Supervisor as u32),
        0xe49d_0004, // ldr r0, [sp], #4
        0xe16f_f000, // msr spsr, r0
        0xe8fd_8007, // ldmfd sp!, {r0-r2, pc}^
    ]);
}

/// Calls all functions some times; then the other task goes on alone, or the program ends.
fn whole_task(w: &mut Writer, program: &Program, linkage: &Linkage, backwards: bool) {
    let registers = w.assembler.label();
    w.constant(0, program.rounds.unwrap_or(1));
    w.words(&[arm::push(1)]);
    let top = w.assembler.label_here();
    let count = program.functions.len();
    for place in 0..count {
        let number = if backwards { count - 1 - place } else { place };
        if program.functions[number].frame == Frame::Inherited {
            continue;
        }
        let (label, set, section) = linkage.functions[number];
        w.address(0, registers);
        w.words(&[0xe890_0fff]);
        if section == Section::Sram && set == InstructionSet::Arm {
            w.assembler.call(ALWAYS, label);
        } else {
            let address = crate::assembler::Literal::Address(label, set);
            w.assembler.load(12, address);
            w.words(&[arm::LINK_AHEAD]);
            w.assembler.attached(arm::exchange(12));
        }
    }
    w.words(&[
        arm::access(true, 0, 13, 0),
        arm::count(0, false),
        arm::access(false, 0, 13, 0),
    ]);
    w.assembler.branch(1, top);
    w.words(&[
        arm::drop_frame(1),
        arm::set_status(INTERRUPT_MODE),
        arm::access(true, 0, 13, NEXT),
    ]);
    w.constant(1, KEPT[2]);
    w.words(&[
        0xe150_000d, // cmp r0, sp
        0x01a0_0001, // moveq r0, r1
        0xe1a0_d000, // mov sp, r0
        arm::access(false, 13, 13, NEXT),
    ]);
    go_on(w);
    w.assembler.flush_pool();
    w.assembler.place(registers);
    for value in program.registers {
        w.assembler.data(value);
    }
}
