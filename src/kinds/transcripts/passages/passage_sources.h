#pragma once

// Every transcript of both products as something that can be searched: main conversations, subagents, saved results of tools.
//
// What the client has deleted and the guard has kept is there, too, under the same key, read from the guard. Keys are
// "claude:<path below its home>" and "codex:<path below its home>". Any thread.
//
// Conversations only grow. A saved result is one message, whatever lines it has (in parts of kSavedPart when it is long), so it
// is another one as soon as its file has changed.

#include "kinds/transcripts/home/any_session.h"
#include "kinds/transcripts/home/listed_area.h"
#include "kinds/transcripts/passages/line_passages.h"
#include "kinds/transcripts/passages/source_name.h"
#include "search/index/passages.h"
#include "session/blobs.h"

#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace holdfast::transcripts {

// Which files of both homes can be searched, and how long they are: what every search asks first.
//
// A process that stays keeps the answer and corrects it by what the kernel tells of (file_watch.h), so that it costs microseconds
// and is as fresh as if everything had been looked at: what was written before get() was called is in it. Where that cannot be
// had (a network or overlay file system, too few watches, a system without them) and in a process that asks once, every file is
// looked at every time. Any thread; one at a time looks.

// How a listing is come by.
struct Keeping {
  bool kept = false;             // watch, instead of looking at everything every time
  std::size_t most_watches = 0;  // 0: a fair share of the user's
};

class SourceListing {
 public:
  // Seldom enough to cost nothing, often enough for what is written to mapped memory at the same length.
  static constexpr std::chrono::minutes kLookAgain{1};
  // Where watching did not work, it may later: a limit was raised, others gave theirs back.
  static constexpr std::chrono::minutes kTryAgain{10};

  // The homes outlive this.
  SourceListing(const Homes& homes, Keeping keeping);

  // The same object as long as nothing has changed. Errors: an area cannot be read.
  Result<search::SourceList> get();
  // Whether the last answer came of watching.
  bool is_kept();

 private:
  using Time = std::chrono::steady_clock::time_point;
  enum Area { kProjects, kSessions, kArchived };

  Result<void> look();
  Result<void> look_at_all();
  void stop_watching();
  search::SourceList assemble();
  void add_codex(std::vector<search::Source>& sources);
  void add(ListedFile& file, std::vector<search::Source>& sources);
  bool make_source(ListedFile& file);
  std::string session_of_flat_agent(const SourceName& name, std::uint64_t inode);

  const Homes& homes_;
  const Keeping keeping_;
  std::mutex mutex_;
  std::unique_ptr<FileWatch> watch_;  // outlives the numbers in the areas
  std::array<ListedArea, 3> areas_;
  Time look_again_, try_again_;
  std::vector<FileWatch::Event> events_;
  search::SourceList current_;
  bool unresolved_ = false;                                                   // files of which no source could be made yet
  std::map<std::pair<std::string, std::uint64_t>, std::string> flat_agents_;  // whose they are, by path and inode
};

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

  // As fresh as if every file had been looked at (SourceListing); the same object as long as nothing has changed.
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
