#!/usr/bin/env python3
"""usage: serve.py HOLDFAST HOLDFAST-SEED    the HTTP server, from outside"""
import json
import signal
import stat
import subprocess
import time
import urllib.parse

from program import ENVELOPE, HOLDFAST, PATIENCE, ProgramTest, Server, call, initialize, main


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
        status, headers, _ = server.ask("GET", login_path(server.about["url"]))
        self.assertEqual((status, headers["location"]), (303, "/"))
        cookie, *flags = headers["set-cookie"].split("; ")
        self.assertEqual(set(flags), {"Path=/", "HttpOnly", "SameSite=Strict", "Max-Age=604800"})
        status, headers, page = server.ask("GET", "/", {"Cookie": cookie})
        self.assertEqual(status, 200)
        self.assertIn("default-src 'none'", headers["content-security-policy"])
        self.assertIn("Timeline", page)
        self.assertIn(str(self.data / "store.db"), server.ask("GET", "/storage", {"Cookie": cookie})[2])
        self.assertEqual(server.ask("GET", login_path(server.about["url"]))[0], 401, "the code worked twice")
        self.assertEqual(server.ask("POST", "/mcp", {"Cookie": cookie}, "{}")[0], 401, "a cookie opened /mcp")
        again = self.json_of("login")["url"]
        self.assertTrue(again.startswith(f"http://127.0.0.1:{server.port}/?code="), again)
        self.assertEqual(server.ask("GET", login_path(again))[0], 303)

    def test_a_login_code_ends_after_ten_minutes(self):
        clock = self.home / "clock"
        clock.write_text("2031-01-01T00:00:00Z")
        server = Server(self, "--clock-file", str(clock))
        clock.write_text("2031-01-01T00:10:00Z")
        self.assertEqual(server.ask("GET", login_path(server.about["url"]))[0], 401)

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
        token = server.token()
        server.stop()
        log = ""
        try:
            while True:
                log += server.log.next()
        except EOFError:
            pass
        self.assertNotIn(token, log)


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
        self.assertRegex(page, r"^page http://127\.0\.0\.1:\d+/\?code=[a-z2-7]{26}  \(works once")
        self.assertRegex(mcp, r"^MCP  http://127\.0\.0\.1:\d+/mcp  token in " + str(self.data / "token"))

    def test_settings(self):
        config = self.home / ".config/holdfast/config.json"
        config.parent.mkdir(parents=True)
        config.write_text(json.dumps({"host": "::1", "http": {"allowed_hosts": ["box.local"]}}))
        server = Server(self, HOLDFAST_HOST="127.0.0.1")
        self.assertEqual(server.ask("GET", "/healthz", {"Host": "box.local"})[0], 200)
        self.assertEqual(server.ask("GET", "/healthz", {"Host": "fox.local"})[0], 403)


main()
