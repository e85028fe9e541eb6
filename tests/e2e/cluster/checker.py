"""Compares a history with the store it was made on. No server is asked: what is judged are the rows.

A view of the store is {"sessions": {id: {kind, principal, visibility, pinned}}, "entries": [{session, kind, principal, type,
lane, number, seq, text, data, fork?}], "files": {name: text}}; read_store() makes one of PostgreSQL, the self-test makes some by hand.
"""
import collections
import json
import re

TOKEN = re.compile(r"w-[0-9a-f]{16}")


def read_store(postgres, files):
    text = "convert_from({}, 'UTF8')".format
    sessions = {}
    for id, kind, principal, visibility, pinned in postgres.query(
            f"SELECT {text('id')}, {text('kind')}, {text('principal')}, visibility, pinned FROM holdfast.sessions"):
        sessions[id] = {"kind": kind, "principal": principal, "visibility": ["live", "archived", "deleted"][int(visibility)],
                        "pinned": pinned == "1"}
    entries = []
    for id, type, lane, number, seq, words, data in postgres.query(
            f"SELECT {text('s.id')}, {text('e.type')}, {text('e.lane')}, e.number, e.seq, {text('e.text')}, {text('e.data')} "
            "FROM holdfast.entries e JOIN holdfast.sessions s ON s.key = e.session ORDER BY s.id, e.seq"):
        entries.append({"session": id, "kind": sessions[id]["kind"], "principal": sessions[id]["principal"], "type": type,
                        "lane": lane, "number": int(number), "seq": int(seq), "text": words,
                        "data": json.loads(data) if data else {}})
    return {"sessions": sessions, "entries": entries, "files": files}


def check(history, store):
    """Complaints; none when everything is as promised."""
    complaints = []
    for judge in (writes, numbers, strangers, states, units, sweeps, files):
        complaints += judge(history, store)
    return complaints


def is_written(entry):
    """A thought or a message: what has a number in its chain."""
    return entry["kind"] in ("reasoning", "thread") and entry["number"] > 0


def by_what(history, what):
    return [event for event in history if event["what"] == what]


def writes(history, store):
    """Every acknowledged write is there exactly once, where the answer said; every other at most once; nothing else is."""
    found = collections.defaultdict(list)
    for entry in store["entries"]:
        if is_written(entry):
            for token in set(TOKEN.findall(entry["text"])):
                found[token].append(entry)
    intents = {event["token"]: event for event in by_what(history, "intent") if event["kind"] in ("thought", "message")}
    acks = collections.defaultdict(list)
    for event in by_what(history, "ack"):
        if event["token"] in intents:
            acks[event["token"]].append(event)
    for token, intent in intents.items():
        places = found.pop(token, [])
        if len(places) > 1:
            yield f"doubled: {token} is in {[(p['session'], p['seq']) for p in places]}"
        if acks[token] and not places:
            yield f"lost: {token} was acknowledged and is not there"
        for place in places:
            if place["principal"] != intent["principal"]:
                yield f"foreign: {token} of {intent['principal']} is in a session of {place['principal']}"
            for ack in acks[token]:
                said = (ack["session"], ack.get("lane", place["lane"]), ack.get("number", place["number"]))
                if said != (place["session"], place["lane"], place["number"]):
                    yield f"misplaced: {token} was said to be {said} and is {(place['session'], place['lane'], place['number'])}"
    for token, places in found.items():
        yield f"nobody wrote {token}, which is in {places[0]['session']}"


def numbers(history, store):
    """Thoughts and messages of a chain are numbered without gaps and doubles; a branch goes on behind its fork."""
    chains = collections.defaultdict(list)
    for entry in store["entries"]:
        if is_written(entry):
            chains[entry["session"], entry["lane"]].append(entry)
    for (session, lane), entries in chains.items():
        given = [entry["number"] for entry in entries]
        first = given[0] if lane else 1
        if given != list(range(first, first + len(given))):
            yield f"numbers of {session} {lane!r}: {given}"
    per_session = collections.defaultdict(list)
    for entry in store["entries"]:
        per_session[entry["session"]].append(entry["seq"])
    for session, seqs in per_session.items():
        if seqs != list(range(1, len(seqs) + 1)):
            yield f"entries of {session} are not numbered from 1 without gaps"


def strangers(history, store):
    """No list and no read shows what belongs to somebody else."""
    for event in by_what(history, "saw"):
        for session in event["sessions"]:
            owner = store["sessions"].get(session, {}).get("principal", event["principal"])
            if owner != event["principal"]:
                yield f"{event['principal']} was shown {session} of {owner}"
    for event in by_what(history, "given"):
        yield f"{event['principal']} was given {event['session']}, which is not theirs"


def states(history, store):
    """What one client alone has changed is as that client was last told."""
    last = {event["session"]: event for event in by_what(history, "state")}
    for session, told in last.items():
        kept = store["sessions"].get(session)
        if not kept:
            yield f"lost: session {session}"
            continue
        for field in ("visibility", "pinned"):
            if field in told and kept[field] != told[field]:
                yield f"{session} was said to be {field} {told[field]} and is {kept[field]}"


def units(history, store):
    """Each unit of a research run was done once, by one worker."""
    done = collections.Counter()
    for entry in store["entries"]:
        if entry["kind"] == "research" and entry["type"] == "unit" and entry["data"].get("state") == "done":
            names = {key: value for key, value in entry["data"].items() if key in ("iteration", "phase", "unit")}
            done[entry["session"], json.dumps(names, sort_keys=True)] += 1
    for (session, unit), count in done.items():
        if count > 1:
            yield f"{session}: unit {unit} was done {count} times"
    for event in by_what(history, "researched"):
        if not any(session == event["session"] for session, _ in done):
            yield f"{event['session']} was reported as completed without a unit done"


def sweeps(history, store):
    """What the clock does to a session it does once: one notice, then archived."""
    for event in by_what(history, "swept"):
        for session in event["sessions"]:
            notices = sum(entry["session"] == session and entry["type"] == "notice" for entry in store["entries"])
            kept = store["sessions"].get(session, {})
            if kept.get("visibility") != "archived":
                yield f"{session} was not archived by the clock: {kept}"
            if notices != 1:
                yield f"{session} has {notices} notices"


def files(history, store):
    """Every acknowledged edit of a document is in it exactly once, every other at most once."""
    intents = {event["token"]: event for event in by_what(history, "intent") if event["kind"] == "edit"}
    acknowledged = {event["token"] for event in by_what(history, "ack")}
    for token, intent in intents.items():
        count = store["files"].get(intent["file"], "").count(token)
        if count > 1 or (token in acknowledged and count != 1):
            yield f"edit {token} is {count} times in {intent['file']}"


def counts(history, store):
    """For the report."""
    acknowledged = {event["token"] for event in by_what(history, "ack")}
    kinds = collections.Counter(event["kind"] for event in by_what(history, "intent") if event["token"] in acknowledged)
    return {"acknowledged": dict(kinds), "attempts without an answer": len(by_what(history, "unknown")),
            "sent again on purpose": len(by_what(history, "again")), "sessions": len(store["sessions"]),
            "entries": len(store["entries"]), "lists looked at": len(by_what(history, "saw")),
            "refusals of others' sessions": len(by_what(history, "refused")),
            "research completed": len(by_what(history, "researched"))}
