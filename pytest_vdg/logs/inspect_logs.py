"""Inspect's logs: the one JSON file, and the ``.eval`` archive of many.

Apart from the other readers because a reply is a message there, with thoughts
and text in parts. Read without the package: an archive is zip and JSON. Its
scores are not read.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_vdg.errors import BenchmarkError, StoreError
from pytest_vdg.logs._files import (
    archive,
    content,
    first_of,
    json_value,
    loads,
    mapping,
    objects,
    sha256,
    written,
)
from pytest_vdg.logs._offered import from_prompt, offered
from pytest_vdg.logs.answers import Glimpse, Log, LogFormat, LoggedAnswer

_HEADERS = ("header.json", "_journal/start.json", "start.json")
"""Members that describe an evaluation; one that did not end has no first."""
Samples = list[tuple[str, dict[str, Any]]]
"""Place and content of each."""
_TASKS = ("task_type", "task", "category", "question_type")
_VIDEOS = ("video", "video_id", "videoID", "video_path", "video_name")


def read(path: Path) -> Log:
    """Return the answers in a log, also in one of an evaluation that stopped."""
    data = content(path)
    if data[:4] == b"PK\x03\x04":
        header, samples = _from_archive(path)
    else:
        header = mapping(json_value(path), str(path))
        samples = objects(header.get("samples"), path, "sample")
    spec = header.get("eval")
    spec = spec if isinstance(spec, dict) else {}
    task = first_of(spec, "task") or path.stem
    epochs = {written(sample.get("epoch")) for _, sample in samples}
    several = len(epochs) > 1
    answers = tuple(
        _answer(sample, place, task, several=several) for place, sample in samples
    )
    status = first_of(header, "status") or "unknown"
    return Log(
        path=path,
        harness="inspect",
        sha256=sha256(data),
        answers=answers,
        settings=_settings(spec, task),
        model=first_of(spec, "model"),
        notes=() if status == "success" else (f"the log's status is {status}",),
    )


def _from_archive(path: Path) -> tuple[dict[str, Any], Samples]:
    try:
        with archive(path) as members:
            names = members.namelist()
            head = next((name for name in _HEADERS if name in names), None)
            if head is None:
                raise StoreError(f"{path}: an archive without {_HEADERS[0]}")
            header = _member(members, head, path)
            return header, [
                (f"{path}: {name}", _member(members, name, path))
                for name in sorted(names)
                if name.startswith("samples/") and name.endswith(".json")
            ]
    except (NotImplementedError, zipfile.BadZipFile, OSError, EOFError) as error:
        raise StoreError(
            f"{path} cannot be unpacked ({error}). Convert it: "
            "inspect log convert --to json"
        ) from error


def _member(members: zipfile.ZipFile, name: str, path: Path) -> dict[str, Any]:
    place = f"{path}: {name}"
    return mapping(loads(members.read(name), place), place)


def _settings(spec: Mapping[str, Any], task: str) -> dict[str, str]:
    found = {"task": task}
    packages = spec.get("packages")
    for name, value in (
        ("task version", spec.get("task_version")),
        ("task arguments", spec.get("task_args")),
        ("generation", spec.get("model_generate_config")),
        ("version", packages.get("inspect_ai") if isinstance(packages, dict) else None),
    ):
        if value not in (None, "", {}, []):
            is_text = isinstance(value, str)
            found[name] = value if is_text else json.dumps(value, sort_keys=True)
    dataset = spec.get("dataset")
    if isinstance(dataset, dict) and isinstance(dataset.get("name"), str):
        found["dataset"] = dataset["name"]
    return found


def _answer(
    sample: Mapping[str, Any], place: str, task: str, *, several: bool
) -> LoggedAnswer:
    name = first_of(sample, "id")
    if name is None:
        raise StoreError(f"{place}: has no id, by which arms are joined")
    known = sample.get("metadata")
    known = known if isinstance(known, dict) else {}
    prompt = _said(sample.get("input"))
    try:
        question, options = prompt, offered(sample.get("choices"))
        if options is None:
            question, options = from_prompt(prompt)
    except BenchmarkError as error:
        raise StoreError(f"{place}: {error}") from error
    reply, failure = _reply(sample)
    return LoggedAnswer(
        place=place,
        reply=reply,
        failure=failure,
        id=name,
        benchmark_id=name,
        question=question,
        options=options,
        answer=_target(sample.get("target"), place),
        task=first_of(known, *_TASKS) or task,
        video=first_of(known, *_VIDEOS),
        prompt=prompt,
        variant=f"epoch {written(sample.get('epoch'))}" if several else None,
    )


def _target(value: object, place: str) -> str | None:
    if isinstance(value, list):
        if len(value) > 1:
            raise StoreError(f"{place}: several right answers, {value!r:.60}")
        value = value[0] if value else None
    return written(value) or None


def _reply(sample: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Return the reply, or why there is none."""
    output = sample.get("output")
    output = output if isinstance(output, dict) else {}
    for error in (sample.get("error"), output.get("error")):
        if error:
            told = error.get("message") if isinstance(error, dict) else error
            return None, str(told or "error")
    choices = output.get("choices")
    if isinstance(output.get("completion"), str) and (output["completion"] or choices):
        return output["completion"], None
    if not isinstance(choices, list) or not choices:
        return None, "no completion in the log"
    message = choices[0].get("message") if isinstance(choices[0], dict) else None
    return _said([message]), None


def _said(value: object) -> str:
    """Return the text of an input or of messages, without thoughts and media."""
    if isinstance(value, str):
        return value
    messages = value if isinstance(value, list) else []
    return "\n".join(text for message in messages for text in _texts(message))


def _texts(message: object) -> Iterator[str]:
    inner = message.get("content") if isinstance(message, dict) else None
    for part in inner if isinstance(inner, list) else [inner]:
        if isinstance(part, dict) and part.get("type") not in (None, "text"):
            continue
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str):
            yield text


def _recognises(seen: Glimpse) -> bool:
    if seen.kind == "archive":
        return bool(seen.keys & set(_HEADERS))
    return seen.kind == "object" and {"eval", "samples"} <= seen.keys


INSPECT = LogFormat(
    name="inspect",
    title="Inspect logs",
    expects="….eval or ….json of inspect eval",
    recognises=_recognises,
    read=read,
)
