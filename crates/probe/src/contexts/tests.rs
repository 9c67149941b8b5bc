use super::*;

const MAIN: FunctionId = FunctionId(0);
const COPY: FunctionId = FunctionId(1);
const HANDLER: FunctionId = FunctionId(2);
const OTHER: FunctionId = FunctionId(3);
const LAST: FunctionId = FunctionId(4);
const MIDDLE: u32 = 0x10;

/// Contexts under test; functions are 0x100 bytes long.
struct Bench {
    contexts: Contexts,
    one_stack: bool,
}

fn first(function: FunctionId) -> u32 {
    function.0 as u32 * 0x100
}

impl Bench {
    fn new() -> Bench {
        Bench {
            contexts: Contexts::new(MAIN, 0x1000, 1),
            one_stack: false,
        }
    }

    fn to(&mut self, function: FunctionId, offset: u32, kind: Transfer, sp: u32) -> NodeIndex {
        self.transfer(function, offset, kind, sp, None)
    }

    /// The interrupt's handler, whose stack is the same at each, interrupts the running function there.
    fn interrupt(&mut self, offset: u32, sp: u32) {
        let running = self.contexts.nodes()[self.contexts.current().0 as usize].function;
        let address = first(running) + offset;
        let at = Some(Interrupted { address, sp });
        self.transfer(HANDLER, 0, Transfer::ExceptionEntry(6), 0x8000, at);
    }

    fn transfer(
        &mut self,
        function: FunctionId,
        offset: u32,
        kind: Transfer,
        sp: u32,
        interrupted: Option<Interrupted>,
    ) -> NodeIndex {
        let from = self.contexts.nodes()[self.contexts.current().0 as usize].function;
        self.contexts.transfer(Arrival {
            function,
            address: first(function) + offset,
            at_start: offset == 0,
            kind,
            sp,
            next: first(from) + MIDDLE,
            next_function: from,
            one_stack: self.one_stack,
            is_system_call: matches!(kind, Transfer::ExceptionEntry(2 | 0x60)),
            interrupted,
        });
        self.contexts.current()
    }

    fn call(&mut self, function: FunctionId, sp: u32) -> NodeIndex {
        self.to(function, 0, Transfer::Call, sp)
    }

    fn back(&mut self, function: FunctionId, sp: u32) -> NodeIndex {
        self.to(function, MIDDLE, Transfer::Jump, sp)
    }
}

#[test]
fn an_interrupted_library_function_keeps_its_caller() {
    let mut bench = Bench::new();
    let copy = bench.call(COPY, 0x1000);
    let handler = bench.to(HANDLER, 0, Transfer::ExceptionEntry(6), 0x8000);
    let copy_in_handler = bench.call(COPY, 0x7f00);
    assert_ne!(copy, copy_in_handler);
    assert_eq!(bench.back(HANDLER, 0x7f00), handler);
    assert_eq!(bench.to(COPY, 8, Transfer::ExceptionReturn, 0x0ff0), copy);
}

#[test]
fn a_task_switch_finds_the_other_tasks_context() {
    let mut bench = Bench::new();
    let copy_of_main = bench.call(COPY, 0x1000);
    bench.to(OTHER, 0, Transfer::ExceptionReturn, 0x2000);
    let copy_of_other = bench.call(COPY, 0x2000);
    assert_ne!(copy_of_main, copy_of_other);
    for _ in 0..2 {
        let main = bench.to(COPY, 8, Transfer::ExceptionReturn, 0x0fc0);
        assert_eq!(main, copy_of_main);
        let other = bench.to(COPY, 8, Transfer::ExceptionReturn, 0x1fc0);
        assert_eq!(other, copy_of_other);
    }
}

