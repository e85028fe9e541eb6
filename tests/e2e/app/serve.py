#!/usr/bin/env python3
"""usage: serve.py HOLDFAST HOLDFAST-SEED    the HTTP server, from outside"""
import ctypes
import http.client
import json
import os
import pathlib
import pty
import re
import resource
import signal
import socket
import stat
import statistics
import subprocess
import sys
import time
import unittest
import urllib.parse

from program import ENVELOPE, HOLDFAST, PATIENCE, ProgramTest, Server, call, initialize, main

MEGABYTE = 1024 * 1024
LIST = call(1, {"operation": "list"}, modern=True)
NOBODY = 65534

# 120 connections at once, each with a body that is far from its end: PORT HEAD. Prints the statuses it has got.
ATTACK = """
import selectors, socket, sys
port, head = int(sys.argv[1]), sys.argv[2].encode().decode("unicode_escape").encode()
piece, waiting, statuses = b"x" * 65536, selectors.DefaultSelector(), {}
for number in range(120):
    sock = socket.create_connection(("127.0.0.1", port))
    sock.sendall(head)
    sock.setblocking(False)
    waiting.register(sock, selectors.EVENT_READ | selectors.EVENT_WRITE, [b"", 16_000_000])
while waiting.get_map():
    for key, events in waiting.select():
        sock, said = key.fileobj, key.data
        try:
            if events & selectors.EVENT_READ:
                got = sock.recv(65536)
                if not got:
                    raise ConnectionResetError
                said[0] += got
            if events & selectors.EVENT_WRITE:
                if said[1] <= len(piece):
                    waiting.modify(sock, selectors.EVENT_READ, said)
                else:
                    said[1] -= sock.send(piece)
        except BlockingIOError:
            pass
        except OSError:
            status = said[0][9:12].decode()
            statuses[status] = statuses.get(status, 0) + 1
            waiting.unregister(sock)
            sock.close()
print(statuses)
"""

# 120 strangers who come again and again, on connections that they keep: PORT. A quarter guesses tokens, a quarter cookies, one
# login codes, and the last comes under a foreign name. Prints how often they were refused, and how.
GUESS = """
import http.client, json, sys, threading
port, lock, statuses = int(sys.argv[1]), threading.Lock(), {}
own = {"Content-Type": "application/json"}
ways = [lambda i: ("POST", "/mcp", "{}", {**own, "Authorization": f"Bearer hf_guess{i}"}),
        lambda i: ("GET", "/", None, {"Cookie": f"holdfast_{port}=guess{i}"}),
        lambda i: ("GET", f"/?code=guess{i}", None, {}),
        lambda i: ("POST", "/mcp", "{}", {**own, "Host": "evil.example.com"})]
def come(number):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for i in range(20):
        method, path, body, headers = ways[number % 4](number * 1000 + i)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        answer.read()
        with lock:
            statuses[answer.status] = statuses.get(answer.status, 0) + 1
threads = [threading.Thread(target=come, args=(number,)) for number in range(120)]
for each in threads: each.start()
for each in threads: each.join()
print(json.dumps(statuses))
"""


def login_path(url):
    parts = urllib.parse.urlsplit(url)
    return f"{parts.path}?{parts.query}"


