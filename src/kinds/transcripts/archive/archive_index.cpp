#include "kinds/transcripts/archive/archive_index.h"

#include "base/text/text.h"
#include "kinds/transcripts/products/claude/slugs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace holdfast::transcripts {
namespace {

// Subagents lie in the session's folder since 2.1.2 of the client.
bool nests_subagents(std::string_view version) {
  constexpr std::array<int, 3> kSince = {2, 1, 2};
  std::array<int, 3> parts{};
  const char* at = version.data();
  const char* const end = at + version.size();
  for (int& part : parts) {
    const auto [next, error] = std::from_chars(at, end, part);
    if (error != std::errc()) return false;
    at = next < end && *next == '.' ? next + 1 : next;
  }
  return parts >= kSince;
}

// JSON that is known to be valid, without the blanks between its tokens.
void append_compact(std::string& out, std::string_view json) {
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string && c == '\\') {
      out += c;
      out += json[++i];
      continue;
    }
    if (c == '"') in_string = !in_string;
    if (in_string || (c != ' ' && c != '\n' && c != '\r' && c != '\t')) out += c;
  }
}

}  // namespace

Result<std::uint64_t> RecordReader::read(jsonl::PullParser& in, const std::function<Result<void>(std::string_view)>& take) {
  HF_CHECK(in.enter_array());
  for (std::uint64_t count = 0;; ++count) {
    HF_TRY(const bool another, in.next_element());
    if (!another) return count;
    HF_TRY(const std::string_view record, next(in));
    HF_CHECK(take(record));
  }
}

Result<std::string_view> RecordReader::next(jsonl::PullParser& in) {
  HF_TRY(const jsonl::ValueKind kind, in.kind());
  const auto no_record = [&] { return fail(ErrorKind::corrupt, fmt::format("not a record before byte {}", in.offset())); };
  if (kind != jsonl::ValueKind::object) return no_record();
  if (by_line_) {
    HF_TRY(const auto rest, in.rest_of_line(jsonl::kMaxLineBytes + 1));
    if (rest) {
      const std::string_view line = rest->ends_with(',') ? rest->substr(0, rest->size() - 1) : *rest;
      // A text that begins with a whole value means that value, whatever follows.
      if (scanner_.shape(line).is_record()) {
        in.take(line.size());
        return line;
      }
    }
  }
  HF_TRY(const std::string_view span, in.span(jsonl::kMaxLineBytes));
  if (!scanner_.shape(span).is_record()) return no_record();
  if (by_line_ || (!span.contains('\n') && !span.contains('\r'))) return span;
  compact_.clear();
  append_compact(compact_, span);
  return std::string_view(compact_);
}

Inventory ArchiveIndex::inventory(const SessionPlace& place) const {
  Inventory inventory;
  inventory.place = place;
  inventory.artifacts = files;
  inventory.lie_as_on_disk();
  inventory.slugs.assign(slugs.begin(), slugs.end());
  return inventory;
}

Result<std::uint64_t> Indexer::records(const Slot&, jsonl::PullParser& in) {
  static constexpr std::array<std::string_view, 2> kNames = {"slug", "version"};
  bool version_seen = false;
  nested_by_version_ = false;
  return reader_.read(in, [&](std::string_view record) -> Result<void> {
    std::array<jsonl::Token, 2> found;
    scanner_.fields(record, kNames, found);
    if (found[0].kind == jsonl::TokenKind::string && index_.slugs.size() < kMaxSlugs) {
      std::string slug = found[0].text();
      if (is_safe_name(slug)) index_.slugs.insert(std::move(slug));
    }
    if (!version_seen && found[1].kind == jsonl::TokenKind::string) {
      version_seen = true;
      nested_by_version_ = nests_subagents(found[1].text());
    }
    return {};
  });
}

Result<void> Indexer::file(const Slot&, Spelling, jsonl::PullParser& in) {
  HF_TRY(const jsonl::ValueKind kind, in.kind());
  if (kind != jsonl::ValueKind::string) return fail(ErrorKind::corrupt, fmt::format("a text expected at byte {}", in.offset()));
  return in.skip();
}

Result<void> Indexer::task(jsonl::PullParser& in) {
  HF_TRY(const std::string_view object, in.span(kMaxArchivedTaskBytes));
  Slot slot{Holder::tasks, {}, {}, {}, false};
  HF_TRY(slot.id, id_of_task(scanner_, object));
  return end(slot);
}

Result<void> Indexer::end(const Slot& slot) {
  Slot whole = slot;
  if (decides_nesting_ && slot.holder == Holder::agent_files) whole.nested = nested_by_version_;
  Artifact artifact;
  HF_TRY(artifact.path, path_of(whole, place_));
  const auto kind = kind_of_path(artifact.path, place_);
  if (!kind) return fail(ErrorKind::corrupt, "the archive names a path that is no part of its session: " + artifact.path);
  artifact.kind = *kind;
  if (!seen_.insert(artifact.path).second) return fail(ErrorKind::corrupt, "the archive holds a file twice: " + artifact.path);
  if (seen_.size() > limits_.max_entries)
    return fail(ErrorKind::too_large, fmt::format("the archive has more than {} files", limits_.max_entries));
  if (artifact.kind == ArtifactKind::plan) index_.slugs.insert(slot.id);
  index_.files.push_back(std::move(artifact));
  return {};
}

void Indexer::unknown_field(std::string_view name) {
  if (warnings_.size() < kMaxWarnings) warnings_.push_back(fmt::format("unknown field {}: ignored", to_valid_utf8(name)));
}

Result<void> Indexer::wrong_count(const std::string& what) {
  if (warnings_.size() < kMaxWarnings) warnings_.push_back(what + ": those that are there are restored");
  return {};
}

Result<std::string> id_of_task(jsonl::Scanner& scanner, std::string_view object) {
  static constexpr std::array<std::string_view, 1> kNames = {"id"};
  std::array<jsonl::Token, 1> found;
  if (!scanner.fields(object, kNames, found).is_record()) return fail(ErrorKind::corrupt, "tasks: an entry is no object");
  if (found[0].kind == jsonl::TokenKind::number) return std::string(found[0].raw);
  if (found[0].kind != jsonl::TokenKind::string) return fail(ErrorKind::corrupt, "tasks: an entry has no id");
  return found[0].text();
}

}  // namespace holdfast::transcripts
