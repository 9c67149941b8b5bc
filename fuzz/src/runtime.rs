//! What stands around the functions of a program: vectors, handlers, and the loop that calls them all in turn.

use crate::arm;
use crate::assembler::{Assembler, Label, Literal, Section};
use crate::board::{AIC, RAM, STACK_BYTES, STACKS_TOP, TIMER, USART0, USART1};
use crate::emit::Linkage;
use crate::program::Program;
use socscope_isa::arm::{ALWAYS, InstructionSet, Mode};

/// Where the number of the function that is called is kept: between code and data.
const NUMBER: u32 = RAM + 0x7ff0;
/// How often interrupts came.
const INTERRUPTS: u32 = RAM + 0x7ff4;
/// How many calls are left, where they are counted.
const CALLS: u32 = RAM + 0x7ff8;
/// Timer channel whose interrupt gives up the function that runs, and calls the next one.
const GIVE_UP: u32 = 2;
/// Modes with a stack of their own, beside the system mode.
const STACKED: [Mode; 5] = [
    Mode::FastInterrupt,
    Mode::Interrupt,
    Mode::Supervisor,
    Mode::Abort,
    Mode::Undefined,
];
pub(crate) const END_OF_INTERRUPT: u32 = AIC + 0x130;

/// The parts that the linker needs.
pub struct Runtime {
    /// Where the core starts behind the remap.
    pub entry: Label,
    /// The endless loop at the end of a program that has one.
    pub end: Label,
    /// Functions of its own, in the order of their addresses; none where it counts as one.
    pub parts: Vec<(String, Label)>,
    /// Where the last of them ends.
    pub parts_end: Option<Label>,
    /// Where the vectors lead.
    pub vectors: [Label; 8],
}

/// Writes instructions one after the other.
pub(crate) struct Writer<'a> {
    pub assembler: &'a mut Assembler,
}

impl Writer<'_> {
    pub fn words(&mut self, words: &[u32]) {
        for word in words {
            self.assembler.word(*word);
        }
    }

    pub fn constant(&mut self, register: u32, value: u32) {
        self.assembler.load(register, Literal::Value(value));
    }

    pub fn address(&mut self, register: u32, label: Label) {
        self.assembler
            .load(register, Literal::Address(label, InstructionSet::Arm));
    }

    /// The end of an interrupt handler that began with `sub lr, lr, #4` and `stmfd sp!, {r0-r3, lr}`.
    fn interrupt_return(&mut self) {
        self.constant(0, END_OF_INTERRUPT);
        self.words(&[0xe580_0000, 0xe8fd_800f]);
        self.assembler.flush_pool();
    }
}

const INTERRUPT_ENTRY: [u32; 2] = [0xe24e_e004, 0xe92d_400f];

/// Writes handlers and driver into the ROM. The vectors come last: [`Runtime::vectors`].
pub fn write(assembler: &mut Assembler, program: &Program, linkage: &Linkage) -> Runtime {
    assembler.begin(Section::Rom, InstructionSet::Arm);
    let (driver, recover) = (assembler.label(), assembler.label());
    let mut w = Writer { assembler };

    // Undefined instructions are passed over.
    let undefined = w.assembler.label_here();
    w.words(&[0xe1b0_f00e]);
    let trap = software_interrupt(&mut w);
    let abort = data_abort(&mut w);
    let prefetch_abort = w.assembler.label_here();
    w.assembler.branch(ALWAYS, recover);

    let timers: [Label; 3] = [0, 1, 2].map(|channel| timer(&mut w, channel, recover));
    let serials = [serial(&mut w, USART0), serial(&mut w, USART1)];
    let other = w.assembler.label_here();
    w.words(&INTERRUPT_ENTRY);
    w.interrupt_return();
    let fast = fast_interrupt(&mut w);

    let start = w.assembler.label_here();
    if program.rounds.is_none() {
        vector_registers(&mut w, fast, serials, timers, other);
    }
    stores(&mut w, program);
    if let Some(rounds) = program.rounds {
        w.constant(0, CALLS);
        w.constant(1, rounds * program.functions.len() as u32);
        w.words(&[0xe580_1000]);
    }

    w.assembler.place(recover);
    for (index, mode) in STACKED.iter().enumerate() {
        w.words(&[arm::set_status(0xc0 | *mode as u32)]);
        w.constant(13, STACKS_TOP - STACK_BYTES * (1 + index as u32));
    }
    w.words(&[arm::set_status(Mode::System as u32 | program.masks)]);
    let end = drive(&mut w, program, linkage, driver);
    Runtime {
        entry: start,
        end,
        parts: vec![],
        parts_end: None,
        vectors: [
            start,
            undefined,
            trap,
            prefetch_abort,
            abort,
            start,
            other,
            fast,
        ],
    }
}

