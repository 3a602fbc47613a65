"""Backend ``text-lm``: language models without eyes, asked without a video."""

from __future__ import annotations

import importlib.util
import math
import pickle
import random
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from pytest_vdg.backends import Backend, BackendIdentity, make_backend
from pytest_vdg.backends._hf_files import CheckpointFiles
from pytest_vdg.backends._lm_inputs import ANSWER
from pytest_vdg.backends.protocol import ChoosyBackend, Prompt, Reply, Request
from pytest_vdg.backends.text_lm import TextLmBackend
from pytest_vdg.benchmarks.prompts import render
from pytest_vdg.benchmarks.registry import load_benchmark
from pytest_vdg.benchmarks.schema import Option, Question
from pytest_vdg.benchmarks.slices import take
from pytest_vdg.engine.runner import evaluate
from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.errors import BackendError, BackendUnavailable, ConfigError
from pytest_vdg.frames.sampling import Sampling
from pytest_vdg.runs import Outcome
from tests.backends.conftest import make_clip
from tests.backends.test_hf_files import Bomb
from tests.backends.tinymodel import edit_json, rewrite_weights
from tests.backends.tinytext import (
    CHAT,
    FAMILIES,
    Untyped,
    build_text_model,
    make_tokenizer,
)

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

SCORINGS = ("choice", "option_text")
TEXTS = ("red", "light blue", "green")
QUESTIONS = ("what colour is the shape?", "what shape is in the video?", "what?")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return a function that gives a tiny model, made once for each kind."""
    made: dict[tuple[object, ...], Path] = {}

    def of(family: str = "llama", chat: str | None = None, around: str = "<s>") -> Path:
        kind = (family, chat, around)
        if kind not in made:
            target = tmp_path_factory.mktemp(family)
            made[kind] = build_text_model(
                target, family=family, chat=chat, around=around
            )
        return made[kind]

    return of


def opened(path: Path, **settings: object) -> TextLmBackend:
    """Return the backend of the checkpoint at *path*."""
    given = {"checkpoint": path, "device": "cpu", **settings}
    backend = make_backend("text-lm", given)
    assert isinstance(backend, TextLmBackend)
    return backend


def asked(question: str = QUESTIONS[0], texts: Sequence[str] = TEXTS) -> Request:
    """Return a question as it is put, without a video."""
    labels = tuple("ABC"[: len(texts)])
    options = tuple(Option(label=a, text=b) for a, b in zip(labels, texts, strict=True))
    about = Question(
        id="q", text=question, options=options, answer="A", task="t", video="v"
    )
    prompt = Prompt(text=render(about), labels=labels, option_texts=tuple(texts))
    return Request(prompt=prompt, clip=None)


def good(answers: Sequence[Reply | BackendError]) -> list[Reply]:
    """Return *answers*, all of which must be replies."""
    return [answer for answer in answers if isinstance(answer, Reply) or _fail(answer)]


def _fail(error: BackendError) -> bool:
    raise error


def log_p(path: Path, before: str, after: str) -> float:
    """Return how likely *after* is behind *before*, by a plain pass over both."""
    tokenizer: Untyped = transformers.AutoTokenizer.from_pretrained(path)
    model: Untyped = transformers.AutoModelForCausalLM.from_pretrained(path).eval()
    start = tokenizer(before, add_special_tokens=False)["input_ids"]
    both = tokenizer(before + after, add_special_tokens=False)["input_ids"]
    assert both[: len(start)] == start
    if not before.startswith("<s>"):
        start, both = [1, *start], [1, *both]
    with torch.inference_mode():
        logits = model(input_ids=torch.tensor([both])).logits[0]
    log = torch.log_softmax(logits.float(), dim=-1)
    return sum(float(log[i - 1, both[i]]) for i in range(len(start), len(both)))


def rendered(request: Request, chat: str | None) -> str:
    """Return the text of the whole prompt, as the templates say."""
    if chat is None:
        return request.prompt.text + "\nAnswer:"
    return f"<s><|user|>\n{request.prompt.text}</s>\n<|assistant|>\n"


@pytest.mark.parametrize("chat", [None, CHAT], ids=["base", "chat"])
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("scoring", SCORINGS)
def test_shares_are_those_of_plain_passes(
    folder: Callable[..., Path], scoring: str, family: str, chat: str | None
) -> None:
    """Each option's share is that of a loop over its texts, a pass for each."""
    path = folder(family, chat)
    wanted = [asked(question) for question in QUESTIONS]
    replies = good(opened(path, scoring=scoring).ask_many(wanted))
    for request, reply in zip(wanted, replies, strict=True):
        before = rendered(request, chat)
        says = request.prompt.labels if scoring == "choice" else TEXTS
        likely = [
            sum(math.exp(log_p(path, before, space + said)) for space in ("", " "))
            for said in says
        ]
        expected = [each / sum(likely) for each in likely]
        assert reply.probabilities is not None
        found = list(reply.probabilities.values())
        assert found == pytest.approx(expected, abs=1e-4)
        assert reply.text == "ABC"[expected.index(max(expected))]
        mass = sum(likely) if scoring == "choice" else None
        assert reply.label_mass == (
            mass if mass is None else pytest.approx(mass, abs=1e-4)
        )


