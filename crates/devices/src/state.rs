//! Saved states: the postcard encoding of a device's whole state.

use serde::{Serialize, de::DeserializeOwned};
use socscope_device::RestoreError;

/// Encodes a state.
pub(crate) fn save<T: Serialize>(state: &T) -> Vec<u8> {
    postcard::to_allocvec(state).unwrap_or_default()
}

/// The same, of a state that has rules which its encoding does not keep.
pub(crate) fn restore_whole<T: DeserializeOwned>(
    title: &str,
    bytes: &[u8],
    is_whole: impl FnOnce(&T) -> bool,
) -> Result<T, RestoreError> {
    let state = restore(title, bytes)?;
    if is_whole(&state) {
        return Ok(state);
    }
    Err(RestoreError {
        device: title.into(),
        reason: "a state that the device cannot have".into(),
    })
}

/// Decodes what [`save`] gave, all of it.
pub(crate) fn restore<T: DeserializeOwned>(title: &str, bytes: &[u8]) -> Result<T, RestoreError> {
    let refused = |reason: String| RestoreError {
        device: title.into(),
        reason,
    };
    match postcard::take_from_bytes(bytes) {
        Ok((state, [])) => Ok(state),
        Ok((_, rest)) => Err(refused(format!("{} bytes too many", rest.len()))),
        Err(error) => Err(refused(error.to_string())),
    }
}
