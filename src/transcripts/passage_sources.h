#pragma once

// Every transcript of both products as something that can be searched: main conversations, subagents, saved results of tools.
//
// What the client has deleted and the guard has kept is there, too, under the same key, read from the guard. Keys are
// "claude:<path below its home>" and "codex:<path below its home>". Any thread.
//
// Conversations only grow. A saved result is one message, whatever lines it has (in parts of kSavedPart when it is long), so it
// is another one as soon as its file has changed.

#include "session/blobs.h"
#include "session/passages.h"
#include "transcripts/any_session.h"
#include "transcripts/line_passages.h"

#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace holdfast::transcripts {

inline constexpr std::string_view kClaudeKeys = "claude:", kCodexKeys = "codex:";

// Of a saved result: what is looked at as one message. Clients save what is longer than 30 to 50 KB; more would have to be read
// to verify one block.
inline constexpr std::size_t kSavedPart = 32 * 1024;

// From the key of a source to what it is; nullopt: no part of a session that can be searched.
struct SourceName {
  bool codex = false;
  std::string path;     // below the home
  std::string session;  // empty for a flat subagent, which names it inside
  std::string project_folder;
  ArtifactKind kind = ArtifactKind::main_transcript;

  bool is_conversation() const { return codex || is_line_file(kind); }
};
std::optional<SourceName> source_name(std::string_view key);

// Whether only the guard has it.
bool is_kept(const session::Source& source);

class TranscriptSources final : public session::PassageSources {
 public:
  // The guard may be missing (nullptr). Both outlive this.
  TranscriptSources(const Homes& homes, session::Blobs* guard) : homes_(homes), guard_(guard) {}

  // Every file is looked at every time (a stat), every folder whose time has changed or is young: a folder that nobody wrote to
  // for a while has the names it had.
  Result<std::vector<session::Source>> list() override;
  Result<Position> read(const session::Source& source, Position from, std::uint64_t to,
                        const std::function<bool(const session::Passage&)>& take) override;
  Result<Position> read_wanted(const session::Source& source, Position from, std::uint64_t to, const session::Wanted& wanted,
                               const std::function<bool(const session::Passage&)>& take) override;
  Result<std::uint64_t> proof(const session::Source& source, std::uint64_t offset) override;

 private:
  using Take = std::function<bool(const session::Passage&)>;
  struct KnownFile {
    std::string path, key;  // path: below projects/
    SourceName source;
  };
  struct KnownFolder {
    std::uint64_t inode = 0, changed = 0;
    bool settled = false;  // it was read long enough after its last change
    std::vector<KnownFile> files;
    std::vector<std::string> folders;
  };
  // What reading needs besides the file; one reader at a time has it.
  struct Tools {
    std::unique_ptr<LinePassages> claude, codex, json;
    std::string bytes;
  };
  class Reading;

  Result<void> list_claude(std::vector<session::Source>& sources);
  void list_folder(const Fd& area, const std::string& path, bool of_project, std::vector<session::Source>& sources);
  Result<void> list_codex(std::vector<session::Source>& sources);
  Result<void> list_kept(std::vector<session::Source>& sources);
  // What it holds; of one that is known and has not changed, without opening it.
  Result<const KnownFolder*> look_into(const Fd& area, const std::string& path);
  static bool is_as_known(const KnownFolder& known, const struct stat& status);
  void add(const std::string& key, const SourceName& name, const struct stat& status, std::vector<session::Source>& sources);
  std::string session_of_flat_agent(const SourceName& name, ino_t inode);
  // nullptr: the guard has it, or nobody.
  Result<std::shared_ptr<const Fd>> open(const session::Source& source, const SourceName& name);
  void forget_deleted_files();
  FileOpening opening_of(const session::Source& source, const SourceName& name);
  std::unique_ptr<Tools> take_tools();
  void give_back(std::unique_ptr<Tools> tools);

  const Homes& homes_;
  session::Blobs* guard_;

  std::mutex listing_;
  std::unordered_map<std::string, KnownFolder> folders_;              // of Claude Code, by path
  std::map<std::pair<std::string, ino_t>, std::string> flat_agents_;  // whose they are, by path and file

  std::mutex mutex_;
  struct OpenFile {
    std::string incarnation;
    std::shared_ptr<const Fd> file;
  };
  std::unordered_map<std::string, OpenFile> open_files_;  // by key
  struct KnownOpening {
    std::string incarnation;
    FileOpening opening;
  };
  std::unordered_map<std::string, KnownOpening> openings_;  // of Codex, by key
  std::vector<std::unique_ptr<Tools>> tools_;
};

}  // namespace holdfast::transcripts
