#!/usr/bin/env python3
"""What FTS5 (trigrams, words) and Xapian take for the transcripts that our index is measured with.

  /usr/bin/python3 bench/index_alternatives.py HOME [--queries N]     # packages: python3-xapian; Python's sqlite3 has FTS5

HOME is one that transcripts_index_bench wrote (--home=HOME keeps it) or a real one. Every line of a transcript is one text. Neither keeps
the text. Seconds and milliseconds are of the processor, so that others on the machine do not count; ours stand in
transcripts_index_bench, in the columns of CPU.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import sqlite3
import tempfile
import time

import xapian

HITS = 20
WORD = re.compile(r"[A-Za-z]{4,}")
CODE = re.compile(r"[A-Za-z]+(?:_[A-Za-z]+)+|[A-Za-z]+/[A-Za-z]+\.[a-z]+")


def strings(value):
    """What is said in a record: its texts, not the copies of results."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            if key in ("text", "content", "thinking", "input", "command", "message", "file_path", "old_string", "new_string", "pattern"):
                yield from strings(each)


def texts_of(home):
    for path in sorted(pathlib.Path(home).rglob("*.jsonl")):
        with path.open(errors="replace") as lines:
            for line in lines:
                try:
                    text = "\n".join(strings(json.loads(line).get("message")))
                except (ValueError, AttributeError):
                    continue
                if text:
                    yield text


def size_of(folder):
    return sum(path.stat().st_size for path in pathlib.Path(folder).rglob("*") if path.is_file())


class Fts5:
    def __init__(self, folder, tokenizer):
        self.db = sqlite3.connect(folder / "index.db")
        self.db.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
                              f"CREATE VIRTUAL TABLE texts USING fts5(text, content='', tokenize='{tokenizer}')")
        self.number = 0

    def add(self, text):
        self.number += 1
        self.db.execute("INSERT INTO texts(rowid, text) VALUES(?, ?)", (self.number, text))

    def finish(self):
        self.db.execute("INSERT INTO texts(texts) VALUES('optimize')")
        self.db.commit()

    def ask(self, query):
        return self.db.execute("SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?", (f'"{query}"', HITS)).fetchall()


class Xapian:
    def __init__(self, folder):
        self.folder = str(folder / "index")
        self.db = xapian.WritableDatabase(self.folder, xapian.DB_CREATE | xapian.DB_NO_SYNC)
        self.generator = xapian.TermGenerator()

    def add(self, text):
        document = xapian.Document()
        self.generator.set_document(document)
        self.generator.index_text(text)
        self.db.add_document(document)

    def finish(self):
        self.db.commit()
        self.db.compact(self.folder + ".compact")
        self.db.close()
        for path in pathlib.Path(self.folder).iterdir():
            path.unlink()
        self.db = xapian.Database(self.folder + ".compact")

    def ask(self, query):
        parts = [part.lower() for part in re.findall(r"\w+", query.replace("/", " ").replace(".", " "))]
        asked = xapian.Query(xapian.Query.OP_PHRASE, parts) if len(parts) > 1 else xapian.Query(parts[0])
        enquire = xapian.Enquire(self.db)
        enquire.set_query(asked)
        return list(enquire.get_mset(0, HITS))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home")
    parser.add_argument("--queries", type=int, default=100)
    options = parser.parse_args()

    draw = random.Random(4711)
    words, codes, count, size = collections.Counter(), collections.Counter(), 0, 0
    for text in texts_of(options.home):
        count += 1
        size += len(text.encode(errors="replace"))
        if draw.random() < 0.05:
            words.update(word.lower() for word in WORD.findall(text))
            codes.update(CODE.findall(text))
    ordered = [word for word, _ in words.most_common()]
    questions = {"rare word": [draw.choice(ordered[-len(ordered) // 3:]) for _ in range(options.queries)],
                 "frequent word": [draw.choice(ordered[:50]) for _ in range(options.queries)],
                 "code": [draw.choice(sorted(codes)) for _ in range(options.queries)],
                 "inside of a word": [word[1:-1] for word in draw.choices([word for word in ordered if len(word) > 7], k=options.queries)]}
    print(f"{count} texts, {size / 1e6:.0f} MB")
    print(f"{'':18}{'index, s':>10}{'index, MB':>11}" + "".join(f"{kind + ', ms':>24}" for kind in questions))
    for name, make in (("FTS5, trigrams", lambda folder: Fts5(folder, "trigram")), ("FTS5, words", lambda folder: Fts5(folder, "unicode61")),
                       ("Xapian", Xapian)):
        with tempfile.TemporaryDirectory() as folder:
            index = make(pathlib.Path(folder))
            took = 0.0
            for text in texts_of(options.home):
                begin = time.process_time()
                index.add(text)
                took += time.process_time() - begin
            begin = time.process_time()
            index.finish()
            took += time.process_time() - begin
            row = f"{name:18}{took:10.1f}{size_of(folder) / 1e6:11.1f}"
            for kind, queries in questions.items():
                times, found = [], 0
                for query in queries:
                    begin = time.process_time()
                    found += bool(index.ask(query))
                    times.append((time.process_time() - begin) * 1000)
                row += f"{sorted(times)[len(times) // 2]:12.2f} ({found:3} found)"
            print(row, flush=True)


if __name__ == "__main__":
    main()
