#!/usr/bin/env python3
"""A loopback server that speaks GitHub's gist interface, as far as archives need it. It is not GitHub: it says so in its answers.

  github_api.py PORT_FILE [CERTIFICATE KEY]      serves until it is terminated; PORT_FILE gets the port, by rename, once it listens;
                                                 with a certificate, over TLS

As the real one: a token for writing (GOOD_TOKEN; NO_SCOPE_TOKEN gets 403, any other 401), a User-Agent always; inline content up to
1 MB, then `truncated` and a raw_url on another host (here: another port); above 10 MB raw_url is refused and the gist must be cloned
from git_pull_url, which is a real git repository; PATCH with null removes a file; at most 300 files are listed.

For tests: POST /_test {"faults": [{"method", "kind"}...]} makes the next matching requests fail, in order: "500", "cut" (half an
answer), "stall" (none, until the client leaves), "rate" (403 with x-ratelimit-*), "wait" (403 with retry-after), "422", "pass" (let one through). POST /_test {"gist": {...}}
merges members into every gist that is read ("git_pull_url": ...) and {"drop": NAME}, {"spoil": NAME} lose or damage a file of all
gists. GET /_test lists the requests: [{"host": "api"|"raw", "method", "path", "authorized"}...].
"""
import http.server
import json
import os
import pathlib
import ssl
import subprocess
import sys
import tempfile
import threading
import urllib.parse

GOOD_TOKEN, NO_SCOPE_TOKEN = "good-token-0123456789", "no-scope-token-0123456789"
INLINE, RAW = 1_000_000, 10_000_000  # bytes
LISTED = 300
LONGEST_BODY = 16 << 20
RATE_RESET = 1_800_000_000  # 2027-01-15T08:00:00Z


class State:
    def __init__(self):
        self.lock = threading.Lock()
        self.gists, self.faults, self.requests, self.overrides = {}, [], [], {}
        self.folder = tempfile.TemporaryDirectory()
        self.api_port = self.raw_port = 0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    host = "api"

    @property
    def state(self):
        return self.server.state

    def log_message(self, *_):
        pass

    def answer(self, status, body=None, headers=(), cut=False):
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Server", "holdfast-test-github")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = self.close_connection or cut
        try:
            self.wfile.write(data[:len(data) // 2] if cut else data)
        except OSError:  # the client has left
            self.close_connection = True

    def note(self):
        with self.state.lock:
            self.state.requests.append({"host": self.host, "method": self.command, "path": self.path,
                                        "authorized": "Authorization" in self.headers})

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))


class RawHandler(Handler):
    """gist.githubusercontent.com."""

    host = "raw"

    def do_GET(self):
        self.note()
        _, gist_id, name = (urllib.parse.unquote(part) for part in self.path.split("/", 2))
        content = self.state.gists.get(gist_id, {}).get("files", {}).get(name)
        if content is None:
            return self.answer(404)
        if len(content) > RAW:
            return self.answer(403, b"too large to serve")
        self.answer(200, content)