class Access(ProgramTest):
    def test_token(self):
        server = Server(self)
        message = call(1, {"operation": "list"}, modern=True)
        status, headers, _ = server.ask("POST", "/mcp", {"Content-Type": "application/json"}, json.dumps(message))
        self.assertEqual((status, headers["www-authenticate"]), (401, "Bearer"))
        headers = {**server.mcp_headers(modern=message), "Authorization": "Bearer hf_wrong"}
        status, headers, _ = server.ask("POST", "/mcp", headers, json.dumps(message))
        self.assertEqual((status, headers["www-authenticate"]), (401, 'Bearer error="invalid_token", error_description="this token is not valid"'))
        status, _, answer = server.post(message, modern=True)
        self.assertEqual((status, answer["result"]["structuredContent"]["count"]), (200, 0))

    def test_files_are_private(self):
        Server(self)
        self.assertEqual(stat.S_IMODE(self.data.stat().st_mode), 0o700)
        self.assertEqual(stat.S_IMODE((self.data / "token").stat().st_mode), 0o600)

    def test_host_and_origin(self):
        server = Server(self)
        own = f"127.0.0.1:{server.port}"
        for headers, expected in (({"Host": "evil.example.com"}, 403), ({"Host": f"evil.example.com:{server.port}"}, 403),
                                  ({"Origin": "http://evil.example.com"}, 403), ({"Origin": "null"}, 403),
                                  ({"Host": "localhost"}, 200), ({"Host": own, "Origin": f"http://{own}"}, 200),
                                  ({"Origin": f"http://localhost:{server.port}"}, 200)):
            self.assertEqual(server.ask("GET", "/healthz", headers)[0], expected, headers)
            if expected == 403:
                for path in ("/mcp", "/", "/metrics"):
                    self.assertEqual(server.ask("GET", path, headers)[0], 403, headers)

    def test_without_authentication(self):
        server = Server(self, "--no-auth")
        self.assertIsNone(server.about["token_file"])
        self.assertEqual(server.post(LIST, token="none", modern=True)[0], 200)
        self.assertFalse((self.data / "token").exists())
        self.assertEqual(server.ask("GET", "/")[0], 200)
        self.assertEqual(server.ask("GET", "/", {"Host": "evil.example.com"})[0], 403)

    def test_no_auth_is_for_loopback_only(self):
        done = self.run_program("serve", "--no-auth", "--host", "0.0.0.0", "--port", "0")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("loopback", done.stderr)

    def test_a_token_that_expires(self):
        clock = self.home / "clock"
        clock.write_text("2031-01-01T00:00:00Z")
        server = Server(self, "--clock-file", str(clock))
        made = self.json_of("token", "add", "ann", "--expires", "1h", "--scope", "read", HOLDFAST_CLOCK_FILE=str(clock))
        self.assertEqual((made["expires_at"], made["scopes"]), ("2031-01-01T01:00:00.000Z", "read"))
        message = call(1, {"operation": "list"}, modern=True)
        self.assertEqual(server.post(message, token=made["token"], modern=True)[0], 200)
        clock.write_text("2031-01-01T01:00:00Z")
        status, headers, answer = server.post(message, token=made["token"], modern=True)
        self.assertEqual(status, 401)
        self.assertIn("expired", answer["message"])
        self.assertIn('error="invalid_token"', headers["www-authenticate"])

    def test_tokens_say_what_they_are_for(self):
        self.json_of("token", "add", "ann")
        self.json_of("token", "add", "rita", "--team", "red", "--scope", "read,review", "--project", str(self.home))
        listed = {each["name"]: each for each in self.json_of("token", "list")["tokens"]}
        self.assertEqual((listed["ann"]["principal"], listed["ann"]["scopes"]), ("ann", "read write review"))
        self.assertEqual((listed["rita"]["principal"], listed["rita"]["team"], listed["rita"]["scopes"]), ("team:red", "red", "read review"))
        self.assertEqual(listed["rita"]["projects"], [self.home.as_uri()])
        self.assertIn("team:red", self.run_program("token", "list").stdout)
        for words in (["team:red"], ["local"], ["x", "--scope", "owner"], ["x", "--team", "a b"], ["x", "--expires", "2001-01-01"]):
            self.assertIn(self.run_program("token", "add", *words).returncode, (2, 5), words)

    def test_a_login_for_somebody_else(self):
        self.seed([{"id": "mine-1", "kind": "thread", "title": "Mine"},
                   {"id": "anns-1", "kind": "thread", "title": "Ann's", "principal": "ann"}])
        server = Server(self)
        self.assertEqual(self.run_program("login", "--for", "ann").returncode, 3)
        self.json_of("token", "add", "ann", "--scope", "read")
        _, headers, _ = server.ask("GET", login_path(self.json_of("login", "--for", "ann")["url"]))
        cookie = {"Cookie": headers["set-cookie"].split("; ")[0]}
        page = server.ask("GET", "/", cookie)[2]
        self.assertIn("anns-1", page)
        self.assertNotIn("mine-1", page)
        self.assertEqual(server.ask("GET", "/storage", cookie)[0], 403)
        self.assertEqual(self.run_program("token", "revoke", "ann").returncode, 0)
        self.assertEqual(server.ask("GET", "/", cookie)[0], 401)

    def test_other_tokens_see_their_own(self):
        self.seed([{"id": "mine-1", "kind": "thread", "title": "Mine"},
                   {"id": "anns-1", "kind": "thread", "title": "Ann's", "principal": "ann"}])
        server = Server(self)
        ann = self.json_of("token", "add", "ann")["token"]

        def ids(token):
            status, _, answer = server.post(call(1, {"operation": "list"}, modern=True), token=token, modern=True)
            self.assertEqual(status, 200)
            return [each["id"] for each in answer["result"]["structuredContent"]["sessions"]]

        self.assertEqual(ids(ann), ["anns-1"])
        self.assertEqual(ids(None), ["mine-1"])
        session = server.post(initialize(), token=ann)[1]["mcp-session-id"]
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        self.assertEqual(server.post(ping, session=session, token=ann)[0], 200)
        self.assertEqual(server.post(ping, session=session)[0], 404)

        self.assertEqual(self.run_program("token", "revoke", "ann").returncode, 0)
        deadline = time.monotonic() + PATIENCE
        while server.post(ping, session=session, token=ann)[0] != 401:
            self.assertLess(time.monotonic(), deadline, "a revoked token still works")
            time.sleep(0.05)

    def test_login(self):
        server = Server(self)
        status, _, page = server.ask("GET", "/")
        self.assertEqual(status, 401)
        self.assertIn("holdfast login", page)
        address = self.json_of("login")["url"]
        self.assertTrue(address.startswith(f"http://127.0.0.1:{server.port}/?code="), address)
        status, headers, _ = server.ask("GET", login_path(address))
        self.assertEqual((status, headers["location"]), (303, "/"))
        cookie, *flags = headers["set-cookie"].split("; ")
        self.assertEqual(set(flags), {"Path=/", "HttpOnly", "SameSite=Strict", "Max-Age=604800"})
        status, headers, page = server.ask("GET", "/", {"Cookie": cookie})
        self.assertEqual(status, 200)
        self.assertIn("default-src 'none'", headers["content-security-policy"])
        self.assertIn("Timeline", page)
        self.assertIn(str(self.data / "store.db"), server.ask("GET", "/storage", {"Cookie": cookie})[2])
        self.assertEqual(server.ask("GET", login_path(address))[0], 401, "the code worked twice")
        self.assertEqual(server.ask("POST", "/mcp", {"Cookie": cookie}, "{}")[0], 401, "a cookie opened /mcp")

    def test_a_login_code_ends_after_ten_minutes(self):
        clock = self.home / "clock"
        clock.write_text("2031-01-01T00:00:00Z")
        server = Server(self, "--clock-file", str(clock))
        address = self.json_of("login", HOLDFAST_CLOCK_FILE=str(clock))["url"]
        clock.write_text("2031-01-01T00:10:00Z")
        self.assertEqual(server.ask("GET", login_path(address))[0], 401)

    def test_health_and_metrics(self):
        server = Server(self)
        self.assertEqual(server.ask("GET", "/healthz")[::2], (200, "ok\n"))
        self.assertEqual(json.loads(server.ask("GET", "/healthz", {"Accept": "application/json"})[2])["status"], "ok")
        self.assertEqual(server.ask("GET", "/metrics")[0], 401)
        server.post(call(1, {"operation": "list"}, modern=True), modern=True)
        status, _, text = server.ask("GET", "/metrics", {"Authorization": "Bearer " + server.token()})
        self.assertEqual(status, 200)
        values = dict(line.split() for line in text.splitlines() if not line.startswith("#"))
        self.assertEqual(values["holdfast_requests_total"], "1")
        self.assertEqual(values["holdfast_store_up"], "1")
        self.assertLess(int(values["process_resident_memory_bytes"]), 512 * 1024 * 1024)

    def test_nothing_is_told_twice(self):
        server = Server(self)
        server.post(call(1, {"operation": "list"}, modern=True), modern=True)
        self.assertNotIn(server.token(), self.log_of(server))

    def test_p5_a_wrong_token_or_code_leaves_a_line(self):
        server = Server(self)
        self.assertEqual(server.post(LIST, token="hf_guessed", modern=True)[0], 401)
        self.assertEqual(server.ask("GET", "/?code=guessed")[0], 401)
        log = self.log_of(server)
        self.assertRegex(log, r"warn web: 127\.0\.0\.1:\d+ was refused: this token is not valid")
        self.assertRegex(log, r"warn web: 127\.0\.0\.1:\d+ was refused: it came with a login code")
        self.assertNotIn("guessed", log)

    def log_of(self, server):
        server.stop()
        log = ""
        try:
            while True:
                log += server.log.next()
        except EOFError:
            return log


