"""lmms-eval's sample logs, of all versions from 0.1 to 0.7.

Apart from the other readers because what a record holds changed five times:
``doc`` and ``arguments`` were dropped, ``resps`` became optional, and
``filtered_resps`` is a list of lists, a list or a text. The scores in it are
not read: 46 tasks replace what they cannot parse by a random choice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_vdg.errors import BenchmarkError, StoreError
from pytest_vdg.logs._files import (
    content,
    first_of,
    json_lines,
    json_value,
    mapping,
    objects,
    sha256,
    written,
)
from pytest_vdg.logs._lmms_settings import model_of, settings_beside, settings_within
from pytest_vdg.logs._offered import from_prompt, offered
from pytest_vdg.logs.answers import Glimpse, Log, LogFormat, LoggedAnswer

_NAME = re.compile(r"samples_(?P<task>.+?)(?:_\d{8}[\w-]*|_\d{4}-\d\d[\w.:-]*)?$")
_INDEXED = ("egoschema", "longvideobench", "nextqa", "perceptiontest")
"""Tasks whose target is the place of the right option from 0."""
_OPTIONS = ("options", "option", "candidates")
_TASKS = (
    "task_type",
    "task_category",
    "question_type",
    "question_category",
    "reasoning_style",
    "dim",
    "area",
    "type",
)
_VIDEOS = ("videoID", "video_name", "video_path", "video_idx", "video", "video_id")
_IDS = ("question_id", "q_uid", "video_idx", "id")


def read(path: Path) -> Log:
    """Return the answers in a file of samples, or in the one file of v0.2."""
    data = content(path)
    if path.suffix.lower() == ".jsonl":
        placed = list(json_lines(path))
        found = _NAME.search(path.stem)
        task = found["task"] if found else None
        settings, model = settings_beside(path, task)
    else:
        whole = mapping(json_value(path), str(path))
        if "logs" not in whole:
            raise StoreError(
                f"{path}: holds no 'logs'. Give the file of samples, not of results "
                "(run lmms-eval with --log_samples)"
            )
        placed = objects(whole["logs"], path, "log")
        settings, model = settings_within(whole), model_of(whole)
        task = settings.get("task") or path.stem
    task = task or path.stem
    answers = tuple(_answer(record, place, task) for place, record in placed)
    return Log(
        path=path,
        harness="lmms-eval",
        sha256=sha256(data),
        answers=answers,
        settings={**settings, "task": task},
        model=model,
        notes=tuple(_notes(placed)),
    )


def _answer(record: Mapping[str, Any], place: str, task: str) -> LoggedAnswer:
    if "doc_id" not in record:
        raise StoreError(f"{place}: has no doc_id, by which arms are joined")
    told = _told(record)
    prompt = _prompt(record)
    try:
        question, options = _content(told, prompt)
    except BenchmarkError as error:
        raise StoreError(f"{place}: {error}") from error
    reply = _reply(record, place)
    name = first_of(record, "filter")
    return LoggedAnswer(
        place=place,
        reply=reply,
        failure="no response in the log" if reply is None else None,
        # The number alone is given again in every task.
        id=f"{task}/{written(record['doc_id'])}",
        benchmark_id=first_of(told, *_IDS),
        question=question,
        options=options,
        answer=_key(record, told),
        key_kind="index" if task.startswith(_INDEXED) else "any",
        task=first_of(told, *_TASKS) or task,
        video=_video(told),
        prompt=prompt,
        digest=first_of(record, "doc_hash"),
        variant=name,
    )


def _told(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the record says of its question: its doc over its metrics."""
    told: dict[str, Any] = {}
    for value in record.values():
        if isinstance(value, Mapping) and value is not record.get("doc"):
            for name, inner in value.items():
                told.setdefault(name, inner)
    doc = record.get("doc")
    return told | dict(doc) if isinstance(doc, Mapping) else told


def _prompt(record: Mapping[str, Any]) -> str | None:
    given = record.get("input", record.get("arguments"))
    while isinstance(given, list) and given:
        if all(isinstance(m, Mapping) and "content" in m for m in given):
            return "\n".join(_texts(given)) or None
        given = given[0]
    return given if isinstance(given, str) else None


def _texts(messages: list[Mapping[str, Any]]) -> Iterator[str]:
    for message in messages:
        inner = message["content"]
        parts = inner if isinstance(inner, list) else [inner]
        for part in parts:
            text = part.get("text") if isinstance(part, Mapping) else part
            if isinstance(text, str):
                yield text


def _content(
    told: Mapping[str, Any], prompt: str | None
) -> tuple[str | None, dict[str, str] | None]:
    """Return question and options, from the doc where it is there."""
    named = next((told[n] for n in _OPTIONS if told.get(n)), None)
    numbered = _numbered(told)
    question = first_of(told, "question")
    options = offered(named if named is not None else numbered or None)
    if options is not None:
        return question, options
    if prompt is None:
        return question, None
    before, options = from_prompt(prompt)
    return question or before, options


def _numbered(told: Mapping[str, Any]) -> list[str]:
    """Return options in columns ``a0`` or ``option0``, without the padding."""
    for stem in ("a", "option", "option "):
        texts = [told.get(f"{stem}{i}") for i in range(26)]
        found = [t for t in texts if isinstance(t, str) and t not in ("", "N/A")]
        if len(found) > 1:
            return found
    return []


def _key(record: Mapping[str, Any], told: Mapping[str, Any]) -> str | None:
    target = written(record.get("target"))
    if target not in (None, "", "None"):
        return target
    return first_of(told, "gt_answer", "ground_truth", "gt-answer", "answer")


def _video(told: Mapping[str, Any]) -> str | None:
    video = first_of(told, *_VIDEOS)
    if video is not None:
        return video
    # Video-MME's ids are VIDEO-NUMBER; versions 0.4 to 0.6 log nothing else.
    found = re.fullmatch(r"(\d{3})-\d", first_of(told, "question_id") or "")
    return found[1] if found else None


def _reply(record: Mapping[str, Any], place: str) -> str | None:
    """Return the reply in ``filtered_resps``, else in ``resps``."""
    for name in ("filtered_resps", "resps"):
        given = record.get(name)
        while isinstance(given, list) and len(given) == 1:
            given = given[0]
        if isinstance(given, str):
            return given
        if isinstance(given, list) and given:
            if all(isinstance(each, str) for each in given) and len(set(given)) == 1:
                return str(given[0])
            raise StoreError(
                f"{place}: {name} holds {len(given)} values ({given!r:.60}), not one "
                "reply. Log-likelihoods and repeated samples are no replies: log a "
                "task that generates its answer, once"
            )
    return None


def _notes(placed: list[tuple[str, dict[str, Any]]]) -> Iterator[str]:
    named = Counter(str(r["filter"]) for _, r in placed if "filter" in r)
    if len(named) > 1:
        yield f"answers of several filters: {', '.join(sorted(named))}"


def _recognises(seen: Glimpse) -> bool:
    if seen.kind == "object":
        return {"logs", "args"} <= seen.keys or {"logs", "model_configs"} <= seen.keys
    responses = {"filtered_resps", "resps"} & seen.keys
    return seen.kind == "lines" and "doc_id" in seen.keys and bool(responses)


LMMS_EVAL = LogFormat(
    name="lmms-eval",
    title="lmms-eval samples, 0.1 to 0.7",
    expects="…_samples_TASK.jsonl, or the TASK.json of 0.2 and before",
    recognises=_recognises,
    read=read,
)
