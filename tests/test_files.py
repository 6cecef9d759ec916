"""Files: names of any kind, files that are none, disks that are full, and work that breaks off."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import tavli_fast as tf
from tavli_fast.files import reading, write_whole

LINKS = hasattr(os, "symlink") and os.name == "posix"


def content(path: object) -> bytes:
    with reading(path) as file:
        return file.read()


def test_names_are_texts_bytes_or_paths(tmp_path):
    for name in (tmp_path / "one", str(tmp_path / "two"), os.fsencode(tmp_path / "three")):
        write_whole(name, b"data")
        assert content(name) == b"data"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["one", "three", "two"]


@pytest.mark.parametrize("number", [0, True, 1.0, None])
def test_a_number_is_no_name(number):
    """It would be that of a file which is open already: 0 is what is typed in."""
    for call in (
        lambda: content(number),
        lambda: write_whole(number, b""),
        lambda: tf.Recording.load(number),
        lambda: tf.BearOff.load(number, tf.PORTES),
    ):
        with pytest.raises(TypeError, match=r"expected str, bytes or os\.PathLike object"):
            call()


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 5000], ids=["zero", "surrogate", "long"])
def test_names_that_no_file_can_have(name, tmp_path):
    path = os.path.join(tmp_path, name)
    # Windows has files with surrogates in their names.
    if name == "\ud800" and os.name == "nt":
        write_whole(path, b"data")
        return
    for call, what in ((content, "read"), (lambda path: write_whole(path, b""), "write")):
        with pytest.raises(ValueError, match=rf"cannot {what} ['\"].*: \w"):
            call(path)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_file(tmp_path):
    names = [tmp_path]
    if os.name == "posix":
        os.mkfifo(tmp_path / "pipe")
        names += [tmp_path / "pipe", "/dev/null", "/dev/zero"]
    for name in names:
        for call in (content, lambda name: write_whole(name, b"")):
            with pytest.raises(ValueError, match="it is not a file"):
                call(name)


@pytest.mark.skipif(not LINKS, reason="links need rights of their own here")
def test_links(tmp_path):
    """What a link leads to is written, and one that leads to itself stays as it is."""
    link, file, loop = (tmp_path / name for name in ("link", "file", "loop"))
    link.symlink_to(file)
    write_whole(link, b"first")
    write_whole(link, b"second")
    assert link.is_symlink()
    assert file.read_bytes() == b"second"
    loop.symlink_to(loop)
    with pytest.raises(ValueError, match=r"cannot write .*loop': it is not a file"):
        write_whole(loop, b"")
    with pytest.raises(ValueError, match=r"cannot read .*loop': "):
        content(loop)
    assert loop.is_symlink()


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, SystemExit])
def test_an_interrupt_leaves_the_old_file_and_no_other(tmp_path, monkeypatch, error):
    file = tmp_path / "file"
    file.write_bytes(b"old")

    def fail(*names: object) -> None:
        raise error

    for step in ("fsync", "replace"):
        with monkeypatch.context() as changed:
            changed.setattr(f"tavli_fast.files.os.{step}", fail)
            with pytest.raises(error):
                write_whole(file, b"new")
        assert [each.name for each in tmp_path.iterdir()] == ["file"]
        assert file.read_bytes() == b"old"


@pytest.mark.skipif(os.name != "posix", reason="the size of files can be limited on POSIX alone")
def test_a_full_disk(tmp_path):
    """Recordings and tables too are there whole or not at all."""
    program = f"""
import os, resource, signal
import tavli_fast as tf
from tavli_fast.files import write_whole
os.chdir({str(tmp_path)!r})
table = tf.BearOff.build(tf.HYPERGAMMON)
recording = tf.SelfPlay(tf.PORTES, 9, 1, record=True).recording()
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
before = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
for save in (table.save, recording.save, lambda name: write_whole(name, b"0" * 101)):
    try:
        save("file")
    except ValueError as error:
        print(error)
# What counts lines writes files of its own at the end.
resource.setrlimit(resource.RLIMIT_FSIZE, before)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "cannot write 'file': File too large\n" * 3, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_a_file_holds_may_be_wrong_or_too_much():
    for error, reason in (
        (ValueError("it is empty"), "it is empty"),
        (MemoryError(), "there is not enough memory for what it holds"),
        (OSError(5, "Input/output error"), "Input/output error"),
        (OSError("no number"), "no number"),
    ):
        with (
            pytest.raises(ValueError, match=rf"'.*' is none: {reason}$"),
            reading(__file__, "{} is none"),
        ):
            raise error
