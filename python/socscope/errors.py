"""Errors for people: what is wrong, where, which rule it breaks and what to do."""


class SocscopeError(Exception):
    """Base of all errors that the user can do something about; the message says what."""


class ImageError(SocscopeError):
    """The image is not what it should be."""


class PlatformError(SocscopeError):
    """The platform cannot be found or its device tree does not compile."""


class LayersError(SocscopeError):
    """Layer rules that cannot be used."""


class RecordError(SocscopeError):
    """A run record that cannot be read or written."""


class QueryError(SocscopeError):
    """A query that the record does not answer."""


class OptionError(SocscopeError):
    """An option whose value does not fit."""


class DeviceError(SocscopeError):
    """A device written in Python that does not hold together, or is used where it cannot be."""


class ConsoleError(SocscopeError):
    """A console script that cannot go on: what it waits for does not come."""


class StudyError(SocscopeError):
    """A study, or one of its runs, that cannot go on."""


class CheckpointError(SocscopeError):
    """A checkpoint that cannot be read, or does not fit what it is restored with."""


class AwarenessError(SocscopeError):
    """A description of an operating system that cannot be used."""


class FormulaError(SocscopeError):
    """A formula of a cost sheet that does not parse, or that has no value for what was given."""


class SheetError(SocscopeError):
    """A cost sheet that cannot be read, or that does not hold together."""


class EstimateError(SocscopeError):
    """A price that cannot be given: access times, mapping, parameters or deadline do not fit the sheet."""


class CharacterizeError(SocscopeError):
    """Services that cannot be characterised: their description, their image, or a run of one of them."""
