#include "reading/entry_reading.h"

#include "base/text/text.h"
#include "session/limits.h"
#include "session/query/display.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::reading {
namespace {

// Text, and what belongs to it, of an entry that nobody knows.
bool plain_turn(const session::Entry& entry, const ReadLimits& limits, Turn& turn) {
  if (!entry.text.empty()) add_part(turn, Part::Kind::text, entry.text, limits);
  if (!entry.data.empty()) add_part(turn, Part::Kind::raw, entry.data, limits).name = entry.type;
  return true;
}

class EntryReading final : public Reading {
 public:
  EntryReading(session::Reader& reader, const session::SessionRecord& record, TurnOfEntry turn_of)
      : reader_(reader), turn_of_(std::move(turn_of)) {
    heading_.id = record.id;
    heading_.kind = record.kind;
    heading_.title = session::shown_title(record);
    heading_.project = record.root_uri;
    heading_.first_time = record.created_at;
    heading_.last_time = record.updated_at;
    heading_.details.emplace_back("status", session::shown_status(record));
    heading_.details.emplace_back("entries", std::to_string(record.entry_count()));
    std::string tags;
    for (const std::string& tag : record.tags) tags += (tags.empty() ? "" : ", ") + tag;
    if (!tags.empty()) heading_.details.emplace_back("tags", tags);
    if (!record.description.empty()) heading_.details.emplace_back("about", record.description);
    if (record.damage) heading_.details.emplace_back("damage", *record.damage);
  }

  const Heading& heading() const override { return heading_; }

  Result<Window> window(const WindowQuery& query) override {
    session::EntryQuery wanted;
    wanted.session = heading_.id;
    wanted.limit = std::clamp<std::size_t>(query.turns, 1, session::kMaxEntryLimit);
    const bool backward = query.before != 0;
    if (backward) {
      if (query.before == 1) return Window{};
      wanted.direction = session::Direction::backward;
      // 0 is the end; a number beyond it would find nothing.
      if (query.before != kToTheEnd)
        wanted.from = static_cast<std::int64_t>(std::min<std::uint64_t>(query.before - 1, INT64_MAX));
    } else {
      wanted.from = static_cast<std::int64_t>(std::min<std::uint64_t>(query.from, INT64_MAX));
    }
    HF_TRY(session::EntryPage page, reader_.entries(wanted));
    if (backward) std::ranges::reverse(page.entries);
    Window window;
    std::size_t bytes = 0;
    for (const session::Entry& entry : page.entries) {
      const auto seq = static_cast<std::uint64_t>(entry.seq);
      if (bytes > std::max(kWindowBytes, query.limits.text_bytes)) {
        window.next = seq;
        break;
      }
      window.last_line = seq;
      Turn turn = head_of(entry);
      if (!turn_of_(entry, query.limits, turn) || turn.parts.empty()) continue;
      for (const Part& part : turn.parts) bytes += part.text.text.size();
      window.turns.push_back(std::move(turn));
    }
    if (page.entries.empty()) return window;
    const auto first = static_cast<std::uint64_t>(page.entries.front().seq);
    if (first > 1) window.previous = first;
    if (window.next) return window;
    if (!backward && page.next) window.next = static_cast<std::uint64_t>(*page.next);
    if (backward && query.before != kToTheEnd) window.next = query.before;
    return window;
  }

  Result<ByteSource> whole_record(std::uint64_t line) override {
    HF_TRY(auto entry, reader_.entry(heading_.id, static_cast<std::int64_t>(std::min<std::uint64_t>(line, INT64_MAX))));
    if (!entry) return Reading::whole_record(line);
    ByteSource source;
    source.size = entry->text.size();
    source.read = [text = std::move(entry->text)](std::uint64_t offset, std::span<char> to) -> Result<std::size_t> {
      const std::string_view rest =
          std::string_view(text).substr(static_cast<std::size_t>(std::min<std::uint64_t>(offset, text.size())));
      return rest.copy(to.data(), to.size());
    };
    return source;
  }

 private:
  static Turn head_of(const session::Entry& entry) {
    Turn turn;
    turn.line = static_cast<std::uint64_t>(entry.seq);
    turn.id = fmt::format("{}", entry.seq);
    turn.author = entry.author;
    turn.lane = entry.lane;
    turn.time = entry.time;
    turn.damaged = entry.damage.has_value();
    if (entry.damage) {
      Part& part = turn.parts.emplace_back();
      part.kind = Part::Kind::notice;
      part.name = "damaged";
      part.text.text = *entry.damage;
    }
    return turn;
  }

  session::Reader& reader_;
  const TurnOfEntry turn_of_;
  Heading heading_;
};

}  // namespace

std::unique_ptr<Reading> open_entries(session::Reader& reader, const session::SessionRecord& record, const EntryKinds& kinds) {
  const auto found = kinds.find(record.kind);
  return std::make_unique<EntryReading>(reader, record, found == kinds.end() ? TurnOfEntry(plain_turn) : found->second);
}

Part& add_part(Turn& turn, Part::Kind kind, std::string_view text, const ReadLimits& limits) {
  Part& part = turn.parts.emplace_back();
  part.kind = kind;
  part.line = turn.line;
  part.text = cut_text(text, limits.text_bytes);
  return part;
}

JsonObject data_of_entry(const session::Entry& entry) {
  auto parsed = parse_json(entry.data);
  return parsed && parsed->is_object() ? std::move(parsed->get_object()) : JsonObject();
}

}  // namespace holdfast::reading
