from typing import NamedTuple

LEVELS: dict[str, int]

class Cpu(NamedTuple):
    level: str
    built: tuple[str, ...]
    supported: tuple[str, ...]

class KernelRules: ...

def use(level: str) -> None: ...

cpu: Cpu
