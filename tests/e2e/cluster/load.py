#!/usr/bin/env python3
"""Three nodes, HAProxy and PostgreSQL under load and under faults; then the history is compared with the store.

  load.py HOLDFAST [--seconds N | --minutes N] [--seed N] [--no-faults] [--keep DIR]

Clients of both eras and several principals work with all of it (actors.py), while nodes are killed, the database is restarted
and connections are cut (faults.py). Then everything rests, the clocks move, and checker.py proves that nothing was lost, doubled
or shown to others. --keep writes the history there.
"""
import argparse
import collections
import json
import pathlib
import random
import subprocess
import sys
import threading
import time

from actors import PATIENCE, Converser, Editor, GaveUp, Keeper, Listener, TaskClient, Thinker
from checker import check, counts, read_store, sweeps
from cluster import Cluster
from faults import Faults
from history import History
from wire import Modern, Refused, Unknown, tool_json

PRINCIPALS = ("ann", "bob", "carol")
DAY = 86400
TOOLS = "reasoning,documents,research"


class Load:
    def __init__(self, cluster, holdfast, seed):
        self.cluster, self.holdfast, self.seed = cluster, holdfast, seed
        self.port, self.history, self.stop = cluster.balancer.port, History(), threading.Event()
        self.shared = {name: collections.deque(maxlen=8) for name in PRINCIPALS}
        self.known, self.lock = collections.defaultdict(list), threading.Lock()
        self.tokens = {name: json.loads(self.command("token", "add", name))["token"] for name in PRINCIPALS}

    def command(self, *words, check=True):
        done = subprocess.run([self.holdfast, *words, "--store", self.cluster.postgres.url, "--json"], capture_output=True,
                              text=True, env=self.cluster.nodes[0].environment, timeout=300)
        if check and done.returncode != 0:
            raise RuntimeError(f"holdfast {words} ended with {done.returncode}: {done.stdout[-2000:]} {done.stderr[-2000:]}")
        return done.stdout

    def know(self, principal, session):
        with self.lock:
            self.known[principal].append(session)

    def somebody_elses(self, principal, random):
        with self.lock:
            others = [session for name, sessions in self.known.items() if name != principal for session in sessions[-50:]]
        return random.choice(others) if others else None

    def actors(self):
        made, self.listeners = [], []
        for name in PRINCIPALS:
            made += [Thinker(self, f"{name}-thinks-modern", name, "modern"), Thinker(self, f"{name}-thinks-legacy", name, "legacy"),
                     Keeper(self, f"{name}-keeps-modern", name, "modern"),
                     Keeper(self, f"{name}-keeps-legacy", name, "legacy", forms=True)]
        made += [Converser(self, "ann-talks", "ann", "modern"), Converser(self, "bob-talks", "bob", "legacy"),
                 TaskClient(self, "carol-tasks", "carol", "modern"),
                 Editor(self, "ann-edits", "ann", "legacy"), Editor(self, "bob-edits", "bob", "modern")]
        self.listeners = [Listener(self, "ann-listens-legacy", "ann", "legacy"), Listener(self, "bob-listens-modern", "bob", "modern"),
                          Listener(self, "carol-listens-legacy", "carol", "legacy")]
        return made