class Documents(ProgramTest):
    """What docs/http.md and docs/mcp.md say, asked of the server."""

    DOCS = pathlib.Path(__file__).resolve().parents[3] / "docs"

    def test_p31_the_commands_for_tokens_do_what_is_said(self):
        server = Server(self)
        said = dict(re.findall(r"^holdfast token (add \w+|list|revoke \w+)(.*?)(?:  +#.*)?$", (self.DOCS / "http.md").read_text(), re.M))
        self.assertEqual(set(said), {"add ann", "add prometheus", "list", "revoke ann"})
        for name, reads in (("ann", 403), ("prometheus", 200)):
            token = self.json_of("token", *f"add {name}{said[f'add {name}']}".split())["token"]
            self.assertEqual(server.ask("GET", "/metrics", {"Authorization": f"Bearer {token}"})[0], reads, name)
        self.assertEqual(self.run_program("token", "list").returncode, 0)
        self.assertEqual(self.run_program("token", "revoke", "ann").returncode, 0)

    def test_p31_what_is_offered_over_mcp_is_what_is_said(self):
        text = (self.DOCS / "mcp.md").read_text()
        server = Server(self)
        session = server.post(initialize())[1]["mcp-session-id"]
        server.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, session=session)

        def ask(method, modern, params=None):
            message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**(params or {}), **({"_meta": ENVELOPE} if modern else {})}}
            if method == "initialize" and not modern:
                return server.post(initialize())[2]
            return server.post(message, session=None if modern else session, modern=modern)[2]

        known = 0
        for methods, *eras in re.findall(r"^\| (`[a-z].*?`) \| (yes|no)\b.*? \| (yes|no)\b.*? \|$", text, re.M):
            for method in re.findall(r"`([^`]+)`", methods):
                for modern, served in zip((False, True), eras):
                    answer = ask(method, modern)
                    unknown = answer.get("error", {}).get("code") == -32601
                    self.assertEqual(unknown, served == "no", (method, "modern" if modern else "legacy", answer))
                    known += 1
        self.assertGreater(known, 30)
        offered = [each["uri"] for each in ask("resources/list", True)["result"]["resources"]]
        offered += [each["uriTemplate"] for each in ask("resources/templates/list", True)["result"]["resourceTemplates"]]
        offered += [each["name"] for each in ask("prompts/list", True)["result"]["prompts"]]
        paragraph = re.search(r"^holdfast offers .*?\n\n", text, re.M | re.S)[0]
        said = {each for each in re.findall(r"`([^`]+)`", paragraph) if each.startswith("holdfast://") or "_" in each}
        self.assertEqual(said, set(offered))


