"""Write the matrix of frameworks from runs: ``python docs/reference/framework_matrix.py``.

For each framework: a fresh virtual environment that holds the framework and this library alone,
its example run in it, one row of ``framework-matrix.md``. An example prints ``ok: CLAIM`` for each
claim it has checked; a row stands only if it printed all that are listed here and no other.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = Path(__file__).with_name("framework-matrix.md")

EVERY_CALL = "same block in every model call of a turn"
PREFIX = "second turn keeps the whole prefix"
CLEAN = "the framework's own history stays clean"
ASYNC = "sync and async send the same"
USERS = "users are kept apart"
FOUND = "its memories reach the model"
WRITTEN = "what is added lands in it"
RENAMED = "second turn keeps the prefix, but for the name the framework gives the speaker"
BOTH_WAYS = "its own stores plug in unmodified, ours into its manager"
FAILS = "the call goes out when it fails"

HEAD = f"""\
<!-- Written by docs/reference/framework_matrix.py; change the table there, then run that. -->

# Frameworks: what was tried

Each row is one run of an example in a fresh virtual environment that holds the framework and this
library alone. The examples talk to the real framework and to a local server, offline, with a tool
call in the first turn; those of memory services use the service's own client, against its code in
process or a local stand-in. What is listed under *checked* was asserted in that run.

- *{EVERY_CALL}*: before and after the tool ran, byte for byte.
- *{PREFIX}*: the messages of each request start with those of the one before it.
- *{CLEAN}*: what the framework keeps for the next turn holds no block.

| Framework | Through | Version | Python | Checked | Example |
| --- | --- | --- | --- | --- | --- |
"""


@dataclass(frozen=True, slots=True)
class Framework:
    """One row.

    Attributes:
        package: the distribution whose version is shown.
        requires: what ``pip`` is asked for beside this library.
        through: the framework's own name for where memory comes in.
        example: file in ``examples/integrations``.
        claims: what the example must print.
    """

    title: str
    package: str
    requires: tuple[str, ...]
    through: str
    example: str
    claims: tuple[str, ...]


FRAMEWORKS = (
    Framework(
        "LangChain", "langchain", ("langchain[openai]",), "`AgentMiddleware`",
        "langchain_agent.py", (EVERY_CALL, PREFIX, CLEAN, ASYNC, USERS),
    ),
    Framework(
        "LangGraph", "langgraph", ("langgraph",), "`BaseStore`",
        "langgraph_store.py", (FOUND, EVERY_CALL, PREFIX, CLEAN, ASYNC, USERS, WRITTEN),
    ),
    Framework(
        "OpenAI Agents SDK", "openai-agents", ("openai-agents",), "`call_model_input_filter`",
        "openai_agents_filter.py", (EVERY_CALL, PREFIX, CLEAN, USERS),
    ),
    Framework(
        "Pydantic AI", "pydantic-ai-slim", ("pydantic-ai-slim[openai]",), "`AbstractCapability`",
        "pydantic_ai_capability.py", (EVERY_CALL, PREFIX, CLEAN, USERS),
    ),
    Framework(
        "LlamaIndex", "llama-index-core", ("llama-index-core", "llama-index-llms-openai"),
        "the model's chat methods", "llama_index_agent.py", (EVERY_CALL, PREFIX, CLEAN, USERS),
    ),
    Framework(
        "Strands Agents", "strands-agents", ("strands-agents",), "`InvokeModelStage`, stores",
        "strands_agent.py", (EVERY_CALL, PREFIX, CLEAN, ASYNC, USERS, BOTH_WAYS),
    ),
    Framework(
        "Google ADK", "google-adk", ("google-adk",), "`BasePlugin`",
        "google_adk_agent.py", (EVERY_CALL, PREFIX, CLEAN, USERS),
    ),
    Framework(
        "Microsoft Agent Framework", "agent-framework-core", ("agent-framework-openai",),
        "`ContextProvider`, `ChatMiddleware`",
        "agent_framework_agent.py", (EVERY_CALL, RENAMED, CLEAN, USERS),
    ),
    Framework(
        "LiteLLM", "litellm", ("litellm",), "`CustomLogger`",
        "litellm_callback.py", (EVERY_CALL, PREFIX, CLEAN, USERS),
    ),
    Framework(
        "mem0", "mem0ai", ("mem0ai",), "a store, mem0 in process",
        "mem0_store.py", (WRITTEN, FOUND, USERS, FAILS, ASYNC),
    ),
    Framework(
        "Chroma", "chromadb", ("chromadb",), "a store, Chroma in process",
        "chroma_store.py", (WRITTEN, FOUND, ASYNC, USERS, FAILS),
    ),
    Framework(
        "Zep", "zep-cloud", ("zep-cloud",), "a store, a local stand-in",
        "zep_store.py", (WRITTEN, FOUND, USERS, FAILS, ASYNC),
    ),
    Framework(
        "Letta", "letta-client", ("letta-client",), "a store, a local stand-in",
        "letta_store.py", (WRITTEN, FOUND, USERS, FAILS, ASYNC),
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Run:
    """What one run showed: versions, and the claims printed or the last line of the error."""

    version: str
    python: str
    claims: tuple[str, ...]
    error: str | None

    def row(self, one: Framework) -> str:
        """Return the table row of *one*."""
        checked = "; ".join(self.claims) if self.error is None else f"**failed**: {self.error}"
        link = f"[{one.example}](../../examples/integrations/{one.example})"
        return (
            f"| {one.title} | {one.through} | {one.package} {self.version} | {self.python} "
            f"| {checked} | {link} |"
        )


def build_wheel(folder: Path) -> Path:
    """Build the library's wheel into *folder* and return it."""
    command = [sys.executable, "-m", "pip", "wheel", "-qq", "--no-deps", "-w", str(folder)]
    subprocess.run([*command, str(ROOT)], check=True)
    return next(folder.glob("*.whl"))


