//! Random calls, returns, jumps, exceptions and task switches: the contexts are those of the model without a stack.

use super::reference::Reference;
use super::*;
use proptest::prelude::*;

/// Functions are 0x100 bytes long and have ids from 0 on.
const FUNCTIONS: u32 = 12;

/// What the program does next. Most are what compiled code does; wild ones do anything.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// Calls a function after pushing so many words.
    Call {
        function: u32,
        words: u32,
        at: u32,
    },
    /// Returns as it was called.
    Return,
    /// Returns to the caller so many calls above, as longjmp does.
    LongJump {
        frames: usize,
        offset: u32,
    },
    /// A tail call.
    TailCall {
        function: u32,
    },
    FallThrough {
        function: u32,
    },
    /// Before the running function's first instruction, in its middle, or behind its last one, with so many words pushed.
    Exception {
        number: u8,
        words: u32,
        offset: u32,
        pushed: u32,
        /// Which of some stacks the handler has.
        stack: u32,
    },
    /// From an exception back to just what it has interrupted.
    Leave,
    /// Calls the function in which all tasks give up the processor, and goes on in another one that has done so.
    Switch {
        task: usize,
    },
    /// From an exception back, or to another task.
    Resume {
        task: usize,
    },
    /// A new task begins on a stack of its own.
    Start {
        function: u32,
        stack: u32,
    },
    Wild {
        function: u32,
        offset: u32,
        sp: u32,
        kind: u8,
        next: u32,
    },
    Reset {
        function: u32,
    },
}

fn act() -> impl Strategy<Value = Act> {
    let function = || 0..FUNCTIONS;
    prop_oneof![
        40 => (function(), 0..6u32, 1..30u32)
            .prop_map(|(function, words, at)| Act::Call { function, words, at }),
        40 => Just(Act::Return),
        3 => (0..4usize, 1..30u32).prop_map(|(frames, offset)| Act::LongJump { frames, offset }),
        5 => function().prop_map(|function| Act::TailCall { function }),
        2 => function().prop_map(|function| Act::FallThrough { function }),
        6 => (1..8u8, 0..4u32, 0..3usize, 0..3u32, 0..3u32).prop_map(
            |(number, words, offset, pushed, stack)| {
                let offset = [0, 0x40, 0x100][offset];
                Act::Exception { number, words, offset, pushed, stack }
            }
        ),
        5 => Just(Act::Leave),
        8 => (0..4usize).prop_map(|task| Act::Switch { task }),
        4 => (0..4usize).prop_map(|task| Act::Resume { task }),
        2 => (function(), 1..4u32).prop_map(|(function, stack)| Act::Start { function, stack }),
        4 => (function(), 0..8u32, 0..64u32, 0..5u8, 0..64u32).prop_map(
            |(function, offset, sp, kind, next)| Act::Wild {
                function,
                offset: offset * 4,
                sp: 0xfc0 + sp,
                kind,
                next: next * 0x34,
            }
        ),
        1 => function().prop_map(|function| Act::Reset { function }),
    ]
}

/// Where a program is: its function and stack pointer, and the calls that it is in.
#[derive(Clone, Debug)]
struct Task {
    function: u32,
    sp: u32,
    calls: Vec<(u32, u32, u32)>,
    /// Where it goes on, with which stack pointer, when it has been interrupted.
    interrupted: (u32, u32),
    /// Where that goes on which it has interrupted.
    over: Option<(u32, u32)>,
}

/// The function in which tasks give up the processor.
const SWITCH: u32 = 0xa;

struct Pair {
    contexts: Contexts,
    reference: Reference,
}

impl Pair {
    /// What the profile does when it is told what an exception interrupts.
    fn interrupted(&mut self, number: u8, function: u32, address: u32) {
        if matches!(number, 1 | 2) {
            return;
        }
        if address / 0x100 != function {
            let function = FunctionId(i64::from(address / 0x100));
            self.contexts.fall_through(function);
            self.reference.fall_through(function);
        }
        self.agree();
    }

    fn transfer(&mut self, address: u32, kind: Transfer, sp: u32, next: u32) {
        self.transfer_from(address, kind, sp, (next, None));
    }

    fn transfer_from(
        &mut self,
        address: u32,
        kind: Transfer,
        sp: u32,
        (next, interrupted): (u32, Option<Interrupted>),
    ) {
        let to = Arrival {
            function: FunctionId(i64::from(address / 0x100)),
            address,
            at_start: address.is_multiple_of(0x100),
            kind,
            sp,
            next,
            next_function: FunctionId(i64::from(next / 0x100)),
            one_stack: sp.is_multiple_of(8),
            is_system_call: kind == Transfer::ExceptionEntry(2),
            interrupted,
        };
        assert_eq!(
            self.contexts.returns(address, sp),
            self.reference.returns(address, sp)
        );
        self.contexts.transfer(to);
        self.reference.transfer(to);
        self.agree();
    }

