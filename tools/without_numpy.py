"""What can be tried on a Python that has no NumPy: `without_numpy.py TESTS`.

The package is entered below its front door, which needs NumPy: every compiled module that does
without is imported, and the threads of `TESTS/threads.py` work on rulesets and positions. Of NumPy
they need no more than that the layout of a record has a name. A Python that was built without the
GIL must stay without.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import pkgutil
import sys
import sysconfig
import time
import types
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tests", metavar="TESTS", type=Path, help="the folder of the tests")
    sys.path.insert(0, str(parser.parse_args().tests))
    has_gil = getattr(sys, "_is_gil_enabled", lambda: True)
    had_gil = has_gil()
    place = importlib.util.find_spec("tavli_fast").submodule_search_locations
    package = types.ModuleType("tavli_fast")
    package.__path__ = place
    sys.modules["tavli_fast"] = package
    sys.modules["numpy"] = numpy = types.ModuleType("numpy")
    numpy.dtype = list

    compiled = []
    for module in pkgutil.iter_modules(place):
        spec = importlib.util.find_spec(f"tavli_fast.{module.name}")
        if not spec.origin.endswith((".so", ".pyd")):
            continue
        try:
            importlib.import_module(spec.name)
        except AttributeError as error:
            print(f"{module.name} needs NumPy: {error}")
        else:
            compiled.append(module.name)
    print(f"imported: {', '.join(compiled)}")

    from threads import check_new_rulesets, check_shared_positions

    from tavli_fast._dispatch import cpu
    from tavli_fast.position import Position
    from tavli_fast.rules import RULESETS

    checks = [check_new_rulesets, check_shared_positions]
    started = time.perf_counter()
    for check in checks:
        check(Position, list(RULESETS.values()))
    assert has_gil() == had_gil, "the GIL came back"
    assert not (had_gil and sysconfig.get_config_var("Py_GIL_DISABLED")), "it was switched on"
    print(f"level {cpu.level}; {len(compiled)} modules imported")
    print(f"{len(checks)} passed in {time.perf_counter() - started:.2f}s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
