#pragma once

// Every transcript of both products as something that can be searched: main conversations, subagents, saved results of tools.
//
// What the client has deleted and the guard has kept is there, too, under the same key, read from the guard. Keys are
// "claude:<path below its home>" and "codex:<path below its home>". Any thread.
//
// Conversations only grow. A saved result is one message, whatever lines it has (in parts of kSavedPart when it is long), so it
// is another one as soon as its file has changed.

#include "kinds/transcripts/home/any_session.h"
#include "kinds/transcripts/passages/line_passages.h"
#include "kinds/transcripts/passages/source_listing.h"
#include "kinds/transcripts/passages/source_name.h"
#include "search/index/passages.h"
#include "session/blobs.h"

#include <memory>
#include <mutex>
#include <unordered_map>

namespace holdfast::transcripts {

// Of a saved result: what is looked at as one message. Clients save what is longer than 30 to 50 KB; more would have to be read
// to verify one block.
inline constexpr std::size_t kSavedPart = 32 * 1024;

// Whether only the guard has it.
bool is_kept(const search::Source& source);

class TranscriptSources final : public search::PassageSources {
 public:
  // The guard may be missing (nullptr). Both outlive this. A process that searches more than once keeps the listing.
  TranscriptSources(const Homes& homes, session::Blobs* guard, Keeping keeping = {})
      : homes_(homes), guard_(guard), listing_(homes, keeping) {}

  // As fresh as if every file had been looked at (source_listing.h); the same object as long as nothing has changed.
  Result<search::SourceList> list() override;
  bool keeps_listing() { return listing_.is_kept(); }
  Result<Position> read(const search::Source& source, Position from, std::uint64_t to,
                        const std::function<bool(const search::Passage&)>& take) override;
  Result<Position> read_wanted(const search::Source& source, Position from, std::uint64_t to, const search::Wanted& wanted,
                               const std::function<bool(const search::Passage&)>& take) override;
  Result<std::uint64_t> proof(const search::Source& source, std::uint64_t offset) override;

 private:
  using Take = std::function<bool(const search::Passage&)>;
  // What reading needs besides the file; one reader at a time has it.
  struct Tools {
    std::unique_ptr<LinePassages> claude, codex, json;
    std::string bytes;
  };
  class Reading;

  Result<search::SourceList> with_kept(const search::SourceList& there);
  // nullptr: the guard has it, or nobody.
  Result<std::shared_ptr<const Fd>> open(const search::Source& source, const SourceName& name);
  void forget_deleted_files();
  FileOpening opening_of(const search::Source& source, const SourceName& name);
  std::unique_ptr<Tools> take_tools();
  void give_back(std::unique_ptr<Tools> tools);

  const Homes& homes_;
  session::Blobs* guard_;

  SourceListing listing_;

  std::mutex kept_mutex_;
  std::int64_t kept_generation_ = 0;
  std::vector<search::Source> kept_;                // all that the guard has, in its order
  search::SourceList kept_beside_, there_or_kept_;  // which files were there, and these with what only the guard has

  std::mutex mutex_;
  search::SourceList listed_;  // the last time
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
