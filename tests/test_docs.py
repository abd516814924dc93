"""The README and the docs: every code block runs, every link leads somewhere."""

from __future__ import annotations

import ast
import asyncio
import importlib.metadata
import importlib.util
import inspect
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

import memory_injection
from memory_injection.testing.server import RecordingServer

ROOT = Path(__file__).parents[1]
IMPORTABLE = str(Path(memory_injection.__file__).absolute().parents[1])
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
WORKING = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", ROOT / "examples/README.md"]

# What a page's code imports, by the extra that brings it.
NEEDS = re.compile(r"<!-- needs: ([\w., -]+) -->")
README_NEEDS = ["openai"]


def _fences(page: Path) -> list[Token]:
    tokens = MarkdownIt().parse(page.read_text(encoding="utf-8"))
    return [token for token in tokens if token.type == "fence"]


def _needs(page: Path) -> list[str]:
    found = NEEDS.search(page.read_text(encoding="utf-8"))
    named = found.group(1).replace(" ", "").split(",") if found else []
    return named + (README_NEEDS if page.name == "README.md" and page.parent == ROOT else [])


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RecordingServer]:
    """A local server where OpenAI clients look for one, and an empty folder to run a page in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMORY_INJECTION_DB", str(tmp_path / "cli.db"))
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    with RecordingServer(["Noted."]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        yield server


def test_the_readme_shows_what_the_model_receives(server: RecordingServer) -> None:
    """The README's code sends exactly the text that stands below it."""
    pytest.importorskip("openai")
    code, shown = (
        next(t.content for t in _fences(ROOT / "README.md") if t.info == info)
        for info in ("python", "text")
    )
    names: dict[str, Any] = {}
    _run(code, "README.md", 0, names)
    assert server.bodies[-1]["messages"][-1]["content"] == shown.rstrip("\n")
    _close(names)


def _run(code: str, place: str, line: int, names: dict[str, Any]) -> None:
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    compiled = compile("\n" * line + code, place, "exec", flags)
    outcome = eval(compiled, names)
    if inspect.iscoroutine(outcome):
        asyncio.run(outcome)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
@pytest.mark.usefixtures("server")
def test_python_blocks_run(page: Path) -> None:
    """A page's Python blocks run from top to bottom as one program."""
    blocks = [token for token in _fences(page) if token.info.split()[:1] == ["python"]]
    if not blocks:
        return
    for package in _needs(page):
        pytest.importorskip(package)
    names: dict[str, Any] = {"__name__": "page"}
    for token in blocks:
        assert token.map is not None
        _run(token.content, str(page), token.map[0] + 1, names)
    _close(names)


def _close(names: dict[str, Any]) -> None:
    """Close what a page left open, as the end of its program would."""
    for value in names.values():
        closer = getattr(value, "close", None)
        if not callable(closer) or isinstance(value, type):
            continue
        parameters = inspect.signature(closer).parameters.values()
        if all(p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
               for p in parameters):  # fmt: skip
            outcome = closer()
            if inspect.iscoroutine(outcome):
                asyncio.run(outcome)


def _commands(page: Path) -> list[str]:
    blocks = [token for token in _fences(page) if token.info.split()[:1] == ["sh"]]
    lines = [line.strip() for token in blocks for line in token.content.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def _is_ours(command: str) -> bool:
    return command.startswith(("memory-injection ", "echo "))


@pytest.mark.parametrize(
    "page", [p for p in PAGES if any(map(_is_ours, _commands(p)))], ids=lambda p: p.name
)
@pytest.mark.usefixtures("server")
def test_shell_blocks_run(page: Path) -> None:
    """A page's ``memory-injection`` lines run in order and succeed."""
    program = f"{shlex.quote(sys.executable)} -m memory_injection"
    environment = {
        **os.environ,
        "PYTHONPATH": IMPORTABLE,
    }
    for command in filter(_is_ours, _commands(page)):
        done = subprocess.run(
            re.sub(r"^memory-injection\b", lambda _: program, command),
            shell=True, capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stderr}"


@pytest.mark.parametrize("page", WORKING, ids=[str(p.relative_to(ROOT)) for p in WORKING])
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link names a file that is there, and a heading that is in it."""
    targets = re.findall(r"]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
    for target in (t for t in targets if "://" not in t):
        path, _, heading = target.partition("#")
        file = (page.parent / path) if path else page
        assert file.exists(), target
        if heading:
            titles = re.findall(r"(?m)^#+ (.+)$", file.read_text(encoding="utf-8"))
            assert heading in {re.sub(r"[^\w -]", "", t).lower().replace(" ", "-") for t in titles}


def test_every_page_can_be_found() -> None:
    """``docs/README.md`` leads to every other page."""
    index = ROOT / "docs/README.md"
    linked = re.findall(r"]\(([^)#\s]+\.md)\)", index.read_text(encoding="utf-8"))
    pages = {page.resolve() for page in PAGES if page not in (index, ROOT / "README.md")}
    assert pages == {(index.parent / link).resolve() for link in linked}


def test_named_extras_exist() -> None:
    """Every ``pip install 'memory-injection[...]'`` line on a page names extras that exist."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    table = text.partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    extras = set(re.findall(r"(?m)^([\w-]+) = \[", table))
    named = {
        extra
        for page in WORKING
        for group in re.findall(r"(?:memory-injection|\.)\[([\w,-]+)\]'", page.read_text("utf-8"))
        for extra in group.split(",")
    }
    assert "openai" in named
    assert named <= extras


def test_the_readme_has_exactly_two_commands() -> None:
    """The README holds two shell lines, one to see it work and one to test it, and no more."""
    first, second = _commands(ROOT / "README.md")
    assert first.startswith("python3 -m venv ")
    assert first.endswith("memory-injection demo")
    assert second.endswith("python -m pytest")


def _generator() -> Any:
    path = ROOT / "docs/reference/generate.py"
    spec = importlib.util.spec_from_file_location("generate_reference", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATED = [
    "cli", "configuration", "report", "errors", "capture", "manager", "stores", "records",
    "ledgers", "telemetry", "windows",
]  # fmt: skip


@pytest.mark.parametrize("name", GENERATED)
def test_the_reference_is_in_step(name: str) -> None:
    """The generated pages say what the code says (``python docs/reference/generate.py``)."""
    if name == "stores":
        pytest.importorskip("numpy", reason="VectorStore is on this page and needs numpy")
    if name == "cli" and importlib.metadata.version("click") < "8.2":
        pytest.skip("click words its help in another way before 8.2")
    written = (ROOT / f"docs/reference/{name}.md").read_text(encoding="utf-8")
    assert written == _generator().PAGES[name]()


@pytest.mark.parametrize("name", GENERATED)
def test_no_field_is_left_without_a_meaning(name: str) -> None:
    """A class whose fields are listed says what each of them is."""
    written = (ROOT / f"docs/reference/{name}.md").read_text(encoding="utf-8")
    assert [line for line in written.splitlines() if re.search(r"\|\s*\|$", line)] == []
