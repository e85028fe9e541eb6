#include "kinds/transcripts/lines/line_index.h"

#include "base/text/find_bytes.h"
#include "base/text/text.h"
#include "jsonl/line_reader.h"
#include "jsonl/pull.h"
#include "jsonl/spelling.h"

#include <algorithm>
#include <array>
#include <future>
#include <iterator>
#include <string>

namespace holdfast::transcripts {
namespace {

constexpr unsigned kOffsetShift = 16;
constexpr unsigned kKindMask = 0xf;
constexpr unsigned kSidechain = 0x10, kMeta = 0x20, kChained = 0x40, kCarriage = 0x80;
constexpr std::uint64_t kStampBytes = 4096;  // at each end: holds a record or more, with its own id
// From here on two threads are sooner done than one; one begins and ends in less than a millisecond.
constexpr std::uint64_t kWorthTwo = 8 * 1024 * 1024;
constexpr std::size_t kNewlineWithin = 4 * 1024 * 1024;  // of the middle; else it is one line that is long
constexpr std::uint32_t kNearLines = 16;                 // a parent is nearly always one of the lines before

// In a struct, for these are words that others need, too.
struct IndexedMember {
  enum : std::size_t {
    type,
    uuid,
    parent_uuid,
    is_sidechain,
    is_meta,
    message,
    leaf_uuid,
    logical_parent_uuid,
    is_compact_summary,
    subtype,
    kCount
  };
};
constexpr std::array<std::string_view, IndexedMember::kCount> kIndexedNames = {
    "type",    "uuid",     "parentUuid",        "isSidechain",      "isMeta",
    "message", "leafUuid", "logicalParentUuid", "isCompactSummary", "subtype"};

constexpr std::array<std::string_view, 17> kSideTypes = {"queue-operation",
                                                         "last-prompt",
                                                         "ai-title",
                                                         "custom-title",
                                                         "agent-name",
                                                         "agent-color",
                                                         "agent-setting",
                                                         "mode",
                                                         "permission-mode",
                                                         "worktree-state",
                                                         "file-history-snapshot",
                                                         "summary",
                                                         "tag",
                                                         "progress",
                                                         "relocated",
                                                         "pr-link",
                                                         "started"};

bool is_true(const jsonl::Token& token) {
  return token.kind == jsonl::TokenKind::boolean && token.raw == "true";
}

LineKind kind_of(std::span<const jsonl::Token> fields) {
  const jsonl::Token& word = fields[IndexedMember::type];
  if (word.is("assistant")) return LineKind::answer;
  if (word.is("user"))
    return find_bytes(fields[IndexedMember::message].raw, "\"tool_result\"") != std::string_view::npos ? LineKind::tool_result
                                                                                                       : LineKind::prompt;
  if (word.is("attachment")) return LineKind::attachment;
  if (word.is("system")) return fields[IndexedMember::subtype].is("compact_boundary") ? LineKind::compaction : LineKind::system;
  for (const std::string_view side : kSideTypes)
    if (word.is(side)) return LineKind::side;
  return LineKind::unknown;
}

}  // namespace

IndexedLine LineIndex::at(std::uint32_t line) const {
  const std::uint64_t place = places_[line];
  const std::uint64_t next = line + 1 < places_.size() ? places_[line + 1] >> kOffsetShift : read_to_;
  const bool open = line + 1 == places_.size() && last_is_open_;
  IndexedLine out;
  out.offset = place >> kOffsetShift;
  out.end = open ? next : next - 1 - ((place & kCarriage) != 0 ? 1 : 0);
  out.kind = static_cast<LineKind>(place & kKindMask);
  out.sidechain = (place & kSidechain) != 0;
  out.meta = (place & kMeta) != 0;
  out.chained = (place & kChained) != 0;
  return out;
}

std::uint64_t LineIndex::id_of(std::string_view text) const {
  return std::max<std::uint64_t>(hash_(text), 1);
}

std::uint64_t LineIndex::id_of(const jsonl::Token& token) const {
  if (token.kind != jsonl::TokenKind::string || token.raw.size() <= 2) return 0;
  const std::string_view inside = token.raw.substr(1, token.raw.size() - 2);
  return inside.contains('\\') ? id_of(jsonl::text_of(inside)) : id_of(inside);
}

std::optional<std::uint32_t> LineIndex::find_id(std::uint64_t id) const {
  if (id == 0) return std::nullopt;
  for (std::uint32_t line = size(); line-- > 0;)
    if (ids_[line] == id) return line;
  return std::nullopt;
}

void LineIndex::put(std::uint64_t offset, const IndexedLine& line, std::uint64_t id, std::uint64_t parent) {
  unsigned flags = static_cast<unsigned>(line.kind);
  flags |= line.sidechain ? kSidechain : 0;
  flags |= line.meta ? kMeta : 0;
  flags |= id != 0 ? kChained : 0;
  places_.push_back(offset << kOffsetShift | flags);
  ids_.push_back(id);
  parents_.push_back(kNone);
  if (parent != 0) add_link(size() - 1, parent, false);
}

void LineIndex::add_link(std::uint32_t line, std::uint64_t id, bool logical) {
  const Waiting link{line, id, logical};
  const std::uint32_t to = near_line(line, id);
  if (to == kMissing) waiting_.push_back(link);
  if (to != kMissing || !logical) set_link(link, to);
}

void LineIndex::set_link(const Waiting& link, std::uint32_t to) {
  if (link.logical)
    logical_parents_[link.line] = to;
  else
    parents_[link.line] = to;
}

std::uint32_t LineIndex::near_line(std::uint32_t line, std::uint64_t id) const {
  for (std::uint32_t back = 1; back <= std::min(kNearLines, line); ++back)
    if (ids_[line - back] == id) return line - back;
  return kMissing;
}

// One by one, among the lines from `from` on.
std::optional<std::uint32_t> LineIndex::nearest_line(const Waiting& link, std::uint32_t from) const {
  for (std::uint32_t line = link.line; line-- > from;)
    if (ids_[line] == link.id) return line;
  for (std::uint32_t line = std::max(link.line, from); line < size(); ++line)
    if (ids_[line] == link.id) return line;
  return std::nullopt;
}

void LineIndex::add_fields(std::uint64_t offset, std::span<const jsonl::Token> fields, bool parsed) {
  IndexedLine line;
  if (!parsed) {
    line.kind = LineKind::broken;
    return put(offset, line, 0, 0);
  }
  line.kind = kind_of(fields);
  line.sidechain = is_true(fields[IndexedMember::is_sidechain]);
  line.meta = is_true(fields[IndexedMember::is_meta]) || is_true(fields[IndexedMember::is_compact_summary]);
  const std::uint64_t id = id_of(fields[IndexedMember::uuid]);
  put(offset, line, id, id_of(fields[IndexedMember::parent_uuid]));
  if (line.kind == LineKind::compaction)
    if (const std::uint64_t logical = id_of(fields[IndexedMember::logical_parent_uuid])) add_link(size() - 1, logical, true);
  if (line.kind == LineKind::side && fields[IndexedMember::type].is("last-prompt"))
    if (const std::uint64_t leaf = id_of(fields[IndexedMember::leaf_uuid])) leaf_id_ = leaf;
}

// The records of Codex have no ids: they follow each other.
void LineIndex::add_codex(std::uint64_t offset, std::string_view text) {
  constexpr std::array<std::string_view, 2> kOuter = {"type", "payload"};
  constexpr std::array<std::string_view, 1> kInner = {"type"};
  std::array<jsonl::Token, 2> outer;
  std::array<jsonl::Token, 1> inner;
  IndexedLine line;
  const bool parsed = scanner_.fields(text, kOuter, outer).parsed();
  if (parsed && outer[1].kind == jsonl::TokenKind::object) scanner_.fields(outer[1].raw, kInner, inner);
  const auto is = [&](std::string_view outside, std::string_view inside) { return outer[0].is(outside) && inner[0].is(inside); };
  if (!parsed)
    line.kind = LineKind::broken;
  else if (is("event_msg", "user_message"))
    line.kind = LineKind::prompt, has_events_ = true;
  else if (is("event_msg", "agent_message") || is("event_msg", "agent_reasoning"))
    line.kind = LineKind::answer, has_events_ = true;
  else if (is("response_item", "function_call_output") || is("response_item", "custom_tool_call_output"))
    line.kind = LineKind::tool_result;
  else if (outer[0].is("response_item"))
    line.kind = LineKind::answer;
  else if (outer[0].is("compacted"))
    line.kind = LineKind::compaction;
  else if (outer[0].is("session_meta") || outer[0].is("turn_context") || outer[0].is("event_msg"))
    line.kind = LineKind::side;
  else
    line.kind = LineKind::unknown;
  put(offset, line, 0, 0);
}

void LineIndex::add(std::uint64_t offset, std::string_view text) {
  if (text.empty()) return put(offset, {}, 0, 0);
  if (product_ == Product::codex) return add_codex(offset, text);
  std::array<jsonl::Token, IndexedMember::kCount> fields;
  const jsonl::LineReport report = scanner_.fields(text, kIndexedNames, fields);
  if (report.shape == jsonl::LineShape::blank) return put(offset, {}, 0, 0);
  add_fields(offset, fields, report.parsed());
}

Result<void> LineIndex::add_long(const reading::ByteSource& source, std::uint64_t offset, std::uint64_t end) {
  constexpr std::size_t kLongestField = 1024;  // of those we want: ids and words
  std::uint64_t at = offset;
  jsonl::PullParser in([&](char* to, std::size_t room) -> Result<std::size_t> {
    HF_TRY(const std::size_t got, source.read(at, {to, static_cast<std::size_t>(std::min<std::uint64_t>(room, end - at))}));
    at += got;
    return got;
  });
  std::array<std::string, IndexedMember::kCount> held;
  std::array<jsonl::Token, IndexedMember::kCount> fields;
  const auto look = [&]() -> Result<void> {
    HF_CHECK(in.enter_object());
    for (;;) {
      HF_TRY(const auto key, in.next_key());
      if (!key) return in.finish();
      const auto name = std::ranges::find(kIndexedNames, *key);
      HF_TRY(const auto kind, in.kind());
      const auto field = static_cast<std::size_t>(name - kIndexedNames.begin());
      if (name == kIndexedNames.end() || kind == jsonl::ValueKind::array) {
        HF_CHECK(in.skip());
      } else if (kind == jsonl::ValueKind::object) {
        // Of a long message nobody knows without reading it; what tools say is what is long.
        HF_CHECK(in.skip());
        if (field == IndexedMember::message) held[field] = "\"tool_result\"";
        fields[field] = {jsonl::TokenKind::object, held[field]};
      } else {
        HF_TRY(const auto raw, in.span(kLongestField));
        held[field] = raw;
        fields[field] = {kind == jsonl::ValueKind::string ? jsonl::TokenKind::string : jsonl::TokenKind::boolean, held[field]};
      }
    }
  };
  const bool parsed = look().has_value();
  if (product_ == Product::claude) {
    add_fields(offset, fields, parsed);
  } else {
    IndexedLine line;
    line.kind = !parsed                                           ? LineKind::broken
                : fields[IndexedMember::type].is("response_item") ? LineKind::tool_result
                                                                  : LineKind::unknown;
    put(offset, line, 0, 0);
  }
  return {};
}

void LineIndex::drop_last() {
  const std::uint32_t line = size() - 1;
  read_to_ = places_.back() >> kOffsetShift;
  places_.pop_back();
  ids_.pop_back();
  parents_.pop_back();
  std::erase_if(waiting_, [line](const Waiting& each) { return each.line == line; });
  logical_parents_.erase(line);
  resolved_ = std::min(resolved_, line);
  last_is_open_ = false;
}

// Few are looked for one by one; many (a file made to be slow) in a sorted copy of the ids.
void LineIndex::resolve() {
  constexpr std::size_t kOneByOne = 16;
  const auto is_new = [this](const Waiting& each) { return each.line >= resolved_; };
  const auto fresh = static_cast<std::size_t>(std::ranges::count_if(waiting_, is_new));
  const std::uint32_t from = fresh > kOneByOne ? 0 : resolved_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> sorted;
  if (waiting_.size() > kOneByOne) {
    sorted.reserve(size() - from);
    for (std::uint32_t line = from; line < size(); ++line)
      if (ids_[line] != 0) sorted.emplace_back(ids_[line], line);
    std::ranges::sort(sorted);
  }
  const auto nearest = [&](const Waiting& link) -> std::optional<std::uint32_t> {
    const bool old = !is_new(link);
    if (sorted.empty() || (!old && from > 0)) return nearest_line(link, old ? resolved_ : 0);
    const auto behind = std::ranges::lower_bound(sorted, std::pair(link.id, link.line));
    if (behind != sorted.begin() && std::prev(behind)->first == link.id) return std::prev(behind)->second;
    return behind != sorted.end() && behind->first == link.id ? std::optional(behind->second) : std::nullopt;
  };
  std::erase_if(waiting_, [&](const Waiting& link) {
    const auto to = nearest(link);
    if (to) set_link(link, *to);
    return to.has_value();
  });
  resolved_ = size();
}

Result<std::uint64_t> LineIndex::stamp(const reading::ByteSource& source) const {
  std::string ends(static_cast<std::size_t>(std::min<std::uint64_t>(kStampBytes, read_to_)) * 2, '\0');
  const std::span<char> both(ends);
  HF_CHECK(source.read(0, both.first(ends.size() / 2)));
  HF_CHECK(source.read(read_to_ - ends.size() / 2, both.last(ends.size() / 2)));
  return hash_(ends);
}

Result<void> LineIndex::update(const reading::ByteSource& source) {
  if (source.size < read_to_) return fail(ErrorKind::conflict, "the transcript is shorter than it was");
  HF_TRY(const std::uint64_t now, stamp(source));
  if (read_to_ > 0 && now != stamp_) return fail(ErrorKind::conflict, "the transcript was replaced");
  if (source.size == read_to_) return {};
  if (last_is_open_) drop_last();
  HF_CHECK(source.size - read_to_ >= kWorthTwo ? read_in_two(source) : read_part(source, source.size));
  resolve();
  HF_TRY(stamp_, stamp(source));
  return {};
}

// A line that begins behind the middle begins the second part; the first line of a part has its parent in the other, mostly, and
// waits for it.
Result<void> LineIndex::read_in_two(const reading::ByteSource& source) {
  std::uint64_t middle = read_to_ + (source.size - read_to_) / 2;
  std::string piece(kNewlineWithin, '\0');
  HF_TRY(const std::size_t got, source.read(middle, piece));
  const std::size_t newline = std::string_view(piece).substr(0, got).find('\n');
  if (newline == std::string_view::npos) return read_part(source, source.size);
  middle += newline + 1;
  LineIndex second(*this, middle);
  auto behind = std::async(std::launch::async, [&] { return second.read_part(source, source.size); });
  auto first = read_part(source, middle);
  auto rest = behind.get();
  if (!first) return first;
  append(second);
  return rest;
}

void LineIndex::append(const LineIndex& next) {
  const std::uint32_t before = size();
  const auto moved = [before](std::uint32_t line) { return line >= kMissing ? line : line + before; };
  places_.insert(places_.end(), next.places_.begin(), next.places_.end());
  ids_.insert(ids_.end(), next.ids_.begin(), next.ids_.end());
  for (const std::uint32_t parent : next.parents_) parents_.push_back(moved(parent));
  for (const auto& [line, to] : next.logical_parents_)
    logical_parents_.emplace_hint(logical_parents_.end(), moved(line), moved(to));
  for (const Waiting& each : next.waiting_) {
    const Waiting link{moved(each.line), each.id, each.logical};
    const std::uint32_t to = each.line < kNearLines ? near_line(link.line, link.id) : kMissing;
    if (to == kMissing)
      waiting_.push_back(link);
    else
      set_link(link, to);
  }
  if (next.leaf_id_ != 0) leaf_id_ = next.leaf_id_;
  has_events_ = has_events_ || next.has_events_;
  last_is_open_ = next.size() > 0 ? next.last_is_open_ : last_is_open_;
  read_to_ = next.read_to_;
}

Result<void> LineIndex::read_part(const reading::ByteSource& source, std::uint64_t part_end) {
  std::uint64_t at = read_to_;
  const std::uint64_t begin = read_to_;
  auto lines = jsonl::LineReader::of_source(
      [&](char* to, std::size_t room) -> Result<std::size_t> {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(room, part_end - at));
        if (wanted == 0) return std::size_t{0};
        HF_TRY(const std::size_t got, source.read(at, {to, wanted}));
        at += got;
        return got;
      },
      kIndexedLineBytes);
  std::optional<std::uint64_t> long_from;
  for (;;) {
    HF_TRY(const auto line, lines.next());
    if (!line) break;
    const std::uint64_t offset = begin + line->offset, end = offset + line->text.size();
    if (line->overlong) {
      if (!long_from) long_from = offset;
      if (line->ending.empty() && end < part_end) continue;
      HF_CHECK(add_long(source, *long_from, end));
      long_from.reset();
    } else {
      add(offset, line->text);
    }
    if (line->ending.size() == 2) places_.back() |= kCarriage;
    last_is_open_ = line->ending.empty();
    read_to_ = end + line->ending.size();
  }
  return {};
}

std::optional<std::uint32_t> LineIndex::logical_parent(std::uint32_t line) const {
  const auto found = logical_parents_.find(line);
  return found == logical_parents_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::uint32_t> LineIndex::leaf() const {
  return find_id(leaf_id_);
}

}  // namespace holdfast::transcripts
