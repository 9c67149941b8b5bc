//! Values of variables: plain data only.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A value of a variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// True or false.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A list of whole numbers.
    Integers(Vec<i64>),
}

impl Value {
    /// The kind of value, as messages call it.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Boolean(_) => "a truth value",
            Value::Integer(_) => "a whole number",
            Value::Number(_) => "a number",
            Value::Text(_) => "a text",
            Value::Bytes(_) => "bytes",
            Value::Integers(_) => "a list of whole numbers",
        }
    }

    /// Whether `other` is of the same kind.
    pub fn alike(&self, other: &Value) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// Whether the value, or each number in it, is less than `other`; false where there is no order.
    pub(super) fn has_less_than(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Integer(value), Value::Integer(other)) => value < other,
            (Value::Number(value), Value::Number(other)) => value < other,
            (Value::Integers(values), Value::Integer(other)) => {
                values.iter().any(|value| value < other)
            }
            _ => false,
        }
    }

    /// The same for greater.
    pub(super) fn has_more_than(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Integer(value), Value::Integer(other)) => value > other,
            (Value::Number(value), Value::Number(other)) => value > other,
            (Value::Integers(values), Value::Integer(other)) => {
                values.iter().any(|value| value > other)
            }
            _ => false,
        }
    }

    /// The encoding in which inputs carry it.
    pub fn to_bytes(&self) -> Vec<u8> {
        crate::state::save(self)
    }

    /// Takes back what [`Value::to_bytes`] gave.
    ///
    /// # Errors
    /// What is wrong with the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Value, String> {
        crate::state::restore("value", bytes).map_err(|error| error.reason)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Boolean(value) => write!(f, "{value}"),
            Value::Integer(value) => write!(f, "{value}"),
            Value::Number(value) => write!(f, "{value}"),
            Value::Text(value) => write!(f, "{value:?}"),
            Value::Bytes(value) => write!(f, "{} bytes", value.len()),
            Value::Integers(value) => write!(f, "{value:?}"),
        }
    }
}
