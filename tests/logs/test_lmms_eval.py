"""lmms-eval samples of all versions. The records are constructed, see ``made``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_vdg.errors import ConfigError, NotComparable, StoreError
from pytest_vdg.logs.registry import read_log
from tests.logs.made import (
    DOC,
    METRIC,
    OPTIONS,
    PROMPT,
    QUESTION,
    VERSIONS,
    joined,
    lines,
    lmms,
    outcomes,
    write_lmms,
)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_is_read(tmp_path: Path, version: str) -> None:
    """Question, options, key, task, video and reply come out of all of them."""
    path = write_lmms(tmp_path, version, [lmms(version)])
    (answer,) = read_log(path).answers
    assert answer.options == dict(zip("ABCD", (o[3:] for o in OPTIONS), strict=True))
    assert QUESTION in str(answer.question)
    assert (answer.reply, answer.answer, answer.id) == ("C", "C", "videomme/0")
    assert answer.task == "Counting Problem"
    assert answer.video == ("001" if version in ("0.4", "0.7") else "fFjv93ACGo8")
    assert answer.prompt == PROMPT
    result = joined(path)
    assert outcomes(result) == {"videomme/0": "correct"}
    assert result.run.fingerprint.comparable["harness"] == "lmms-eval"
    assert result.run.fingerprint.comparable["task"] == "videomme"


@pytest.mark.parametrize(
    ("changes", "reply"),
    [
        ({"filtered_resps": "B"}, "B"),
        ({"filtered_resps": ["B"]}, "B"),
        ({"filtered_resps": [["B"]], "resps": [["x"]]}, "B"),
        ({"filtered_resps": [], "resps": [["B"]]}, "B"),
        ({"filtered_resps": ["B", "B"]}, "B"),
        ({"filtered_resps": [""]}, ""),
        ({"filtered_resps": None}, None),
        ({"filtered_resps": [None]}, None),
    ],
)
def test_responses_come_in_many_shapes(
    tmp_path: Path, changes: dict[str, object], reply: str | None
) -> None:
    """A text, a list or a list of lists; without any, the cell failed."""
    path = write_lmms(tmp_path, "0.4", [lmms("0.4", **changes)])
    (answer,) = read_log(path).answers
    assert (answer.reply, answer.failure) == (
        reply,
        None if reply is not None else "no response in the log",
    )


def test_log_likelihoods_are_no_replies(tmp_path: Path) -> None:
    """Pairs of numbers choose nothing that can be known, and are refused."""
    record = lmms("0.4", filtered_resps=[[-1.2, False], [-0.3, True]])
    path = write_lmms(tmp_path, "0.4", [record])
    with pytest.raises(StoreError, match=r"line 1: .*no replies: log a task"):
        read_log(path)


@pytest.mark.parametrize("version", VERSIONS)
def test_their_scores_are_never_read(tmp_path: Path, version: str) -> None:
    """A random choice that happened to be right makes no right answer.

    egoschema, nextqa, longvideobench, tempcompass and AccidentBench replace
    what they cannot parse by ``random.choice``: every score says right here.
    """
    lucky = METRIC | {"pred_answer": "C", "parsed_pred": "C", "score": 1.0}
    changes = {"exact_match": True, "lvb_acc": lucky, "score": {"pred": 2}}
    refusal = "I cannot see any video."
    path = write_lmms(tmp_path, version, [lmms(version, refusal, **changes)])
    assert outcomes(joined(path)) == {"videomme/0": "unparsed"}


def test_lines_of_several_ranks_join_by_doc_id(tmp_path: Path) -> None:
    """Lines interleaved by ranks, and in another order in each arm, pair rightly."""

    def record(number: int, reply: str) -> dict[str, object]:
        text = PROMPT.replace("table", f"table {number}")
        return lmms("0.7", reply, doc_id=number, doc_hash=f"h{number}", input=text)

    first = write_lmms(tmp_path / "a", "0.7", [record(n, "C") for n in (0, 2, 1, 3)])
    second = write_lmms(
        tmp_path / "b", "0.7", [record(n, "AC"[n % 2]) for n in (3, 1, 0, 2)]
    )
    result = joined(first, second)
    assert set(outcomes(result).values()) == {"correct"}
    assert outcomes(result, "black") == {
        f"videomme/{n}": "correct" if n % 2 else "wrong" for n in range(4)
    }


@pytest.mark.parametrize(
    ("version", "changes", "told"),
    [
        ("0.4", {"doc_hash": "other"}, "digest of the question"),
        ("0.2.3", {"doc": DOC | {"question": "Where?"}}, "the text"),
        ("0.4", {"target": "D"}, "the key"),
        ("0.4", {"input": PROMPT.replace("Candles", "Candies")}, "the options"),
        (
            "0.3",
            {"doc": DOC | {"options": [OPTIONS[1], OPTIONS[0], *OPTIONS[2:]]}},
            "the order of the options",
        ),
        ("0.2.3", {"doc": DOC | {"videoID": "other"}}, "the video"),
    ],
)
def test_arms_about_other_questions_are_refused(
    tmp_path: Path, version: str, changes: dict[str, object], told: str
) -> None:
    """A dataset that changed between the arms is no pair; file and line are named."""
    first = write_lmms(tmp_path / "a", version, [lmms(version)])
    second = write_lmms(tmp_path / "b", version, [lmms(version, "B", **changes)])
    with pytest.raises(NotComparable, match=told) as caught:
        joined(first, second)
    assert f"{second}: line 1" in str(caught.value)
    assert str(first) in str(caught.value)


def test_other_words_around_the_same_question_are_told(tmp_path: Path) -> None:
    """The task without a video words its prompt otherwise: joined, with a note."""
    other = PROMPT.replace("the following", "this")
    first = write_lmms(tmp_path / "a", "0.4", [lmms("0.4")])
    second = write_lmms(tmp_path / "b", "0.4", [lmms("0.4", input=other)])
    result = joined(first, second)
    assert any("prompts are not those of original" in note for note in result.notes)
    assert {"prompts (original)", "prompts (black)"} <= set(
        result.run.fingerprint.comparable
    )


def test_filters_are_chosen_by_name(tmp_path: Path) -> None:
    """Two filters give two rows a question; which counts must be said."""
    records = [
        lmms("0.4", "C", filter="none"),
        lmms("0.4", "B", filter="first-letter"),
    ]
    path = write_lmms(tmp_path, "0.4", records)
    with pytest.raises(NotComparable, match=r"--take 'first-letter'"):
        joined(path)
    assert outcomes(joined(path, variant="none")) == {"videomme/0": "correct"}
    assert outcomes(joined(path, variant="first-letter")) == {"videomme/0": "wrong"}
    with pytest.raises(ConfigError, match=r"no row is of that name\. Known: first-"):
        joined(path, variant="second")


MVBENCH = "Question:What moved?\nOption:\n(A) the cube\n(B) not sure\nBest option:("


def mvbench(reply: str, doc_id: int = 0, target: str = "the cube") -> dict[str, object]:
    """Return a record of an MVBench task: key as text, no id, no task."""
    return {
        "doc_id": doc_id,
        "target": target,
        "doc_hash": f"m{doc_id}",
        "input": MVBENCH,
        "filtered_resps": [reply],
        "mvbench_accuracy": {"pred_answer": reply, "gt_answer": "A", "score": 1},
    }


def test_the_task_of_mvbench_is_in_the_file_name_only(tmp_path: Path) -> None:
    """One file a task, each counting from 0: ids do not collide, keys are texts."""
    names = ("mvbench_action_antonym", "mvbench_moving_count")
    paths = [write_lmms(tmp_path, "0.4", [mvbench("A")], task) for task in names]
    result = joined(paths)
    assert result.run.tasks == names
    assert set(outcomes(result).values()) == {"correct"}
    assert any("videos not named in the logs" in note for note in result.notes)


def test_an_empty_reply_is_unparsed(tmp_path: Path) -> None:
    """lmms-eval leaves empty replies out of its average; here they count."""
    path = write_lmms(tmp_path, "0.4", [mvbench("")], "mvbench_x")
    cell = joined(path).run.cells["mvbench_x/0", "original"]
    assert str(cell.outcome) == "unparsed"
    assert (cell.reason, cell.reply) == ("empty reply", "")


@pytest.mark.parametrize(
    ("task", "target", "label"),
    [
        ("egoschema_subset", "3", "D"),
        ("nextqa_mc_test", "0", "A"),
        ("perceptiontest_val_mc", "1", "B"),
        ("mlvu_dev", "B", "B"),
        ("tempcompass_multi_choice", "B. 1", "B"),
        ("tvbench_action_count", "1", "B"),
    ],
)
def test_keys_are_places_only_where_the_task_counts(
    tmp_path: Path, task: str, target: str, label: str
) -> None:
    """``1`` is the second option for EgoSchema, and the text 1 elsewhere."""
    prompt = "How many?\nA. 0\nB. 1\nC. 2\nD. 7\nAnswer with the letter."
    record = {
        "doc_id": 0,
        "target": target,
        "input": prompt,
        "filtered_resps": label,
        "score": {"pred": 0, "ground_truth": "0"},
    }
    path = write_lmms(tmp_path, "0.7", [record], task)
    (question,) = joined(path).run.questions
    assert question.answer == label


def test_embedded_labels_keep_their_letters(tmp_path: Path) -> None:
    """AccidentBench shuffles lettered options: the letter counts, not the place."""
    options = ["E. [0,1]", "C. [8,9]", "A. [4,5]", "D. [6,7]", "B. [10,11]"]
    record = {
        "doc_id": 1,
        "target": "A",
        "input": "How many airplanes?\n" + "\n".join(options) + "\nAnswer:",
        "filtered_resps": ["A"],
        "air_space_acc": {"id": 1, "pred_answer": "C", "answer": "A", "correct": 0},
    }
    result = joined(write_lmms(tmp_path, "0.4", [record], "air_space_long"))
    assert result.run.questions[0].labels == ("E", "C", "A", "D", "B")
    assert set(outcomes(result).values()) == {"correct"}


@pytest.mark.parametrize(
    "prompt",
    [
        "Describe it.",
        "A. one\nthen\nB. two",
        "A. x\nB. y\nand\nA. x\nB. y",
        "A. x\nC. y",
    ],
)
def test_options_are_not_guessed_from_a_prompt(tmp_path: Path, prompt: str) -> None:
    """No block of labelled lines, or two, is none: the benchmark is asked for."""
    path = write_lmms(tmp_path, "0.4", [lmms("0.4", input=prompt)])
    with pytest.raises(NotComparable, match=r"does not tell the options.*--benchmark"):
        joined(path)


def test_what_the_results_file_says_is_compared(tmp_path: Path) -> None:
    """Frames and generation settings count; which weights were tested does not."""
    runs = []
    for name, frames in (("x", 8), ("y", 8), ("y", 32)):
        folder = tmp_path / f"{name}{frames}"
        path = write_lmms(folder, "0.4", [lmms("0.4")])
        results = {
            "config": {
                "model": "llava_vid",
                "model_args": f"pretrained=org/{name},max_frames_num={frames}",
                "gen_kwargs": "",
            },
            "versions": {"videomme": 0.1},
            "lmms_eval_version": "0.4.1",
            "score": float("nan"),
        }
        (folder / "20260401_101500_results.json").write_text(json.dumps(results))
        runs.append(joined(path).run)
    first, second, third = (run.fingerprint for run in runs)
    assert first.differences(second) == ()
    assert first.subject["model"] == "org/x"
    assert second.differences(third) == (
        "model_args: max_frames_num=8, was max_frames_num=32",
    )


def test_a_half_written_line_is_named(tmp_path: Path) -> None:
    """A run that was killed leaves half a line: the file is refused, with the line."""
    path = write_lmms(tmp_path, "0.4", [lmms("0.4")] * 2)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(StoreError, match=r"line 2: not JSON"):
        read_log(path)


def test_a_file_of_results_is_no_file_of_samples(tmp_path: Path) -> None:
    """Where samples were not logged there is no reply to judge."""
    path = tmp_path / "20260401_101500_results.json"
    path.write_text(json.dumps({"results": {}, "config": {}}), encoding="utf-8")
    with pytest.raises(StoreError, match="no log that is known here"):
        read_log(path)
    with pytest.raises(StoreError, match="--log_samples"):
        read_log(path, "lmms-eval")
    bare = lines(tmp_path / "b.jsonl", [{"filtered_resps": ["A"]}])
    with pytest.raises(StoreError, match="no doc_id"):
        read_log(bare, "lmms-eval")


def test_longvideobench_counts_from_zero(tmp_path: Path) -> None:
    """Its target is ``correct_choice``, which texts such as 1 and 2 must not catch."""
    asked = "How many cars pass?\nA. 1\nB. 2\nC. 3\nD. 4\nAnswer with the letter."
    told = {"id": "x_0", "question_category": "S2E", "answer": "C", "parsed_pred": "A"}
    record = {"doc_id": 0, "target": "2", "filtered_resps": "C", "input": asked}
    path = write_lmms(
        tmp_path, "0.7", [record | {"lvb_acc": told}], task="longvideobench_val_v"
    )
    assert outcomes(joined(path)) == {"longvideobench_val_v/0": "correct"}
