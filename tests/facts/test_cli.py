"""``memory-injection facts``: tables for a person, JSON for a program, one line for trouble."""

from __future__ import annotations

import json

import pytest

from memory_injection.cli import main


@pytest.fixture
def call(path, capfd):
    """Run a facts command; return the exit code, stdout and stderr."""

    def call(*words, store=path):
        code = main(["facts", words[0], "--store", str(store), *words[1:]])
        out, err = capfd.readouterr()
        return code, out, err

    return call


@pytest.fixture
def as_json(call):
    """Run a facts command with ``--json``; return what it printed."""

    def as_json(*words):
        code, out, err = call(*words, "--json")
        assert (code, err) == (0, "")
        return json.loads(out)

    return as_json


def test_remember_and_read_back(call, as_json):
    """The id that is printed leads to the fact, its page and its search result."""
    code, out, _ = call(
        "remember", "Prefers tea.", "--user", "u1", "--path", "users/{user}/", "--tag", "drink",
        "--tag", "x", "--confidence", "0.5",
    )  # fmt: skip
    ident = out.strip()
    fact = as_json("get", ident, "--user", "u1")
    assert code == 0
    assert (fact["path"], fact["tags"], fact["confidence"]) == ("users/u1/", ["drink", "x"], 0.5)
    assert fact["source"] == {"run_id": "cli", "written_by": "code"}
    assert [f["id"] for f in as_json("search", "TEA", "--user", "u1", "--tag", "x")] == [ident]
    assert as_json("search", "tea") == []
    page = as_json("list", "--user", "u1", "--path", "users/")
    assert ([f["id"] for f in page["facts"]], page["next_cursor"]) == ([ident], None)


def test_history_is_a_table(call):
    """Every version with who wrote it, oldest first."""
    ident = call("remember", "Prefers tea.")[1].strip()
    call("remember", "Prefers coffee.", "--replaces", ident, "--run", "r_2")
    code, out, _ = call("history", ident)
    lines = [line for line in out.splitlines() if "Prefers" in line]
    assert code == 0
    assert "version" in out
    assert ["tea" in lines[0], "cli" in lines[0]] == [True, True]
    assert ["coffee" in lines[1], "r_2" in lines[1]] == [True, True]


def test_history_as_json(call, as_json):
    """The same for a program."""
    ident = call("remember", "Prefers tea.")[1].strip()
    call("remember", "Prefers coffee.", "--replaces", ident, "--expected-version", "1")
    assert [f["version"] for f in as_json("history", ident)] == [1, 2]


def test_tables_of_facts(call):
    """Searching shows scores, listing says how to go on, and nothing found is said."""
    for text in ("Prefers tea.", "Prefers coffee."):
        call("remember", text)
    code, out, err = call("search", "tea")
    assert (code, "score" in out, "Prefers tea." in out, err) == (0, True, True, "")
    code, out, err = call("list", "-n", "1")
    assert "Prefers coffee." in out
    assert err.startswith("more: --cursor ")
    _, out, _ = call("list", "--cursor", err.split()[-1])
    assert "Prefers tea." in out
    assert call("search", "cacao")[1:] == ("", "nothing found\n")
    assert call("list", "--user", "u9", "--path", "users/{user}/")[2] == "nothing remembered yet\n"


def test_control_characters_do_not_reach_the_terminal(call):
    """Stored text cannot steer the reader's screen."""
    ident = call("remember", "tea \x1b[31mred")[1].strip()
    for words in (("get", ident), ("history", ident), ("search", "tea"), ("list",)):
        assert "\x1b" not in call(*words)[1]


def test_forget_and_erase(call, as_json):
    """One fact, or everything of a user; the count is printed."""
    ident = call("remember", "Prefers tea.")[1].strip()
    assert call("forget", ident)[:2] == (0, f"{ident} forgotten\n")
    other = call("remember", "Prefers tea.")[1].strip()
    assert as_json("forget", other) == {"forgotten": other}
    for text in ("one", "two"):
        call("remember", text, "--user", "u1", "--path", "users/{user}/")
    assert as_json("erase-user", "--user", "u1", "--yes") == {"erased": 2}
    assert call("erase-user", "--user", "u1", "-y")[1] == "0 erased\n"


def test_text_from_stdin(call, monkeypatch):
    """``-`` reads it."""
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("Çay sever.\n".encode())))
    assert call("remember", "-")[0] == 0
    assert "Çay sever." in call("search", "CAY")[1]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["remember", " "], "blank"),
        (["remember", "t", "--path", "../x"], "path '../x'"),
        (["remember", "t", "--confidence", "7"], "confidence 7.0"),
        (["remember", "t", "--confidence", "much"], "confidence"),
        (["remember", "t", "--key", "a b"], "key 'a b'"),
        (["remember", "t", "--expected-version", "1"], "expected_version"),
        (["remember"], "TEXT"),
        (["search", "t", "-k", "51"], "k = 51"),
        (["list", "-n", "0"], "limit = 0"),
        (["list", "--cursor", "x"], "cursor 'x'"),
        (["list", "--user", ""], "user"),
        (["get"], "ID"),
        (["erase-user"], "--user"),
        (["nonsense"], "nonsense"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(call, words, says):
    """The line names the value or the rule; nothing is printed to stdout."""
    call("remember", "tea")
    code, out, err = call(*words)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert says in err


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["get", "m_unknown"], 1, "not_found"),
        (["remember", "t", "--path", "users/u2/", "--user", "u1"], 1, "other_user"),
        (["remember", "t", "--path", "users/{user}/"], 1, "no_user"),
    ],
)
def test_a_refusal_is_one_line_and_exit_code_1(call, words, code, says):
    """The code of the refusal is in it."""
    call("remember", "tea")
    found, out, err = call(*words)
    assert (found, out, err.count("\n")) == (code, "", 1)
    assert says in err


def test_a_missing_file_is_named_and_not_made(call, tmp_path):
    """Reading commands never make an empty memory out of a mistyped path."""
    missing = tmp_path / "none.db"
    for words in (
        ["search", "t"],
        ["list"],
        ["history", "m_1"],
        ["erase-user", "--user", "u", "-y"],
    ):
        code, _, err = call(*words, store=missing)
        assert (code, "none.db" in err) == (2, True)
    assert call("search", "t", store=tmp_path)[0] == 2
    assert not missing.exists()


def test_remember_makes_the_file(call, tmp_path):
    """The first fact makes the file, in a folder that is there."""
    assert call("remember", "tea", store=tmp_path / "facts.db")[0] == 0


def test_help_names_the_commands(capfd):
    """The group lists what it has."""
    assert main(["facts", "--help"]) == 0
    out = capfd.readouterr().out
    for name in ("remember", "search", "list", "get", "history", "forget", "erase-user"):
        assert name in out
