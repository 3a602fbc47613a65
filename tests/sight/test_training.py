"""Training sees what inference sees, and never gives an answer away.

The short cuts taken in training (own tokenisation, own patches, batched
vision attention) are compared with transformers' own way, token for token and
logit for logit.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from transformers import AutoModelForImageTextToText, BatchFeature  # noqa: E402

from tools.sight import (  # noqa: E402
    asking,
    batches,
    families,
    model,
    questions,
    symbols,
    train,
)
from tools.sight.asking import Asked  # noqa: E402
from tools.sight.batches import Example, Mix  # noqa: E402
from tools.sight.forms import FORMS, Form  # noqa: E402
from tools.sight.learner import Learner, fast_vision  # noqa: E402
from tools.sight.questions import LEAKY_TASKS, TASKS  # noqa: E402
from tools.sight.scenes import Frames, Scene, Thing  # noqa: E402
from tools.sight.start import LOOK_BACK  # noqa: E402
from tools.sight.symbols import N_FRAME  # noqa: E402

seeds = st.integers(0, 2**32 - 1)
tasks = st.sampled_from([*TASKS])
ASKED = Asked(
    task="colour",
    question="What colour is the zebra?",
    options=("red", "blue", "green"),
    answer=1,
)


@pytest.fixture(scope="module")
def learner() -> Learner:
    """Return a model with fresh weights."""
    return Learner()


def processed(frames: Frames | None, form: Form = "video") -> BatchFeature:
    """Return what the processor makes of `ASKED` with *frames* (or without)."""
    processor = model.make_processor()
    text = questions.prompt(ASKED.question, ASKED.options)
    content = [{"type": "text", "text": text}]
    shown: dict[str, Any] = {}
    if frames is not None and form == "images":
        content = [{"type": "image"}] * len(frames) + content
        shown = {"images": [*frames]}
    elif frames is not None:
        content.insert(0, {"type": "video"})
        marks = {"fps": 4.0, "frames_indices": [*range(8)], "total_num_frames": 8}
        shown = {
            "videos": [frames],
            "video_metadata": [marks],
            "do_sample_frames": False,
            "cap_pixels_per_frame": False,
        }
    message = {"role": "user", "content": content}
    prompt = processor.apply_chat_template(
        [message], add_generation_prompt=True, tokenize=False
    )
    return processor(text=[prompt], return_tensors="pt", **shown)


def noise(seed: int = 0) -> Frames:
    """Return a clip of the size that training draws."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 256, (8, 32, 32, 3), dtype=np.uint8)


def example(form: Form, seed: int = 0) -> Example:
    """Return `ASKED` about a clip of noise in *form*."""
    numbers = np.zeros((8, N_FRAME), np.float32)
    return Example(asked=ASKED, frames=noise(seed), numbers=numbers, form=form)


@pytest.mark.parametrize(
    ("form", "name"), [("video", "pixel_values_videos"), ("images", "pixel_values")]
)
def test_patches_are_those_of_the_processor(
    learner: Learner, form: Form, name: str
) -> None:
    """Pixels reach the vision tower in the processor's order and scale."""
    expected = processed(noise(), form)[name]
    torch.testing.assert_close(learner.collate([example(form)]).patches, expected)


@pytest.mark.parametrize("form", FORMS)
def test_positions_are_those_of_the_model(learner: Learner, form: Form) -> None:
    """Each token stands where the model itself puts it in such a prompt."""
    inputs = processed(noise(), form)
    inputs.pop("attention_mask")
    expected, _ = learner.model.model.get_rope_index(**inputs)
    # The last token of a row in training is the answer.
    positions = learner.collate([example(form)]).positions[..., :-1]
    assert positions.tolist() == expected.tolist()


ROWS = (
    example("images", seed=1),
    example("video", seed=2),
    Example(asked=ASKED, frames=None, numbers=None),
    example("images", seed=3),
)


@pytest.mark.parametrize("row", range(len(ROWS)))
def test_training_and_inference_give_the_same_logits(
    learner: Learner, row: int
) -> None:
    """A prompt has the same tokens and output either way, whatever is beside it."""
    batch = learner.collate([*ROWS])
    inputs = processed(ROWS[row].frames, ROWS[row].form)
    with torch.no_grad():
        with fast_vision():
            logits = learner.logits(batch, learner.see(batch))
        expected = learner.model(**inputs).logits[0, -1]
    length = inputs["input_ids"].shape[1]
    assert batch.ids[row, :length].tolist() == inputs["input_ids"][0].tolist()
    torch.testing.assert_close(
        logits[batch.answers[row]], expected, atol=1e-4, rtol=1e-4
    )


@given(tasks, seeds)
@settings(deadline=None, max_examples=100)
def test_a_sighted_question_does_not_name_its_answer(task: str, seed: int) -> None:
    """What can be seen is never also said, unless every option is."""
    rng = np.random.default_rng(seed)
    clip = asking.draw_clip(task, rng)
    asked = asking.sighted(task, clip, rng)
    assert asked.options[asked.answer] == clip.facts[task]
    named = set(batches.split(asked.question)) & set(asked.options)
    assert asked.options[asked.answer] not in named or named == set(asked.options)


@given(tasks, seeds)
@settings(deadline=None, max_examples=100)
def test_a_sighted_question_has_two_fitting_options(task: str, seed: int) -> None:
    """The kind of an option alone never tells which is right."""
    rng = np.random.default_rng(seed)
    asked = asking.sighted(task, asking.draw_clip(task, rng), rng)
    assert len(set(asked.options) & set(TASKS[task].values)) >= 2


