from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_injection.errors import InputError
from memory_injection.files.names import check_id, is_safe_id, new_id

REFUSED = [
    "../SECRET",
    "..",
    ".",
    "/etc/passwd",
    "a/b",
    "a\\b",
    "C:\\x",
    "C:x",
    "nul\x00byte",
    "line\nbreak",
    "",
    "   ",
    ".hidden",
    "ends.",
    "ends ",
    "CON",
    "nul",
    "com1.txt",
    "LPT9",
    "a" * 201,
    "\ud800",
    "what?",
    7,
    None,
    ["x"],
]


@pytest.mark.parametrize("value", REFUSED, ids=repr)
def test_an_id_that_is_no_safe_file_name_is_refused_by_name(value: object) -> None:
    """Paths, NUL, reserved names and their like never become file names."""
    with pytest.raises(InputError, match="record id"):
        check_id(value)
    assert not is_safe_id(value)


@pytest.mark.parametrize("value", ["note", "my notes", "Überblick", "2026-01-01.plan", "記憶"])
def test_names_people_give_their_files_are_ids(value: str) -> None:
    """Spaces, dots inside and other scripts are fine."""
    assert check_id(value) == value


@given(st.text())
def test_a_new_id_is_safe_whatever_it_is_made_from(text: str) -> None:
    """Any title or content gives a safe file name."""
    made = new_id(text)
    assert check_id(made) == made
    assert made.isascii()
    assert made == made.lower()


def test_a_new_id_is_readable_and_never_the_same_twice() -> None:
    """A person sees what the file is about; equal texts get different files."""
    first, second = new_id("Ayşe's tea: GREEN"), new_id("Ayşe's tea: GREEN")
    assert first.startswith("ayse-s-tea-green-")
    assert first != second


@given(st.text(max_size=30))
def test_an_accepted_id_names_a_file_in_its_own_folder(value: str) -> None:
    """Whatever is let through has no way out of ``records/``."""
    if is_safe_id(value):
        assert "/" not in value
        assert "\\" not in value
        assert value.strip(". ") == value
