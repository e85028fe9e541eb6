#pragma once

// The files of one area of a home ("projects", "sessions") that can be searched, with what a stat says of them.
//
// It is brought up to date in one of two ways. look_at_all() looks at every file, and into every folder whose time has changed or
// is young: a folder that nobody wrote to for a while has the names it had. correct() looks at what a FileWatch told of (note()),
// and relies on the rest; what cannot be watched by itself (a file that may not be read) or may change untold (one that somebody
// has open and has written to: he may have mapped it) is looked at every time. That the area itself is the same folder is checked
// in both. Nothing below an area that is a link is followed. One thread.

#include "base/files/fd.h"
#include "kinds/transcripts/home/home.h"
#include "kinds/transcripts/passages/file_watch.h"
#include "kinds/transcripts/passages/source_name.h"
#include "search/index/passages.h"

#include <sys/stat.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

namespace holdfast::transcripts {

struct ListedFile {
  std::string key;
  SourceName name;
  struct State {
    std::uint64_t inode = 0, size = 0, modified = 0;  // nanoseconds
    bool operator==(const State&) const = default;
  };
  std::optional<State> state;  // none: it is not there, or no file
  int watch = -1;
  std::optional<search::Source> source;  // for whoever makes one of it; none once the state is another
};

class ListedArea {
 public:
  // Which folders are looked into, by their path below the area.
  using Descends = bool (*)(std::string_view path);
  // complete: a folder that may not be read is an error instead of left out. The home outlives this.
  ListedArea(const Home& home, std::string_view keys, std::string name, Descends descends, bool complete)
      : home_(home), keys_(keys), name_(std::move(name)), descends_(descends), complete_(complete) {}

  // Errors: the area, or a folder in a complete one, cannot be read. After one, forget().
  Result<void> look_at_all(FileWatch* watch);
  void note(const FileWatch::Event& event);
  Result<void> correct(FileWatch& watch);
  // What is known stays, to be looked at every time from now on.
  void stop_watching();
  // Knows nothing any more, and has no watches.
  void forget(FileWatch* watch);

  std::map<std::string, ListedFile>& files() { return files_; }  // by path below the area
  // Since it was last asked: files came, went, or have another state.
  bool take_changed() { return std::exchange(changed_, false); }
  // Something was met that cannot be relied on until the next look_at_all().
  bool cannot_be_kept() const { return cannot_be_kept_; }

 private:
  struct Folder {
    std::uint64_t device = 0, inode = 0, modified = 0;
    bool settled = false;  // it was read long enough after its last change
    int watch = -1;
  };
  struct Watched {
    std::string path;
    bool folder = false;
  };
  Result<bool> open_area(FileWatch* watch);
  Result<void> look_below(const std::string& path, FileWatch* watch);
  Result<void> look_into(const std::string& path, FileWatch* watch);
  struct Names {
    std::set<std::string> folders;
    std::map<std::string, ListedFile> files;
  };
  Result<Fd> open_folder(const std::string& path) const;
  Result<Names> read_names(const std::string& path, Fd folder);
  std::optional<ListedFile> file_at(const std::string& path) const;
  Result<void> look_at_name(const std::string& path, FileWatch& watch);
  void look_at_file(const std::string& path, ListedFile& file, FileWatch* watch);
  bool status_of(const std::string& path, struct stat& status);
  void drop(const std::string& path, FileWatch* watch);
  void unwatch(int& number, const std::string& path, FileWatch* watch);

  const Home& home_;
  const std::string_view keys_;
  const std::string name_;
  const Descends descends_;
  const bool complete_;

  Fd area_;
  std::uint64_t device_ = 0, inode_ = 0;   // of the area
  std::map<std::string, Folder> folders_;  // by path; the area itself is ""
  std::map<std::string, ListedFile> files_;
  bool changed_ = false, cannot_be_kept_ = false;

  std::unordered_multimap<int, Watched> watched_;
  bool all_anew_ = false;                          // told: the area itself
  std::set<std::string> named_, written_;          // told: names to look at, files to look at
  std::set<std::string> open_, looked_at_always_;  // files
};

}  // namespace holdfast::transcripts
