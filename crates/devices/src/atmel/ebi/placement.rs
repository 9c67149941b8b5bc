//! Moves the regions of the address map to where the registers say.

use socscope_device::Context;
use socscope_memory::{AccessCost, Region, RegionIndex};

/// Where a region answers and what it costs there.
#[derive(Clone, Copy)]
pub struct Place {
    span: Option<(u32, u32)>,
    cost: AccessCost,
}

impl Place {
    /// The region does not answer.
    pub const NOWHERE: Place = Place {
        span: None,
        cost: AccessCost::SINGLE_CYCLE,
    };

    /// At `base`, for `size` bytes.
    pub fn at(base: u32, size: u32, cost: AccessCost) -> Place {
        Place {
            span: Some((base, size)),
            cost,
        }
    }
}

fn overlap(region: &Region, base: u32, size: u32) -> bool {
    let (first, last) = (u64::from(base), u64::from(base) + u64::from(size));
    let (start, end) = (
        u64::from(region.base),
        u64::from(region.base) + u64::from(region.size),
    );
    region.core.is_none() && region.enabled && first < end && start < last
}

/// Moves all regions at once. One that would overlap an earlier one or a region of somebody else is switched off; its name
/// is returned.
pub fn move_regions(wanted: &[(RegionIndex, Place)], context: &mut Context) -> Vec<String> {
    let mut refused = vec![];
    let moved = context.space.map_mut().change_all(|regions| {
        // A restored state may name a region that is not there.
        for (index, _) in wanted {
            if let Some(region) = regions.get_mut(usize::from(index.0)) {
                region.enabled = false;
            }
        }
        for (index, place) in wanted {
            let Some((base, size)) = place.span else {
                continue;
            };
            let is_taken = regions.iter().any(|region| overlap(region, base, size));
            let Some(region) = regions.get_mut(usize::from(index.0)) else {
                continue;
            };
            if is_taken {
                refused.push(region.name.clone());
                continue;
            }
            (region.base, region.size, region.cost, region.enabled) =
                (base, size, place.cost, true);
        }
    });
    if let Err(error) = moved {
        context.warn(error.to_string());
    }
    refused
}

/// Adds a second, disabled region for the memory of `region`.
pub fn add_alias(region: RegionIndex, context: &mut Context) -> Option<RegionIndex> {
    let mut alias = context.space.map().region(region).clone();
    alias.name.push_str(" before remap");
    alias.enabled = false;
    context.space.map_mut().add(alias).ok()
}