class Strangers(ProgramTest):
    """Clients that have shown nothing yet: what they can cost."""

    def most_memory(self, server):
        with open(f"/proc/{server.process.pid}/status") as status:
            return int(next(line.split()[1] for line in status if line.startswith("VmHWM:"))) * 1024

    def times_meanwhile(self, attack, server, client):
        """Milliseconds of each call of somebody who is known, one after the other, until the attack is over."""
        headers, body, times = server.mcp_headers(modern=LIST), json.dumps(LIST), []
        while attack.poll() is None or not times:
            began = time.monotonic()
            client.request("POST", "/mcp", body, headers)
            answer = client.getresponse()
            answer.read()
            times.append((time.monotonic() - began) * 1000)
            self.assertEqual(answer.status, 200)
        return times

    def expect_little(self, what, times, server):
        """The slowest call is printed and not judged: on a busy machine it says how long this process was not run."""
        print(f"{what}: {len(times)} calls meanwhile, {statistics.median(times):.1f} ms in the middle, "
              f"{sorted(times)[len(times) * 99 // 100]:.1f} ms for 99 of 100, {max(times):.1f} ms at most; "
              f"memory {self.most_memory(server) / MEGABYTE:.0f} MB", file=sys.stderr)
        self.assertLess(statistics.median(times), 50, what)
        self.assertLess(self.most_memory(server), 64 * MEGABYTE, what)

    def test_p4_120_connections_that_guess(self):
        """Who is known does not wait while the list of tokens is read for those who are not, with 120 idle connections beside them."""
        server = Server(self)
        client = server.connect()
        for _ in range(120):
            idle = socket.create_connection(("127.0.0.1", server.port))
            self.addCleanup(idle.close)
        attack = subprocess.Popen([sys.executable, "-c", GUESS, str(server.port)], text=True, stdout=subprocess.PIPE)
        self.addCleanup(attack.stdout.close)
        times = self.times_meanwhile(attack, server, client)
        self.assertEqual(json.loads(attack.stdout.read()), {"401": 1800, "403": 600})
        self.expect_little("guesses", times, server)

    def test_p4_120_connections_with_large_bodies(self):
        """Nothing of a body is read before its sender is known, and who is known is answered meanwhile."""
        server = Server(self)
        client = server.connect()
        own = f"127.0.0.1:{server.port}"
        post = "POST /mcp HTTP/1.1\\r\\nContent-Length: 16000000\\r\\nHost: "
        heads = {f"{post}evil.example.com": 403, f"{post}{own}\\r\\nOrigin: http://evil.example.com": 403, f"{post}{own}": 401,
                 f"{post}{own}\\r\\nAuthorization: Bearer hf_guessed": 401,
                 f"POST /theme HTTP/1.1\\r\\nContent-Length: 16000000\\r\\nHost: {own}": 403}
        for head, status in heads.items():
            attack = subprocess.Popen([sys.executable, "-c", ATTACK, str(server.port), head + "\\r\\n\\r\\n"], text=True,
                                      stdout=subprocess.PIPE)
            self.addCleanup(attack.stdout.close)
            times = self.times_meanwhile(attack, server, client)
            self.assertEqual(attack.stdout.read().strip(), str({str(status): 120}), head)
            self.expect_little(f"{status} for {head[-40:]!r}", times, server)

    def test_p4_idle_connections_do_not_shut_others_out(self):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        server = Server(self)
        early = server.connect()
        early.request("POST", "/mcp", json.dumps(LIST), server.mcp_headers(modern=LIST))
        self.assertEqual(early.getresponse().read()[:1], b"{")
        idle = []
        for _ in range(min(10_100, hard - 100)):
            idle.append(socket.create_connection(("127.0.0.1", server.port)))
            self.addCleanup(idle[-1].close)
        self.assertEqual(server.post(LIST, modern=True)[0], 200, "a client that comes late")
        early.request("POST", "/mcp", json.dumps(LIST), server.mcp_headers(modern=LIST))
        self.assertEqual(early.getresponse().status, 200, "a client that was there first")
        self.assertEqual(idle[0].recv(1), b"", "the oldest has to go")
        self.assertLess(self.most_memory(server), 64 * MEGABYTE)


