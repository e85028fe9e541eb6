"""What of a source is comment: (line number, text) for the checkers that read what people wrote.

C++ and JavaScript: // and /* */ outside of strings. Python, shell, CMake: # and, in Python, texts in three quotes that begin a line.
"""
import re

C_LIKE = (".h", ".hpp", ".cpp", ".mjs", ".js", ".css")
SCRIPTS = (".py", ".sh", ".cmake", ".txt", "")
# Strings come first, so that what looks like a comment inside of them is none.
IN_C = re.compile(r'R"(?P<mark>\w*)\((?:.|\n)*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|\'(?:\\[^\']+|[^\'\\\n])\'|(?P<comment>(?<!:)//[^\n]*|/\*(?:.|\n)*?\*/)')
IN_SCRIPT = re.compile(r'^[ \t]*(?P<long>"""(?:.|\n)*?""")|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|(?<!\S)(?P<comment>#[^\n]*)', re.M)


def comments_of(suffix, text):
    """suffix: of the file's name. Other files have no comments."""
    pattern = IN_C if suffix in C_LIKE else IN_SCRIPT if suffix in SCRIPTS else None
    for found in pattern.finditer(text) if pattern else ():
        group = "long" if pattern is IN_SCRIPT and found["long"] else "comment"
        if found[group]:
            first = text.count("\n", 0, found.start(group)) + 1
            comment = found[group][3:-3] if group == "long" else found[group]
            yield from enumerate(comment.splitlines(), first)
