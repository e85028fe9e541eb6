#!/usr/bin/env python3
"""usage: operations.py HOLDFAST HOLDFAST-SEED    metrics, health, restarts one after the other, backups"""
import http.client
import json
import pathlib
import re
import signal
import socket
import subprocess
import threading
import time
import unittest

from postgres_server import PostgresServer
from program import ENVELOPE, HOLDFAST, PATIENCE, Lines, ProgramTest, Server, main

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\+Inf|-?[0-9][0-9.e+-]*)$")


def parse_metrics(text):
    """Families of the text format 0.0.4: {name: (type, [(suffix, labels, value)])}. Anything that is not the format raises."""
    families, helped, current = {}, set(), None
    assert text.endswith("\n")
    for line in text[:-1].split("\n"):
        if line.startswith("# HELP "):
            name, help = line[7:].split(" ", 1)
            assert re.fullmatch(NAME, name) and help and name not in helped, line
            helped.add(name)
        elif line.startswith("# TYPE "):
            current, type = line[7:].split(" ")
            assert current in helped and current not in families, line
            assert type in ("counter", "gauge", "histogram"), line
            families[current] = (type, [])
        else:
            match = SAMPLE.match(line)
            assert match, line
            name, labels = match[1], dict(re.findall(LABEL, match[2] or ""))
            assert name.startswith(current), line
            suffix = name[len(current):]
            type, samples = families[current]
            assert suffix in (("_bucket", "_sum", "_count") if type == "histogram" else ("",)), line
            value = float(match[match.lastindex])
            assert type != "counter" or value >= 0, line
            assert (suffix, labels) not in [(each[0], each[1]) for each in samples], f"twice: {line}"
            samples.append((suffix, labels, value))
    return families


def check_histogram(samples):
    """Buckets ascend and add up, and the last one is the count."""
    series = {}
    for suffix, labels, value in samples:
        key = tuple(sorted((name, text) for name, text in labels.items() if name != "le"))
        series.setdefault(key, []).append((suffix, labels.get("le"), value))
    for values in series.values():
        buckets = [(float(le), value) for suffix, le, value in values if suffix == "_bucket"]
        assert buckets == sorted(buckets) and [value for _, value in buckets] == sorted(value for _, value in buckets), values
        assert buckets[-1][0] == float("inf")
        assert [value for suffix, _, value in values if suffix == "_count"] == [buckets[-1][1]], values
        assert len([1 for suffix, _, _ in values if suffix == "_sum"]) == 1


def thought(session, text):
    arguments = {"thought": text, "nextThoughtNeeded": True} | ({"sessionId": session} if session else {})
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "thought", "arguments": arguments, "_meta": ENVELOPE}}


