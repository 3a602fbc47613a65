"""`join`: logs of several conditions as one `Run`, a question at a time.

Apart from the readers because pairing is where it goes wrong: nothing is
joined by position, arms that asked different questions are refused, and what
was repeated, missing or odd is listed beside the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from pytest_vdg.benchmarks.schema import Benchmark
from pytest_vdg.errors import ConfigError, NotComparable, did_you_mean
from pytest_vdg.frames.conditions import Condition, known_conditions
from pytest_vdg.logs._asked import Entry, entry
from pytest_vdg.logs._known import Known, plain
from pytest_vdg.logs._notes import notes_on
from pytest_vdg.logs._origin import fingerprint
from pytest_vdg.logs.answers import Log, LoggedAnswer
from pytest_vdg.runs import Caps, CellResult, Outcome, Run
from pytest_vdg.spelling import spelt_twice

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
    one_model: bool = False,
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
    one_model : bool
        Whether logs that call the model by several names are of one all the
        same. Without it they are refused.
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
        or its key, have no question in common, hold two answers to one
        question, or name several models.
    ConfigError
        For a condition that is misspelt, or a *variant* that no row is of.
    """
    if not one_model:
        _require_one_model(arms)
    known = None if benchmark is None else Known(benchmark)
    if variant is not None:
        _require_variant(arms, variant)
    rows = _by_condition(arms, variant)
    entries = {c: [entry(a, known, labels) for a in of] for c, of in rows.items()}
    all_rows = chain.from_iterable(entries.values())
    twice = spelt_twice((each.logged.place, each.id) for each in all_rows)
    if twice is not None:
        raise NotComparable(twice)
    chosen = {c: _one_each(c, of, variant) for c, of in entries.items()}
    _require_shared(chosen, benchmark)
    questions = _each_once(chosen)
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
        fingerprint=fingerprint(arms, chosen, questions, checkpoint),
        caps=caps or Caps(),
        planned=None if known is None else known.planned(asked),
    )
    notes = notes_on(
        arms,
        entries,
        chosen,
        questions,
        benchmark=benchmark,
        run=run,
        labels=labels,
        variant=variant,
    )
    return Joined(run=run, notes=tuple(notes))


def condition_called(name: str) -> str:
    """Return the spec of the condition *name*; a misspelt one is a `ConfigError`.

    Conditions that only others have, such as ``noise``, keep their name.
    """
    try:
        return str(Condition.parse(name))
    except ConfigError as error:
        kind = name.partition(":")[0]
        ours = {spec.partition(":")[0] for spec in known_conditions()}
        if kind in ours or "Did you mean" in str(error):
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


def _require_variant(arms: Arms, variant: str) -> None:
    """Refuse a *variant* that no row is of: another one would be judged."""
    answers = (a for logs in arms.values() for log in logs for a in log.answers)
    there = sorted({a.variant for a in answers if a.variant is not None})
    if variant not in there:
        hint = did_you_mean(variant, there) if there else " Leave it out: none is named"
        raise ConfigError(f"--take {variant!r}: no row is of that name.{hint}")


def _no_row(files: str, condition: str | None, variant: str | None) -> str:
    wanted = [f"condition {condition!r}"] if condition else []
    wanted += [f"--take {variant!r}"] if variant else []
    return f"no row of {files} is of {' and '.join(wanted) or 'any condition'}"


def _require_one_model(arms: Arms) -> None:
    """Refuse logs that name several models: a gap between two is no gap of one."""
    named: dict[str, str] = {}
    for condition, logs in arms.items():
        for log in logs:
            if log.model is not None:
                told = f"{log.model!r} in {log.path}"
                named.setdefault(log.model, f"{condition}: {told}".removeprefix(": "))
    if len(named) > 1:
        raise NotComparable(
            f"the logs are of {len(named)} models: {'; '.join(named.values())}. Give "
            "the logs of one checkpoint; if these are names of one, add --one-model "
            "(join: one_model=True)"
        )


def _require_shared(
    chosen: Mapping[str, Mapping[str, Entry]], benchmark: Benchmark | None
) -> None:
    """Refuse a condition that answers no question which another one answers."""
    for condition, arm in chosen.items():
        others = {c: of for c, of in chosen.items() if c != condition}
        if not others or any(arm.keys() & of.keys() for of in others.values()):
            continue
        other, there = next(iter(others.items()))
        ours, theirs = next(iter(arm.values())), next(iter(there.values()))
        advice = (
            "Their harness names questions by task and number; found by content they "
            "meet: --benchmark NAME --path PATH"
            if benchmark is None
            else "Give logs of the same questions"
        )
        raise NotComparable(
            f"{condition} has no question in common with {other}: {ours.id!r} in "
            f"{ours.logged.place}, {theirs.id!r} in {theirs.logged.place}. {advice}"
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


def _each_once(chosen: Mapping[str, Mapping[str, Entry]]) -> dict[str, Entry]:
    """Return an entry of each question, all conditions agreeing about it."""
    questions: dict[str, Entry] = {}
    for arm in chosen.values():
        for name, found in arm.items():
            first = questions.setdefault(name, found)
            _require_same(found, first)
            if first.video is None:  # the video is the cluster: who names it, tells
                questions[name] = found
    return questions


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
