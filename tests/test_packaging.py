"""What the wheel holds, what it asks for, and what an installation costs."""

from __future__ import annotations

import ast
import importlib.metadata
import os
import re
from pathlib import Path

import pytest

import memory_injection

DISTRIBUTION = importlib.metadata.distribution("memory-injection") if any(
    d.metadata["Name"] == "memory-injection" for d in importlib.metadata.distributions()
) else None  # fmt: skip
PACKAGE = Path(memory_injection.__file__).parent
ROOT = Path(__file__).parents[1]

needs_install = pytest.mark.skipif(DISTRIBUTION is None, reason="memory-injection isn't installed")


def _requirements() -> list[str]:
    assert DISTRIBUTION is not None
    return DISTRIBUTION.requires or []


def _name(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found is not None
    return re.sub(r"[-_.]+", "-", found.group()).lower()


def _closure(names: list[str]) -> set[str]:
    seen: set[str] = set()
    while names:
        name = names.pop()
        if name in seen:
            continue
        try:
            requires = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue  # a requirement of another platform or Python
        seen.add(name)
        names += [_name(r) for r in requires if "extra ==" not in r]
    return seen


def _bytes(name: str) -> int:
    files = importlib.metadata.files(name) or []
    paths = (Path(str(file.locate())) for file in files if not str(file).endswith(".pyc"))
    return sum(path.stat().st_size for path in paths if path.exists())


@needs_install
def test_the_default_install_stays_small() -> None:
    """The library and everything it requires take less than 60 MB on disk."""
    required = [_name(r) for r in _requirements() if "extra ==" not in r]
    sizes = {name: _bytes(name) for name in _closure(required)}
    package = sum(path.stat().st_size for path in PACKAGE.rglob("*") if path.is_file())
    total = (sum(sizes.values()) + package) / 1e6
    assert 5 < total < 60, sizes


@pytest.mark.skipif(
    not os.environ.get("MEMORY_INJECTION_FROM_WHEEL"), reason="this run is not one of a wheel"
)
def test_the_wheel_under_test_is_the_one_imported() -> None:
    """In a wheel run the package comes from site-packages, not from the source tree."""
    assert ROOT not in PACKAGE.parents


@needs_install
def test_the_distribution_carries_types_licence_version_and_command() -> None:
    """``py.typed``, the licence, the version of the code and the console script are installed."""
    assert DISTRIBUTION is not None
    assert (PACKAGE / "py.typed").is_file()
    assert DISTRIBUTION.version == memory_injection.__version__
    assert DISTRIBUTION.metadata["License-Expression"] == "Apache-2.0"
    assert DISTRIBUTION.metadata.get_all("License-File") == ["LICENSE"]
    scripts = [e for e in DISTRIBUTION.entry_points if e.group == "console_scripts"]
    assert [script.name for script in scripts] == ["memory-injection"]
    assert callable(scripts[0].load())


@needs_install
def test_every_entry_point_loads() -> None:
    """Whatever the distribution registers can be loaded without extras."""
    assert DISTRIBUTION is not None
    for entry in DISTRIBUTION.entry_points:
        if entry.group.startswith("memory_injection."):
            assert entry.load() is not None, entry


def _extras() -> dict[str, list[str]]:
    tables: dict[str, list[str]] = {}
    for requirement in _requirements():
        found = re.search(r"extra == [\"']([^\"']+)[\"']", requirement)
        if found:
            tables.setdefault(found.group(1), []).append(requirement)
    return tables


@needs_install
def test_all_brings_every_runtime_extra() -> None:
    """``all`` brings what every extra brings, but those for work on the library itself."""
    extras = {extra: set(map(_name, packages)) for extra, packages in _extras().items()}
    brought = extras.pop("all")
    assert brought == set().union(
        *(packages for extra, packages in extras.items() if extra not in ("test", "dev"))
    )


def _missing_dependency_calls() -> list[tuple[str, str]]:
    """(place, extra) of every ``MissingDependencyError(package, extra, purpose)`` in the code."""
    found = []
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or len(node.args) != 3:
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            extra = node.args[1]
            if name == "MissingDependencyError" and isinstance(extra, ast.Constant):
                found.append((f"{path.relative_to(PACKAGE)}:{node.lineno}", str(extra.value)))
    return found


@needs_install
def test_an_error_about_a_missing_package_names_an_extra_that_exists() -> None:
    """Every ``pip install 'memory-injection[...]'`` line in an error can be run."""
    unknown = [place for place in _missing_dependency_calls() if place[1] not in _extras()]
    assert unknown == []
