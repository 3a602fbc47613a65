"""Constructed logs of each harness, in the shapes that it is known to write.

No real log of lmms-eval, VLMEvalKit or Inspect was at hand: these records
follow their published code. Apart from the tests so that each of them holds
only what it is about.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_vdg.logs.join import Joined, join
from pytest_vdg.logs.registry import read_log

OPTIONS = ("A. Apples.", "B. Candles.", "C. Berries.", "D. A crown.")
QUESTION = "What is on the table at the start?"
PROMPT = "\n".join(
    [
        "Select the best answer to the following multiple-choice question.",
        QUESTION,
        *OPTIONS,
        "The best answer is:",
    ]
)
DOC = {
    "video_id": "001",
    "videoID": "fFjv93ACGo8",
    "question_id": "001-1",
    "task_type": "Counting Problem",
    "question": QUESTION,
    "options": list(OPTIONS),
    "answer": "C",
}
METRIC = {
    "question_id": "001-1",
    "task_category": "Counting Problem",
    "pred_answer": "B",
    "answer": "C",
}


def lmms(version: str, reply: str | None = "C", **changes: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return a record of Video-MME as lmms-eval *version* writes it."""
    record: dict[str, Any] = {"doc_id": 0, "target": "C", "doc_hash": "h0"}
    metric = "videomme_perception_score"
    if version in ("0.1", "0.2.3", "0.3"):
        record |= {"doc": DOC, "arguments": [[PROMPT, {"max_new_tokens": 16}]]}
        record |= {"resps": [[reply]], "filtered_resps": [reply]}
    if version in ("0.1", "0.2.3"):
        metric = "videomme_percetion_score"
        del record["doc_hash"]
    if version == "0.3":
        record |= {"input": PROMPT, "prompt_hash": "p0", "target_hash": "t0"}
    if version == "0.4":
        record |= {"input": PROMPT, "filtered_resps": [reply]}
    if version == "0.7":
        record |= {"input": PROMPT, "filtered_resps": reply, "token_counts": [{}]}
    return record | {metric: METRIC} | changes


VERSIONS = ("0.1", "0.2.3", "0.3", "0.4", "0.7")


def write_lmms(
    folder: Path,
    version: str,
    records: Sequence[Mapping[str, Any]],
    task: str = "videomme",
) -> Path:
    """Write *records* where lmms-eval *version* writes them; return the file."""
    folder.mkdir(parents=True, exist_ok=True)
    if version == "0.1":
        whole = {
            "args": {"model": "x", "model_args": "pretrained=org/x,max_frames=8"},
            "model_configs": {"task": task},
            "logs": list(records),
        }
        path = folder / f"{task}.json"
        path.write_text(json.dumps(whole), encoding="utf-8")
        return path
    stamp = "20260401_101500"
    name = f"samples_{task}_2024-09-20T10-15-00" if version == "0.2.3" else None
    path = folder / f"{name or f'{stamp}_samples_{task}'}.jsonl"
    return lines(path, records)


def lines(path: Path, records: Iterable[Mapping[str, Any]]) -> Path:
    """Write *records* as JSON lines."""
    text = "".join(json.dumps(record) + "\n" for record in records)
    path.write_text(text, encoding="utf-8")
    return path


def vlm(index: object = 0, prediction: object = "C", **changes: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return a row of VLMEvalKit's Video-MME table."""
    row = {
        "index": index,
        "video": "fFjv93ACGo8",
        "duration": "short",
        "candidates": str(list(OPTIONS)),
        "task_type": "Counting Problem",
        "question": QUESTION,
        "answer": "C",
        "prediction": prediction,
    }
    return row | changes


def sample(
    name: object = 1,
    reply: object = "ANSWER: C",
    **changes: Any,  # noqa: ANN401
) -> dict[str, Any]:
    """Return a sample of an Inspect log."""
    message = {"role": "assistant", "content": reply}
    return {
        "id": name,
        "epoch": 1,
        "input": QUESTION,
        "choices": ["Apples.", "Candles.", "Berries.", "A crown."],
        "target": "C",
        "metadata": {"video": "001.mp4", "task_type": "Counting"},
        "output": {"model": "m", "choices": [{"message": message}]},
        "scores": {"choice": {"value": "I", "answer": "B"}},
    } | changes


def inspect_log(*samples: Mapping[str, Any], **spec: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return an Inspect log of *samples*."""
    described = {"task": "videomme", "model": "openai/x", "task_version": 0}
    packages = {"packages": {"inspect_ai": "0.3.90"}}
    return {
        "version": 2,
        "status": "success",
        "eval": described | packages | spec,
        "samples": list(samples),
    }


def write_json(path: Path, value: object) -> Path:
    """Write *value* as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def write_eval(path: Path, log: Mapping[str, Any], head: str = "header.json") -> Path:
    """Write *log* as an ``.eval`` archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        header = {k: v for k, v in log.items() if k != "samples"}
        archive.writestr(head, json.dumps(header))
        archive.writestr("summaries.json", "[]")
        for each in log["samples"]:
            name = f"samples/{each['id']}_epoch_{each['epoch']}.json"
            archive.writestr(name, json.dumps(each))
    return path


def joined(
    original: Path | Sequence[Path],
    black: Path | None = None,
    **given: Any,  # noqa: ANN401
) -> Joined:
    """Join the logs of one or two conditions."""
    paths = [original] if isinstance(original, Path) else list(original)
    arms = {"original": [read_log(path) for path in paths]}
    if black is not None:
        arms["black"] = [read_log(black)]
    known = {"checkpoint": "step-1", "slice_name": "videomme"} | given
    return join(arms, **known)


def outcomes(result: Joined, condition: str = "original") -> dict[str, str]:
    """Return question id to outcome under *condition*."""
    run = result.run
    return {q.id: str(run.cells[q.id, condition].outcome) for q in run.questions}
