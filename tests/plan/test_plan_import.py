"""Plans of other tools: real-world shapes of every format, and one contract that each importer is held to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unlost.facts.errors import FileInvalid
from unlost.plan.digest import plan_digest
from unlost.plan.facts import MAXIMUM_BYTES, MAXIMUM_TASKS, Plan
from unlost.plan.importers.assembling import SAID_TO_BE_DONE
from unlost.plan.importers.json_source import NotJson, read_json
from unlost.plan.importers.proving import with_checks
from unlost.plan.importers.registry import IMPORTERS
from unlost.plan.parse import parse_plan, read_plan
from unlost.plan.writing import plan_toml

FOLDER = Path(__file__).parent / "foreign"
SAMPLES = {
    "superpowers": "superpowers.md",
    "spec-kit": "spec_kit.md",
    "openspec": "openspec.md",
    "task-master": "task_master.json",
    "ralph": "ralph.json",
    "beads": "beads.jsonl",
    "checklist": "checklist.md",
}
# The id, whether somebody says that it is done, and the line of every entry, in the order of the plan.
EXPECTED = {
    "superpowers": [("task-1", True, 17), ("task-2", False, 38)],
    "spec-kit": [("T001", True, 16), ("T002", True, 17), ("T003", False, 23), ("T004", False, 25)],
    "openspec": [("1.1", True, 3), ("1.2", False, 4), ("2.1", False, 10)],
    "task-master": [("1", True, 4), ("3", False, 26), ("2", False, 15)],
    "ralph": [("US-001", True, 15), ("US-002", False, 6)],
    "beads": [("app-1.1", True, 3), ("app-1.2", False, 2)],
    "checklist": [
        ("freeze-the-api", True, 5),
        ("write-the-notes", False, 6),
        ("write-the-notes-2", False, 10),
        ("tag-it", False, 16),
    ],
}


def sample(name: str) -> tuple[bytes, str]:
    """The bytes and the name of a fixture."""
    file = FOLDER / SAMPLES[name]
    return file.read_bytes(), file.name


def plan_in(name: str) -> Plan:
    """The plan that a fixture is read as."""
    data, file = sample(name)
    return parse_plan(data, name=file)


def problems(text: str, name: str) -> list[tuple[int | None, str]]:
    """What is wrong with a file."""
    return [(problem.line, problem.what) for problem in read_plan(text.encode(), name=name).problems]


def test_every_format_has_a_sample() -> None:
    """The registry and the samples name the same formats."""
    assert set(SAMPLES) == set(IMPORTERS) == set(EXPECTED)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_format_is_told_by_its_content(name: str) -> None:
    """Each sample is of its own format, whatever the file is called; nothing of it is a problem."""
    data, file = sample(name)
    ending = "x.md" if file.endswith(".md") else "x.json"

    for called in (file, ending):
        read = read_plan(data, name=called)
        assert (read.format, read.problems) == (name, ())


@pytest.mark.parametrize("name", SAMPLES)
def test_entries_become_tasks(name: str) -> None:
    """Ids, order, dependencies and lines are kept; a ticked entry is a task to be proven, never one that is done."""
    data, file = sample(name)
    read = read_plan(data, name=file)

    assert read.plan is not None
    told = [
        (task.id, task.text.startswith(SAID_TO_BE_DONE), read.lines[("task", index)])
        for index, task in enumerate(read.plan.tasks)
    ]
    assert told == EXPECTED[name]


@pytest.mark.parametrize("name", SAMPLES)
def test_the_written_plan_is_the_imported_one(name: str) -> None:
    """The TOML of an imported plan has its digest; reading the file twice gives the same plan."""
    plan = plan_in(name)

    assert plan_digest(plan_in(name)) == plan_digest(plan)
    assert parse_plan(plan_toml(plan).encode(), name="plan.toml") == plan
    checked = with_checks(plan, ["make test", 'printf "a\nb"'])
    assert parse_plan(plan_toml(checked, head="of a\ntest").encode(), name="plan.toml") == checked


@pytest.mark.parametrize("name", SAMPLES)
def test_sizes_are_bounded(name: str) -> None:
    """A file over 256 KiB is refused before anything of it is read."""
    data, file = sample(name)

    found = problems(data.decode() + " " * MAXIMUM_BYTES, file)

    assert len(found) == 1
    assert "at most" in found[0][1]


@pytest.mark.parametrize("name", SAMPLES)
def test_hidden_characters_are_named_with_their_line(name: str) -> None:
    """An entry that shows another text than it says is refused, by the line it stands in."""
    data, file = sample(name)
    lines = data.decode().split("\n")
    at = EXPECTED[name][-1][2] - 1
    broken = [*lines[:at], lines[at] + "\u202e", *lines[at + 1 :]]

    assert problems("\n".join(broken), file)[0][0] == at + 1


def test_escaped_characters_hide_nothing() -> None:
    """What JSON escapes is judged as what it stands for, by the line of its entry; half a character is no text."""
    story = '{"userStories": [\n{"title": "a"},\n{"title": "b%s"}]}'

    assert problems(story % "\\u202e", "prd.json")[0][0] == 3
    assert problems(story % "\\ud800", "prd.json") == [(3, "not valid JSON: half a character")]


def test_too_many_entries() -> None:
    """The 257th entry is one too many."""
    boxes = "\n".join(f"- [ ] entry {number}" for number in range(MAXIMUM_TASKS + 1))

    assert "256" in problems(boxes, "x.md")[0][1]
    assert read_plan("\n".join(boxes.split("\n")[:-1]).encode(), name="x.md").plan is not None


def test_superpowers_steps_are_folded() -> None:
    """A task holds its files, steps and code; a heading inside a fence begins no task; the sentence for agents goes."""
    plan = plan_in("superpowers")

    assert plan.title == "Rate Limiter"
    assert "token bucket" in plan.goal
    assert "SUB-SKILL" not in plan.goal
    assert "## Task 9: not a task" in plan.tasks[0].text
    assert "Step 2: Commit" in plan.tasks[1].text
    assert "Self-review" not in plan.tasks[1].text


def test_spec_kit_marks_go_and_details_stay() -> None:
    """`[P]` and `[US1]` are no words of the task; wrapped lines, nested boxes and the phase are told."""
    third, fourth = plan_in("spec-kit").tasks[2:]

    assert third.text.startswith("Contract test for albums in tests/contract/test_albums.py;")
    assert "cover the empty album" in third.text
    assert "Phase 2" in third.text
    assert "- [ ] an album has a title" in fourth.text
    assert "Checkpoint" not in fourth.text


def test_task_master_folds_subtasks() -> None:
    """Sub-tasks stand in their task with their marks, the test strategy is its acceptance, cancelled ones are told."""
    data, file = sample("task-master")
    read = read_plan(data, name=file)
    assert read.plan is not None
    parser = read.plan.task("3")

    assert "- [x] Tokens" in parser.text
    assert "- [ ] Tree" in parser.text
    assert parser.acceptance == ("Round trips of every sample.",)
    assert read.left_out == {"cancelled": 1}
    assert read.plan.goal == "A parser for the new format"


def test_beads_epics_are_the_goal() -> None:
    """An epic with children is no work of its own; what blocks from outside of the export says nothing."""
    plan = plan_in("beads")

    assert (plan.title, plan.goal) == ("Login", "Login\nPeople log in.")
    assert plan.task("app-1.2").acceptance == ("Empty fields are told",)
    assert "Design:\nOne page." in plan.task("app-1.2").text


def test_beads_as_a_list() -> None:
    """What `bd list --json` prints is read as its export is."""
    rows = [json.loads(line) for line in (FOLDER / "beads.jsonl").read_text().splitlines()]

    read = read_plan(json.dumps(rows, indent=1).encode(), name="-")

    assert read.format == "beads"
    assert read.plan is not None
    assert [task.id for task in read.plan.tasks] == ["app-1.1", "app-1.2"]


def test_ralph_as_a_list_of_features() -> None:
    """A list of features with `passes` and `steps`, as longer-running harnesses keep it, is read, too."""
    features = [
        {"category": "functional", "description": "Log in", "steps": ["Open it", "Type"], "passes": True},
        {"category": "style", "description": "Make it blue", "steps": [], "passes": False},
    ]

    plan = parse_plan(json.dumps(features).encode(), name="feature_list.json")

    assert [(task.id, task.acceptance) for task in plan.tasks] == [
        ("log-in", ("Open it", "Type")),
        ("make-it-blue", ()),
    ]
    assert plan.tasks[0].text.startswith(SAID_TO_BE_DONE)


def test_problems_of_json_have_their_lines() -> None:
    """Broken JSON, wrong types, unknown and circular dependencies, an id twice: each with the line it stands in."""
    task = {"title": "t", "status": "pending", "description": ""}
    tasks = [{"id": 1, "dependencies": [2], **task}, {"id": 2, "dependencies": [1, 9], **task}, {"id": 1, **task}]

    assert problems('{\n "userStories": [\n  {"id" "x"}\n]}', "prd.json") == [(3, "not valid JSON: `:` is missing")]
    assert problems('{"userStories": [\n{"id": "a", "title": 7, "description": "d"}]}', "prd.json") == [
        (2, "`title` is not text")
    ]
    ring = problems(json.dumps({"tasks": tasks[:2]}).replace('{"id"', '\n{"id"'), "tasks.json")
    found = problems(json.dumps({"tasks": tasks}).replace('{"id"', '\n{"id"'), "tasks.json")
    assert (2, "these depend on each other in a ring: 1, 2") in ring
    assert (3, "2 depends on 9, which is not there") in found
    assert (4, "the id 1 stands in line 2 already") in found
    assert problems('{"id":"a"}\n{"id":\n', "x.jsonl")[0][0] in (1, 2)


def test_a_bare_markdown_file_is_no_plan() -> None:
    """Prose with headings, with nothing to tick and no head, is refused with a word on what a plan is."""
    found = problems("# Readme\n\n## Install\n\npip install x\n", "README.md")

    assert [line for line, _ in found] == [1]
    assert "no plan" in found[0][1]
    assert "- [ ]" in found[0][1]
    with pytest.raises(FileInvalid):
        parse_plan(b"# Readme\n", name="README.md")


def test_unknown_json_is_refused() -> None:
    """JSON of no known format names those that are."""
    assert "task-master" in problems('{"name": "x", "version": "1.0.0"}', "package.json")[0][1]


def test_a_markdown_plan_of_unlost_stays_one() -> None:
    """A Markdown file with a TOML head is unlost's own plan, boxes in its acceptance or not."""
    text = '# T\n\n```toml\n[agent]\nuse = "codex"\n```\n\n## Do it\n\n### Acceptance\n\n- [ ] done\n'

    read = read_plan(text.encode(), name="plan.md")

    assert read.format == "unlost"
    assert read.plan is not None
    assert read.plan.tasks[0].acceptance == ("done",)


def test_checks_are_bounded() -> None:
    """N.R7: a check is for the end and for each ticked entry; more than a plan may have is refused."""
    plan = plan_in("spec-kit")
    checked = with_checks(plan, ["make test"])

    assert [len(task.checks) for task in checked.tasks] == [1, 1, 0, 0]
    assert [check.run for check in checked.checks] == [("sh", "-c", "make test")]
    with pytest.raises(FileInvalid, match="18 checks"):
        with_checks(plan, ["make test"] * 6)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1,]", '{"a":1,}', "01", "1e", '"\\x"', "[" * 40, "nul", '{"a" 1}', '"\n"', "1 2", "-", "1" * 5000],
)
def test_what_is_no_json(text: str) -> None:
    """The reader with lines refuses what Python's own refuses, and what is nested too deeply."""
    with pytest.raises(NotJson):
        read_json(text)


def test_the_reader_agrees_with_pythons_own() -> None:
    """Every value is what Python's own reader makes of it."""
    text = ' {"a": [1, -2.5e3, true, false, null, "\\u00e9\\n\\ud83d\\ude00"], "b": {"c": []}, "a b": {}} '

    assert read_json(text).value == json.loads(text)