    fn agree(&self) {
        assert_eq!(self.contexts.current(), self.reference.current());
        assert_eq!(self.contexts.nodes(), self.reference.nodes());
        let nodes = self.contexts.nodes();
        let (frames, current) = self.contexts.frames().parts(nodes);
        let frames: Vec<_> = frames.iter().map(|frame| (frame.key, frame.node)).collect();
        let interrupted = self.contexts.frames().interrupted(nodes);
        assert_eq!((frames, current.key, interrupted), self.reference.frames());
    }
}

fn play(acts: &[Act], nodes_max: usize) -> (Pair, usize) {
    let mut pair = Pair {
        contexts: Contexts::new(FunctionId(0), 0x1000, 2),
        reference: Reference::new(FunctionId(0), 0x1000, nodes_max),
    };
    pair.contexts.set_nodes_max(nodes_max);
    let begin = |function: u32, sp: u32| Task {
        function,
        sp,
        calls: vec![],
        interrupted: (function * 0x100, sp),
        over: None,
    };
    let mut running = begin(0, 0x1000);
    let mut others: Vec<Task> = vec![];
    let mut deepest = 0;
    for &act in acts {
        match act {
            Act::Call {
                function,
                words,
                at,
            } => {
                let sp = running.sp.wrapping_sub(4 * words);
                let next = running.function * 0x100 + at * 4;
                running.calls.push((running.function, sp, next));
                pair.transfer(function * 0x100, Transfer::Call, sp, next);
                running.function = function;
                running.sp = sp;
            }
            Act::Return => {
                let Some((function, sp, next)) = running.calls.pop() else {
                    continue;
                };
                pair.transfer(next, Transfer::Jump, sp, 0);
                running.function = function;
                running.sp = sp;
            }
            Act::LongJump { frames, offset } => {
                let keep = running.calls.len().saturating_sub(frames);
                running.calls.truncate(keep);
                let Some(&(function, sp, _)) = running.calls.last() else {
                    continue;
                };
                pair.transfer(function * 0x100 + offset * 4, Transfer::Jump, sp, 0);
                running.function = function;
            }
            Act::TailCall { function } => {
                pair.transfer(function * 0x100, Transfer::Jump, running.sp, 0);
                running.function = function;
            }
            Act::FallThrough { function } => {
                pair.contexts.fall_through(FunctionId(i64::from(function)));
                pair.reference.fall_through(FunctionId(i64::from(function)));
                pair.agree();
                running.function = function;
            }
            Act::Exception {
                number,
                words,
                offset,
                pushed,
                stack,
            } => {
                let sp = 0x8000 + 0x1000 * stack - 4 * words;
                let (address, from_sp) =
                    (running.function * 0x100 + offset, running.sp - 8 * pushed);
                pair.interrupted(number, running.function, address);
                running.interrupted = (address, from_sp);
                running.function = address / 0x100;
                others.push(running);
                let interrupted = Some(Interrupted {
                    address,
                    sp: from_sp,
                });
                let kind = Transfer::ExceptionEntry(number);
                pair.transfer_from(0xb00, kind, sp, (address, interrupted));
                running = begin(0xb, sp);
                running.over = Some((address, from_sp));
            }
            Act::Leave => {
                let wanted = |task: &Task| Some(task.interrupted) == running.over;
                if let Some(place) = others.iter().rposition(wanted) {
                    running = others.swap_remove(place);
                    let (address, sp) = running.interrupted;
                    pair.transfer(address, Transfer::ExceptionReturn, sp, 0);
                }
            }
            Act::Switch { task } => {
                let (sp, next) = (running.sp - 4, running.function * 0x100 + 0x20);
                running.calls.push((running.function, running.sp, next));
                pair.transfer(SWITCH * 0x100, Transfer::Call, sp, next);
                (running.function, running.sp) = (SWITCH, sp);
                let count = others.len().max(1);
                let mut places = (task..task + count).map(|place| place % count);
                let has_left = |place: &usize| {
                    let other = others.get(*place);
                    other.is_some_and(|one| one.function == SWITCH && !one.calls.is_empty())
                };
                if let Some(place) = places.find(has_left) {
                    std::mem::swap(&mut running, &mut others[place]);
                }
                if let Some((function, sp, next)) = running.calls.pop() {
                    pair.transfer(next, Transfer::Jump, sp - 4, 0);
                    (running.function, running.sp) = (function, sp);
                }
            }
            Act::Resume { task } => {
                if others.is_empty() {
                    continue;
                }
                let task = others.swap_remove(task % others.len());
                others.push(std::mem::replace(&mut running, task));
                if others.len() > 5 {
                    others.remove(0);
                }
                let (address, sp) = running.interrupted;
                pair.transfer(address, Transfer::ExceptionReturn, sp, 0);
            }
            Act::Start { function, stack } => {
                let sp = stack * 0x10_0000;
                others.push(running);
                pair.transfer(function * 0x100, Transfer::ExceptionReturn, sp, 0);
                running = begin(function, sp);
            }
            Act::Wild {
                function,
                offset,
                sp,
                kind,
                next,
            } => {
                let kind = match kind {
                    0 => Transfer::Jump,
                    1 => Transfer::Call,
                    2 => Transfer::ExceptionReturn,
                    number => Transfer::ExceptionEntry(number),
                };
                pair.transfer(function * 0x100 + offset, kind, sp, next);
                running.function = function;
            }
            Act::Reset { function } => {
                pair.contexts.reset(FunctionId(i64::from(function)), 0);
                pair.reference.reset(FunctionId(i64::from(function)), 0);
                pair.agree();
                running = begin(function, 0x1000);
            }
        }
        deepest = deepest.max(pair.contexts.tracking().depth());
    }
    (pair, deepest)
}

