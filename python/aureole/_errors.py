"""The exceptions of the package. Each is also one of Python's own kinds, so that `except ValueError` finds it."""
import builtins
import re

__all__ = ["AureoleError", "ArgumentError", "ConfigError", "FileError", "MemoryError", "DeviceError", "StoppedError"]


class AureoleError(RuntimeError):
    """What no other class says, as a computation whose numbers left the range of doubles."""


class ArgumentError(AureoleError, ValueError):
    """An argument that a function does not take: the message names it, what was found and what was expected."""


class ConfigError(AureoleError, ValueError):
    """A key of a configuration is unknown or wrong: the message names key, file and line."""


class FileError(AureoleError, OSError):
    """A file cannot be read or written. ``path`` is the file where it is known, else None."""

    path = None


class MemoryError(AureoleError, builtins.MemoryError):
    """Too little memory. ``wanted``, ``held`` and ``available`` are bytes where the message names them, else None."""

    def _bytes(self, what):
        found = re.search(rf"([0-9.]+) MB {what}", str(self))
        return None if found is None else round(1e6 * float(found[1]))

    wanted = property(lambda self: self._bytes("wanted"))
    held = property(lambda self: self._bytes("held"))
    available = property(lambda self: self._bytes("available"))


class DeviceError(AureoleError):
    """A device that this build cannot use, or arrays that are on one."""


class StoppedError(AureoleError):
    """The work was stopped before its end."""
