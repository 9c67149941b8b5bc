//! A profile's hold on the memory that it shares with translated code: contexts and their counters, the newest frames, known steps.

use super::steps::Steps;
use super::tracker::{Call, Entered, STACK_FRAMES, ShadowFrame, Tracker, filter_slot};
use super::{Counters, DATA_KINDS, FILTER_SLOTS, NodePointer, Step};
use socscope_memory::{Direction, RegionIndex, Width};
use std::ptr::NonNull;

/// A filter's byte that no longer counts.
const MANY: u8 = u8::MAX;

/// A tracker and the counters that it leads to.
pub struct Tracking {
    tracker: NonNull<Tracker>,
    counters: Counters,
    /// The context and region of the instruction that executes: a transfer of control changes `node` before its cycles are known.
    executing: (NodePointer, RegionIndex),
    /// Whether entries of contexts are counted.
    counting: bool,
    /// Frames from the lowest one up that the filter counts too, because an exception has interrupted them: stack pointers do not tell them from newer ones.
    pub(super) filtered: usize,
}

// SAFETY: the memory behind the pointers belongs to this value alone; it is used by one thread at a time.
unsafe impl Send for Tracking {}

impl Tracking {
    /// One context of `function`, number 0, that runs, on a machine with so many regions.
    pub fn new(regions: usize, function: i64) -> Tracking {
        let mut counters = Counters::new(regions);
        let node = counters.add(function);
        let lowest = ShadowFrame {
            node,
            sp: u32::MAX,
            return_address: 1,
            back: 0,
            return_sp: 0,
            unused: 0,
        };
        let tracker = Box::leak(Box::new(Tracker {
            node,
            top: std::ptr::null_mut(),
            limit: std::ptr::null_mut(),
            instructions: 0,
            filter: [0; FILTER_SLOTS],
            frames: [lowest; STACK_FRAMES],
            steps: Steps::new(),
        }));
        let mut tracking = Tracking {
            tracker: NonNull::from(tracker),
            counters,
            executing: (node, RegionIndex::UNMAPPED),
            counting: false,
            filtered: 0,
        };
        tracking.restart(0, false, 1, 0);
        tracking
    }

    /// A copy of the counters for a machine with more regions, and no frames.
    pub fn grown(&self, regions: usize) -> Tracking {
        // SAFETY: contexts of ours.
        let function = |index| unsafe { self.counters.pointer(index).function() };
        let mut grown = Tracking::new(regions, function(0));
        for index in 0..self.counters.len() as u32 {
            if index > 0 {
                grown.add_node(function(index));
            }
            grown.set_entered(index, self.counters.entered(index));
            for region in 0..self.counters.regions().min(regions) {
                let counts = self.counters.get(index, region);
                grown.set_counters(index, region, counts);
            }
        }
        grown.set_instructions(self.instructions());
        grown.executing.1 = self.executing.1;
        grown.counting = self.counting;
        grown
    }

    /// Address of the [`Tracker`]; the same until this value goes away.
    pub(crate) fn address(&self) -> u64 {
        self.tracker.as_ptr() as u64
    }

    /// The counters.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// One more context, of a function; its index.
    pub fn add_node(&mut self, function: i64) -> u32 {
        self.counters.add(function);
        self.counters.len() as u32 - 1
    }

    /// Sets the counters of a context in a region.
    pub fn set_counters(
        &mut self,
        index: u32,
        region: usize,
        counts: (u64, u64, [u64; DATA_KINDS]),
    ) {
        self.counters.set(index, region, counts);
    }

    /// Whether entries of contexts are counted from now on.
    pub fn count_entries(&mut self, on: bool) {
        self.counting = on;
    }

    /// A context is entered.
    #[inline]
    pub fn enters(&mut self, index: u32) {
        if self.counting {
            self.counters
                .set_entered(index, self.counters.entered(index) + 1);
        }
    }

    /// Sets how often a context was entered.
    pub fn set_entered(&mut self, index: u32, times: u64) {
        self.counters.set_entered(index, times);
    }

    /// The context that runs.
    #[inline]
    pub fn node(&self) -> u32 {
        let node = self.tracker().node;
        // SAFETY: tracker and frames lead to contexts of ours only.
        unsafe { self.counters.index_of(node) }
    }

    /// Instructions counted.
    #[inline]
    pub fn instructions(&self) -> u64 {
        self.tracker().instructions
    }

    /// Begins again with this many instructions.
    pub fn set_instructions(&mut self, instructions: u64) {
        self.tracker_mut().instructions = instructions;
    }

    /// An instruction in `region` executes.
    #[inline]
    pub fn executes(&mut self, region: RegionIndex) {
        self.executing = (self.tracker().node, region);
    }

    /// The next cycles are those of the context that runs now.
    pub fn executing_moves(&mut self) {
        self.executing.0 = self.tracker().node;
    }