#[test]
fn functions_that_jump_to_each_other_do_not_grow_the_tree() {
    let mut bench = Bench::new();
    bench.call(COPY, 0x1000);
    for _ in 0..10 {
        bench.to(OTHER, 0, Transfer::Jump, 0x1000);
        bench.to(COPY, 0, Transfer::Jump, 0x1000);
    }
    assert_eq!(bench.contexts.nodes().len(), 3);
}

#[test]
fn a_frame_that_has_returned_is_not_found_again() {
    let mut bench = Bench::new();
    bench.call(OTHER, 0x1000);
    bench.call(COPY, 0x0ff0);
    bench.back(OTHER, 0x0ff0);
    bench.back(MAIN, 0x1000);
    let copy = bench.call(COPY, 0x1000);
    // An interrupt when COPY's own frame reaches below the old one.
    bench.to(HANDLER, 0, Transfer::ExceptionEntry(6), 0x8000);
    assert_eq!(bench.to(COPY, 8, Transfer::ExceptionReturn, 0x0fe0), copy);
}

#[test]
fn recursion_comes_back_to_its_own_depth() {
    let mut bench = Bench::new();
    let outer = bench.call(COPY, 0x1000);
    for _ in 0..100 {
        let inner = bench.call(COPY, 0x0ff0);
        assert_ne!(outer, inner);
        assert!(bench.contexts.returns(first(COPY) + MIDDLE, 0x0ff0));
        assert_eq!(bench.back(COPY, 0x0ff0), outer);
    }
    assert_eq!(bench.contexts.nodes().len(), 3);
}

#[test]
fn a_tail_call_returns_to_the_first_caller() {
    let mut bench = Bench::new();
    let main = bench.contexts.current();
    bench.call(COPY, 0x1000);
    bench.to(OTHER, 0, Transfer::Jump, 0x1000);
    assert_eq!(bench.back(MAIN, 0x1000), main);
    assert_eq!(
        bench.to(OTHER, 8, Transfer::Jump, 0x1000).0,
        3,
        "no frame is left: a root"
    );
}

#[test]
fn a_function_that_was_fallen_into_is_found_after_its_calls() {
    let mut bench = Bench::new();
    bench.call(COPY, 0x1000);
    bench.contexts.fall_through(HANDLER);
    let handler = bench.contexts.current();
    bench.call(OTHER, 0x0ff0);
    assert_eq!(bench.back(HANDLER, 0x0ff0), handler);
}

#[test]
fn an_interrupted_task_goes_on_where_it_was_though_others_ran_since() {
    let mut bench = Bench::new();
    bench.call(COPY, 0x1000);
    // COPY has pushed some words and jumps to OTHER, which pops them: no frame of OTHER is above the stack pointer then.
    let other = bench.to(OTHER, 0, Transfer::Jump, 0x0ff0);
    bench.interrupt(MIDDLE, 0x1000);
    bench.to(LAST, 0, Transfer::ExceptionReturn, 0x0800);
    bench.interrupt(MIDDLE, 0x0800);
    assert_eq!(
        bench.to(OTHER, MIDDLE, Transfer::ExceptionReturn, 0x1000),
        other
    );
    // Once: what comes there later was not interrupted.
    bench.to(HANDLER, 0, Transfer::ExceptionEntry(6), 0x8000);
    assert_ne!(
        bench.to(OTHER, MIDDLE, Transfer::ExceptionReturn, 0x1000),
        other
    );
}

#[test]
fn a_function_that_was_interrupted_at_its_start_hands_on_its_own_frame() {
    let mut bench = Bench::new();
    bench.call(COPY, 0x1000);
    // COPY has pushed some words and falls into OTHER, which pops them and falls into LAST.
    bench.contexts.fall_through(OTHER);
    bench.interrupt(0, 0x0ff0);
    bench.to(OTHER, 0, Transfer::ExceptionReturn, 0x0ff0);
    bench.contexts.fall_through(LAST);
    let last = bench.contexts.current();
    bench.interrupt(8, 0x1000);
    assert_eq!(bench.to(LAST, 8, Transfer::ExceptionReturn, 0x1000), last);
}

