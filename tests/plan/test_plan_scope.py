from __future__ import annotations

from unlost.plan.facts import Plan, Scope, Task
from unlost.plan.scope import claims_untracked, in_scope, is_explicit, is_scratch, may_revert, may_rewrite, outside

BORDERED = Scope(paths=("src/**", "Makefile"), scratch=("*.bak", "tmp/"))


def test_paths_outside_the_scope_are_named_in_their_order() -> None:
    """N.27: a boundary compares changed paths with `[scope] paths` and names those outside, in capture order."""
    changed = (b"setup.py", b"src/a.py", b"Makefile", b"Makefile.old", b'docs/"\n.md', b"lib/\xff")

    assert outside(BORDERED, changed) == (b"setup.py", b"Makefile.old", b'docs/"\n.md', b"lib/\xff")


def test_nothing_is_outside_the_whole_tree() -> None:
    """The default scope is the whole tree, and a list that holds `**` draws no border either."""
    assert outside(Scope(), (b"anything", b"a/b")) == ()
    assert not is_explicit(Scope(paths=("src/**", "**")))
    assert is_explicit(BORDERED)


def test_entry_without_wildcard_is_one_file_or_a_folder() -> None:
    """N.R7: a scope entry without a wildcard is one file; where it names a folder, all below it."""
    scope = Scope(paths=("src/cli.py", "docs"))

    assert in_scope(scope, b"src/cli.py")
    assert not in_scope(scope, b"src/cli.pyi")
    assert in_scope(scope, b"docs/guides/a.md")
    assert not in_scope(scope, b"docs2/a.md")


def test_scratch_is_never_outside() -> None:
    """What the plan calls scratch may be left anywhere, as ignore files read patterns."""
    assert is_scratch(BORDERED, b"deep/below/a.bak")
    assert outside(BORDERED, (b"deep/a.bak", b"x/tmp/b")) == ()


def test_task_rewrites_what_its_paths_name_and_reverts_what_its_reverts_name() -> None:
    """design.md, section 5: `paths` excuses a rewrite or deletion, `reverts` alone a return to older content."""
    task = Task(id="a", text="x", paths=("src/*.py",), reverts=("old.py",))

    assert (may_rewrite(task, b"src/a.py"), may_revert(task, b"src/a.py")) == (True, False)
    assert (may_rewrite(task, b"old.py"), may_revert(task, b"old.py")) == (False, True)
    assert not may_rewrite(Task(id="b", text="x"), b"src/a.py"), "no paths declared, nothing is excused"


def test_untracked_file_is_a_loss_only_where_somebody_asked_for_it() -> None:
    """Decision 1: in a unit, within the task's declared paths or an explicit scope that is not `**`."""
    task = Task(id="a", text="x", paths=("out/**",))
    open_plan = Plan(title="t", goal="g", tasks=(task,))
    bordered = Plan(title="t", goal="g", tasks=(task,), scope=BORDERED)

    assert claims_untracked(open_plan, task, b"out/report")
    assert not claims_untracked(open_plan, task, b"src/new.py")
    assert claims_untracked(bordered, task, b"src/new.py")
    assert not claims_untracked(bordered, task, b"notes.txt")
