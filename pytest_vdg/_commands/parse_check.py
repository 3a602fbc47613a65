"""``vdg parse-check``: how the answer parser did on replies that are on disk.

Apart from ``import`` because nothing is joined or judged: it shows what was
said that chose no option, before a night is spent on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_vdg._commands._outcome import Failed


def parse_check(file: str, /) -> Sequence[str]:
    """Show how many replies of a file choose an option, by condition.

    FILE is a table (.jsonl, .json, .csv, .tsv) with the fields
      reply      what the model said
      options    list of texts, or label and text; in a table also columns A, B
      condition  if there are several
      expected   if known: the label that a person reads in it, empty for none
      id         if wanted
    or a run kept with save_run(run, path, full=True), which holds no option
    texts. Whether the model was right is not asked: an `answer` field is not
    looked at. Leaves with 1 if a reply was parsed to another label than
    expected.

    example:
      vdg parse-check replies.jsonl

    Parameters
    ----------
    file
        Replies, or a run.
    """
    from pytest_vdg.reports._reply_rows import read_replies
    from pytest_vdg.reports.parsing import parse_report

    report = parse_report(read_replies(Path(file)))
    return Failed(report.lines()) if report.misread else report.lines()
