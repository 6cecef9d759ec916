from typing import NamedTuple

LEVELS: tuple[str, ...]

class Cpu(NamedTuple):
    level: str
    built: tuple[str, ...]
    supported: tuple[str, ...]

class KernelRules: ...

cpu: Cpu
