"""The clients of the load. Each is a thread with a principal, an era and work of its own; none gives up.

A write has a token that stands in its text. What is not answered is sent again with the same key where the tool has one, and
looked for first where it has none.
"""
import collections
import json
import random
import re
import threading
import time
import traceback

from wire import TASKS, Legacy, Modern, Refused, SessionEnded, Unknown, cut, tool_json

RESUMES = 5  # of one run of research
PATIENCE = 90  # seconds in which a call must succeed in the end, whatever is killed meanwhile


class GaveUp(Exception):
    pass


class Actor(threading.Thread):
    def __init__(self, load, name, principal, era, capabilities=None):
        super().__init__(name=name, daemon=True)
        self.load, self.history, self.principal = load, load.history, principal
        self.random = random.Random(f"{load.seed}/{name}")
        make = Modern if era == "modern" else Legacy
        self.peer = make(load.port, load.tokens[principal], capabilities)
        self.problem = None

    def run(self):
        try:
            self.work()
        except BaseException:
            self.problem = traceback.format_exc()
            self.load.stop.set()

    def stopped(self):
        return self.load.stop.is_set()

    def rest(self, seconds=0.05):
        time.sleep(self.random.uniform(0, 2 * seconds))

    def token(self):
        return f"w-{self.random.getrandbits(64):016x}"

    def call(self, tool, arguments, token=None):
        """Until it is answered: for calls that may be repeated."""
        deadline = time.monotonic() + PATIENCE
        pause = 0.02
        while True:
            try:
                return tool_json(self.peer.call(tool, arguments))
            except Unknown as why:
                self.history.add("unknown", token=token, tool=tool, why=str(why)[:200])
                if time.monotonic() > deadline:
                    raise GaveUp(f"{tool} {arguments}: {why}") from why
            time.sleep(pause)
            pause = min(1, 2 * pause)


