"""Charts as SVG that can be read on light and on dark pages."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Both stand out as well from white as from the near black of dark pages.
INK, ACCENT = "#74797f", "#2f81f7"

STYLE = {
    "font.size": 9,
    # Without a salt the names inside an SVG change from run to run.
    "svg.hashsalt": "tavli_fast",
    "axes.prop_cycle": matplotlib.cycler(color=[ACCENT, "#bf6a02"]),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "grid.alpha": 0.3,
    "grid.linewidth": 0.5,
    **dict.fromkeys(
        [
            *("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"),
            *("legend.labelcolor", "grid.color"),
        ],
        INK,
    ),
}


@contextmanager
def drawing(path: Path, caption: str, panels: int, height: float) -> Iterator[Sequence[Axes]]:
    """Panels side by side, written to the file when they are filled."""
    with matplotlib.rc_context(STYLE):
        figure = Figure((9, height), layout="constrained")
        yield figure.subplots(1, panels, squeeze=False)[0]
        figure.supxlabel(textwrap.fill(caption, 150), fontsize=7, color=INK)
        figure.savefig(path, format="svg", transparent=True, metadata={"Date": None})


def bars(
    path: Path, values: Mapping[str, float], accented: set[str], unit: str, caption: str
) -> None:
    """A bar for each value on a logarithmic scale, the first on top."""
    with drawing(path, caption, 1, 0.9 + 0.32 * len(values)) as (axes,):
        colours = [ACCENT if name in accented else INK for name in values]
        drawn = axes.barh(list(values), list(values.values()), height=0.7, color=colours)
        axes.bar_label(drawn, [f"{value:,.0f}" for value in values.values()], padding=3)
        axes.set_xscale("log")
        # Lengths on a logarithmic scale depend on where it begins: at a power of ten, not so near
        # that the shortest bar vanishes.
        axes.set_xlim(left=10 ** np.floor(np.log10(min(values.values()) / 2)))
        axes.invert_yaxis()
        axes.tick_params(left=False)
        axes.set_xlabel(f"{unit}, logarithmic scale")
        axes.margins(x=0.12)


def curves(
    path: Path,
    sizes: Sequence[int],
    panels: Mapping[str, Mapping[str, Sequence[float]]],
    unit: str,
    caption: str,
) -> None:
    """For each panel, by the name of its axis, curves by their names; both axes logarithmic."""
    with drawing(path, caption, len(panels), 3.6) as drawn:
        for axes, (name, lines) in zip(drawn, panels.items(), strict=True):
            for label, values in lines.items():
                # What is too small to be seen is left out.
                axes.loglog(sizes, values, marker=".", label=label, nonpositive="mask")
            axes.set_xlabel(unit)
            axes.set_ylabel(name)
            axes.grid(visible=True)
            axes.legend()