@pytest.mark.parametrize("scoring", [*SCORINGS, "generate"])
def test_no_answer_depends_on_its_batch(
    folder: Callable[..., Path], scoring: str
) -> None:
    """Alone, together, in another order, shared or not: the same replies."""
    wanted = [asked(question) for question in QUESTIONS]
    wanted.append(asked(QUESTIONS[0] + " " + QUESTIONS[1] * 5, ("two", "ten")))
    model = opened(folder(), scoring=scoring)
    together = good(model.ask_many(wanted))
    assert model.sharing == "shares prefixes"
    other = good(model.ask_many(wanted[::-1]))[::-1]
    plain = opened(folder(), scoring=scoring, share_prefixes=False)
    alone = [plain.ask(each.prompt, None) for each in wanted]
    for one, two, three in zip(together, other, alone, strict=True):
        assert one.text == two.text == three.text
        assert one.input_digest == two.input_digest == three.input_digest
        if scoring != "generate":
            assert one.probabilities == pytest.approx(three.probabilities, abs=1e-4)
            assert two.probabilities == pytest.approx(three.probabilities, abs=1e-4)


def test_a_reply_says_that_nothing_was_seen(folder: Callable[..., Path]) -> None:
    """No frame, no visual token, and the tokens of the text."""
    reply = opened(folder()).ask(asked().prompt, None)
    assert (reply.frames_seen, reply.visual_tokens) == (0, 0)
    text = asked().prompt.text + ANSWER
    tokens = make_tokenizer()(text)["input_ids"]
    assert reply.prompt_tokens == len(tokens)


@pytest.mark.parametrize("around", ["", "<s> </s>", "</s>"])
def test_no_answer_is_looked_for_behind_the_end(
    folder: Callable[..., Path], around: str
) -> None:
    """A tokenizer that ends each text by itself does not end the prompt."""
    begins = "<s>" if around.startswith("<s>") else ""
    expected = opened(folder(around=begins)).ask(asked().prompt, None)
    found = opened(folder(around=around)).ask(asked().prompt, None)
    assert found.input_digest == expected.input_digest
    assert found.probabilities == expected.probabilities


# -- what it refuses, and when ------------------------------------------------


def unloadable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make sure that no weight is read, nor hashed."""

    def load(_: object) -> None:
        raise AssertionError("the weights were read")

    monkeypatch.setattr(TextLmBackend, "load", load)
    monkeypatch.setattr(CheckpointFiles, "weights_digest", property(load))


def test_a_clip_is_refused_in_words(
    folder: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text model is never shown a video, and never called blind."""
    model = opened(folder())
    unloadable(monkeypatch)
    with pytest.raises(ConfigError, match=r"text-only language model.*text_only"):
        model.ask(asked().prompt, make_clip())


