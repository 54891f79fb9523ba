"""The plan of the house: which floor each room is on, and the words that open the real import graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "unlost"
TESTS = Path(__file__).resolve().parent

FLOORS: dict[str, float] = {
    "facts": 0,
    "host": 1,
    "settings": 1.5,  # named beside host/ in the design; it asks host for the environment
    "plan": 2,
    "agents": 2,
    "git": 2,
    "ledger": 2,
    "snapshot": 3,
    "hunks": 3,
    "traces": 3,
    "prompt": 3,
    "guard": 4,
    "handoff": 4,
    "research": 4,
    "attempt": 4,
    "checks": 4,
    "workspace": 4,
    "publish": 4,
    "unit": 5,
    "plain": 5,
    "engine": 6,
    "mcp_server": 6,
    "app": 7,
    "web": 8,
    "drill": 8,
    "demo": 8,
    "cli": 9,
    "__init__": 9.5,  # the public face: a literal table of names, opened lazily
    "__main__": 10,
}

STANDARD_LIBRARY_ONLY = {
    *("facts", "host", "settings", "git", "ledger", "snapshot", "hunks", "traces", "prompt", "guard", "handoff"),
}
THIRD_PARTY_DOORS: dict[str, set[str]] = {
    "temporalio": {"unlost.engine.temporal"},
    "psycopg": {"unlost.ledger.postgres"},
    "psutil": {"unlost.host.process_tree"},
    "sqlite3": {"unlost.ledger"},
    "click": {"unlost.cli", "unlost.__main__"},
    "rich": {"unlost.cli", "unlost.demo"},
    "pydantic": {"unlost.plan.parse", "unlost.research.brief", "unlost.web", "unlost.mcp_server"},
    "tomlkit": {"unlost.plan", "unlost.cli"},
}
LAZY_TABLES = {
    "unlost.__init__",
    "unlost.__main__",
    "unlost.app.hook_act",
    "unlost.app.open_workspace",
    "unlost.app.opening",
    "unlost.cli.app",
    "unlost.cli.commands.workspace",
    "unlost.cli.quick",
    "unlost.cli.tending",
    "unlost.agents.registry",
    "unlost.git.objects",
    "unlost.guard.verdict",
    "unlost.ledger.registry",
    "unlost.plain.check",
    "unlost.plain.late_evidence",
    "unlost.plain.looking",
    "unlost.plan.importers.registry",
    "unlost.settings",
    "unlost.workspace.stores.registry",
    "unlost.workspace.transports.registry",
}
"""The modules whose literal tables name modules as strings: the only lazy doors."""

FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "base", "misc"}
MACHINE_ONLY: dict[str, set[str]] = {
    "time": {"time", "time_ns", "monotonic", "monotonic_ns", "sleep", "localtime"},
    "os": {"environ", "environb", "getenv", "urandom", "getrandom"},
    "datetime": {"now", "utcnow", "today"},
    "uuid": {"*"},
    "random": {"*"},
    "secrets": {"*"},
}
PROCESS_MAKERS: dict[str, set[str]] = {
    "subprocess": {"*"},
    "multiprocessing": {"*"},
    "pty": {"*"},
    "os": {
        *("fork", "forkpty", "system", "popen", "posix_spawn", "posix_spawnp", "execv", "execve", "execvp", "execvpe"),
        *("spawnv", "spawnve", "spawnvp", "spawnvpe", "startfile"),
    },
}


@dataclass(frozen=True)
class Module:
    """One source file: its dotted name, its tree, its lines."""

    name: str
    path: Path
    tree: ast.Module
    lines: int

    @property
    def room(self) -> str:
        """The room it stands in: the part after `unlost.`."""
        return self.name.split(".")[1]


def modules() -> list[Module]:
    """Every module of the product."""
    return [_module(path) for path in sorted(SOURCE.rglob("*.py"))]


def _module(path: Path) -> Module:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 2 else parts)
    text = path.read_text(encoding="utf-8")
    return Module(name=name, path=path, tree=ast.parse(text), lines=text.count("\n"))


def imports_of(module: Module) -> Iterator[tuple[str, int]]:
    """Every module that this one names in an import, with the line; lazy tables count as imports too."""
    package = module.name if module.path.name == "__init__.py" else module.name.rpartition(".")[0]
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            start = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            target = ".".join([*start, node.module] if node.module else start)
            yield target, node.lineno
            for alias in node.names:
                yield f"{target}.{alias.name}", node.lineno
        elif module.name in LAZY_TABLES and isinstance(node, ast.Constant) and _names_a_module(node.value):
            yield str(node.value), node.lineno


def _names_a_module(value: object) -> bool:
    return isinstance(value, str) and value.startswith("unlost.") and value.replace(".", "").isidentifier()


def room_of(name: str) -> str | None:
    """The room of a dotted name inside unlost, else None."""
    parts = name.split(".")
    return parts[1] if parts[0] == "unlost" and len(parts) > 1 else None


def functions_of(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def uses_of(tree: ast.Module, table: dict[str, set[str]]) -> Iterator[tuple[str, int]]:
    """Each use of a name of the standard library that `table` reserves, as (name, line)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if table.get(alias.name) == {"*"}:
                    yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom) and node.module in table:
            for alias in node.names:
                if table[node.module] == {"*"} or alias.name in table[node.module]:
                    yield f"{node.module}.{alias.name}", node.lineno
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.attr in table.get(node.value.id, set())
        ):
            yield f"{node.value.id}.{node.attr}", node.lineno
