"""Write ``docs/reproduction.md``: the VDG paper's numbers by our code.

    python -m tools.reproduce FOLDER

FOLDER holds the paper's published answers (see the page's first lines). Apart
from the tests because the files are not part of the project: tests hold the
numbers, this page shows all of them.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Sequence
from pathlib import Path

from pytest_vdg.errors import StoreError
from tools.reproduction import (
    agreement,
    arithmetic,
    compression,
    egoschema,
    labels,
    video_mme,
)
from tools.reproduction.answers import Published, read_published
from tools.reproduction.check import Check
from tools.reproduction.page import write_page

log = logging.getLogger(__name__)

PAGE = Path(__file__).parents[1] / "docs" / "reproduction.md"


def sections_of(published: Published) -> dict[str, list[Check]]:
    """Return every check by the title of its section."""
    by_title = {
        "Video-MME: visual dependency gap": (
            video_mme.gaps,
            video_mme.four_categories,
            video_mme.ratios,
            arithmetic.footnote,
        ),
        "Video-MME: two models compared": (video_mme.dissociation, arithmetic.counts),
        "Video-MME: what models share": (
            agreement.ranks,
            agreement.halves,
            agreement.cores,
            agreement.questions,
        ),
        "Video-MME: labels": (labels.alignments, labels.distributions),
        "Video-MME: compression": (
            compression.accuracies,
            compression.flipped,
            compression.sensitive,
        ),
        "EgoSchema": (egoschema.gaps, egoschema.contingency, agreement.tiers),
        "Twenty models: arithmetic": (
            arithmetic.gaps,
            arithmetic.ladders,
            arithmetic.other_runs,
        ),
        "MVBench": (arithmetic.elsewhere,),
    }
    return {
        title: [check for checks in of for check in checks(published)]
        for title, of in by_title.items()
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the answers, write the page; 1 where something is not as expected."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.reproduce", description=__doc__.splitlines()[0]
    )
    parser.add_argument("folder", type=Path, help="holds full_study and egoschema")
    parser.add_argument("--page", type=Path, default=PAGE, help="what to write")
    given = parser.parse_args(arguments)
    try:
        published = read_published(given.folder)
    except StoreError as e:
        parser.error(str(e))
    sections = sections_of(published)
    given.page.write_text(write_page(sections, published.remarks), encoding="utf-8")
    odd = [c for of in sections.values() for c in of if not c.as_expected]
    for check in odd:
        log.warning(
            "%s, %s: printed %s, ours %s (%s)",
            check.where,
            check.what,
            ", ".join(check.printed),
            ", ".join(check.shown),
            check.verdict if not check.why else "expected to differ",
        )
    log.info("%s: %d checks", given.page, sum(map(len, sections.values())))
    return 1 if odd else 0


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    raise SystemExit(main())
