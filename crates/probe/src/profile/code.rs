//! Which function the code at an address belongs to.
//!
//! Under a kernel an address alone does not say it: programs have the same addresses as each other, and exceptions begin with translation
//! off. So the execution state of the core decides, of which probes are told.

use crate::functions::{FunctionId, Functions, List, Range};
use crate::linux::Task;
use crate::recent::RecentRanges;
use serde::{Deserialize, Serialize};
use socscope_core::{ExecutionState, Ranges};
use socscope_machine::{Moved, Moves};
use std::collections::{BTreeMap, VecDeque};
#[cfg(test)]
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Code of programs whose task is not known.
const USER: FunctionId = FunctionId(-2);

/// Images whose functions are remembered, to be known again.
const KNOWN_MAX: usize = 4;

/// Tasks whose programs are told apart; those of others are counted with those of unknown tasks.
pub(super) const TASKS_MAX: usize = 1 << 14;

/// The function that stands for all code of a program: one for each task that is known.
const fn user_function(task: usize) -> FunctionId {
    FunctionId(USER.0 - 1 - task as i64)
}

/// Where a core executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    /// The image's own addresses.
    Image,
    /// Physical addresses, so far below those of the image.
    Physical(u32),
    /// A program of the kernel's; all its code is this function.
    User(FunctionId),
}

/// A kernel with translated addresses, whose code is told from that of its programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// Distance of its addresses from the physical ones.
    offset: u32,
    /// The tasks whose programs have run, as far as somebody has told them.
    tasks: Vec<Task>,
}

impl Kernel {
    /// One whose addresses are so far above the physical ones.
    pub fn new(offset: u32) -> Kernel {
        Kernel {
            offset,
            tasks: vec![],
        }
    }

    /// The function that stands for the programs of a task.
    pub fn user_function(&mut self, task: &Task) -> FunctionId {
        // The newest are asked for most.
        let known = self.tasks.iter().rposition(|known| known == task);
        if known.is_none() && self.tasks.len() >= TASKS_MAX {
            return USER;
        }
        let place = known.unwrap_or_else(|| {
            self.tasks.push(task.clone());
            self.tasks.len() - 1
        });
        user_function(place)
    }

    /// Whether no further task is told apart.
    pub(super) fn is_full(&self) -> bool {
        self.tasks.len() >= TASKS_MAX
    }

    /// The functions that stand for programs, with their tasks; none for programs of unknown tasks.
    pub fn user_functions(&self) -> impl Iterator<Item = (FunctionId, Option<&Task>)> {
        let known = self.tasks.iter().enumerate();
        let known = known.map(|(place, task)| (user_function(place), Some(task)));
        std::iter::once((USER, None)).chain(known)
    }
}

/// Places from first to last address, by core.
type OwnPlaces = BTreeMap<u16, Vec<(u32, u32)>>;

/// The functions of the images, and those that stand for programs.
pub(crate) struct Code {
    pub functions: Functions,
    pub kernel: Option<Kernel>,
    /// What all cores find; behind it, what those find that have memory of their own.
    views: Vec<View>,
    /// The cores of the views behind the first.
    owners: Vec<u16>,
}

impl Code {
    /// `own` has the places of the memories and devices that cores alone see, from first to last address.
    pub fn new(
        functions: Functions,
        kernel: Option<Kernel>,
        (moved, own): (&Moves, OwnPlaces),
    ) -> Code {
        let offset = kernel.as_ref().map(|kernel| kernel.offset);
        let mut views = vec![View::new(
            functions.shared().clone(),
            offset,
            moved.shared(),
        )];
        for (&core, places) in &own {
            let functions = functions.of(core, places);
            views.push(View::new(functions, offset, moved.of(core)));
        }
        Code {
            functions,
            kernel,
            views,
            owners: own.into_keys().collect(),
        }
    }

    fn view_of(&self, core: usize) -> usize {
        let owner = self.owners.iter().position(|&own| usize::from(own) == core);
        owner.map_or(0, |place| place + 1)
    }

    /// Learns what lies where now; whether that is something new.
    pub fn learn_moved(&mut self, moved: &Moves) -> bool {
        let (shared, own) = self.views.split_at_mut(1);
        let mut new = shared[0].learn_moved(moved.shared());
        for (view, &core) in own.iter_mut().zip(&self.owners) {
            new |= view.learn_moved(moved.of(core));
        }
        new
    }

