"""``vdg import``: results made elsewhere, as a run that claims can be made about.

Apart from the readers because here it is said which file is which condition,
and what the run will be called.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING

from cyclopts import Group, Parameter

from pytest_vdg._commands._arguments import File, Flag, Folder
from pytest_vdg.errors import ConfigError, near_path

if TYPE_CHECKING:
    from pytest_vdg.benchmarks.schema import Benchmark
    from pytest_vdg.logs.answers import Log
    from pytest_vdg.logs.join import Joined
    from pytest_vdg.runs import Run

_ARM = re.compile(r"(?P<condition>[A-Za-z_][\w:.-]*)=(?P<file>.+)")
_SLICE = re.compile(r"[A-Za-z0-9][\w.+-]*")


@Parameter(
    name="*", group=Group("The questions, where logs do not tell them", sort_key=2)
)
@dataclass(frozen=True, kw_only=True)
class Asked:
    """The benchmark whose questions were asked."""

    benchmark: str | None = None
    """Find each question in this benchmark (vdg benchmarks)"""
    path: Folder | None = None
    """The benchmark's folder or annotation file"""
    videos: Folder | None = None
    """Folder of its videos, if elsewhere"""
    variant: str | None = None
    """Which of its forms"""
    pinned: File | None = None
    """The slice of it that was asked, as `vdg slice --to FILE` wrote it"""


def import_logs(
    logs: list[str],
    /,
    *,
    to: File,
    checkpoint: str,
    slice: str,  # noqa: A002 - the name of the option
    format: str | None = None,  # noqa: A002 - the name of the option
    take: str | None = None,
    one_model: Flag = False,
    labels: str | None = None,
    asked: Asked | None = None,
) -> Sequence[str]:
    r"""Make a run of another tool's logs, for pytest --vdg-replay.

    Reads the logs of one checkpoint under several conditions, and writes one
    run. Replies are parsed anew; scores in the logs are never read. Logs that
    asked different questions are refused.

    formats (seen from the content, or named with --format):
      lmms-eval   lmms-eval samples, 0.1 to 0.7: …_samples_TASK.jsonl, or the
                  TASK.json of 0.2 and before
      vlmevalkit  VLMEvalKit result tables: MODEL_DATASET.xlsx, .tsv or .json
      inspect     Inspect logs: ….eval or ….json of inspect eval
      vdg-paper   per-question answers of the VDG paper: ….json, an array with
                  question_id, condition, ground_truth, prediction
      table       your own table: ….csv, .tsv, .jsonl, .json, .parquet or .xlsx
                  with id, reply, answer ...

    example:
      vdg import original=run1/..._samples_videomme.jsonl \
                 black=run2/..._samples_videomme.jsonl \
                 --checkpoint step-2000 --slice videomme \
                 --to runs/step-2000.jsonl
      pytest --vdg-replay=runs

    Parameters
    ----------
    logs
        CONDITION=FILE: a log and its condition, e.g. original=a.jsonl; FILE may
        be a pattern in quotes; FILE alone for logs that name the condition in
        each row.
    to
        Run to write.
    checkpoint
        What to call the model.
    slice
        What tests call the questions.
    format
        Default: as seen.
    take
        Where a question has several answers: the filter's name, or 'epoch 1'.
    one_model
        The logs name the model in several ways, and all mean this checkpoint.
    labels
        E.g. ABCD, for logs of letters that do not tell the options.

    Raises
    ------
    ConfigError
        For a name that cannot be, and options that contradict each other.
    VdgError
        When a log cannot be read, or the logs are not of the same questions.
    """
    from pytest_vdg.logs.join import join
    from pytest_vdg.store.runfile import save_run

    _require_name(slice)
    arms = _arms(logs, format)
    _require_room(Path(to), arms)
    _require_own_logs(arms)
    joined = join(
        arms,
        checkpoint=checkpoint,
        slice_name=slice,
        benchmark=_benchmark(asked or Asked()),
        labels=tuple(labels or ""),
        variant=take,
        one_model=one_model,
    )
    formats = sorted({log.harness for several in arms.values() for log in several})
    reason = f"vdg import of {', '.join(formats)} logs"
    save_run(joined.run, to, full=True, reason=reason)
    return _told(joined, to)


def _require_name(given: str) -> None:
    if not _SLICE.fullmatch(given):
        raise ConfigError(
            f"--slice {given!r} must be made of letters, digits, '.', '_', '+' "
            "and '-': a baseline is named after it"
        )


