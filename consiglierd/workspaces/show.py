"""Lines of a document as the disk has them now."""

import unicodedata

from consiglierd.catalog.files import FileUnavailable, SafeRoot
from consiglierd.errors import BadRequest, NotFound
from consiglierd.ingest.docs.decode import decode, split_lines
from consiglierd.model.ids import Revision, digest_of
from consiglierd.model.status import ShownLines
from consiglierd.store.derived import DerivedStore
from consiglierd.store.overview import DocumentRow


def show_lines(
    root: str,
    files: SafeRoot,
    store: DerivedStore,
    file: str,
    line_start: int | None,
    line_end: int | None,
    *,
    section: bool,
    max_bytes: int,
) -> ShownLines:
    """Only documents of the store are shown: what is ignored, secret or outside of the root is not.

    Raises NotFound for an unknown document and BadRequest for lines that it does not have.
    """
    document = _find(root, store, file)
    try:
        content = files.read(document.path, max_bytes)
    except FileUnavailable as unavailable:
        raise NotFound(f"{document.path} cannot be read: {unavailable.message}") from unavailable
    decoded = decode(content)
    lines = split_lines(decoded.text)
    start, end = line_start or 1, line_end or line_start or len(lines)
    if section and line_start is not None:
        start, end = store.section_lines_at(document.path, line_start) or (start, end)
    if lines and not 1 <= start <= end <= len(lines):
        if line_start is not None and 1 <= start <= len(lines) and start <= end:
            end = len(lines)
        else:
            raise BadRequest(f"{document.path} has lines 1 to {len(lines)}, not {start}-{end}")
    digest = digest_of(content)
    return ShownLines(
        file=document.path,
        line_start=start if lines else 0,
        line_end=end if lines else 0,
        line_count=len(lines),
        text="\n".join(lines[start - 1 : end]),
        digest=digest,
        encoding=decoded.encoding,
        file_type=document.file_type,
        is_current=digest == document.digest,
        revision=Revision(store.head()),
    )


def _find(root: str, store: DerivedStore, file: str) -> DocumentRow:
    path = file[len(root) + 1 :] if file.startswith(root + "/") else file
    path = path.removeprefix("./")
    for spelling in (path, unicodedata.normalize("NFC", path), unicodedata.normalize("NFD", path)):
        document = store.document_at(spelling)
        if document is not None:
            return document
    near = store.paths_like(path)
    raise NotFound(
        f"{file} is not an indexed document",
        cure=f"did you mean {', '.join(near)}?" if near else "`consigliere status` says what is left out and why",
    )
