"""The examples of one section of a text, so that each is run where its framework is installed."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def run_section(path: Path, heading: str) -> doctest.TestResults:
    """Run the examples below a second-level heading, up to the next."""
    parts = re.split(r"^## (.*)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    text = dict(zip(parts[1::2], parts[2::2], strict=True))[heading]
    test = doctest.DocTestParser().get_doctest(text, {}, f"{path.name}: {heading}", str(path), 0)
    assert test.examples, "no example was found"
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test)
    return runner.summarize(verbose=False)
