//! The tasks of the guest's operating system, read from its memory by a table of addresses and offsets. Nothing is added to the guest.

mod memory;
mod reading;

pub use memory::Addresses;
pub(crate) use reading::registers;

/// A field of the task control block, in one unsigned number of 1, 2 or 4 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// From the control block's first byte.
    pub offset: u32,
    /// 1, 2 or 4.
    pub size: u32,
}

/// Where the control blocks are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// An array.
    Array {
        /// The first one.
        address: u32,
        /// How many.
        count: u32,
        /// Bytes from one to the next.
        stride: u32,
    },
    /// A linked list that ends with a null pointer or where it began.
    List {
        /// Address of the pointer to the first node.
        head: u32,
        /// The pointer to the next node.
        next: Field,
        /// Where the node lies in the control block.
        node: u32,
        /// Whether the head is the node of a control block itself, of the first one.
        head_is_node: bool,
    },
}

/// Further control blocks that hang at each one of the table, in a list of their own: the threads of a process. The one that they hang at is
/// in the list too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// The pointer to what holds the head of the list.
    pub owner: Field,
    /// Where the head lies behind that pointer.
    pub head: u32,
    /// Where the node lies in the control block; its first word is the pointer to the next one.
    pub node: u32,
}

/// How the task that a core runs is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Running {
    /// The only core's: address of the pointer to its control block.
    Pointer(u32),
    /// Each core's: a special register holds the physical address of a member of its control block.
    Special {
        /// Number of the register.
        register: u32,
        /// Where the member lies in the control block.
        member: u32,
    },
}

/// What a field must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The field.
    pub field: Field,
    /// Bits that count.
    pub mask: u32,
    /// What they must be; `None` is anything but zero.
    pub equals: Option<u32>,
}

/// A state with its conditions; the first whose conditions all hold is the task's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// What it is called.
    pub name: String,
    /// All of them must hold.
    pub when: Vec<Condition>,
}

/// Where a task's name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// In the control block.
    Text {
        /// From its first byte.
        offset: u32,
        /// Bytes at most.
        size: u32,
    },
    /// Where a pointer in the control block points to.
    Pointer(Field),
}

/// What a register of a task that does not run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The word at this offset from the frame.
    Frame(u32),
    /// The frame's address and this offset.
    Address(u32),
    /// Always this.
    Constant(u32),
}

/// Registers that lie together: the frame's address is the sum of some fields, or the control block's if there are none, and a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Fields to be added up.
    pub base: Vec<Field>,
    /// Added to them.
    pub offset: u32,
    /// Register numbers of the target description, and where they are.
    pub registers: Vec<(usize, Source)>,
}

/// A way to see a task that does not run: all its frames together give its registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// What it is called.
    pub name: String,
    /// Tasks that can be seen so.
    pub when: Vec<Condition>,
    /// Where the registers are; later ones win.
    pub frames: Vec<Frame>,
}

/// Where the tasks of one image are, and how to read them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskTable {
    /// Name of the operating system.
    pub system: String,
    /// How addresses are understood.
    pub addresses: Addresses,
    /// The control blocks.
    pub place: Place,
    /// More of them at each.
    pub group: Option<Group>,
    /// A task exists when these hold.
    pub exists: Vec<Condition>,
    /// Tells tasks apart that use the same control block one after another.
    pub identity: Option<Field>,
    /// Its name.
    pub name: Name,
    /// Its priority.
    pub priority: Option<Field>,
    /// Other numbers of it that are shown, with what they are called.
    pub numbers: Vec<(String, Field)>,
    /// Its states.
    pub states: Vec<State>,
    /// State when none of them fits.
    pub otherwise: String,
    /// How the tasks that run are known.
    pub running: Running,
    /// Ways to see tasks; the first whose conditions hold is taken unless another is asked for.
    pub views: Vec<View>,
}

/// A task as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Address of its control block.
    pub address: u32,
    /// Differs between tasks that use the same control block one after another.
    pub identity: u32,
    /// Its name.
    pub name: String,
    /// Its state; `running` for the one that has the core.
    pub state: String,
    /// Its priority.
    pub priority: Option<u32>,
    /// Other numbers of it, with what they are called.
    pub numbers: Vec<(String, u32)>,
    /// The core that it has, or on which it was interrupted.
    pub core: Option<usize>,
}

impl Task {
    /// Its priority and its other numbers, in words.
    pub(crate) fn details(&self) -> String {
        let priority = self.priority.map(|priority| format!("priority {priority}"));
        let numbers = self.numbers.iter();
        let numbers = numbers.map(|(name, number)| format!("{name} {number}"));
        let all: Vec<String> = priority.into_iter().chain(numbers).collect();
        all.join(", ")
    }
}