def test_other_conditions_end_a_run_before_it_begins(
    folder: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ladder of such a model is refused; nothing is loaded or looked at."""
    model = opened(folder())
    unloadable(monkeypatch)
    with pytest.raises(ConfigError) as raised:
        evaluate(
            take(load_benchmark("sight-leaky"), questions=4),
            model,
            ("original", "black", "text_only"),
            RunSettings(sampling=Sampling(frames=2)),
        )
    told = str(raised.value)
    assert "cannot be asked under original, black" in told
    assert "--conditions text_only" in told


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"vision_config": {"depth": 2}}, "vision_config.*backend: transformers"),
        ({"video_token_id": 7}, "video_token_id.*--models, not --text-models"),
        ({"mm_vision_tower": "clip"}, "mm_vision_tower"),
        ({"audio_config": {}}, "audio_config"),
        ({"is_encoder_decoder": True}, "continues a text .is_encoder_decoder"),
        ({"architectures": ["BertForMaskedLM"]}, "BertForMaskedLM"),
    ],
)
def test_other_kinds_of_checkpoints_are_told_where_they_belong(
    folder: Callable[..., Path],
    tmp_path: Path,
    changes: dict[str, object],
    told: str,
) -> None:
    """By ``config.json`` alone, when the backend is made."""
    own = copied(folder(), tmp_path)
    edit_json(own / "config.json", **changes)
    with pytest.raises(ConfigError, match=re.compile(told, re.DOTALL)):
        opened(own)


def test_a_video_model_is_told_its_backend(checkpoint: Path) -> None:
    """A real checkpoint that takes videos is no text model."""
    with pytest.raises(ConfigError, match="takes more than text"):
        opened(checkpoint)


@pytest.mark.parametrize("chat", [None, CHAT], ids=["base", "chat"])
def test_a_text_model_is_told_its_backend(
    folder: Callable[..., Path], chat: str | None
) -> None:
    """Asked as one that sees, it is told that it cannot, with no word of templates."""
    given = {"checkpoint": folder(chat=chat), "device": "cpu"}
    with pytest.raises(ConfigError, match=r"(?s)text-only language.*--text-models"):
        make_backend("transformers", given)


def copied(path: Path, target: Path) -> Path:
    """Return a copy of the checkpoint at *path* that a test may break."""
    return Path(shutil.copytree(path, target / "own"))


@pytest.mark.parametrize("name", ["config.json", "tokenizer_config.json"])
def test_code_of_the_checkpoints_own_needs_a_yes(
    folder: Callable[..., Path], tmp_path: Path, name: str
) -> None:
    """Of the model or the tokenizer, it is refused, and never run."""
    own = copied(folder(), tmp_path)
    marker = tmp_path / "ran"
    (own / "modeling_x.py").write_text(f"open({str(marker)!r}, 'w')\n")
    edit_json(own / name, auto_map={"AutoModelForCausalLM": "modeling_x.X"})
    with pytest.raises(ConfigError, match="trust_remote_code: true"):
        opened(own)
    assert not marker.exists()


def test_pickled_weights_need_a_yes(
    folder: Callable[..., Path], tmp_path: Path
) -> None:
    """They are refused by default, and nothing in them is run."""
    own = copied(folder(), tmp_path)
    (own / "model.safetensors").unlink()
    marker = tmp_path / "ran"
    (own / "pytorch_model.bin").write_bytes(pickle.dumps(Bomb(marker)))
    with pytest.raises(ConfigError, match="allow_pickle: true"):
        opened(own)
    assert not marker.exists()


def test_half_a_model_is_no_model(folder: Callable[..., Path], tmp_path: Path) -> None:
    """Weights that are missing would be random: an error says which."""
    own = copied(folder(), tmp_path)
    rewrite_weights(own, lambda t: {k: v for k, v in t.items() if "norm" not in k})
    with pytest.raises(BackendError, match="missing and would be random"):
        opened(own).ask(asked().prompt, None)


def test_missing_packages_are_named(
    folder: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And torchvision, which no text needs, may be missing."""
    find = importlib.util.find_spec

    def lacks(*names: str) -> None:
        monkeypatch.setattr(
            importlib.util,
            "find_spec",
            lambda name, *_: None if name in names else find(name),
        )

    lacks("torchvision")
    opened(folder())
    lacks("torch")
    with pytest.raises(BackendUnavailable, match="'text-lm' needs 'torch'"):
        opened(folder())


# -- who it is ----------------------------------------------------------------


def test_its_identity_is_that_of_its_files(
    folder: Callable[..., Path], tmp_path: Path
) -> None:
    """Weights, tokenizer and template are under test or must be equal."""
    found = opened(folder(), scoring="option_text").identity
    assert isinstance(found, BackendIdentity)
    assert found.environment["backend"] == "text-lm"
    assert found.environment["scoring"] == "option_text"
    assert found.environment["option_likelihood"] == "sum"
    assert found.environment["trust_remote_code"] == "false"
    chat = opened(folder(chat=CHAT)).identity
    assert chat.subject["weights"] == found.subject["weights"]
    assert chat.environment["processor"] != found.environment["processor"]
    other = opened(folder("qwen2")).identity
    assert other.subject["weights"] != found.subject["weights"]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"checkpoint": "x", "devices": "y"}, "'text-lm' has no setting 'devices'"),
        ({}, "'text-lm' needs a checkpoint"),
        ({"checkpoint": "x", "scoring": "choices"}, "Did you mean 'choice'"),
    ],
)
def test_wrong_settings_are_told(settings: dict[str, object], told: str) -> None:
    """By the name of this backend."""
    with pytest.raises(ConfigError, match=told):
        make_backend("text-lm", settings)


