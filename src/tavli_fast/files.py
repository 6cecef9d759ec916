"""Files that are there whole or not at all, and what can go wrong with any file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

__all__ = ["reading", "write_whole"]

Name = str | bytes | os.PathLike[str] | os.PathLike[bytes]


@contextmanager
def reading(path: Name, what: str = "cannot read {}") -> Iterator[BinaryIO]:
    """Open a file to read it; whatever is wrong with it or found in it is a `ValueError` naming it.

    `what` is said before the reason, with the file's name for `{}`. A number is no name, but that
    of a file which is open already, and a pipe would be waited for: neither is read.

    >>> with reading("no/such/folder/table") as file:
    ...     pass
    Traceback (most recent call last):
        ...
    ValueError: cannot read 'no/such/folder/table': No such file or directory
    """
    name = os.fsdecode(path)
    try:
        if os.path.exists(name) and not os.path.isfile(name):
            raise ValueError("it is not a file")
        with open(name, "rb") as file:
            yield file
    except (OSError, ValueError, MemoryError) as error:
        raise ValueError(f"{what.format(repr(name))}: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory for what it holds"
    return getattr(error, "strerror", None) or str(error)


def write_whole(path: Name, data: bytes) -> None:
    """Write a file so that it is there whole or, after any failure, as it was before.

    Raises `ValueError` naming it if it cannot be written.

    >>> write_whole("no/such/folder/picture.svg", b"")
    Traceback (most recent call last):
        ...
    ValueError: cannot write 'no/such/folder/picture.svg': No such file or directory
    """
    name = os.fsdecode(path)
    try:
        place = os.path.realpath(name)
        # Nor is what remains a link: one that leads back to itself.
        if os.path.lexists(place) and not os.path.isfile(place):
            raise ValueError("it is not a file")
        with tempfile.TemporaryDirectory(dir=os.path.dirname(place)) as folder:
            unfinished = os.path.join(folder, "unfinished")
            with open(unfinished, "wb") as file:
                file.write(data)
                # Else a machine that stops may have the new name and not yet the bytes.
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, place)
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot write {name!r}: {_reason(error)}") from error
