//! What floating-point units of the family do differently.

/// How fres and frsqrte find their estimates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimates {
    /// The exact result, rounded: any estimate of the required precision is right, and nothing is published about the unit.
    Rounded,
    /// By the tables of the 750 family.
    Tables,
}

/// A floating-point unit, as far as it differs from others (docs/decisions/powerpc.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatUnit {
    /// How fres and frsqrte find their estimates.
    pub estimates: Estimates,
    /// To how many bits multiplications of single precision round frC before anything else; `None` where they take it as it is. It makes
    /// a difference to operands only that are not of single precision.
    pub single_multiplier_bits: Option<u32>,
}

impl FloatUnit {
    /// Nothing is known of its own ways.
    pub const PLAIN: FloatUnit = FloatUnit {
        estimates: Estimates::Rounded,
        single_multiplier_bits: None,
    };

    /// That of the 740 and 750.
    pub const OF_750: FloatUnit = FloatUnit {
        estimates: Estimates::Tables,
        single_multiplier_bits: Some(25),
    };
}
