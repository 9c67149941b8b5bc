//! Software interrupts and returns from exceptions: the mode changes by a call of the host, and code for what comes next goes on.

use super::Regions;
use super::adapter::{Arm, Change, Flavour};
use super::flags::Flags;
use super::state::at;
use super::status::{FAST, MODES, UNBANKED};
use crate::code::Word;
use crate::frame::Emitter;
use crate::profile::Kind;
use cranelift_codegen::ir::InstBuilder;
use socscope_arm::{Exception, InstructionSet, LINK, STACK};
use socscope_isa::{StaticCycleModel, Values};

impl<R: Regions, M: StaticCycleModel> Emitter<'_, Arm<R>, M> {
    /// A software interrupt. Out of the fast interrupt's mode it is the interpreter's.
    pub(super) fn raise_software_interrupt(&mut self) {
        self.require_other_modes(FAST);
        self.change(Change::SoftwareInterrupt);
    }

    /// A return from an exception, unless an interrupt comes first or the mode is an unusual one.
    pub(super) fn return_to_interrupted(&mut self, target: Word) {
        self.require_other_modes(UNBANKED | FAST);
        let saved = self.code.load_word(at::SAVED);
        self.demand_mode(saved, MODES & !FAST);
        self.demand_flags(saved);
        self.demand_plain_data(saved);
        if self.facts.model.has_system_control() {
            self.demand_arm(saved);
        }
        self.demand_quiet();
        self.change(Change::Return(target));
    }

    fn flavour_of(&self, set: InstructionSet) -> Flavour {
        Flavour {
            set,
            ..self.facts.flavour
        }
    }

    /// Goes on in the handler of software interrupts, or in what an exception has interrupted, of cores whose kernels have other pages than programs:
    /// the engine knows the code.
    pub(super) fn change_rights(&mut self, change: Change) -> bool {
        let kind = match change {
            Change::SoftwareInterrupt => Kind::exception(Exception::SoftwareInterrupt.number()),
            Change::Return(_) => Kind::EXCEPTION_RETURN,
        };
        let flavour = self.flavour_of(InstructionSet::Arm);
        self.resume_after(kind, None, flavour, |emitter| {
            emitter.flush();
            let target = match change {
                Change::SoftwareInterrupt => emitter.call_enter_supervisor(),
                Change::Return(target) => {
                    let target = emitter.code.value(target);
                    emitter.call_restore_status(target);
                    let builder = &mut emitter.code.builder;
                    builder.ins().band_imm_u(target, i64::from(!3_u32))
                }
            };
            emitter.take_over_mode();
            target
        })
    }

    /// Goes on in the handler of software interrupts.
    pub(super) fn enter_handler(&mut self) -> bool {
        let Some(arrivals) = self.arrivals(&[self.flavour_of(InstructionSet::Arm)]) else {
            return false;
        };
        self.flush();
        self.note_interrupted_stack();
        self.call_enter_supervisor();
        self.take_over_mode();
        let exception = Exception::SoftwareInterrupt;
        let kind = Kind::exception(exception.number());
        for arrival in arrivals {
            self.arrive_by(kind, Word::Constant(exception.vector()), arrival);
        }
        true
    }

    /// Goes on in what an exception has interrupted.
    pub(super) fn leave_handler(&mut self, target: Word) -> bool {
        let ways = InstructionSet::ALL.map(|set| (set, self.arrivals(&[self.flavour_of(set)])));
        let [(arm, Some(to_arm)), (thumb, Some(to_thumb))] = ways else {
            return false;
        };
        let target = self.code.value(target);
        self.flush();
        let is_thumb = self.call_restore_status(target);
        self.take_over_mode();
        let [thumb_next, arm_next] = [(); 2].map(|()| self.code.builder.create_block());
        let builder = &mut self.code.builder;
        builder.ins().brif(is_thumb, thumb_next, &[], arm_next, &[]);
        let chain = self.chain();
        for (block, set, arrivals) in [(thumb_next, thumb, to_thumb), (arm_next, arm, to_arm)] {
            self.resume(chain.clone());
            self.code.builder.switch_to_block(block);
            let mask = set.width().bytes() - 1;
            let address = self.and(Word::Value(target), Word::Constant(!mask));
            for arrival in arrivals {
                self.arrive_by(Kind::EXCEPTION_RETURN, address, arrival);
            }
        }
        true
    }

    /// The context has the registers and flags of another mode.
    fn take_over_mode(&mut self) {
        for index in [STACK, LINK] {
            self.reload_register(index);
        }
        self.flags = Flags::default();
    }
}
