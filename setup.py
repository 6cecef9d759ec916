"""The compiled modules. Everything else about the package is in pyproject.toml.

TAVLI_FAST_CHECKED=1 builds with Cython's bounds and overflow checks and C assertions.
"""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

SOURCES = "src/tavli_fast"
CHECKED = os.environ.get("TAVLI_FAST_CHECKED", "0") not in ("", "0")
OPTIMISE = ["/O2"] if sys.platform == "win32" else ["-O3"]

# The kernel is one source; each further CPU level is a further line here, with its own flags.
KERNEL_LEVELS = {"base": []}


def compiled(name, source, flags=()):
    """One module, its C written below build/ so that none lies in the tree or in a wheel."""
    extension = Extension(
        f"tavli_fast.{name}",
        [f"{SOURCES}/{source}"],
        include_dirs=[str(Path(SOURCES).resolve())],
        depends=[f"{SOURCES}/_bits.h"],
        extra_compile_args=[*OPTIMISE, *flags],
        undef_macros=["NDEBUG"] if CHECKED else [],
    )
    return cythonize(
        [extension],
        build_dir=f"build/cython/{name}",
        include_path=["src"],
        compiler_directives={
            "boundscheck": CHECKED,
            "overflowcheck": CHECKED,
            "embedsignature": True,
        },
        force=CHECKED,
    )[0]


setup(
    ext_modules=[
        *(
            compiled(f"_kernel_{level}", "_kernel.pyx", flags)
            for level, flags in KERNEL_LEVELS.items()
        ),
        compiled("_dispatch", "_dispatch.pyx"),
        compiled("position", "position.pyx"),
        compiled("batch", "batch.pyx"),
    ]
)