    /// The range around an address, for a core that executes in `space`.
    #[inline]
    pub fn range_in(&mut self, core: usize, space: Space, address: u32) -> Range {
        let view = match self.owners.is_empty() {
            true => 0,
            false => self.view_of(core),
        };
        self.views[view].range_in(space, address)
    }

    /// Which functions a core finds where.
    pub fn ranges(&self, core: usize) -> &dyn Ranges {
        &self.views[self.view_of(core)]
    }

    /// Where a core in this state executes; `user` is the function of its task's programs.
    pub fn space(&self, state: ExecutionState, user: FunctionId) -> Space {
        let offset = self.kernel.as_ref().map(|kernel| kernel.offset);
        space(offset, state, user)
    }

    /// The function of programs before a task is known.
    pub const fn unknown_user() -> FunctionId {
        USER
    }
}

/// Where a core in this state executes, under a kernel whose addresses are so far above the physical ones, if there is one.
fn space(offset: Option<u32>, state: ExecutionState, user: FunctionId) -> Space {
    match offset {
        Some(_) if state.user => Space::User(user),
        Some(offset) if !state.translated => Space::Physical(offset),
        _ => Space::Image,
    }
}

/// The functions that a core finds.
struct View {
    functions: List,
    /// Distance of a kernel's addresses from the physical ones.
    offset: Option<u32>,
    /// What lies elsewhere than where it was linked for.
    moved: Vec<Moved>,
    recent: RecentRanges,
    /// Of what the functions are and where they lie.
    identity: u64,
}

impl View {
    fn new(functions: List, offset: Option<u32>, moved: &[Moved]) -> View {
        let moved = moved.to_vec();
        let identity = identity_of(Places {
            functions: &functions,
            offset,
            moved: &moved,
        });
        View {
            functions,
            offset,
            moved,
            recent: RecentRanges::new(),
            identity,
        }
    }

    fn learn_moved(&mut self, moved: &[Moved]) -> bool {
        let new = self.moved != moved;
        if new {
            *self = View::new(self.functions.clone(), self.offset, moved);
        }
        new
    }

    #[inline]
    fn range_in(&mut self, space: Space, address: u32) -> Range {
        match space {
            Space::Image => {
                let (functions, moved) = (&self.functions, &self.moved);
                self.recent
                    .get(address, |address| range_at(functions, moved, address))
            }
            Space::Physical(offset) => self.physical_range(address, offset),
            Space::User(function) => Range {
                start: 0,
                last: u32::MAX,
                function,
            },
        }
    }

    /// The range around a physical address, so far below those of the image.
    fn physical_range(&self, address: u32, offset: u32) -> Range {
        let range = self.functions.range_of(address.wrapping_add(offset));
        range.moved_to(address, offset)
    }
}

/// The range around an address, as far as all of it lies equally far from where it was linked for.
fn range_at(functions: &List, moved: &[Moved], address: u32) -> Range {
    let above = moved.partition_point(|one| one.last < address);
    let (first, last, offset) = match moved.get(above) {
        Some(one) if one.first <= address => (one.first, one.last, one.offset),
        next => {
            let below = above.checked_sub(1).map(|index| moved[index].last);
            let first = below.map_or(0, |last| last.saturating_add(1));
            (first, next.map_or(u32::MAX, |one| one.first - 1), 0)
        }
    };
    let range = functions
        .range_of(address.wrapping_add(offset))
        .moved_to(address, offset);
    Range {
        start: range.start.max(first),
        last: range.last.min(last),
        function: range.function,
    }
}

impl Ranges for View {
    fn range_of(&self, state: ExecutionState, address: u32) -> Option<(u32, u32, i64)> {
        let range = match space(self.offset, state, USER) {
            Space::Image => range_at(&self.functions, &self.moved, address),
            Space::Physical(offset) => self.physical_range(address, offset),
            Space::User(_) => return None,
        };
        Some((range.start, range.last, range.function.0))
    }

    fn identity(&self) -> u64 {
        self.identity
    }
}

/// Where functions are found.
#[derive(PartialEq)]
struct Places<'a> {
    functions: &'a List,
    /// Of a kernel's addresses.
    offset: Option<u32>,
    moved: &'a [Moved],
}

