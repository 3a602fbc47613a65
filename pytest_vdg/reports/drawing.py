"""How figures look, and how they become files and parts of a page.

Apart from the figures, which say what is drawn, so that all of them share one
hand: the same colours, told apart with any colour vision, and text that stays
text. matplotlib is optional, and imported when a figure is made.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from pytest_vdg.errors import ConfigError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, PALE, GRID, PAPER = "#1f2328", "#646c75", "#d5dae0", "#ffffff"
# Okabe & Ito (2008): told apart with any colour vision; shapes differ as well.
BLUE, ORANGE, GREEN, PINK = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
COLOURS = (BLUE, ORANGE, GREEN, PINK)
_VARIABLES = {
    INK: "ink",
    PALE: "pale",
    GRID: "line",
    PAPER: "paper",
    BLUE: "blue",
    ORANGE: "orange",
    GREEN: "green",
    PINK: "pink",
}
"""What a colour is called in a page, whose dark form has others."""
WIDTH = 4.9
"""Inches; with `SIZE` the text can be read on a phone and fills half a screen."""
SIZE = 8.5
"""Points."""
_DPI = 200
SALT = "pytest-vdg"
"""Of the ids in an SVG: with one, the same results give the same file."""
_STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": GRID,
    "axes.labelcolor": PALE,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "font.size": SIZE,
    "axes.titlesize": SIZE + 1,
    "axes.labelsize": SIZE,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "svg.fonttype": "none",  # text can be selected, searched and read aloud
    "svg.hashsalt": SALT,
    "text.color": INK,
    "text.parse_math": False,  # names of tasks hold dollar signs
    "xtick.color": PALE,
    "ytick.color": PALE,
    "xtick.labelcolor": PALE,
    "ytick.labelcolor": INK,
}
_XLINK = "{http://www.w3.org/1999/xlink}href"
_COLOUR = re.compile("|".join(_VARIABLES), re.IGNORECASE)
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def require_drawable(wanted_by: str) -> None:
    """Raise `ConfigError` where figures cannot be drawn, naming what asks for them.

    Asked before anything is computed: a night's work must not end in it.
    """
    lacking = [n for n in ("matplotlib", "PIL") if find_spec(n) is None]
    if lacking:
        package = {"PIL": "pillow"}.get(lacking[0], lacking[0])
        raise ConfigError(
            f"{wanted_by}: the HTML report needs {package!r}, which is not installed.\n"
            "Install it with: pip install 'pytest-vdg[plots]'"
        )


@contextmanager
def drawing() -> Iterator[None]:
    """Let figures be made in our hand, whatever style the user's own files set."""
    import matplotlib as mpl

    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)  # type: ignore[arg-type]
        # A name may hold signs that no font here has; the table beside it shows them.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def new_figure(height: float, *, width: float = WIDTH) -> Figure:
    """Return an empty figure; inches. No window, no state of pyplot."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def chance_line(axes: Axes, chance: float, last: int) -> None:
    """Draw what guessing is right on, a fraction, over the places 0 to *last*."""
    axes.axhline(100 * chance, color=PALE, linewidth=1, linestyle=(0, (3, 2)))
    axes.annotate(
        f"chance {100 * chance:.0f}",
        (last + 0.5, 100 * chance),
        xytext=(2, 0),
        textcoords="offset points",
        va="center",
        color=PALE,
        fontsize=7,
        annotation_clip=False,
    )
    axes.set_xlim(-0.5, last + 0.5)


def png(figure: Figure) -> bytes:
    """Return *figure* as a picture on white."""
    return _saved(figure, "png", dpi=_DPI, facecolor=PAPER)


def svg(figure: Figure) -> bytes:
    """Return *figure* as a file of its own, on white, without a date."""
    return _saved(figure, "svg", facecolor=PAPER, metadata={"Date": None})


def _saved(figure: Figure, form: str, **how: object) -> bytes:
    room = io.BytesIO()
    with drawing():
        figure.savefig(room, format=form, **how)  # type: ignore[arg-type]
    return room.getvalue()


def inline(drawn: bytes, name: str, title: str) -> str:
    """Return the SVG file *drawn* as part of a page, safe as it stands.

    Ids begin with *name*, so that several figures can share a page; colours are
    the page's; what it is called is read aloud in its place.
    """
    root = ET.fromstring(drawn)  # noqa: S314 - drawn here, from text that was escaped
    for parent in list(root.iter()):
        for child in list(parent):
            if _local(child.tag) in ("metadata", "style"):
                parent.remove(child)
    for element in root.iter():
        element.tag = _local(element.tag)
        element.attrib = {
            _local(key): _rewritten(_local(key), value, name, link=key == _XLINK)
            for key, value in element.attrib.items()
        }
    for key in ("width", "height", "version"):
        root.attrib.pop(key, None)
    root.attrib.update(
        {"role": "img", "aria-label": title, "class": "figure", "data-name": name}
    )
    _take_paper(root)
    return ET.tostring(root, encoding="unicode")


def _local(tag: object) -> str:
    return str(tag).rpartition("}")[2]


def _rewritten(key: str, value: str, name: str, *, link: bool) -> str:
    if key == "id":
        return f"{name}-{value}"
    if link and value.startswith("#"):
        return f"#{name}-{value[1:]}"
    value = _REFERENCE.sub(rf"url(#{name}-\1)", value)
    if key != "style":
        return value
    return _COLOUR.sub(lambda m: f"var(--{_VARIABLES[m[0].lower()]})", value)


def _take_paper(root: ET.Element) -> None:
    """Remove the background, so that the page's shows."""
    for parent in root.iter():
        for child in list(parent):
            if child.get("id", "").endswith("-patch_1"):
                parent.remove(child)
                return


def label(text: str, longest: int = 28) -> str:
    """Return *text* on one line that any figure can hold, its middle cut if long.

    What cannot be seen is written as an escape: an SVG must not hold it.
    """
    line = " ".join(text.split())
    line = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in line)
    if len(line) <= longest:
        return line
    tail = (longest - 1) // 2
    return f"{line[: longest - 1 - tail]}\u2026{line[len(line) - tail :]}"
