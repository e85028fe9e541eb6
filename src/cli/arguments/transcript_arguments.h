#pragma once

// What commands over transcripts are given (docs/transcripts.md). One struct for all of them: each command declares the options
// it takes, and reads only those.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::cli {

struct TranscriptArguments {
  std::vector<std::string> words;  // ids, archives, folders: as the command declares them

  std::string source_project;  // --sp: only sessions of this folder
  std::string target_project;  // --tp: where a copy goes
  std::string format;          // -f json|zst, text|tree|json
  bool all = false;            // list: of every project
  bool kept = false;           // list: those that only the guard has
  std::int64_t limit = 0;      // list; 0: the default
  std::int64_t days = 0;       // doctor; 0: the default

  bool force = false, terminate = false, no_backup = false, dry_run = false, yes = false;
  std::optional<bool> cross_session;  // delete --[no-]delete-cross-session-artifacts

  bool in_place = false, fresh_uuids = false;
  bool no_translate = false, translate_files = false;
  std::string level;              // --translate cwd|fields|all
  std::vector<std::string> maps;  // OLD=NEW
  std::string up_to;
  bool with_session_env = false, no_session_env = false;

  bool with_history = false, redact = false;
  std::string format_version;
  std::string gist_token, gist_visibility, gist_description;

  // export
  std::string output;
  bool detailed = false, all_branches = false, subagents = false;

  bool new_id = false;  // restore, of a session of the store

  std::int64_t version = 0;  // of what the guard has; 0: the newest
  std::string as_of;         // a time, as base/run/when.h reads it

  bool launch = false;
  std::vector<std::string> launch_arguments;  // behind --, for claude

  bool cost = false;                // info
  bool drift = false;               // verify
  bool fix = false, quick = false;  // doctor
};

}  // namespace holdfast::cli
