from typing import NamedTuple

class Step(NamedTuple):
    start: int
    end: int
    number: int
    hits: bool
    forced: bool
