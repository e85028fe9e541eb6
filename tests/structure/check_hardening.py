#!/usr/bin/env python3
"""usage: check_hardening.py PROGRAM    what a built program defends itself with, read from its bytes

Prints one line per defence that is missing, and exits 1 if there is any. The flags are in cmake/compiler.cmake.
"""
import re
import subprocess
import sys


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def missing(program):
    header, segments, dynamic = said("readelf", "-hW", program), said("readelf", "-lW", program), said("readelf", "-dW", program)
    symbols = said("readelf", "-W", "--dyn-syms", program)
    code = said("objdump", "-d", "--no-show-raw-insn", program)
    functions = len(re.findall(r"^[0-9a-f]+ <", code, re.M))
    stack = re.search(r"GNU_STACK(?:\s+0x[0-9a-f]+){5}\s+(\S+)", segments)
    defences = {
        "an address of its own (PIE)": re.search(r"Type:\s+DYN", header) and re.search(r"FLAGS_1.*\bPIE\b", dynamic),
        "a stack that is not code": stack and "E" not in stack[1],
        "tables that are read-only (RELRO)": "GNU_RELRO" in segments,
        "all of them, from the start (BIND_NOW)": re.search(r"\bBIND_NOW\b|FLAGS_1.*\bNOW\b", dynamic),
        "stack protector": "__stack_chk_fail" in symbols,
        "checked copies (_FORTIFY_SOURCE)": re.search(r"__(?:mem|str|s?n?printf|read|pread|recv|fgets|vf?printf)\w*_chk\b", symbols),
        "checked containers (_GLIBCXX_ASSERTIONS)": "__glibcxx_assert_fail" in symbols,
    }
    if "X86-64" in header:
        # Every function that may be called through a pointer begins with endbr64; a large frame is touched page by page.
        defences["control-flow protection"] = len(re.findall(r"\bendbr64\b", code)) > functions // 4
        defences["stack-clash protection"] = re.search(r"sub\s+\$0x1000,%rsp\n.*or[ql]\s+\$0x0,\(%rsp\)", code)
    return [name for name, found in defences.items() if not found]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    lacks = missing(sys.argv[1])
    print("\n".join(f"{sys.argv[1]}: without {name}" for name in lacks) if lacks else "hardening: ok")
    return 1 if lacks else 0


if __name__ == "__main__":
    sys.exit(main())
