"""Settings as the nouns that ingest and search take."""

from consiglierd.model.roles import Role, RoleTable
from consiglierd.model.rules import DocumentRules, TypePattern
from consiglierd.settings.schema import Settings


def document_rules(settings: Settings) -> DocumentRules:
    """How documents are cut and classified; rooms and tags sorted, so that equal settings are equal rules."""
    return DocumentRules(
        rooms=tuple(sorted(settings.rooms.items())),
        role_words=tuple(sorted(settings.tags.items())),
        extra_types=tuple(TypePattern(glob, file_type) for glob, file_type in settings.types.items()),
        split_tokens=settings.index.split_tokens,
    )


def role_table(settings: Settings) -> RoleTable:
    """Roles by name and alias, in lower case; `ios_dev`, `ios-dev` and `ios dev` are one name."""
    by_name: dict[str, Role] = {}
    for name, given in settings.roles.items():
        role = Role(name=name, group=given.group, weights=dict(given.weights), rooms=given.rooms)
        for word in (name, *given.aliases):
            for spelling in (word, word.replace("_", "-"), word.replace("_", " "), word.replace(" ", "_")):
                by_name.setdefault(spelling.lower(), role)
    return RoleTable(by_name)
