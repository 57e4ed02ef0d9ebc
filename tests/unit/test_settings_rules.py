"""What settings become for ingest and search: rules, roles, rooms."""

from pathlib import Path

import pytest

from consiglierd.ingest.docs import types
from consiglierd.model.roles import RoleTable
from consiglierd.model.rules import TypePattern
from consiglierd.settings.load import load_settings
from consiglierd.settings.rules import document_rules, role_table
from consiglierd.settings.schema import FILE_TYPES, MAX_WEIGHT, MIN_WEIGHT
from consiglierd.settings.shipped import ROLES, ROOMS


def roles_of(root: Path, text: str = "") -> RoleTable:
    (root / ".consigliere.toml").write_text(text, encoding="utf-8")
    loaded = load_settings(root)
    assert loaded.problems == ()
    return role_table(loaded.settings)


@pytest.mark.parametrize(
    ("name", "role", "file_type", "weight"),
    [
        ("ios_developer", "ios_developer", "dashboard", 0.7),
        ("ios_dev", "ios_developer", "checklist", 1.2),
        ("IOS", "ios_developer", "claude", 1.4),
        ("ios-dev", "ios_developer", "changelog", 1.5),
        ("iOS 개발자", "ios_developer", "memory", 0.8),
        ("android_dev", "android_developer", "rules", 1.4),
        ("api_dev", "api_developer", "issues", 1.4),
        ("QA", "tester", "checklist", 1.3),
        ("director", "director", "checklist", 0.9),
        ("cto", "cto", "tech-debt", 1.5),
        ("coo", "coo", "gantt", 1.3),
        ("ui/ux", "ui_ux", "rules", 1.4),
        ("보안", "security", "issues", 1.5),
    ],
)
def test_shipped_roles_are_found_by_every_name(
    tmp_path: Path, name: str, role: str, file_type: str, weight: float
) -> None:
    found = roles_of(tmp_path).find(name)
    assert found is not None
    assert found.name == role
    assert found.weights[file_type] == weight


def test_main_rooms_and_private_groups(tmp_path: Path) -> None:
    table = roles_of(tmp_path)
    rooms = {name: role.rooms for name, role in table.by_name.items()}
    assert rooms["ios_dev"] == ("ios",)
    assert rooms["web_developer"] == ("api",)
    assert rooms["cto"] == ("architecture",)
    assert rooms["tech_writer"] == ("history",)
    assert rooms["cfo"] == ()
    assert {name for name, role in table.by_name.items() if role.group == "cfo"} == {"cfo", "최고재무책임자"}
    assert {name for name, role in table.by_name.items() if role.group == "cmo"} == {"cmo", "최고마케팅책임자"}


def test_an_unknown_role_is_not_found(tmp_path: Path) -> None:
    assert roles_of(tmp_path).find("astronaut") is None


def test_a_role_is_changed_by_parts_also_under_an_alias(tmp_path: Path) -> None:
    table = roles_of(
        tmp_path, '[roles.ios_dev]\ntypes = { memory = 1.1 }\naliases = ["swift_dev"]\nrooms = ["ios", "api"]\n'
    )
    role = table.find("ios_developer")
    assert role is not None
    assert role == table.find("swift_dev") == table.find("ios")
    assert (role.weights["memory"], role.weights["changelog"]) == (1.1, 1.5)
    assert role.rooms == ("ios", "api")


def test_a_new_role_may_join_a_private_group(tmp_path: Path) -> None:
    role = roles_of(tmp_path, '[roles.controller]\ngroup = "cfo"\n').find("controller")
    assert role is not None
    assert (role.name, role.group, dict(role.weights)) == ("controller", "cfo", {})


def test_types_of_the_settings_are_those_that_documents_can_have() -> None:
    assert set(FILE_TYPES) == types.FILE_TYPES


def test_shipped_weights_are_of_known_types_and_within_bounds() -> None:
    for role in ROLES.values():
        assert set(role.weights) <= set(FILE_TYPES)
        assert all(MIN_WEIGHT <= weight <= MAX_WEIGHT for weight in role.weights.values())
        assert set(role.rooms) <= set(ROOMS)


def test_no_name_means_two_roles() -> None:
    names = [word for name, role in ROLES.items() for word in (name, *role.aliases)]
    assert len(names) == len(set(names))
    assert all(word == word.lower() for word in names)


def test_document_rules_are_equal_for_equal_settings_in_any_order(tmp_path: Path) -> None:
    def rules_of(text: str) -> object:
        (tmp_path / ".consigliere.toml").write_text(text, encoding="utf-8")
        return document_rules(load_settings(tmp_path).settings)

    one = rules_of('[rooms]\na = ["x"]\nb = ["y"]\n[index]\nsplit_tokens = 300\n')
    assert one == rules_of('[index]\nsplit_tokens = 300\n[rooms]\nb = ["y"]\na = ["x"]\n')
    assert one != rules_of('[rooms]\na = ["x"]\nb = ["z"]\n[index]\nsplit_tokens = 300\n')


def test_document_rules_carry_types_rooms_tags_and_split(tmp_path: Path) -> None:
    (tmp_path / ".consigliere.toml").write_text(
        '[index]\nsplit_tokens = 100\n[types]\n"plans/*" = "wbs"\n[tags]\nfinance = ["회계팀"]\n', encoding="utf-8"
    )
    rules = document_rules(load_settings(tmp_path).settings)
    assert rules.split_tokens == 100
    assert rules.extra_types == (TypePattern("plans/*", "wbs"),)
    assert dict(rules.role_words)["finance"] == ("회계팀",)
    assert dict(rules.rooms)["ios"] == ROOMS["ios"]