/// Tells the interrupt controller where the handlers are.
fn vector_registers(
    w: &mut Writer,
    fast: Label,
    serials: [Label; 2],
    timers: [Label; 3],
    other: Label,
) {
    let sources = [
        (0, fast),
        (1, other),
        (2, serials[0]),
        (3, serials[1]),
        (4, timers[0]),
        (5, timers[1]),
        (6, timers[2]),
        (7, other),
        (8, other),
        (16, other),
    ];
    for (source, handler) in sources {
        w.constant(0, AIC + 0x80 + 4 * source);
        w.address(1, handler);
        w.words(&[0xe580_1000]);
    }
    w.constant(0, AIC + 0x134);
    w.address(1, other);
    w.words(&[0xe580_1000]);
}

/// Returns from a software interrupt; a number with bit 7 changes the mode and the masks that it returns to.
fn software_interrupt(w: &mut Writer) -> Label {
    let (label, done) = (w.assembler.label_here(), w.assembler.label());
    w.words(&[
        0xe92d_0007, // stmfd sp!, {r0-r2}
        0xe14f_1000, // mrs r1, spsr
        0xe311_0020, // tst r1, #0x20
        0x115e_00b2, // ldrneh r0, [lr, #-2]
        0x051e_0004, // ldreq r0, [lr, #-4]
        0xe310_0080, // tst r0, #0x80
    ]);
    w.assembler.branch(0, done);
    w.words(&[
        0xe3c1_10df, // bic r1, r1, #0xdf
        0xe200_201f, // and r2, r0, #0x1f
        0xe181_1002, // orr r1, r1, r2
        0xe1a0_2080, // mov r2, r0, lsl #1
        0xe202_20c0, // and r2, r2, #0xc0
        0xe181_1002, // orr r1, r1, r2
        0xe161_f001, // msr spsr_c, r1
    ]);
    w.assembler.place(done);
    w.words(&[0xe8bd_0007, 0xe1b0_f00e]);
    label
}

/// Passes over the instruction that was refused.
pub(crate) fn data_abort(w: &mut Writer) -> Label {
    let label = w.assembler.label_here();
    w.words(&[
        0xe92d_0001, // stmfd sp!, {r0}
        0xe14f_0000, // mrs r0, spsr
        0xe310_0020, // tst r0, #0x20
        0xe8bd_0001, // ldmfd sp!, {r0}
        0x025e_f004, // subeqs pc, lr, #4
        0xe25e_f006, // subs pc, lr, #6
    ]);
    label
}

fn timer(w: &mut Writer, channel: u32, recover: Label) -> Label {
    let label = w.assembler.label_here();
    w.words(&INTERRUPT_ENTRY);
    w.constant(0, TIMER + 0x40 * channel + 0x20);
    w.words(&[0xe590_1000]);
    if channel == GIVE_UP {
        w.constant(0, END_OF_INTERRUPT);
        w.words(&[0xe580_0000]);
        w.assembler.branch(ALWAYS, recover);
        w.assembler.flush_pool();
        return label;
    }
    w.constant(0, INTERRUPTS);
    // ldr r2, [r0]; add r2, r2, #1; str r2, [r0]
    w.words(&[0xe590_2000, 0xe282_2001, 0xe580_2000]);
    w.interrupt_return();
    label
}

