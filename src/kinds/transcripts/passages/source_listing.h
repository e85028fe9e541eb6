#pragma once

// Which files of both homes can be searched, and how long they are: what every search asks first.
//
// A process that stays keeps the answer and corrects it by what the kernel tells of (file_watch.h), so that it costs microseconds
// and is as fresh as if everything had been looked at: what was written before get() was called is in it. Where that cannot be
// had (a network or overlay file system, too few watches, a system without them) and in a process that asks once, every file is
// looked at every time. Any thread; one at a time looks.

#include "kinds/transcripts/home/any_session.h"
#include "kinds/transcripts/home/listed_area.h"

#include <array>
#include <chrono>
#include <mutex>

namespace holdfast::transcripts {

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

}  // namespace holdfast::transcripts
