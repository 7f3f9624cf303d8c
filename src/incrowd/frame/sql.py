"""Names and texts as SQL writes them."""


def quoted(text: object) -> str:
    """Return a text as SQL writes it.

    >>> quoted("it's")
    "'it''s'"
    """
    return "'" + str(text).replace("'", "''") + "'"


def named(name: str) -> str:
    """Return the name of a column or table as SQL writes it.

    >>> named('the "best" one')
    '"the ""best"" one"'
    """
    return '"' + name.replace('"', '""') + '"'
