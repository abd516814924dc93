"""What importing the library costs and touches, and who imports whom inside it."""

from __future__ import annotations

import ast
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import memory_injection
from memory_injection import MissingDependencyError, stores

PACKAGE = Path(memory_injection.__file__).parent
HEAVY = [
    "torch", "numpy", "tiktoken", "lxml", "openai", "anthropic", "httpx", "httpx2", "requests",
    "sentence_transformers", "transformers", "rich", "click", "opentelemetry", "Stemmer", "sqlite3",
]  # fmt: skip

PROBE = """
import json, sys, threading
seen = []
def watch(event, args):
    if event == "open" and isinstance(args[2], int) and args[2] & 3:
        seen.append([event, str(args[0])])
    elif event.split(".")[0] in ("socket", "subprocess", "sqlite3") or "start_new_thread" in event:
        seen.append([event, ""])
sys.addaudithook(watch)
import memory_injection
print(json.dumps({"modules": sorted(sys.modules), "seen": seen,
                  "threads": threading.active_count()}))
"""


@pytest.fixture(scope="module")
def probe() -> dict[str, list[str]]:
    out = subprocess.run(
        [sys.executable, "-B", "-c", PROBE], capture_output=True, text=True, check=True
    )
    return json.loads(out.stdout)


@pytest.mark.parametrize("name", HEAVY)
def test_import_leaves_heavy_modules_alone(probe: dict[str, list[str]], name: str) -> None:
    """``import memory_injection`` loads none of the heavy or optional packages."""
    assert name not in probe["modules"]


def test_import_touches_nothing(probe: dict[str, list[str]]) -> None:
    """No thread, process, socket, database or written file comes from the import."""
    assert probe["seen"] == []
    assert probe["threads"] == 1


def test_the_front_door_lists_what_it_offers() -> None:
    """``__all__`` is sorted and every name in it can be fetched."""
    assert list(memory_injection.__all__) == sorted(memory_injection.__all__)
    for name in memory_injection.__all__:
        assert getattr(memory_injection, name) is not None


MODULES = sorted(
    info.name for info in pkgutil.walk_packages([str(PACKAGE)], prefix="memory_injection.")
)


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("__main__")])
def test_every_module_imports_without_extras(name: str) -> None:
    """Each module can be imported; only what computes with vectors asks for numpy to be there."""
    try:
        __import__(name)
    except ImportError as error:
        missing = getattr(error, "package", error.name)
        if missing != "numpy" or not name.startswith("memory_injection.stores."):
            raise
        pytest.skip(f"{name} computes with numpy, which is not installed")


@pytest.mark.parametrize("name", stores.__all__)
def test_every_store_loads_or_says_what_to_install(name: str) -> None:
    """A built-in store is there, or the error names the ``pip install`` line that brings it."""
    try:
        made = getattr(stores, name)
    except MissingDependencyError as error:
        made = str(error)
    assert callable(made) or "pip install 'memory-injection[" in made


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            package = path.relative_to(PACKAGE.parent).with_suffix("").parts[:-1]
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *(node.module or "").split("."))).strip(".")
            inside = {f"{module}.{alias.name}" for alias in node.names} & set(MODULES)
            found |= inside if len(inside) == len(node.names) else {module}
    return found


def test_nothing_inside_imports_the_front_door() -> None:
    """Modules import each other by name, never through the package's own ``__init__``."""
    guilty = [
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if path.parent != PACKAGE or path.name != "__init__.py"
        if "memory_injection" in _imports(path)
    ]
    assert guilty == []


def test_modules_and_functions_keep_their_size() -> None:
    """A module has at most 400 lines and a function at most 60."""
    long = []
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if text.count("\n") > 400:
            long.append(f"{path.relative_to(PACKAGE)}: {text.count(chr(10))} lines")
        long += [
            f"{path.relative_to(PACKAGE)}:{node.lineno} {node.name}"
            for node in ast.walk(ast.parse(text))
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            and (node.end_lineno or 0) - node.body[0].lineno >= 60
        ]
    assert long == []
