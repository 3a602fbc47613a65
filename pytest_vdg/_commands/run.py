"""``vdg run``: judge the claims of ``vdg.yaml`` about a checkpoint, without pytest.

Apart from ``ladder`` because it ends in verdicts and reports, as a test session
does; and from a test session because no test is written.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated

from pytest_vdg._commands._arguments import (
    STDOUT,
    Outputs,
    Variadic,
    WhereFirst,
    names,
    settings_of,
    typed_command,
)
from pytest_vdg._commands._outcome import Failed
from pytest_vdg._commands._progress import progress_line
from pytest_vdg._commands.ladder import CONDITIONS
from pytest_vdg.config.settings import Settings
from pytest_vdg.errors import ConfigError, did_you_mean
from pytest_vdg.sessions.asks import Ask
from pytest_vdg.sessions.judging import broken_told
from pytest_vdg.sessions.session import VdgSession
from pytest_vdg.spelling import one_line

if TYPE_CHECKING:
    from pytest_vdg.config.claims import ClaimSpec
    from pytest_vdg.reports.results import Results
    from pytest_vdg.sessions.sight_step import SightStep


def run(
    checkpoint: str | None = None,
    /,
    *,
    claims: Annotated[list[str] | None, Variadic] = None,
    claim: Annotated[list[str] | None, Variadic] = None,
    outputs: Outputs | None = None,
    where: WhereFirst | None = None,
) -> Sequence[str]:
    """Judge claims about a checkpoint, and write reports of them.

    The claims are those of vdg.yaml, or typed. Each is judged as a test of
    pytest would be, and the same reports can be written. With --sight the sight
    check comes first, as one more claim. Leaves with 0 only where all hold and
    there is one.

    example:
      vdg run checkpoints/step-2000 --json results.json
      vdg run checkpoints/step-2000 --claim "vdg_above slice=sight floor=0.25"

    Parameters
    ----------
    checkpoint
        Folder or hub id (default: that of vdg.yaml).
    claims
        Only these claims of vdg.yaml (default: all of them).
    claim
        A claim in one word of the shell: an assertion without assert_, then
        NAME=VALUE.

    Raises
    ------
    ConfigError
        Before a weight is loaded, for a claim that can never be judged.
    """
    outputs = outputs or Outputs()
    to_stdout = outputs.json == STDOUT
    if to_stdout:
        outputs = replace(outputs, json=None)
    settings = settings_of(where, checkpoint=checkpoint, outputs=outputs)
    chosen = chosen_claims(settings, claims, claim)
    session = VdgSession(settings, progress=progress_line())
    try:
        lines, results = _judged(session, chosen, to_stdout=to_stdout)
    finally:
        with broken_told():
            session.close()
    return lines if results.green else Failed(lines)


def chosen_claims(
    settings: Settings, claims: Sequence[str] | None, typed: Sequence[str] | None
) -> Mapping[str, ClaimSpec]:
    """Return the claims that are meant, by name; a typed one is its own name."""
    from pytest_vdg.config.claims import typed_claim

    known = settings.config.claims
    wanted = () if typed else tuple(known)
    if claims is not None:  # a name may hold a comma
        wanted = tuple(n for c in claims for n in ([c] if c in known else names([c])))
    for name in wanted:
        if name not in known:
            there = did_you_mean(name, known) if known else " vdg.yaml names no claim"
            raise ConfigError(f"there is no claim {name!r}.{there}")
    return {
        **{name: known[name] for name in wanted},
        **{text: typed_claim(text) for text in typed or ()},
    }


def _judged(
    session: VdgSession, claims: Mapping[str, ClaimSpec], *, to_stdout: bool
) -> tuple[list[str], Results]:
    from pytest_vdg.reports.results_json import dump_results
    from pytest_vdg.sessions.claims import judge_claims

    first = _first(session, claims)
    ladder = [] if claims or first else _ladder(session)
    results = judge_claims(session, claims, first=first, command=typed_command())
    results = replace(results, notes=(*results.notes, *_remembered(session, results)))
    wrote, annotations = reported(session.settings, results)
    if to_stdout:
        # Not splitlines: a reply may hold what Unicode takes for the end of a line.
        text = dump_results(results, plain=True).decode("ascii")
        return text.rstrip("\n").split("\n"), results
    shown = replace(results, notes=(*results.notes, *wrote))
    return [*ladder, *_lines(session, shown), *annotations], results


def _first(session: VdgSession, claims: Mapping[str, ClaimSpec]) -> Sequence[SightStep]:
    """Return the sight check of each checkpoint that is asked, where it is wanted."""
    settings = session.settings
    if not settings.sight:
        return ()
    from pytest_vdg.sessions.sight_step import require_asking, steps_of

    require_asking(settings)
    checkpoints = [session.checkpoint(Ask())]
    other = settings.compared.locate()
    if other is not None and any(spec.compares for spec in claims.values()):
        checkpoints.append(other)
    return steps_of(session, checkpoints)


def _ladder(session: VdgSession) -> list[str]:
    """Return what is worth to be known where nothing is claimed."""
    from pytest_vdg.reports.ladder import ladder_lines

    settings = session.settings
    if len(settings.config.slices) > 1:
        raise ConfigError(
            "nothing is claimed, and vdg.yaml names several slices: "
            f"{', '.join(sorted(settings.config.slices))}. Claim something of one: "
            '--claim "vdg_above slice=NAME floor=0.1"'
        )
    ask = Ask(conditions=CONDITIONS if settings.replay is None else None)
    session.checkpoint(ask)
    session.require_known(ask)
    with broken_told():
        run = session.run(ask)
    return [*ladder_lines(run), ""]


def _remembered(session: VdgSession, results: Results) -> list[str]:
    """Keep what the judged runs came to; return what has to be told of it."""
    from pytest_vdg.reports.past import past_of
    from pytest_vdg.store.history import keep

    settings = session.settings
    if not settings.keeps_history:
        return []
    past = past_of(results, environment=settings.environment)
    return keep(settings.cache_dir, past)


def reported(settings: Settings, results: Results) -> tuple[list[str], list[str]]:
    """Write the reports; return a line for each file, and lines for GitHub."""
    from pytest_vdg.reports.annotations import lines
    from pytest_vdg.reports.registry import heard, write_reports

    wanted = heard(settings.outputs, os.environ)
    if "report" in wanted:
        from pytest_vdg.sessions.pictures import for_page

        results = for_page(settings, results)
    wrote = write_reports(results, wanted)
    return wrote, lines(results, os.environ) if "annotations" in wanted else []


def _lines(session: VdgSession, results: Results) -> list[str]:
    """Return what the summary of a test session shows, and why claims failed."""
    from pytest_vdg.reports.terminal import headers, table
    from pytest_vdg.sessions.claims import count_of
    from pytest_vdg.sessions.judging import described

    width = max(80, get_terminal_size((100, 24)).columns)
    lines = headers(described(run) for run in session.runs)
    for test in results.tests:
        if test.message:
            title = one_line(test.name, 200, "...")
            lines += ["", f"---- {title} ----", *test.message.splitlines()]
    if results.findings:
        lines += ["", *table(results.findings, width=width)]
    lines += [f"vdg: loosened: {line}" for line in results.loosened]
    if results.tests:
        lines.append(f"vdg: {count_of(results)}")
    if results.cached:
        total = results.asked + results.cached
        lines.append(f"vdg: {results.cached} of {total} cells from cache")
    lines += [f"vdg: {note}" for note in results.notes]
    return lines + [f"vdg: FAILED, {fault}" for fault in results.faults]