class ApiHandler(Handler):
    def do_GET(self):
        if self.path == "/_test":
            with self.state.lock:
                return self.answer(200, list(self.state.requests))
        if ".git/" in self.path:
            return self.git()
        self.gist_call()

    def do_POST(self):
        if self.path == "/_test":
            return self.control(json.loads(self.body()))
        if ".git/" in self.path:
            return self.git()
        self.gist_call()

    def do_PATCH(self):
        self.gist_call()

    def do_DELETE(self):
        self.gist_call()

    def control(self, wish):
        with self.state.lock:
            self.state.faults += wish.get("faults", [])
            self.state.overrides.update(wish.get("gist", {}))
            for gist in self.state.gists.values():
                if "drop" in wish:
                    gist["files"].pop(wish["drop"], None)
                if wish.get("spoil") in gist["files"]:
                    text = bytearray(gist["files"][wish["spoil"]])
                    text[len(text) // 2] = ord("A") if text[len(text) // 2] != ord("A") else ord("B")
                    gist["files"][wish["spoil"]] = bytes(text)
        self.answer(204)

    def fault(self):
        with self.state.lock:
            for number, fault in enumerate(self.state.faults):
                if fault.get("method", self.command) == self.command:
                    return self.state.faults.pop(number)["kind"]
        return None

    def gist_call(self):
        self.note()
        if int(self.headers.get("Content-Length") or 0) > LONGEST_BODY:
            self.close_connection = True
            return self.answer(413, {"message": "Payload too big"})
        data = self.body()
        if len(data) < int(self.headers.get("Content-Length") or 0):
            return  # the client has left
        kind = self.fault()
        if kind == "stall":
            return self.rfile.read(1)
        if kind == "500":
            return self.answer(500, {"message": "Server Error"})
        if kind == "rate":
            return self.answer(403, {"message": "API rate limit exceeded"},
                               [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", str(RATE_RESET))])
        if kind == "wait":
            return self.answer(403, {"message": "You have exceeded a secondary rate limit"}, [("Retry-After", "77")])
        if kind == "422":
            return self.answer(422, {"message": "Validation Failed"})
        if not self.headers.get("User-Agent"):
            return self.answer(403, {"message": "Request forbidden by administrative rules (no User-Agent)"})
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        if token and token not in (GOOD_TOKEN, NO_SCOPE_TOKEN):
            return self.answer(401, {"message": "Bad credentials"})
        if self.command != "GET" and not token:
            return self.answer(401, {"message": "Requires authentication"})
        if self.command != "GET" and token == NO_SCOPE_TOKEN:
            return self.answer(403, {"message": "Resource not accessible by personal access token"})
        with self.state.lock:
            status, body = self.act(data)
        self.answer(status, body, cut=kind == "cut")

    def act(self, data):
        parts = self.path.strip("/").split("/")
        if parts[0] != "gists" or len(parts) > 2:
            return 404, {"message": "Not Found"}
        if len(parts) == 1:
            return self.create(json.loads(data)) if self.command == "POST" else (404, {"message": "Not Found"})
        gist = self.state.gists.get(parts[1])
        if gist is None:
            return 404, {"message": "Not Found"}
        if self.command == "DELETE":
            del self.state.gists[parts[1]]
            return 204, None
        if self.command == "PATCH":
            wish = json.loads(data)
            if not self.files_are_good(wish):
                return 422, {"message": "Validation Failed"}
            gist["description"] = wish.get("description", gist["description"])
            for name, file in wish["files"].items():
                if file is None:
                    gist["files"].pop(name, None)
                else:
                    gist["files"][name] = file["content"].encode()
        return 200, self.described(parts[1], gist)

    @staticmethod
    def files_are_good(wish):
        files = wish.get("files")
        return bool(files) and all(file is None or file.get("content") for file in files.values())

    def create(self, wish):
        if not self.files_are_good(wish):
            return 422, {"message": "Validation Failed"}
        gist_id = os.urandom(16).hex()
        self.state.gists[gist_id] = {"description": wish.get("description"), "public": wish.get("public", False),
                                     "files": {name: file["content"].encode() for name, file in wish["files"].items()}}
        return 201, self.described(gist_id, self.state.gists[gist_id])

    def described(self, gist_id, gist):
        files = {}
        for name in sorted(gist["files"])[:LISTED]:
            content = gist["files"][name]
            files[name] = {"filename": name, "size": len(content), "truncated": len(content) > INLINE,
                           "raw_url": f"http://127.0.0.1:{self.state.raw_port}/{gist_id}/{urllib.parse.quote(name)}",
                           "content": content[:INLINE].decode(errors="replace")}
        return {"id": gist_id, "html_url": f"http://127.0.0.1:{self.state.api_port}/{gist_id}", "public": gist["public"],
                "git_pull_url": f"http://127.0.0.1:{self.state.api_port}/{gist_id}.git", "description": gist["description"],
                "truncated": len(gist["files"]) > LISTED, "files": files, **self.state.overrides}

    def git(self):
        """git's own HTTP server, as a CGI program, on a repository made of the gist."""
        self.note()
        gist_id = self.path.lstrip("/").split(".git/")[0]
        with self.state.lock:
            if gist_id not in self.state.gists:
                return self.answer(404)
            repository = pathlib.Path(self.state.folder.name) / f"{gist_id}.git"
            if "info/refs" in self.path:
                self.make_repository(repository, self.state.gists[gist_id]["files"])
        path, _, query = self.path.partition("?")
        data = self.body()
        environment = {**os.environ, "GIT_PROJECT_ROOT": self.state.folder.name, "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": path,
                       "QUERY_STRING": query, "REQUEST_METHOD": self.command, "CONTENT_LENGTH": str(len(data)),
                       "CONTENT_TYPE": self.headers.get("Content-Type") or "",
                       "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding") or "",
                       "GIT_PROTOCOL": self.headers.get("Git-Protocol") or ""}
        done = subprocess.run(["git", "http-backend"], input=data, env=environment, capture_output=True, timeout=120)
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        headers = [line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line]
        status = next((int(value.split()[0]) for name, value in headers if name == "Status"), 200)
        self.answer(status, body, [header for header in headers if header[0] != "Status"])

    @staticmethod
    def make_repository(path, files):
        subprocess.run(["git", "init", "--quiet", "--bare", path], check=True)
        stream = b"commit refs/heads/gist\ncommitter test <test@localhost> 0 +0000\ndata 0\ndeleteall\n"
        for name, content in files.items():
            stream += b"M 100644 inline " + name.encode() + b"\ndata %d\n" % len(content) + content + b"\n"
        subprocess.run(["git", "--git-dir", path, "fast-import", "--quiet", "--force"], input=stream, check=True)
        subprocess.run(["git", "--git-dir", path, "symbolic-ref", "HEAD", "refs/heads/gist"], check=True)


class GithubApi:
    """The two servers, on threads of this process."""

    def __init__(self, certificate=None, key=None):
        self.state = State()
        self.servers = []
        for handler in (ApiHandler, RawHandler):
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
            server.daemon_threads = True
            server.state = self.state
            if certificate:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(certificate, key)
                # The handshake on the thread of the connection: one that fails there stops nobody.
                server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
            self.servers.append(server)
            threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        self.state.api_port, self.state.raw_port = (server.server_port for server in self.servers)
        self.url = f"http://127.0.0.1:{self.state.api_port}"

    def close(self):
        for server in self.servers:
            server.shutdown()
            server.server_close()
        self.state.folder.cleanup()


def main():
    if len(sys.argv) not in (2, 4):
        sys.exit(__doc__)
    api = GithubApi(*sys.argv[2:])
    port_file = pathlib.Path(sys.argv[1])
    temporary = port_file.with_name(port_file.name + ".tmp")
    temporary.write_text(f"{api.state.api_port}\n")
    temporary.rename(port_file)
    threading.Event().wait()


if __name__ == "__main__":
    main()