#[test]
fn a_handler_that_skips_the_last_instruction_leads_into_the_next_function() {
    for skipped in [2, 4] {
        let mut bench = Bench::new();
        bench.call(OTHER, 0x1000);
        // The data abort is of OTHER's last instruction, behind which LAST begins.
        bench.interrupt(first(LAST) - first(OTHER) - skipped, 0x0ff0);
        let node = bench.to(LAST, 0, Transfer::ExceptionReturn, 0x0ff0);
        let Node { parent, entry, .. } = bench.contexts.nodes()[node.0 as usize];
        assert_eq!(entry, Entry::Jump);
        let parent = parent.map(|parent| bench.contexts.nodes()[parent.0 as usize].function);
        assert_eq!(parent, Some(OTHER));
    }
}

#[test]
fn a_function_that_calls_itself_with_one_stack_pointer_goes_on_in_its_own_frame() {
    let mut bench = Bench::new();
    let outer = bench.call(COPY, 0x1000);
    let inner = bench.call(COPY, 0x1000);
    bench.call(OTHER, 0x0ff0);
    assert_eq!(bench.back(COPY, 0x0ff0), inner);
    assert_eq!(bench.back(COPY, 0x1000), outer);
    assert_eq!(bench.back(MAIN, 0x1000), NodeIndex(0));
}

#[test]
fn a_task_that_starts_is_a_root_and_not_an_earlier_call() {
    let mut bench = Bench::new();
    let called = bench.call(COPY, 0x1000);
    bench.interrupt(0, 0x1000);
    let started = bench.to(COPY, 0, Transfer::ExceptionReturn, 0x0800);
    assert_ne!(started, called);
    assert_eq!(bench.contexts.nodes()[started.0 as usize].parent, None);
    // One that was interrupted before its first instruction goes on.
    bench.to(HANDLER, 0, Transfer::ExceptionEntry(6), 0x8000);
    assert_eq!(bench.to(COPY, 0, Transfer::ExceptionReturn, 0x1000), called);
}

#[test]
fn a_runaway_guest_does_not_fill_the_memory() {
    let mut bench = Bench::new();
    for depth in 0..1_000_000u32 {
        let kind = Transfer::ExceptionEntry(2);
        bench.to(HANDLER, 0, kind, 0x8000);
        bench.call(COPY, 0xffff_0000 - 8 * depth);
    }
    assert!(bench.contexts.nodes().len() < 2_000);
}

#[test]
fn a_reset_begins_at_a_root() {
    let mut bench = Bench::new();
    bench.call(COPY, 0x1000);
    bench.contexts.reset(OTHER, 0);
    let node = bench.contexts.nodes()[bench.contexts.current().0 as usize];
    assert_eq!((node.parent, node.function), (None, OTHER));
}

#[test]
fn a_return_with_another_stack_only_switches_translation_on() {
    const SYSTEM_CALL: Transfer = Transfer::ExceptionEntry(0x60);
    let mut bench = Bench::new();
    bench.one_stack = true;
    let program = bench.contexts.current();
    let handler = bench.to(HANDLER, 0, SYSTEM_CALL, 0x1000);
    let node = |bench: &Bench, index: NodeIndex| bench.contexts.nodes()[index.0 as usize];
    assert_eq!(node(&bench, handler).parent, Some(program));
    let translated = bench.to(OTHER, 8, Transfer::ExceptionReturn, 0x8000);
    assert_eq!(
        (
            node(&bench, translated).parent,
            node(&bench, translated).entry
        ),
        (Some(handler), Entry::Jump)
    );
    let copy = bench.call(COPY, 0x7f00);
    assert_eq!(node(&bench, copy).parent, Some(translated));
    assert_eq!(
        bench.to(MAIN, 8, Transfer::ExceptionReturn, 0x1000),
        program
    );
}