# -- a model that has learnt a shortcut ---------------------------------------


def learnt(folder: Path, train: Sequence[tuple[str, str]]) -> Path:
    """Save a small model that was trained to continue each prompt with its answer."""
    corpus = tuple(before + after for before, after in train)
    tokenizer = make_tokenizer("", corpus)
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=256,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=0,
    )
    model: Untyped = transformers.LlamaForCausalLM(config)
    _train(model, tokenizer, train)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _train(
    model: Untyped, tokenizer: Untyped, train: Sequence[tuple[str, str]]
) -> None:
    rng = random.Random(0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(150):
        rows, wanted = [], []
        for before, after in rng.sample(list(train), 16):
            start = tokenizer(before)["input_ids"]
            both = tokenizer(before + after)["input_ids"]
            rows.append(both)
            wanted.append([-100] * len(start) + both[len(start) :])
        most = max(map(len, rows))
        ids = torch.tensor([row + [0] * (most - len(row)) for row in rows])
        labels = torch.tensor([row + [-100] * (most - len(row)) for row in wanted])
        mask = torch.tensor([[1] * len(r) + [0] * (most - len(r)) for r in rows])
        model(input_ids=ids, attention_mask=mask, labels=labels).loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def test_a_learnt_shortcut_needs_no_video(tmp_path: Path) -> None:
    """Trained to repeat the colour that a question names, it is right where one does.

    On `sight-leaky`, whose questions it never saw, under the one condition that it
    can be asked under.
    """
    colours = ("red", "green", "blue", "yellow", "purple", "white")
    rng = random.Random(1)
    train = []
    for _ in range(300):
        options = rng.sample(colours, 4)
        colour = rng.choice(options)
        lines = "".join(f"{a}. {b}\n" for a, b in zip("ABCD", options, strict=True))
        text = (
            f"A {colour} shape can be seen. What colour is it?\n{lines}"
            "Answer with the letter of the correct option.\nAnswer:"
        )
        train.append((text, f" {colour}"))
    path = learnt(tmp_path / "learnt", train)
    leaky = load_benchmark("sight-leaky")
    named = [
        q
        for q in leaky.questions
        if q.extra["flaw"] == "answer_named" and q.task == "colour"
    ]
    model = opened(path, scoring="option_text")
    run = evaluate(
        take(leaky),
        model,
        ("text_only",),
        RunSettings(sampling=Sampling(frames=2)),
    )
    right = [run.cells[q.id, "text_only"].outcome is Outcome.CORRECT for q in named]
    assert len(named) >= 15
    assert sum(right) >= 0.9 * len(named)
    assert run.fingerprint.comparable["backend"] == "text-lm"


def test_it_is_a_backend(folder: Callable[..., Path]) -> None:
    """It has all that the protocol asks for, and the folder's name."""
    model = opened(folder())
    assert isinstance(model, Backend)
    assert isinstance(model, ChoosyBackend)
    assert model.name == folder().name
    assert model.frames_per_token == 1
    model.close()
    model.close()
