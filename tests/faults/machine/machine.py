#!/usr/bin/env python3
"""usage: machine.py HOLDFAST SHIM [TEST…]    what one machine can do to the program, done to the program as it is installed

Each fault asks the same four things: is the error named, did a refused call change nothing, is all there that was answered, and does
the running process go on by itself when the cause has gone. SHIM is shim.cpp as a library; its header says what it can do.
"""
import collections
import contextlib
import errno
import http.client
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import unittest

SHIM = str(pathlib.Path(sys.argv[2]).resolve())
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "e2e/app"))
from program import ENVELOPE, HOLDFAST, PATIENCE, Lines, ProgramTest, Server, initialize  # noqa: E402
from transcripts_home import DEMO, OLD, TranscriptsTest, sid, tree_of  # noqa: E402

TEXT = "A thought as long as thoughts are. " * 20


def tool_call(id, tool, arguments, legacy=False):
    envelope = {} if legacy else {"_meta": ENVELOPE}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments, **envelope}}


class Refused(Exception):
    """A call that was answered with an error; its text is what the model would read."""


def outcome(message, prose=False):
    if "error" in message:
        raise Refused(json.dumps(message["error"]))
    result = message["result"]
    if result.get("isError"):
        raise Refused(" ".join(block.get("text", "") for block in result["content"]))
    return "\n".join(block["text"] for block in result["content"]) if prose else result["structuredContent"]


class Stdio:
    """A running `holdfast mcp`; answers come back by id. legacy: a client that has a connection, which remembers its session."""

    def __init__(self, case, before=None, legacy=False, words=(), **environment):
        self.legacy = legacy
        self.process = subprocess.Popen([HOLDFAST, "mcp", "--store", case.store(), *words], env=case.environment(**environment), text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=before)
        case.addCleanup(self.kill)
        self.lines, self.log = Lines(self.process.stdout), Lines(self.process.stderr)
        self.id = 0
        if legacy:
            self.process.stdin.write(json.dumps(initialize()) + "\n")
            self.process.stdin.flush()
            self.lines.next()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)
        self.process.stdin.close()

    def send(self, tool, arguments):
        self.id += 1
        self.process.stdin.write(json.dumps(tool_call(self.id, tool, arguments, self.legacy)) + "\n")
        self.process.stdin.flush()

    def call(self, tool, **arguments):
        self.send(tool, arguments)
        return outcome(json.loads(self.lines.next()))

    def text(self, tool, **arguments):
        """Of tools that answer in prose."""
        self.send(tool, arguments)
        return outcome(json.loads(self.lines.next()), prose=True)


