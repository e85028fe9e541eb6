#include "session/life/kind_life.h"

#include "session/kinds.h"

#include <algorithm>

namespace holdfast::session {

namespace {

constexpr std::array kLives = [] {
  using enum ArchiveClock;
  return std::array{
      KindLife{kThread, activity, {}, {}, 7, 90, 2},
      KindLife{kResearch, completion, {"started", "in_progress"}, "cancelled", 90, 90, 7},
      KindLife{kReasoning, activity, {}, {}, 0, 0, 7},
      KindLife{kDocument, activity, {}, {}, 0, 0, 7},
      KindLife{kRun, completion, {"running", {}}, "cancelled", 0, 0, 7},
  };
}();
constexpr KindLife kUnknown{{}, ArchiveClock::activity, {}, {}, 0, 0, 7};

}  // namespace

std::span<const KindLife> kind_lives() {
  return kLives;
}

const KindLife& life_of(std::string_view kind) {
  const auto row = std::ranges::find(kLives, kind, &KindLife::kind);
  return row == kLives.end() ? kUnknown : *row;
}

bool is_busy(const SessionRecord& record) {
  const KindLife& life = life_of(record.kind);
  return !record.status.empty() && std::ranges::find(life.busy, record.status) != life.busy.end();
}

}  // namespace holdfast::session