/// Silences a serial port.
fn serial(w: &mut Writer, port: u32) -> Label {
    let label = w.assembler.label_here();
    w.words(&INTERRUPT_ENTRY);
    w.constant(0, port);
    // ldr r1, [r0, #0x14]; ldr r1, [r0, #0x18]; mvn r1, #0; str r1, [r0, #0xc]; mov r1, #0x100; str r1, [r0]
    w.words(&[
        0xe590_1014,
        0xe590_1018,
        0xe3e0_1000,
        0xe580_100c,
        0xe3a0_1c01,
        0xe580_1000,
    ]);
    w.interrupt_return();
    label
}

/// Counts in its own register.
pub(crate) fn fast_interrupt(w: &mut Writer) -> Label {
    let label = w.assembler.label_here();
    w.constant(8, AIC + 0x128);
    // mov r9, #1; str r9, [r8]; add r10, r10, #1; subs pc, lr, #4
    w.words(&[0xe3a0_9001, 0xe588_9000, 0xe28a_a001, 0xe25e_f004]);
    w.assembler.flush_pool();
    label
}

/// Stores what the program wants stored at its start.
pub(crate) fn stores(w: &mut Writer, program: &Program) {
    let (table, end) = (w.assembler.label(), w.assembler.label());
    w.address(0, table);
    w.address(1, end);
    let top = w.assembler.label_here();
    // ldmia r0!, {r2, r3}; str r3, [r2]; cmp r0, r1
    w.words(&[0xe8b0_000c, 0xe582_3000, 0xe150_0001]);
    w.assembler.branch(1, top);
    let behind = w.assembler.label();
    w.assembler.branch(ALWAYS, behind);
    w.assembler.place(table);
    // One store is always there: the loop ends at its bottom.
    for (address, value) in program.stores.iter().chain([&(INTERRUPTS, 0)]) {
        w.assembler.data(*address);
        w.assembler.data(*value);
    }
    w.assembler.place(end);
    w.assembler.place(behind);
}

/// Calls the functions in turn, each with the same registers.
fn drive(w: &mut Writer, program: &Program, linkage: &Linkage, driver: Label) -> Label {
    let (table, registers, end) = (
        w.assembler.label(),
        w.assembler.label(),
        w.assembler.label(),
    );
    w.assembler.place(driver);
    w.constant(13, STACKS_TOP);
    if program.rounds.is_some() {
        w.constant(0, CALLS);
        // ldr r1, [r0]; subs r1, r1, #1; str r1, [r0]
        w.words(&[0xe590_1000, 0xe251_1001, 0xe580_1000]);
        w.assembler.branch(4, end);
    }
    let slots = program.functions.len().next_power_of_two();
    w.constant(0, NUMBER);
    w.words(&[
        0xe590_1000,                      // ldr r1, [r0]
        0xe281_1001,                      // add r1, r1, #1
        0xe201_1000 | (slots as u32 - 1), // and r1, r1, #slots - 1
        0xe580_1000,                      // str r1, [r0]
    ]);
    w.address(2, table);
    w.words(&[0xe792_c101]); // ldr r12, [r2, r1, lsl #2]
    w.address(0, registers);
    w.words(&[0xe890_0fff, arm::LINK_AHEAD]);
    w.assembler.attached(arm::exchange(12));
    w.assembler.branch(ALWAYS, driver);
    w.assembler.place(end);
    w.assembler.branch(ALWAYS, end);
    w.assembler.flush_pool();
    w.assembler.place(table);
    for slot in 0..slots {
        let (label, set, _) = linkage.functions[slot % program.functions.len()];
        w.assembler.data_address(label, set);
    }
    w.assembler.place(registers);
    for value in program.registers {
        w.assembler.data(value);
    }
    end
}

impl Runtime {
    /// The vector table: jumps through eight addresses behind it; interrupts ask the controller.
    pub fn vectors(&self, assembler: &mut Assembler, reset: Label) {
        let ask = |vector| matches!(vector, 6 | 7);
        // Position-independent: before the remap the ROM is not yet where it was linked.
        assembler.branch(ALWAYS, reset);
        for vector in 1..8 {
            // ldr pc, [pc, #0x18], or ldr pc, [pc, #-0xf20]
            assembler.word(if ask(vector) {
                0xe51f_ff20
            } else {
                0xe59f_f018
            });
        }
        for label in self.vectors {
            assembler.data_address(label, InstructionSet::Arm);
        }
    }
}
