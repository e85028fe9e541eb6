#pragma once

// The command line of `holdfast guard`. Included by arguments.cpp alone, as grammar.h.

#include "cli/arguments/grammar.h"

#include <array>

namespace holdfast::cli {

class GuardGrammar : public GrammarParts {
 protected:
  using GrammarParts::GrammarParts;

  void add_guard() {
    GuardArguments& guarded = line_.guard;
    CLI::App& guard = command(app_, Command::guard, "guard", "keep all transcripts, so that nothing a client deletes is lost");
    CLI::Option* watch = flag(guard, "--watch", guarded.watch, "go on and keep what is written as it is written");
    CLI::Option* hook = flag(guard, "--hook", guarded.hook, "keep the session a hook of Claude Code tells on standard input");
    CLI::Option* install = flag(guard, "--install", guarded.install, "as a service of systemd that runs from now on");
    CLI::Option* uninstall = flag(guard, "--uninstall", guarded.uninstall, "no longer; what was kept stays");
    CLI::Option* shown = flag(guard, "--install-hook", guarded.install_hook, "print the hook to add to Claude Code's settings");
    const std::array ways = {watch, hook, install, uninstall, shown};
    for (CLI::Option* one : ways) {
      for (CLI::Option* other : ways) {
        if (one != other) one->excludes(other);
      }
    }
    CLI::App& list = command(guard, Command::guard_list, "list", "sessions that are kept");
    flag(list, "--gone", guarded.gone, "only those whose original is gone");
    CLI::App& show = command(guard, Command::guard_show, "show", "the files of a session that is kept, and their versions");
    CLI::App& cat = command(guard, Command::guard_cat, "cat", "a kept file on standard output");
    option(cat, "ID FILE", guarded.words, "session, then a file of it [the transcript]")->required()->expected(1, 2);
    flag(cat, "--partial", guarded.partial, "of a damaged file what is left of it; says what is not");
    for (CLI::App* each : {&show, &cat}) {
      CLI::Option* number =
          option(*each, "--version", guarded.version, "this version, not the newest")->check(CLI::PositiveNumber);
      option(*each, "--as-of", guarded.as_of, "as it was kept then: 2026-11-01, 2026-11-01T10:00:00Z, 3d")->excludes(number);
    }
    CLI::App& forget = command(guard, Command::guard_forget, "forget", "take sessions out of the guard for good, after asking");
    option(show, "ID", guarded.words, "id, or a unique start of it")->required()->expected(1);
    option(forget, "ID", guarded.words, "ids, or unique starts of them")->required()->expected(1, kManyWords);
    flag(forget, "--yes", guarded.yes, "do it without asking");
    command(guard, Command::guard_status, "status", "how much is kept, and what it takes");
    command(guard, Command::guard_verify, "verify", "read everything that is kept and compare its hashes");
    command(guard, Command::guard_repair, "repair", "set aside what is damaged, to be taken again");
  }
};

}  // namespace holdfast::cli
