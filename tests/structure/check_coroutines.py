#!/usr/bin/env python3
"""usage: check_coroutines.py FILE-OR-FOLDER...    find coroutine forms that g++ 12 miscompiles

g++ 12.2 destroys temporaries of an awaiting statement twice, or emits an illegal instruction, for the forms
in coroutine_forms/bad (an awaited condition only in a block that declares no variable, which is too subtle to
rely on). The form that is safe: one co_await per statement, only names and constructor calls inside it, no
braces, no lambda, no `?:`, not in a condition unless the condition names the value. This checks that form,
statement by statement, on the text alone. Prints `file:line: what` per breach and exits 1 if there is any.
"""
import pathlib
import re
import sys

TOKEN = re.compile(r"""
    (?P<skip> //[^\n]* | /\*.*?\*/ | \s+ )
  | (?P<raw> (?:u8|[uUL])?R"(?P<delim>[^()\s\\]{0,16})\(.*?\)(?P=delim)" )
  | (?P<literal> (?:u8|[uUL])?"(?:\\.|[^"\\\n])*" | (?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+' )
  | (?P<directive> \#(?:[^\n\\]|\\.)* )
  | (?P<word> [A-Za-z0-9_]+(?:'[0-9A-Fa-f]+)* | -> | :: | [=!<>]= | . )
""", re.X | re.S | re.M)

CLOSING = {"(": ")", "[": "]", "{": "}"}
SCOPES = {"struct", "class", "namespace", "enum", "union", "extern"}
BEFORE_BLOCK = {"else", "do", "try", "const", "noexcept", "override", "final", "mutable", ";", ":"}
BEFORE_SUBSCRIPT = re.compile(r"[A-Za-z0-9_]+$")


class Group:
    """A bracketed part of the text: `items` are words and groups; `role` says what a brace is for."""

    def __init__(self, bracket, line):
        self.bracket, self.line, self.items, self.role = bracket, line, [], ""


def parse(text):
    """The text as nested groups of (word, line) pairs; comments, literals and directives are dropped."""
    root, line = Group("", 1), 1
    stack = [root]
    for match in TOKEN.finditer(text):
        word = match.group()
        if match.group("literal") or match.group("raw"):
            stack[-1].items.append(('""', line))
        elif match.group("word"):
            if word in CLOSING:
                group = Group(word, line)
                stack[-1].items.append(group)
                stack.append(group)
            elif len(stack) > 1 and word == CLOSING[stack[-1].bracket]:
                stack.pop()
            else:
                stack[-1].items.append((word, line))
        line += word.count("\n")
    return root


def is_word(item, word=None):
    return isinstance(item, tuple) and (word is None or item[0] == word)


def is_group(item, bracket):
    return isinstance(item, Group) and item.bracket == bracket


def opens_lambda(items, index):
    """Is items[index], a `[` group, a capture list rather than a subscript or an attribute?"""
    before = items[index - 1] if index else None
    if is_group(before, "(") or is_group(before, "["):
        return False
    if is_word(before) and BEFORE_SUBSCRIPT.match(before[0]):
        return before[0] in ("return", "co_return", "co_await", "co_yield", "case")
    return not any(is_group(item, "[") for item in items[index].items[:1])


def lambda_before(items, index):
    """Does the brace items[index] end a lambda: [..] (..) specifiers -> type { ?"""
    at = index - 1
    while at >= 0 and is_word(items[at]) and items[at][0] not in (";", "=", ",", "?"):
        at -= 1
    if at >= 0 and is_group(items[at], "("):
        at -= 1
    return at >= 0 and is_group(items[at], "[") and opens_lambda(items, at)


def brace_role(items, index, start, inside_block):
    """'lambda', 'block' or 'value' for the brace items[index] of a statement that began at items[start]."""
    if lambda_before(items, index):
        return "lambda"
    if not inside_block:
        return "value"
    statement = items[start:index]
    if not statement:
        return "block"
    last = statement[-1]
    if is_group(last, "(") or is_group(last, "{") or (is_word(last) and last[0] in BEFORE_BLOCK):
        return "block"
    if any(is_word(item) and item[0] in SCOPES for item in statement):
        return "block"
    returns = [i for i, item in enumerate(statement) if is_word(item, "->")]
    if returns and returns[0] and (is_group(statement[returns[0] - 1], "(") or is_word(statement[returns[0] - 1])):
        assigned = any(is_word(item, "=") or is_word(item, "co_await") for item in statement)
        return "value" if assigned else "block"
    return "value"


def statements(group, inside_block=True):
    """Every statement below `group` as a list of items; bodies of blocks and lambdas are statements of their own."""
    start, items = 0, group.items
    for index, item in enumerate(items):
        if is_group(item, "{"):
            item.role = brace_role(items, index, start, inside_block)
            yield from statements(item, item.role != "value")
            if item.role == "block":
                yield items[start:index]
                start = index + 1
        elif isinstance(item, Group):
            yield from statements(item, False)
        elif inside_block and item[0] == ";":
            yield items[start:index]
            start = index + 1
    if inside_block:
        yield items[start:]


def own_items(items):
    """The items of a statement and of its brackets, without the bodies of its lambdas."""
    for item in items:
        yield item
        if isinstance(item, Group) and item.role != "lambda":
            yield from own_items(item.items)


def awaited_condition(statement):
    """Does a condition in this statement await without giving the value a name?"""
    for keyword, head in zip(statement, statement[1:]):
        if not (is_word(keyword) and keyword[0] in ("if", "while", "for") and is_group(head, "(")):
            continue
        parts = [[]]
        for item in head.items:
            if is_word(item, ";"):
                parts.append([])
            else:
                parts[-1].append(item)
        # if (init; condition), while (condition), for (init; condition; step), for (name : range)
        conditions = parts[1:] if len(parts) > 1 else [] if keyword[0] == "for" else parts
        for condition in conditions:
            named = any(is_word(item, "=") for item in condition)
            if not named and any(is_word(item, "co_await") for item in own_items(condition)):
                return True
    return False


def breaches_of(statement):
    items = list(own_items(statement))
    awaits = [item for item in items if is_word(item, "co_await")]
    if not awaits:
        return
    line = awaits[0][1]
    if len(awaits) > 1:
        yield line, "more than one co_await in a statement"
    if any(is_word(item, "switch") for item in statement):
        yield line, "switch over an awaited value: name it first"
    if awaited_condition(statement):
        yield line, "awaited condition: name the value first"
    if any(is_word(item, "?") for item in items):
        yield line, "?: in an awaiting statement"
    if any(is_group(item, "{") and item.role == "lambda" for item in items):
        yield line, "lambda in an awaiting statement: name it first"
    if any(is_group(item, "{") and item.role == "value" for item in items):
        yield line, "braces in an awaiting statement: name the object first"


def check_text(text):
    return sorted({breach for statement in statements(parse(text)) if statement for breach in breaches_of(statement)})


def files_of(arguments):
    for argument in map(pathlib.Path, arguments):
        yield from sorted(argument.rglob("*.cpp")) if argument.is_dir() else [argument]


def main():
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    found = [f"{path}:{line}: {what}" for path in files_of(sys.argv[1:]) for line, what in check_text(path.read_text())]
    print("\n".join(found) if found else "coroutines: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
