#pragma once

// The command line as values. Only arguments.cpp knows the library that reads it.

#include "base/result.h"
#include "cli/arguments/guard_arguments.h"
#include "cli/arguments/program_name.h"
#include "cli/arguments/review_arguments.h"
#include "cli/arguments/run_arguments.h"
#include "cli/arguments/search_arguments.h"
#include "cli/arguments/session_work_arguments.h"
#include "cli/arguments/transcript_arguments.h"
#include "cli/program/settings.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace holdfast::cli {

enum class Command {
  mcp,
  serve,
  sessions_list,
  sessions_show,
  sessions_resume,
  sessions_archive,
  sessions_unarchive,
  sessions_restore,
  sessions_pin,
  sessions_unpin,
  sessions_delete,
  sessions_purge,
  sessions_redact,
  sessions_notices,
  sessions_export,
  cleanup,
  research_start,
  research_resume,
  research_status,
  research_report,
  research_list,
  research_cancel,
  research_chat,
  research_thinkdeep,
  research_ideate,
  research_consensus,
  research_providers,
  research_open,
  review,
  review_list,
  review_show,
  review_accept,
  review_reject,
  review_comment,
  review_undo,
  review_trash,
  review_restore,
  review_export,
  run_tasks,
  run_list,
  run_show,
  run_cancel,
  run_login,
  run_logout,
  store_info,
  store_verify,
  store_copy,
  store_backup,
  store_restore,
  store_salvage,
  token_add,
  token_list,
  token_revoke,
  login,
  completion,
  list,
  info,
  archive,
  restore,
  exported,
  clone,
  move,
  erase,
  lineage,
  verify,
  relocate,
  doctor,
  schema,
  import_lineage,
  import_thoughtbox,
  brief,
  guard,
  guard_list,
  guard_show,
  guard_cat,
  guard_status,
  guard_verify,
  guard_repair,
  guard_forget,
  search,
  trace,
  index
};

// token add
struct TokenArguments {
  std::vector<std::string> scopes, projects;
  std::string team, expires;
};

struct CommandLine {
  Command command = Command::mcp;
  bool json = false;
  bool verbose = false;
  Flags flags;  // settings given as flags

  std::string name;                // token add|revoke NAME, login --for NAME, sessions show ID, completion SHELL
  std::vector<std::string> kinds;  // sessions list
  std::vector<std::string> statuses;
  std::string text;        // sessions list --search
  bool deleted = false;    // sessions list --deleted
  std::int64_t limit = 0;  // sessions list|show; brief: characters; 0: the default
  bool graph = false;      // sessions show --graph
  bool svg = false;        // sessions show --svg
  bool quiet = false;      // brief: nothing to say is no error

  TranscriptArguments transcripts;
  GuardArguments guard;
  SessionWorkArguments work;
  ReviewArguments review;
  RunArguments run;
  SearchArguments search;
  TokenArguments token;
};

// --help and --version: print this and end well.
struct Printed {
  std::string text;
};

// The first word is what the program was called as. Errors: invalid, with the command whose --help explains it in the hint.
Result<std::variant<CommandLine, Printed>> read_command_line(int count, const char* const* words);

// Commands and options, for shell completion.
struct CommandHelp {
  struct Option {
    std::string name;  // "--port"
    std::string help;
    bool takes_value = false;
  };
  std::string name;
  std::string help;
  std::vector<Option> options;
  std::vector<CommandHelp> commands;
};
CommandHelp describe_command_line(Program program = Program::holdfast);

}  // namespace holdfast::cli
