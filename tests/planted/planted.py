#!/usr/bin/env python3
"""usage: planted.py MISTAKE BUILD PROGRAM    plant a mistake in a copy of a source file, and expect that PROGRAM reports it

The copy is compiled and linked by the very commands of the tree BUILD, so a flag that gets lost there is noticed here. The
program as it is must pass first: red without a mistake proves nothing.
"""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
ENCODED = ("src/base/text/uri.cpp", "kHex[byte >> 4]", "kHex[byte >> 2]")  # beyond the sixteen digits
MISTAKES = {
    # name: (file, right, wrong, arguments of the program, what the report says)
    "address": (*ENCODED, ["--gtest_filter=*Uri*:*Percent*"], "AddressSanitizer: global-buffer-overflow"),
    "fuzz": (*ENCODED, ["-runs=20000", "-seed=1"], "ERROR: libFuzzer: deadly signal"),  # what is read beyond is not read back
    "undefined": ("src/base/text/uri.cpp", "static_cast<char>(high << 4 | low)",
                  "static_cast<char>((high + 2147483647 - 2147483647) << 4 | low)",
                  ["--gtest_filter=*Uri*:*Percent*"], "runtime error: signed integer overflow"),
    "thread": ("src/base/run/pool.cpp", "const std::lock_guard lock(state_->mutex);\n    if (state_->closed) return;",
               "if (state_->closed) return;", ["--gtest_filter=Pool.RunsEverythingBeforeItEnds"], "ThreadSanitizer: data race"),
}


def run(command, folder):
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, errors="replace")
    if done.returncode:
        sys.exit(f"cannot build the copy: {command}\n{done.stdout}{done.stderr}")


def compiled_with(commands, source):
    """The command that compiles `source`, alone or together with others, and the file it names."""
    for command in commands:
        named = re.search(r" -c (\S+)", command)
        if not named:
            continue
        unit = pathlib.Path(named[1])
        if unit == source or (unit.suffix == ".cxx" and f'"{source}"' in unit.read_text()):
            return command, unit
    sys.exit(f"no command of the tree compiles {source}")


def build_copy(build, program, source, text, work):
    """The program with `text` in the place of `source`."""
    listed = subprocess.run(["ninja", "-t", "commands", str(program.relative_to(build))], cwd=build, capture_output=True, text=True, check=True)
    commands = listed.stdout.splitlines()
    compile_command, unit = compiled_with(commands, source)
    planted = work / source.name
    planted.write_text(text)
    if unit != source:
        together = work / unit.name
        together.write_text(unit.read_text().replace(f'"{source}"', f'"{planted}"'))
        planted = together
    of_object = re.search(r" -o (\S+)", compile_command)[1]
    copy_of_object = work / pathlib.Path(of_object).name
    run(re.sub(r" -MD -MT \S+ -MF \S+", "", compile_command)
        .replace(f" -o {of_object}", f" -o {copy_of_object}").replace(f" -c {unit}", f" -c {planted}"), build)

    link = commands[-1]
    room = "libhf_base.a"
    archive = next(word for word in shlex.split(link) if word.endswith(room))
    (work / room).write_bytes((build / archive).read_bytes())
    run(f"ar r {work / room} {copy_of_object}", build)
    copy_of_program = work / program.name
    run(re.sub(r" -o \S+", f" -o {copy_of_program}", link, count=1).replace(f" {archive}", f" {work / room}"), build)
    return copy_of_program


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    build, program = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    name, right, wrong, arguments, report = MISTAKES[sys.argv[1]]
    source = REPOSITORY / name
    text = source.read_text()
    assert text.count(right) == 1, f"{name} no longer has one {right}"
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        copy = build_copy(build, program, source, text.replace(right, wrong), work)
        for tried, red in ((program, False), (copy, True)):
            done = subprocess.run([tried, *arguments], cwd=work, capture_output=True, text=True, errors="replace")
            said = done.stdout + done.stderr
            if (done.returncode != 0) != red or (report in said) != red:
                sys.exit(f"{tried}: exit {done.returncode}, expected {'a report' if red else 'none'}\n{said[-4000:]}")
    print(f"planted {sys.argv[1]}: reported")
    return 0


if __name__ == "__main__":
    sys.exit(main())
