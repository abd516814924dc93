from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_injection.files.sections import Section, split_sections

TEXT = """Before any heading.

# Preferences
Tea, not coffee.

```sh
# not a heading
```

    # nor this, in an indented block

<!--
# nor this, in a comment
-->

> # nor a quoted one

## Editor ##
Dark theme.

Setext
------
Underlined headings count.

# Never deploy on Fridays
"""


def test_sections_are_cut_at_headings_outside_code() -> None:
    """The title is the heading path; text before the first heading is a section of its own."""
    found = split_sections(TEXT)
    assert [section.title for section in found] == [
        "",
        "Preferences",
        "Preferences > Editor",
        "Preferences > Setext",
        "Never deploy on Fridays",
    ]
    assert found[0].text == "Before any heading."
    assert "# not a heading" in found[1].text
    assert "# nor this, in an indented block" in found[1].text
    assert "# nor this, in a comment" in found[1].text
    assert "> # nor a quoted one" in found[1].text
    assert found[2].text == "Dark theme."
    assert found[4] == Section(("Never deploy on Fridays",), "")


def test_a_heading_that_only_holds_others_is_no_section() -> None:
    """Its words are in the paths below it."""
    assert [s.path for s in split_sections("# A\n## B\ntext\n# C\n")] == [("A", "B"), ("C",)]


def test_a_heading_that_skips_a_level_hangs_below_the_one_above() -> None:
    """Levels are compared, not counted."""
    text = "# A\nx\n### B\ny\n## C\nz\n"
    assert [s.title for s in split_sections(text)] == ["A", "A > B", "A > C"]


@given(st.lists(st.text(alphabet="ab #`~\n-=>*", max_size=12), max_size=8).map("\n".join))
def test_nothing_is_said_twice(text: str) -> None:
    """A letter of the file is in at most one section's text or one heading."""
    found = split_sections(text)
    headings = {s.path[: depth + 1] for s in found for depth in range(len(s.path))}
    letters = sum(s.text.count("a") for s in found) + sum(path[-1].count("a") for path in headings)
    assert letters <= text.count("a")


@given(st.lists(st.text(alphabet="ab `~>*", max_size=12), max_size=8).map("\n".join))
def test_text_without_headings_is_one_section_as_it_stands(text: str) -> None:
    """Nothing is lost of a file that has no headings."""
    wanted = [text.strip("\n")] if text.strip() else []
    assert [s.text for s in split_sections(text)] == wanted
