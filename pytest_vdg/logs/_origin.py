"""The fingerprint of an imported run: what its logs say, and no more.

Apart from joining so that it is read in one place which runs can be compared:
two checkpoints under one harness with the same settings can, and none of them
with a run of our own, of which far more is known.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from itertools import takewhile

from pytest_vdg.comparable import slice_digest
from pytest_vdg.logs._asked import Entry
from pytest_vdg.logs.answers import Log
from pytest_vdg.outcomes.extent import VIDEOS
from pytest_vdg.runs import Fingerprint


def fingerprint(
    arms: Mapping[str, Sequence[Log]],
    chosen: Mapping[str, Mapping[str, Entry]],
    questions: Mapping[str, Entry],
    checkpoint: str,
) -> Fingerprint:
    """Return the fingerprint of the run made of *arms*.

    A setting is named after its condition where the conditions differ in it.
    """
    return Fingerprint(
        comparable={
            "source": "imported logs",
            **_settings(arms),
            **_prompts(chosen),
            **_videos(questions.values()),
            "slice": slice_digest(each.question() for each in questions.values()),
        },
        subject=_subject(arms, checkpoint),
        informative={},
    )


def _settings(arms: Mapping[str, Sequence[Log]]) -> dict[str, str]:
    said: dict[str, dict[str, set[str]]] = {}
    for condition, logs in arms.items():
        for log in logs:
            for name, value in {"harness": log.harness, **log.settings}.items():
                said.setdefault(name, {}).setdefault(condition, set()).add(value)
    found = {}
    for name, by_condition in said.items():
        values = {c: "; ".join(sorted(v)) for c, v in by_condition.items()}
        if len(set(values.values())) == 1 and len(values) == len(arms):
            found[name] = next(iter(values.values()))
        else:
            found |= {f"{name} ({c or 'all'})": v for c, v in values.items()}
    return found


def _prompts(chosen: Mapping[str, Mapping[str, Entry]]) -> dict[str, str]:
    """Return a digest of the wording around the questions, by condition.

    Without the questions themselves, which have digests of their own: one that
    has no row must not make all others incomparable.
    """
    found = {}
    for condition, arm in chosen.items():
        prompts = [e.logged.prompt for e in arm.values() if e.logged.prompt is not None]
        if prompts:
            found[condition] = _digest(_around(prompts))[:16]
    if len(set(found.values())) == 1 and len(found) == len(chosen):
        return {"prompts": next(iter(found.values()))}
    return {f"prompts ({condition})": digest for condition, digest in found.items()}


def _around(prompts: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the lines that all *prompts* begin with, and end with."""
    divided = [prompt.split("\n") for prompt in prompts]
    return _shared(divided), _shared([lines[::-1] for lines in divided])


def _shared(divided: Sequence[Sequence[str]]) -> list[str]:
    same = takewhile(lambda lines: len(set(lines)) == 1, zip(*divided, strict=False))
    return [lines[0] for lines in same]


def _videos(questions: Collection[Entry]) -> dict[str, str]:
    """Return that videos are not named: the verdicts must say it, and baselines."""
    unnamed = [each for each in questions if each.video is None]
    if not unnamed:
        return {}
    some = "not" if len(unnamed) == len(questions) else "not all"
    return {VIDEOS: f"{some} named in the logs"}


def _subject(arms: Mapping[str, Sequence[Log]], checkpoint: str) -> dict[str, str]:
    models = {log.model for logs in arms.values() for log in logs if log.model}
    named = {"model": "; ".join(sorted(models))} if models else {}
    # The replies are what is under test, so the files belong to the subject.
    files = {
        f"file {condition} {log.path.name}".replace("  ", " "): f"sha256:{log.sha256}"
        for condition, logs in arms.items()
        for log in logs
    }
    return {"checkpoint": checkpoint, **named, **files}


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()
