#include "store/sqlite/open_files.h"

namespace holdfast::store {

OpenFiles::Place OpenFiles::place(std::string_view suffix) const {
  struct stat status{};
  if (::stat((path_ + std::string(suffix)).c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

void OpenFiles::remember() {
  for (std::size_t i = 0; i < kSuffixes.size(); ++i) places_[i] = place(kSuffixes[i]);
}

OpenFiles::Lost OpenFiles::lost() const {
  if (place(kSuffixes[0]) != places_[0]) return Lost::store;
  for (std::size_t i = 1; i < kSuffixes.size(); ++i) {
    if (place(kSuffixes[i]) != places_[i]) return Lost::log;
  }
  return Lost::nothing;
}

}  // namespace holdfast::store
