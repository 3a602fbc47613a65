"""Write what the contract says of each family into ``docs/models.md``.

Apart from the test that holds the page to it, so that a new family is one
command away from its row: ``python -m tests.backends.model_table``.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

from pytest_vdg.backends._hf_families import AS_IMAGES, FAMILIES, Family, FramesAs
from tests.backends.contract import LINES, result
from tests.backends.families import LEFT_OUT, TINY

PAGE = Path(__file__).parents[2] / "docs" / "models.md"
HEAD = ("family", "`model_type`", "class", *LINES)
BEGIN, END = "<!-- begin: {} -->", "<!-- end: {} -->"
log = logging.getLogger(__name__)


def row(kind: str, frames_as: FramesAs | None = None) -> str:
    """Return the line of the table about a family; raises where a claim fails."""
    cells = [FAMILIES[kind].name, f"`{kind}`"]
    if frames_as is None:
        cells.append(f"`{_class(kind)}`")
    return _line([*cells, *(result(kind, line, frames_as) for line in LINES)])


def table(kinds: Iterable[str] = TINY) -> str:
    """Return the table of families, and with which transformers it was made."""
    import transformers

    made = f"Made with transformers {transformers.__version__}, in float32 on a CPU.\n"
    return "\n".join([made, *_head(HEAD), *map(row, kinds)])


def table_as_images(kinds: Iterable[str] = AS_IMAGES) -> str:
    """Return the table of families that take videos, and are shown pictures."""
    head = _head([name for name in HEAD if name != "class"])
    return "\n".join([*head, *(row(kind, "images") for kind in kinds)])


def departures() -> str:
    """Return what is set for families whatever their checkpoint says."""
    return _told(family for family in FAMILIES.values() if family.departs)


def departures_as_images() -> str:
    """Return what is set for families that are shown pictures, beside that."""
    return _told(family for family in AS_IMAGES.values() if family.options)


def _told(families: Iterable[Family]) -> str:
    return "\n".join(f"- {family.name}: {family.departs}" for family in families)


def left_out() -> str:
    """Return the list of what takes videos, and is in no family."""
    return "\n".join(f"- `{kind}`: {why}" for kind, why in LEFT_OUT.items())


def written(page: str, name: str, text: str) -> str:
    """Return *page* with *text* between its marks of *name*."""
    begin, end = BEGIN.format(name), END.format(name)
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{text}\n{end}{after}"


def part(page: str, name: str) -> str:
    """Return what stands between the marks of *name*."""
    _, _, rest = page.partition(BEGIN.format(name) + "\n")
    return rest.partition("\n" + END.format(name))[0]


def main() -> None:
    """Write the page anew."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    warnings.simplefilter("ignore")
    page = PAGE.read_text(encoding="utf-8")
    page = written(page, "departures", departures())
    page = written(page, "left out", left_out())
    page = written(page, "departures as images", departures_as_images())
    page = written(page, "families", table())
    page = written(page, "families as images", table_as_images())
    PAGE.write_text(page, encoding="utf-8")
    log.info("wrote %s", PAGE)


def _head(names: Sequence[str]) -> list[str]:
    return [_line(names), _line(["---"] * len(names))]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _class(kind: str) -> str:
    from transformers.models.auto import modeling_auto

    return str(modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES[kind])


if __name__ == "__main__":
    main()
