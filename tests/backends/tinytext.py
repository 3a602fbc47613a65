"""Tiny language models without eyes, and their tokenizers, made in a second.

Apart from `tinymodel`, whose tokenizer knows whole words only: here texts fall into
pieces, with and without a space before them, as in real tokenizers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

SPECIALS = ("<pad>", "<s>", "</s>", "<|user|>", "<|assistant|>")
CHAT = (
    "{{ bos_token }}{% for m in messages %}<|{{ m['role'] }}|>\n{{ m['content'] }}"
    "{{ eos_token }}\n{% endfor %}{% if add_generation_prompt %}<|assistant|>\n"
    "{% endif %}"
)
CORPUS = (
    "what colour is the shape in the video? red green blue light blue one two ten",
    "A. red\nB. green\nC. blue\nAnswer with the letter of the correct option.",
    "Answer: A\nAnswer: B\nAnswer: C\nAnswer: D\n red light green blue shape shapes",
)
FAMILIES = ("llama", "qwen2", "gpt2")
# transformers builds its classes by name at run time.
Untyped = Any


def build_text_model(
    folder: Path, *, family: str = "llama", chat: str | None = None, around: str = "<s>"
) -> Path:
    """Save a tiny random language model of *family* into *folder* and return it.

    *chat* is its template; *around* what its tokenizer puts around each text:
    ``<s>`` before it, ``</s>`` behind it, both or nothing.
    """
    import torch
    import transformers

    tokenizer = make_tokenizer(around)
    tokenizer.chat_template = chat
    torch.manual_seed(0)
    config = getattr(transformers, _CONFIGS[family])(
        vocab_size=len(tokenizer),
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        initializer_range=0.3,
        **_sizes(family),
    )
    transformers.AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def make_tokenizer(around: str = "<s>", corpus: tuple[str, ...] = CORPUS) -> Untyped:
    """Return a byte-level tokenizer that has learnt the pieces of *corpus*."""
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from tokenizers.trainers import BpeTrainer

    level: Untyped = pre_tokenizers.ByteLevel
    pieces: Untyped = Tokenizer(models.BPE())
    pieces.pre_tokenizer = level(add_prefix_space=False)
    pieces.decoder = decoders.ByteLevel()
    trainer: Untyped = BpeTrainer
    learnt = trainer(
        vocab_size=360,
        special_tokens=list(SPECIALS),
        initial_alphabet=level.alphabet(),
        show_progress=False,
    )
    pieces.train_from_iterator(corpus, learnt)
    marks = [mark for mark in ("<s>", "</s>") if mark in around.split()]
    if marks:
        form = " ".join(m for m in ("<s>", "$A", "</s>") if m == "$A" or m in marks)
        pieces.post_processor = processors.TemplateProcessing(
            single=form,
            special_tokens=[(mark, SPECIALS.index(mark)) for mark in marks],
        )
    fast: Untyped = transformers.PreTrainedTokenizerFast
    return fast(
        tokenizer_object=pieces,
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        extra_special_tokens=list(SPECIALS[3:]),
    )


_CONFIGS = {"llama": "LlamaConfig", "qwen2": "Qwen2Config", "gpt2": "GPT2Config"}


def _sizes(family: str) -> dict[str, Any]:
    if family == "gpt2":
        return {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 512}
    return {
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 512,
    }