    /// Region of the instruction that executes.
    pub fn executing_region(&self) -> RegionIndex {
        self.executing.1
    }

    /// Counts the instruction that executes.
    #[inline]
    pub fn count_instruction(&mut self) {
        let (node, region) = self.executing;
        self.tracker_mut().instructions += 1;
        // SAFETY: `executing` is a context of ours.
        unsafe { self.counters.count_instruction(node, region) };
    }

    /// Counts its cycles.
    #[inline]
    pub fn count_cycles(&mut self, cycles: u64) {
        let (node, region) = self.executing;
        // SAFETY: `executing` is a context of ours.
        unsafe { self.counters.count_cycles(node, region, cycles) };
    }

    /// Counts a data access of the context that runs.
    #[inline]
    pub fn count_data(&mut self, region: RegionIndex, width: Width, direction: Direction) {
        let node = self.tracker().node;
        // SAFETY: tracker and frames lead to contexts of ours only.
        unsafe { self.counters.count_data(node, region, width, direction) };
    }

    /// The newest frame; in the lowest one bit 0 of the return address is set.
    #[inline]
    pub fn top(&self) -> Call {
        self.call_at(self.depth())
    }

    /// Frames above the lowest one.
    #[inline]
    pub fn depth(&self) -> usize {
        let tracker = self.tracker();
        let base = tracker.frames.as_ptr() as usize;
        (tracker.top as usize - base) / size_of::<ShadowFrame>()
    }

    /// The frames above the lowest one, oldest first.
    pub fn calls(&self) -> impl DoubleEndedIterator<Item = Call> {
        (1..=self.depth()).map(|place| self.call_at(place))
    }

    /// Forgets all frames. The lowest one is now of context `node`, was perhaps `jumped` to, and really returns to `return_address`; `room` frames
    /// fit above it.
    pub fn restart(&mut self, node: u32, jumped: bool, return_address: u32, room: usize) {
        let node = self.counters.pointer(node);
        let room = room.min(STACK_FRAMES - 1);
        let base = self.base();
        let tracker = self.tracker_mut();
        tracker.frames[0] = ShadowFrame {
            node,
            sp: u32::MAX,
            return_address: return_address | 1,
            back: if jumped { 0 } else { ShadowFrame::BYTES as u64 },
            return_sp: 0,
            unused: 0,
        };
        tracker.node = node;
        tracker.top = base;
        tracker.limit = base.wrapping_add(room);
        self.filtered = 0;
    }

    /// Where a step leads, if that is known.
    #[inline]
    pub fn step(&self, step: Step, from: u32, function: i64) -> Option<u32> {
        let to = self
            .tracker()
            .steps
            .get(step, self.counters.pointer(from), function)?;
        // SAFETY: steps lead to contexts of ours only.
        Some(unsafe { self.counters.index_of(to) })
    }

    /// Remembers where a step leads.
    pub fn set_step(&mut self, step: Step, from: u32, function: i64, to: u32) {
        let (from, to) = (self.counters.pointer(from), self.counters.pointer(to));
        self.tracker_mut().steps.set(step, from, function, to);
    }

    /// Function and stack pointer of the frame at a place from the lowest one on.
    #[inline]
    pub(super) fn name_at(&self, place: usize) -> (i64, u32) {
        let ShadowFrame { node, sp, .. } = self.tracker().frame(place);
        // SAFETY: frames lead to contexts of ours only.
        (unsafe { node.function() }, sp)
    }

    /// Frames above this place are gone.
    #[inline]
    pub(super) fn go_down_to(&mut self, place: usize) {
        let base = self.base();
        let tracker = self.tracker_mut();
        tracker.top = base.wrapping_add(place);
        tracker.node = tracker.frames[place].node;
    }

    /// Whether no frame has a name that is outside the stack, or below an exception's frame. Other names may say no, too.
    #[inline]
    pub fn is_free(&self, function: i64, sp: u32) -> bool {
        self.tracker().filter[filter_slot(function, sp)] == 0
    }

    /// Whether one of the oldest frames has this name, of those that the filter counts, too.
    pub fn is_filtered(&self, function: i64, sp: u32) -> bool {
        (1..=self.filtered).any(|place| self.name_at(place) == (function, sp))
    }

    /// Whether a call finds room, and its frame lies below all others.
    #[inline]
    pub fn takes_call(&self, sp: u32) -> bool {
        self.has_room() && sp < self.top_frame().sp
    }

    /// A call that finds room, and whose name is free; the caller has looked where its return address lies.
    #[inline]
    pub fn call(&mut self, call: Call) {
        self.enters(call.node);
        self.push(call);
    }

