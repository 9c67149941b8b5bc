//! The registers that keep something.

use serde::{Deserialize, Serialize};

macro_rules! registers {
    ($($(#[$about:meta])* $register:ident, $name:literal;)*) => {
        /// A register of system control that keeps what is written.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[repr(u8)]
        pub enum Register {
            $($(#[$about])* $register,)*
        }

        impl Register {
            /// All of them.
            pub const ALL: [Register; REGISTERS] = [$(Register::$register,)*];

            /// Its name, for people.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Register::$register => $name,)*
                }
            }
        }

        /// How many there are.
        pub(super) const REGISTERS: usize = [$($name,)*].len();
    };
}

registers! {
    /// Control.
    Control, "cp15_control";
    /// Auxiliary control, ARM11.
    AuxiliaryControl, "cp15_auxiliary_control";
    /// Rights of access to other coprocessors, ARM11: none is attached.
    CoprocessorAccess, "cp15_coprocessor_access";
    /// Base of the page table, of version 6 the first one.
    TableBase0, "cp15_table_base0";
    /// Base of the second page table, version 6.
    TableBase1, "cp15_table_base1";
    /// Which addresses the second page table is for, version 6.
    TableControl, "cp15_table_control";
    /// Rights of domains.
    Domains, "cp15_domains";
    /// Why the last data access was aborted.
    DataFaultStatus, "cp15_data_fault_status";
    /// Why the last fetch was aborted.
    InstructionFaultStatus, "cp15_instruction_fault_status";
    /// The address of the last data access that was aborted.
    FaultAddress, "cp15_fault_address";
    /// The address of the last fetch that was aborted, ARM1176.
    InstructionFaultAddress, "cp15_instruction_fault_address";
    /// The address of the instruction of the last watchpoint, ARM11.
    WatchpointAddress, "cp15_watchpoint_address";
    /// Lock-down of the data cache.
    DataCacheLockdown, "cp15_data_cache_lockdown";
    /// Lock-down of the instruction cache.
    InstructionCacheLockdown, "cp15_instruction_cache_lockdown";
    /// Lock-down of the translation buffer; on an ARM920T that for data.
    TlbLockdown, "cp15_tlb_lockdown";
    /// Lock-down of the translation buffer for instructions, ARM920T.
    InstructionTlbLockdown, "cp15_instruction_tlb_lockdown";
    /// Types of memory, remapped, ARM1176.
    PrimaryRemap, "cp15_primary_remap";
    /// Attributes of normal memory, remapped, ARM1176.
    NormalRemap, "cp15_normal_remap";
    /// Where the vectors lie, ARM1176.
    VectorBase, "cp15_vector_base";
    /// The process of the fast context switch.
    Process, "cp15_process";
    /// Context, with the address space's number in the lowest byte, version 6.
    Context, "cp15_context";
    /// The thread, which programs write, version 6K.
    ThreadWritten, "cp15_thread_written";
    /// The thread, which programs read, version 6K.
    ThreadRead, "cp15_thread_read";
    /// The thread, for the kernel, version 6K.
    ThreadOfKernel, "cp15_thread_of_kernel";
    /// Override of the caches' behaviour, ARM1176.
    CacheOverride, "cp15_cache_override";
}
