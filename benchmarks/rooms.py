"""Prints what keeping rooms costs, as a relation or as tags: `python -m benchmarks.rooms [--sections N]`.

The marks are those of the sample's sections, over and over. Each shape is a table of its own in a database of its
own: the relation of the store (section, room, source); the same with an index by room; tags, among the other tags of
the same sections; a column of names. Times are by the wall clock, the median of five.
"""

import argparse
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path

from benchmarks import sample
from benchmarks.table import median
from consiglierd.ingest.docs.keywords import composed
from consiglierd.ingest.docs.parse import parse_document
from consiglierd.ingest.docs.rooms import rooms_of
from consiglierd.model.document import ParsedDocument, Section
from tests.support.held_index import HeldIndex, Options

REPEATS = 5
ASKED_ROOM = "security"
# As many as a search scores before it cuts.
CANDIDATES = 50
_TAGS = "CREATE TABLE t (id INTEGER, name TEXT, source TEXT, PRIMARY KEY (id, name, source)) WITHOUT ROWID;"
Rows = list[tuple[int, str, str]]


@dataclass(frozen=True, slots=True)
class Shape:
    """A way to keep rooms: its tables, the rows of a section, and the statements of each use."""

    name: str
    schema: str
    rows_of: Callable[[int, Section], Rows]
    insert: str
    in_room: str
    room: str
    of_section: str
    forget: str


def _relation(number: int, section: Section) -> Rows:
    return [(number, mark.room, mark.source) for mark in section.rooms]


def _tags(number: int, section: Section) -> Rows:
    own = [(number, tag.name, tag.source) for tag in section.tags]
    return own + [(number, f"room:{mark.room}", mark.source) for mark in section.rooms]


def _column(number: int, section: Section) -> Rows:
    return [(number, "," + "".join(f"{room}," for room in sorted({mark.room for mark in section.rooms})), "")]


def _own_tags(number: int, section: Section) -> Rows:
    return [(number, tag.name, tag.source) for tag in section.tags]


_INSERT = "INSERT OR IGNORE INTO t VALUES (?, ?, ?)"
_BY_NAME = "SELECT DISTINCT id FROM t WHERE name = ?"
_OF_SECTION = "SELECT name FROM t WHERE id = ?"
SHAPES = (
    Shape("relation (as it is)", _TAGS, _relation, _INSERT, _BY_NAME, ASKED_ROOM, _OF_SECTION, "DELETE FROM t"),
    Shape(
        "relation, index by room",
        _TAGS + "CREATE INDEX by_name ON t (name, id);",
        _relation,
        _INSERT,
        _BY_NAME,
        ASKED_ROOM,
        _OF_SECTION,
        "DELETE FROM t",
    ),
    Shape(
        "tags, among the others",
        _TAGS,
        _tags,
        _INSERT,
        _BY_NAME,
        f"room:{ASKED_ROOM}",
        _OF_SECTION + " AND name >= 'room:' AND name < 'room;'",
        "DELETE FROM t WHERE name >= 'room:' AND name < 'room;'",
    ),
    Shape(
        "a column (as it is)",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, source TEXT);",
        _column,
        "INSERT INTO t VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name",
        "SELECT id FROM t WHERE instr(name, ?)",
        f",{ASKED_ROOM},",
        _OF_SECTION,
        "SELECT 1",
    ),
)


