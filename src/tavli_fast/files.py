"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile

__all__ = ["write_whole"]


def write_whole(name: str, data: bytes) -> None:
    """Write a file so that it is there whole or, after any failure, as it was before.

    Raises `ValueError` naming it if it cannot be written.

    >>> write_whole("no/such/folder/picture.svg", b"")
    Traceback (most recent call last):
        ...
    ValueError: cannot write 'no/such/folder/picture.svg': No such file or directory
    """
    path = os.path.realpath(name)
    if os.path.exists(path) and not os.path.isfile(path):
        raise ValueError(f"cannot write {name!r}: it is not a file")
    try:
        with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as folder:
            unfinished = os.path.join(folder, "unfinished")
            with open(unfinished, "wb") as file:
                file.write(data)
            os.replace(unfinished, path)
    except OSError as error:
        raise ValueError(f"cannot write {name!r}: {error.strerror}") from None
