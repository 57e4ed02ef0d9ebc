"""Where the rows of an AsciiDoc table begin."""

import re

from consiglierd.ingest.docs.asciidoc_lines import Numbered

_COLUMNS = re.compile(r"""\bcols=(?:"([^"]*)"|'([^']*)'|([^,\]]*))""")
_FORMAT = re.compile(r"""\bformat=["']?(\w+)""")
_SEPARATOR = re.compile(r"""\bseparator=["']?([^"',\]]+)""")
_REPEAT = re.compile(r"(\d+)\*")
_MAX_COLUMNS = 1000
# What may stand between a blank and the separator that it speaks of: `2+^.>s|`, `.3+|`, `3*|`.
_CELL = re.compile(r"(?:(\d+)?(?:\.(\d+))?([*+]))?(?:[<^>](?:\.[<^>])?|\.[<^>])?[a-z]?\Z")


def first_lines_of_rows(lines: list[Numbered], tip: str, attributes: str) -> tuple[int, ...]:
    """The number of the first line of each row; one row where the rows cannot be told apart.

    A row may take several lines (a cell a line), a line may hold several rows. A table whose
    cells span rows is one row here: a border inside it could cut such a cell.
    """
    filled = [(number, text) for number, text in lines if text]
    if not filled:
        return ()
    named_format = _FORMAT.search(attributes)
    style = named_format[1].lower() if named_format else {",": "csv", ":": "dsv"}.get(tip, "psv")
    if style == "csv":
        return _rows_of_csv(filled)
    if style in ("dsv", "tsv"):
        return tuple(number for number, _ in filled)
    separator = _SEPARATOR.search(attributes)
    return _rows_of_cells(filled, separator[1] if separator else tip if tip in "|!" else "|", attributes)


def _rows_of_csv(lines: list[Numbered]) -> tuple[int, ...]:
    starts = []
    is_quoted = False
    for number, text in lines:
        if not is_quoted:
            starts.append(number)
        is_quoted ^= bool(text.count('"') % 2)
    return tuple(starts)


def _columns_of(attributes: str) -> int:
    """The number of columns that `cols` promises, 0 where it is silent."""
    found = _COLUMNS.search(attributes)
    if found is None:
        return 0
    value = (found[1] or found[2] or found[3] or "").replace(" ", "")
    if not value:
        return 0
    if value.isascii() and value.isdigit():
        return min(int(value[:4]), _MAX_COLUMNS)
    columns = 0
    for column in value.split("," if "," in value else ";"):
        repeat = _REPEAT.match(column)
        columns += int(repeat[1][:4]) if repeat else 1
    return min(columns, _MAX_COLUMNS)


def _cells_of(text: str, separator: str) -> tuple[bool, int, bool]:
    """Whether the line begins with a cell, how many columns its cells take, whether one spans rows."""
    parts = text.split(separator)
    columns = 0
    begins = False
    for index, before in enumerate(parts[:-1]):
        if before.endswith("\\"):
            continue
        word = before.rsplit(None, 1)[-1] if before.strip() and not before.endswith((" ", "\t")) else ""
        # Behind a cell's text a specification needs a blank before it; at the line's start none.
        is_separate = index == 0 or word != before
        cell = _CELL.match(word) if is_separate else None
        if index == 0:
            begins = cell is not None and before.strip() == word
        if cell and cell[2] and int(cell[2][:4]) > 1:
            return begins, columns, True
        columns += min(int(cell[1][:4]), _MAX_COLUMNS) if cell and cell[1] else 1
    return begins, columns, False


def _rows_of_cells(lines: list[Numbered], separator: str, attributes: str) -> tuple[int, ...]:
    columns = _columns_of(attributes)
    starts = [lines[0][0]]
    filled = 0
    for number, text in lines:
        begins, taken, spans_rows = _cells_of(text, separator)
        if spans_rows:
            return (lines[0][0],)
        if begins and columns and filled and filled % columns == 0:
            starts.append(number)
            filled = 0
        filled += taken
        # Without `cols` the first line that holds cells says how many columns there are.
        columns = columns or taken
    return tuple(starts)