def calm_call(load, name, tool, arguments):
    """A call after the storm; the first may still find a connection that is dead."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return tool_json(Modern(load.port, load.tokens[name]).call(tool, arguments))
        except Unknown as why:
            load.history.add("unknown", token=None, tool=tool, why=str(why)[:200])
            if time.monotonic() > deadline:
                raise GaveUp(f"{tool} {arguments}: {why}") from why
            time.sleep(0.2)


def streams_still_hear(load):
    """Every listener that has lived through it hears of one more change."""
    before = {listener: listener.heard for listener in load.listeners}
    deadline = time.monotonic() + 30
    quiet = list(load.listeners)
    while quiet and time.monotonic() < deadline:
        for name in {listener.principal for listener in quiet}:
            token = f"w-{random.getrandbits(64):016x}"
            load.history.add("intent", token=token, principal=name, kind="thought")
            answer = calm_call(load, name, "thought", {"thought": f"after all {token}", "idempotencyKey": token, "newSession": True,
                                                       "root": "/projects/calm"})
            load.history.add("ack", token=token, session=answer["sessionId"], number=1, lane="")
        time.sleep(0.5)
        quiet = [listener for listener in quiet if listener.heard == before[listener]]
    return [f"{listener.name} hears nothing any more" for listener in quiet]


def verify(load):
    """The chained hashes of every session."""
    try:
        load.command("store", "verify")
    except RuntimeError as problem:
        return [str(problem)]
    return []


def clocks_move(load):
    """Threads without activity are noticed and archived, by whichever node sweeps first, once. Nodes get a clock that can be set."""
    start, threads = time.time(), []
    clock_file = load.cluster.folder / "clock"

    def set_clock(days):
        fresh = clock_file.with_suffix(".new")
        fresh.write_text(str(int((start + days * DAY) * 1000)))
        fresh.replace(clock_file)

    set_clock(0)
    for node in load.cluster.nodes:
        node.stop()
        node.environment["HOLDFAST_CLOCK_FILE"] = str(clock_file)
        node.start()
    for number in range(12):
        name = PRINCIPALS[number % 3]
        data = calm_call(load, name, "research", {"action": "thread-create", "title": f"forgotten {number}"})["data"]
        threads.append(data["thread_id"])

    def sweep_at(days):
        set_clock(days)
        # All nodes at once, and a command beside them. A caller's sweep is of what the caller sees. Who comes while another sweeps is
        # told so, and tries again.
        workers = [threading.Thread(target=cleanup, args=(n,)) for n in range(9)]
        workers.append(threading.Thread(target=load.command, args=("cleanup",), kwargs={"check": False}))
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    def cleanup(number):
        deadline = time.monotonic() + 60
        while True:
            try:
                return calm_call(load, PRINCIPALS[number % 3], "research", {"action": "cleanup"})
            except Refused as refused:
                if "STORAGE_BUSY" not in str(refused) or time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    sweep_at(6)
    sweep_at(8)
    load.history.add("swept", sessions=threads)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("holdfast", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--no-faults", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    seconds = arguments.minutes * 60 if arguments.minutes else arguments.seconds
    holdfast = str(arguments.holdfast.resolve())
    print(f"seed {arguments.seed}, {seconds:.0f} s", flush=True)

    def node(folder, url):
        documents = folder / "documents"
        documents.mkdir(exist_ok=True)
        for name in ("ann-edits", "bob-edits"):
            if not (documents / f"{name}.md").exists():
                (documents / f"{name}.md").write_text("# Notes\n\nthe beginning\n\nthe end\n")
        return [holdfast, "serve", "--store", url, "--tools", TOOLS, "--documents", str(documents)]

    complaints = []
    with Cluster(node) as cluster:
        load = Load(cluster, holdfast, arguments.seed)
        actors = load.actors()
        for actor in actors + load.listeners:
            actor.start()
        faults = Faults(cluster, arguments.seed, load.stop)
        try:
            if arguments.no_faults:
                load.stop.wait(seconds)
            else:
                faults.run(seconds)
        except RuntimeError as problem:
            complaints.append(str(problem))
        # The listeners go on; everybody else finishes what it has begun.
        failed = load.stop.is_set()
        try:
            complaints += [] if failed else streams_still_hear(load)
        except GaveUp as problem:
            complaints.append(f"after the faults: {problem}")
        load.stop.set()
        for listener in load.listeners:
            while listener.is_alive():
                listener.hang_up()
                listener.join(0.2)
        for actor in actors + load.listeners:
            actor.join(120)
            if actor.is_alive():
                complaints.append(f"{actor.name} does not end")
            if actor.problem:
                complaints.append(f"{actor.name} gave up:\n{actor.problem}")
        if not complaints:
            files = {path.name: path.read_text() for path in (cluster.folder / "documents").glob("*.md")}
            store = read_store(cluster.postgres, files)
            complaints += check(load.history.events, store)
            complaints += verify(load)
            report = {**counts(load.history.events, store), "faults": dict(faults.counts),
                      "streams resumed": sum(getattr(actor.peer, "resumed", 0) for actor in actors),
                      "changes heard": sum(listener.heard for listener in load.listeners),
                      "reconnects of listeners": sum(listener.reconnects for listener in load.listeners),
                      "tasks followed": len(load.history.of("task"))}
            print(json.dumps(report, indent=1))
            clocks_move(load)
            complaints += sweeps(load.history.events, read_store(cluster.postgres, files))
            complaints += verify(load)
        if complaints or arguments.keep:
            keep = arguments.keep or pathlib.Path(f"/tmp/holdfast-cluster-{arguments.seed}")
            keep.mkdir(parents=True, exist_ok=True)
            load.history.write(keep / "history.jsonl")
            for log in [*cluster.folder.glob("*.log"), cluster.folder / "postgres/log"]:
                (keep / log.name).write_bytes(log.read_bytes()[-1000000:])
            print(f"history and logs are in {keep}")
    for complaint in complaints[:40]:
        print(complaint)
    print(f"{0 if complaints else 1} passed, {len(complaints)} failed")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
