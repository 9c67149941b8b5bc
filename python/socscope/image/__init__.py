"""What an ELF image says of itself: functions, their sources, frames."""

from socscope.image.elf import Function, Image, Section

__all__ = ["Function", "Image", "Section"]
