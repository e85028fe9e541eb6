#include "kinds/transcripts/lines/parent_links.h"

#include "base/crypto/hash.h"
#include "base/ids.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace holdfast::transcripts {
namespace {

// In place of an index.
constexpr std::uint32_t kRoot = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kMissing = kRoot - 1;
constexpr std::uint32_t kCircle = kRoot - 2;
constexpr std::uint32_t kRepeated = kRoot - 3;
constexpr std::uint32_t kFirstMark = kRepeated;

std::uint8_t nibble(char c) {
  return static_cast<std::uint8_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

}  // namespace

ParentLinks::Id ParentLinks::id_of(std::string_view text) {
  Id id{};
  if (!is_uuid(text)) {
    const Digest digest = sha256(text);
    std::copy_n(digest.begin(), id.size(), id.begin());
    return id;
  }
  std::size_t at = 0;
  for (std::uint8_t& byte : id) {
    if (text[at] == '-') ++at;
    byte = static_cast<std::uint8_t>(nibble(text[at]) << 4 | nibble(text[at + 1]));
    at += 2;
  }
  return id;
}

void ParentLinks::add(std::string_view uuid, std::string_view parent, std::uint64_t line) {
  if (records_.size() >= kFirstMark) return;
  Record& record = records_.emplace_back();
  record.id = id_of(uuid);
  if (!parent.empty()) record.parent = id_of(parent);
  record.up = parent.empty() ? kRoot : 0;
  record.line = static_cast<std::uint32_t>(std::min<std::uint64_t>(line, kRoot));
}

std::uint32_t ParentLinks::index_of(const Id& id) const {
  const auto found = std::ranges::lower_bound(records_, id, {}, &Record::id);
  return found != records_.end() && found->id == id ? static_cast<std::uint32_t>(found - records_.begin()) : kMissing;
}

void ParentLinks::resolve() {
  std::ranges::sort(records_, [](const Record& a, const Record& b) { return a.id != b.id ? a.id < b.id : a.line < b.line; });
  for (std::size_t i = 0; i < records_.size(); ++i) {
    Record& record = records_[i];
    if (i > 0 && record.id == records_[i - 1].id) {
      record.up = kRepeated;
    } else if (record.up != kRoot) {
      record.up = index_of(record.parent);
    }
  }
}

// Every record has one way up, so each is walked once: a way that meets itself is a circle, one that meets an older way is not.
void ParentLinks::find_circles() {
  std::vector<std::uint32_t> walk(records_.size(), 0);  // which walk came by; 0: none
  std::uint32_t number = 0;
  for (std::uint32_t start = 0; start < records_.size(); ++start) {
    ++number;
    std::uint32_t at = start;
    while (at < kFirstMark && walk[at] == 0) {
      walk[at] = number;
      at = records_[at].up;
    }
    if (at >= kFirstMark || walk[at] != number) continue;
    std::uint32_t first = at;
    for (std::uint32_t i = records_[at].up; i != at; i = records_[i].up)
      if (records_[i].line < records_[first].line) first = i;
    records_[first].up = kCircle;
  }
}

void ParentLinks::finish(const std::function<void(LinkProblem, std::uint64_t)>& tell) {
  resolve();
  find_circles();
  std::ranges::sort(records_, {}, &Record::line);
  for (const Record& record : records_) {
    if (record.up == kRepeated) tell(LinkProblem::same_uuid, record.line);
    if (record.up == kMissing) tell(LinkProblem::no_parent, record.line);
    if (record.up == kCircle) tell(LinkProblem::circle, record.line);
  }
  records_ = {};
}

}  // namespace holdfast::transcripts