/// More of them by the variable that proptest has for it.
const CASES: u32 = 400;

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn contexts_are_those_of_the_reference(
        acts in prop::collection::vec(act(), 1..600),
        nodes_max in prop_oneof![Just(usize::MAX), 1..100usize],
    ) {
        let (pair, _) = play(&acts, nodes_max);
        if let Some(folded) = pair.contexts.folded() {
            let nodes = pair.contexts.nodes();
            let below = nodes.iter().filter(|node| node.parent == Some(folded)).count();
            prop_assert!(below <= 3 * FUNCTIONS as usize);
            let roots = nodes.iter().filter(|node| node.parent.is_none()).count();
            prop_assert!(nodes.len() <= nodes_max + below + roots);
        }
    }
}

#[test]
fn plain_calls_are_fast() {
    let mut acts = vec![];
    for _ in 0..40 {
        acts.push(Act::Call {
            function: 3,
            words: 2,
            at: 5,
        });
    }
    assert_eq!(play(&acts, usize::MAX).1, 40);
}

#[test]
fn functions_that_are_jumped_to_are_fast() {
    let mut acts = vec![];
    for function in 1..9 {
        acts.extend([
            Act::Call {
                function,
                words: 2,
                at: 5,
            },
            Act::TailCall {
                function: function + 1,
            },
            Act::FallThrough {
                function: function + 2,
            },
        ]);
    }
    assert_eq!(play(&acts, usize::MAX).1, 24);
    // From the lowest frame too; what it leads to returns slowly.
    assert_eq!(play(&[Act::TailCall { function: 1 }], usize::MAX).1, 1);
    acts.extend([Act::Return; 8]);
    assert_eq!(play(&acts, usize::MAX).0.contexts.tracking().depth(), 0);
}

#[test]
fn a_jump_that_comes_round_is_slow() {
    let call = Act::Call {
        function: 1,
        words: 2,
        at: 5,
    };
    let [there, back] = [2, 1].map(|function| Act::TailCall { function });
    let (pair, deepest) = play(&[call, there, back, Act::Return], usize::MAX);
    assert_eq!(deepest, 2);
    assert_eq!(pair.contexts.current(), NodeIndex(0));
}

#[test]
fn a_frame_that_has_gone_is_not_returned_to() {
    let (mut pair, _) = play(&[], usize::MAX);
    // A function that calls itself again and again with one stack pointer has few frames; the last one's return leads to the function's start.
    for _ in 0..6 {
        pair.transfer(0x100, Transfer::Call, 0x1000, 0x100);
    }
    pair.transfer(0x100, Transfer::Jump, 0x1000, 0);
    pair.transfer(0x200, Transfer::Call, 0x0ff0, 0x140);
    pair.transfer(0x140, Transfer::Jump, 0x0ff0, 0);
}

#[test]
fn a_system_call_leaves_the_frames_where_they_are() {
    let call = |function| Act::Call {
        function,
        words: 2,
        at: 5,
    };
    let system_call = Act::Exception {
        number: 2,
        words: 0,
        offset: 0x40,
        pushed: 0,
        stack: 0,
    };
    let acts = [call(1), call(2), system_call, call(3), Act::Return];
    assert_eq!(play(&acts, usize::MAX).1, 4);
    let acts = [acts.as_slice(), &[Act::Leave]].concat();
    assert_eq!(play(&acts, usize::MAX).0.contexts.tracking().depth(), 2);
}

#[test]
fn stacks_wait_while_others_run() {
    let (mut pair, _) = play(&[], usize::MAX);
    let mut depths = vec![];
    let [first, second] = [(0x110, 0xfe0), (0x610, 0x1f_ffe0)];
    let mut switch = |pair: &mut Pair, from: (u32, u32), to: (u32, u32)| {
        pair.transfer(SWITCH * 0x100, Transfer::Call, from.1, from.0);
        depths.push(pair.contexts.tracking().depth());
        pair.transfer(to.0, Transfer::Jump, to.1, 0);
        depths.push(pair.contexts.tracking().depth());
    };
    pair.transfer(0x100, Transfer::Call, 0xff0, 0x10);
    pair.transfer(SWITCH * 0x100, Transfer::Call, first.1, first.0);
    // Another task starts, and both go on in turns: the frame of the function that switches is in the place of the one that it left before.
    pair.transfer(0x500, Transfer::ExceptionReturn, 0x20_0000, 0);
    pair.transfer(0x600, Transfer::Call, 0x1f_fff0, 0x510);
    for _ in 0..3 {
        switch(&mut pair, second, first);
        switch(&mut pair, first, second);
    }
    assert_eq!(depths, [2, 1].repeat(6));
}
