from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from specbridge_pipeline.errors import ConfigurationError, EditionError
from specbridge_pipeline.request_sets.editions import (
    EDITION_FILE,
    SETS_FILE,
    EditionDatabase,
    EditionRecord,
    read_draft,
    read_edition,
    seal_edition,
)
from specbridge_pipeline.request_sets.records import RequestSet
from specbridge_pipeline.settings import Project

DRAFT = Path(__file__).with_name("draft.yaml").read_text(encoding="utf-8")
TOYS = {"toys": EditionDatabase(content_hash="0" * 64, licence="CC0")}
Draft = Callable[..., Path]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture
def draft(project: Project) -> Draft:
    def write(name: str = "first", text: str = DRAFT) -> Path:
        folder = project.editions / name
        folder.mkdir(parents=True)
        (folder / SETS_FILE).write_bytes(text.encode())
        return folder

    return write


def seal(folder: Path, **changes: Any) -> EditionRecord:
    values: dict[str, Any] = {
        "title": "Töys",
        "built_by": "hand",
        "code_version": "0.1.0",
        "engines": {"sqlite": "3.54.1"},
        "databases": TOYS,
    }
    return seal_edition(folder, **(values | changes))


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_sealed_edition_is_read_as_it_was_sealed(project: Project, draft: Draft) -> None:
    folder = draft()
    before = read_draft(folder)
    record = seal(folder)
    edition = read_edition(project, "first")
    assert edition.record == record
    assert edition.sets == before
    assert (edition.id, edition.databases, record.sets) == ("first", ("toys",), 2)
    assert edition.sets_on("toys") == before
    assert edition.sets_on("others") == ()
    assert all(each.id == each.content_id() for each in edition.sets)


def test_sealing_inserts_ids_and_changes_nothing_else(draft: Draft) -> None:
    folder = draft()
    seal(folder)
    lines = (folder / SETS_FILE).read_text(encoding="utf-8").splitlines()
    ids = [each.id for each in read_draft(folder)]
    assert [line.strip(" -") for line in lines if "id: '" in line] == [f"id: '{i}'" for i in ids]
    written = "\n".join(line for line in lines if "id: '" not in line)
    expected = DRAFT.rstrip().replace("  - database", "    database")
    assert written == expected.replace("  -   step_depth", "      step_depth")


def test_line_breaks_of_another_system_survive(project: Project, draft: Draft) -> None:
    unix, windows = draft("unix"), draft("windows", DRAFT.replace("\n", "\r\n"))
    assert seal(unix).digest == seal(windows).digest
    sealed = (windows / SETS_FILE).read_bytes()
    assert sealed.count(b"\n") == sealed.count(b"\r\n") == DRAFT.count("\n") + 2
    assert read_edition(project, "windows").sets == read_edition(project, "unix").sets


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("  - database: toys", "  -\n    database: toys"),
        ("  - database: toys", "  - # a-comment - with dashes\n    database: toys"),
        ("  - database: toys", "  - &anchor\n    database: toys"),
        ("  # the first\n", ""),
        ("sets:\n", "sets:\n\n\n"),
    ],
)
def test_sets_can_begin_in_any_way_that_yaml_allows(
    written: str, instead: str, project: Project, draft: Draft
) -> None:
    assert written in DRAFT
    plain, other = draft("plain"), draft("other", DRAFT.replace(written, instead, 1))
    assert seal(plain).digest == seal(other).digest
    assert read_edition(project, "other").sets == read_edition(project, "plain").sets


def test_sets_written_in_braces(project: Project, draft: Draft) -> None:
    values = yaml.safe_load(DRAFT)
    folder = draft("braces", yaml.safe_dump(values, default_flow_style=True, width=10**6))
    assert seal(folder).digest == seal(draft("plain")).digest
    assert len(read_edition(project, "braces").sets) == 2


def test_the_same_draft_gives_the_same_digest_in_any_folder(draft: Draft) -> None:
    one, other = seal(draft("one")), seal(draft("other"))
    assert one.digest == other.digest
    assert (one.id, other.id) == ("one", "other")


def test_the_digest_covers_order_and_provenance(draft: Draft) -> None:
    values = yaml.safe_load(DRAFT)
    digests = {seal(draft("plain")).digest}
    values["sets"].reverse()
    digests.add(seal(draft("reversed", yaml.safe_dump(values))).digest)
    values["sets"][0]["provenance"]["human_verdict"] = True
    digests.add(seal(draft("judged", yaml.safe_dump(values))).digest)
    assert len(digests) == 3


def test_provenance_does_not_change_a_content_id() -> None:
    value = yaml.safe_load(DRAFT)["sets"][1]
    judged = value | {"provenance": {"human_verdict": False}}
    assert RequestSet(**value).content_id() == RequestSet(**judged).content_id()
    for change in (
        {"database": "others"},
        {"ordered": True},
        {"step_depth": 2},
        {"open_request": value["open_request"] + " "},
    ):
        assert RequestSet(**value | change).content_id() != RequestSet(**value).content_id()


