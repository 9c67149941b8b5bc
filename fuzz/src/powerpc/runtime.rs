//! Handlers and tasks around the functions of a program.

use super::code::{
    B, BASE, BEQ, BL, BLR, Code, Label, NOP, RFI, addi, load, lwz, mfspr, mtspr, open_frame, stw,
};
use super::program::{CONTROLLER, Program};

/// A linked program: memory from address 0 on.
pub struct Image {
    pub memory: Vec<u8>,
    pub entry: u32,
    pub end: u32,
    pub functions: Vec<(String, u32, u32)>,
}

/// Which task runs (0 or 4), whether the other one is over, the stack pointers of both.
const PRESENT: u32 = 0x1e00;
const ALONE: u32 = 4;
const STACK_POINTERS: u32 = 8;
/// The decrementer's random number.
const RANDOM: u32 = 0x1e10;
const STACKS: [u32; 2] = [0x1_8000, 0x1_c000];
/// Machine checks are taken; and interrupts.
const QUIET: u32 = 0x1000;
const INTERRUPTED: u32 = 0x9000;
const SRR0: u32 = 26;
const SRR1: u32 = 27;
const SPRG1: u32 = 273;
const SPRG2: u32 = 274;
const DECREMENTER: u32 = 22;
const HID0: u32 = 1008;
/// Of the controller's global configuration register.
const MIXED_MODE: u32 = 0x2000_0000;
const TIME_BASE_ON: u32 = 0x0400_0000;
/// Where the decrementer's handler keeps LR, CTR and XER in its frame; CR, SRR0 and SRR1 follow.
const KEPT: [(u32, u32); 5] = [(8, 140), (9, 144), (1, 148), (SRR0, 156), (SRR1, 160)];
const FRAME: i32 = 192;

/// mtmsr r0.
const MTMSR: u32 = 0x7c00_0124;

impl Program {
    /// Links it.
    pub fn link(&self) -> Image {
        let mut code = Code::default();
        let labels: Vec<Label> = self.functions.iter().map(|_| code.label()).collect();
        let [
            entry,
            task,
            finish,
            end,
            decrementer,
            resume,
            switch,
            helper,
        ] = std::array::from_fn(|_| code.label());
        code.function("decrementer".into(), decrementer);
        handle_decrementer(&mut code, self.ticks_min, (resume, switch));
        code.function("switch".into(), switch);
        switch_stacks(&mut code);
        code.function("helper".into(), helper);
        code.add(&[NOP, NOP]);
        let second = code.label();
        code.function("second helper".into(), second);
        code.add(&[NOP, BLR]);
        code.function("start".into(), entry);
        self.start(&mut code, task, resume);
        code.function("task".into(), task);
        self.task(&mut code, &labels, finish);
        code.function("finish".into(), finish);
        give_way(&mut code, end);
        code.function("end".into(), end);
        code.branch(B, end);
        self.emit(&mut code, &labels);
        code.finish();

        let mut memory = vec![0; BASE as usize];
        let mut put = |address: u32, words: &[u32]| {
            for (word, place) in words.iter().zip((address as usize..).step_by(4)) {
                memory[place..place + 4].copy_from_slice(&word.to_be_bytes());
            }
        };
        put(RANDOM, &[self.seed]);
        let keep = [mtspr(SPRG1, 31), mfspr(31, SRR0)];
        // What cannot be executed is passed over.
        let skip = [addi(31, 31, 4), mtspr(SRR0, 31), mfspr(31, SPRG1), RFI];
        for vector in [0x200, 0x300, 0x600, 0x700] {
            put(vector, &[&keep[..], &skip].concat());
        }
        let mut external = vec![mtspr(SPRG1, 31), mtspr(SPRG2, 30)];
        external.extend(load(31, CONTROLLER));
        // The vector is read, and the interrupt is over.
        external.extend([lwz(30, 31, 0xa0), addi(30, 0, 0), stw(30, 31, 0xb0)]);
        external.extend([mfspr(30, SPRG2), mfspr(31, SPRG1), RFI]);
        put(0x500, &external);
        let jump = |from: u32, word: u32, to| word | code.address(to).wrapping_sub(from);
        put(0x900, &[jump(0x900, B, decrementer)]);
        let call = jump(0xc08, BL, helper);
        let system = [mtspr(SPRG1, 31), mfspr(31, 8), call, mtspr(8, 31)];
        put(0xc00, &[&system[..], &[mfspr(31, SPRG1), RFI]].concat());
        memory.extend(code.words.iter().flat_map(|word| word.to_be_bytes()));
        let (entry, end, last) = (code.address(entry), code.address(end), code.here());
        Image {
            memory,
            entry,
            end,
            functions: with_ends(&code.functions, last),
        }
    }

    fn state(&self) -> u32 {
        if self.interrupted { INTERRUPTED } else { QUIET }
    }

