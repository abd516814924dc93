"""Files that a command writes: whole or not at all, and nothing else is touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memory_injection.cli.places import check_place, written
from memory_injection.errors import InputError

from ..full_disk import full_disk
from .conftest import Run


def test_a_file_is_replaced_when_everything_is_written(tmp_path: Path) -> None:
    """Until then the old one stands there; a failure leaves it."""
    path = tmp_path / "x"
    with written(path) as file:
        file.write(b"one")

    def interrupted() -> None:
        with written(path) as file:
            file.write(b"two")
            file.flush()
            assert path.read_bytes() == b"one"
            raise KeyError

    with pytest.raises(KeyError):
        interrupted()
    assert path.read_bytes() == b"one"
    assert os.listdir(tmp_path) == ["x"]


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    """The error names the path that was given, and no partial file is left."""
    path = tmp_path / "x"
    path.write_bytes(b"one")
    with full_disk():
        with pytest.raises(OSError, match="x") as checked:
            check_place(path)
        with pytest.raises(OSError, match="x") as failed, written(path) as file:
            file.write(b"two")
    assert checked.value.filename == failed.value.filename == str(path)
    assert path.read_bytes() == b"one"
    assert os.listdir(tmp_path) == ["x"]


def test_checking_a_place_changes_nothing(tmp_path: Path) -> None:
    """Whether something lies there or not."""
    check_place(tmp_path / "x")
    assert os.listdir(tmp_path) == []
    (tmp_path / "x").write_bytes(b"one")
    check_place(tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == b"one"
    assert os.listdir(tmp_path) == ["x"]


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_a_replaced_file_keeps_who_may_read_it(tmp_path: Path) -> None:
    """An export that was made private stays private."""
    path = tmp_path / "x"
    path.touch()
    path.chmod(0o600)
    with written(path):
        pass
    assert path.stat().st_mode & 0o777 == 0o600
    umask = os.umask(0)
    os.umask(umask)
    with written(tmp_path / "y"):
        pass
    assert (tmp_path / "y").stat().st_mode & 0o777 == 0o666 & ~umask


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_what_a_link_points_to_is_written(tmp_path: Path) -> None:
    """The link stays."""
    (tmp_path / "far").mkdir()
    link = tmp_path / "x"
    link.symlink_to(tmp_path / "far" / "y")
    for content in (b"one", b"two"):
        with written(link) as file:
            file.write(content)
        assert link.is_symlink()
        assert (tmp_path / "far" / "y").read_bytes() == content


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_device_or_a_pipe_is_written_as_it_is(run: Run, tmp_path: Path) -> None:
    """It is not replaced by a file: not for somebody who may, either."""
    run("add", "one")
    device = Path(os.devnull)
    kind = device.stat().st_mode
    assert run("export", os.devnull).code == 0
    assert device.stat().st_mode == kind
    os.mkfifo(tmp_path / "pipe")
    check_place(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert run("export", "pipe").code == 0
    assert b'"one"' in os.read(reader, 4096)
    os.close(reader)
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_may_not_be_written_is_left(tmp_path: Path) -> None:
    """Though its folder would let it be replaced."""
    path = tmp_path / "x"
    path.touch(0o444)
    for work in (check_place, lambda path: written(path).__enter__()):
        with pytest.raises(PermissionError, match="x"):
            work(path)


def test_what_is_no_place_for_a_file_is_said_so(run: Run, tmp_path: Path) -> None:
    """A folder, a folder that is not there, an empty name."""
    with pytest.raises(InputError, match="is a folder"):
        check_place(tmp_path)
    with pytest.raises(InputError, match=r"the folder .*gone.* does not exist"):
        check_place(tmp_path / "gone" / "x")
    run("add", "one")
    assert "'' names no file or folder" in run("export", "").line
    assert "the folder 'gone' does not exist" in run("export", "gone/x.jsonl").line