class Neighbours(ProgramTest):
    """Other programs of this machine."""

    def ask_as(self, user, server, method="POST", path="/mcp", headers=None, body=None, host="127.0.0.1"):
        """Status and text. The kernel says that a socket is of the user whom its thread acts for when it is made."""
        libc = ctypes.CDLL(None)
        libc.setfsuid(user)
        sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        libc.setfsuid(os.geteuid())
        sock.connect((host, server.port))
        connection = http.client.HTTPConnection(host, server.port)
        connection.sock = sock
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    @unittest.skipUnless(os.geteuid() == 0, "only root can be somebody else")
    def test_p2_without_a_token_only_the_servers_own_user_is_served(self):
        for listens, hosts in (("127.0.0.1", ("127.0.0.1", "::ffff:127.0.0.1")), ("::1", ("::1",))):
            server = Server(self, "--no-auth", "--host", listens)
            token = self.json_of("token", "add", "ann" + str(server.port))["token"]
            headers, body = server.mcp_headers(modern=LIST, token="none"), json.dumps(LIST)
            headers["Host"] = f"localhost:{server.port}"
            for host in hosts:
                self.assertEqual(self.ask_as(0, server, headers=headers, body=body, host=host)[0], 200, host)
                status, text = self.ask_as(NOBODY, server, headers=headers, body=body, host=host)
                self.assertEqual(status, 401, host)
                self.assertIn("holdfast token add", text)
                for path in ("/", "/events", "/metrics", "/search?q=x"):
                    self.assertEqual(self.ask_as(NOBODY, server, "GET", path, {"Host": headers["Host"]}, host=host)[0], 401, path)
                allowed = {**headers, "Authorization": "Bearer " + token}
                self.assertEqual(self.ask_as(NOBODY, server, headers=allowed, body=body, host=host)[0], 200, host)
            while f"is of the user {NOBODY}" not in server.log.next():
                pass
            server.stop()

    PROGRAMS = ("gh", "git", "pdftotext", "xdg-open", "python3", "sh", "npx", "node", "claude", "codex", "systemctl")

    def started_programs(self, folder):
        return sorted(each.name for each in (folder / "started").iterdir())

    def values_of(self, tool):
        """Arguments of calls that fit the schema: each word of every list of words, and what leads to programs."""
        properties = tool["inputSchema"]["properties"]
        plain = {"string": "x", "integer": 1, "number": 1, "boolean": True, "object": {}}
        fitting = {}
        for name, schema in properties.items():
            kind = schema.get("type")
            kind = kind[0] if isinstance(kind, list) else kind
            fitting[name] = schema["enum"][0] if "enum" in schema else ["x"] if kind == "array" else plain.get(kind, "x")
        transcript = "11111111-0000-4000-8000-000000000001"
        fitting.update({name: transcript for name in ("session_id", "source_session_id") if name in fitting})
        required = {name: fitting[name] for name in tool["inputSchema"].get("required", [])}
        yield required
        yield {**required, **{name: transcript for name in ("session_id", "source_session_id") if name in fitting}}
        for name, schema in properties.items():
            for word in schema.get("enum", []):
                yield {**required, name: word}
        for name in ("archive_path", "output_path", "file_path", "query", "prompt"):
            if name in properties:
                yield {**required, name: "gist://0123456789abcdef0123"}
        if "tasks" in properties:
            yield {"tasks": ["x"]}

    def test_p2_what_starts_programs_needs_a_token_always(self):
        """Every tool there is, with every word that it takes, while each program that we ever start leaves a trace of being started."""
        folder = self.home / "programs"
        (folder / "started").mkdir(parents=True)
        for name in self.PROGRAMS:
            (folder / name).write_text(f"#!/bin/sh\n: > {folder}/started/{name}\nexit 1\n")
            (folder / name).chmod(0o755)
        transcript = self.home / ".claude/projects/-home-dev/11111111-0000-4000-8000-000000000001.jsonl"
        transcript.parent.mkdir(parents=True)
        transcript.write_text(json.dumps({"type": "user", "cwd": "/home/dev", "sessionId": transcript.stem, "uuid": "u1",
                                          "timestamp": "2026-07-01T10:00:00.000Z", "message": {"role": "user", "content": "hello"}}) + "\n")
        (self.home / "docs").mkdir()
        (self.home / "docs" / "a.md").write_text("# A\n")
        config = self.home / ".config/holdfast"
        config.mkdir(parents=True)
        (config / "mcp.json").write_text(json.dumps({"mcpServers": {"own": {"command": "npx", "args": []}}}))
        environment = {"PATH": str(folder), "HOLDFAST_RESEARCH_CORPUS": str(self.home / "docs"), "HOLDFAST_GIST_API": "http://127.0.0.1:9"}
        words = ("--tools", "all", "--documents", str(self.home / "docs"))

        def call(server, token, name, arguments):
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                       "params": {"name": name, "arguments": arguments, "_meta": ENVELOPE}}
            return json.dumps(server.post(message, token=token, modern=True)[2])

        server = Server(self, "--no-auth", *words, **environment)
        ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": ENVELOPE}}
        tools = server.post(ask, token="none", modern=True)[2]["result"]["tools"]
        self.assertGreater(len(tools), 25)
        refused, tried = set(), 0
        for tool in tools:
            for arguments in self.values_of(tool):
                text = call(server, "none", tool["name"], arguments)
                self.assertEqual(self.started_programs(folder), [], (tool["name"], arguments))
                tried += 1
                if "token_needed" in text:
                    refused.add(tool["name"])
        self.assertGreater(tried, 60)
        self.assertEqual(refused, {"autonomous_filesystem_full", "autonomous_persistent_session", "save_session_to_gist",
                                   "save_current_session", "restore_session"})
        server.stop()
        # With a token the same calls are made: the test sees what is started.
        server = Server(self, *words, **environment)
        for name in sorted(refused):
            for tool in tools:
                for arguments in self.values_of(tool) if tool["name"] == name else ():
                    self.assertNotIn("token_needed", call(server, server.token(), name, arguments))
        self.assertIn("gh", self.started_programs(folder))
        # And a server without --no-auth lets nobody in who has none.
        self.assertEqual(server.post(LIST, token="hf_none", modern=True)[0], 401)

    @unittest.skipUnless(os.geteuid() == 0, "only root can be somebody else")
    def test_p5_a_server_that_receives_the_cookie_cannot_use_it(self):
        server = Server(self)
        cookie = server.ask("GET", login_path(self.json_of("login")["url"]))[1]["set-cookie"].split("; ")[0]
        headers = {"Cookie": cookie}
        self.assertEqual(self.ask_as(0, server, "GET", "/", headers)[0], 200)
        for path in ("/", "/events", "/storage"):
            for host in (f"127.0.0.1:{server.port}", "localhost", "[::1]"):
                self.assertEqual(self.ask_as(NOBODY, server, "GET", path, {**headers, "Host": host})[0], 401, path)

    def test_p5_a_login_under_the_private_name_counts_there_alone(self):
        server = Server(self)
        address = urllib.parse.urlsplit(self.json_of("login")["private_url"])
        self.assertRegex(address.netloc, rf"^holdfast-[0-9a-f]{{16}}\.localhost:{server.port}$")
        status, headers, _ = server.ask("GET", f"/?{address.query}", {"Host": address.netloc})
        self.assertEqual(status, 303)
        cookie = {"Cookie": headers["set-cookie"].split("; ")[0]}
        self.assertEqual(server.ask("GET", "/", {**cookie, "Host": address.netloc})[0], 200)
        self.assertEqual(server.ask("GET", "/", cookie)[0], 401, "who has the cookie alone has nothing")
        self.assertEqual(server.ask("GET", "/", {**cookie, "Host": "holdfast-0123456789abcdef.localhost"})[0], 403)


