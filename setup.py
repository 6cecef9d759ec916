"""The compiled modules. Everything else about the package is in pyproject.toml.

TAVLI_FAST_CHECKED=1 builds with C assertions, and so that whatever the C standard leaves undefined
stops the program (not with Microsoft's compiler);
TAVLI_FAST_COVERED=1 so that gcov can tell which lines ran (gcc);
TAVLI_FAST_MACHINE names the machine to build for, where that is another one.
"""

import os
import platform
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

SOURCES = "src/tavli_fast"
# What the modules are made of; named, so that a source distribution has it.
PARTS = sorted(
    str(path) for path in Path(SOURCES).rglob("*") if path.suffix in {".h", ".pxd", ".pxi", ".pyx"}
)
CHECKED = os.environ.get("TAVLI_FAST_CHECKED", "0") not in ("", "0")
OPTIMISE = ["/O2"] if sys.platform == "win32" else ["-O3", "-g0"]
if CHECKED and sys.platform != "win32":
    # Records of a caller may lie anywhere.
    OPTIMISE = [
        *("-O1", "-g", "-fsanitize=undefined", "-fno-sanitize=alignment"),
        "-fsanitize-undefined-trap-on-error",
    ]
COVERED = os.environ.get("TAVLI_FAST_COVERED", "0") not in ("", "0")
if COVERED:
    OPTIMISE = ["-O1", "-g0", "--coverage"]

# What the kernel wants inlined says so. Else the compilers put whole ways to play a roll into the
# one function that chooses between them, and keep in memory what each alone keeps in registers.
APART = [] if sys.platform == "win32" else ["-fno-inline-functions-called-once"]

# For cross builds: the machine the wheel is for, not the one that builds it.
MACHINE = os.environ.get("TAVLI_FAST_MACHINE") or platform.machine()

# The kernel is one source, built once a CPU level; _dispatch.pyx chooses at import.
KERNEL_LEVELS = {"base": []}
if MACHINE.lower() in ("x86_64", "amd64"):
    # Flag by flag, for old compilers; of x86-64-v4 what the kernel uses. Microsoft's compiler has
    # no flag for x86-64-v2.
    V2 = ["-mssse3", "-msse4.1", "-msse4.2", "-mpopcnt"]
    V3 = [*V2, "-mavx2", "-mbmi", "-mbmi2", "-mlzcnt", "-mfma", "-mf16c", "-mmovbe"]
    KERNEL_LEVELS |= (
        {"x86_64_v3": ["/arch:AVX2"], "x86_64_v4": ["/arch:AVX512"]}
        if sys.platform == "win32"
        else {"x86_64_v2": V2, "x86_64_v3": V3, "x86_64_v4": [*V3, "-mavx512f"]}
    )


def compiled(name, source, flags=()):
    """One module, its C written below build/ so that none lies in the tree or in a wheel."""
    extension = Extension(
        f"tavli_fast.{name}",
        [f"{SOURCES}/{source}"],
        include_dirs=[str(Path(SOURCES).resolve())],
        depends=PARTS,
        extra_compile_args=[*OPTIMISE, *flags],
        extra_link_args=["--coverage"] if COVERED else [],
        undef_macros=["NDEBUG"] if CHECKED else [],
    )
    return cythonize(
        [extension],
        build_dir=f"build/cython/{name}",
        include_path=["src"],
        compiler_directives={"embedsignature": True},
        force=CHECKED or COVERED,
    )[0]


setup(
    ext_modules=[
        *(
            compiled(f"_kernel_{level}", "_kernel.pyx", [*APART, *flags])
            for level, flags in KERNEL_LEVELS.items()
        ),
        *(
            compiled(source.removesuffix(".pyx").replace("/", "."), source)
            for source in sorted(
                path.relative_to(SOURCES).as_posix() for path in Path(SOURCES).rglob("*.pyx")
            )
            if source != "_kernel.pyx"
        ),
    ]
)
