"""What is kept of the conversations read: enough to go on fast, and bounded."""

from __future__ import annotations

import pytest

from memory_injection.dialects.registry import dialect_named
from memory_injection.pipeline.walk import TrackCache, walk

CHAT = dialect_named("openai.chat")


def said(text, image=""):
    parts = [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": image}}]
    return {"role": "user", "content": parts if image else text}


def read(cache, *messages):
    return walk(list(messages), CHAT, cache)


def name_of(text):
    return (CHAT.name, b"", text)


def test_the_least_recently_read_conversation_goes_first():
    """At most so many conversations are kept."""
    cache = TrackCache(tracks=2)
    for text in ("one", "two", "one", "three"):
        read(cache, said(text))
    assert cache.find(name_of("two")) is None
    assert cache.find(name_of("one")) is not None


@pytest.mark.parametrize("image", ["x" * 1200, b"x" * 1200])
def test_images_count_with_their_bytes(image):
    """Few conversations with large images must not fill the memory of the process."""
    cache = TrackCache(characters=3000)
    for text in ("one", "two", "three"):
        read(cache, said(text, image))
    assert [cache.find(name_of(text)) is not None for text in ("one", "two", "three")] == [
        False, True, True,
    ]  # fmt: skip


def test_a_conversation_that_goes_on_counts_once():
    """Its longer track takes the place of the shorter one."""
    cache = TrackCache(characters=3000)
    read(cache, said("other"))
    history = [said("one", "x" * 1000)]
    for number in range(20):
        read(cache, *history)
        history.append({"role": "assistant", "content": f"answer {number}"})
    assert cache.find(name_of("other")) is not None


def test_the_only_conversation_is_kept_however_long():
    """It would be read from the start at every call otherwise."""
    cache = TrackCache(characters=10)
    read(cache, said("one", "x" * 1000))
    assert cache.find(name_of("one")) is not None


def test_a_plain_message_weighs_what_it_weighs_beside_an_empty_field():
    """Most messages hold texts alone and are measured by a shorter way, to the same figures."""
    for text in ("Where is my key?", "Anahtarım nerede?", "x" * 5000, "鍵はどこ？"):
        plain, fuller = said(text), {**said(text), "name": None, "audio": []}
        tracks = [read(TrackCache(), message)._track for message in (plain, fuller)]
        assert tracks[0].sizes == tracks[1].sizes
        assert tracks[0].lengths == tracks[1].lengths
        assert tracks[0].copies == [plain]
        assert tracks[0].copies[0] is not plain


def test_what_changed_in_the_middle_is_read_again():
    """Wherever a conversation parts from the one known, what follows is read anew."""
    history = [said(f"message {number}") for number in range(70)]
    for changed in (0, 1, 35, 68, 69):
        cache = TrackCache()
        known = read(cache, *history)
        other = [*history[:changed], said("something else"), *history[changed + 1 :]]
        walked, fresh = read(cache, *other), read(TrackCache(), *other)
        assert [walked[at] for at in range(70)] == [fresh[at] for at in range(70)]
        assert [walked[at].key == known[at].key for at in range(70)] == [
            at < changed for at in range(70)
        ]