class Metrics(ProgramTest):
    def families(self, server):
        status, headers, text = server.ask("GET", "/metrics", server.mcp_headers())
        self.assertEqual((status, headers["content-type"]), (200, "text/plain; version=0.0.4; charset=utf-8"))
        return parse_metrics(text)

    def test_every_line_is_the_format_and_the_numbers_are_right(self):
        server = Server(self)
        for number in range(3):
            server.post(thought(None, f"thought {number}"), modern=True)
        server.post({**thought(None, ""), "params": {"name": "no\"such\\tool\n", "arguments": {}, "_meta": ENVELOPE}}, modern=False)
        server.ask("GET", "/nowhere")
        families = self.families(server)
        for name, (type, samples) in families.items():
            self.assertTrue(name.startswith(("holdfast_", "process_")), name)
            if type == "histogram":
                check_histogram(samples)

        def value(name, suffix="", **labels):
            found = [each for each in families[name][1] if each[0] == suffix and labels.items() <= each[1].items()]
            self.assertEqual(len(found), 1, (name, labels, found))
            return found[0][2]

        self.assertEqual(value("holdfast_request_duration_seconds", "_count", method="tools/call", tool="thought"), 3)
        self.assertEqual(value("holdfast_request_endings_total", method="tools/call", tool="thought", ending="answered"), 3)
        self.assertEqual(value("holdfast_http_responses_total", route="page", status="4xx"), 1)
        self.assertGreaterEqual(value("holdfast_http_request_duration_seconds", "_count", route="mcp"), 3)
        self.assertGreaterEqual(value("holdfast_store_commit_duration_seconds", "_count"), 3)
        self.assertEqual(value("holdfast_store_write_failing"), 0)
        self.assertEqual((value("holdfast_store_sessions"), value("holdfast_store_up")), (3, 1))
        for name in ("store_free_bytes", "store_bytes", "build_info", "pool_threads"):
            self.assertGreater(value("holdfast_" + name), 0, name)
        for name in ("resident_memory_bytes", "open_fds", "max_fds", "start_time_seconds", "threads"):
            self.assertGreater(value("process_" + name), 0, name)

    def test_how_old_the_index_and_the_guard_are(self):
        folder = self.home / ".claude/projects/-home-u-p"
        folder.mkdir(parents=True)
        line = {"type": "user", "sessionId": "0b8c2f4e-5d1a-4c3b-9e7f-0a1b2c3d4e5f", "uuid": "u", "cwd": "/home/u/p",
                "timestamp": "2026-11-15T10:00:00.000Z", "message": {"role": "user", "content": "hello"}}
        (folder / (line["sessionId"] + ".jsonl")).write_text(json.dumps(line) + "\n")
        before = time.time()
        self.assertEqual(self.run_program("guard").returncode, 0)
        server = Server(self)

        def value(name):
            return self.families(server)["holdfast_" + name][1][0][2]

        until = time.monotonic() + PATIENCE
        while value("search_index_updated_seconds") == 0 and time.monotonic() < until:
            time.sleep(0.02)
        size = (folder / (line["sessionId"] + ".jsonl")).stat().st_size
        self.assertEqual((value("transcript_files"), value("transcript_bytes")), (1, size))
        self.assertEqual(value("guard_files"), 1)
        for name in ("search_index_updated_seconds", "guard_kept_seconds"):
            self.assertTrue(before - 1 <= value(name) <= time.time() + 1, name)

    def test_words_of_clients_make_no_series(self):
        server = Server(self)
        for number in range(5):
            message = thought(None, "")
            message["params"]["name"] = f"invented{number}"
            server.post(message, modern=True)
        text = server.ask("GET", "/metrics", server.mcp_headers())[2]
        self.assertNotIn("invented", text)
        self.assertIn('tool="other",ending="failed"} 5', text)


