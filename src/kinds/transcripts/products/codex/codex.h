#pragma once

// Transcripts of Codex CLI (transcript-archive §12): one file a session, named by time and id; the same engine.

#include "kinds/transcripts/verbs/copy_result.h"
#include "kinds/transcripts/verbs/erase.h"
#include "reading/reading.h"

namespace holdfast::transcripts {

struct CodexSession {
  std::string id;
  std::string path;                           // below the home: "sessions/2026/11/15/rollout-…-<id>.jsonl", "archived_sessions/…"
  bool archived = false, compressed = false;  // .jsonl.zst
  std::uint64_t size = 0;
  Millis mtime = 0;
  // From its first record and session_index.jsonl; filled by summarise_codex.
  std::string title, cwd, version, git_branch, forked_from;
  Millis first_time = 0, last_time = 0;
};

// Of one id that occurs several times the plain file wins over a compressed one, then the active over an archived. By id.
Result<std::vector<CodexSession>> codex_sessions(const Home& home);
// Errors: not_found, ambiguous, invalid, as find_session.
Result<CodexSession> find_codex_session(const Home& home, std::string_view id_or_prefix);
// One id lives once, archived or not; `path` is where it should be. Errors: conflict, naming where it lives.
Result<void> check_codex_lives_nowhere_else(const Home& home, const std::string& id, const std::string& path);
// The name that session_index.jsonl gives it, else the first prompt; compressed files are read whole. What cannot be read stays
// empty.
Result<CodexSession> summarise_codex(const Home& home, CodexSession session);
// From the rollout alone, as it is stored: the title is the first prompt.
Result<CodexSession> summarise_codex(const reading::ByteSource& rollout, CodexSession session);

struct CopyOptions;   // verbs/copy.h
class SessionSource;  // source/session_source.h
// A new id in the file name and in session_meta.payload.id, or in place; cwd translated unless the level is none. Everything else
// byte for byte.
Result<CopyResult> copy_codex(const Home& home, SessionSource& source, const CopyOptions& options, Millis now,
                              const Progress& progress = {});
Result<EraseResult> erase_codex(const Home& home, const CodexSession& session, const EraseOptions& options, Millis now,
                                const Progress& progress = {});

}  // namespace holdfast::transcripts
