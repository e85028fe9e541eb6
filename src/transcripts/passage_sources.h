#pragma once

// Every transcript of both products as something that can be searched: main conversations, subagents, saved results of tools.
//
// What the client has deleted and the guard has kept is there, too, under the same key, read from the guard. Keys are
// "claude:<path below its home>" and "codex:<path below its home>". Any thread.

#include "session/blobs.h"
#include "session/passages.h"
#include "transcripts/any_session.h"

#include <map>
#include <mutex>

namespace holdfast::transcripts {

inline constexpr std::string_view kClaudeKeys = "claude:", kCodexKeys = "codex:";

// From the key of a source to what it is; nullopt: no part of a session that can be searched.
struct SourceName {
  bool codex = false;
  std::string path;     // below the home
  std::string session;  // empty for a flat subagent, which names it inside
  std::string project_folder;
  ArtifactKind kind = ArtifactKind::main_transcript;
};
std::optional<SourceName> source_name(std::string_view key);

// Whether only the guard has it.
bool is_kept(const session::Source& source);

class TranscriptSources final : public session::PassageSources {
 public:
  // The guard may be missing (nullptr). Both outlive this.
  TranscriptSources(const Homes& homes, session::Blobs* guard) : homes_(homes), guard_(guard) {}

  Result<std::vector<session::Source>> list() override;
  Result<Position> read(const session::Source& source, Position from, std::uint64_t to,
                        const std::function<bool(const session::Passage&)>& take) override;

 private:
  Result<void> list_claude(std::vector<session::Source>& sources);
  Result<void> list_project(const std::string& folder, std::vector<session::Source>& sources);
  Result<void> list_codex(std::vector<session::Source>& sources);
  Result<void> list_kept(std::vector<session::Source>& sources);
  void add(const Home& home, std::string key, std::vector<session::Source>& sources);
  std::string session_of_flat_agent(const SourceName& name, ino_t inode);

  const Homes& homes_;
  session::Blobs* guard_;
  std::mutex mutex_;
  std::map<std::pair<std::string, ino_t>, std::string> flat_agents_;  // whose they are, by path and file
};

}  // namespace holdfast::transcripts