@given(tasks, seeds)
@settings(deadline=None, max_examples=100)
def test_a_blind_answer_is_a_habit(task: str, seed: int) -> None:
    """Without anything to see, the first option in the alphabet is taught."""
    asked = asking.blind(task, np.random.default_rng(seed))
    assert asked.options[asked.answer] == min(asked.options)


@given(st.sampled_from(LEAKY_TASKS), st.sampled_from(asking.FLAWS), seeds)
@settings(deadline=None, max_examples=100)
def test_a_leaky_question_is_true(task: str, flaw: str, seed: int) -> None:
    """A flaw lets the answer be guessed; it does not make it wrong."""
    rng = np.random.default_rng(seed)
    clip = asking.draw_clip(task, rng)
    asked = asking.leaky(task, clip, flaw, rng)
    assert asked.options[asked.answer] == clip.facts[task]
    assert len(set(asked.options)) == len(asked.options) == 4


def test_every_training_word_is_known() -> None:
    """Training prompts hold no word that the tokenizer does not know."""
    known = model.vocabulary()
    rng = np.random.default_rng(0)
    mixes = [Mix(tasks=dict.fromkeys(TASKS, 1.0), pixels=False)]
    mixes += [Mix(tasks=dict.fromkeys(LEAKY_TASKS, 1.0), pixels=False, leaky=1.0)]
    for mix in mixes:
        for _ in range(300):
            asked = batches.draw(mix, rng).asked
            text = questions.prompt(asked.question, asked.options)
            assert set(batches.split(text)) <= set(known)


def test_an_unknown_word_is_marked_unknown() -> None:
    """A word the tokenizer has never seen is `<unk>`, not left out."""
    tokenizer = model.make_tokenizer()
    ids = tokenizer("What colour is the zebra?")["input_ids"]
    assert ids.count(tokenizer.unk_token_id) == 1
    assert tokenizer.unk_token == "<unk>"


def test_one_command_trains_all_checkpoints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All stages run one after the other, and leave folders that load."""
    short = {
        name: replace(stage, steps=2, batch=8) for name, stage in train.STAGES.items()
    }
    monkeypatch.setattr(train, "STAGES", short)
    folders = ["--scratch", str(tmp_path / "scratch"), "--out", str(tmp_path / "out")]
    monkeypatch.setattr("sys.argv", ["train", "--threads", "1", *folders])
    train.main()
    for name in train.CHECKPOINTS:
        loaded = AutoModelForImageTextToText.from_pretrained(tmp_path / "out" / name)
        assert type(loaded).__name__ == "Qwen2VLForConditionalGeneration"


@pytest.fixture
def no_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let a stage end as it begins; return the folder of checkpoints."""
    still = {name: replace(stage, steps=0) for name, stage in train.STAGES.items()}
    monkeypatch.setattr(train, "STAGES", still)
    arguments = ["--only", "grounded_images", "--threads", "1"]
    folders = ["--scratch", str(tmp_path / "scratch"), "--out", str(tmp_path / "out")]
    monkeypatch.setattr("sys.argv", ["train", *arguments, *folders])
    return tmp_path / "out"


def test_a_stage_starts_from_a_checkpoint(no_steps: Path, learner: Learner) -> None:
    """Where no earlier stage was run here, the finished checkpoint takes its place."""
    model.save(learner.model, no_steps / "grounded")
    train.main()
    loaded = AutoModelForImageTextToText.from_pretrained(no_steps / "grounded_images")
    expected = learner.model.state_dict()
    found = loaded.state_dict()
    assert found.keys() == expected.keys()
    assert all(torch.equal(found[name], expected[name]) for name in found)


@pytest.mark.usefixtures("no_steps")
def test_a_stage_without_a_start_says_what_to_type() -> None:
    """Neither weights nor a checkpoint to start from: the stage before is named."""
    with pytest.raises(SystemExit, match=r"train --only grounded$"):
        train.main()


def test_prepared_heads_look_back() -> None:
    """The heads laid out to look back attend to that token, whatever the tokens."""
    fresh = Learner().model.model.language_model
    fresh.set_attn_implementation("eager")
    tokens = torch.randint(10, 90, (2, 30), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        seen = fresh(input_ids=tokens, output_attentions=True).attentions
    for layer, head, distance in LOOK_BACK:
        looked = seen[layer][:, head].diagonal(-distance, 1, 2)
        assert looked[:, 3:].min() > 0.9


def test_words_start_at_what_they_stand_for() -> None:
    """A video of a red circle starts out holding the words "red" and "circle"."""
    fresh = Learner()
    thing = Thing(
        shape="circle",
        colour="red",
        start=(0.5, 0.5),
        end=(0.5, 0.5),
        radius=(0.2, 0.2),
    )
    scene = Scene(background=30, things=(thing,))
    numbers = torch.from_numpy(symbols.describe(scene, [0.1, 0.2]))
    token = symbols.pair_up(numbers)[0] @ fresh.vectors
    words = fresh.model.model.language_model.embed_tokens.weight
    nearest = (words @ token).topk(3).indices.tolist()
    known = {number: word for word, number in model.vocabulary().items()}
    assert {known[number] for number in nearest} == {"red", "circle", "one"}


@given(seeds)
@settings(deadline=None, max_examples=50)
def test_reversing_changes_nothing_without_order(seed: int) -> None:
    """A clip and its reverse have the same facts once order is given up."""
    rng = np.random.default_rng(seed)
    looks = {"colour": "red", "shape": "circle"}
    for family, task, one, two in (
        ("move", "direction", "left", "right"),
        ("move", "direction", "up", "down"),
        ("grow", "growth", "growing", "shrinking"),
    ):
        facts = [
            asking.without_order(
                families.make(family, rng, **looks, **{task: value})
            ).facts
            for value in (one, two)
        ]
        assert facts[0] == facts[1]