class Life(ProgramTest):
    def test_a_port_in_use(self):
        server = Server(self)
        done = self.run_program("serve", "--port", str(server.port))
        self.assertEqual(done.returncode, 5)
        self.assertIn("in use", done.stderr)

    def test_a_kill_loses_neither_token_nor_session(self):
        server = Server(self)
        token = server.token()
        status, headers, _ = server.post(initialize())
        self.assertEqual(status, 200)
        session = headers["mcp-session-id"]
        server.process.kill()
        server.process.wait(PATIENCE)
        again = Server(self, port=server.port)
        self.assertEqual(again.token(), token)
        status, _, answer = again.post(call(2, {"operation": "list"}), session=session)
        self.assertEqual((status, answer["result"]["structuredContent"]["count"]), (200, 0))

    def open_stream(self, server, method, headers, message=None):
        connection = server.connect()
        connection.request(method, "/mcp", json.dumps(message) if message else None, headers)
        answer = connection.getresponse()
        self.assertEqual(answer.status, 200)
        self.assertIn("text/event-stream", answer.getheader("content-type"))
        self.addCleanup(connection.close)
        return answer

    def test_stopping_ends_a_subscription_with_its_answer(self):
        server = Server(self)
        listen = {"jsonrpc": "2.0", "id": 9, "method": "subscriptions/listen",
                  "params": {"notifications": {"toolsListChanged": True}, "_meta": ENVELOPE}}
        stream = self.open_stream(server, "POST", server.mcp_headers(modern=listen), listen)
        while b"acknowledged" not in stream.readline():
            pass
        server.process.send_signal(signal.SIGTERM)
        events = [json.loads(line[6:]) for line in stream.read().decode().splitlines() if line.startswith("data: ")]
        self.assertEqual((events[-1]["id"], events[-1]["result"]["resultType"]), (9, "complete"))
        self.assertEqual(server.process.wait(PATIENCE), 0)

    def test_stopping_ends_a_legacy_stream(self):
        server = Server(self)
        session = server.post(initialize())[1]["mcp-session-id"]
        stream = self.open_stream(server, "GET", server.mcp_headers(session))
        began = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        stream.read()  # raises when the stream is cut off instead of ended
        self.assertEqual(server.process.wait(PATIENCE), 0)
        self.assertLess(time.monotonic() - began, 5, "the stream was waited for")

    def test_what_a_person_sees(self):
        process = subprocess.Popen([HOLDFAST, "serve", "--port", "0"], env=self.environment(), text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(process.stdout.close)
        page, mcp = process.stdout.readline(), process.stdout.readline()
        process.terminate()
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertRegex(page, r"^page http://127\.0\.0\.1:\d+/  \(holdfast login prints")
        self.assertRegex(mcp, r"^MCP  http://127\.0\.0\.1:\d+/mcp  token in " + str(self.data / "token"))

    def test_p5_a_login_code_is_shown_on_a_terminal_alone(self):
        for words in ([], ["--json"]):
            master, slave = pty.openpty()
            process = subprocess.Popen([HOLDFAST, "serve", "--port", "0", *words], env=self.environment(NO_COLOR="1"), text=True,
                                       stdout=slave, stderr=subprocess.DEVNULL)
            os.close(slave)
            text = ""
            while "mcp" not in text:
                text += os.read(master, 10_000).decode()
            process.terminate()
            self.assertEqual(process.wait(PATIENCE), 0)
            os.close(master)
            self.assertRegex(text, r"http://127\.0\.0\.1:\d+/\?code=[a-z2-7]{26}")
            if not words:
                self.assertRegex(text, r"^page http://holdfast-[0-9a-f]{16}\.localhost:\d+/\?code=[a-z2-7]{26}  \(works once")
        self.assertNotIn("code", json.dumps(Server(self).about))

    def test_settings(self):
        config = self.home / ".config/holdfast/config.json"
        config.parent.mkdir(parents=True)
        config.write_text(json.dumps({"host": "::1", "http": {"allowed_hosts": ["box.local"]}}))
        server = Server(self, HOLDFAST_HOST="127.0.0.1")
        self.assertEqual(server.ask("GET", "/healthz", {"Host": "box.local"})[0], 200)
        self.assertEqual(server.ask("GET", "/healthz", {"Host": "fox.local"})[0], 403)


main()