class Http:
    """`holdfast serve` with the same interface; one connection, kept open."""

    def __init__(self, case, before=None, **environment):
        words = [HOLDFAST, "serve", "--json", "--no-auth", "--port", "0", "--store", case.store()]
        self.process = subprocess.Popen(words, env=case.environment(**environment), stdin=subprocess.DEVNULL, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=before)
        case.addCleanup(self.kill)
        self.log = Lines(self.process.stderr)
        self.connection = None
        self.port = json.loads(Lines(self.process.stdout).next())["port"]
        self.connection = self.connect()

    kill_process = Server.kill

    def kill(self):
        if self.connection:
            self.connection.close()
        self.kill_process()

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def call(self, tool, connection=None, **arguments):
        connection = connection or self.connection
        message = tool_call(1, tool, arguments)
        connection.request("POST", "/mcp", json.dumps(message), {
            "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool})
        return outcome(json.loads(connection.getresponse().read()))

    def get(self, path):
        connection = self.connect()
        connection.request("GET", path)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text


class MachineTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.orders_file = self.home / "orders"
        self.folder = self.home / "disk"
        self.folder.mkdir()
        self.order()

    def store(self):
        return f"sqlite:{self.folder}/store.db"

    def order(self, *lines):
        """What the shim does from now on. The file changes all at once."""
        fresh = self.home / "orders.new"
        fresh.write_text("".join(line + "\n" for line in (f"below {self.folder}", *lines)))
        fresh.rename(self.orders_file)

    def environment(self, **more):
        return super().environment(**({"HF_SHIM": str(self.orders_file), "LD_PRELOAD": SHIM} | more))

    def clients(self):
        yield "stdio", Stdio(self)
        self.order()  # a test that failed may have left others
        yield "http", Http(self)

    def begin(self, client):
        return client.call("thought", thought="begin", nextThoughtNeeded=True)["sessionId"]

    def think(self, client, session, text):
        return client.call("thought", sessionId=session, thought=text, nextThoughtNeeded=True)["thoughtNumber"]

    def get(self, client, session):
        return client.call("session", operation="get", sessionId=session)["session"]

    def refused(self, client, session, text, *words):
        """The call is answered with an error in which all these words stand."""
        with self.assertRaises(Refused) as seen:
            self.think(client, session, text)
        for word in words:
            self.assertIn(word, str(seen.exception))

    def expect_thoughts(self, session, texts):
        """What a process that starts now finds is these texts, numbered from 1 without a gap, and a sound store."""
        exported = json.loads(self.plain("sessions", "export", session, "--format", "json"))
        found = [(node["data"]["thoughtNumber"], node["data"]["thought"]) for node in exported["nodes"]]
        self.assertEqual(found, list(enumerate(texts, 1)))
        self.assertTrue(json.loads(self.plain("store", "verify", "--json"))["ok"])

    def plain(self, *words):
        done = subprocess.run([HOLDFAST, *words, "--store", self.store()], env=self.environment(LD_PRELOAD=""), text=True,
                              capture_output=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def mount_disk(self, size):
        """A real small disk below the store; only where mounting is allowed."""
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "holdfast-test", self.folder], capture_output=True)
        if mounted.returncode:
            self.skipTest("mounting is not allowed here")
        self.addCleanup(subprocess.run, ["umount", "--lazy", self.folder], check=False)


class Disk(MachineTest):
    def test_full(self):
        for name, client in self.clients():
            with self.subTest(name):
                session = self.begin(client)
                for failing in ("write", "sync"):
                    self.order(f"{failing} {errno.ENOSPC}")
                    self.refused(client, session, "lost", str(self.folder), "disk")
                    self.order()
                self.order(f"write {errno.ENOSPC}")
                self.refused(client, session, "lost", "the disk is full", "free some space")
                # What is there can still be read.
                self.assertEqual(self.get(client, session)["thoughtCount"], 1)
                self.order()
                self.assertEqual(self.think(client, session, "after"), 2)
                self.expect_thoughts(session, ["begin", "after"])

    def test_a_real_disk_that_fills_up(self):
        self.mount_disk("3m")
        for name, client in self.clients():
            with self.subTest(name):
                session, texts = self.begin(client), ["begin"]
                filler = self.folder / f"filler-{name}"
                with self.assertRaises(OSError), open(filler, "wb", buffering=0) as file:
                    while True:
                        file.write(bytes(4096))
                # The log may have pages left from before; then it is full.
                with self.assertRaises(Refused) as seen:
                    while True:
                        text = f"{len(texts)} {TEXT}"
                        self.think(client, session, text)
                        texts.append(text)
                self.assertIn("the disk is full", str(seen.exception))
                filler.unlink()
                self.assertEqual(self.think(client, session, "after"), len(texts) + 1)
                self.expect_thoughts(session, [*texts, "after"])

    def test_read_only(self):
        for name, client in self.clients():
            with self.subTest(name):
                session = self.begin(client)
                self.order(*(f"{what} {errno.EROFS}" for what in ("write", "sync", "open")))
                self.refused(client, session, "lost", str(self.folder))
                self.assertEqual(self.get(client, session)["thoughtCount"], 1)
                self.order()
                self.assertEqual(self.think(client, session, "after"), 2)
                self.expect_thoughts(session, ["begin", "after"])

    def test_a_disk_that_is_mounted_read_only(self):
        self.mount_disk("8m")
        client = Http(self)
        session = self.begin(client)
        # As the kernel does it after errors: files that are open for writing stay so, and every write is refused.
        self.order(f"write {errno.EROFS}", f"open {errno.EROFS}")
        self.refused(client, session, "lost", "read-only")
        client.kill()
        self.order()
        subprocess.run(["mount", "-o", "remount,ro", self.folder], check=True)
        self.assertIn(session, self.plain("sessions", "list", "--json"))
        started = subprocess.run([HOLDFAST, "serve", "--no-auth", "--port", "0", "--store", self.store()], text=True,
                                 env=self.environment(), capture_output=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
        self.assertNotEqual(started.returncode, 0)
        self.assertIn("read-only", started.stderr)
        subprocess.run(["mount", "-o", "remount,rw", self.folder], check=True)
        self.assertEqual(self.think(Http(self), session, "after"), 2)
        self.expect_thoughts(session, ["begin", "after"])

    def read_everything(self, session):
        """What works without writing anything: the commands that read, and the tools."""
        self.assertIn(session, self.plain("sessions", "list", "--json"))
        for words in (("show", session), ("resume", session), ("export", session, "--format", "json")):
            self.assertIn("begin", self.plain("sessions", *words))
        self.assertIn("begin", self.plain("search", "begin"))
        client = Stdio(self, legacy=True)
        loaded = client.call("init", operation="load_context", sessionId=session)
        self.assertEqual([each["thought"] for each in loaded["recentThoughts"]], ["begin"])
        self.assertIn("sessionId", loaded["notice"])
        self.assertEqual([each["id"] for each in client.call("session", operation="list", allRoots=True)["sessions"]], [session])
        self.assertEqual(client.call("session", operation="resume", sessionId=session)["lastThought"]["thought"], "begin")
        self.assertEqual(client.call("session", operation="search", query="begin", allRoots=True)["count"], 1)
        self.refused(client, session, "lost", "storage_failed", f"{self.folder}/store.db")
        return client

    def begun_and_closed(self):
        """One thought, in a store that nobody has open any more and that is one file alone."""
        client = Stdio(self)
        session = self.begin(client)
        client.process.stdin.close()
        client.process.wait(PATIENCE)
        self.assertEqual([path.name for path in self.folder.glob("store.db*") if "index" not in path.name], ["store.db"])
        return session

    def test_p9_reading_where_nothing_may_be_written(self):
        self.mount_disk("8m")
        for closed in (True, False):
            with self.subTest(closed=closed):
                for path in self.folder.glob("store.db*"):
                    path.unlink()
                if closed:
                    session = self.begun_and_closed()
                else:
                    client = Stdio(self)
                    session = self.begin(client)
                    client.kill()
                    (self.folder / "store.db-shm").unlink()  # a log without its index, as in a copied folder
                subprocess.run(["mount", "-o", "remount,ro", self.folder], check=True)
                try:
                    client = self.read_everything(session)
                finally:
                    subprocess.run(["mount", "-o", "remount,rw", self.folder], check=True)
                # The same process writes as soon as it may.
                self.assertEqual(self.think(client, session, "after"), 2)
                client.kill()
                self.expect_thoughts(session, ["begin", "after"])

    def test_p9_reading_when_the_disk_was_full_before(self):
        self.mount_disk("2m")
        session = self.begun_and_closed()
        filler = self.folder / "filler"
        with self.assertRaises(OSError), open(filler, "wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        client = self.read_everything(session)
        filler.unlink()
        self.assertEqual(self.think(client, session, "after"), 2)
        self.expect_thoughts(session, ["begin", "after"])

    def test_p9_a_limit_of_file_sizes_is_an_error(self):
        """SIGXFSZ would end a program that does not expect it."""
        client = Stdio(self)
        session, limit = self.begin(client), 500_000
        client.kill()
        client = Stdio(self, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.refused(client, session, "x" * 2 * limit, "storage_failed", "largest size", "ulimit -f")
        self.assertEqual(self.get(client, session)["thoughtCount"], 1)
        self.assertEqual(self.think(client, session, "small"), 2)
        self.expect_thoughts(session, ["begin", "small"])
        archived = subprocess.run([HOLDFAST, "archive", session, str(self.home / "a.json"), "--store", self.store()], text=True,
                                  env=self.environment(LD_PRELOAD=""), capture_output=True, timeout=PATIENCE,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)))
        self.assertGreater(archived.returncode, 0, "an exit code, not a signal")

    def test_p9_search_where_the_data_folder_may_not_be_written(self):
        session = self.begin(Stdio(self))
        data = self.home / "data"
        data.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,ro", "holdfast-test", data], capture_output=True)
        if mounted.returncode:
            self.skipTest("mounting is not allowed here")
        self.addCleanup(subprocess.run, ["umount", "--lazy", data], check=False)
        found = subprocess.run([HOLDFAST, "search", "begin", "--json", "--store", self.store()], text=True, capture_output=True,
                               env=self.environment(LD_PRELOAD="", XDG_DATA_HOME=str(data)), timeout=PATIENCE)
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertIn(session, found.stdout)

    def test_p10_a_log_that_is_removed_under_a_server_loses_nothing(self):
        for removed in ("store.db-wal", "store.db-shm"):
            for name, client in self.clients():
                with self.subTest(name, removed=removed):
                    session, texts = self.begin(client), ["begin"]
                    for number in range(5):
                        texts.append(f"before {number}")
                        self.think(client, session, texts[-1])
                    (self.folder / removed).unlink()
                    if removed == "store.db-wal":
                        self.expect_told(client)  # at once, not with the next write
                    texts.append("after")
                    self.assertEqual(self.think(client, session, "after"), len(texts))
                    if removed == "store.db-shm":
                        self.expect_told(client)
                    client.kill()
                    self.expect_thoughts(session, texts)

    def expect_told(self, client):
        line = ""
        while "removed" not in line:
            line = client.log.next()
        self.assertIn("store.db-wal or -shm", line)

    def test_an_error_of_the_disk(self):
        for name, client in self.clients():
            with self.subTest(name):
                session = self.begin(client)
                for failing in ("write", "sync"):
                    self.order(f"{failing} {errno.EIO}")
                    self.refused(client, session, "lost", str(self.folder), "the disk refused")
                self.order()
                self.assertEqual(self.think(client, session, "after"), 2)
                self.expect_thoughts(session, ["begin", "after"])

    def test_slow(self):
        server = Http(self)
        sessions = [self.begin(server) for _ in range(8)]
        self.order("slow 50")
        answered = {session: [] for session in sessions}

        def write(session):
            connection = server.connect()
            for number in range(2, 6):
                text = f"{number} of {session}"
                given = server.call("thought", connection, sessionId=session, thought=text, nextThoughtNeeded=True)
                answered[session].append((given["thoughtNumber"], text))
            connection.close()

        threads = [threading.Thread(target=write, args=(session,)) for session in sessions]
        for thread in threads:
            thread.start()
        # Reads do not wait for the disk of others.
        self.assertEqual(self.get(server, sessions[0])["id"], sessions[0])
        for thread in threads:
            thread.join(PATIENCE)
        self.order()
        numbers = dict(line.rsplit(" ", 1) for line in server.get("/metrics")[1].splitlines() if line.startswith("holdfast_store_commit"))
        self.assertGreater(float(numbers["holdfast_store_commit_writes_sum"]), float(numbers["holdfast_store_commit_writes_count"]),
                           "who waits shares a commit")
        for session in sessions:
            self.assertEqual([number for number, _ in answered[session]], [2, 3, 4, 5])
            self.expect_thoughts(session, ["begin", *(text for _, text in answered[session])])


class Clock(MachineTest):
    DAY = 86_400

    def test_jumps(self):
        for name, client in self.clients():
            with self.subTest(name):
                session, texts, others = self.begin(client), ["begin"], []
                for days in (0, 400, -400, 9000, -20, 0):
                    self.order(f"clock {days * self.DAY}")
                    texts.append(f"{days} days off")
                    self.assertEqual(self.think(client, session, texts[-1]), len(texts))
                    others.append(self.begin(client))
                self.order()
                self.expect_thoughts(session, texts)
                # Ids of one process go up, whatever the clock does.
                self.assertEqual(others, sorted(others))
                self.assertEqual(len(set(others)), len(others))
                listed = client.call("session", operation="list", allRoots=True, limit=50)
                self.assertLessEqual({session, *others}, {each["id"] for each in listed["sessions"]})

    def test_a_jump_deletes_nothing(self):
        client = Http(self)
        threads = []
        for number in range(3):
            # No model is configured: what was said is kept, and the call says that nobody answered.
            try:
                client.call("research", action="chat", prompt=f"question {number}")
            except Refused:
                pass
        listed = client.call("session", operation="list", type="thread", allRoots=True)
        threads = [each["id"] for each in listed["sessions"]]
        self.assertEqual(len(threads), 3)
        self.order(f"clock {4000 * self.DAY}")
        for _ in range(3):
            client.call("session", operation="list", type="thread", allRoots=True)
            subprocess.run([HOLDFAST, "cleanup", "--json", "--store", self.store()], env=self.environment(), check=True,
                           capture_output=True, timeout=PATIENCE)
        self.order()
        for thread in threads:
            kept = self.get(client, thread)
            self.assertIn(kept["visibility"], ("live", "archived"), "one jump must not pass several clocks")


class Descriptors(MachineTest):
    LIMIT = 48

    def cpu_seconds(self, client):
        fields = pathlib.Path(f"/proc/{client.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def start(self):
        return Http(self, before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (self.LIMIT, self.LIMIT)))

    def crowd_of(self, client, says, count=2 * LIMIT):
        crowd = [socket.create_connection(("127.0.0.1", client.port), PATIENCE) for _ in range(count)]
        for each in crowd:
            self.addCleanup(each.close)
            each.sendall(says)
        return crowd

    def known_crowd(self, client):
        """Clients that are let in, one after the other, until nobody is answered: a stranger would make room for the next."""
        crowd = []
        for _ in range(2 * self.LIMIT):
            crowd += self.crowd_of(client, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 1)
            crowd[-1].settimeout(0.2)
            with contextlib.suppress(TimeoutError):
                crowd[-1].recv(1)
        return crowd

    def test_p4_strangers_do_not_use_them_up(self):
        client = self.start()
        session = self.begin(client)
        self.crowd_of(client, b"")
        late = client.connect()
        given = client.call("thought", late, sessionId=session, thought="in the crowd", nextThoughtNeeded=True)
        late.close()
        self.assertEqual(given["thoughtNumber"], 2)

    def test_out_of_them(self):
        client = self.start()
        session, texts = self.begin(client), ["begin"]
        crowd = self.known_crowd(client)
        self.assertIn("accepting connections is suspended", self.next_line(client, "suspended"))
        began = self.cpu_seconds(client)
        threading.Event().wait(0.5)  # nothing happens, and that is what is measured
        self.assertLess(self.cpu_seconds(client) - began, 0.2, "it spins")
        for number in range(20):
            try:
                text = f"{number} in the crowd"
                self.think(client, session, text)
                texts.append(text)
            except Refused as refusal:
                self.assertIn("too many open files", str(refusal).lower())
        for each in crowd:
            each.close()
        late = client.connect()
        text = "after the crowd"
        given = client.call("thought", late, sessionId=session, thought=text, nextThoughtNeeded=True)
        late.close()
        self.assertEqual(given["thoughtNumber"], len(texts) + 1)
        self.expect_thoughts(session, [*texts, text])

    def next_line(self, client, word):
        while True:
            line = client.log.next()
            if word in line:
                return line


class Signals(MachineTest):
    def environment(self, **more):
        return super().environment(**({"HF_SHIM_STORM_US": "300"} | more))

    def test_a_storm_of_interruptions(self):
        for name, client in self.clients():
            with self.subTest(name):
                session, texts = self.begin(client), ["begin"]
                for number in range(40):
                    texts.append(f"{number} " + TEXT * (number % 5 * 20))
                    self.assertEqual(self.think(client, session, texts[-1]), len(texts))
                self.expect_thoughts(session, texts)


class Memory(MachineTest):
    def test_killed(self):
        """What the kernel does when memory is out: SIGKILL, in the middle of anything."""
        texts, session = ["begin"], None
        for life in range(6):
            client = Stdio(self)
            session = session or self.begin(client)
            for number in range(5):
                texts.append(f"{life}.{number}")
                self.assertEqual(self.think(client, session, texts[-1]), len(texts))
            # Written and not answered: it may be there or not, and both are right.
            client.send("thought", {"sessionId": session, "thought": f"{life} unanswered", "nextThoughtNeeded": True})
            client.kill()
            exported = json.loads(self.plain("sessions", "export", session, "--format", "json"))
            found = [node["data"]["thought"] for node in exported["nodes"]]
            self.assertIn(found, ([*texts], [*texts, f"{life} unanswered"]))
            texts = found
        self.expect_thoughts(session, texts)

    def test_no_more_of_it(self):
        """Every allocation may fail: it is an error or the end of the process, and never a damaged store."""
        texts, session = ["begin"], self.begin(Stdio(self))
        for megabytes in (160, 200, 240, 280, 340):
            limit = megabytes << 20
            client = Stdio(self, before=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
            for size in (1, 200_000, 1_000_000, 4_000_000, 1):
                text = f"{megabytes} " + "x" * size
                try:
                    self.assertEqual(self.think(client, session, text), len(texts) + 1)
                    texts.append(text)
                except Refused:
                    pass
                except (EOFError, BrokenPipeError):
                    break
            client.kill()
            exported = json.loads(self.plain("sessions", "export", session, "--format", "json"))
            found = [node["data"]["thought"] for node in exported["nodes"]]
            if len(found) == len(texts) + 1:  # the process ended between the commit and its answer
                texts.append(found[-1])
            self.assertEqual([len(text) for text in found], [len(text) for text in texts])
        self.assertTrue(json.loads(self.plain("store", "verify", "--json"))["ok"])
        self.assertGreater(len(texts), 1, "some of them fit")


class Killed(TranscriptsTest):
    """A command over transcripts, killed at every step, and then typed again: no doctor in between."""

    STEPS = 400  # more than any of them has

    def lay_out(self):
        """The home as at the beginning, without what the try before left."""
        shutil.rmtree(self.claude)
        shutil.rmtree(self.data, ignore_errors=True)
        self.lay_out_home()

    def files(self):
        return {name: entry for name, entry in tree_of(self.claude).items() if entry[1] is not None}

    def journals(self):
        return list((self.claude / ".holdfast").glob("*/journal"))

    def steps(self, words, prepare=lambda: None, same=True, then=lambda: None):
        """`then`: what works as if nothing had been killed."""
        expected = None
        for step in range(self.STEPS):
            self.lay_out()
            more = prepare() or []
            environment = {"LD_PRELOAD": SHIM, "HF_SHIM_DIE_AT": str(step)} if step else {}  # the first shows how it should be
            first = self.run_program(*words, *more, **environment)
            if first.returncode == 0:
                if step:
                    self.assertGreater(step, 5)
                    return
                expected = self.files()
                continue
            self.assertEqual(first.returncode, -signal.SIGKILL, first.stderr)
            heard = self.journals()
            again = self.run_program(*words, *more)
            self.assertEqual(again.returncode, 0, (step, again.stdout, again.stderr))
            if same:
                self.assertEqual(self.files(), expected, step)
            self.assertEqual((self.claude / ".holdfast").exists(), False, step)
            if heard:
                self.assertRegex(again.stderr, "note: a [a-z]+ of .* was (undone|finished) first")
            then()
        self.fail("no end")

    def test_p13_delete(self):
        self.steps(["delete", sid("a5"), "--force"])

    def test_p13_move(self):
        before = self.files()

        def undo():
            self.json_of("restore", "--in-place", sid("a5"))
            self.assertEqual(self.files(), before)

        self.steps(["move", sid("a5"), "--tp", str(self.elsewhere), "--force"], then=undo)

    def test_p13_undo_of_a_move(self):
        def move():
            return [self.json_of("move", sid("a5"), "--tp", str(self.elsewhere), "--force")["backup_path"]]

        self.steps(["restore", "--in-place"], move)

    def test_p13_restore_in_place(self):
        def delete():
            return [self.json_of("delete", sid("a5"), "--force")["backup_path"]]

        self.steps(["restore", "--in-place"], delete)

    def test_p13_restore_from_the_guard(self):
        def lose():
            self.assertEqual(self.run_program("guard").returncode, 0)
            self.assertEqual(self.run_program("delete", sid("a5"), "--force", "--no-backup").returncode, 0)

        self.steps(["restore", "--in-place", sid("a5")], lose)

    def test_p13_clone(self):
        self.steps(["clone", sid("a5")], same=False)

    def test_p13_relocate(self):
        def leave_two():
            for short in ("a1", "a2", "a3", "a6"):
                self.transcript(short).unlink()

        self.steps(["relocate", DEMO, str(self.elsewhere), "--yes"], leave_two)

    def test_p13_fix(self):
        def damage():
            path = self.transcript("a5")
            path.write_bytes(b'{"torn": \n' + path.read_bytes())
            os.utime(path, (OLD, OLD))

        self.steps(["doctor", "--fix"], damage)


class Full(TranscriptsTest):
    """A disk that is full after ever more bytes; then there is space, and the same command is typed again: no doctor in between."""

    GROWTH = 1.7  # of the space, from try to try
    NEAR_THE_END = 6  # tries between the last that was too little and the first that is enough

    def setUp(self):
        super().setUp()
        self.orders = self.home / "orders"
        self.space(None)

    def store(self):
        return f"sqlite:{self.data}/store.db"

    def space(self, bytes):
        """None: as much as one likes. Outside of what is limited, so that the test itself can go on."""
        fresh = self.home / "orders.new"
        fresh.write_text(f"below {self.home}\n" + ("" if bytes is None else f"space {bytes}\n"))
        fresh.rename(self.orders)

    def environment(self, **more):
        return super().environment(**({"HF_SHIM": str(self.orders), "LD_PRELOAD": SHIM} | more))

    def lay_out(self):
        shutil.rmtree(self.claude)
        shutil.rmtree(self.data, ignore_errors=True)
        self.lay_out_home()

    def files(self):
        return {name: entry for name, entry in tree_of(self.claude).items() if entry[1] is not None}

    def offsets(self, fails):
        """Tries `fails` with ever more space until it does not any more; then once more, closer to where that happens."""
        space, too_little = 1, 0
        while fails(int(space)):
            too_little, space = space, space * self.GROWTH
            self.assertLess(space, 1 << 30, "no end")
        self.assertGreater(too_little, 0, "it never failed")
        for each in range(1, self.NEAR_THE_END + 1):
            fails(int(too_little + (space - too_little) * each / self.NEAR_THE_END))

    def commands(self, words, prepare=lambda: [], same=None):
        """`same`: what is compared afterwards; the client's folder, when nothing is given."""
        same, expected = same or self.files, []

        def fails(space):
            self.lay_out()
            more = prepare()
            before = self.files()
            self.space(space)
            first = self.run_program(*words, *more)
            self.space(None)
            if first.returncode:
                self.assertGreater(first.returncode, 0, (space, "a signal"))
                self.assertIn("space", first.stderr, space)
                self.assertEqual(self.files(), before, (space, "a refused command changes nothing"))
                again = self.run_program(*words, *more)
                self.assertEqual(again.returncode, 0, (space, again.stdout, again.stderr))
            self.assertEqual(same(), expected[0], space)
            self.assertFalse((self.claude / ".holdfast").exists(), space)
            return first.returncode != 0

        self.lay_out()
        done = self.run_program(*words, *prepare())
        self.assertEqual(done.returncode, 0, done.stderr)
        expected.append(same())
        self.offsets(fails)

    def test_p9_archive(self):
        archive = self.home / "out" / "a.json.zst"
        archive.parent.mkdir()

        def remove():
            archive.unlink(missing_ok=True)
            return [str(archive)]

        def what_it_holds():
            self.assertEqual([path.name for path in archive.parent.iterdir()], [archive.name])
            return self.json_of("verify", str(archive))["ok"]

        self.commands(["archive", sid("a5")], remove, what_it_holds)

    def test_p9_clone(self):
        def counted():
            return sorted(collections.Counter(pathlib.Path(name).suffix for name in self.files()).items())

        self.commands(["clone", sid("a5")], same=counted)

    def test_p9_move(self):
        self.commands(["move", sid("a5"), "--tp", str(self.elsewhere), "--force"])

    def test_p9_delete(self):
        self.commands(["delete", sid("a5"), "--force"])

    def test_p9_restore(self):
        def delete():
            return [self.json_of("delete", sid("a5"), "--force")["backup_path"]]

        self.commands(["restore", "--in-place"], delete)

    def test_p9_undo_of_a_move(self):
        def move():
            return [self.json_of("move", sid("a5"), "--tp", str(self.elsewhere), "--force")["backup_path"]]

        self.commands(["restore", "--in-place"], move)

    def test_p9_guard(self):
        """What it keeps is what comes back."""
        def kept():
            self.assertEqual(self.run_program("delete", sid("a5"), "--force", "--no-backup").returncode, 0)
            done = self.run_program("restore", "--in-place", sid("a5"))
            self.assertEqual(done.returncode, 0, done.stderr)
            return {name: digest for name, (_, digest) in self.files().items()}

        self.commands(["guard"], same=kept)

    def test_p9_thoughts(self):
        """One server that goes on, and is asked again."""
        def fails(space):
            self.lay_out()
            client = Stdio(self)
            session, texts, failed = client.call("thought", thought="begin", nextThoughtNeeded=True)["sessionId"], ["begin"], False
            self.space(space)
            for number in range(3):
                texts.append(f"{number} " + TEXT * 20)
                wanted = {"sessionId": session, "thought": texts[-1], "idempotencyKey": str(number), "nextThoughtNeeded": True}
                try:
                    client.call("thought", **wanted)
                except Refused as refusal:
                    self.assertIn("the disk is full", str(refusal))
                    failed = True
                    self.space(None)
                    self.assertEqual(client.call("thought", **wanted)["thoughtNumber"], len(texts))
                    self.space(space)
            self.space(None)
            got = client.call("session", operation="get", sessionId=session)
            self.assertEqual([each["thought"] for each in got["thoughts"]], texts)
            client.kill()
            self.assertTrue(self.json_of("store", "verify")["ok"])
            return failed

        self.offsets(fails)

    def test_p9_an_edit_and_its_acceptance(self):
        for name in ("a.md", "a.toml"):  # with marks in the text, and as a proposal beside the file
            with self.subTest(name):
                self.edit_and_accept(name)

    def edit_and_accept(self, name):
        folder = self.home / name
        folder.mkdir()
        note = folder / name

        def fails(space):
            self.lay_out()
            note.write_text("# Note\n\nthe tide is low\n" + TEXT)
            client = Stdio(self, words=("--documents", str(folder), "--tools", "all"))
            handle = re.search("s_[a-z2-7]{26}", client.text("create_session", name="ann")).group()
            client.text("read", file_path=name, session_id=handle)
            edit = {"file_path": name, "session_id": handle, "old_string": "low", "new_string": "high"}
            before, failed = note.read_bytes(), False
            self.space(space)
            try:
                client.text("edit", **edit)
            except Refused as refusal:
                failed = True
                self.assertIn("space", str(refusal))
                self.assertEqual(note.read_bytes(), before)
                self.space(None)
                client.text("edit", **edit)
            self.space(None)
            client.kill()
            documents = ("--documents", str(folder))
            ids = [each["id"] for each in self.json_of("review", "list", *documents)["changes"]]
            self.assertEqual(len(ids), 1)
            before = note.read_bytes()
            self.space(space)
            first = self.run_program("review", "accept", ids[0], *documents)
            self.space(None)
            if first.returncode:
                failed = True
                self.assertEqual(note.read_bytes(), before)
                again = self.run_program("review", "accept", ids[0], *documents)
                self.assertEqual(again.returncode, 0, again.stderr)
            self.assertEqual(note.read_text(), "# Note\n\nthe tide is high\n" + TEXT)
            self.assertEqual([path.name for path in folder.iterdir()], [name])
            return failed

        self.offsets(fails)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
