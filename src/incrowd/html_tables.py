"""Small pieces of HTML for notebooks: every text is escaped, nothing is fetched from anywhere."""

from collections.abc import Iterable, Sequence


def escape(text: str) -> str:
    """Return a text as HTML writes it; the standard library's takes longer to import than to run.

    >>> escape('<a href="x">&')
    '&lt;a href=&quot;x&quot;&gt;&amp;'
    """
    for character, name in {"&": "amp", "<": "lt", ">": "gt", '"': "quot"}.items():
        text = text.replace(character, f"&{name};")
    return text


def heading(text: str) -> str:
    """Return a line in bold.

    >>> heading("<b>")
    '<p><b>&lt;b&gt;</b></p>'
    """
    return f"<p><b>{escape(text)}</b></p>"


def lines(texts: Iterable[str]) -> str:
    """Return texts one below the other; nothing if there are none."""
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; a cell that is None is empty.

    >>> table(["k"], [[5]])
    '<table><thead><tr><th>k</th></tr></thead><tbody><tr><td>5</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    return f"<td>{'' if value is None else escape(str(value))}</td>"


def page(*parts: str) -> str:
    """Return parts as one piece."""
    return f"<div>{''.join(parts)}</div>"
