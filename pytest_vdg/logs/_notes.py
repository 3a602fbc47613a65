"""What joining found in logs and settled, in words for whoever imports them.

Apart from joining because none of it stops a run: it is what a person must
know before the run is believed.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence, Sized

from pytest_vdg.benchmarks.schema import Benchmark
from pytest_vdg.errors import ConfigError
from pytest_vdg.frames.conditions import Condition
from pytest_vdg.logs._asked import Entry
from pytest_vdg.logs.answers import Log
from pytest_vdg.outcomes.extent import unknown_videos
from pytest_vdg.runs import Fingerprint, Run

_OF_CONDITION = re.compile(r"(?P<name>.+) \((?P<condition>[^()]+)\)")
"""How a fingerprint names a setting in which the conditions differ."""


def _unasked(benchmark: Benchmark | None, questions: Collection[str]) -> Iterator[str]:
    """Yield that harnesses left questions out in silence, e.g. for want of a video."""
    if benchmark is None or len(questions) == len(benchmark):
        return
    first = next(q.id for q in benchmark.questions if q.id not in questions)
    yield (
        f"the logs answer {len(questions)} of the {len(benchmark)} questions of "
        f"benchmark {benchmark.name!r} (the first without: {first})"
    )


def notes_on(
    arms: Mapping[str, Sequence[Log]],
    entries: Mapping[str, Sequence[Entry]],
    chosen: Mapping[str, Mapping[str, Entry]],
    questions: Mapping[str, Entry],
    *,
    benchmark: Benchmark | None,
    run: Run,
    labels: Sequence[str],
    variant: str | None,
) -> Iterator[str]:
    """Yield what was settled, what is missing, and what else may make a difference."""
    yield from _unneeded(arms, entries, benchmark, labels, variant)
    yield from _unasked(benchmark, questions)
    yield from _setting_notes(run.fingerprint, tuple(chosen))
    for log in (log for logs in arms.values() for log in logs):
        yield from (f"{log.path}: {note}" for note in log.notes)
    for condition, several in entries.items():
        often = [q for q, n in Counter(e.id for e in several).items() if n > 1]
        if often:
            yield (
                f"{condition}: {_count(often)} several rows; an answer "
                f"counts before a failure (first: {often[0]}, "
                f"{chosen[condition][often[0]].logged.place})"
            )
        lacking = [q for q in questions if q not in chosen[condition]]
        if lacking:
            yield (
                f"{condition}: {_count(lacking)} no row and {_counts(lacking)} as "
                f"failed (first: {lacking[0]})"
            )
        if not _is_ours(condition):
            yield f"{condition}: no condition that can be run here; it is kept as it is"
    yield from _prompt_notes(chosen)
    unknown = unknown_videos(run)
    if unknown is not None:
        yield f"videos {unknown}"


def _unneeded(
    arms: Mapping[str, Sequence[Log]],
    entries: Mapping[str, Sequence[Entry]],
    benchmark: Benchmark | None,
    labels: Sequence[str],
    variant: str | None,
) -> Iterator[str]:
    """Yield what was given and made no difference: its giver believes it did."""
    told = all(e.logged.options is not None for of in entries.values() for e in of)
    if labels and (told or benchmark is not None):
        name = "" if benchmark is None else benchmark.name
        who = "the logs tell" if told else f"benchmark {name!r} tells"
        yield f"--labels {''.join(labels)} was not needed: {who} the options"
    answers = (a for logs in arms.values() for log in logs for a in log.answers)
    if variant is not None and all(a.variant in (variant, None) for a in answers):
        yield f"--take {variant!r} was not needed: there is no answer of another name"


def _is_ours(condition: str) -> bool:
    try:
        Condition.parse(condition)
    except ConfigError:
        return False
    return True


def _prompt_notes(chosen: Mapping[str, Mapping[str, Entry]]) -> Iterator[str]:
    (first, arm), *others = chosen.items()
    for condition, other in others:
        differ = [
            q
            for q in other
            if q in arm and arm[q].logged.prompt != other[q].logged.prompt
        ]
        if differ:
            yield (
                f"{condition}: {len(differ)} prompts are not those of {first} (first: "
                f"{differ[0]}): a difference may be that of the wording"
            )


def _setting_notes(
    fingerprint: Fingerprint, conditions: Sequence[str]
) -> Iterator[str]:
    """Yield each setting that two conditions both name, and not alike."""
    values: dict[str, dict[str, str]] = defaultdict(dict)
    for key, value in fingerprint.comparable.items():
        found = _OF_CONDITION.fullmatch(key)
        if found and found["condition"] in conditions and found["name"] != "prompts":
            values[found["name"]][found["condition"]] = value
    for name, by_condition in values.items():
        if len(set(by_condition.values())) > 1:
            said = ", ".join(f"{c}: {v:.60}" for c, v in by_condition.items())
            yield (
                f"the conditions differ in {name} ({said}): a difference between "
                "them may be that of the setting"
            )


def _counts(several: Sized) -> str:
    return "counts" if len(several) == 1 else "count"


def _count(several: Sized) -> str:
    return "1 question has" if len(several) == 1 else f"{len(several)} questions have"
