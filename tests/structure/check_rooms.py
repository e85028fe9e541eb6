#!/usr/bin/env python3
"""usage: check_rooms.py [REPOSITORY]    compare includes and CMake dependencies with rooms.txt

Prints one line per breach, `file:line: what`, and exits 1 if there is any.
"""
import fnmatch
import itertools
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')
STARTS_THREADS = re.compile(r"\bstd::(?:jthread|async|thread)\b(?!::)|\bPool\s+\w+[;({]")
KEYWORDS = ("THREADS", "OPTIMISED", "SHARDS", "DEPENDS", "LINK", "TEST_DEPENDS")
HF_ROOM = re.compile(r"^\s*hf_room\(\s*(?:kinds/)?(\w+)([^)]*)\)", re.M)


class Table:
    """rooms.txt, read."""

    def __init__(self, path):
        self.rooms, self.hidden, self.headers, self.only = {}, [], {}, []
        self.once = []
        for line in path.read_text().splitlines():
            line = line.split("#")[0].strip()
            if not line:
                continue
            head, _, tail = (part.strip() for part in line.partition(":"))
            verb, *names = head.split()
            if verb == "room":
                self.rooms[names[0]] = tail.split()
            elif verb == "hidden":
                self.hidden.append((names[0], tail.split()))
            elif verb == "header":
                self.headers[names[0]] = tail.split()
            elif verb == "once":
                self.once.append(names[0])
            elif verb == "only":
                self.only.append((names[0], names[2], tail.split()))
            else:
                raise ValueError(f"{path}: cannot read '{line}'")

    def allows(self, room, other):
        allowed = self.rooms.get(room, [])
        return room == other or "*" in allowed or other in allowed


def is_for_tests(name):
    """A test, or a header that only tests include."""
    return name.endswith("_test.cpp") or name.rsplit("/", 1)[-1].startswith("test_")


def room_of(name):
    """The room of a path below src; the kinds have a folder in common. main.cpp belongs to no room."""
    folders = name.split("/")[:-1]
    if folders[:1] == ["kinds"]:
        folders = folders[1:]
    return folders[0] if folders else None


def matches(name, patterns):
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def arguments(words, keyword):
    """What follows a keyword of hf_room(), up to the next one."""
    if keyword not in words:
        return []
    return list(itertools.takewhile(lambda word: word not in KEYWORDS, words[words.index(keyword) + 1 :]))


def linked_rooms(cmake_text):
    """room -> the rooms its library links directly, all it links, and those that its tests link besides; the rooms with THREADS."""
    direct, tests, threaded = {}, {}, set()
    for name, rest in HF_ROOM.findall(cmake_text):
        words = rest.split()
        direct[name] = arguments(words, "DEPENDS")
        tests[name] = arguments(words, "TEST_DEPENDS")
        if "THREADS" in words:
            threaded.add(name)

    def closure(name, seen):
        for other in direct.get(name, []):
            if other not in seen:
                seen.add(other)
                closure(other, seen)
        return seen

    return direct, {name: closure(name, set()) for name in direct}, tests, threaded


def check_cmake(table, direct):
    for room, dependencies in direct.items():
        if room not in table.rooms:
            yield f"CMakeLists.txt: room {room} is not in rooms.txt"
        for other in dependencies:
            if not table.allows(room, other):
                yield f"CMakeLists.txt: room {room} must not link {other}"


def check_include(table, linked, name, header, quoted):
    """What is wrong with one #include of src/<name>; several breaches are possible."""
    room = room_of(name)  # main.cpp may include all
    other = room_of(header) if quoted else None
    if quoted and other in table.rooms and room is not None:
        if not table.allows(room, other):
            yield f"{room} must not include {header}"
        elif other != room and room in linked and other not in linked[room]:
            yield f"includes {header}, but CMakeLists.txt does not link {other} to {room}"
        for prefix, rooms in table.hidden:
            if header.startswith(prefix) and room in rooms:
                yield f"{room} must not include {header}"
        for user, used, patterns in table.only:
            if room == user and other == used and not matches(name, patterns):
                yield f"{header} is for {' '.join(patterns)} only"
    elif quoted and room is not None:
        yield f'"{header}": own headers are included as "room/file.h"'
    for prefix, patterns in table.headers.items():
        if header.startswith(prefix) and not matches(name, patterns):
            yield f"<{header}> is for {' '.join(patterns)} only"


def check(repository):
    table = Table(pathlib.Path(__file__).parent / "rooms.txt")
    direct, linked, tests, threaded = linked_rooms((repository / "CMakeLists.txt").read_text())
    yield from check_cmake(table, direct)
    users_of_once = {prefix: [] for prefix in table.once}
    for path in sorted((repository / "src").rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        name = path.relative_to(repository / "src").as_posix()
        room = room_of(name)
        if "/" in name and room not in table.rooms:
            yield f"src/{name}: {room} is not a room of rooms.txt"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            include = INCLUDE.match(line)
            if include:
                quoted, header = include[1] == '"', include[2]
                if is_for_tests(name) and room_of(header) in tests.get(room, []):
                    continue
                for breach in check_include(table, linked, name, header, quoted):
                    yield f"src/{name}:{number}: {breach}"
                for prefix in table.once:
                    if header.startswith(prefix):
                        users_of_once[prefix].append(name)
            elif room in direct and room not in threaded and STARTS_THREADS.search(line.split("//")[0]):
                yield f"src/{name}:{number}: starts a thread, but CMakeLists.txt does not say THREADS for {room}"
    for prefix, users in users_of_once.items():
        if len(set(users)) > 1:
            yield f"src: <{prefix}> is included by {' '.join(sorted(set(users)))}; one file may"


def main():
    repository = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])
    breaches = list(check(repository))
    print("\n".join(breaches) if breaches else "rooms: ok")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
