#!/usr/bin/env python3
"""What a page of 50 with its total costs among 100,000 sessions in SQLite when nothing but ordinary indexes helps.

  bench/list_alternatives.py [--sessions N]

Our buckets stand in store_list_bench. Here the same sessions are counted and sorted in two other ways: `indexes`, an index for each order and one
that covers the fields of the filters, for counting; and `counted`, the same with a table of counts by those fields that triggers keep, as the store in
PostgreSQL has it. Microseconds of the processor, medians; an append is an update of the row as an entry makes it, without its disk.
"""
import argparse
import sqlite3
import statistics
import time

SORTS = [("reasoning", "active", ""), ("reasoning", "active", "design"), ("reasoning", "completed", ""), ("thread", "active", "chat"),
         ("thread", "active", "thinkdeep"), ("thread", "created", "ideate"), ("research", "completed", ""), ("research", "in_progress", ""),
         ("document", "open", ""), ("run", "done", "")]
ROUNDS = 30
START = 1_790_000_000_000
FIELDS = "principal, kind, visibility, status, pinned, aspect"

TABLES = f"""
CREATE TABLE sessions(key INTEGER PRIMARY KEY, id TEXT UNIQUE, kind TEXT, title TEXT, status TEXT, visibility INTEGER, pinned INTEGER, principal TEXT,
  aspect TEXT, created_at INTEGER, updated_at INTEGER, rest TEXT) STRICT;
CREATE TABLE roots(root TEXT, session INTEGER, PRIMARY KEY(root, session)) STRICT, WITHOUT ROWID;
CREATE INDEX by_updated ON sessions(updated_at, id);
CREATE INDEX by_created ON sessions(created_at, id);
"""
COVER = f"CREATE INDEX by_fields ON sessions({FIELDS});"
COUNTS = f"""
CREATE TABLE counts(principal TEXT, kind TEXT, visibility INTEGER, status TEXT, pinned INTEGER, aspect TEXT, sessions INTEGER,
  PRIMARY KEY({FIELDS})) STRICT, WITHOUT ROWID;
CREATE TRIGGER counted AFTER INSERT ON sessions BEGIN INSERT INTO counts VALUES(new.principal, new.kind, new.visibility, new.status, new.pinned,
  new.aspect, 1) ON CONFLICT DO UPDATE SET sessions = sessions + 1; END;
"""
FILTERS = {"no filter": "visibility <> 2", "one kind": "visibility <> 2 AND kind = 'thread'", "status": "visibility <> 2 AND status = 'completed'",
           "archived": "visibility = 1", "pinned": "visibility <> 2 AND pinned = 1",
           "threads of two aspects": "visibility <> 2 AND kind = 'thread' AND aspect IN ('chat', 'ideate')",
           "a status that few have": "visibility <> 2 AND kind = 'run' AND status = 'failed'",
           "updated since": f"visibility <> 2 AND updated_at >= {START + 99_000_000}",
           "one root": "visibility <> 2 AND key IN (SELECT session FROM roots WHERE root = 'file:///home/user/project-7')"}


def fill(db, count):
    def rows():
        for i in range(count):
            kind, status, aspect = SORTS[i * 7 % len(SORTS)]
            if i % 1999 == 0:
                kind, status = "run", "failed"
            created = START + i * 1000
            yield (i + 1, f"0199a{i % 4096:03x}-{i * 31 % 65536:04x}-7000-8000-{i:012x}", kind, f"The {i}th session about something", status,
                   2 if i % 100 == 13 else 1 if i % 20 == 11 else 0, int(i % 100 == 3), "ann" if i % 50 == 7 else "local", aspect, created,
                   created + (i * 7919 % 1000) * 100_000, "x" * 350)
    db.executemany("INSERT INTO sessions VALUES(?,?,?,?,?,?,?,?,?,?,?,?)", rows())
    db.execute("INSERT INTO roots SELECT CASE WHEN (key - 1) % 5 = 0 THEN '' ELSE 'file:///home/user/project-' || ((key - 1) * 3 % 89) END, key FROM sessions")
    db.execute("ANALYZE")
    db.commit()


def median(work):
    times = []
    for _ in range(ROUNDS):
        began = time.process_time_ns()
        work()
        times.append((time.process_time_ns() - began) / 1000)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sessions", type=int, default=100_000)
    given = parser.parse_args()
    stores = {}
    for name, more in {"indexes": COVER, "counted": COUNTS}.items():
        stores[name] = sqlite3.connect(":memory:")
        stores[name].executescript(TABLES + more)
        fill(stores[name], given.sessions)
    print(f"{given.sessions:,} sessions{'':<12}" + "".join(f"{name:>12}" for name in stores))
    for title, where in FILTERS.items():
        figures = []
        for name, db in stores.items():
            summed = name == "counted" and "updated_at" not in where and "roots" not in where
            total = f"SELECT sum(sessions) FROM counts WHERE principal = 'local' AND {where}" if summed else \
                f"SELECT count(*) FROM sessions WHERE principal = 'local' AND {where}"
            page = f"SELECT * FROM sessions WHERE principal = 'local' AND {where} ORDER BY updated_at DESC, id DESC LIMIT 51"
            figures.append(median(lambda db=db, total=total, page=page: (db.execute(total).fetchall(), db.execute(page).fetchall())))
        print(f"{title:<28}" + "".join(f"{figure:>12,.0f}" for figure in figures))
    changes = iter(range(10**9))
    append = [median(lambda db=db: db.execute("UPDATE sessions SET updated_at = ? WHERE key = ?", (START + 10**9 + next(changes), 77)))
              for db in stores.values()]
    print(f"{'an append':<28}" + "".join(f"{figure:>12,.0f}" for figure in append))


if __name__ == "__main__":
    main()