    /// Sets up the controller and the second task's stack, as if it had been switched away from; then the first task runs.
    fn start(&self, code: &mut Code, task: Label, resume: Label) {
        code.add(&load(11, CONTROLLER));
        code.add(&[addi(0, 0, 0), stw(0, 11, 0x80)]);
        code.add(&load(11, CONTROLLER + 0x1000));
        // Nothing gets through in the mode after reset.
        code.add(&load(12, MIXED_MODE));
        code.add(&[stw(12, 11, 0x20)]);
        code.add(&load(12, 0x0008_0001));
        code.add(&[stw(12, 11, 0xa0)]);
        code.add(&load(1, STACKS[1] - FRAME as u32));
        code.load_address(12, task);
        code.add(&[stw(12, 1, 156)]);
        code.add(&load(12, self.state()));
        code.add(&[stw(12, 1, 160), open_frame(16)]);
        code.load_address(12, resume);
        code.add(&[stw(12, 1, 12), stw(1, 0, PRESENT + STACK_POINTERS + 4)]);
        code.add(&load(1, STACKS[0]));
        code.load_address(12, task);
        code.add(&[mtspr(SRR0, 12)]);
        code.add(&load(12, self.state()));
        code.add(&[mtspr(SRR1, 12)]);
        code.add(&load(12, TIME_BASE_ON));
        code.add(&[mtspr(HID0, 12), addi(12, 0, 9)]);
        code.add(&[mtspr(DECREMENTER, 12), RFI]);
    }

    /// Calls all functions some times. Both tasks are the same.
    fn task(&self, code: &mut Code, labels: &[Label], finish: Label) {
        code.add(&[addi(31, 0, self.rounds as i32)]);
        let top = code.label();
        code.place(top);
        for label in labels {
            code.branch(BL, *label);
        }
        // addic. r31, r31, -1; bne
        code.add(&[0x37ff_ffff]);
        code.branch(0x4082_0000, top);
        code.branch(B, finish);
    }
}

/// The task is over: the other one goes on, for good, or the program ends.
fn give_way(code: &mut Code, end: Label) {
    code.add(&load(0, QUIET));
    // cmpwi r12, 0
    code.add(&[MTMSR, lwz(12, 0, PRESENT + ALONE), 0x2c0c_0000]);
    let other = code.label();
    code.branch(BEQ, other);
    code.branch(B, end);
    code.place(other);
    code.add(&[addi(12, 0, 1), stw(12, 0, PRESENT + ALONE)]);
    // xori r11, r12, 4
    code.add(&[lwz(12, 0, PRESENT), 0x698b_0004, stw(11, 0, PRESENT)]);
    // lwz r1 of the other task; lwz r0, 12(r1); mtlr r0
    code.add(&[lwz(1, 11, PRESENT + STACK_POINTERS), lwz(0, 1, 12)]);
    code.add(&[0x7c08_03a6, addi(1, 1, 16), BLR]);
}

fn handle_decrementer(code: &mut Code, ticks_min: u32, (resume, switch): (Label, Label)) {
    // stmw r2, 16(r1)
    code.add(&[open_frame(FRAME), 0xbc41_0010, stw(0, 1, 8)]);
    for (number, place) in KEPT {
        code.add(&[mfspr(0, number), stw(0, 1, place)]);
    }
    // mfcr r0; mulli r4, r4, 5
    code.add(&[0x7c00_0026, stw(0, 1, 152), lwz(4, 0, RANDOM), 0x1c84_0005]);
    // rlwinm r4, r4, 5, 27, 31
    code.add(&[addi(4, 4, 13), stw(4, 0, RANDOM), 0x5484_2efe]);
    code.add(&[addi(4, 4, ticks_min as i32), mtspr(DECREMENTER, 4)]);
    code.branch(BL, switch);
    code.place(resume);
    // mtcrf 0xff, r0
    code.add(&[lwz(0, 1, 152), 0x7c0f_f120]);
    for (number, place) in KEPT {
        code.add(&[lwz(0, 1, place), mtspr(number, 0)]);
    }
    // lmw r2, 16(r1)
    code.add(&[lwz(0, 1, 8), 0xb841_0010, addi(1, 1, FRAME), RFI]);
}

/// Goes on with the other task, which has come here before, unless it is over.
fn switch_stacks(code: &mut Code) {
    let out = code.label();
    // mflr r0
    code.add(&[open_frame(16), 0x7c08_02a6, stw(0, 1, 12)]);
    // cmpwi r12, 0 of whether the task is alone
    code.add(&[lwz(12, 0, PRESENT + ALONE), 0x2c0c_0000]);
    code.branch(0x4082_0000, out);
    // xori r11, r12, 4
    code.add(&[lwz(12, 0, PRESENT), 0x698b_0004, stw(11, 0, PRESENT)]);
    code.add(&[
        stw(1, 12, PRESENT + STACK_POINTERS),
        lwz(1, 11, PRESENT + STACK_POINTERS),
    ]);
    code.place(out);
    code.add(&[lwz(0, 1, 12), 0x7c08_03a6, addi(1, 1, 16), BLR]);
}

fn with_ends(functions: &[(String, u32)], last: u32) -> Vec<(String, u32, u32)> {
    let vectors = (1..=0x12).map(|number| (format!("vector {:#x}", number << 8), number << 8));
    let mut all: Vec<_> = vectors.chain(functions.iter().cloned()).collect();
    all.sort_by_key(|(_, start)| *start);
    let ends: Vec<u32> = all
        .iter()
        .skip(1)
        .map(|(_, start)| *start)
        .chain([last])
        .collect();
    let ranges = all.into_iter().zip(ends);
    ranges
        .map(|((name, start), end)| (name, start, end))
        .collect()
}