#[test]
fn what_comes_into_too_many_contexts_is_folded_by_function() {
    let mut bench = Bench::new();
    bench.contexts.set_nodes_max(3);
    let copy = bench.call(COPY, 0x1000);
    let other = bench.call(OTHER, 0x0ff0);
    let folded = bench.call(HANDLER, 0x0fe0);
    let node = |bench: &Bench, index: NodeIndex| bench.contexts.nodes()[index.0 as usize];
    let root = bench.contexts.folded().expect("there is one");
    assert_eq!(node(&bench, root).function, FunctionId::FOLDED);
    assert_eq!(node(&bench, folded).parent, Some(root));
    assert_eq!(node(&bench, folded).function, HANDLER);
    // However it is called, it is the same one; what was known before goes on as it was.
    assert_eq!(bench.call(HANDLER, 0x0fd0), folded);
    let inner = bench.call(COPY, 0x0fc0);
    assert_eq!(node(&bench, inner).parent, Some(root));
    for (function, sp) in [(HANDLER, 0x0fc0), (HANDLER, 0x0fd0), (OTHER, 0x0fe0)] {
        bench.back(function, sp);
    }
    assert_eq!(bench.contexts.current(), other);
    assert_eq!(bench.back(COPY, 0x0ff0), copy);
    assert_eq!(bench.contexts.nodes().len(), 6);
}

#[test]
fn what_tasks_leave_behind_when_they_switch_is_replaced_and_found_by_others() {
    let mut bench = Bench::new();
    bench.call(COPY, 0x1000);
    bench.call(LAST, 0x0f00);
    bench.to(OTHER, 0, Transfer::ExceptionReturn, 0x2000);
    bench.call(COPY, 0x2000);
    let [mut of_main, mut of_other] = [None; 2];
    let mut frames = vec![];
    for _ in 0..4 {
        bench.call(LAST, 0x1f00);
        let main = bench.back(COPY, 0x0f00);
        assert_eq!(*of_main.get_or_insert(main), main);
        bench.call(LAST, 0x0f00);
        let other = bench.back(COPY, 0x1f00);
        assert_eq!(*of_other.get_or_insert(other), other);
        let (alive, _) = bench.contexts.frames().parts(bench.contexts.nodes());
        frames.push(alive);
    }
    assert_ne!(of_main, of_other);
    assert_eq!(
        frames[1..],
        [frames[0].clone(), frames[0].clone(), frames[0].clone()]
    );
    // Both left a frame of the function that switches, each on its stack.
    let left = frames[0].iter().filter(|frame| frame.key.0 == LAST);
    assert_eq!(
        left.map(|frame| frame.key.1).collect::<Vec<_>>(),
        [0x0f00, 0x1f00]
    );
    // Somebody goes on in one of them all the same.
    let last = bench.to(LAST, 8, Transfer::Jump, 0x1ef0);
    assert_eq!(bench.contexts.nodes()[last.0 as usize].parent, of_other);
}

#[test]
fn what_was_jumped_to_and_left_behind_returns_for_the_one_that_jumped() {
    let mut bench = Bench::new();
    bench.call(COPY, 0x1000);
    bench.to(OTHER, 0, Transfer::ExceptionReturn, 0x2000);
    bench.call(COPY, 0x2000);
    let of_main = bench.back(COPY, 0x0f00);
    bench.call(LAST, 0x0f00);
    let jumped = bench.to(OTHER, 0, Transfer::Jump, 0x0f00);
    let of_other = bench.back(COPY, 0x1f00);
    assert_ne!(of_main, of_other);
    bench.to(LAST, 8, Transfer::Jump, 0x0ef0);
    bench.to(MAIN, 0, Transfer::ExceptionReturn, 0x3000);
    assert_eq!(bench.to(OTHER, 8, Transfer::Jump, 0x0ef0), jumped);
    assert_eq!(bench.back(COPY, 0x0f00), of_main);
}