def measured(shape: Shape, sections: Sequence[Section], folder: Path) -> tuple[float, float, float, float, int]:
    """Bytes; seconds to put every section into its rooms anew, to list a room, to read the rooms of the candidates;
    sections in the room."""
    with closing(sqlite3.connect(folder / "rooms.db")) as connection:
        connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;" + shape.schema)
        rows = [row for number, section in enumerate(sections) for row in shape.rows_of(number, section)]
        of_rooms = [row for row in rows if shape.rows_of is not _tags or row[1].startswith("room:")]
        with connection:
            connection.executemany(shape.insert, rows)

        def again() -> None:
            with connection:
                connection.execute(shape.forget)
                connection.executemany(shape.insert, of_rooms)

        def listed() -> int:
            return len(connection.execute(shape.in_room, (shape.room,)).fetchall())

        def candidates() -> None:
            for number in range(0, len(sections), max(1, len(sections) // CANDIDATES)):
                connection.execute(shape.of_section, (number,)).fetchall()

        again_s, listed_s, candidates_s = (median(list(_times(work))) for work in (again, listed, candidates))
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("VACUUM")
        pages, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        return float(pages * size), again_s, listed_s, candidates_s, listed()


def _times(work: Callable[[], object]) -> Iterator[float]:
    for _ in range(REPEATS):
        began = time.perf_counter()
        work()
        yield time.perf_counter() - began


def _print_shapes(sections: Sequence[Section]) -> None:
    print(f"{'':26} {'size':>9} {'classify anew':>14} {'list a room':>12} {f'rooms of {CANDIDATES}':>12}")
    other = 0.0
    for shape in (replace(SHAPES[2], name="(the other tags alone)", rows_of=_own_tags), *SHAPES):
        with tempfile.TemporaryDirectory(prefix="csb-rooms-") as temporary:
            size, again, listed, candidates, count = measured(shape, sections, Path(temporary))
        if shape.rows_of is _own_tags:
            other = size
            print(f"{shape.name:26} {size / 1e6:6.1f} MB")
            continue
        size -= other if shape.rows_of is _tags else 0.0
        print(
            f"{shape.name:26} {size / 1e6:6.1f} MB {again * 1e3:11.0f} ms {listed * 1e3:9.1f} ms"
            f" {candidates * 1e3:9.2f} ms   {count} in the room"
        )


def _print_classifying() -> None:
    """What finding the rooms costs beside reading the document, and what a change of [rooms] costs as it is."""
    rules = sample.rules()
    contents = sample.contents()
    changed = replace(rules, rooms=tuple((room, (*words, "결제")) for room, words in rules.rooms))

    def parse() -> list[ParsedDocument]:
        return [parse_document(path, content, rules) for path, content in contents.items()]

    typed = [(document.file_type, each) for document in parse() for each in document.sections]
    texts = [(kind, composed("\n".join((*each.heading_path, each.text)))) for kind, each in typed]

    def classify() -> None:
        for kind, words in texts:
            rooms_of(kind, words, rules)

    parsing_s, rooms_s = median(list(_times(parse))), median(list(_times(classify)))
    print(
        f"\n{len(texts)} sections of {len(contents)} documents: read in {parsing_s * 1e3:.0f} ms,"
        f" of which their rooms {rooms_s * 1e3:.1f} ms"
    )
    with tempfile.TemporaryDirectory(prefix="csb-rooms-") as temporary:
        index = sample.held(Path(temporary), sample.parsed(rules), Options())
        before = _vectors(index)
        began = time.perf_counter()
        index.put(sample.parsed(changed))
        put_s = time.perf_counter() - began
        index.fill()
        print(
            f"a change of [rooms], as it is: every document is read and written again, {put_s * 1e3:.0f} ms;"
            f" texts embedded again: {_vectors(index) - before} of {before}"
        )
        index.close()


def _vectors(index: HeldIndex) -> int:
    with closing(sqlite3.connect(index.folder / "consigliere.db")) as connection:
        return int(connection.execute("SELECT count(*) FROM window_vectors").fetchone()[0])


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rooms", description="Rooms as a relation or as tags.")
    parser.add_argument("--sections", type=int, default=100_000, help="how many (default %(default)s)")
    options = parser.parse_args(arguments)
    own = [section for _, document in sample.parsed(sample.rules()).values() for section in document.sections]
    print(f"{options.sections} sections; {sum(bool(each.rooms) for each in own) / len(own):.0%} are in a room")
    _print_shapes(list(islice(cycle(own), options.sections)))
    _print_classifying()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
