#!/usr/bin/env python3
"""Archives to and from gists: kinds/transcripts/remote/remote.h against tests/e2e/github_api.py.

  gist.py PROBE

Each case is one function and gets a server and a folder of its own; the last line counts them.
"""
import base64
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from github_api import GOOD_TOKEN, NO_SCOPE_TOKEN, GithubApi  # noqa: E402

PROBE = sys.argv[1]
SESSION = "0199a8b7-1234-7abc-8def-0123456789ab"
NOON = 1_785_240_000_000  # 2026-07-28T12:00:00Z
STEM = "session-0199a8b7-20260728_120000.json.zst"
PART = 7 << 20

CASES = []


def case(function):
    CASES.append(function)
    return function


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


class Tried:
    def __init__(self, done):
        self.ok, self.error, self.lines = done.returncode == 0, done.stderr.strip(), done.stdout.splitlines()
        for token in (GOOD_TOKEN, NO_SCOPE_TOKEN, "bad-token"):
            expect(token not in done.stdout + done.stderr, "the token was printed")

    def expect_ok(self):
        expect(self.ok, f"failed: {self.error}")
        return self

    def expect_error(self, word, *texts):
        expect(not self.ok, "succeeded")
        expect(self.error.startswith(word + ": "), f"not {word}: {self.error}")
        for text in texts:
            expect(text in self.error, f"no {text!r} in: {self.error}")


class Bench:
    """One server, one folder, the probe between them."""

    def __init__(self, folder):
        self.api, self.folder, self.token = GithubApi(), pathlib.Path(folder), GOOD_TOKEN

    def run(self, *arguments, **environment):
        return Tried(subprocess.run([PROBE, *map(str, arguments)], text=True, capture_output=True, timeout=120,
                                    env={**os.environ, **environment}))

    def upload(self, data, gist="-", time=NOON, **environment):
        path = self.folder / "archive.json.zst"
        path.write_bytes(data)
        return self.run("gist-upload", self.api.url, self.token or "-", gist, path, SESSION, time, **environment)

    def download(self, gist, **environment):
        place = self.folder / "downloads"
        place.mkdir(exist_ok=True)
        output = place / "downloaded"
        output.unlink(missing_ok=True)
        tried = self.run("gist-download", self.api.url, self.token or "-", gist, output, **environment)
        tried.data = output.read_bytes() if output.exists() else None
        left = [entry.name for entry in place.iterdir() if entry != output]
        expect(not left, f"left behind: {left}")
        return tried

    def expect_download(self, gist, data):
        down = self.download(gist).expect_ok()
        expect(down.data == data, f"came back different: {len(down.data)} of {len(data)} bytes")

    def put(self, **files):
        """A gist that somebody else has made."""
        gist_id = os.urandom(16).hex()
        self.api.state.gists[gist_id] = {"description": "", "public": True, "files": {name: data for name, data in files.items()}}
        return gist_id

    def files(self, gist):
        return self.api.state.gists[gist]["files"]

    def faults(self, *kinds, method="GET"):
        self.api.state.faults += [{"method": method, "kind": kind} for kind in kinds]

    def requests(self, **wanted):
        return [request for request in self.api.state.requests if all(request[key] == value for key, value in wanted.items())]


def sha256(data):
    return hashlib.sha256(data).hexdigest()


@case
def a_small_archive_is_one_file_and_a_manifest(bench):
    data = os.urandom(1000)
    up = bench.upload(data).expect_ok()
    gist = up.lines[0]
    expect(up.lines[1:] == [f"{bench.api.url}/{gist}", STEM + ".b64", STEM + ".manifest.json"], up.lines)
    text = base64.b64encode(data)
    expect(bench.files(gist)[STEM + ".b64"] == text, "not base64")
    manifest = json.loads(bench.files(gist)[STEM + ".manifest.json"])
    expect(manifest == {"holdfast_gist": 1, "archive": STEM, "sha256": sha256(data), "bytes": 1000,
                        "parts": [{"name": STEM + ".b64", "sha256": sha256(text), "bytes": len(text)}]}, manifest)
    stored = bench.api.state.gists[gist]
    expect(stored["public"] is False and stored["description"] == "Claude Code Session Archive", stored["description"])
    bench.expect_download(gist, data)


