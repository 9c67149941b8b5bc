//! Exceptions on the stack of frames, and stacks that wait while another one runs.

use super::{Call, Entered, ShadowFrame, Tracking};

/// The frames of a stack above its lowest one, while another stack runs.
#[derive(Clone, Default)]
pub struct Stack(Vec<ShadowFrame>);

// SAFETY: the pointers lead to contexts of the tracking whose stack it is, which goes where this goes; one thread uses them at a time.
unsafe impl Send for Stack {}

impl Stack {
    /// Frames above the lowest one.
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// Only so many of them are left.
    pub fn truncate(&mut self, depth: usize) {
        self.0.truncate(depth);
    }

    /// Whether one of them is an exception's.
    pub fn has_exceptions(&self) -> bool {
        self.0.iter().any(ShadowFrame::is_exception)
    }

    /// Whether the newest one is an exception's.
    pub fn ends_with_exception(&self) -> bool {
        self.0.last().is_some_and(ShadowFrame::is_exception)
    }

    /// Takes the frames from there on, oldest first, for a stack that has none.
    pub fn split_into(&mut self, depth: usize, above: &mut Stack) {
        above.0.clear();
        above.0.extend(self.0.drain(depth..));
    }
}

impl Tracking {
    /// An exception's handler is entered, for which there is room and whose name is free. The return address is odd.
    #[inline]
    pub fn interrupt(&mut self, call: Call) {
        self.filter_up_to(self.depth());
        self.enters(call.node);
        self.push(call);
    }

    /// Whether one of the frames above the lowest one has this name.
    pub fn has_name(&self, function: i64, sp: u32) -> bool {
        (1..=self.depth()).any(|place| self.name_at(place) == (function, sp))
    }

    /// How many exceptions have frames above the lowest one; `None` if one of them has interrupted what goes on there.
    #[inline]
    pub fn exceptions_elsewhere(&self, address: u32, sp: u32) -> Option<usize> {
        let mut count = 0;
        for frame in self.tracker().above_lowest(self.depth()) {
            if frame.is_exception() {
                if frame.goes_on_at() == (address | 1, sp) {
                    return None;
                }
                count += 1;
            }
        }
        Some(count)
    }

    /// Control comes to `address` with this stack pointer by a return from an exception, to just what the newest one has interrupted.
    #[inline]
    pub fn leave_fast(&mut self, address: u32, sp: u32) -> bool {
        let Some(origin) = self.handler_place() else {
            return false;
        };
        let fast = self.tracker().frame(origin).goes_on_at() == (address | 1, sp);
        if fast {
            self.go_down_to(origin - 1);
            self.filter_as_needed();
        }
        fast
    }

    /// Whether the newest frame, or the one that jumped there, is that of an exception, and not the lowest one.
    pub fn is_in_handler(&self) -> bool {
        self.handler_place().is_some()
    }

    /// The place of that exception's frame.
    #[inline]
    fn handler_place(&self) -> Option<usize> {
        let place = self.depth();
        let tracker = self.tracker();
        let origin = (place + 1).checked_sub(tracker.frame(place).frames_back())?;
        let is_one = place > 0 && origin > 0 && tracker.frame(origin).is_exception();
        is_one.then_some(origin)
    }

    /// Whether one more frame finds room.
    #[inline]
    pub fn has_room(&self) -> bool {
        let tracker = self.tracker();
        tracker.top != tracker.limit
    }

    /// The frames above the lowest one, oldest first: function, stack pointer, and where what an exception has interrupted goes on, with its stack pointer.
    pub fn names(&self) -> impl Iterator<Item = (i64, u32, Option<(u32, u32)>)> + '_ {
        (1..=self.depth()).map(|place| {
            let (function, sp) = self.name_at(place);
            let frame = self.tracker().frame(place);
            let goes_on = frame.is_exception().then(|| frame.goes_on_at());
            let goes_on = goes_on.map(|(address, sp)| (address & !1, sp));
            (function, sp, goes_on)
        })
    }

    /// Moves all frames above the lowest one away. Another stack begins next.
    pub fn park(&mut self, stack: &mut Stack) {
        let depth = self.depth();
        self.filter_up_to(depth);
        let tracker = self.tracker();
        stack.0.clear();
        stack.0.extend_from_slice(tracker.above_lowest(depth));
        self.go_down_to(0);
        self.filtered = 0;
    }

    /// Brings frames back onto a stack that has just begun again with their lowest one.
    ///
    /// # Panics
    /// There is no room.
    pub fn unpark(&mut self, stack: &Stack) {
        self.tracker_mut().put_above_lowest(&stack.0);
        self.filtered = stack.0.len();
        self.filter_as_needed();
    }

    /// The frames of a stack that waits, oldest first.
    pub fn calls_of<'a>(&'a self, stack: &'a Stack) -> impl Iterator<Item = Call> + 'a {
        stack.0.iter().map(|frame| self.call_of(*frame))
    }

    /// The frames go elsewhere, and are counted there.
    pub fn unfilter(&mut self) {
        for place in 1..=self.filtered {
            self.filter_out_at(place);
        }
        self.filtered = 0;
    }

    /// Puts a frame onto the stack that comes from elsewhere; it is an exception's if the frames below are to be filtered.
    pub fn bring(&mut self, call: Call) {
        if matches!(call.entered, Entered::Interrupts { .. }) {
            self.filter_up_to(self.depth());
        }
        self.push(call);
    }

    #[inline]
    fn filter_up_to(&mut self, depth: usize) {
        for place in self.filtered + 1..=depth {
            let (function, sp) = self.name_at(place);
            self.filter_in(function, sp);
        }
        self.filtered = self.filtered.max(depth);
    }

    /// Only frames below the newest exception's stay in the filter.
    #[inline]
    fn filter_as_needed(&mut self) {
        while self.filtered > 0 {
            let above = self.filtered + 1;
            if above <= self.depth() && self.tracker().frame(above).is_exception() {
                break;
            }
            self.filter_out_at(self.filtered);
            self.filtered -= 1;
        }
    }

    fn filter_out_at(&mut self, place: usize) {
        let (function, sp) = self.name_at(place);
        self.filter_out(function, sp);
    }
}
