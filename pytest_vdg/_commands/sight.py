"""``vdg sight``: sixty questions, a minute: does this checkpoint see at all.

Apart from ``ladder`` because it ends in a verdict, and asks what comes with
this package: it is meant to be the first step of any pipeline.
"""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING

from pytest_vdg._commands._arguments import Flag, Where, settings_of
from pytest_vdg._commands._counts import (
    counts_of,
    finding_of,
    fingerprint_of,
    written,
)
from pytest_vdg._commands._outcome import Failed
from pytest_vdg._commands._session import asking
from pytest_vdg.config.switches import COMMAND_LINE

if TYPE_CHECKING:
    from pytest_vdg.config.settings import Settings
    from pytest_vdg.sessions.session import VdgSession
    from pytest_vdg.sessions.sight import SightCheck

_NEXT = {
    "SEES": ["what it looks at: vdg ladder{}"],
    "DOES NOT SEE": [
        "what each kind of evidence is worth: vdg ladder{}",
        "      how it is asked, prompt and frames: vdg config",
    ],
    "INCONCLUSIVE": ["ask all of them: vdg sight{} --questions 168"],
}
"""What to type next; {} stands for the checkpoint and options as they were typed."""
_OWN = ("checkpoint", "questions", "time_budget", "no_cache")
"""Settings that are typed for this command alone, or stand in front."""


def sight(
    checkpoint: str | None = None,
    /,
    *,
    json: Flag = False,
    where: Where | None = None,
) -> Sequence[str]:
    """Find out in a minute whether a checkpoint sees at all.

    Asks sixty built-in questions about short clips of coloured shapes, with the
    video and with a black one (--questions N for another number). Prints

      SEES          better than under black frames, and better than the best
                    answer that is the same to every question
      DOES NOT SEE  the video is shown to be worth less than 20 points, or the
                    accuracy not to be above that of a constant answer
      INCONCLUSIVE  neither is shown

    by one-sided 95% bounds, adjusted for two claims. Leaves with 0 only for
    SEES.

    example:
      vdg sight checkpoints/step-2000 --device cuda

    Parameters
    ----------
    checkpoint
        Folder or hub id (default: that of vdg.yaml).
    json
        Write JSON, not text.

    Raises
    ------
    ConfigError
        Where there is no such checkpoint.
    CouldNotBeJudged
        When the run allows no verdict, e.g. the video never reached the model.
    """
    from pytest_vdg.sessions.sight import Sight, check_sight

    settings = settings_of(where, checkpoint=checkpoint)
    with asking(settings) as session:
        found = check_sight(session)
    lines = [written(_values(found))] if json else _told(found, session, checkpoint)
    return lines if found.verdict is Sight.SEES else Failed(lines)


def _told(found: SightCheck, session: VdgSession, checkpoint: str | None) -> list[str]:
    from pytest_vdg.reports._format import columns, plain, share
    from pytest_vdg.reports.terminal import unanswered_lines
    from pytest_vdg.spelling import count

    run, constant = found.run, found.constant
    asked = f"{count(len(run.questions), 'built-in question')} about shapes"
    rows = [("task", "n", *run.conditions)]
    for task in run.tasks:
        counts = [run.counts(condition, task) for condition in run.conditions]
        number = len(run.selected(task))
        rows.append((task, str(number), *(share(c.accuracy) for c in counts)))
    lines = [f"{found.verdict}: {plain(run.checkpoint, 60)}, {asked}"]
    lines += [f"  {finding.summary}" for finding in found.claims]
    lines.append(f"  floor: always {constant.words} earns {share(constant.share)}")
    aligned = columns(rows, align="l" + "r" * (1 + len(run.conditions)))
    lines += ["", *(f"  {line}" for line in aligned), ""]
    lines += [*unanswered_lines(run), *(f"note: {note}" for note in session.notes)]
    if session.cached:
        lines.append(f"{session.cached} of {len(run.cells)} cells from cache")
    typed = _typed(session.settings, checkpoint)
    first, *more = (line.format(typed) for line in _NEXT[str(found.verdict)])
    return [*lines, f"next: {first}", *more]


def _typed(settings: Settings, checkpoint: str | None) -> str:
    """Return what was typed of whom to ask and how, for the command after this."""
    text = "" if checkpoint is None else f" {quote(checkpoint)}"
    for name, given in settings.where.items():
        if given.source == COMMAND_LINE and name not in _OWN:
            value = "" if given.value is True else f" {quote(str(given.value))}"
            text += f" --{name.replace('_', '-')}{value}"
    return text


def _values(found: SightCheck) -> dict[str, object]:
    run, constant = found.run, found.constant
    return {
        "verdict": str(found.verdict),
        "checkpoint": run.checkpoint,
        "slice": run.slice_name,
        "questions": len(run.questions),
        "chance": run.chance(),
        "constant": {
            "kind": constant.kind,
            "answer": constant.answer,
            "accuracy": constant.share,
        },
        "claims": [finding_of(finding) for finding in found.claims],
        "conditions": counts_of(run),
        "tasks": {task: counts_of(run, task) for task in run.tasks},
        "fingerprint": fingerprint_of(run),
    }
