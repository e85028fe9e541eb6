"""What was sent to the API, made comparable between a session and its copy."""
import json
import os
import re

from client import folder_name

SHOWN = 400  # characters of a message that differs


def normalised(messages, session, ancestors=()):
    """The messages with what may differ between a session and its copy replaced by names.

    These are the session's id, its home, its project (and the one of its ancestors: text keeps it, as history) and its
    plan's name. An ancestor's id is *not* replaced: it must not be in a copy.
    """
    names = {session.id: "SESSION", folder_name(session.project): "FOLDER"}
    for each in (session, *ancestors):
        names.update({str(each.project): "PROJECT", str(each.home.config): "CONFIG"})
        names.update({each.slug: "SLUG"} if each.slug else {})
    pattern = re.compile("|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)))

    def walk(value):
        if isinstance(value, str):
            return pattern.sub(lambda found: names[found[0]], value)
        if isinstance(value, list):
            return [walk(each) for each in value]
        return {key: walk(each) for key, each in value.items()} if isinstance(value, dict) else value

    return walk(messages)


def difference(expected, actual):
    """Where two lists of messages first differ, for a person; empty when they do not."""
    for index, (left, right) in enumerate(zip(expected, actual)):
        if left != right:
            left, right = json.dumps(left, ensure_ascii=False), json.dumps(right, ensure_ascii=False)
            at = max(0, len(os.path.commonprefix([left, right])) - SHOWN // 4)
            return f"message {index}:\n  expected …{left[at:at + SHOWN]}\n  sent     …{right[at:at + SHOWN]}"
    if len(expected) != len(actual):
        longer = max(expected, actual, key=len)[min(len(expected), len(actual)):]
        return f"{len(expected)} messages expected, {len(actual)} sent; the first odd one: {json.dumps(longer[0])[:SHOWN]}"
    return ""


class History:
    """The messages of a request, with names in place of what is a session's own."""

    def __init__(self, request, session, *ancestors):
        self.messages = normalised(request["messages"], session, ancestors)
