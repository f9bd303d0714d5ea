"""`diff --cluster` before a server that gives what a real one cannot be made to give."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.cli.command import BLUEPRINTS
from tests.cli.command import Run
from tests.cli.command import run

LAB = str(Path(BLUEPRINTS) / "lab.yaml")


class Fake(ThreadingHTTPServer):
    """Gives each request the next of `answers`, then the last again; status 0 hangs up."""

    def __init__(self, answers: list[tuple[int, dict[str, str]]]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = answers
        self.asked: list[str] = []
        self.tokens: set[str | None] = set()


class Handler(BaseHTTPRequestHandler):
    server: Fake

    def do_GET(self) -> None:
        self.server.asked.append(f"{self.command} {self.path}")
        self.server.tokens.add(self.headers["Authorization"])
        answers = self.server.answers
        status, headers = answers.pop(0) if len(answers) > 1 else answers[0]
        if status == 0:
            self.connection.close()
            return
        body = json.dumps({"message": "said by the server", "resources": []}).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(*answers: tuple[int, dict[str, str]]) -> Iterator[Fake]:
    server = Fake(list(answers))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def diff(folder: Path, port: int) -> Run:
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "a",
        "clusters": [{"name": "a", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
        "users": [{"name": "a", "user": {"token": "t0ken"}}],
        "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
    }
    (folder / "config").write_text(json.dumps(config))
    return run("diff", LAB, "--cluster", "--kubeconfig", str(folder / "config"))


@pytest.mark.parametrize(
    ("status", "headers", "words", "requests"),
    [
        (401, {}, "401: the credentials are not accepted; they may have expired", 1),
        (403, {}, "403: forbidden: said by the server", 1),
        (409, {}, "409: said by the server", 1),
        (422, {}, "422: said by the server", 1),
        (429, {"Retry-After": "0"}, "429: it is too busy: said by the server", 3),
        (500, {}, "500: said by the server", 3),
        (503, {}, "503: said by the server", 3),
        (0, {}, "cannot reach http://127.0.0.1:", 1),
        (200, {}, "the cluster does not serve ConfigMap of v1: install its CRD", 1),
    ],
)
def test_each_fault_is_said_and_exits_with_4(
    tmp_path: Path, status: int, headers: dict[str, str], words: str, requests: int
) -> None:
    with serving((status, headers)) as server:
        done = diff(tmp_path, server.server_port)
        assert (done.code, done.out) == (4, "")
        assert words in done.err
        assert len(server.asked) == requests
        assert server.tokens == {"Bearer t0ken"}
        assert "t0ken" not in done.err


def test_what_passes_is_tried_again(tmp_path: Path) -> None:
    with serving((503, {}), (429, {"Retry-After": "0"}), (200, {})) as server:
        done = diff(tmp_path, server.server_port)
        assert "does not serve" in done.err
        assert len(server.asked) == 3


def test_nobody_listening_and_no_kubeconfig(tmp_path: Path) -> None:
    with serving((200, {})) as server:
        port = server.server_port
    gone = diff(tmp_path, port)
    assert (gone.code, gone.out) == (4, "")
    assert "Connection refused" in gone.err
    missing = run("diff", LAB, "--cluster", "--kubeconfig", str(tmp_path / "none"))
    assert missing.code == 4
    assert "no usable kubeconfig" in missing.err


def test_how_to_reach_a_cluster_needs_one() -> None:
    done = run("diff", LAB, "--against", ".", "--context", "a")
    assert (done.code, done.err) == (
        2,
        "gpupolicy diff: --kubeconfig and --context need --cluster\n",
    )
