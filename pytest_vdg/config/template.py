"""Prompt templates of ``vdg.yaml``: written out, or the name of a file.

Apart from the other keys because this value alone may lie in another file, and
because a template is checked where its line is still known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_vdg.errors import ConfigError

if TYPE_CHECKING:
    from pytest_vdg.config.strict_yaml import Document

FILES = (".j2", ".jinja", ".txt")
"""How the name of a file with a template ends."""


def read_template(document: Document, *place: str) -> str:
    """Return the text of the template that *document* names at *place*.

    A value of one line that ends as in `FILES` is a file, relative to
    ``vdg.yaml``. Raises `ConfigError` with the line for a file that cannot be
    read, and for a template that does not ask the whole question.
    """
    from pytest_vdg.benchmarks.prompts import PromptStyle

    value: Any = document.values
    for key in place:
        value = value[key]
    text = str(value)
    where = document.where(*place)
    if text.lower().endswith(FILES) and "\n" not in text and "{" not in text:
        path = document.path.parent / text
        where = f"{where}: {path}"
        try:
            text = path.read_bytes().decode("utf-8")
        except OSError as error:
            raise ConfigError(f"{where} cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise ConfigError(f"{where} is no UTF-8 text: {error.reason}") from error
    try:
        return PromptStyle(template=text).template
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from error
