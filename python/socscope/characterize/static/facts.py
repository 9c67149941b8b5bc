"""Places, and what is said of them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """An address of the image, as people know it."""

    address: int
    function: str
    source: str = ""

    def __str__(self) -> str:
        where = f"{self.function} ({self.address:#010x}"
        return where + (f", {self.source})" if self.source else ")")


@dataclass(frozen=True)
class Uncovered:
    """A stretch of the worst path that no observed run took."""

    place: Place
    what: str

    @property
    def address(self) -> int:
        """Its first address."""
        return self.place.address

    @property
    def source(self) -> str:
        """Source file and line; empty where the image does not say."""
        return self.place.source


@dataclass(frozen=True)
class Assumption:
    """What a bound takes for granted at a place, because nothing in the binary says so."""

    place: Place
    what: str

    @property
    def address(self) -> int:
        """Address of the instruction that it is about."""
        return self.place.address

    @property
    def source(self) -> str:
        """Source file and line; empty where the image does not say."""
        return self.place.source


@dataclass(frozen=True)
class WithoutEffect:
    """An annotation that changed nothing: its number, why, and the nearest place where one has an effect."""

    number: int
    at: str
    reason: str
    nearest: str

    def __str__(self) -> str:
        text = f"annotation at {self.at!r} has no effect: {self.reason}"
        return text + (f"; the nearest place where one has is {self.nearest!r}" if self.nearest else "")
