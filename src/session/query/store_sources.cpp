#include "session/query/store_sources.h"

#include "base/text/uri.h"
#include "session/limits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace holdfast::session {
namespace {

constexpr std::string_view kKey = "store:";
constexpr std::size_t kEntriesAtOnce = 500;

search::PassageRole role_of(const Entry& entry) {
  if (entry.type == "message" && entry.data.contains(R"("role":"assistant")")) return search::PassageRole::assistant;
  return role_of_entry(entry.type);
}

std::string text_of(const SessionRecord& record) {
  return fmt::format("{}\n{}\n{}", record.title, record.description, fmt::join(record.tags, " "));
}

}  // namespace

search::PassageRole role_of_entry(std::string_view type) {
  if (type == "thought") return search::PassageRole::thinking;
  if (type == "call") return search::PassageRole::tool_call;
  if (type == "result") return search::PassageRole::tool_result;
  if (type == "message" || type == "request") return search::PassageRole::user;
  return type == "notice" ? search::PassageRole::system : search::PassageRole::assistant;
}

Result<search::SourceList> StoreSources::list() {
  std::vector<search::Source> sources;
  Query query = conditions_;
  query.limit = kMaxListLimit;
  query.count = false;
  do {
    HF_TRY(Page page, store_.list(query));
    for (const SessionRecord& record : page.items) {
      search::Source source;
      source.key = std::string(kKey) + record.id;
      source.session = record.id;
      source.kind = record.kind;
      if (!record.root_uri.empty()) source.project = path_of_file_uri(record.root_uri).value_or(record.root_uri);
      source.changed_at = record.updated_at;
      source.size = static_cast<std::uint64_t>(record.entry_count()) + 1;
      source.incarnation = std::to_string(record.created_at);
      sources.push_back(std::move(source));
    }
    query.cursor = page.next_cursor;
  } while (!query.cursor.empty());
  return std::make_shared<const std::vector<search::Source>>(std::move(sources));
}

Result<search::PassageSources::Position> StoreSources::read(const search::Source& source, Position from, std::uint64_t to,
                                                            const std::function<bool(const search::Passage&)>& take) {
  to = std::min(to, source.size);
  Position at = from;
  if (at.offset == 0 && to > 0) {
    HF_TRY(const SessionRecord record, store_.get(source.session));
    at = {1, 1};
    const std::string text = text_of(record);
    if (!take({0, 1, 0, search::PassageRole::title, record.updated_at, text, {}})) return at;
  }
  EntryQuery query;
  query.session = source.session;
  query.limit = kEntriesAtOnce;
  while (at.offset < to) {
    query.from = static_cast<std::int64_t>(at.offset);
    HF_TRY(const EntryPage page, store_.entries(query));
    for (const Entry& entry : page.entries) {
      const auto seq = static_cast<std::uint64_t>(entry.seq);
      if (seq >= to) return at;
      at = {seq + 1, seq + 1};
      if (entry.redacted || entry.damage || entry.text.empty()) continue;
      if (!take({seq, seq + 1, seq, role_of(entry), entry.time, entry.text, {}})) return at;
    }
    if (!page.next) return at;
  }
  return at;
}

}  // namespace holdfast::session
