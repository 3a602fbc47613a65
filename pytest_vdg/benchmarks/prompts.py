"""`render`: the text of a question as a model is asked it.

Apart from the backends so that the text is the same for every model and under
every condition: it depends on the question and on the style alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_vdg.benchmarks._templates import fill, require_usable, uses
from pytest_vdg.errors import ConfigError

if TYPE_CHECKING:
    from pytest_vdg.benchmarks.schema import Question

DEFAULT_INSTRUCTION = "Answer with the letter of the correct option."
DEFAULT_TEMPLATE = (
    "{{ question }}\n"
    "{% for option in options %}{{ option.label }}. {{ option.text }}\n{% endfor %}"
    "{{ instruction }}"
)
"""Question, a line ``LABEL. TEXT`` for each option in order, instruction."""


@dataclass(frozen=True, kw_only=True)
class PromptStyle:
    """How a question is put into words, checked when made.

    Raises `ConfigError` for a template that cannot be read, or that leaves out
    or changes the question, an option or a label.
    """

    template: str = DEFAULT_TEMPLATE
    """Jinja text with ``question``, ``options`` (each with ``label`` and
    ``text``), ``labels`` and ``instruction``. A tag alone on its line leaves no
    line behind; nor does an empty instruction at the end."""
    instruction: str = DEFAULT_INSTRUCTION
    """What to answer with; text, no template."""

    def __post_init__(self) -> None:
        """Refuse what would ask another question than the benchmark holds."""
        for name, value in vars(self).items():
            if not isinstance(value, str):
                raise ConfigError(f"{name} must be text, got {value!r}")
        require_usable(self.template)

    @property
    def uses_instruction(self) -> bool:
        """Whether the template says where the instruction goes."""
        return uses(self.template, "instruction")


def render(question: Question, style: PromptStyle | None = None) -> str:
    r"""Return *question* in the words of *style*; ours by default.

    An option is always one line: `Question` refuses texts with line ends.
    Raises `ConfigError` when a template leaves out a part of this question
    that it kept of others.

    Examples
    --------
    >>> from pytest_vdg.benchmarks.schema import Option, Question
    >>> options = (Option(label="A", text="one"), Option(label="B", text="two"))
    >>> print(render(Question(id="q1", text="How many?", options=options,
    ...                       answer="B", task="count", video="a.mp4")))
    How many?
    A. one
    B. two
    Answer with the letter of the correct option.
    """
    chosen = PromptStyle() if style is None else style
    text = fill(
        chosen.template,
        question=question.text,
        options=question.options,
        instruction=chosen.instruction,
    )
    if chosen.template != DEFAULT_TEMPLATE:
        _require_whole(text, question)
    return text


def _require_whole(text: str, question: Question) -> None:
    """Refuse a prompt without a part of its question; space may differ."""
    said = _words(text)
    options = [o.text for o in question.options]
    for part in (question.text, *options, *question.labels):
        if _words(part) not in said:
            raise ConfigError(
                f"question {question.id!r}: the template leaves out, or changes, "
                f"{part!r:.60}"
            )


def _words(text: str) -> str:
    return " ".join(text.split())
