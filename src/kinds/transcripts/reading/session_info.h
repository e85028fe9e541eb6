#pragma once

// Everything a person may want to know of one session, gathered in one place for `info` and get_session_info.

#include "kinds/transcripts/home/running.h"
#include "kinds/transcripts/reading/usage.h"
#include "kinds/transcripts/verbs/keeper.h"

namespace holdfast::transcripts {

struct SessionInfo {
  SessionLine line;  // from the whole file
  Inventory inventory;
  std::string file;  // where it lies (SessionSource::name)
  RunningState state;
  bool kept = false;   // only the guard has it, or a backup
  bool native = true;  // made by the client itself, as far as its id tells
  std::optional<LineageTree> lineage;
  Usage usage;
  std::optional<Cost> cost;
  std::vector<std::string> warnings;

  std::string_view state_word() const { return kept ? "kept" : state.word(); }
};
JsonObject to_json(const SessionInfo& info);

// Reads the session once or twice. A store that cannot be read is a warning. Errors: those of reading.
Result<SessionInfo> describe_session(const Keeper& keeper, SessionSource& source, const Progress& progress = {});

// One item of a list. `file` is the absolute path of the transcript.
JsonObject to_json(const SessionLine& line, std::string_view state, const std::string& file);

// How to get one back that only the guard has.
std::string restore_command(const AnySession& session);

// How to go on with it: claude --resume in its folder, or codex resume.
std::string resume_command(const SessionLine& line);

}  // namespace holdfast::transcripts
