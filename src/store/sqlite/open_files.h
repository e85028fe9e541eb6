#pragma once

// Whether the files that a connection has open are still those beside each other under the store's name.
//
// SQLite goes on with a log that somebody has removed: what is committed into it is gone with the process, and whoever opens the
// store meanwhile sees neither it nor the file as it should be. So who reads and writes for long looks before each time.

#include <sys/stat.h>

#include <array>
#include <string>
#include <string_view>

namespace holdfast::store {

class OpenFiles {
 public:
  enum class Lost { nothing, log, store };

  explicit OpenFiles(std::string path) : path_(std::move(path)) {}

  // A connection of this process has them open now.
  void remember();
  // log: the log, or its index, is another one or none.
  Lost lost() const;

 private:
  struct Place {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const Place&) const = default;
  };
  static constexpr std::array<std::string_view, 3> kSuffixes = {"", "-wal", "-shm"};
  Place place(std::string_view suffix) const;

  std::string path_;
  std::array<Place, kSuffixes.size()> places_;
};

}  // namespace holdfast::store
