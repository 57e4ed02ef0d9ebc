"""Identities: what a number or a hexadecimal string stands for."""

import hashlib
from typing import NewType

ChunkId = NewType("ChunkId", int)
Revision = NewType("Revision", int)
Digest = NewType("Digest", str)

NO_REVISION = Revision(0)


def digest_of(content: bytes) -> Digest:
    """The identity of some content: BLAKE2b of 20 bytes, 40 lower-case hexadecimal digits."""
    return Digest(hashlib.blake2b(content, digest_size=20).hexdigest())
