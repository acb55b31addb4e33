from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from specbridge_pipeline.errors import ConfigurationError
from specbridge_pipeline.settings import Mode, Profile, Project, find_project, starter_root

PLACES = [
    name
    for name, value in vars(Project).items()
    if isinstance(value, property) and not name.startswith("_")
]


def make_project(root: Path, profile: str = "edition: one\n") -> Project:
    project = Project(root)
    project.profiles.mkdir(parents=True)
    project.databases_file.write_text("databases: []\n")
    (project.profiles / "default.yaml").write_text(profile)
    return project


@pytest.mark.parametrize("place", PLACES)
def test_everything_lies_below_the_root(place: str, tmp_path: Path) -> None:
    assert getattr(Project(tmp_path), place).is_relative_to(tmp_path)
    assert [field.name for field in fields(Project)] == ["root"]


def test_the_project_given_comes_before_the_environment_and_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, named, here = (make_project(tmp_path / name).root for name in ("given", "named", "here"))
    monkeypatch.chdir(here)
    monkeypatch.delenv("SPECBRIDGE_HOME", raising=False)
    assert find_project().root == here
    monkeypatch.setenv("SPECBRIDGE_HOME", str(named))
    assert find_project().root == named
    assert find_project(given).root == given
    assert find_project(Path("../given")).root == given


def test_a_folder_without_registries_is_no_project(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="specbridge init") as caught:
        find_project(tmp_path)
    assert caught.value.path == tmp_path
    assert not list(tmp_path.iterdir())


def test_a_profile_says_only_what_differs_from_the_default(tmp_path: Path) -> None:
    profile = make_project(tmp_path, "edition: one\nmode: auto\nbudget: {calls: 7}\n").profile()
    assert profile.edition == "one"
    assert profile.mode is Mode.AUTO
    assert profile.budget.calls == 7
    assert profile.budget.cost_usd == Profile(edition="x").budget.cost_usd
    assert not profile.spend_on_new_models


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("edition: one\nmodes: live\n", 2, "unknown key 'modes'"),
        ("mode: live\n", 1, "key 'edition' is missing"),
        ("edition: one\nmode: online\n", 2, "mode: "),
        ("edition: a/b\n", 1, "edition: "),
        ("edition: one\nbudget:\n  calls: -1\n", 3, "budget.calls: "),
        ("edition: one\nbudget:\n  cost_usd: .nan\n", 3, "budget.cost_usd: "),
        ("edition: one\nresamples: 3\n", 2, "resamples: "),
        ("edition: one\nseeds: {shuffle: 3}\n", 2, "unknown key 'seeds.shuffle'"),
    ],
)
def test_a_profile_that_cannot_be_used(text: str, line: int, says: str, tmp_path: Path) -> None:
    project = make_project(tmp_path, text)
    with pytest.raises(ConfigurationError) as caught:
        project.profile()
    assert caught.value.what.startswith(says)
    assert (caught.value.path, caught.value.line) == (project.profiles / "default.yaml", line)


def test_a_profile_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    with pytest.raises(ConfigurationError, match=r"no profile 'papre'.*profiles here: default"):
        project.profile("papre")


def test_the_shipped_profiles_can_be_read() -> None:
    project = find_project(starter_root())
    names = sorted(path.stem for path in project.profiles.glob("*.yaml"))
    assert "default" in names
    for name in names:
        assert (project.editions / project.profile(name).edition).is_dir()


def test_a_draw_is_of_the_profiles_own_edition() -> None:
    profile = Profile(edition="one", evaluated_sets=48)
    assert profile.with_edition("one") == profile
    other = profile.with_edition("two")
    assert (other.edition, other.evaluated_sets) == ("two", None)
