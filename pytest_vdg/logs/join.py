"""`join`: logs of several conditions as one `Run`, a question at a time.

Apart from the readers because pairing is where it goes wrong: nothing is
joined by position, arms that asked different questions are refused, and what
was repeated, missing or odd is listed beside the run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_vdg.benchmarks.schema import Benchmark
from pytest_vdg.errors import ConfigError, NotComparable
from pytest_vdg.frames.conditions import Condition, known_conditions
from pytest_vdg.logs._asked import Entry, entry
from pytest_vdg.logs._known import Known, plain
from pytest_vdg.logs._origin import fingerprint
from pytest_vdg.logs.answers import Log, LoggedAnswer
from pytest_vdg.runs import Caps, CellResult, Outcome, Run

Arms = Mapping[str, Sequence[Log]]
"""Condition to the logs of its answers; ``""`` for logs that say it in each row."""


@dataclass(frozen=True, kw_only=True)
class Joined:
    """Result of `join`."""

    run: Run
    notes: tuple[str, ...]
    """What was found in the logs and settled, in words; often empty."""


def join(
    arms: Arms,
    *,
    checkpoint: str,
    slice_name: str,
    benchmark: Benchmark | None = None,
    labels: Sequence[str] = (),
    variant: str | None = None,
    caps: Caps | None = None,
) -> Joined:
    """Make one run of the logs of several conditions.

    Parameters
    ----------
    arms : mapping
        Condition to logs; ``""`` for logs whose rows name their condition.
    checkpoint, slice_name : str
        What to call the two.
    benchmark : Benchmark, optional
        What the questions are of. It gives ids, tasks and videos, and the
        options where the logs do not hold them; each row is found in it by
        content.
    labels : sequence of str
        Labels of the options, such as ``"ABCD"``, where neither tells them.
    variant : str, optional
        Which answers to keep where a question was answered more than once,
        e.g. the name of a filter, or ``epoch 1``.
    caps : Caps, optional
        How much may be missing before the run cannot be judged.

    Returns
    -------
    Joined
        A row without a reply is ``failed``, a reply that chooses no option is
        ``unparsed``, also an empty one. A question without a row under some
        condition is ``failed`` there.

    Raises
    ------
    NotComparable
        Naming file and row, when the arms differ in a question, its options
        or its key, or hold two answers to one question.
    ConfigError
        For a condition that is misspelt.
    """
    known = None if benchmark is None else Known(benchmark)
    rows = _by_condition(arms, variant)
    entries = {c: [entry(a, known, labels) for a in of] for c, of in rows.items()}
    _require_distinct_ids(e for of in entries.values() for e in of)
    chosen = {c: _one_each(c, of, variant) for c, of in entries.items()}
    questions: dict[str, Entry] = {}
    for arm in chosen.values():
        for name, found in arm.items():
            first = questions.setdefault(name, found)
            _require_same(found, first)
    cells = {
        (q, c): arm[q].cell(c) if q in arm else _absent(q, c)
        for c, arm in chosen.items()
        for q in questions
    }
    asked = tuple(each.question() for each in questions.values())
    run = Run(
        checkpoint=checkpoint,
        slice_name=slice_name,
        questions=asked,
        conditions=tuple(chosen),
        cells=cells,
        fingerprint=fingerprint(arms, chosen, asked, checkpoint),
        caps=caps or Caps(),
    )
    notes = [*_unasked(benchmark, questions), *_notes(arms, entries, chosen, questions)]
    return Joined(run=run, notes=tuple(notes))


def condition_called(name: str) -> str:
    """Return the spec of the condition *name*; a misspelt one is a `ConfigError`.

    Conditions that only others have, such as ``noise``, keep their name.
    """
    try:
        return str(Condition.parse(name))
    except ConfigError as error:
        kind = name.partition(":")[0]
        if kind in known_conditions() or "Did you mean" in str(error):
            raise
        return name


def _by_condition(arms: Arms, variant: str | None) -> dict[str, list[LoggedAnswer]]:
    rows: dict[str, list[LoggedAnswer]] = {}
    for given, logs in arms.items():
        for answer in (a for log in logs for a in log.answers):
            if variant is not None and answer.variant not in (variant, None):
                continue
            name = given or answer.condition
            if name is None:
                raise NotComparable(
                    f"{answer.place}: does not say its condition. Write it before the "
                    "file: original=FILE black=FILE"
                )
            if given and answer.condition not in (None, condition_called(given)):
                continue  # a file of several conditions, given for one of them
            rows.setdefault(condition_called(name), []).append(answer)
        if given and condition_called(given) not in rows:
            files = ", ".join(str(log.path) for log in logs)
            raise NotComparable(_no_row(files, given, variant))
    if not rows:
        raise NotComparable(_no_row("the logs", None, variant))
    return rows


def _no_row(files: str, condition: str | None, variant: str | None) -> str:
    wanted = [f"condition {condition!r}"] if condition else []
    wanted += [f"--take {variant!r}"] if variant else []
    return f"no row of {files} is of {' and '.join(wanted) or 'any condition'}"


def _require_distinct_ids(entries: Iterable[Entry]) -> None:
    spelt: dict[str, Entry] = {}
    for each in entries:
        first = spelt.setdefault(each.id.strip().casefold(), each)
        if first.id != each.id:
            raise NotComparable(
                f"{each.logged.place}: id {each.id!r} is {first.id!r} in "
                f"{first.logged.place}, but for case or spaces. Spell one question "
                "one way"
            )


def _one_each(
    condition: str, entries: Sequence[Entry], variant: str | None
) -> dict[str, Entry]:
    """Return the entry that counts of each question: an answer before a failure."""
    grouped: dict[str, list[Entry]] = {}
    for each in entries:
        grouped.setdefault(each.id, []).append(each)
    chosen = {}
    for name, several in grouped.items():
        for each in several[1:]:
            _require_same(each, several[0])
        said = [e for e in several if e.logged.reply is not None]
        if len({e.logged.reply for e in said}) > 1:
            raise NotComparable(_ambiguous(condition, name, said, variant))
        chosen[name] = said[0] if said else several[-1]
    return chosen


def _ambiguous(
    condition: str, name: str, said: Sequence[Entry], variant: str | None
) -> str:
    places = ", ".join(f"{e.logged.reply!r:.40} in {e.logged.place}" for e in said[:3])
    named = sorted({e.logged.variant for e in said if e.logged.variant})
    advice = "Remove all but one"
    if len(named) > 1 and variant is None:
        there = ", ".join(named)
        advice = f"Say which to take: --take {named[0]!r} (there are {there})"
    return (
        f"question {name!r} has several answers under {condition!r}: {places}. {advice}"
    )


def _require_same(found: Entry, first: Entry) -> None:
    """Raise `NotComparable` unless both rows are about the same question."""
    there, here = first.logged, found.logged
    digests = there.digest, here.digest
    problems: list[tuple[str, object, object]] = []
    if all(digests) and digests[0] != digests[1]:
        problems.append(("the harness's digest of the question", *digests))
    if not all(digests) and plain(first.text) != plain(found.text):
        problems.append(("the text", first.text, found.text))
    compared = (
        ("the options", dict(first.options), dict(found.options)),
        ("the order of the options", list(first.options), list(found.options)),
        ("the key", first.key, found.key),
        ("the task", first.task, found.task),
    )
    problems += [(what, a, b) for what, a, b in compared if a != b]
    if None not in (first.video, found.video) and first.video != found.video:
        problems.append(("the video", first.video, found.video))
    if problems:
        what, a, b = problems[0]
        raise NotComparable(
            f"{here.place}: {what} of question {found.id!r} is {b!r:.80}, but "
            f"{a!r:.80} in {there.place}. Answers to different questions cannot be "
            "paired"
        )


def _absent(question_id: str, condition: str) -> CellResult:
    return CellResult(
        question_id=question_id,
        condition=condition,
        outcome=Outcome.FAILED,
        reason="no row in the logs",
    )


def _unasked(benchmark: Benchmark | None, questions: Collection[str]) -> Iterator[str]:
    """Yield that harnesses left questions out in silence, e.g. for want of a video."""
    if benchmark is None or len(questions) == len(benchmark):
        return
    first = next(q.id for q in benchmark.questions if q.id not in questions)
    yield (
        f"the logs answer {len(questions)} of the {len(benchmark)} questions of "
        f"benchmark {benchmark.name!r} (the first without: {first})"
    )


def _notes(
    arms: Arms,
    entries: Mapping[str, Sequence[Entry]],
    chosen: Mapping[str, Mapping[str, Entry]],
    questions: Mapping[str, Entry],
) -> Iterator[str]:
    for log in (log for logs in arms.values() for log in logs):
        yield from (f"{log.path}: {note}" for note in log.notes)
    for condition, several in entries.items():
        often = [q for q, n in Counter(e.id for e in several).items() if n > 1]
        if often:
            yield (
                f"{condition}: {len(often)} questions have several rows; an answer "
                f"counts before a failure (first: {often[0]}, "
                f"{chosen[condition][often[0]].logged.place})"
            )
        lacking = [q for q in questions if q not in chosen[condition]]
        if lacking:
            yield (
                f"{condition}: {len(lacking)} questions have no row and count as "
                f"failed (first: {lacking[0]})"
            )
        if not _is_ours(condition):
            yield f"{condition}: no condition that can be run here; it is kept as it is"
    yield from _prompt_notes(chosen)
    if any(each.video is None for each in questions.values()):
        yield (
            "the logs do not name the videos: each question counts as a video of its "
            "own, and intervals may be too narrow. Naming the benchmark mends it"
        )


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
