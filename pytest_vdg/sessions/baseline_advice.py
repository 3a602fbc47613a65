"""What to type next: how a candidate becomes the baseline, ready to be copied.

Apart from finding baselines because every refusal ends in the same few lines.
"""

from __future__ import annotations

from pathlib import Path
from shlex import quote

from pytest_vdg.config.settings import Settings
from pytest_vdg.config.switches import COMMAND_LINE, INI, OUTPUTS
from pytest_vdg.runs import Run

UPDATE = "--vdg-update-baseline"
_PLACE = ("device", "dtype", "attention", "quantisation")
"""Settings that belong to the machine rather than to the question."""
_PART = ("questions", "time_budget")
"""Options that ask a part of a slice, which no baseline is recorded of."""


def next_lines(settings: Settings, run: Run, candidate: Path | None) -> list[str]:
    """Return where *run* was left, and the commands that make it the baseline."""
    record = f"pytest {as_typed(settings)}{UPDATE}"
    if candidate is None:
        return [
            f"  next      record it with: {record}",
            "            then look at the file and commit it",
        ]
    held = f"{len(run.questions)} questions, {', '.join(run.conditions)}"
    return [
        f"  candidate {candidate} ({held})",
        f"  next      look at it, then: {promote_command(settings, run.slice_name)}",
        f"            or record it with your tests: {record}",
        "            and commit the file",
    ]


def settings_advice(
    settings: Settings, run: Run, baseline: Run, candidate: Path | None
) -> str:
    """Return what to do where *run* and *baseline* are not comparable."""
    now, then = run.fingerprint.comparable, baseline.fingerprint.comparable
    moved = [name for name in _PLACE if now.get(name) != then.get(name)]
    lines = ["Run both with the same settings, or record a new baseline"]
    if moved:
        here = settings.environment
        why = f"{', '.join(moved)} {'differs' if len(moved) == 1 else 'differ'}"
        how = "keep a baseline for each" if here is None else f"{here!r} is one of them"
        lines.append(
            f"  machines  {why}: where a suite runs on several, {how}: "
            "--vdg-environment NAME"
        )
    return "\n".join([*lines, *next_lines(settings, run, candidate)])


def diff_command(settings: Settings, slice_name: str) -> str:
    """Return the command that shows what the candidate of *slice_name* changes."""
    return f"vdg baseline diff {quote(slice_name)}{_places(settings)}"


def promote_command(settings: Settings, slice_name: str) -> str:
    """Return the command that takes the candidate of *slice_name*."""
    return f"vdg baseline promote {quote(slice_name)}{_places(settings)}"


def _places(settings: Settings) -> str:
    """Return the options without which ``vdg``, typed here, looks elsewhere.

    It reads no ini file, and looks for ``vdg.yaml`` in this folder only.
    """
    config, here = settings.config.path, Path.cwd()
    text = ""
    if config is not None and config != here / "vdg.yaml":
        text += f" --config={quote(str(config))}"
    lost = config is None and settings.base != here
    for name in ("baseline_dir", "cache_dir", "environment"):
        found = settings.where[name]
        moved = lost and name != "environment"
        if found.value is not None and (found.source in (COMMAND_LINE, INI) or moved):
            text += f" --{name.replace('_', '-')}={quote(str(found.value))}"
    return text


def as_typed(settings: Settings) -> str:
    """Return what the command line said of where to run, ready to type again.

    But for what a baseline is not recorded with: a part of its slice, and reports.
    """
    reports = {switch.name for switch in OUTPUTS}
    found = settings.where.items()
    return "".join(
        f"{given.named}{'' if given.value is True else f'={quote(str(given.value))}'} "
        for name, given in found
        if given.source == COMMAND_LINE and name not in (*_PART, *reports)
    )
