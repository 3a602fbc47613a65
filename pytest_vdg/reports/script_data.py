"""Plain values as JSON that a page can hold between two tags, whatever they say.

Apart from `json` because inside a page other texts end a script than in a file.
"""

from __future__ import annotations

import json

from markupsafe import Markup

_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def for_script(values: object) -> Markup:
    r"""Return *values* as JSON to be put into a ``<script>`` as it stands.

    Plain ASCII, so that neither an odd line end (U+2028) nor half of a pair of
    surrogates gets through; and without a sign that could begin or end a tag.

    >>> print(for_script({"reply": "</script>\u2028"}))
    {"reply":"\u003c/script\u003e\u2028"}
    """
    text = json.dumps(values, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return Markup(text.translate(_ESCAPES))  # noqa: S704 - no sign of a tag is left
