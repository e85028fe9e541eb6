#include "session/record.h"

#include "base/text/text.h"
#include "session/limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::session {
namespace {

Result<void> check_text(std::string_view name, std::string_view text, std::size_t max_bytes) {
  if (text.size() > max_bytes) {
    return fail(ErrorKind::too_large, fmt::format("{} is {} bytes long; at most {} are kept", name, text.size(), max_bytes));
  }
  if (!is_valid_utf8(text)) return fail(ErrorKind::invalid, fmt::format("{} is not valid UTF-8", name));
  return {};
}

Result<void> check_list(std::string_view name, const std::vector<std::string>& items, std::size_t max_items,
                        std::size_t max_bytes) {
  if (items.size() > max_items) {
    return fail(ErrorKind::too_large, fmt::format("{} has {} items; at most {} are kept", name, items.size(), max_items));
  }
  for (const std::string& item : items) {
    if (item.empty()) return fail(ErrorKind::invalid, fmt::format("{} has an empty item", name));
    HF_CHECK(check_text(name, item, max_bytes));
  }
  return {};
}

}  // namespace

std::string_view name_of(Visibility visibility) {
  switch (visibility) {
    case Visibility::live:
      return "live";
    case Visibility::archived:
      return "archived";
    case Visibility::deleted:
      return "deleted";
  }
  return "live";
}

std::optional<Visibility> parse_visibility(std::string_view name) {
  for (Visibility each : {Visibility::live, Visibility::archived, Visibility::deleted}) {
    if (name == name_of(each)) return each;
  }
  return std::nullopt;
}

std::int64_t SessionRecord::entry_count() const {
  std::int64_t sum = 0;
  for (const Tally& tally : tallies) sum += tally.count;
  return sum;
}

std::int64_t SessionRecord::count_of(std::string_view type) const {
  std::int64_t sum = 0;
  for (const Tally& tally : tallies) {
    if (tally.type == type) sum += tally.count;
  }
  return sum;
}

std::int64_t SessionRecord::count_in_lane(std::string_view lane) const {
  std::int64_t sum = 0;
  for (const Tally& tally : tallies) {
    if (tally.lane == lane) sum += tally.count;
  }
  return sum;
}

std::int64_t SessionRecord::highest_number(std::string_view lane) const {
  std::int64_t highest = 0;
  for (const Tally& tally : tallies) {
    if (tally.lane == lane) highest = std::max(highest, tally.highest_number);
  }
  return highest;
}

std::vector<std::string> SessionRecord::lanes() const {
  std::vector<std::string> names;
  for (const Tally& tally : tallies) {
    if (!tally.lane.empty() && (names.empty() || names.back() != tally.lane)) names.push_back(tally.lane);
  }
  return names;
}

Result<void> check_record(const SessionRecord& record) {
  if (record.id.empty()) return fail(ErrorKind::invalid, "a session needs an id");
  if (record.kind.empty()) return fail(ErrorKind::invalid, "a session needs a kind");
  HF_CHECK(check_text("id", record.id, kMaxIdBytes));
  if (has_control_character(record.id)) return fail(ErrorKind::invalid, "an id must not have control characters");
  HF_CHECK(check_text("kind", record.kind, kMaxWordBytes));
  HF_CHECK(check_text("status", record.status, kMaxWordBytes));
  HF_CHECK(check_text("prior status", record.prior_status, kMaxWordBytes));
  HF_CHECK(check_text("title", record.title, kMaxTitleBytes));
  HF_CHECK(check_text("description", record.description, kMaxDescriptionBytes));
  HF_CHECK(check_text("opening", record.opening, kMaxOpeningBytes));
  HF_CHECK(check_text("root", record.root_uri, kMaxUriBytes));
  HF_CHECK(check_text("root name", record.root_name, kMaxLabelBytes));
  HF_CHECK(check_list("linked roots", record.linked_roots, kMaxRoots, kMaxUriBytes));
  HF_CHECK(check_text("project", record.project, kMaxLabelBytes));
  HF_CHECK(check_text("task", record.task, kMaxLabelBytes));
  HF_CHECK(check_text("aspect", record.aspect, kMaxLabelBytes));
  HF_CHECK(check_text("domain", record.domain, kMaxLabelBytes));
  HF_CHECK(check_list("tags", record.tags, kMaxTags, kMaxLabelBytes));
  HF_CHECK(check_text("principal", record.principal, kMaxLabelBytes));
  HF_CHECK(check_text("client", record.client, kMaxLabelBytes));
  return {};
}

std::vector<std::string> roots_of(const SessionRecord& record) {
  std::vector<std::string> roots = record.linked_roots;
  if (!record.root_uri.empty()) roots.push_back(record.root_uri);
  return roots;
}

bool is_inside(const std::vector<std::string>& projects, const SessionRecord& record) {
  if (projects.empty()) return true;
  const auto holds = [&](const std::string& root) { return std::ranges::find(projects, root) != projects.end(); };
  return holds(record.root_uri) || std::ranges::any_of(record.linked_roots, holds);
}

}  // namespace holdfast::session