@case
def sizes_around_the_limits_come_back(bench):
    for size in (1, 2, 3, 750_000, 760_000, PART // 4 * 3, PART // 4 * 3 + 1):  # inline, raw, one part, two
        data = os.urandom(size)
        up = bench.upload(data).expect_ok()
        expect(len(up.lines) == (5 if size > PART // 4 * 3 else 4), f"{size}: {up.lines}")
        bench.expect_download(up.lines[0], data)


@case
def a_large_archive_is_split_and_its_manifest_comes_last(bench):
    data = os.urandom(15_000_000)
    up = bench.upload(data).expect_ok()
    names = [f"{STEM}.b64.part-00{number}" for number in (1, 2, 3)]
    expect(up.lines[2:] == [*names, STEM + ".manifest.json"], up.lines)
    expect([len(bench.files(up.lines[0])[name]) for name in names[:2]] == [PART, PART], "parts are not full")
    expect([request["method"] for request in bench.requests()] == ["POST", "PATCH", "PATCH", "PATCH"], bench.requests())
    bench.expect_download(up.lines[0], data)
    expect(len(bench.requests(host="raw")) == 3, "not read by raw_url")
    expect(not bench.requests(host="raw", authorized=True), "the token went to another host")


@case
def an_update_replaces_archives_and_keeps_the_rest(bench):
    gist = bench.upload(os.urandom(9_000_000)).expect_ok().lines[0]
    bench.files(gist)["notes.md"] = b"mine"
    bench.files(gist)["session-notes.md"] = b"mine, too"
    bench.files(gist)["session-0199a8b7-20250101_000000.json"] = b"{}"
    for time, stem in ((NOON + 1000, STEM.replace("120000", "120001")), (NOON + 1000, STEM.replace("120000", "120001"))):
        data = os.urandom(2000)
        expect(bench.upload(data, gist, time).expect_ok().lines[0] == gist, "another gist")
        expect(set(bench.files(gist)) == {"notes.md", "session-notes.md", stem + ".b64", stem + ".manifest.json"},
               sorted(bench.files(gist)))
        bench.expect_download(gist, data)


@case
def the_newest_archive_is_taken(bench):
    old, new = b'{"old":1}', b"\x28\xb5\x2f\xfd new"
    gist = bench.put(**{"session-0199a8b7-20260101_000000.json": old, "a.txt": b"x",
                        "session-aaaaaaaa-20260102_000000.json.zst.b64": base64.encodebytes(new)})
    bench.expect_download(gist, new)
    ours = os.urandom(10)
    bench.upload(ours, gist).expect_ok()
    bench.expect_download(gist, ours)
    bench.files(gist)["session-aaaaaaaa-20270101_000000.json"] = old  # by the original, after us
    bench.expect_download(gist, old)


@case
def what_is_not_served_is_cloned(bench):
    data = os.urandom(9_000_000)
    gist = bench.put(**{"session-0199a8b7-20260101_000000.json.zst.b64": base64.b64encode(data)})
    bench.expect_download(gist, data)
    expect(bench.requests(host="raw") and any(".git/" in request["path"] for request in bench.requests()), "not cloned")
    expect(not any(request["authorized"] for request in bench.requests() if ".git/" in request["path"]), "git got the token")


@case
def hostile_addresses_are_refused(bench):
    data = base64.b64encode(os.urandom(9_000_000))
    gist = bench.put(**{"session-0199a8b7-20260101_000000.json.zst.b64": data})
    mark = bench.folder / "executed"
    for url in (f"ext::sh -c touch% {mark}", f"file://{bench.folder}", f"--upload-pack=touch {mark}", ""):
        bench.api.state.overrides["git_pull_url"] = url
        bench.download(gist).expect_error("invalid")
    expect(not mark.exists(), "a program was run")
    for bad in ("../user", "a/b", "a?b", "", "a" * 65):
        bench.download(bad).expect_error("invalid", "not the id of a gist")


@case
def anybody_may_read(bench):
    gist = bench.upload(b"data").expect_ok().lines[0]
    bench.token = ""
    bench.expect_download(gist, b"data")
    before = len(bench.requests())
    bench.upload(b"data").expect_error("unauthorised", "GITHUB_TOKEN")
    expect(len(bench.requests()) == before, "asked without a token")


@case
def refusals_have_their_kinds(bench):
    gist = bench.upload(b"data").expect_ok().lines[0]
    bench.download("0" * 32).expect_error("not_found", "Not Found")
    bench.upload(b"data", "0" * 32).expect_error("not_found")
    bench.faults("422", method="POST")
    bench.upload(b"data").expect_error("invalid", "Validation Failed")
    bench.token = "bad-token"
    bench.download(gist).expect_error("unauthorised", "Bad credentials")
    bench.upload(b"data").expect_error("unauthorised", "401")
    bench.token = NO_SCOPE_TOKEN
    bench.upload(b"data").expect_error("unauthorised", "not accessible", "gist")


@case
def limits_say_when_they_end(bench):
    gist = bench.upload(b"data").expect_ok().lines[0]
    bench.faults("rate")
    bench.download(gist).expect_error("unavailable", "after 2027-01-15T08:00:00.000Z")
    bench.faults("wait", method="POST")
    bench.upload(b"data").expect_error("unavailable", "in 77 seconds")


@case
def a_gist_without_an_archive_is_not_found(bench):
    bench.download(bench.put(**{"a.txt": b"x", "session-x.json": b"{}"})).expect_error("not_found", "no archive")


@case
def reads_are_tried_again(bench):
    gist = bench.upload(b"data").expect_ok().lines[0]
    bench.faults("500", "cut")
    bench.expect_download(gist, b"data")
    bench.faults("500", "500", "500")
    bench.download(gist).expect_error("unavailable", "500")


@case
def a_failed_upload_leaves_what_was_there(bench):
    bench.faults("pass", "500", method="PATCH")
    bench.upload(os.urandom(12_000_000)).expect_error("unavailable", "500")
    expect(not bench.api.state.gists, "half a gist was left")

    gist = bench.upload(b"old").expect_ok().lines[0]
    before = dict(bench.files(gist))
    bench.faults("pass", "pass", "500", method="PATCH")
    bench.upload(os.urandom(12_000_000), gist, NOON + 1000).expect_error("unavailable")
    expect(bench.files(gist) == before, sorted(bench.files(gist)))
    # Not even the clean-up works: the old archive is still the one that is read, and the next upload tidies up.
    bench.faults("pass", "500", "500", method="PATCH")
    bench.upload(os.urandom(12_000_000), gist, NOON + 1000).expect_error("unavailable")
    expect(len(bench.files(gist)) == 3, sorted(bench.files(gist)))
    bench.expect_download(gist, b"old")
    bench.upload(b"new", gist, NOON + 2000).expect_ok()
    expect(len(bench.files(gist)) == 2, sorted(bench.files(gist)))
    bench.expect_download(gist, b"new")


@case
def a_stopped_upload_leaves_nothing(bench):
    bench.upload(os.urandom(12_000_000), HOLDFAST_PROBE_STOP_AFTER="2").expect_error("cancelled")
    expect(not bench.api.state.gists, "half a gist was left")
    gist = bench.upload(os.urandom(9_000_000)).expect_ok().lines[0]
    bench.download(gist, HOLDFAST_PROBE_STOP_AFTER="1").expect_error("cancelled")
    bench.faults("stall")
    bench.download(gist, HOLDFAST_PROBE_STOP_AFTER="3").expect_error("cancelled")


@case
def damage_is_seen(bench):
    gist = bench.upload(os.urandom(12_000_000)).expect_ok().lines[0]
    part = f"{STEM}.b64.part-002"
    good = dict(bench.files(gist))
    text = bytearray(good[part])
    text[1000] = ord("A") if text[1000] != ord("A") else ord("B")
    for change in ({part: bytes(text)}, {part: good[part][:-4]}, {part: None}, {STEM + ".manifest.json": b"{}"},
                   {STEM + ".manifest.json": good[STEM + ".manifest.json"].replace(b'"bytes": 12000000', b'"bytes": 12000001')}):
        bench.files(gist).clear()
        bench.files(gist).update({name: data for name, data in {**good, **change}.items() if data is not None})
        expect(bench.files(gist) != good, "nothing was changed")
        bench.download(gist).expect_error("corrupt")


@case
def what_is_no_archive_is_not_uploaded(bench):
    bench.upload(b"").expect_error("invalid")
    bench.run("gist-upload", bench.api.url, GOOD_TOKEN, "-", bench.folder / "none", SESSION, NOON).expect_error("not_found")
    expect(not bench.requests(), "asked for nothing")


def main():
    failed = 0
    for function in CASES:
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(folder)
            try:
                function(bench)
                print("ok  ", function.__name__)
            except Exception:
                failed += 1
                print("FAIL", function.__name__)
                traceback.print_exc(file=sys.stdout)
            finally:
                bench.api.close()
    print(f"{len(CASES) - failed} of {len(CASES)} cases")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
