"""`render`: the text of a question as a model is asked it.

Apart from the backends so that the text is the same for every model and under
every condition: it depends on the question alone.
"""

from __future__ import annotations

from pytest_vdg.benchmarks.schema import Question

DEFAULT_INSTRUCTION = "Answer with the letter of the correct option."
DEFAULT_TEMPLATE = "{question}\n{options}\n{instruction}"
"""``options`` is a line ``LABEL. TEXT`` for each option, in order."""


def render(question: Question, instruction: str = DEFAULT_INSTRUCTION) -> str:
    r"""Return question, options and *instruction*, each on lines of its own.

    An option is always one line: `Question` refuses texts with line ends. An
    empty *instruction* leaves no line behind.

    Examples
    --------
    >>> from pytest_vdg.benchmarks.schema import Option
    >>> options = (Option(label="A", text="one"), Option(label="B", text="two"))
    >>> print(render(Question(id="q1", text="How many?", options=options,
    ...                       answer="B", task="count", video="a.mp4")))
    How many?
    A. one
    B. two
    Answer with the letter of the correct option.
    """
    options = "\n".join(f"{o.label}. {o.text}" for o in question.options)
    text = DEFAULT_TEMPLATE.format(
        question=question.text, options=options, instruction=instruction
    )
    return text if instruction else text[:-1]
