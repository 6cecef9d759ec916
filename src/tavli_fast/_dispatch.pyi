from typing import NamedTuple, final

LEVELS: dict[str, int]

class Cpu(NamedTuple):
    level: str
    built: tuple[str, ...]
    supported: tuple[str, ...]
    errors: tuple[str, ...]

@final
class KernelRules: ...

def choose(wanted: str, built: tuple[str, ...], offered: int) -> tuple[str, ...]: ...
def use(level: str) -> None: ...

cpu: Cpu
