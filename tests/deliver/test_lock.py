"""The lock of an output folder."""

from __future__ import annotations

import hashlib
import json

import pytest

from gpupolicy.deliver.lock import LockError
from gpupolicy.deliver.lock import digest
from gpupolicy.deliver.lock import format_journal
from gpupolicy.deliver.lock import format_lock
from gpupolicy.deliver.lock import parse_journal
from gpupolicy.deliver.lock import parse_lock
from tests.deliver.trees import HEADER


def test_the_lock_is_sorted_json_a_line_a_file() -> None:
    assert format_lock(HEADER, {"b": "sha256:2", "a/é": "sha256:1"}).decode() == (
        "{\n"
        '  "lockVersion": 1,\n'
        '  "gpupolicy": "0.1.0",\n'
        '  "input": "sha256:aa",\n'
        '  "targets": {\n'
        '    "kubernetes": "1.34",\n'
        '    "kueue": "0.19"\n'
        "  },\n"
        '  "files": {\n'
        '    "a/\\u00e9": "sha256:1",\n'
        '    "b": "sha256:2"\n'
        "  }\n"
        "}\n"
    )


def test_what_is_written_is_read_back() -> None:
    files = {"a": "sha256:1", "b/c": "sha256:2"}
    assert parse_lock(format_lock(HEADER, files)) == {"a": {"sha256:1"}, "b/c": {"sha256:2"}}
    journal = {"a": {"sha256:1", "sha256:3"}, "b/c": {"sha256:2"}}
    assert parse_journal(format_journal(journal)) == journal
    assert json.loads(format_lock(HEADER, {}))["files"] == {}


def test_digest() -> None:
    assert digest(b"x") == "sha256:" + hashlib.sha256(b"x").hexdigest()


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "[]", "{}", "null", "<<<<<<< HEAD\n{}\n", "\xff", "[" * 100_000),
        '{"files": []}',
        '{"files": {}}',
        '{"lockVersion": 2, "files": {}}',
        '{"lockVersion": 1, "files": {"a": 1}}',
        '{"lockVersion": 1, "files": {"../a": "sha256:1"}}',
        '{"lockVersion": 1, "files": {"/etc/passwd": "sha256:1"}}',
    ],
)
def test_what_is_no_lock_is_refused(text: str) -> None:
    with pytest.raises(LockError):
        parse_lock(text.encode("latin-1"))
    with pytest.raises(LockError):
        parse_journal(text.encode("latin-1"))