class Health(ProgramTest):
    def test_ready_then_stopping(self):
        server = Server(self, HOLDFAST_DRAIN_ANNOUNCE_S="600")
        self.assertEqual(server.ask("GET", "/healthz")[::2], (200, "ok\n"))
        kept = server.connect()
        kept.request("GET", "/healthz")
        kept.getresponse().read()
        server.process.send_signal(signal.SIGTERM)
        while server.ask("GET", "/healthz")[0] == 200:
            pass
        status, _, text = server.ask("GET", "/healthz", {"Accept": "application/json"})
        self.assertEqual((status, json.loads(text)["status"], json.loads(text)["reason"]), (503, "unavailable", "stopping"))
        # It is still served, and asked to come back elsewhere.
        status, headers, _ = server.ask("POST", "/mcp", server.mcp_headers(modern=thought(None, "")), json.dumps(thought(None, "late")))
        self.assertEqual((status, headers.get("connection")), (200, "close"))
        kept.request("GET", "/healthz")
        self.assertEqual(kept.getresponse().getheader("connection"), "close")
        kept.close()
        server.process.send_signal(signal.SIGTERM)
        self.assertNotEqual(server.process.wait(PATIENCE), 0, "a second signal does not wait")

    def test_the_service_manager_is_told(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(str(self.home / "notify"))
            manager.settimeout(PATIENCE)
            server = Server(self, NOTIFY_SOCKET=str(self.home / "notify"))
            self.assertEqual(manager.recv(100), b"READY=1")
            self.assertEqual(server.stop(), 0)
            self.assertEqual(manager.recv(100), b"STOPPING=1")

    def test_a_database_that_has_gone_and_comes_back(self):
        database = PostgresServer()
        self.addCleanup(database.remove)
        server = Server(self, "--store", database.make_database("holdfast"))
        self.assertEqual(server.ask("GET", "/healthz")[0], 200)
        database.stop()
        while True:  # an answer is believed for a second
            status, _, text = server.ask("GET", "/healthz")
            if status != 200:
                break
        self.assertEqual(status, 503)
        self.assertIn("the store", text)
        database.start()
        while server.ask("GET", "/healthz")[0] != 200:
            pass


class RollingRestart(ProgramTest):
    """Two nodes over one store. A client goes to a node that says it is ready, and tries the next when nobody listens there."""

    CLIENTS, ROUNDS = 4, 2

    def start(self, port=0):
        return Server(self, "--no-auth", port=port, HOLDFAST_DRAIN_ANNOUNCE_S="0.3")

    def test_no_call_fails(self):
        nodes = [self.start(), self.start()]
        ports = [node.port for node in nodes]
        over, failures, answered = threading.Event(), [], [[] for _ in range(self.CLIENTS)]
        clients = [threading.Thread(target=self.work, args=(number, ports, over, failures, answered[number]))
                   for number in range(self.CLIENTS)]
        for client in clients:
            client.start()
        for _ in range(self.ROUNDS):
            for number, node in enumerate(nodes):
                before = [len(each) for each in answered]
                self.assertEqual(node.stop(), 0)
                nodes[number] = self.start(ports[number])
                while not over.is_set() and any(len(now) < then + 5 for now, then in zip(answered, before)):
                    over.wait(0.01)
        over.set()
        for client in clients:
            client.join(PATIENCE)
        self.assertEqual(failures, [])
        for each in answered:
            self.assertEqual([number for _, number in each], list(range(1, len(each) + 1)), "every call once, in order")

    def work(self, number, ports, over, failures, answered):
        connection, session, at = None, None, number
        try:
            while not over.is_set():
                text = f"{number}: {len(answered) + 1}"
                message = thought(session, text)
                while True:
                    if connection is None:
                        at += 1
                        connection = http.client.HTTPConnection("127.0.0.1", ports[at % len(ports)], timeout=PATIENCE)
                        try:
                            connection.connect()
                            connection.request("GET", "/healthz")
                            ready = connection.getresponse()
                            ready.read()
                        except (ConnectionRefusedError, ConnectionResetError, http.client.RemoteDisconnected):
                            connection = self.close(connection)  # nothing was asked of it yet
                            continue
                        if ready.status != 200 or ready.getheader("Connection") == "close":
                            connection = self.close(connection)
                            continue
                    connection.request("POST", "/mcp", json.dumps(message), {
                        "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                        "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "thought"})
                    answer = connection.getresponse()
                    body = json.loads(answer.read())
                    if answer.getheader("Connection") == "close":
                        connection = self.close(connection)
                    break
                result = body["result"]["structuredContent"]
                session = result["sessionId"]
                answered.append((text, result["thoughtNumber"]))
        except Exception as error:  # noqa: BLE001  every one is a failed call
            failures.append(f"{number}, call {len(answered) + 1}: {error!r}")
            over.set()
        if connection:
            connection.close()

    @staticmethod
    def close(connection):
        connection.close()


class Waiting(ProgramTest):
    def test_p10_a_server_waits_for_its_database(self):
        database = PostgresServer()
        self.addCleanup(database.remove)
        url = database.make_database("holdfast")
        database.stop()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        waiting = subprocess.Popen([HOLDFAST, "serve", "--json", "--port", str(port), "--store", url], env=self.environment(),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (waiting.kill(), waiting.wait(PATIENCE)) if waiting.poll() is None else None)
        log, out = Lines(waiting.stderr), Lines(waiting.stdout)
        while "waiting" not in log.next():
            pass

        def health():
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            connection.request("GET", "/healthz", headers={"Accept": "application/json"})
            answer = connection.getresponse()
            body = json.loads(answer.read())
            connection.close()
            return answer.status, body

        status, body = health()
        self.assertEqual((status, body["status"]), (503, "unavailable"))
        self.assertIn("waiting for the store", body["reason"])
        database.start()
        self.assertEqual(json.loads(out.next())["port"], port)
        self.assertEqual(health()[0], 200)
        waiting.send_signal(signal.SIGTERM)
        self.assertEqual(waiting.wait(PATIENCE), 0)

    def test_p10_a_server_that_waits_can_be_stopped(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            nobody = free.getsockname()[1]
        waiting = subprocess.Popen([HOLDFAST, "serve", "--port", "0", "--store", f"postgresql://nobody@127.0.0.1:{nobody}/x"],
                                   env=self.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (waiting.kill(), waiting.wait(PATIENCE)) if waiting.poll() is None else None)
        log = Lines(waiting.stderr)
        while "waiting" not in log.next():
            pass
        waiting.send_signal(signal.SIGTERM)
        self.assertEqual(waiting.wait(PATIENCE), 0)

    def test_p10_units_are_started_again_for_ever(self):
        for unit in (pathlib.Path(__file__).resolve().parents[3] / "packaging").glob("*.service"):
            self.assertIn("StartLimitIntervalSec=0", unit.read_text(), unit.name)


class Backup(ProgramTest):
    def test_while_a_server_writes(self):
        server = Server(self)
        session = server.post(thought(None, "1"), modern=True)[2]["result"]["structuredContent"]["sessionId"]
        over, count = threading.Event(), [1]

        def write():
            while not over.is_set():
                server.post(thought(session, str(count[0] + 1)), modern=True)
                count[0] += 1

        writer = threading.Thread(target=write)
        writer.start()
        try:
            while count[0] < 5:
                over.wait(0.01)
            answered = count[0]
            made = self.json_of("store", "backup", str(self.home / "backup.db"))
            while count[0] < answered + 5:
                over.wait(0.01)
        finally:
            over.set()
            writer.join(PATIENCE)
        self.assertTrue(made["verified"])
        self.assertGreaterEqual(made["entries"], answered, "what was answered before is in it")
        self.assertEqual(sorted(path.name for path in self.home.glob("backup.db*")), ["backup.db"])
        self.assertEqual((self.home / "backup.db").stat().st_mode & 0o777, 0o600)

        again = self.run_program("store", "backup", str(self.home / "backup.db"))
        self.assertEqual(again.returncode, 5)
        self.assertIn("exists already", again.stderr)
        refused = self.run_program("store", "restore", str(self.home / "backup.db"))
        self.assertEqual(refused.returncode, 5)
        self.assertIn("--replace", refused.stderr)
        in_use = self.run_program("store", "restore", str(self.home / "backup.db"), "--replace")
        self.assertEqual(in_use.returncode, 7, in_use.stderr)
        self.assertIn("in use", in_use.stderr)
        self.assertEqual(server.post(thought(session, "still there"), modern=True)[0], 200)

        server.stop()
        restored = self.json_of("store", "restore", str(self.home / "backup.db"), "--replace")
        self.assertEqual((restored["entries"], restored["verified"]), (made["entries"], True))
        self.assertTrue(self.json_of("store", "verify")["ok"])
        self.assertEqual(self.json_of("sessions", "show", session)["session"]["entry_count"], made["entries"])
        # What was there before has been put aside, whole, and can be had back the same way.
        aside = self.json_of("store", "verify", "--store", "sqlite:" + restored["put_aside"])
        self.assertEqual((aside["ok"], aside["entries"]), (True, count[0] + 1))
        server = Server(self)
        self.assertEqual(server.post(thought(session, "next"), modern=True)[2]["result"]["structuredContent"]["thoughtNumber"],
                         made["entries"] + 1)

    def test_what_is_no_backup(self):
        (self.home / "text").write_text("not a store " * 1000)
        for file, code in ((self.home / "text", 6), (self.home / "nothing", 3)):
            done = self.run_program("store", "restore", str(file))
            self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(list(self.data.glob("store.db*")), [])

    def test_a_damaged_backup_is_not_restored(self):
        self.seed([{"id": "a", "kind": "thread", "entries": ["x" * 5000] * 20}])
        self.json_of("store", "backup", str(self.home / "backup.db"))
        bytes = bytearray((self.home / "backup.db").read_bytes())
        place = bytes.rindex(b"x" * 3000)
        bytes[place:place + 3] = b"yyy"
        (self.home / "backup.db").write_bytes(bytes)
        done = self.run_program("store", "restore", str(self.home / "backup.db"), "--replace")
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertTrue(self.json_of("store", "verify")["ok"], "the store is as it was")
        self.assertEqual([path.name for path in self.data.glob("store.db.*") if "index" not in path.name], [])

    def test_postgres_as_documented(self):
        database = PostgresServer()
        self.addCleanup(database.remove)
        url = database.make_database("holdfast")
        server = Server(self, "--store", url)
        session = server.post(thought(None, "1"), modern=True)[2]["result"]["structuredContent"]["sessionId"]
        where = ("-h", database.folder, "-p", database.port, "-U", database.user)
        dump = database.folder / "holdfast.dump"
        database.run("pg_dump", *where, "-Fc", "-n", "holdfast", "-f", dump, "holdfast")
        self.assertEqual(server.post(thought(session, "2"), modern=True)[0], 200)
        second = database.make_database("holdfast2")
        database.run("pg_restore", *where, "-d", "holdfast2", dump)
        verified = self.json_of("store", "verify", "--store", second)
        self.assertEqual((verified["ok"], verified["entries"]), (True, 1))
        refused = self.run_program("store", "backup", str(self.home / "backup.db"), "--store", url)
        self.assertEqual(refused.returncode, 5)
        self.assertIn("pg_dump", refused.stderr)
        server.stop()
        copied = self.json_of("store", "copy", url, str(self.home / "copy.db"))
        self.assertEqual((copied["entries"], copied["verified"]), (2, True))


if __name__ == "__main__":
    main()
