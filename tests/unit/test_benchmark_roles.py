"""The ways in which roles and rooms are compared differ in what they say they differ in, and in nothing else."""

from pathlib import Path

import pytest

from benchmarks import sample
from benchmarks.roles import ROOM_TAG, Asker, misplaced, room_tags, unweighted, with_room_tags
from benchmarks.rooms import ASKED_ROOM, SHAPES, Shape, measured
from consiglierd.evaluation.evaluate import places_of
from tests.support.held_index import Options


def test_roles_without_weights_and_with_those_of_another() -> None:
    shipped = sample.roles()
    for name, role in shipped.by_name.items():
        bare, other = unweighted(shipped).by_name[name], misplaced(shipped).by_name[name]
        assert (bare.name, bare.group, bare.rooms) == (other.name, other.group, other.rooms)
        assert (other.name, other.group, other.rooms) == (role.name, role.group, role.rooms)
        assert not bare.weights
        assert other.weights != role.weights
        assert other.weights in [each.weights for each in shipped.by_name.values()]


def test_a_tag_for_each_room_and_nothing_else() -> None:
    plain = sample.parsed(sample.rules())
    tagged = with_room_tags(plain)
    for path, (content, document) in plain.items():
        assert tagged[path][0] == content
        for before, after in zip(document.sections, tagged[path][1].sections, strict=True):
            added = {tag.name for tag in after.tags} - {tag.name for tag in before.tags}
            assert added == {ROOM_TAG + mark.room for mark in before.rooms}


def test_the_ways_rank_by_what_they_name(tmp_path: Path) -> None:
    """By tags as the product does by rooms; the condition leaves nothing that is outside."""
    index = sample.held(tmp_path, with_room_tags(sample.parsed(sample.rules())), Options())
    roles = sample.roles()
    asked = [each for each in sample.answered_questions(sample.ROLE_QUESTIONS) if each.role in ("security", "cfo")]
    asker = Asker(index, roles, asked)
    for question in asked:
        role = asker.role_of(question)
        by_rooms = asker.by_search(unweighted(roles), 0.2)(question)
        by_tags = asker.by_tags(0.2, room_tags)(question)[: len(by_rooms)]
        assert [places_of(hit) for hit in by_rooms] == [places_of(hit) for hit in by_tags]
        inside = asker.by_condition(unweighted(roles))(question)
        assert inside
        assert not role.rooms or all(set(role.rooms) & set(hit.rooms) for hit in inside)
    gained = asker.gained(asker.by_search(roles))
    assert gained.shape == (len(asked),)
    assert 0.5 < gained.mean() < 1
    index.close()


@pytest.mark.parametrize("shape", SHAPES, ids=lambda each: each.name)
def test_every_shape_keeps_the_same_rooms(shape: Shape, tmp_path: Path) -> None:
    sections = [section for _, document in sample.parsed(sample.rules()).values() for section in document.sections]
    expected = sum(ASKED_ROOM in {mark.room for mark in each.rooms} for each in sections)
    assert expected > 0
    assert measured(shape, sections, tmp_path)[-1] == expected