class Thinker(Actor):
    """Chains of thoughts with branches; one chain is shared with the other clients of the same principal."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.shared = self.load.shared[self.principal]

    def think(self, text, **arguments):
        token = self.token()
        arguments = {"thought": f"{text} {token}", "idempotencyKey": token, "root": f"/projects/{self.principal}", **arguments}
        self.history.add("intent", token=token, principal=self.principal, kind="thought")
        answer = self.call("thought", arguments, token)
        self.note(token, answer, arguments)
        if self.random.random() < 0.1:  # as a client does that lost the answer
            self.history.add("again", token=token)
            # To the same chain: a client that repeats a call repeats all of it.
            self.note(token, self.call("thought", arguments, token), arguments)
        return answer

    def note(self, token, answer, arguments):
        self.history.add("ack", token=token, session=answer["sessionId"], number=answer["thoughtNumber"],
                         lane=arguments.get("branchId", ""))
        self.load.know(self.principal, answer["sessionId"])

    def work(self):
        while not self.stopped():
            session = self.think("a beginning", newSession=True)["sessionId"]
            self.shared.append(session)
            for number in range(self.random.randint(4, 12)):
                if self.stopped():
                    return
                self.think("and so on", sessionId=session)
                if self.random.random() < 0.3:
                    self.think("together", sessionId=self.random.choice(list(self.shared)[-4:]))
                self.rest()
            branch = f"b{self.random.randint(1, 10 ** 6)}"
            self.think("or else", sessionId=session, branchId=branch, branchFromThought=2)
            self.think("then", sessionId=session, branchId=branch)


class Converser(Actor):
    """Threads and research with the built-in engine."""

    def find(self, action, q):
        answer = self.call("research", {"action": action, "q": q})["data"]
        items = next((value for value in answer.values() if isinstance(value, list)), [])
        return [item["id"] for item in items]

    def make(self, arguments, id, listing, token):
        """A call without a key of its own: looked for before it is made again. It may then be there twice, never lost."""
        while True:
            try:
                return tool_json(self.peer.call("research", arguments))["data"][id]
            except Unknown as why:
                self.history.add("unknown", token=token, tool="research", why=str(why)[:200])
            time.sleep(0.2)
            if found := self.find(listing, token):
                return found[0]

    def work(self):
        while not self.stopped():
            token = self.token()
            thread = self.make({"action": "thread-create", "title": f"talk {token}"}, "thread_id", "thread-list", token)
            self.load.know(self.principal, thread)
            for _ in range(self.random.randint(2, 6)):
                message = self.token()
                self.history.add("intent", token=message, principal=self.principal, kind="message")
                arguments = {"action": "thread-append", "thread_id": thread, "role": "user", "content": f"say {message}",
                             "client_msg_id": message}
                for _ in range(2 if self.random.random() < 0.1 else 1):
                    self.call("research", arguments, message)
                    self.history.add("ack", token=message, session=thread)
                self.rest()
            self.history.add("state", session=thread, principal=self.principal, visibility="live")
            if self.random.random() < 0.4:
                self.research()

    def research(self):
        token = self.token()
        run = self.make({"action": "deep-research", "deep_research_action": "start", "query": f"what was said of {token}?",
                         "max_iterations": 1, "max_sub_queries": 2}, "research_id", "deep-research-list", token)
        self.load.know(self.principal, run)
        deadline = time.monotonic() + PATIENCE
        resumed = 0
        while time.monotonic() < deadline:
            status = self.call("research", {"action": "deep-research-status", "research_id": run})["data"]
            if status.get("status") == "completed":
                self.history.add("researched", session=run)
                return
            if status.get("status") == "failed" and status.get("resumable") and resumed < RESUMES:
                resumed += 1
                self.resume(run, status["error"])
            elif status.get("status") in ("failed", "cancelled"):
                raise GaveUp(f"research {run}: {status}")
            time.sleep(0.3)
        raise GaveUp(f"research {run} does not end: {status}")

    def resume(self, run, error):
        """As the answer advises: its workers were killed three times in a row, or the database was away for too long."""
        self.history.add("resumed", session=run, why=error["code"])
        try:
            self.call("research", {"action": "deep-research", "deep_research_action": "resume", "research_id": run})
        except Refused:
            pass  # a call that nobody answered has done it


class TaskClient(Actor):
    """Research as a task of the tasks extension, asked for at whatever node."""

    def __init__(self, *arguments):
        super().__init__(*arguments, capabilities={"extensions": {TASKS: {}}})

    def work(self):
        while not self.stopped():
            token = self.token()
            try:
                result = self.peer.call("research", {"action": "deep-research", "deep_research_action": "start", "wait": True,
                                                     "query": f"what is {token}?", "max_iterations": 1, "max_sub_queries": 1})
            except Unknown as why:
                self.history.add("unknown", token=token, tool="research", why=str(why)[:200])
                continue
            if result.get("resultType") != "task":
                continue
            self.follow(result["taskId"])
            self.rest(0.5)

    def follow(self, task):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                status = self.peer.request("tasks/get", {"taskId": task})["status"]
            except Unknown:
                status = "unknown"
            if status == "completed":
                self.history.add("task", task=task)
                return
            if status in ("failed", "cancelled"):
                raise GaveUp(f"task {task}: {status}")
            time.sleep(0.2)
        raise GaveUp(f"task {task} does not end")


class Keeper(Actor):
    """Pins, archives, deletes through the gate and brings back sessions that nobody else changes."""

    def __init__(self, *arguments, forms=False):
        super().__init__(*arguments, capabilities={"elicitation": {"form": {}}} if forms else {})
        self.peer.answer_form = lambda params: {"action": "accept", "content": {"choice": "delete"}}
        self.forms = forms

    def session(self, operation, id, **more):
        return self.call("session", {"operation": operation, "sessionId": id, **more})

    def delete(self, id):
        """With a form, or with a token in two calls; the second may be answered by nobody and still be done."""
        for _ in range(40):
            answer = self.session("get", id)
            if self.visibility(answer) == "deleted":
                return
            try:
                answer = self.session("delete", id)
                if answer.get("outcome") == "confirmation_required":
                    self.session("delete", id, confirmation_token=answer["confirmation_token"], choice="delete")
            except Refused as refused:
                self.history.add("refusal", session=id, why=str(refused)[:200])  # a token that was used by a call without answer
        raise GaveUp(f"{id} cannot be deleted")

    @staticmethod
    def visibility(answer):
        record = answer.get("session", answer)
        return record.get("visibility") or {"archived": "archived", "deleted": "deleted"}.get(record.get("status"), "live")

    def work(self):
        visibility = {"archive": "archived", "unarchive": "live", "delete": "deleted", "restore": "live"}
        while not self.stopped():
            token = self.token()
            self.history.add("intent", token=token, principal=self.principal, kind="thought")
            answer = self.call("thought", {"thought": f"to be kept {token}", "idempotencyKey": token, "newSession": True,
                                           "root": f"/projects/{self.principal}/{self.name}"}, token)
            id = answer["sessionId"]
            self.history.add("ack", token=token, session=id, number=1, lane="")
            self.load.know(self.principal, id)
            state = {"visibility": "live", "pinned": False}
            for operation in self.random.choice([["pin", "unpin", "archive"], ["archive", "unarchive", "delete", "restore"],
                                                 ["pin", "archive"], ["delete", "restore", "pin"], ["delete"]]):
                if self.stopped():
                    break
                if operation == "delete":
                    self.delete(id)
                else:
                    self.session(operation, id)
                if operation in visibility:
                    state["visibility"] = visibility[operation]
                else:
                    state["pinned"] = operation == "pin"
                seen = self.visibility(self.session("get", id))  # at another node
                if seen != state["visibility"]:
                    raise GaveUp(f"{id} was {operation}d and is {seen}")
                self.rest()
            self.history.add("state", session=id, principal=self.principal, **state)
            self.look_around()

    def look_around(self):
        cursor = {}
        for _ in range(3):
            answer = self.call("session", {"operation": "list", "allRoots": True, "limit": 50, **cursor})
            self.history.add("saw", principal=self.principal, sessions=[item["id"] for item in answer["sessions"]])
            if not answer.get("next_cursor"):
                break
            cursor = {"cursor": answer["next_cursor"]}
        foreign = self.load.somebody_elses(self.principal, self.random)
        if not foreign:
            return
        try:
            self.call("session", {"operation": "get", "sessionId": foreign})
            self.history.add("given", principal=self.principal, session=foreign)
        except Refused:
            self.history.add("refused", principal=self.principal, session=foreign)


class Editor(Actor):
    """Edits a document that waits for review, with a handle that outlives the nodes."""

    MOST = 60  # pending changes in one document: a person would have to read them

    def work(self):
        file = f"{self.name}.md"
        handle = re.search("s_[a-z2-7]{26}", json.dumps(self.call("create_session", {"name": self.principal}))).group()
        edits = 0
        while not self.stopped():
            if edits == self.MOST:
                return
            token = self.token()
            self.history.add("intent", token=token, principal=self.principal, kind="edit", file=file)
            while True:
                text = self.call("read", {"file_path": file, "session_id": handle}).get("text", "")
                if token in text:
                    break
                try:
                    self.peer.call("edit", {"file_path": file, "session_id": handle, "old_string": "the end",
                                            "new_string": f"{token} the end"})
                    break
                except Unknown as why:
                    self.history.add("unknown", token=token, tool="edit", why=str(why)[:200])
                    time.sleep(0.1)
                except Refused as refused:
                    # The document changed under a call that nobody answered: read it again.
                    self.history.add("refusal", token=token, why=str(refused)[:300])
                    time.sleep(0.1)
            self.history.add("ack", token=token)
            edits += 1
            self.rest(0.15)


class Listener(Actor):
    """Hears of changes on a stream that is resumed wherever it breaks."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.heard, self.reconnects, self.connection = 0, 0, None
        self.numbers = collections.defaultdict(int)  # stream -> last number

    def work(self):
        while not self.stopped():
            try:
                self.listen()
            except (Unknown, SessionEnded, OSError, ValueError, AttributeError):
                pass
            self.reconnects += 1
            self.rest(0.1)

    def listen(self):
        if isinstance(self.peer, Modern):
            self.connection, messages = self.peer.listen({"resourceSubscriptions": ["holdfast://sessions"]})
            for message in messages:
                self.heard += message.get("method") == "notifications/resources/updated"
            return
        known = self.peer.session
        if not known or known != getattr(self, "subscribed", None):
            self.peer.request("resources/subscribe", {"uri": "holdfast://sessions"})
            self.subscribed, self.last = self.peer.session, None
        self.connection, messages = self.peer.stream(self.last)
        for id, message in messages:
            if id:
                stream, _, number = id.rpartition("-")
                if message and int(number) <= self.numbers[stream]:
                    raise GaveUp(f"event {id} came after {self.numbers[stream]}")
                self.numbers[stream] = max(self.numbers[stream], int(number))
                self.last = id
            if message and message.get("method") == "notifications/resources/updated":
                self.heard += 1

    def hang_up(self):
        if self.connection:
            cut(self.connection)