def _require_room(to: Path, arms: Mapping[str, Sequence[Log]]) -> None:
    """Refuse a file that would not be replayed, or that is one of the logs."""
    if to.suffix != ".jsonl":
        raise ConfigError(
            f"--to {str(to)!r} must end in .jsonl, as the runs do that "
            "pytest --vdg-replay=FOLDER looks for"
        )
    logs = {log.path.resolve() for several in arms.values() for log in several}
    if to.resolve() in logs:
        raise ConfigError(f"--to {str(to)!r} is one of the logs; name another file")


def _require_own_logs(arms: Mapping[str, Sequence[Log]]) -> None:
    """Refuse one file for two conditions whose rows do not say which they are of.

    The gap between the two would be exactly zero, which is what a model that
    does not look shows.
    """
    owners: dict[Path, str] = {}
    for condition, logs in arms.items():
        for log in logs:
            if all(answer.condition is not None for answer in log.answers):
                continue
            owner = owners.setdefault(log.path.resolve(), condition)
            if owner != condition:
                raise ConfigError(
                    f"log {str(log.path)!r} is given as {owner} and as {condition}, "
                    "and its rows do not say which they are of; name the file of each"
                )


def _arms(given: Sequence[str], name: str | None) -> dict[str, list[Log]]:
    arms: dict[str, list[Log]] = {}
    for each in given:
        condition, found = _arm(each, name)
        arms.setdefault(condition, []).extend(found)
    return arms


def _arm(given: str, name: str | None) -> tuple[str, list[Log]]:
    """Return condition and logs of one argument; condition ``""`` if it has none."""
    from pytest_vdg.logs.registry import read_log

    found = None if Path(given).is_file() else _ARM.fullmatch(given)
    condition, pattern = (found["condition"], found["file"]) if found else ("", given)
    if Path(pattern).is_file():
        paths = [pattern]
    else:
        found_here = glob(pattern)  # noqa: PTH207 - absolute patterns, too
        paths = sorted(path for path in found_here if Path(path).is_file())
    if not paths:
        raise ConfigError(
            f"log {pattern!r} is not there: no file, and none fits it."
            f"{near_path(Path(pattern))}"
        )
    return condition, [read_log(path, name) for path in paths]


def _benchmark(asked: Asked) -> Benchmark | None:
    from pytest_vdg.benchmarks.pinned import load_slice
    from pytest_vdg.benchmarks.registry import load_benchmark

    if asked.benchmark is None:
        for name in ("path", "videos", "variant", "pinned"):
            if getattr(asked, name) is not None:
                raise ConfigError(f"--{name} is of a benchmark: add --benchmark NAME")
        return None
    benchmark = load_benchmark(
        asked.benchmark,
        asked.path,
        videos=asked.videos,
        variant=asked.variant,
        # One record that cannot be used is no reason to lose the others' answers.
        on_bad_records="skip",
    )
    if asked.pinned is None:
        return benchmark
    slice_ = load_slice(benchmark, asked.pinned)
    return replace(benchmark, questions=slice_.questions)


def _told(joined: Joined, to: str) -> list[str]:
    from pytest_vdg.outcomes.extent import of_wanted, unknown_videos
    from pytest_vdg.spelling import count

    run = joined.run
    videos = count(len({question.video for question in run.questions}), "video")
    asked = count(len(run.questions), "question")
    many = asked if run.planned is None else of_wanted(run)
    first = (
        f"wrote {to}: {run.checkpoint} on slice {run.slice_name}, {many}, "
        f"{'videos unknown' if unknown_videos(run) else videos}"
    )
    return [first, *_table(run), *(f"note: {note}" for note in joined.notes)]


def _table(run: Run) -> list[str]:
    from pytest_vdg.reports._format import columns, share, share_span
    from pytest_vdg.runs import Outcome
    from pytest_vdg.stats import counted

    counts = ("correct", "wrong", "unparsed", "failed")
    rows: list[Sequence[str]] = [("condition", *counts, "accuracy", "95% interval")]
    for condition in run.conditions:
        n = run.counts(condition)
        cells = [(q.video, run.cells[q.id, condition].outcome) for q in run.questions]
        right = [o is Outcome.CORRECT for _, o in cells if o.judged]
        interval = "-"
        if right:
            found = counted.share(right, [video for video, o in cells if o.judged])
            interval = share_span(found.low, found.high)
        numbers = (str(getattr(n, name)) for name in counts)
        rows.append((condition, *numbers, share(n.accuracy), interval))
    return columns(rows, align="lrrrrrr")