def run(one: Framework, wheel: Path, folder: Path) -> Run:
    """Install *one* and the *wheel* into a new environment in *folder*; run the example there."""
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
    python = str(folder / "bin/python")
    install = [python, "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    subprocess.run([*install, str(wheel), *one.requires], check=True)
    asked = f"import importlib.metadata as m; print(m.version({one.package!r}))"
    example = str(ROOT / "examples/integrations" / one.example)
    # Run from the empty environment's folder, so that the wheel is imported and not the source.
    done = subprocess.run([python, example], capture_output=True, text=True, cwd=folder)
    return judged(one, done.stdout, done.stderr, done.returncode, _output([python, "-c", asked]))


def judged(one: Framework, stdout: str, stderr: str, status: int, version: str) -> Run:
    """Return what a run's output shows: every claim listed and no other, or an error."""
    claims = tuple(re.findall(r"(?m)^ok: (.+)$", stdout))
    error = None
    if status != 0:
        error = (stderr.strip().splitlines() or [f"exit status {status}"])[-1]
    elif set(claims) != set(one.claims):
        odd = sorted(set(claims) ^ set(one.claims))
        error = f"listed and printed claims differ: {', '.join(odd)}"
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return Run(version, python, claims, error)


def written_rows() -> dict[str, str]:
    """Return the page's present rows by framework."""
    if not PAGE.exists():
        return {}
    rows = PAGE.read_text(encoding="utf-8").partition("| --- |")[2].splitlines()[1:]
    return {row.split("|")[1].strip(): row for row in rows if row.startswith("|")}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the frameworks named (all by default) and write the page; 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    packages = [one.package for one in FRAMEWORKS]
    parser.add_argument("package", nargs="*", help=f"only these: {', '.join(packages)}")
    parser.add_argument("--venvs", type=Path, help="keep the environments in this folder")
    given = parser.parse_args(arguments)
    if unknown := sorted(set(given.package) - set(packages)):
        parser.error(f"unknown package {unknown[0]!r}; known are {', '.join(packages)}")
    rows, failed = written_rows(), 0
    with tempfile.TemporaryDirectory() as work:
        wheel = build_wheel(Path(work))
        for one in FRAMEWORKS:
            if given.package and one.package not in given.package:
                continue
            done = run(one, wheel, (given.venvs or Path(work)) / one.package)
            rows[one.title] = done.row(one)
            failed += done.error is not None
            print(rows[one.title], flush=True)
    ordered = [rows[one.title] for one in FRAMEWORKS if one.title in rows]
    PAGE.write_text(HEAD + "\n".join(ordered) + "\n", encoding="utf-8")
    return 1 if failed else 0


def _output(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
