//! The models that platforms can name.

use crate::AnyCore;
use socscope_arm::CoreModel as ArmModel;
use socscope_arm::timing::Arm9Core;
use socscope_core::Exceptions;
use socscope_memory::Endianness;
use socscope_powerpc::{CoreModel, Processor};
use socscope_toy::Toy;

/// A model of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// An ARM.
    Arm(ArmModel),
    /// A PowerPC.
    PowerPc(CoreModel),
    /// A toy.
    Toy(Toy),
}

/// The models by what their nodes are called: by `compatible`, or by the name itself, as in the trees of PowerPC boards.
const KNOWN: [(&str, Model); 13] = [
    ("arm,arm7tdmi", Model::Arm(ArmModel::Arm7Tdmi)),
    ("arm,arm920t", Model::Arm(ArmModel::Arm920T)),
    ("arm,arm926ej-s", Model::Arm(ArmModel::Arm926EjS)),
    ("arm,arm1136j-s", Model::Arm(ArmModel::Arm1136JS)),
    ("arm,arm1176jz-s", Model::Arm(ArmModel::Arm1176JzS)),
    ("PowerPC,603e", Model::PowerPc(CoreModel::Ppc603e)),
    ("PowerPC,750", Model::PowerPc(CoreModel::Ppc750)),
    ("PowerPC,755", Model::PowerPc(CoreModel::Ppc755)),
    ("PowerPC,7400", Model::PowerPc(CoreModel::Ppc7400)),
    ("PowerPC,7448", Model::PowerPc(CoreModel::E600)),
    ("PowerPC,8641", Model::PowerPc(CoreModel::E600)),
    ("socscope,toy", Model::Toy(Toy::Little)),
    ("socscope,toy-big-endian", Model::Toy(Toy::Big)),
];

impl Model {
    /// What nodes may be called.
    pub fn names() -> impl Iterator<Item = &'static str> {
        KNOWN.iter().map(|(name, _)| *name)
    }

    /// The model of a node that is called so.
    pub fn named(name: &str) -> Option<Model> {
        let found = KNOWN.iter().find(|(known, _)| *known == name);
        found.map(|&(_, model)| model)
    }

    /// A core with this number after its reset, and the frequencies of its time base, where it has one, and of its clock.
    pub fn after_reset(self, number: u16, (ticks_hz, clock_hz): (u32, u32)) -> AnyCore {
        match self {
            Model::Arm(model) => AnyCore::Arm(Box::new(socscope_arm::Core::new(model))),
            Model::PowerPc(model) => {
                let mut processor = Processor::new(model);
                processor.core.set_number(u32::from(number));
                processor.core.set_time_base_frequency(ticks_hz, clock_hz);
                AnyCore::PowerPc(Box::new(processor))
            }
            Model::Toy(model) => AnyCore::Toy(Box::new(socscope_toy::Core::new(model))),
        }
    }

    /// The byte order of its bus.
    pub fn endianness(self) -> Endianness {
        self.after_reset(0, (1, 1)).images().endianness
    }

    /// Its exceptions.
    pub fn exceptions(self) -> &'static Exceptions {
        self.after_reset(0, (1, 1)).exceptions()
    }

    /// The timing model that is its own and no other model's, by the name that platforms give it.
    pub fn own_timing(self) -> Option<&'static str> {
        match self {
            Model::Arm(ArmModel::Arm7Tdmi) => Some("arm7tdmi"),
            Model::Arm(_) | Model::PowerPc(_) | Model::Toy(_) => None,
        }
    }

    /// The timing model of its pipeline, which platforms may choose and lay between caches, by the name that they give it.
    pub fn pipeline_timing(self) -> Option<&'static str> {
        match self {
            Model::Arm(ArmModel::Arm920T) => Some(Arm9Core::Tdmi.name()),
            Model::Arm(ArmModel::Arm926EjS) => Some(Arm9Core::EjS.name()),
            Model::Arm(_) | Model::PowerPc(_) | Model::Toy(_) => None,
        }
    }
}
