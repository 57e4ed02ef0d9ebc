"""The listed rule by which a file name looks like a secret: such files are never read."""

import re

_RULES = (
    (".env", r"\.env(\..+)?"),
    ("*.pem", r".+\.pem"),
    ("*.key", r".+\.key"),
    ("*.p12", r".+\.(p12|pfx|jks|keystore)"),
    ("*.ppk", r".+\.(ppk|kdbx|gpg|asc\.key)"),
    ("id_*", r"id_[^.]+(\.pub|\.bak|\.old)?"),
    (".netrc", r"[._]netrc"),
    (".npmrc", r"\.(npmrc|pypirc|pgpass|htpasswd|git-credentials)"),
    ("credentials", r"\.?credentials(\.(json|toml|ya?ml|ini|cfg|conf|csv|xml|properties|txt))?"),
    ("secrets", r"\.?secrets?\.(json|toml|ya?ml|ini|cfg|conf|xml|properties|txt)"),
)
_ANY = re.compile("|".join(f"(?:{source})" for _, source in _RULES), re.IGNORECASE)
_EACH = tuple((name, re.compile(source, re.IGNORECASE)) for name, source in _RULES)


def secret_rule(path: str) -> str | None:
    """The name of the rule by which the last part of `path` looks like a secret, or None."""
    name = path.rpartition("/")[2]
    if not _ANY.fullmatch(name):
        return None
    return next(rule for rule, pattern in _EACH if pattern.fullmatch(name))
