from typing import NamedTuple, final

LEVELS: dict[str, int]

class Cpu(NamedTuple):
    level: str
    built: tuple[str, ...]
    supported: tuple[str, ...]

@final
class KernelRules: ...

def use(level: str) -> None: ...

cpu: Cpu
