"""``inject``: a request body in, the same body with memory out."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from .conftest import Run

BODY = {
    "model": "gpt-4o",
    "messages": [{"role": "user", "content": "When does my train leave? ğ"}],
    "temperature": 0.2,
    "unknown": {"kept": [1, 2.5, None]},
}


@pytest.fixture
def stored(run: Run) -> None:
    """One memory of u1."""
    assert run("add", "The user's train leaves at 08:40.", "--user", "u1").code == 0


@pytest.mark.usefixtures("stored")
def test_the_body_comes_back_with_memory(run: Run) -> None:
    """Only the latest user message changes; everything else is as it came."""
    outcome = run("inject", "--user", "u1", stdin=json.dumps(BODY).encode())
    assert outcome.code == 0
    assert outcome.err == ""
    body = outcome.json
    content = body["messages"][0]["content"]
    assert content.startswith("When does my train leave? ğ\n\n<memory>\n<entry")
    assert "08:40" in content
    body["messages"] = BODY["messages"]
    assert body == BODY


@pytest.mark.usefixtures("stored")
def test_somebody_elses_memory_stays_out(run: Run, home: Path) -> None:
    """Another user's body comes back exactly as it was."""
    Path("body.json").write_text(json.dumps(BODY), encoding="utf-8")
    assert run("inject", "body.json", "--user", "u2").json == BODY


@pytest.mark.usefixtures("stored")
def test_explain_shows_the_report_on_stderr(run: Run) -> None:
    """``--explain`` draws what happened, and stdout still holds the body alone."""
    outcome = run("inject", "--user", "u1", "--explain", stdin=json.dumps(BODY).encode())
    assert outcome.json["model"] == "gpt-4o"
    for word in ("injected", "When does my train leave?", "openai.chat", "user=u1", "08:40"):
        assert word in outcome.err


@pytest.mark.usefixtures("stored")
def test_json_gives_request_and_report(run: Run) -> None:
    """``--json`` prints the request and the report together."""
    found = run("inject", "--user", "u1", "--json", stdin=json.dumps(BODY).encode()).json
    assert found["report"]["status"] == "injected"
    assert "08:40" in found["request"]["messages"][0]["content"]


@pytest.mark.usefixtures("stored")
def test_settings_reach_the_configuration(run: Run) -> None:
    """``--set`` sets any field of InjectionConfig."""
    outcome = run(
        "inject", "--user", "u1", "--json", "--set", "token_budget=3", "--set", "keep=call",
        stdin=json.dumps(BODY).encode(),
    )  # fmt: skip
    assert outcome.json["report"]["reason"] == "budget"
    assert outcome.json["request"] == BODY


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("stdin", "words", "named"),
    [
        (b'{"messages": [}', [], "<stdin>: not JSON at line 1 column 15"),
        (b"[1]", [], "<stdin>: the body must be a JSON object, not list"),
        (b"", [], "<stdin>: not JSON at line 1 column 1"),
        (b"\xff{}", [], "<stdin>: not UTF-8 at byte 0"),
        pytest.param(
            b"[" * 100_000,
            [],
            "<stdin>: nested too deeply",
            marks=pytest.mark.skipif(
                sys.gettrace() is not None, reason="a tracer has no room at the recursion limit"
            ),
        ),
        (b"{}", ["--set", "max_entries"], "'max_entries' must be FIELD=VALUE"),
        (b"{}", ["--set", "max_entries=0"], "InjectionConfig.max_entries = 0"),
        (b"{}", ["--set", "nope=1"], "InjectionConfig has no field 'nope'"),
    ],
    ids=["broken", "list", "empty", "binary", "deep", "no value", "out of range", "unknown field"],
)
def test_bad_input_is_one_line(run: Run, stdin: bytes, words: list[str], named: str) -> None:
    """A body that cannot be read, or a wrong setting: code 2 and one line that says where."""
    outcome = run("inject", *words, "--user", "u1", stdin=stdin)
    assert outcome.code == 2
    assert named in outcome.line


@pytest.mark.usefixtures("stored")
def test_a_body_of_no_known_shape_goes_through(run: Run) -> None:
    """A body that is no request is left alone, with the reason in the report."""
    outcome = run("inject", "--json", stdin=b'{"some": "thing"}')
    assert outcome.json["request"] == {"some": "thing"}
    assert outcome.json["report"]["status"] in ("skipped", "failed")


def test_a_broken_store_lets_the_body_through(run: Run) -> None:
    """A file that is no database: the body comes out as it was, and one line says why."""
    Path("broken.db").write_bytes(b"this is not a database, " * 100)
    outcome = run("inject", "--store", "broken.db", stdin=json.dumps(BODY).encode())
    assert outcome.code == 0
    assert outcome.json == BODY
    assert "the body went through without memory" in outcome.line