@pytest.mark.parametrize(
    ("word", "instead", "number"),
    [
        ("keep any of them", "keep some of them", 0),
        ("place <= 2", "place <= 3", 0),
        ("Different kinds", "Distinct kinds", 1),
        ("step_depth: 1\n      arithmetic", "step_depth: 2\n      arithmetic", 1),
    ],
)
def test_changing_one_word_of_a_sealed_set_is_refused_with_file_and_line(
    word: str, instead: str, number: int, project: Project, draft: Draft
) -> None:
    folder = draft()
    seal(folder)
    path = folder / SETS_FILE
    text = path.read_text(encoding="utf-8")
    assert text.count(word) == 1
    path.write_text(text.replace(word, instead), encoding="utf-8")
    with pytest.raises(ConfigurationError, match="another content than its id says") as caught:
        read_edition(project, "first")
    starts = [at for at, line in enumerate(text.splitlines(), 1) if "id: '" in line]
    assert (caught.value.path, caught.value.line) == (path, starts[number])


@pytest.mark.parametrize("change", ["a set less", "another order", "another reviewer"])
def test_other_sets_than_were_sealed_are_refused(
    change: str, project: Project, draft: Draft
) -> None:
    folder = draft()
    seal(folder)
    path = folder / SETS_FILE
    values = yaml.safe_load(path.read_text(encoding="utf-8"))
    if change == "a set less":
        values["sets"].pop()
    elif change == "another order":
        values["sets"].reverse()
    else:
        values["sets"][1]["provenance"]["reviewers"] = ["rules/two"]
    path.write_text(yaml.safe_dump(values), encoding="utf-8")
    with pytest.raises(EditionError, match="not those that were sealed") as caught:
        read_edition(project, "first")
    assert caught.value.where == str(path)


def test_a_sealed_edition_is_not_sealed_again(draft: Draft) -> None:
    folder = draft()
    seal(folder)
    before = content(folder)
    with pytest.raises(EditionError, match="this edition is sealed"):
        seal(folder, title="Another")
    assert content(folder) == before


def test_a_draft_can_be_sealed_again_after_a_kill_between_its_two_files(draft: Draft) -> None:
    folder = draft()
    first = seal(folder)
    sets = (folder / SETS_FILE).read_bytes()
    (folder / EDITION_FILE).unlink()
    assert seal(folder) == first
    assert (folder / SETS_FILE).read_bytes() == sets


def with_a_wrong_id(text: str) -> str:
    return text.replace("  - database", "  - id: '0123456789ab'\n    database", 1)


def with_a_set_twice(text: str) -> str:
    first = text[text.index("  - database") : text.index("\n\n  -   step_depth")]
    return text.rstrip() + "\n" + first + "\n"


@pytest.mark.parametrize(
    ("change", "line", "says"),
    [
        (with_a_wrong_id, 4, "another content than its id says"),
        (with_a_set_twice, 40, "says the same as the one on line 4"),
        (lambda text: text.replace("ties", "knots", 1), 5, "choice_type: "),
        (
            lambda text: text.replace("    step_depth", "    steps: 1\n    step_depth", 1),
            6,
            "steps",
        ),
        (lambda text: text.replace("sets:", "set:", 1), 2, "top-level key 'sets'"),
        (lambda text: text.replace("  - database", "  - id: ''\n    database"), None, "ids cannot"),
    ],
)
def test_a_draft_that_is_not_valid_stays_as_it_is(
    change: Callable[[str], str], line: int | None, says: str, draft: Draft
) -> None:
    folder = draft("first", change(DRAFT))
    before = content(folder)
    with pytest.raises(ConfigurationError, match=says) as caught:
        seal(folder)
    assert (caught.value.path, caught.value.line) == (folder / SETS_FILE, line)
    assert content(folder) == before


@pytest.mark.parametrize(
    "databases",
    [{}, {"others": TOYS["toys"]}, TOYS | {"others": TOYS["toys"]}],
    ids=["none", "another", "one more"],
)
def test_an_edition_vouches_for_the_databases_of_its_sets(
    databases: dict[str, EditionDatabase], draft: Draft
) -> None:
    folder = draft()
    before = content(folder)
    with pytest.raises(EditionError, match="its sets are on toys, and it vouches for"):
        seal(folder, databases=databases)
    assert content(folder) == before


def test_a_folder_whose_name_is_no_id(draft: Draft) -> None:
    folder = draft("My Edition")
    before = content(folder)
    with pytest.raises(EditionError, match="called as its folder"):
        seal(folder)
    assert content(folder) == before


def test_a_copy_under_another_name_is_refused(project: Project, draft: Draft) -> None:
    folder = draft()
    seal(folder)
    folder.rename(project.editions / "second")
    with pytest.raises(EditionError, match="it calls itself 'first'"):
        read_edition(project, "second")


def test_an_edition_of_another_format_names_the_remedy(project: Project, draft: Draft) -> None:
    folder = draft()
    seal(folder)
    path = folder / EDITION_FILE
    path.write_text(path.read_text(encoding="utf-8").replace("format: 1", "format: 2"))
    with pytest.raises(EditionError, match="reads format 1"):
        read_edition(project, "first")


def test_an_edition_that_is_not_there_or_only_a_draft(project: Project, draft: Draft) -> None:
    seal(draft("first"))
    draft("second")
    for name in ("third", "second"):
        with pytest.raises(ConfigurationError, match=f"no edition '{name}'.*editions: first"):
            read_edition(project, name)


def test_a_draft_has_the_ids_that_it_will_have(draft: Draft) -> None:
    folder = draft()
    before = content(folder)
    sets = read_draft(folder)
    assert content(folder) == before
    seal(folder)
    assert read_draft(folder) == sets
