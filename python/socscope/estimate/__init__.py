"""The price of a cost sheet on any hardware, without running anything."""

from socscope.estimate.mapping import Placement
from socscope.estimate.platform import Entry, Platform
from socscope.estimate.price import PathCost, Target

__all__ = ["Entry", "PathCost", "Placement", "Platform", "Target"]