/// The same, kept.
struct Known {
    functions: List,
    offset: Option<u32>,
    moved: Vec<Moved>,
    identity: u64,
}

/// Equal functions have one number: what was translated in one profile's run is right in another's.
fn identity_of(places: Places) -> u64 {
    static KNOWN: Mutex<VecDeque<Known>> = Mutex::new(VecDeque::new());
    static IDENTITIES: AtomicU64 = AtomicU64::new(1);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let same = |known: &Known| {
        let Known {
            functions, moved, ..
        } = known;
        places
            == Places {
                functions,
                offset: known.offset,
                moved,
            }
    };
    if let Some(found) = known.iter().find(|known| same(known)) {
        return found.identity;
    }
    let identity = IDENTITIES.fetch_add(1, Ordering::Relaxed);
    known.truncate(KNOWN_MAX - 1);
    known.push_front(Known {
        functions: places.functions.clone(),
        offset: places.offset,
        moved: places.moved.to_vec(),
        identity,
    });
    identity
}

#[cfg(test)]
mod tests {
    use super::*;

    type Elsewhere = (&'static Moves, OwnPlaces);

    /// Nothing lies elsewhere, and no core has memory of its own.
    fn nothing() -> Elsewhere {
        static NOTHING: LazyLock<Moves> = LazyLock::new(Moves::default);
        (&NOTHING, BTreeMap::new())
    }

    #[test]
    fn the_execution_state_says_whose_code_an_address_is() {
        let functions = Functions::new(&[(0xc000_0500, 0xc000_0600, 7)]).unwrap();
        let mut code = Code::new(functions, Some(Kernel::new(0xc000_0000)), nothing());
        let user = code
            .kernel
            .as_mut()
            .unwrap()
            .user_function(&Task::default());
        let mut at = |(user_mode, translated), address| {
            let state = ExecutionState {
                user: user_mode,
                translated,
            };
            let space = code.space(state, user);
            code.range_in(0, space, address)
        };
        let handler = at((false, false), 0x510);
        let found = (handler.start, handler.last, handler.function);
        assert_eq!(found, (0x500, 0x5ff, FunctionId(7)));
        let translated = (false, true);
        assert_eq!(at(translated, 0xc000_0510).function, FunctionId(7));
        assert_eq!(at(translated, 0x510).function, FunctionId::NONE);
        assert_eq!(at((true, true), 0xc000_0510).function, user);
        // Around the end of the address space a gap stays where it is.
        let gap = at((false, false), 0x5000_0000);
        assert!(gap.contains(0x5000_0000) && gap.start > 0x5ff);
        let below = at((false, false), 0x100);
        assert_eq!((below.start, below.last), (0, 0x4ff));
    }

    #[test]
    fn equal_functions_have_one_identity() {
        let code = |end, offset| {
            let functions = Functions::new(&[(0x9500, end, 7)]).unwrap();
            Code::new(functions, Some(Kernel::new(offset)), nothing()).views[0].identity
        };
        let first = code(0x9600, 0);
        assert_eq!(code(0x9600, 0), first);
        let others = [code(0x9604, 0), code(0x9600, 4)];
        assert!(!others.contains(&first) && others[0] != others[1]);
        let functions = Functions::new(&[(0x9500, 0x9600, 7)]).unwrap();
        let mut moving = Code::new(functions, Some(Kernel::new(0)), nothing());
        assert_eq!(moving.views[0].identity, first);
        let moved = Moved {
            first: 0,
            last: 0xff,
            offset: 0x9500,
        };
        moving.learn_moved(&vec![moved].into());
        let identity = moving.views[0].identity;
        assert!(!others.contains(&identity) && identity != first);
        moving.learn_moved(&Moves::default());
        assert_eq!(moving.views[0].identity, first);
    }

    #[test]
    fn each_task_has_its_function() {
        let mut kernel = Kernel::new(0);
        let task = |pid| Task {
            pid,
            ..Task::default()
        };
        let ids: Vec<i64> = [3, 4, 3]
            .map(|pid| kernel.user_function(&task(pid)).0)
            .into();
        assert_eq!(ids, [-3, -4, -3]);
        let known: Vec<_> = kernel
            .user_functions()
            .map(|(function, task)| (function.0, task.map(|task| task.pid)))
            .collect();
        assert_eq!(known, [(-2, None), (-3, Some(3)), (-4, Some(4))]);
    }
}
