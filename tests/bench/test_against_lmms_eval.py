"""What the bench gives lmms-eval is what we ask and show ourselves."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from bench.against_lmms_eval.clips import (
    Processor,
    Rendered,
    model_size,
    render,
    resized,
)
from bench.against_lmms_eval.tasks import link_checkpoint
from bench.against_lmms_eval.work import CONDITIONS, SETTINGS, asked
from pytest_vdg.frames.conditions import Condition, apply
from pytest_vdg.frames.decode import read_clip

av = pytest.importorskip("av")
pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

ROOT = Path(__file__).parents[2]
CHECKPOINT = ROOT / "example_suite" / "checkpoints" / "grounded"
SLICE = asked(2)


@pytest.fixture(scope="module")
def processor() -> Processor:
    """Processor of the committed checkpoint."""
    return transformers.AutoProcessor.from_pretrained(CHECKPOINT)


@pytest.fixture(scope="module")
def rendered(
    processor: Processor, tmp_path_factory: pytest.TempPathFactory
) -> Rendered:
    """Clips of two videos."""
    return render(SLICE, processor, tmp_path_factory.mktemp("bench") / "clips")


def test_two_questions_are_asked_on_each_video() -> None:
    """The issue's numbers: 64 questions on 32 clips."""
    found = Counter(question.video for question in asked(32).questions)
    assert (len(found), set(found.values())) == (32, {2})


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_file_shows_the_frames_of_its_condition(
    condition: str, rendered: Rendered, processor: Processor
) -> None:
    """Nothing is lost by writing: the pictures read back are equal to the bit."""
    for question in SLICE.questions:
        clip = read_clip(SLICE.benchmark.video_path(question), SETTINGS.sampling)
        shown = apply(
            Condition.parse(condition),
            clip,
            question_id=question.id,
            seed=SETTINGS.seed,
        )
        assert shown is not None
        with av.open(str(rendered.files[question.id, condition])) as file:
            pictures = [f.to_ndarray(format="rgb24") for f in file.decode(video=0)]
        wanted = resized(shown.frames, model_size(processor, clip))
        assert np.array_equal(np.stack(pictures), wanted)


def test_the_system_message_is_left_out(tmp_path: Path, processor: Processor) -> None:
    """With the message that lmms-eval sends, the chat is as we send it without."""
    template = processor.chat_template
    link_checkpoint(CHECKPOINT, template, tmp_path / "view")
    view = transformers.AutoProcessor.from_pretrained(tmp_path / "view")
    chat = [{"role": "user", "content": [{"type": "text", "text": "Which?"}]}]
    told = [{"role": "system", "content": "You are a helpful assistant."}, *chat]
    assert view.apply_chat_template(told, tokenize=False) == (
        processor.apply_chat_template(chat, tokenize=False)
    )