    /// The stack pointer of the frame that a fast jump to another function makes, if its name is free; `None` when there is no fast one. The caller has
    /// seen that the jump is no return. `sp` is `None` if control falls into the function.
    #[inline]
    pub fn jumps_fast(&self, function: i64, sp: Option<u32>) -> Option<u32> {
        let top = self.top_frame().sp;
        let own = match sp {
            Some(sp) => sp == top || top == u32::MAX,
            None => top != u32::MAX,
        };
        let sp = sp.unwrap_or(top);
        let fast = own && self.has_room() && !self.tracker().may_be_in_jump_chain(function);
        fast.then_some(sp)
    }

    /// A fast jump to a function, in this context.
    pub fn jump_fast(&mut self, node: u32, sp: u32) {
        let return_address = self.top_frame().return_address;
        self.enters(node);
        self.push(Call {
            node,
            sp,
            return_address,
            entered: Entered::Jumped,
        });
    }

    /// Puts a frame onto the stack, on which it finds room and which it lies below.
    ///
    /// # Panics
    /// There is no room.
    #[inline]
    pub fn push(&mut self, call: Call) {
        let place = self.depth();
        let node = self.counters.pointer(call.node);
        let tracker = self.tracker_mut();
        assert!(tracker.top != tracker.limit, "room on the stack");
        let (below, return_sp) = match call.entered {
            Entered::Called => (0, 0),
            Entered::Jumped => (tracker.frames[place].back, 0),
            Entered::Interrupts { sp } => (0, sp),
        };
        tracker.frames[place + 1] = ShadowFrame {
            node,
            sp: call.sp,
            return_address: call.return_address,
            back: below + ShadowFrame::BYTES as u64,
            return_sp,
            unused: 0,
        };
        tracker.top = tracker.top.wrapping_add(1);
        tracker.node = node;
    }

    /// Control comes to `address` with this stack pointer: the return, when it is a fast one.
    #[inline]
    pub fn return_fast(&mut self, address: u32, sp: u32) -> bool {
        let place = self.depth();
        let tracker = self.tracker_mut();
        let top = tracker.frames[place];
        if top.return_address != address || top.sp != sp || place == 0 {
            return false;
        }
        let place = place - top.frames_back();
        tracker.top = tracker.top.wrapping_byte_sub(top.back as usize);
        tracker.node = tracker.frames[place].node;
        true
    }

    /// A frame outside the stack came to be.
    #[inline]
    pub fn filter_in(&mut self, function: i64, sp: u32) {
        let byte = &mut self.tracker_mut().filter[filter_slot(function, sp)];
        *byte = byte.saturating_add(1);
    }

    /// A frame outside the stack is gone. Slots that were full once stay so.
    #[inline]
    pub fn filter_out(&mut self, function: i64, sp: u32) {
        let byte = &mut self.tracker_mut().filter[filter_slot(function, sp)];
        if *byte != MANY {
            *byte -= 1;
        }
    }

    /// No frame outside the stack is left.
    pub fn filter_clear(&mut self) {
        self.tracker_mut().filter = [0; FILTER_SLOTS];
        self.filtered = 0;
    }

    #[inline]
    fn top_frame(&self) -> &ShadowFrame {
        // SAFETY: `top` is one of the frames.
        unsafe { &*self.tracker().top }
    }

    #[inline]
    fn call_at(&self, place: usize) -> Call {
        let mut call = self.call_of(self.tracker().frames[place]);
        if place == 0 {
            call.entered = Entered::Called;
        }
        call
    }

    /// What a frame above the lowest one says.
    #[inline]
    pub(super) fn call_of(&self, frame: ShadowFrame) -> Call {
        Call {
            // SAFETY: frames lead to contexts of ours only.
            node: unsafe { self.counters.index_of(frame.node) },
            sp: frame.sp,
            return_address: frame.return_address,
            entered: match frame.is_called() {
                false => Entered::Jumped,
                true if frame.is_exception() => Entered::Interrupts {
                    sp: frame.return_sp,
                },
                true => Entered::Called,
            },
        }
    }

    #[inline]
    fn base(&self) -> *mut ShadowFrame {
        // SAFETY: the tracker is alive; only an address inside it is computed.
        unsafe { (&raw mut (*self.tracker.as_ptr()).frames).cast() }
    }

    #[inline]
    pub(super) fn tracker(&self) -> &Tracker {
        // SAFETY: allocated by `new` and freed by `drop`; code that writes it does not run while `self` is borrowed.
        unsafe { self.tracker.as_ref() }
    }

    #[inline]
    pub(super) fn tracker_mut(&mut self) -> &mut Tracker {
        // SAFETY: as in `tracker`, and `self` is borrowed by nobody else.
        unsafe { self.tracker.as_mut() }
    }
}

impl Drop for Tracking {
    fn drop(&mut self) {
        // SAFETY: `new` leaked this box; nothing uses it any more.
        drop(unsafe { Box::from_raw(self.tracker.as_ptr()) });
    }
}
